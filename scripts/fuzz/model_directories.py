"""Hostile model directories: damaged files, and forged ones whose checksums are right."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import random
import resource
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from stepwrite.cli.info import _text as info_text
from stepwrite.cli.info import describe
from stepwrite.data.segmentation import Segmentation
from stepwrite.inference.network_config import NetworkConfig
from stepwrite.inflector import Inflector
from stepwrite.kinds import kind_of
from stepwrite.model.about import About, DataFile, Member
from stepwrite.model.card import model_card
from stepwrite.model.directory import Model, load_model, save_model
from stepwrite.model.tensors import load_tensors, save_tensors
from stepwrite.morphology.cells import Cells
from stepwrite.morphology.lexicon import Lexicon
from stepwrite.transducer.vocabulary import Vocabulary

from .tally import Tally

ROWS = [
    (lemma, f"V;{tense};{number}", f"{lemma}{ending}")
    for lemma in ("gehen", "sagen", "leben", "ärgern", "tun")
    for tense, number, ending in (("PST", "SG", "te"), ("PST", "PL", "ten"), ("PRS", "SG", "t"))
]
KINDS = ("edit", "hard", "soft")
MEMORY = 2 << 30  # bytes beyond what the process has: a larger appetite is a failure
JUNK: tuple[Any, ...] = (
    *(None, True, False, -1, 0, 1, 2, 1.5, -0.0, 1e300, 1e308 * 10, float("nan"), 10**30, 10**400),
    *("", "two", "\ud800", "\x00", "\n", "é" * 300, "../../etc/passwd", "x" * 100_000, "hard"),
    *([], {}, ["lstm"], {"a": 1}, [[1]], [None], {"": ""}, list(range(1000))),
)


def main(count: int, seed: int) -> int:
    chance, tally = random.Random(seed), Tally("model directories", seed)
    here = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (here + MEMORY,) * 2)
    with tempfile.TemporaryDirectory() as home:
        originals = list(make_models(Path(home)))
        victim = Path(home) / "victim"
        for number in range(count):
            original = chance.choice(originals)
            shutil.rmtree(victim, ignore_errors=True)
            victim.mkdir()
            for path in original.iterdir():
                os.link(path, victim / path.name)
            how = chance.choice(WAYS)
            how(chance, victim)
            tally.attempt(lambda: use(victim), f"number {number}, {how.__name__}")
    return tally.report()


def make_models(home: Path) -> Iterator[Path]:
    """Small models with everything that a directory may hold."""
    split = Segmentation()
    vocabulary = Vocabulary.fit(
        [(split.lemma(lemma), split.form(form)) for lemma, _, form in ROWS],
        [features for _, features, _ in ROWS],
        copy=True,
    )
    values = np.random.default_rng(0)
    for kind in KINDS:
        network = NetworkConfig("lstm", 1, 4, 3, feature_embedding=2, kind=kind)
        other = replace(network, kind="hard", hidden=5)
        networks = [network, network, other]
        members = tuple(
            {
                name: values.normal(0, 0.5, shape).astype(np.float32)
                for name, shape in kind_of(each.kind).shapes(each, vocabulary).items()
            }
            for each in networks
        )
        about = About(
            {"train": DataFile("train.tsv", len(ROWS), "0" * 12)},
            {"preset": "default", "epochs": 2},
            tuple(Member(k, 2, 1, 0.5, 1.0) for k in range(3)),
            vote_dev_accuracy=0.5,
            rules_dev_accuracy=0.25,
        )
        model = Model(
            network,
            vocabulary,
            split,
            members,
            about,
            Cells.fit((lemma, features) for lemma, features, _ in ROWS),
            Lexicon.fit(ROWS),
            (other,),
        )
        save_model(home / kind, model, "", "")
        yield home / kind


def use(folder: Path) -> None:
    """Whatever loads must be usable."""
    model = load_model(folder)
    inflector = Inflector(model)
    features = next(iter(model.cells.counts)) if model.cells else "V;PST;SG"
    for prediction in inflector.batch([("gehen", "V;PST;SG"), ("ärgern", features)]):
        str(prediction).encode()
        json.dumps(prediction.to_json(explain=True), allow_nan=False).encode()
    description = describe(model)
    json.dumps(description, ensure_ascii=False, allow_nan=False).encode()
    "\n".join(info_text(model, description, None)).encode()
    if model.about.training.get("preset"):
        model_card(model, "name").encode()
    if model.cells:
        model.cells.nearest("V;FUT")
        str(inflector.paradigm("sagen")).encode()


def damage(chance: random.Random, folder: Path) -> None:
    """Flip a bit, or cut, lengthen or overwrite a file; the checksums know nothing of it."""
    path = chance.choice(sorted(folder.iterdir()))
    content = bytearray(path.read_bytes())
    place = chance.randrange(len(content) + 1)
    match chance.randrange(4):
        case 0 if place < len(content):
            content[place] ^= 1 << chance.randrange(8)
        case 1:
            del content[place:]
        case 2:
            content += chance.randbytes(chance.randrange(1, 50))
        case _:
            content[place : place + 9] = chance.randbytes(9)
    put(path, bytes(content))


def forge_json(chance: random.Random, folder: Path) -> None:
    """Change the data somewhere, and make all checksums right again."""
    name = chance.choice(("config.json", "config.json", "vocabulary.json", "cells.json.gz"))
    content = (folder / name).read_bytes()
    data = json.loads(gzip.decompress(content) if name.endswith(".gz") else content)
    for _ in range(chance.choice((1, 1, 1, 3))):
        data = changed(chance, data)
    text = json.dumps(data, ensure_ascii=chance.random() < 0.5)
    if chance.random() < 0.02:
        text = chance.choice(("[" * 100_000, '{"a":' * 50_000, "1" * 5_000, text + text))
    new = text.encode(errors="surrogatepass")
    if name == "config.json":
        seal(folder, data if isinstance(data, dict) else {})
    else:
        put(folder / name, gzip.compress(new) if name.endswith(".gz") else new)
        seal(folder)


def changed(chance: random.Random, data: Any) -> Any:
    """The data with one place in it changed."""
    if isinstance(data, dict) and data and chance.random() < 0.85:
        key = chance.choice(list(data))
        match chance.randrange(10):
            case 0:
                return {k: v for k, v in data.items() if k != key}
            case 1:
                more = chance.choice(("", "more", "\ud800", "others"))
                return {**data, more: chance.choice(JUNK)}
        return {**data, key: changed(chance, data[key])}
    if isinstance(data, list) and data and chance.random() < 0.85:
        place = chance.randrange(len(data))
        match chance.randrange(10):
            case 0:
                return data[:place] + data[place + 1 :]
            case 1:
                return [*data, data[place]]
            case 2:
                return chance.sample(data, len(data))
        return [*data[:place], changed(chance, data[place]), *data[place + 1 :]]
    return chance.choice(JUNK)


def forge_weights(chance: random.Random, folder: Path) -> None:
    path = chance.choice(sorted(folder.glob("member-*")))
    weights, _ = load_tensors(path)
    name = chance.choice(sorted(weights))
    array = weights[name].copy()
    match chance.randrange(6):
        case 0 if array.size:
            array.flat[chance.randrange(array.size)] = chance.choice((np.nan, np.inf, 3e38, -3e38))
        case 1:
            array = array.astype(chance.choice((np.float64, np.int32, np.bool_, np.uint8)))
        case 2:
            array = array.reshape(-1)
        case 3:
            array = np.full_like(array, chance.choice((3e38, -3e38, 1e30, 1e-45)))
        case 4:
            weights[chance.choice(("more", "", "é", "x" * 1000))] = array
        case _:
            array = array.astype(np.float16)
    put(path, b"")
    save_tensors(path, {**weights, name: array})
    content = bytearray(path.read_bytes())
    if chance.random() < 0.3:  # of the header, too
        content[chance.randrange(min(len(content), 600))] = chance.randrange(256)
    put(path, bytes(content))
    seal(folder)


def replace_file(chance: random.Random, folder: Path) -> None:
    """Something else in the place of a file, or much more than there should be."""
    path = chance.choice(sorted(folder.iterdir()))
    path.unlink()
    match chance.randrange(8):
        case 0:
            path.mkdir()
        case 1:
            os.mkfifo(path)
        case 2:
            path.symlink_to(chance.choice(("/dev/zero", "/dev/null", "/proc/kmsg", path.name, "/")))
        case 3:
            path.touch()
            os.truncate(path, 1 << chance.randrange(20, 41))
        case 4:
            lines = chance.choice((b"\na\t0 0 ", b"\n", b"a\t", b"\x00"))
            put(path, gzip.compress(b"1\nV" + lines * (1 << chance.randrange(10, 23)), 1))
            seal(folder)
        case 5:
            text = chance.choice((b"", b"-3\nV", b"9" * 5000, b"1\n\n\t\t", b"1\nV\na\t9 x"))
            put(path, gzip.compress(text))
            seal(folder)
        case 6:
            put(path, chance.randbytes(chance.randrange(300)))
            seal(folder)
        case _:
            pass  # it is missing


def put(path: Path, content: bytes) -> None:
    """Write a file anew: the old one is linked to the original."""
    path.unlink(missing_ok=True)
    path.write_bytes(content)


def seal(folder: Path, config: dict[str, Any] | None = None) -> None:
    """Make the checksums right, as a forger would."""
    path = folder / "config.json"
    if config is None:
        try:
            config = json.loads(path.read_bytes())
        except (OSError, ValueError):
            return  # it is the configuration itself that was replaced
        assert config is not None
        for name in config["sha256"]:
            if (folder / name).is_file() and (folder / name).stat().st_size < 1 << 25:
                content = (folder / name).read_bytes()
                config["sha256"][name] = hashlib.sha256(content).hexdigest()
    config = {key: value for key, value in config.items() if key != "checksum"}
    try:
        text = json.dumps(config, sort_keys=True)
    except TypeError:
        return
    config["checksum"] = hashlib.sha256(text.encode()).hexdigest()
    put(path, json.dumps(config).encode())


WAYS = (damage, damage, forge_json, forge_json, forge_weights, replace_file)
