"""A model directory loads as it was saved, or not at all and with a reason."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import pickle
import shutil
import sys
import tracemalloc
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stepwrite.data.segmentation import Segmentation
from stepwrite.errors import StepwriteError
from stepwrite.inference.network_config import NetworkConfig
from stepwrite.model.about import About, DataFile
from stepwrite.model.directory import (
    FORMAT,
    Model,
    ModelError,
    data_checksum,
    load_model,
    save_model,
)
from stepwrite.model.tensors import load_tensors, save_tensors
from stepwrite.morphology.lexicon import Lexicon

READ = ["config.json", "vocabulary.json", "member-1.safetensors", "member-2.safetensors"]


@pytest.fixture
def folder(random_model: Callable[..., Model], tmp_path: Path) -> Path:
    save_model(tmp_path / "model", random_model(members=2), "history\n", "card\n")
    return tmp_path / "model"


def _ask(lexicon: Lexicon | None) -> None:
    """A lexicon is unpacked when it is first asked."""
    if lexicon is not None:
        len(lexicon)


def complaint(folder: Path) -> str:
    """The one line that loading ends with."""
    with pytest.raises(StepwriteError) as caught:
        _ask(load_model(folder).lexicon)
    message = str(caught.value)
    assert "\n" not in message
    assert str(folder) in message
    return message


def rewrite(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change config.json as a forger would, with the checksum made right again."""
    path = folder / "config.json"
    config = json.loads(path.read_text("utf-8"))
    del config["checksum"]
    change(config)
    text = json.dumps(config, sort_keys=True)
    config["checksum"] = hashlib.sha256(text.encode()).hexdigest()
    path.write_text(json.dumps(config), "utf-8")


def replace_file(folder: Path, name: str, content: bytes) -> None:
    """Put other content into a file, with a checksum that says it belongs there."""
    (folder / name).write_bytes(content)
    digest = hashlib.sha256(content).hexdigest()
    rewrite(folder, lambda config: config["sha256"].update({name: digest}))


@pytest.mark.parametrize("cell", ["lstm", "peephole"])
@pytest.mark.parametrize("members", [1, 3])
def test_round_trip(
    random_model: Callable[..., Model], tmp_path: Path, cell: str, members: int
) -> None:
    model = random_model(
        cell=cell, layers=2, members=members, segmentation=Segmentation(form_spaced=True)
    )
    about = About({"train": DataFile("Wörter.tsv", 3, "0" * 12)}, vote_dev_accuracy=0.1 + 0.2)
    model = replace(model, about=about)
    save_model(tmp_path, model, "history\n", "card\n")
    loaded = load_model(str(tmp_path))
    assert (loaded.network, loaded.vocabulary) == (model.network, model.vocabulary)
    assert (loaded.segmentation, loaded.about) == (model.segmentation, model.about)
    assert len(loaded.members) == members
    for ours, theirs in zip(model.members, loaded.members, strict=True):
        assert ours.keys() == theirs.keys()
        for name, array in ours.items():
            assert theirs[name].dtype == np.float32
            assert theirs[name].tobytes() == array.tobytes()
    assert (tmp_path / "history.tsv").read_text() == "history\n"
    assert (tmp_path / "README.md").read_text() == "card\n"


def test_saving_twice_gives_the_same_bytes(
    random_model: Callable[..., Model], tmp_path: Path
) -> None:
    for name in ("a", "b"):
        save_model(tmp_path / name, random_model(), "", "")
    for file in (tmp_path / "a").iterdir():
        assert file.read_bytes() == (tmp_path / "b" / file.name).read_bytes()


@pytest.mark.parametrize("name", READ)
@pytest.mark.parametrize("share", [0, 0.001, 0.3, 0.5, 0.99, -1])
def test_cut_short(folder: Path, name: str, share: float) -> None:
    content = (folder / name).read_bytes()
    kept = content.rstrip()[:-1] if share == -1 else content[: int(share * len(content))]
    (folder / name).write_bytes(kept)
    message = complaint(folder)
    assert name in message
    assert "cut short or altered" in message


