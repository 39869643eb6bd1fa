"""An output that is interrupted anywhere ends with the same bytes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from stepwrite.bulk.output import is_complete, journal_of, open_output, part_of
from stepwrite.errors import StepwriteError

ORIGIN = {"model": "abc", "rows": 5}
PIECES = [b"one\n", b"two\n", b"three\n", b"four\n", b"five\n"]


class Killed(BaseException):
    pass


def write(path: Path, until: int | None = None, *, resume: bool = True, **origin: object) -> None:
    """All pieces, or up to one where the process is killed."""
    with open_output(path, {**ORIGIN, **origin}, resume=resume) as output:
        for number, piece in enumerate(PIECES[output.n_rows :], output.n_rows):
            if number == until:
                raise Killed
            output.append(piece, 1)


@pytest.mark.parametrize("at", range(5))
@pytest.mark.parametrize("left", [b"", b"thr", b"garbage" * 1000])
def test_resumed(tmp_path: Path, at: int, left: bytes) -> None:
    path = tmp_path / "out.tsv"
    with pytest.raises(Killed):
        write(path, at)
    assert not path.exists()
    assert not is_complete(path)
    if at:  # a piece that was on its way when the machine died
        part_of(path).write_bytes(part_of(path).read_bytes() + left)
        with pytest.raises(Killed):
            write(path, at + 1 if at < 4 else 4)
    write(path)
    assert path.read_bytes() == b"".join(PIECES)
    assert is_complete(path)
    assert list(tmp_path.iterdir()) == [path]


def test_nothing_is_lost_by_a_second_start(tmp_path: Path) -> None:
    path = tmp_path / "out.tsv"
    path.write_text("earlier")
    with pytest.raises(Killed):
        write(path, 2)
    with pytest.raises(StepwriteError, match=r"out\.tsv\.part: an earlier run was interrupted"):
        write(path, resume=False)
    assert part_of(path).read_bytes() == b"one\ntwo\n"
    assert path.read_text() == "earlier"
    write(path)
    assert path.read_bytes() == b"".join(PIECES)


def test_what_cannot_be_resumed(tmp_path: Path) -> None:
    path = tmp_path / "out.tsv"
    with pytest.raises(Killed):
        write(path, 3)
    with pytest.raises(StepwriteError, match="made with another model, rows: delete it and"):
        write(path, model="other", rows=6)
    journal = journal_of(path)
    whole = journal.read_text()
    for bad in (whole[:-1], "[]", json.dumps({**json.loads(whole), "bytes": 99})):
        journal.write_text(bad)
        with pytest.raises(StepwriteError, match=r"out\.tsv\.part\.json: "):
            write(path)
    part_of(path).unlink()
    with pytest.raises(StepwriteError, match="can't be resumed"):
        write(path)


def test_files_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(StepwriteError, match="can't be written: No such file"):
        write(tmp_path / "absent" / "out.tsv")
    with pytest.raises(StepwriteError, match="not a regular file"):
        write(Path("/dev/null"))
    (tmp_path / "real.tsv").touch()
    (tmp_path / "link.tsv").symlink_to("real.tsv")
    write(tmp_path / "link.tsv")
    assert (tmp_path / "link.tsv").is_symlink()
    assert (tmp_path / "real.tsv").read_bytes() == b"".join(PIECES)
