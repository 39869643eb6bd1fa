"""Cells in ods spreadsheets: the table of `content.xml`, read and written without other packages.

The format is OpenDocument 1.2, part 1, chapters 9 (tables) and 6 (white space).
"""

from __future__ import annotations

import io
import re
from collections.abc import Collection, Iterator, Sequence
from xml.etree import ElementTree
from xml.sax.saxutils import escape, quoteattr
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

from stepwrite.data.workbooks import AS_TEXT, MARK, Grid, merge
from stepwrite.errors import DataError

TYPE = "application/vnd.oasis.opendocument.spreadsheet"
SPACES = {
    name: f"urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"
    for name in ("office", "table", "text", "style")
}
MOST_ROWS = 1 << 20
"""Of a sheet. Programs repeat the last, empty row to fill the sheet."""
TYPES = {"date": "a date", "time": "a time", "boolean": "a truth value", "percentage": "a number"}


def named(name: str) -> str:
    """`table:table-row` as ElementTree spells it."""
    space, _, local = name.partition(":")
    return f"{{{SPACES[space]}}}{local}"


def read_opendocument(data: bytes, path: str) -> list[Grid]:
    """All sheets of a document."""
    try:
        with ZipFile(io.BytesIO(data)) as archive:
            root = ElementTree.fromstring(archive.read("content.xml"))
    except (BadZipFile, KeyError, ElementTree.ParseError, ValueError) as error:
        raise DataError(f"can't be read as ods ({error}): save it again", path=path) from None
    return [grid_of(table, path) for table in root.iter(named("table:table"))]


def grid_of(table: ElementTree.Element, path: str) -> Grid:
    grid = Grid(table.get(named("table:name"), ""))
    merged: list[tuple[tuple[int, int], tuple[int, int]]] = []
    for row in table.iter(named("table:table-row")):
        texts, problems, spans = cells_of(row)
        repeated = int(row.get(named("table:number-rows-repeated"), "1"))
        if not any(texts):
            if len(grid.rows) + repeated < MOST_ROWS:  # else the rest of the sheet
                grid.rows += [[] for _ in range(repeated)]
            continue
        for _ in range(repeated):
            number = len(grid.rows)
            grid.rows.append(list(texts))
            grid.problems |= {(number, column): text for column, text in problems.items()}
            merged += [
                ((number, column), (number + down - 1, column + right - 1))
                for column, (down, right) in spans.items()
            ]
    while grid.rows and not any(grid.rows[-1]):
        grid.rows.pop()
    width = max(map(len, grid.rows), default=0)
    grid.rows = [row + [""] * (width - len(row)) for row in grid.rows]
    for first, last in merged:
        merge(grid, first, last, path, f"from row {first[0] + 1}, column {first[1] + 1}")
    return grid


def cells_of(
    row: ElementTree.Element,
) -> tuple[list[str], dict[int, str], dict[int, tuple[int, int]]]:
    """The texts of a row up to the last one, what is wrong with them, and their spans."""
    texts: list[str] = []
    problems: dict[int, str] = {}
    spans: dict[int, tuple[int, int]] = {}
    waiting = 0  # empty cells, which count only if another one follows
    for cell in row:
        if cell.tag not in (named("table:table-cell"), named("table:covered-table-cell")):
            continue
        repeated = int(cell.get(named("table:number-columns-repeated"), "1"))
        text = "\n".join(text_of(child) for child in cell.findall(named("text:p")))
        if not text:
            waiting += repeated
            continue
        texts += [""] * waiting
        waiting = 0
        kind = cell.get(named("office:value-type"), "string")
        value = cell.get(named("office:value"), "")
        for _ in range(repeated):
            column = len(texts)
            if kind in TYPES or (kind == "float" and not re.fullmatch(r"\d+(\.0+)?", value)):
                problems[column] = f"{TYPES.get(kind, 'a number')}, not text: {AS_TEXT}"
            down, right = (
                int(cell.get(named(f"table:number-{way}-spanned"), "1"))
                for way in ("rows", "columns")
            )
            if (down, right) != (1, 1):
                spans[column] = (down, right)
            texts.append(text)
    return texts, problems, spans


def text_of(paragraph: ElementTree.Element) -> str:
    """The text of a paragraph, in which several spaces, tabs and line breaks are elements."""
    return "".join(pieces(paragraph))


def pieces(element: ElementTree.Element) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if child.tag == named("text:s"):
            yield " " * int(child.get(named("text:c"), "1"))
        elif child.tag == named("text:tab"):
            yield "\t"
        elif child.tag == named("text:line-break"):
            yield "\n"
        elif child.tag != named("office:annotation"):
            yield from pieces(child)
        yield child.tail or ""


def write_opendocument(
    rows: Sequence[Sequence[str]], sheet: str, marked: Collection[tuple[int, int]]
) -> bytes:
    """A document with one sheet, all of whose cells are text; `marked` ones have a colour."""
    spaces = " ".join(f'xmlns:{name}="{uri}"' for name, uri in SPACES.items())
    lines = "".join(
        "<table:table-row>"
        + "".join(cell(text, (number, column) in marked) for column, text in enumerate(row))
        + "</table:table-row>"
        for number, row in enumerate(rows)
    )
    style = (
        '<style:style style:name="marked" style:family="table-cell">'
        '<style:table-cell-properties xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:'
        f'xsl-fo-compatible:1.0" fo:background-color="#{MARK}"/></style:style>'
    )
    content = (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document-content {spaces} '
        f'office:version="1.2"><office:automatic-styles>{style}</office:automatic-styles>'
        f"<office:body><office:spreadsheet><table:table table:name={quoteattr(sheet or 'Sheet1')}>"
        f"{lines}</table:table></office:spreadsheet></office:body></office:document-content>"
    )
    manifest_space = "urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"
    entries = "".join(
        f'<manifest:file-entry manifest:full-path="{name}" manifest:media-type="{kind}"/>'
        for name, kind in (("/", TYPE), ("content.xml", "text/xml"))
    )
    manifest = (
        f'<?xml version="1.0" encoding="UTF-8"?><manifest:manifest '
        f'xmlns:manifest="{manifest_space}" manifest:version="1.2">{entries}</manifest:manifest>'
    )
    file = io.BytesIO()
    with ZipFile(file, "w") as archive:
        archive.writestr("mimetype", TYPE, ZIP_STORED)  # first and not compressed, as it says
        archive.writestr("META-INF/manifest.xml", manifest, ZIP_DEFLATED)
        archive.writestr("content.xml", content, ZIP_DEFLATED)
    return file.getvalue()


def cell(text: str, is_marked: bool) -> str:
    """One cell; white space that XML would lose becomes elements."""
    if re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]", text):
        raise DataError(f"a cell with a control character: {text!r:.60}", path="ods")
    style = ' table:style-name="marked"' if is_marked else ""
    if not text:
        return f"<table:table-cell{style}/>"
    body = "".join(f"<text:p>{spaced(escape(line))}</text:p>" for line in re.split(r"\n", text))
    return f'<table:table-cell office:value-type="string"{style}>{body}</table:table-cell>'


def spaced(text: str) -> str:
    """Runs of spaces, spaces at the ends, tabs and carriage returns as elements."""
    text = re.sub(r"^ +| +$| {2,}", lambda run: f'<text:s text:c="{len(run[0])}"/>', text)
    return text.replace("\t", "<text:tab/>").replace("\r", "&#13;")
