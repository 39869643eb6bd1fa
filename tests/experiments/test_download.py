"""Downloads from a server with faults: a file is complete and correct, or absent."""

from __future__ import annotations

import hashlib
import itertools
import random
import resource
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.mirror import Mirror

from stepwrite.errors import DataError, StepwriteError
from stepwrite.experiments.definition import DataFile
from stepwrite.experiments.download import PIECE_SIZE, download
from stepwrite.files import held

CONTENT = random.Random(1).randbytes(3 * PIECE_SIZE + 1001)
HALF = len(CONTENT) // 2
FILE = DataFile("folder/words", hashlib.sha256(CONTENT).hexdigest())
AT_ONCE = (0.0, 0.0, 0.0)


@pytest.fixture
def mirror() -> Iterator[Mirror]:
    with Mirror({FILE.path: CONTENT}) as server:
        yield server


def get(mirror: Mirror, folder: Path) -> None:
    download(FILE, folder, mirror.url, waits=AT_ONCE)


def content_of(folder: Path) -> dict[str, bytes]:
    """All files, so that nothing left behind is overlooked."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def leave_part(folder: Path, content: bytes) -> None:
    (folder / "folder").mkdir()
    (folder / "folder" / "words.part").write_bytes(content)


RIGHT = {"folder/words": CONTENT}


TRANSIENT = [("broken", 500), ("broken", 503), ("broken", 429), ("", "rangeless", "sizeless")]


@pytest.mark.parametrize("faults", list(itertools.product(*TRANSIENT)))
def test_faults_that_pass(mirror: Mirror, tmp_path: Path, faults: tuple[str | int, ...]) -> None:
    mirror.faults = list(faults)
    get(mirror, tmp_path)
    assert content_of(tmp_path) == RIGHT


def test_a_broken_transfer_goes_on_where_it_was(mirror: Mirror, tmp_path: Path) -> None:
    mirror.faults = ["broken", 500]
    get(mirror, tmp_path)
    assert [asked for _, asked in mirror.asked] == [None, f"bytes={HALF}-", f"bytes={HALF}-"]
    assert content_of(tmp_path) == RIGHT


def test_faults_that_last(mirror: Mirror, tmp_path: Path) -> None:
    mirror.faults = [500] * 10
    with pytest.raises(StepwriteError, match=rf"{FILE.path}: HTTP 500 .* \(4 attempts\)"):
        get(mirror, tmp_path)
    assert len(mirror.asked) == 4
    assert content_of(tmp_path) == {}


def test_the_next_run_goes_on(mirror: Mirror, tmp_path: Path) -> None:
    mirror.faults = ["broken", 500, 500, 500]
    with pytest.raises(StepwriteError):
        get(mirror, tmp_path)
    assert content_of(tmp_path) == {"folder/words.part": CONTENT[:HALF]}
    get(mirror, tmp_path)
    assert mirror.asked[4:] == [("/folder/words", f"bytes={HALF}-")]
    assert content_of(tmp_path) == RIGHT


@pytest.mark.parametrize(
    ("part", "n_requests"),
    [
        (CONTENT, 1),
        (CONTENT[:1], 1),
        (CONTENT + b"more", 2),
        (b"x" * HALF, 2),
        (b"x" * len(CONTENT), 2),
    ],
    ids=["whole", "begun", "too long", "wrong", "wrong and whole"],
)
def test_what_an_earlier_run_left(
    mirror: Mirror, tmp_path: Path, part: bytes, n_requests: int
) -> None:
    leave_part(tmp_path, part)
    get(mirror, tmp_path)
    assert content_of(tmp_path) == RIGHT
    assert len(mirror.asked) == n_requests


def test_a_server_without_ranges_begins_anew(mirror: Mirror, tmp_path: Path) -> None:
    leave_part(tmp_path, CONTENT + b"more")
    mirror.faults = ["rangeless"]
    get(mirror, tmp_path)
    assert content_of(tmp_path) == RIGHT
    assert len(mirror.asked) == 1


def test_wrong_bytes_are_not_kept(mirror: Mirror, tmp_path: Path) -> None:
    mirror.faults = ["wrong"]
    with pytest.raises(
        DataError, match=f"{mirror.url}/{FILE.path}: wrong checksum: .*{FILE.sha256}"
    ):
        get(mirror, tmp_path)
    assert content_of(tmp_path) == {}


def test_wrong_bytes_after_a_resumption(mirror: Mirror, tmp_path: Path) -> None:
    leave_part(tmp_path, CONTENT[:HALF])
    mirror.faults = ["wrong", "wrong"]
    with pytest.raises(DataError, match="wrong checksum"):
        get(mirror, tmp_path)
    assert content_of(tmp_path) == {}


def test_a_wrong_file_is_replaced(mirror: Mirror, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / FILE.path).write_bytes(b"altered")
    get(mirror, tmp_path)
    assert content_of(tmp_path) == RIGHT


def test_what_is_not_there_is_not_asked_for_twice(mirror: Mirror, tmp_path: Path) -> None:
    mirror.files.clear()
    with pytest.raises(StepwriteError, match=f"{mirror.url}/{FILE.path}: HTTP 404 Not Found$"):
        get(mirror, tmp_path)
    assert len(mirror.asked) == 1
    assert content_of(tmp_path) == {}


def test_nobody_there(tmp_path: Path) -> None:
    with socket.socket() as taken:  # bound, but not listening
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(StepwriteError, match="no connection: Connection refused"):
            download(FILE, tmp_path, url, waits=AT_ONCE)
    assert content_of(tmp_path) == {}


@pytest.mark.parametrize("url", ["", "file:///etc/passwd", "words"])
def test_addresses_outside_the_web(tmp_path: Path, url: str) -> None:
    with pytest.raises(StepwriteError, match=r"folder/words: .* is not an http"):
        download(DataFile(FILE.path, FILE.sha256, url), tmp_path)


def test_disk_that_takes_no_more(mirror: Mirror, tmp_path: Path) -> None:
    """A file size limit makes a write fail just like a full disk."""
    _, hard = limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2 * PIECE_SIZE, hard))
    try:
        with pytest.raises(DataError, match=f"{FILE.path}: can't be written: File too large"):
            get(mirror, tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert FILE.path not in content_of(tmp_path)
    get(mirror, tmp_path)
    assert content_of(tmp_path) == RIGHT


def test_folder_that_can_not_be_made(mirror: Mirror, tmp_path: Path) -> None:
    (tmp_path / "folder").write_text("a file")
    with pytest.raises(DataError, match=f"{FILE.path}: can't be written: File exists"):
        get(mirror, tmp_path)
    with (
        pytest.raises(DataError, match="folder/sub: can't be created: "),
        held(tmp_path / "folder/sub"),
    ):
        pass


def test_progress(mirror: Mirror, tmp_path: Path) -> None:
    mirror.faults = ["broken"]
    reports: list[tuple[int, int]] = []
    download(FILE, tmp_path, mirror.url, lambda *report: reports.append(report), AT_ONCE)
    assert [done for done, _ in reports] == sorted({done for done, _ in reports})
    assert reports[-1] == (len(CONTENT), len(CONTENT))
    assert {size for _, size in reports} == {len(CONTENT)}


def test_one_download_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    with held(folder):
        with pytest.raises(StepwriteError, match="data: another process"), held(folder):
            pass
        with held(tmp_path / "other"):
            pass
    with held(folder):
        pass
    assert list(folder.iterdir()) == []
