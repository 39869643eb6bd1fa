"""`stepwrite inflect --file`: any number of rows, in constant memory."""

from __future__ import annotations

import shlex
import sys
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stepwrite.bulk.chunks import Executor, Request, origin_of
from stepwrite.bulk.output import Output, is_complete, open_output
from stepwrite.bulk.rows import checked_rows
from stepwrite.cli.messages import say
from stepwrite.cli.options import ReadingOptions
from stepwrite.cli.progress import stoppable
from stepwrite.data.compressed import compressor
from stepwrite.terminal import progress_bar

if TYPE_CHECKING:
    from stepwrite.inflector import Inflector


def executor_of(name: str, jobs: int, address: str | None) -> Executor:
    if name == "ray":
        from stepwrite.bulk.cluster import inflect_on_cluster

        return partial(inflect_on_cluster, address=address)
    from stepwrite.bulk.processes import inflect_here

    return partial(inflect_here, jobs=jobs)


def inflect_file(
    inflector: Inflector,
    reading: ReadingOptions,
    file: str,
    wanted: dict[str, Any],
    executor: Executor,
    out: Path | None,
    *,
    resume: bool,
) -> None:
    """Check all rows of a file, then write what is wanted of each: fields of `Request`."""
    if out and resume and is_complete(out):
        say(f"{out}: already complete")
        return
    compressor(out or "")  # a missing package is reported before the work
    with ExitStack() as stack:
        with progress_bar("checking") as progress:
            checking = checked_rows(
                file,
                lambda layout: reading.open(file, layout=layout),
                lambda example: inflector.resolve(example.lemma, example.features),
                progress,
            )
            rows = stack.enter_context(checking)
        reading.report_skipped()
        request = Request(rows.layout, file=str(out or ""), **wanted)
        output: Output | None = None
        if out:
            again = [] if resume else ["--resume"]
            stack.enter_context(stoppable(shlex.join(["stepwrite", *sys.argv[1:], *again])))
            origin = origin_of(inflector, request, rows.n_rows)
            output = stack.enter_context(open_output(out, origin, resume=resume))
        n_done = output.n_rows if output else 0
        progress = stack.enter_context(progress_bar("inflecting"))
        work = stack.enter_context(closing(executor(inflector, request, rows.chunks(n_done))))
        told: set[str] = set()
        for done in work:
            for message in (*(w for w in done.warnings if w not in told), *done.notes):
                say(message)
            told.update(done.warnings)
            if output:
                output.append(done.content, done.n_rows)
            else:
                sys.stdout.buffer.write(done.content)
            n_done += done.n_rows
            progress(n_done, rows.n_rows)
