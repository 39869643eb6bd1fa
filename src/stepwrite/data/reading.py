"""Opening the files that users have: plain ones as a stream, all others as tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path

from stepwrite.data.columns import Headings, understand
from stepwrite.data.delimited import MARKS, has_quotes, unmarked_utf16
from stepwrite.data.examples import (
    HEAD_ROWS,
    ExampleFile,
    OnBad,
    Row,
    RowError,
    name_of,
    numbered,
    open_examples,
    raw_lines,
)
from stepwrite.data.layouts import Layout
from stepwrite.data.sheets import Sheet, SheetCell
from stepwrite.data.tables import Table, TableRow, TableStyle, table_of
from stepwrite.errors import DataError

BINARY = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"%PDF")


@dataclass
class SheetFile(ExampleFile):
    """A file of examples that was read as a table, whose columns were understood.

    Its layout is that of the examples, whatever the columns of the table were.
    """

    sheet: Sheet | None = None

    def checked(self) -> Iterator[Row | RowError]:
        assert self.sheet is not None
        for cell in self.sheet.checked():
            if isinstance(cell, SheetCell) and not cell.example.form:
                if self.sheet.is_wide:
                    continue  # a cell to be filled
                if self.needs_form:
                    yield RowError("an empty form", "empty form", path=self.path, line=cell.line)
                    continue
            yield Row(cell.line, cell.example, ()) if isinstance(cell, SheetCell) else cell

    def summary(self) -> list[str]:
        """What was understood, in three lines."""
        assert self.sheet is not None
        return self.sheet.summary()


def open_file(
    path: str | Path,
    layout: Layout | None = None,
    *,
    sheet: str | None = None,
    needs_form: bool = False,
    allow_extra: bool = False,
    on_bad: OnBad | None = None,
) -> ExampleFile:
    """Open a file of examples of any kind (`-` is stdin); see `open_examples`.

    sheet: the name of the sheet to read, for a workbook that has several.
    """
    name, lines = name_of(path), raw_lines(path)
    head = list(islice(lines, HEAD_ROWS))
    lines = chain(head, lines)
    if sheet is None and is_plain(head, layout):
        return open_examples(
            path,
            layout,
            needs_form=needs_form,
            allow_extra=allow_extra,
            on_bad=on_bad,
            lines=numbered(lines),
        )
    understood = understand(table_of(b"".join(lines), name, sheet), layout)
    columns = understood.layout.columns
    held = [c for c in ("lemma", "features", "form") if c in columns or "cell" in columns]
    if needs_form and "form" not in held:
        raise DataError("forms are needed, but there is no column of forms", path=name)
    return SheetFile(
        path=name,
        layout=Layout("table", tuple(held), understood.layout.form_spaced),
        lines=iter(()),
        needs_form=needs_form,
        on_bad=on_bad,
        sheet=understood,
    )


def is_plain(head: Sequence[bytes], layout: Layout | None) -> bool:
    """Whether a file that starts with these lines is tab-separated UTF-8 without headings.

    >>> is_plain([b"Haus\\tN;PL\\n"], None)
    True
    >>> is_plain([b"lemma\\tfeatures\\n", b"Haus\\tN;PL\\n"], None)
    False
    """
    data = b"".join(head)
    encoded = any(data.startswith(mark) for mark, name in MARKS if name != "utf-8-sig")
    if encoded or data.startswith(BINARY) or unmarked_utf16(data):
        return False
    if layout is not None and layout.needs_table:
        return False
    if b"\n" not in data and b"\r" in data.rstrip():
        return False  # lines end in \r alone
    texts = [line.decode(errors="replace") for _, line in numbered(head) if line.strip()]
    if not texts:
        return True
    if 2 * sum("\t" in text for text in texts) < len(texts):
        one_column = layout is not None and len(layout.columns) == 1
        return one_column or not any(";" in text or "," in text for text in texts)
    if has_quotes(texts):
        return False
    rows = [text.split("\t") for text in texts]
    width = max(map(len, rows))
    table = Table(
        "",
        tuple(TableRow(0, (*row, *[""] * (width - len(row)))) for row in rows),
        TableStyle(),
    )
    headings = Headings.of(table)
    if layout is not None:
        return not headings.named
    return not headings.found and not (headings.unknown and len(rows) > 2)
