"""Which `Host` headers the service answers.

A page on the internet can have its own name resolve to 127.0.0.1 and then read what a service on
the visitor's machine answers (DNS rebinding). Its requests still carry its name as `Host`.
"""

from __future__ import annotations

from collections.abc import Collection
from ipaddress import ip_address
from urllib.parse import urlsplit

ANY = "*"
MOST = 1000  # remembered decisions


class Hosts:
    """The names under which the service may be addressed, besides any IP address and `localhost`.

    >>> hosts = Hosts(["inflect.example.org"])
    >>> texts = (b"127.0.0.1:8000", b"[::1]", b"LOCALHOST", b"inflect.example.org:80")
    >>> [text in hosts for text in texts]
    [True, True, True, True]
    >>> [text in hosts for text in (b"evil.example.org", b"", b"localhost@evil", b"[")]
    [False, False, False, False]
    >>> b"evil.example.org" in Hosts(["*"])
    True
    """

    def __init__(self, names: Collection[str] = ()) -> None:
        self._names = {"localhost", *(name.lower().rstrip(".") for name in names)}
        self._decided: dict[bytes, bool] = {}

    def __contains__(self, header: bytes) -> bool:
        decided = self._decided.get(header)
        if decided is None:
            decided = ANY in self._names or self._is_known(header)
            if len(self._decided) < MOST:
                self._decided[header] = decided
        return decided

    def _is_known(self, header: bytes) -> bool:
        try:
            address = urlsplit("//" + header.decode("ascii"))
            name = (address.hostname or "").rstrip(".")
            _ = address.port  # raises if it is no number
        except ValueError:
            return False
        if "@" in address.netloc or address.path:
            return False
        try:
            ip_address(name)
        except ValueError:
            return name in self._names
        return True
