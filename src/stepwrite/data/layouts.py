"""What the columns of a file mean: given by the user, or detected from their contents."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from stepwrite.errors import DataError, shown

COLUMNS = ("lemma", "features", "form", "cell")


@dataclass(frozen=True)
class Layout:
    """The meaning of each column: "lemma", "features", "form", "cell", or "_" for one to ignore.

    Tables with a header may have several columns of features, one for each, or columns of cells:
    forms whose features are the heading.

    >>> print(Layout("columns", ("_", "lemma", "form")))
    columns (_, lemma, form)
    >>> Layout("columns", ("lemma", "lemma"))
    Traceback (most recent call last):
    ValueError: column 'lemma' is named twice
    """

    name: str
    columns: tuple[str, ...]
    form_spaced: bool = False

    def __post_init__(self) -> None:
        named = [column for column in self.columns if column != "_"]
        for column in named:
            if column not in COLUMNS:
                raise ValueError(f"unknown column {column!r}: use lemma, features, form, cell or _")
            if named.count(column) > 1 and column in ("lemma", "form"):
                raise ValueError(f"column {column!r} is named twice")
        # Some programs write their predictions as a bare list of forms.
        if "lemma" not in named and named != ["form"]:
            raise ValueError("no lemma column")
        if "cell" in named and "form" in named:
            raise ValueError("cells hold the forms: a column form can't stand beside them")

    @property
    def needs_table(self) -> bool:
        """Whether rows must be put together from several cells, or taken apart."""
        return "cell" in self.columns or self.columns.count("features") > 1

    def __str__(self) -> str:
        return f"{self.name} ({', '.join(self.columns)})"


LAYOUTS = {
    layout.name: layout
    for layout in (
        Layout("sigmorphon2016", ("lemma", "features", "form")),
        Layout("unimorph", ("lemma", "form", "features")),
        Layout("sigmorphon2023", ("lemma", "features", "form")),
        Layout("covered", ("lemma", "features")),
        Layout("g2p", ("lemma", "form"), form_spaced=True),
    )
}
SEGMENTED_UNIMORPH = Layout("unimorph", ("lemma", "form", "features", "_"))

# A column is classified by what at least this share of its cells looks like.
SURE = 0.8

# Tags that can be a whole bundle; if there is a `;`, any capitals count as tags.
LONE_TAG = re.compile(
    r"N|PROPN|ADJ|ADV|V|V\.(PTCP|CVB|MSDR)|AUX|PRO|DET|ART|NUM|ADP|COMP|CONJ|PART|INTJ|CLF|"
    r"SG|PL|DU|NOM|ACC|GEN|DAT|PST|PRS|FUT|NFIN|IMP|IND|SBJV|PASS|CMPR|SPRL|DEF|INDF|NEG"
)
TEXT = ("words", "phones", "segments", "empty")
TAG = re.compile(r"[A-Z0-9][A-Z0-9._]*")


def detect(rows: Sequence[tuple[int, str]], path: str, allow_extra: bool = False) -> Layout:
    """The layout of a file that starts with these lines, or an error saying which option to give.

    >>> print(detect([(1, "legen\\tlegt\\tV;PRS;3;SG")], "train.tsv"))
    unimorph (lemma, form, features)
    """
    looks = column_looks(usual_width([text.split("\t") for _, text in rows], allow_extra))
    layout = layout_of(looks, allow_extra)
    if layout is None:
        number, text = rows[0]
        seen = (
            f"the columns look like ({', '.join(looks)})"
            if looks
            else "rows differ in their number of columns"
        )
        problem = f"can't detect the layout: {seen}; give --layout NAME or --columns LIST"
        raise DataError(f"{problem}: {shown(text)}", path=path, line=number)
    return layout


def layout_of(looks: Sequence[str], allow_extra: bool = False) -> Layout | None:
    """The layout whose columns look like this, or None if there is none or more than one.

    >>> print(layout_of(["words", "words", "tags"]))
    unimorph (lemma, form, features)
    >>> print(layout_of(["words", "tags", "tags"]))
    None
    """
    match ["text" if look in TEXT else look for look in looks]:
        case ["text", "key=value", "text"]:
            return LAYOUTS["sigmorphon2016"]
        case ["text", "tags", "text"]:
            return LAYOUTS["sigmorphon2023"]
        case ["text", "text", "tags"]:
            return LAYOUTS["unimorph"]
        case ["text", "text", "tags", "text"] if looks[3] == "segments":
            return SEGMENTED_UNIMORPH
        case ["text", "key=value" | "tags"]:
            return LAYOUTS["covered"]
        case ["text", "text"] if looks == ["words", "phones"]:
            return LAYOUTS["g2p"]
        case ["text", "text", "text"] if allow_extra and looks == ["words", "phones", "phones"]:
            return LAYOUTS["g2p"]
    return None


def usual_width(rows: Sequence[Sequence[str]], allow_extra: bool) -> list[Sequence[str]]:
    """The rows with the most common number of columns; none if no number has a majority.

    With `allow_extra` rows are cut to their first three columns, as no layout of predictions
    has more.
    """
    if allow_extra:
        rows = [row[:3] for row in rows]
    width, n_rows = Counter(map(len, rows)).most_common(1)[0]
    return [row for row in rows if len(row) == width] if 2 * n_rows > len(rows) else []


def column_looks(rows: Iterable[Sequence[str]]) -> list[str]:
    """What each column looks like.

    >>> column_looks([["cheese", "t ʃ iː z", "", "N;SG"]])
    ['words', 'phones', 'empty', 'tags']
    """
    return [column_look([cell for cell in column if cell]) for column in zip(*rows, strict=True)]


def column_look(cells: Sequence[str]) -> str:
    if not cells:
        return "empty"
    counts = Counter(map(cell_look, cells))
    look, n_cells = counts.most_common(1)[0]
    if n_cells >= SURE * len(cells):
        return look
    # Words may contain a few spaces and bars, but a column has features everywhere or nowhere.
    n_features = counts["key=value"] + counts["tags"]
    return "words" if n_features <= (1 - SURE) * len(cells) else "mixed"


def cell_look(cell: str) -> str:
    """What one cell looks like.

    >>> [cell_look(cell) for cell in ("num={DU/PL}", "ADJ;ABL; PL", "walk|ed", "New York")]
    ['key=value', 'tags', 'segments', 'words']
    """
    if all(piece.strip().find("=") > 0 for piece in cell.split(",")):
        return "key=value"
    pieces = [piece.strip() for piece in re.split(r"[;,|/+(){}]", cell) if piece.strip()]
    if ";" in cell:
        if 2 * sum(TAG.fullmatch(piece) is not None for piece in pieces) >= len(pieces) > 0:
            return "tags"
    elif pieces and LONE_TAG.fullmatch(pieces[0]):
        return "tags"
    symbols = cell.split()
    if len(symbols) > 1 and sum(map(len, symbols)) <= 2.5 * len(symbols):
        return "phones"
    return "segments" if "|" in cell or cell == "-" else "words"
