"""The limits of requests, and how requests are rejected.

Everything that a client could make large is bounded: connections, bytes, words, their length, how
many are queued and for how long.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Defaults that suit a small machine.

    connections: open ones, per process. body: bytes per request. bodies: bytes of all requests that
    are not parsed yet. words: per request. explained: words per request that asks for explanations.
    symbols: per lemma. features: characters per feature bundle. n_best: forms per word. waiting:
    queued words over all requests. requests: concurrent ones. pictures: concurrent ones of those
    for a preview card. seconds: to receive a body, and from then to the response.
    """

    connections: int = 4000
    body: int = 1 << 20
    bodies: int = 1 << 26
    words: int = 1000
    explained: int = 100
    symbols: int = 100
    features: int = 200
    n_best: int = 20
    waiting: int = 20_000
    requests: int = 1000
    pictures: int = 32
    seconds: float = 30.0


class Refusal(Exception):
    """A rejected request: HTTP status, a code for programs, a message for people."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message
