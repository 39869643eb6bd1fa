"""Files are written atomically, and errors name them."""

from __future__ import annotations

import errno
import os
import stat
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from stepwrite.errors import DataError, StepwriteError
from stepwrite.files import held, sweep, write_whole


def write(path: Path, text: str = "row\n", failure: BaseException | None = None) -> None:
    with write_whole(path) as file:
        file.write(text)
        if failure:
            raise failure


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_nothing_is_seen_before_the_end(tmp_path: Path) -> None:
    path = tmp_path / "out.tsv"
    path.write_text("old")
    with write_whole(path) as file:
        file.write("new\r\nä\n")
        assert path.read_text() == "old"
    assert path.read_bytes() == "new\r\nä\n".encode()
    assert names(tmp_path) == ["out.tsv"]


@pytest.mark.parametrize("failure", [ValueError(), KeyboardInterrupt()])
def test_an_error_in_the_block_leaves_everything_as_it_was(
    tmp_path: Path, failure: BaseException
) -> None:
    path = tmp_path / "out.tsv"
    path.write_text("old")
    with pytest.raises(type(failure)):
        write(path, failure=failure)
    assert path.read_text() == "old"
    assert names(tmp_path) == ["out.tsv"]


def test_permissions_are_those_of_any_new_file(tmp_path: Path) -> None:
    old = os.umask(0o027)
    try:
        write(tmp_path / "out.tsv")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "out.tsv").stat().st_mode) == 0o640


NO_SPACE = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_disk_full_in_the_block(tmp_path: Path) -> None:
    path = tmp_path / "out.tsv"
    with pytest.raises(DataError) as caught:
        write(path, failure=NO_SPACE)
    assert str(caught.value) == f"{path}: can't be written: No space left on device"
    assert names(tmp_path) == []


def test_disk_full_at_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_space(handle: int) -> None:
        raise NO_SPACE

    monkeypatch.setattr(os, "fsync", no_space)
    with pytest.raises(DataError, match="No space left on device"):
        write(tmp_path / "out.tsv")
    assert names(tmp_path) == []


def test_folder_in_the_place_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    with pytest.raises(DataError, match=r"out: can't be written: Is a directory"):
        write(tmp_path / "out")
    assert names(tmp_path) == ["out"]


def test_missing_folder(tmp_path: Path) -> None:
    path = tmp_path / "no" / "out.tsv"
    with pytest.raises(DataError, match=r"no/out\.tsv: can't be written: No such file"):
        write(path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_forbidden_folder(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(DataError, match="Permission denied"):
            write(tmp_path / "out.tsv")
    finally:
        tmp_path.chmod(0o700)


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "out.tsv")
    write(link)
    assert link.is_symlink()
    assert (tmp_path / "out.tsv").read_text() == "row\n"


def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write(pipe)
        assert os.read(reader, 100) == b"row\n"
    finally:
        os.close(reader)
    assert pipe.is_fifo()
    assert names(tmp_path) == ["pipe"]


class Windows:
    """What `msvcrt` does: a region of a file belongs to the handle that locked it."""

    def __init__(self) -> None:
        self.locked: set[tuple[int, int]] = set()

    def locking(self, handle: int, mode: str, n_bytes: int) -> None:
        entry = os.fstat(handle)
        region = (entry.st_dev, entry.st_ino)
        if mode == "lock" and region in self.locked:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        self.locked ^= {region}


@pytest.fixture(params=["this system", "Windows"])
def system(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "Windows":
        msvcrt = SimpleNamespace(LK_NBLCK="lock", LK_UNLCK="unlock", locking=Windows().locking)
        monkeypatch.setitem(sys.modules, "fcntl", None)
        monkeypatch.setitem(sys.modules, "msvcrt", msvcrt)


@pytest.mark.usefixtures("system")
def test_a_folder_is_held_by_one_at_a_time(tmp_path: Path) -> None:
    folder, other = tmp_path / "runs" / "one", tmp_path / "runs" / "two"
    for _ in range(2):
        with held(folder), held(other):
            assert names(folder) == []
            with pytest.raises(StepwriteError, match="one: another process is using it"):
                held(folder).__enter__()
    assert names(tmp_path / "runs") == ["one", "two"]


@pytest.mark.usefixtures("system")
def test_a_file_in_the_place_of_the_folder_is_not_held(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(DataError, match=r"file: can't be created: File exists"):
        held(tmp_path / "file").__enter__()


def test_a_failure_leaves_no_new_empty_folders(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    with pytest.raises(ValueError, match="in the block"), held(tmp_path / "old" / "new" / "deep"):
        raise ValueError("in the block")
    assert names(tmp_path) == ["old"]
    assert names(tmp_path / "old") == []
    with pytest.raises(ValueError, match="in the block"), held(tmp_path / "new"):
        write(tmp_path / "new" / "kept", failure=ValueError("in the block"))
    assert names(tmp_path) == ["old"]
    with pytest.raises(DataError, match="folder/kept"), held(tmp_path / "folder"):  # noqa: PT012
        write(tmp_path / "folder" / "out.tsv")
        write(tmp_path / "folder" / "kept" / "no folder")
    assert names(tmp_path / "folder") == ["out.tsv"]


def test_a_folder_that_was_made_again_is_not_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between opening and locking it, another process may have removed and remade it."""
    fcntl = pytest.importorskip("fcntl")
    folder = tmp_path / "folder"
    flock = fcntl.flock

    def late(*arguments: int) -> None:
        flock(*arguments)
        folder.rename(tmp_path / "removed")
        folder.mkdir()

    monkeypatch.setattr(fcntl, "flock", late)
    with pytest.raises(StepwriteError, match="another process is using it"):
        held(folder).__enter__()


def test_names_are_on_the_disk_before_anything_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The content before the rename, the folder after it."""
    calls: list[str] = []
    fsync, replace = os.fsync, Path.replace

    def synced(handle: int) -> None:
        calls.append("folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file")
        fsync(handle)

    def replaced(path: Path, target: Path) -> Path:
        calls.append("rename")
        return replace(path, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(Path, "replace", replaced)
    write(tmp_path / "out.tsv")
    assert calls == ["file", "rename", "folder"]


def test_only_what_was_not_finished_is_swept(tmp_path: Path) -> None:
    for name in (".out.tsv.abcd0_12", ".hidden", "out.tsv", ".out.TSV.ABCDEFGH"):
        write(tmp_path / name)
    (tmp_path / ".training.abcdefgh").mkdir()
    write(tmp_path / ".training.abcdefgh" / "plan.json")
    sweep(tmp_path)
    assert names(tmp_path) == [".hidden", ".out.TSV.ABCDEFGH", "out.tsv"]
    sweep(tmp_path / "absent")
