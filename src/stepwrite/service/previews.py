"""Previews of shared links: the service's side of the cards."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from stepwrite.errors import StepwriteError
from stepwrite.inflector import Inflector
from stepwrite.service import cards, checks
from stepwrite.service.answers import language_of
from stepwrite.service.batching import Batcher, Kind
from stepwrite.service.limits import Limits, Refusal

OffTheLoop = Callable[..., Awaitable[Any]]


class Previews:
    """Makes cards of what links ask for, with few forms and outside the event loop."""

    def __init__(
        self,
        inflectors: Mapping[str, Inflector],
        limits: Limits,
        batcher: Batcher,
        off_the_loop: OffTheLoop,
    ) -> None:
        self._inflectors, self._limits = inflectors, limits
        self._batcher, self._off_the_loop = batcher, off_the_loop
        self._pictures = 0  # being made

    async def tags(self, scope: Mapping[str, Any]) -> bytes:
        """The Open Graph tags of the page that a request asks for."""
        query = scope["query_string"]
        card = await self._card(query) if query else None
        headers = dict(scope["headers"])
        # A proxy that speaks HTTPS says so; nothing but the addresses in the tags depends on it.
        secure = b"https" in (headers.get(b"x-forwarded-proto"), scope.get("scheme", "").encode())
        host = headers.get(b"host", b"").decode("latin-1")
        site = f"http{'s' * secure}://{host}" if host else ""
        return cards.tags_of(card, site, checks.fields_of(query) if card else [])

    async def picture(self, query: bytes) -> bytes:
        """The card of a link as PNG."""
        if self._pictures >= self._limits.pictures:
            raise Refusal(503, "busy", "too many pictures are being made: try again in a moment")
        self._pictures += 1
        try:
            card = await self._card(query)
            picture: bytes = await self._off_the_loop(cards.picture, card)
            return picture
        finally:
            self._pictures -= 1

    async def _card(self, query: bytes) -> cards.Card | None:
        """What a query asks for; None where it makes no sense: the page says what is wrong."""
        try:
            request = await self._off_the_loop(
                checks.card_request, query, self._inflectors, self._limits
            )
            return await self._made(request)
        except StepwriteError:
            return None
        except Refusal as refusal:
            if refusal.status >= 500:
                raise
            return None

    async def _made(self, request: checks.CardRequest) -> cards.Card:
        name, lemma, pos, features = request
        inflector = self._inflectors[name]
        if features is not None:
            [prediction] = await self._batcher.inflect(Kind(name), [(lemma, features)])
            card: cards.Card = await self._off_the_loop(
                cards.card_of_form, name, inflector, prediction
            )
            return card
        [choice, *_] = await self._off_the_loop(inflector.choices, lemma, pos, {})
        bundles = await self._off_the_loop(cards.candidates, choice, language_of(inflector))
        pairs = [(lemma, features) for features in bundles]
        predictions = await self._batcher.inflect(Kind(name), pairs)
        card = await self._off_the_loop(cards.card_of_word, name, inflector, lemma, predictions)
        return card
