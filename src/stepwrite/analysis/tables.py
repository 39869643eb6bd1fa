"""Tables of numbers: as TSV with full precision, as HTML for people."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from stepwrite.evaluation.metrics import Estimate

Cell = str | int | float | Estimate | None


@dataclass(frozen=True)
class Table:
    """Rows under a header; `name` is that of the TSV. Tables too long for the page are not `shown`.

    >>> table = Table("t", ("", "R²"), [("hard", Estimate(0.5, 0.25, 0.75)), ("soft", None)])
    >>> print(table.tsv().replace("\\t", "|"), end="")
    |R²|R² low|R² high
    hard|0.5|0.25|0.75
    soft|||
    >>> "<td>0.500 <small>0.250 to 0.750</small></td>" in table.html()
    True
    """

    name: str
    header: tuple[str, ...]
    rows: Sequence[tuple[Cell, ...]]
    caption: str = ""
    shown: bool = True

    def tsv(self) -> str:
        bounded = [
            any(isinstance(row[k], Estimate) for row in self.rows) for k in range(len(self.header))
        ]
        lines = [
            [
                cell
                for name, wide in zip(self.header, bounded, strict=True)
                for cell in ((name, f"{name} low", f"{name} high") if wide else (name,))
            ]
        ]
        for row in self.rows:
            cells: list[str] = []
            for cell, wide in zip(row, bounded, strict=True):
                if isinstance(cell, Estimate):
                    cells += [plain(cell.value, 6), plain(cell.low, 6), plain(cell.high, 6)]
                else:
                    cells += [plain(cell, 6), "", ""] if wide else [plain(cell, 6)]
            lines.append(cells)
        return "".join("\t".join(line) + "\n" for line in lines)

    def html(self) -> str:
        def html_row(cells: Sequence[Cell], tag: str) -> str:
            return f"<tr>{''.join(f'<{tag}>{shown(cell)}</{tag}>' for cell in cells)}</tr>"

        body = "\n".join(html_row(row, "td") for row in self.rows)
        caption = f"<caption>{escape(self.caption)}</caption>" if self.caption else ""
        head = html_row(self.header, "th")
        return (
            f'<div class="table"><table>{caption}<thead>{head}</thead>\n'
            f"<tbody>{body}</tbody></table></div>"
        )


def plain(cell: str | int | float | None, digits: int) -> str:
    r"""A number with some significant digits; empty for missing values.

    >>> plain(2 / 3, 4), plain(math.nan, 4), plain(4000, 4), plain("a\tb", 4)
    ('0.6667', '', '4000', 'a\\tb')
    """
    if isinstance(cell, float):
        return "" if math.isnan(cell) else f"{cell:.{digits}g}"
    if isinstance(cell, str):
        return cell.replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")
    return "" if cell is None else str(cell)


def rounded(number: float) -> str:
    """A number for people, with enough decimals to distinguish models.

    >>> rounded(88.9132), rounded(-0.03177), rounded(1.885e-09)
    ('88.91', '−0.032', '1.9e-09')
    """
    if math.isnan(number):
        return ""
    if 0 < abs(number) < 0.0005:
        return f"{number:.1e}"
    return f"{number:.{2 if abs(number) >= 10 else 3}f}".replace("-", "−")


def shown(cell: Cell) -> str:
    match cell:
        case str():
            return f"<bdi>{escape(plain(cell, 4))}</bdi>"
        case float():
            return rounded(cell)
        case Estimate(value, low, high):
            bounds = f" <small>{rounded(low)} to {rounded(high)}</small>"
            return rounded(value) + ("" if math.isnan(low) else bounds)
    return plain(cell, 4)


def percent(value: float | Estimate | None) -> float | Estimate | None:
    if isinstance(value, Estimate):
        return Estimate(100 * value.value, 100 * value.low, 100 * value.high)
    return None if value is None else 100 * value
