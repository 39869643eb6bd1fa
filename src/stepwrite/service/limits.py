"""What a request may ask for, and how one is refused.

Everything that a stranger can make large is bounded: bytes, words, their length, how many wait
and for how long.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Defaults that suit a small machine.

    body: bytes of a request. words: in a request. symbols: of a lemma. features: characters of
    a bundle. n_best: forms of a word. waiting: words of all requests that wait to be inflected.
    requests: that are under way. seconds: from a request's arrival to its answer.
    """

    body: int = 1 << 20
    words: int = 1000
    symbols: int = 100
    features: int = 200
    n_best: int = 20
    waiting: int = 20_000
    requests: int = 1000
    seconds: float = 30.0


class Refusal(Exception):
    """Why a request gets no forms: an HTTP status, a code for programs, a message for people."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message
