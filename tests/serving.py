"""A service for tests: untrained models, and the command in a separate process."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from tests.conftest import random_model

from stepwrite.model.directory import Model, save_model
from stepwrite.morphology.cells import Cells
from stepwrite.transducer.vocabulary import END

CELLS = [f"{case};{number}" for case in ("NOM", "DAT") for number in ("SG", "PL")]
BUNDLES = (
    *(f"N;{gender};{cell}" for gender in ("MASC", "FEM") for cell in CELLS),
    *("V;PST", "V;PRS"),
)


def nonsense(*, kind: str = "hard", cells: bool = True) -> Model:
    """A model with random but reproducible weights."""
    model = random_model(
        words=(("haus", "häuser"), ("gehen", "ging")),
        bundles=BUNDLES,
        members=2,
        kind=kind,
        scale=1.0,
        seed=3,
    )
    for weights in model.members:
        weights["output_bias"][END] = -4  # so that forms are not empty
    if not cells:
        return model
    nouns = {f"{start}aus": "MASC" for start in "bdfghklmnp"} | {f"{s}in": "FEM" for s in "bdfghk"}
    rows = [
        (lemma, bundle)
        for lemma, gender in nouns.items()
        for bundle in BUNDLES
        if f";{gender};" in bundle
    ]
    return replace(model, cells=Cells.fit([*rows, ("gehen", "V;PST"), ("sehen", "V;PRS")]))


def save(folder: Path, **models: Model) -> list[str]:
    """Model directories, as arguments of the command."""
    for name, model in models.items():
        save_model(folder / name, model, "", "")
    return [f"{name}={folder / name}" for name in models]


@dataclass(frozen=True)
class Service:
    """A running service."""

    url: str
    process: subprocess.Popen[str]

    @property
    def port(self) -> int:
        return int(self.url.rsplit(":", 1)[1])

    def memory(self) -> int:
        """Resident memory in bytes."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text("ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")


@contextmanager
def running(*arguments: str, files: int | None = None) -> Iterator[Service]:
    """`stepwrite serve` on a free port, until the block ends; files: how many it may open."""
    command = [sys.executable, "-m", "stepwrite", "serve", "--port", "0", *arguments]
    if files is not None:
        command = ["sh", "-c", f'ulimit -n {files}; exec "$@"', "sh", *command]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        said = process.stderr.readline()
        found = re.search(r"http://\S+:\d+", said)
        assert found, said + process.stderr.read()
        yield Service(found[0], process)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        process.wait(timeout=30)
        process.stderr.close()
