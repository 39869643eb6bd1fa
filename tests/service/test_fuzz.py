"""The fuzz targets of the service, for a moment; and that they notice what they look for."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

pytest.importorskip("msgspec")

from stepwrite.data import features
from stepwrite.model.pretrained import available
from stepwrite.service import checks

bundles, requests = (import_module(f"scripts.fuzz.{name}") for name in ("bundles", "requests"))
pytestmark = pytest.mark.skipif(not available(), reason="no models are built")


def test_hostile_bundles_do_no_harm() -> None:
    assert bundles.main(500, seed=1) == 0


def test_hostile_requests_do_no_harm() -> None:
    assert requests.main(500, seed=1) == 0


def test_a_lost_tag_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def forgetful(text: str, separators: str) -> list[str]:
        return [piece for piece in text.replace(",", ";").split(";") if piece.strip()][:2]

    monkeypatch.setattr(features, "_split", forgetful)
    assert bundles.main(200, seed=1) > 0


def test_an_internal_error_is_noticed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: Any) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(checks, "check_lemma", broken)
    assert requests.main(200, seed=1) > 0
    assert "status 500" in capsys.readouterr().err


def test_nan_is_noticed() -> None:
    body = b'{"score":NaN}'
    head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 13\r\n\r\n"
    assert requests.problem_of(head + body, requests.Counter()) is not None