@pytest.mark.parametrize("name", READ)
def test_one_byte_changed(folder: Path, name: str) -> None:
    """Anywhere in the file; white space between JSON's tokens alone means nothing."""
    content = (folder / name).read_bytes()
    random = np.random.default_rng(0)
    for place in random.integers(0, len(content), 60).tolist():
        changed = bytearray(content)
        changed[place] ^= int(random.integers(1, 256))
        (folder / name).write_bytes(changed)
        if name == "config.json" and same_json(bytes(changed), content):
            continue
        assert name in complaint(folder)
    (folder / name).write_bytes(content)
    load_model(folder)


def same_json(one: bytes, other: bytes) -> bool:
    try:
        return bool(json.loads(one) == json.loads(other))
    except ValueError:
        return False


@pytest.mark.parametrize("name", READ)
@pytest.mark.parametrize("instead", ["nothing", "a folder", "a longer file"])
def test_file_that_is_not_there(folder: Path, name: str, instead: str) -> None:
    path = folder / name
    content = path.read_bytes()
    path.unlink()
    if instead == "a folder":
        path.mkdir()
    elif instead == "a longer file":
        path.write_bytes(content + b"x")
    assert name in complaint(folder)


def test_what_inference_does_not_read_may_go(folder: Path) -> None:
    (folder / "history.tsv").unlink()
    (folder / "README.md").write_text("# My model\n")
    load_model(folder)


def test_not_a_directory(tmp_path: Path) -> None:
    assert complaint(tmp_path / "absent").endswith("no such model directory")
    assert "config.json: can't be read" in complaint(tmp_path)
    file = tmp_path / "file"
    file.write_text("")
    assert "Not a directory" in complaint(file)


def test_training_that_has_not_ended(tmp_path: Path) -> None:
    (tmp_path / "training").mkdir()
    assert complaint(tmp_path).endswith(f"resume with: stepwrite train --resume {tmp_path}")


def test_newer_format(folder: Path) -> None:
    """The checksum may be made in another way by then: the version counts first."""
    config = json.loads((folder / "config.json").read_text("utf-8"))
    config.update({"format": FORMAT + 1, "stepwrite": "7.0", "checksum": {"new": "way"}})
    (folder / "config.json").write_text(json.dumps(config))
    message = complaint(folder)
    assert f"model format {FORMAT + 1}, written by stepwrite 7.0" in message
    assert "upgrade" in message


VALUES = [None, True, -1, 0, 1.5, "two", [], ["lstm"], {}, {"a": 1}, [[1]], 10**30]


@pytest.mark.parametrize("value", VALUES, ids=str)
@pytest.mark.parametrize(
    "path",
    [
        ["format"],
        ["network"],
        *(["network", name] for name in NetworkConfig().to_json()),
        ["segmentation"],
        ["segmentation", "lemma_spaced"],
        ["segmentation", "form_spaced"],
        ["members"],
        ["about"],
        ["about", "data"],
        ["about", "training"],
        ["about", "members"],
        ["sha256"],
        ["sha256", "vocabulary.json"],
        ["sha256", "member-1.safetensors"],
    ],
    ids=".".join,
)
def test_wrong_types_in_the_configuration(folder: Path, path: list[str], value: object) -> None:
    def change(config: dict[str, Any]) -> None:
        for name in path[:-1]:
            config = config[name]
        config[path[-1]] = value

    rewrite(folder, change)
    if (path, value) in RIGHT_AFTER_ALL:
        load_model(folder)
    else:
        complaint(folder)


RIGHT_AFTER_ALL: list[tuple[list[str], object]] = [
    (["about"], {}),
    (["about"], {"a": 1}),
    (["about", "data"], {}),
    (["about", "training"], {}),
    (["about", "training"], {"a": 1}),
    (["about", "members"], []),
    (["segmentation", "lemma_spaced"], True),
    (["segmentation", "form_spaced"], True),
]


