"""Preview cards of shared links, and the search over languages."""

from __future__ import annotations

import asyncio
import builtins
import time
from typing import Any

import pytest

pytest.importorskip("msgspec")
pytest.importorskip("httpx2")

from starlette.testclient import TestClient

from stepwrite import load
from stepwrite.service import cards
from stepwrite.service.app import App
from stepwrite.service.cards import Card, picture, tags_of
from stepwrite.service.limits import Limits

WORD = Card("German", "gut", (("comparative", "besser"), ("superlative", "am besten")))
FORM = Card("German", "gut", (("comparative", "besser"),), (("", "besser"), ("g", ""), ("u", "u")))


@pytest.fixture(scope="module")
def client() -> TestClient:
    models = {name: load(name) for name in ("english", "german")}
    return TestClient(App(models), base_url="http://localhost", raise_server_exceptions=False)


def test_tags_are_escaped() -> None:
    evil = Card('"><script>', "a & b", (('"', "<b>"),))
    tags = tags_of(evil, 'http://localhost"', [("lemma", '"><script>')]).decode()
    assert "<script>" not in tags
    assert "<b>" not in tags
    assert "a &amp; b" in tags
    assert 'localhost"/' not in tags


@pytest.mark.parametrize("card", [WORD, FORM])
def test_pictures_differ_by_word(card: Card) -> None:
    pytest.importorskip("PIL")
    if cards._font_for("abc") is None:
        pytest.skip("no fonts")
    drawn = picture(card)
    assert drawn.startswith(b"\x89PNG")
    assert drawn not in (cards.fixed_picture(), picture(card._replace(lemma="Haus")))


def test_a_script_without_a_font_gets_the_fixed_picture() -> None:
    assert picture(Card("Sumerian", "𒀀𒀁", (("plural", "𒀀"),))) == cards.fixed_picture()


def test_without_pillow_there_is_the_fixed_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *arguments: Any, **named: Any) -> Any:
        if name.partition(".")[0] == "PIL":
            raise ImportError(name)
        return real(name, *arguments, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    assert picture(WORD) == cards.fixed_picture()


def test_a_long_word_fits() -> None:
    long = "donaudampfschifffahrtsgesellschaft" * 3
    walk = tuple((letter, letter) for letter in long)
    assert picture(Card("German", long, (("plural", long),), walk)).startswith(b"\x89PNG")


def test_the_card_of_a_word_has_forms_that_differ_from_it(client: TestClient) -> None:
    answer = client.get("/", params={"model": "english", "lemma": "go"})
    assert 'content="English. present participle: going; past participle: gone' in answer.text


@pytest.mark.parametrize(
    "query",
    [
        {"model": "nothing", "lemma": "go"},
        {"model": "english"},
        {"model": "english", "lemma": "дом"},
        {"model": "english", "lemma": "go", "features": "N;ERG"},
        {"model": "english", "lemma": "x" * 10_000},
        {"model": "english", "lemma": "go", "pos": "FROB"},
    ],
)
def test_a_link_that_makes_no_sense_still_has_a_page_and_a_card(
    client: TestClient, query: dict[str, str]
) -> None:
    page = client.get("/", params=query)
    assert page.status_code == 200
    assert 'property="og:title" content="stepwrite: every form of a word"' in page.text
    card = client.get("/card.png", params=query)
    assert (card.status_code, card.content) == (200, cards.fixed_picture())


def test_addresses_follow_a_proxy_that_speaks_https(client: TestClient) -> None:
    page = client.get("/", headers={"x-forwarded-proto": "https"})
    assert 'content="https://localhost/card.png"' in page.text
    page = client.get("/", headers={"x-forwarded-proto": "javascript"})
    assert 'content="http://localhost/card.png"' in page.text


def test_too_many_pictures_at_once_are_refused_and_health_is_not_delayed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def slow(card: Card | None) -> bytes:
        time.sleep(0.2)
        return b"\x89PNG"

    monkeypatch.setattr(cards, "picture", slow)
    app = App({"english": load("english")}, Limits(pictures=2))

    async def get(path: str) -> tuple[int, float]:
        statuses: list[int] = []
        start = time.perf_counter()

        async def send(message: Any) -> None:
            statuses.append(message.get("status", 0))

        async def receive() -> Any:
            return {"type": "http.request"}

        scope = {
            "type": "http",
            "http_version": "1.1",
            "method": "GET",
            "path": path,
            "query_string": b"",
            "headers": [(b"host", b"localhost")],
        }
        await app(scope, receive, send)
        return statuses[0], time.perf_counter() - start

    async def all_at_once() -> list[tuple[int, float]]:
        pictures = [asyncio.create_task(get("/card.png")) for _ in range(5)]
        await asyncio.sleep(0.05)
        health = await get("/health")
        return [health, *await asyncio.gather(*pictures)]

    (status, seconds), *others = asyncio.run(all_at_once())
    assert status == 200
    assert seconds < 0.1
    assert sorted(status for status, _ in others) == [200, 200, 503, 503, 503]


def test_search_finds_a_word_in_all_languages_whatever_its_capitals(client: TestClient) -> None:
    found = client.get("/v1/search", params={"word": "gut"}).json()["words"]
    german = next(word for word in found if word["model"] == "german")
    assert german["readings"][0] == "adjective"
    assert {word["title"] for word in found} == {"English", "German"}
    [gehen] = client.get("/v1/search", params={"word": "GEHEN"}).json()["words"]
    assert (gehen["model"], gehen["lemma"]) == ("german", "gehen")
    assert client.get("/v1/search", params={"word": "qqqq"}).json() == {
        "words": [],
        "forms_of": [],
    }


def test_search_finds_the_lemmas_of_a_form_in_one_language(client: TestClient) -> None:
    found = client.get("/v1/search", params={"word": "Gingen", "model": "german"}).json()
    assert found["words"] == []
    [gehen] = found["forms_of"]
    assert gehen["lemma"] == "gehen"
    assert "V;IND;PST;3;PL" in gehen["features"]
    itself = client.get("/v1/search", params={"word": "gehen", "model": "german"}).json()
    assert itself["forms_of"] == []
    unknown = client.get("/v1/search", params={"word": "gingen", "model": "klingon"})
    assert (unknown.status_code, unknown.json()["error"]["code"]) == (404, "unknown_model")


def test_search_checks_its_word(client: TestClient) -> None:
    assert client.get("/v1/search").status_code == 422
    long = client.get("/v1/search", params={"word": "x" * 5000})
    assert (long.status_code, long.json()["error"]["code"]) == (422, "word_too_long")
