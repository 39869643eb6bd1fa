"""Options that several commands share."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from stepwrite.data.examples import LAYOUTS, ExampleFile, Examples, Layout, RowError, name_of
from stepwrite.data.reading import SheetFile, open_file
from stepwrite.data.segmentation import Segmentation, Spaced
from stepwrite.errors import DataError, require

SHOWN_LINES = 3


@dataclass
class Skipped:
    """The skipped rows of one file: their line numbers by reason."""

    file: ExampleFile
    lines: dict[str, list[int | None]] = field(default_factory=dict)

    def __str__(self) -> str:
        n_bad = sum(map(len, self.lines.values()))
        reasons = "; ".join(
            f"{len(lines)} with {reason} (line {', '.join(map(str, lines[:SHOWN_LINES]))}"
            f"{', ...' if len(lines) > SHOWN_LINES else ''})"
            for reason, lines in self.lines.items()
        )
        return f"{self.file.path}: skipped {n_bad} of {self.file.n_rows} rows: {reasons}"


@dataclass
class ReadingOptions:
    """The user's options about the files to read."""

    layout: Layout | None = None
    spaced: Spaced | None = None
    skip_bad: bool = False
    sheet: str | None = None
    skipped: list[Skipped] = field(default_factory=list, repr=False)

    def open(
        self,
        path: str | Path,
        *,
        layout: Layout | None = None,
        needs_form: bool = False,
        allow_extra: bool = False,
    ) -> ExampleFile:
        """Open a file and report on stderr what was detected.

        `layout` is for a file that must have the layout of another one read before it. A table
        that is opened again is understood as before, and not described again.
        """
        again = name_of(path) in (
            s.file.path for s in self.skipped if isinstance(s.file, SheetFile)
        )
        bad: dict[str, list[int | None]] = {}

        def on_bad(error: DataError) -> None:
            reason = error.reason if isinstance(error, RowError) else error.problem
            bad.setdefault(reason, []).append(error.line)

        file = open_file(
            path,
            self.layout if again else layout or self.layout,
            sheet=self.sheet,
            needs_form=needs_form,
            allow_extra=allow_extra,
            on_bad=on_bad if self.skip_bad else None,
        )
        self.skipped.append(Skipped(file, bad))
        if isinstance(file, SheetFile) and not again:
            click.echo("\n".join(file.summary()), err=True)
        elif file.detected:
            click.echo(f"{file.path}: layout {file.layout}", err=True)
        return file

    def read(self, path: str | Path, *, needs_form: bool = False) -> Examples:
        """All examples of a file that can be used."""
        file = self.open(path, needs_form=needs_form)
        return Examples(file, click.format_filename(str(path)), file.layout)

    def segmentation(self, layout: Layout) -> Segmentation:
        """How words are split into symbols: by the user's option, or else by the layout."""
        return Segmentation.of(self.spaced, layout)

    def report_skipped(self) -> None:
        """Report on stderr, once the files are read, which rows were skipped and why."""
        for skipped in self.skipped:
            if skipped.lines:
                click.echo(str(skipped), err=True)


lexicon_option = click.option(
    "--lexicon",
    type=click.Choice(["prefer", "flag", "off"]),
    help="prefer: return attested forms; flag: mark them; off: ignore the lexicon "
    "[default: prefer for models that ship, flag for others that have a lexicon].",
)

any_script_option = click.option(
    "--any-script", is_flag=True, help="Also inflect words in a script that the model never saw."
)

unknown_features_option = click.option(
    "--unknown-features",
    type=click.Choice(["refuse", "ignore"]),
    default="refuse",
    show_default=True,
    help="Features that the model does not know, and cells that its language does not have: end "
    "with an error and the nearest cell that exists, or ignore them.",
)


def check_plot(_: click.Context, __: click.Parameter, path: Path | None) -> Path | None:
    """Reject what cannot be drawn before any work is done."""
    if path is not None and path.suffix.lower() not in (".svg", ".png", ".pdf"):
        raise click.BadParameter("the file name must end in .svg, .png or .pdf")
    if path is not None:
        require("matplotlib", extra="analyse", purpose="drawing")
    return path


plot_option = click.option(
    "--plot",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    callback=check_plot,
    help="Also draw the attended positions (.svg, .png or .pdf).",
)


def executor_options(text: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add the options about where the work is done; `text` explains --executor."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        command = click.option(
            "--address", help="Address of the Ray cluster, for example auto or HOST:6379."
        )(command)
        return click.option(
            "--executor",
            type=click.Choice(["local", "ray"]),
            default="local",
            show_default=True,
            help=text,
        )(command)

    return add


def reading_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options about input files to a command, which gets them as `reading`."""

    @click.option(
        "--layout",
        type=click.Choice(list(LAYOUTS)),
        help="Column layout by name; detected if neither this nor --columns is given.",
    )
    @click.option(
        "--columns",
        metavar="LIST",
        help="Columns in order: lemma, features, form, cell (forms whose features are the "
        "heading), or _ to ignore one; for example lemma,_,form.",
    )
    @click.option(
        "--sheet", metavar="NAME", help="The sheet to read, for workbooks that have several."
    )
    @click.option(
        "--spaced",
        type=click.Choice(["lemma", "form", "both", "none"]),
        help="Columns whose symbols are separated by spaces instead of being single characters "
        "[default: form for the layout g2p, else none].",
    )
    @click.option("--skip-bad", is_flag=True, help="Skip and report bad rows instead of stopping.")
    @functools.wraps(command)
    def with_reading(
        *args: Any,
        layout: str | None,
        columns: str | None,
        sheet: str | None,
        spaced: Spaced | None,
        skip_bad: bool,
        **options: Any,
    ) -> Any:
        reading = ReadingOptions(chosen_layout(layout, columns), spaced, skip_bad, sheet)
        return command(*args, reading=reading, **options)

    return with_reading


def chosen_layout(name: str | None, columns: str | None) -> Layout | None:
    """The layout given by the options, if any."""
    if columns is None:
        return LAYOUTS[name] if name else None
    if name:
        raise click.UsageError("--layout and --columns are mutually exclusive")
    try:
        return Layout("columns", tuple(column.strip() for column in columns.split(",")))
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--columns") from None
