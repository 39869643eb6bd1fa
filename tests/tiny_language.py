"""A declaration for tests of the data of languages."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "scripts"))

from language_build.declaration import Language, Source

TINY = Language(
    iso="xyz",
    name="Tiny",
    native="tiny",
    package="stepwrite",
    licence="CC0",
    scripts=("LATIN",),
    sources=(Source("unimorph", "here", "CC0"),),
)
