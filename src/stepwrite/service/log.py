"""Messages on stderr, so few that no client can fill a disk with them."""

from __future__ import annotations

import logging
import time

LOGGER = logging.getLogger("stepwrite.service")
MOST = 20  # messages per minute
LONGEST = 4000  # characters of a message with its traceback


class Sparing(logging.StreamHandler):  # type: ignore[type-arg]
    """Writes to stderr; beyond some messages per minute it only counts them."""

    def __init__(self, most: int = MOST, seconds: float = 60.0) -> None:
        super().__init__()
        self.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
        self._most, self._seconds = most, seconds
        self._until, self._written, self._dropped = 0.0, 0, 0

    def emit(self, record: logging.LogRecord) -> None:
        now = time.monotonic()
        if now >= self._until:
            self._until, self._written = now + self._seconds, 0
        if self._written == self._most:
            self._dropped += 1
        else:
            self._written += 1
            super().emit(record)

    def format(self, record: logging.LogRecord) -> str:
        text = super().format(record)
        if len(text) > LONGEST:
            text = f"{text[: LONGEST // 2]}\n...\n{text[-LONGEST // 2 :]}"
        dropped, self._dropped = self._dropped, 0
        return f"({dropped} messages were dropped)\n{text}" if dropped else text

    def handleError(self, record: logging.LogRecord) -> None:
        """A log that can't be written must not stop the service."""


def log_sparingly() -> None:
    """Send the messages of the service, uvicorn and asyncio through one sparing handler."""
    handler = Sparing()
    for name in ("stepwrite.service", "uvicorn.error", "asyncio"):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.propagate = False
    # uvicorn warns of mistakes that clients make; they are told themselves.
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
