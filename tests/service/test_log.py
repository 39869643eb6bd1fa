"""The log can't run away."""

from __future__ import annotations

import io
import logging

import pytest

pytest.importorskip("msgspec")

from stepwrite.service.log import LONGEST, Sparing


def logger_to(stream: io.StringIO, **options: float) -> logging.Logger:
    handler = Sparing(**options)
    handler.setStream(stream)
    logger = logging.Logger("tested")
    logger.addHandler(handler)
    return logger


def test_many_messages_become_few() -> None:
    stream = io.StringIO()
    logger = logger_to(stream, most=3)
    for number in range(1000):
        logger.error("message %d", number)
    assert [line[-9:] for line in stream.getvalue().splitlines()] == [
        f"message {number}" for number in range(3)
    ]


def test_what_was_dropped_is_counted() -> None:
    stream = io.StringIO()
    logger = logger_to(stream, most=1, seconds=0.0)
    handler = logger.handlers[0]
    handler._until = float("inf")  # type: ignore[attr-defined]
    for _ in range(5):
        logger.error("first")
    handler._until = 0.0  # type: ignore[attr-defined]
    logger.error("second")
    assert stream.getvalue().splitlines()[-2] == "(4 messages were dropped)"
    assert stream.getvalue().splitlines()[-1].endswith("second")


def test_a_long_message_is_shortened() -> None:
    stream = io.StringIO()
    logger_to(stream).error("begin%send", "x" * 1_000_000)
    assert "begin" in stream.getvalue()
    assert stream.getvalue().endswith("end\n")
    assert len(stream.getvalue()) < LONGEST + 100
