"""Preview cards: what a shared link says of a word, as Open Graph tags and as a picture.

The picture is drawn with Pillow, if that is installed (`stepwrite[cards]`) and some font of the
machine has the letters of the word; otherwise a fixed picture takes its place.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from html import escape
from importlib.resources import files
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple
from unicodedata import bidirectional
from urllib.parse import urlencode

from stepwrite.inflector import Inflector
from stepwrite.morphology.cells import Choice, values_of
from stepwrite.morphology.paradigms import Cell, Paradigm
from stepwrite.morphology.terms import Terms
from stepwrite.morphology.textbook import grids
from stepwrite.prediction import Prediction
from stepwrite.service.answers import language_of, title_of

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont

WIDTH, HEIGHT = 1200, 630  # what sites that show previews ask for
MARGIN = 80
PAPER, INK, SOFT, LINE, ACCENT = "#faf8f5", "#23211e", "#6b655c", "#d9d3c8", "#a9480f"
# Fonts of many scripts first; Pillow looks for them where the system keeps its fonts.
FONTS = (
    "NotoSans-Regular.ttf", "DejaVuSans.ttf", "Arial Unicode.ttf", "arial.ttf", "Arial.ttf",
    "LiberationSans-Regular.ttf", "NotoNaskhArabic-Regular.ttf", "NotoSansArabic-Regular.ttf",
    "NotoSansHebrew-Regular.ttf", "NotoSansGeorgian-Regular.ttf", "NotoSansArmenian-Regular.ttf",
    "NotoSansDevanagari-Regular.ttf", "NotoSansBengali-Regular.ttf", "Nirmala.ttf",
)  # fmt: skip
CANDIDATES = 12  # cells to choose from
SHOWN = 4  # forms on the card of a word
TILES = 16  # symbols of a walk that fit


class Card(NamedTuple):
    """What there is to say of a word or of one of its forms.

    forms: names of cells with their forms. walk: symbols of the lemma, and what was written at
    each; empty for a card of several forms.
    """

    language: str
    lemma: str
    forms: tuple[tuple[str, str], ...]
    walk: tuple[tuple[str, str], ...] = ()

    @property
    def title(self) -> str:
        if self.walk:
            return f"{self.lemma} → {self.forms[0][1]}"
        return f"{self.lemma}: all forms"

    @property
    def description(self) -> str:
        said = "; ".join(f"{name}: {form}" if name else form for name, form in self.forms)
        return f"{self.language}. {said}" if said else self.language


def candidates(choice: Choice, language: str | None) -> list[str]:
    """Some cells of a word that show how it inflects, before any form is known."""
    cells = tuple(Cell(features, features, 0.0, 0) for features in choice.bundles)
    tables = grids(Paradigm("", choice.pos, choice.values, (), cells), language)
    rows = [[cell for cell in row.cells if cell] for grid in tables for row in grid.rows]
    picked = [row[number % len(row)][0] for number, row in enumerate(row for row in rows if row)]
    return [choice.bundles[cell] for cell in picked[:CANDIDATES]]


def card_of_word(
    name: str, inflector: Inflector, lemma: str, predictions: Sequence[Prediction]
) -> Card:
    """The card of a word: a few forms that differ from it."""
    forms = {p.form: p for p in reversed(predictions) if p.form != lemma and not p.doubts}
    shown = sorted(forms.values(), key=list(predictions).index)[:SHOWN]
    said = tuple((cell_name(inflector, p.features), p.form) for p in shown)
    return Card(title_of(name, inflector), lemma, said)


def card_of_form(name: str, inflector: Inflector, prediction: Prediction) -> Card:
    """The card of a form: how it was written."""
    explanation = prediction.explanation()
    written = [""] * len(explanation["symbols"])
    steps = explanation["steps"]
    for step in steps if explanation["direction"] == "forward" else reversed(steps):
        written[step["position"]] += step["symbol"] or ""
    walk = tuple(zip(explanation["symbols"], written, strict=True))
    said = ((cell_name(inflector, prediction.features), prediction.form),)
    return Card(title_of(name, inflector), prediction.lemma, said, walk)


def cell_name(inflector: Inflector, features: str) -> str:
    """A cell in the words of a grammar.

    >>> from stepwrite import load
    >>> cell_name(load("german"), "V;IND;PST;1;SG")
    '1st singular past'
    """
    values = dict(values_of([features])[features])
    pos = values.pop("part of speech", "")
    tags = [pos] if "." in pos else []
    order = ("comparison", "person", "gender", "animacy", "case", "number")
    tags += [values[slot] for slot in order if slot in values]
    tags += [value for slot, value in values.items() if slot not in order]
    return Terms.of(language_of(inflector)).label(tuple(tags)).name


def tags_of(card: Card | None, site: str, query: Sequence[tuple[str, str]]) -> bytes:
    """The tags for the head of the page. site: its address without a query."""
    title = card.title if card else "stepwrite: every form of a word"
    description = card.description if card else "Type a word, see all its forms."
    words = f"?{urlencode(query)}" if card else ""
    tags = {
        "og:type": "website",
        "og:site_name": "stepwrite",
        "og:title": title,
        "og:description": description,
        "og:url": f"{site}/{words}",
        "og:image": f"{site}/card.png{words}",
        "og:image:width": str(WIDTH),
        "og:image:height": str(HEIGHT),
        "og:image:alt": f"{title}. {description}",
    }
    lines = [f'<meta property="{name}" content="{escape(text)}">' for name, text in tags.items()]
    lines.append('<meta name="twitter:card" content="summary_large_image">')
    return "\n  ".join(lines).encode()


def picture(card: Card | None) -> bytes:
    """The card as PNG."""
    texts = [card.language, card.lemma, *(t for pair in card.forms for t in pair)] if card else []
    font = _font_for("".join(texts)) if card else None
    return _drawn(card, font) if card and font else fixed_picture()


@lru_cache(maxsize=1)
def fixed_picture() -> bytes:
    return (files("stepwrite.service") / "page" / "card.png").read_bytes()


@lru_cache(maxsize=256)
def _sized(name: str, size: int) -> FreeTypeFont:
    from PIL import ImageFont

    return ImageFont.truetype(name, size)


def _font_for(text: str) -> str | None:
    """The first font that has all letters of a text; None if there is none, or no Pillow."""
    try:
        import PIL  # noqa: F401
    except ImportError:
        return None
    for name in FONTS:
        try:
            font = _sized(name, 40)
        except OSError:
            continue
        missing = bytes(font.getmask("\U0010ffff"))
        if not any(bytes(font.getmask(c)) == missing for c in set(text) if not c.isspace()):
            return name
    return None


def _drawn(card: Card, font: str) -> bytes:
    from PIL import Image, ImageDraw

    image = Image.new("RGB", (WIDTH, HEIGHT), PAPER)
    draw = ImageDraw.Draw(image)
    _brand(draw, font, card.language)
    if card.walk:
        _text(draw, font, card.forms[0][1], MARGIN, 150, 130, INK)
        _text(draw, font, f"{card.forms[0][0]} · {card.lemma}", MARGIN, 330, 40, SOFT)
        if any(symbol and symbol in written for symbol, written in card.walk):
            _tiles(draw, font, card.walk)
    else:
        _text(draw, font, card.lemma, MARGIN, 150, 120, INK)
        for number, (name, form) in enumerate(card.forms):
            top = 320 + 62 * number
            _text(draw, font, name, MARGIN, top + 6, 32, SOFT, WIDTH // 2 - MARGIN - 20)
            _text(draw, font, form, WIDTH // 2, top, 42, ACCENT, WIDTH // 2 - MARGIN)
    out = BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def _brand(draw: ImageDraw, font: str, language: str) -> None:
    for left, top, height, colour in ((0, 10, 26, LINE), (26, 0, 46, ACCENT), (52, 10, 26, LINE)):
        box = (MARGIN + left, 62 + top, MARGIN + left + 20, 62 + top + height)
        draw.rounded_rectangle(box, 5, fill=colour)
    _text(draw, font, "stepwrite", MARGIN + 92, 62, 36, INK)
    draw.text((WIDTH - MARGIN, 62), language, font=_sized(font, 36), fill=SOFT, anchor="ra")


def _tiles(draw: ImageDraw, font: str, walk: Sequence[tuple[str, str]]) -> None:
    """The lemma's symbols in boxes, and below each what was written there."""
    shown = [(s, w) for s, w in walk if s or w][:TILES]
    if any(bidirectional(c) in ("R", "AL") for symbol, _ in shown for c in symbol):
        shown.reverse()
    size = min(84, (WIDTH - 2 * MARGIN) // max(len(shown), 1) - 8)
    for number, (symbol, written) in enumerate(shown):
        left, top = MARGIN + number * (size + 8), 420
        kept = symbol == written
        draw.rounded_rectangle(
            (left, top, left + size, top + size), 12, outline=LINE if kept else ACCENT, width=3
        )
        middle = left + size / 2
        above = _sized(font, size // 2)
        below = _fitting(draw, font, written, size // 2, size)
        draw.text((middle, top + size / 2), symbol or "·", font=above, fill=INK, anchor="mm")
        draw.text((middle, top + size * 1.45), written, font=below, fill=ACCENT, anchor="mm")


def _text(
    draw: ImageDraw, font: str, text: str, left: float, top: float, size: int, fill: str,
    width: int = WIDTH - 2 * MARGIN,
) -> None:  # fmt: skip
    draw.text((left, top), text, font=_fitting(draw, font, text, size, width), fill=fill)


def _fitting(draw: ImageDraw, font: str, text: str, size: int, width: int) -> FreeTypeFont:
    """The font in the size that a text has room for."""
    length = draw.textlength(text, font=_sized(font, size))
    return _sized(font, max(10, int(size * min(1.0, width / max(length, 1)))))