@pytest.mark.parametrize("key", ["format", "network", "segmentation", "members", "about", "sha256"])
def test_missing_in_the_configuration(folder: Path, key: str) -> None:
    rewrite(folder, lambda config: config.pop(key))
    assert "not a model's configuration" in complaint(folder)


@pytest.mark.parametrize("content", ["null", "3", "[]", '"x"', "{}", "[" * 100_000, "\xff"])
def test_configuration_of_something_else(folder: Path, content: str) -> None:
    (folder / "config.json").write_text(content, "latin-1")
    assert "config.json" in complaint(folder)


def test_other_files_are_not_looked_for(folder: Path) -> None:
    """A forged configuration can't send the program to files elsewhere."""
    rewrite(folder, lambda config: config["sha256"].pop("member-2.safetensors"))
    rewrite(folder, lambda config: config["sha256"].update({"../../secret": "0"}))
    assert "member-2.safetensors" in complaint(folder)


def weights_with(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    path = folder / "member-2.safetensors"
    weights, _ = load_tensors(path)
    change(weights)
    save_tensors(path, weights)
    replace_file(folder, path.name, path.read_bytes())


@pytest.mark.parametrize(
    "change",
    [
        lambda weights: weights.pop("output"),
        lambda weights: weights.update(more=np.zeros(3, np.float32)),
        lambda weights: weights.update(output=weights["output"].T),
        lambda weights: weights.update(output=weights["output"][:, :-1]),
        lambda weights: weights.update(output=weights["output"].astype(np.float64)),
        lambda weights: weights.update(output=weights["output"].astype(np.int32)),
    ],
    ids=["missing", "extra", "transposed", "smaller", "double", "integer"],
)
def test_weights_that_do_not_fit(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    weights_with(folder, change)
    message = complaint(folder)
    assert "member-2.safetensors: its weights do not fit the configuration" in message


def test_weights_of_another_configuration(folder: Path) -> None:
    rewrite(folder, lambda config: config["network"].update(hidden=9))
    assert "do not fit" in complaint(folder)


def test_vocabulary_of_another_kind(folder: Path) -> None:
    for content in (b"{}", b"[]", b"", b'{"form_symbols": 3}', b"\xff\xfe"):
        replace_file(folder, "vocabulary.json", content)
        assert "vocabulary" in complaint(folder)


def test_weights_that_are_no_numbers(folder: Path) -> None:
    for value in (np.nan, np.inf, -np.inf):

        def change(weights: dict[str, Any], value: float = value) -> None:
            weights["output"][3] = value

        weights_with(folder, change)
        message = complaint(folder)
        assert "member-2.safetensors: some of its weights are infinite or not numbers" in message


@pytest.mark.parametrize("symbol", [r"\ud800", r"\uDFFF"])
def test_lone_surrogates(folder: Path, symbol: str) -> None:
    """They could neither be printed nor written."""
    vocabulary = (folder / "vocabulary.json").read_text("utf-8")
    replace_file(folder, "vocabulary.json", vocabulary.replace('"w"', f'"{symbol}"').encode())
    assert "vocabulary.json: cut short or altered" in complaint(folder)
    raw = vocabulary.replace('"w"', '"\ud800"').encode(errors="surrogatepass")
    replace_file(folder, "vocabulary.json", raw)
    assert "vocabulary.json: cut short or altered (not UTF-8)" in complaint(folder)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1e999"])
def test_numbers_that_json_does_not_have(folder: Path, number: str) -> None:
    rewrite(folder, lambda config: config["about"].update(vote_dev_accuracy=float(number)))
    path = folder / "config.json"
    path.write_text(path.read_text("utf-8").replace("Infinity", number))
    complaint(folder)


@pytest.mark.parametrize("name", READ)
@pytest.mark.parametrize("instead", ["a pipe", "a device"])
def test_files_that_never_end(folder: Path, name: str, instead: str) -> None:
    path = folder / name
    path.unlink()
    if instead == "a pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")
    assert f"{name}: can't be read: not a regular file" in complaint(folder)


def test_a_link_to_a_file_is_followed(folder: Path, tmp_path: Path) -> None:
    (folder / READ[1]).rename(tmp_path / "elsewhere")
    (folder / READ[1]).symlink_to(tmp_path / "elsewhere")
    load_model(folder)


@pytest.mark.parametrize("name", READ)
def test_huge_files_are_not_read(folder: Path, name: str) -> None:
    with (folder / name).open("r+b") as file:
        file.truncate(1 << 40)  # without taking up space
    assert f"{name}: larger than" in complaint(folder)


def test_each_file_is_opened_once(folder: Path) -> None:
    """So that what was checked is what is used."""
    opened: Counter[str] = Counter()

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and str(arguments[0]).startswith(str(folder)):
            opened[Path(arguments[0]).name] += 1

    sys.addaudithook(watch)
    load_model(folder)
    assert opened == Counter(READ)


def test_what_inflates_too_much(folder: Path, random_model: Callable[..., Model]) -> None:
    """A lexicon of 253 KiB once took 5.4 GB of memory."""
    model = replace(random_model(), lexicon=Lexicon.fit([("go", "V;PST", "went")]))
    save_model(folder, model, "", "")
    load_model(folder)
    bait = gzip.compress(b"1\nV;PST" + b"\na\t0 0 " * (1 << 24))
    assert len(bait) < 300_000
    tracemalloc.start()
    replace_file(folder, "lexicon.tsv.gz", bait)
    assert "lexicon.tsv.gz: cut short, or inflates to more than" in complaint(folder)
    assert tracemalloc.get_traced_memory()[1] < 50_000_000
    tracemalloc.stop()


class Bomb:
    def __reduce__(self) -> tuple[Any, ...]:
        return (pytest.fail, ("a pickle was opened",))


@pytest.mark.parametrize("name", READ)
def test_nothing_is_unpickled(folder: Path, name: str) -> None:
    content = pickle.dumps(Bomb())
    if name == "config.json":
        (folder / name).write_bytes(content)
    else:
        replace_file(folder, name, content)
    complaint(folder)


@pytest.mark.parametrize("dtype", ["BF16", "F8_E4M3", "Z99"])
def test_numbers_that_numpy_does_not_have(folder: Path, dtype: str) -> None:
    header = json.dumps({"output": {"dtype": dtype, "shape": [0], "data_offsets": [0, 0]}}).encode()
    header += b" " * (-len(header) % 8)
    replace_file(folder, "member-1.safetensors", len(header).to_bytes(8, "little") + header)
    assert "member-1.safetensors" in complaint(folder)


def test_no_module_of_inference_can_run_code_from_files() -> None:
    """Not a proof, but these are the doors through which models of other programs come."""
    source = Path(__file__).parents[2] / "src" / "stepwrite"
    for path in source.rglob("*.py"):
        text = path.read_text("utf-8")
        for door in ("pickle", "marshal", "shelve", "eval(", "exec(", "torch.load", "np.load"):
            assert door not in text.replace("no pickle", "").replace(".eval()", ""), (path, door)


def test_killed_while_saving_over_another_model(
    random_model: Callable[..., Model], folder: Path, tmp_path: Path
) -> None:
    """Configuration comes last, so a mixture of two models is found out."""
    save_model(tmp_path / "other", random_model(seed=5, members=2), "", "")
    shutil.copy(tmp_path / "other" / "member-1.safetensors", folder)
    assert "member-1.safetensors" in complaint(folder)


def test_data_checksum_is_of_the_rows() -> None:
    rows = [("go", "V;PST", "went"), ("see", "V;PST", "saw")]
    assert data_checksum(rows) == data_checksum([list(row) for row in rows])
    assert data_checksum(rows) != data_checksum(rows[::-1])


def test_errors_are_of_the_family() -> None:
    assert issubclass(ModelError, StepwriteError)
