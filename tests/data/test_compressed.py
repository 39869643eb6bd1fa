"""Compressed files: read as they were written, in parts; damage is always noticed."""

from __future__ import annotations

from pathlib import Path

import pytest

from stepwrite import read
from stepwrite.data.compressed import PIECE, compressor, open_binary
from stepwrite.errors import DataError

NAMES = ["words.tsv", "words.tsv.gz", "words.TSV.ZST"]


@pytest.fixture(autouse=True)
def zstandard() -> None:
    pytest.importorskip("zstandard")


@pytest.mark.parametrize("name", NAMES)
def test_parts_are_read_as_one_file(tmp_path: Path, name: str) -> None:
    parts = [b"a\tN\tb\n", b"", b"".join(b"%d\tN\tx\n" % n for n in range(PIECE)), b"c\tN\td\n"]
    path = tmp_path / name
    path.write_bytes(b"".join(map(compressor(path), parts)))
    with open_binary(path) as file:
        assert file.read() == b"".join(parts)
    assert [row.lemma for row in read(path, layout="sigmorphon2016")][-2:] == [str(PIECE - 1), "c"]
    assert (path.stat().st_size < len(b"".join(parts)) / 2) == (name != NAMES[0])


@pytest.mark.parametrize("name", NAMES[1:])
def test_damage_is_noticed(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    whole = compressor(path)(b"a\tN\tb\n" * 100) + compressor(path)(b"c\tN\td\n" * 100)
    cuts = [whole[:size] for size in range(1, len(whole)) if size != len(whole) // 2]
    for content in (b"a\tN\tb\n", whole + b"more", *cuts):
        path.write_bytes(content)
        with pytest.raises(DataError, match="damaged, cut short or not a"):
            read(path, layout="sigmorphon2016")
    path.write_bytes(whole)
    assert len(read(path, layout="sigmorphon2016")) == 200
