"""The model directory: what training leaves and inference loads.

    config.json               format, network, segmentation, how and on what it was trained
    vocabulary.json           symbols and feature slots
    member-1.safetensors ...  weights, one file per member, in 32, 16 or 8 bits
    cells.json.gz             bundles of features that training showed, lexical features
    lexicon.tsv.gz            attested forms; only where they were asked for
    rules.json.gz             examples whose rules answer where the network is unsure, if any
    history.tsv               loss and accuracy (dev, a sample of train) by member and epoch
    README.md                 the model card, written by the program

`config.json` holds the SHA-256 of each file that inference reads, and one of its own content,
so that a model that was cut short or altered is refused and not silently wrong.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import prod
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from stepwrite import __version__
from stepwrite.data.segmentation import Segmentation
from stepwrite.errors import DataError, StepwriteError
from stepwrite.errors import ModelError as ModelError
from stepwrite.evaluation.fallback import Fallback
from stepwrite.files import read_bounded, write_bytes, write_whole
from stepwrite.inference.calibration import Calibration
from stepwrite.inference.network_config import NetworkConfig, each_network
from stepwrite.kinds import kind_of
from stepwrite.model.about import About
from stepwrite.model.rounding import Bits, restored, rounded
from stepwrite.model.tensors import LARGEST as LARGEST_WEIGHTS
from stepwrite.model.tensors import parse_tensors, save_tensors
from stepwrite.morphology.cells import Cells
from stepwrite.morphology.lexicon import Lexicon
from stepwrite.transducer.vocabulary import Vocabulary

FORMAT = 5  # with rules; 1 called the kind "attention"
EIGHT_BITS = 4  # the format of models with weights in 8 bits
MIXED = 3  # the format of models whose members are of several kinds
PLAIN = 2  # and of those whose members are of one kind
CONFIG, VOCABULARY, HISTORY, CARD = "config.json", "vocabulary.json", "history.tsv", "README.md"
CELLS, LEXICON, RULES = "cells.json.gz", "lexicon.tsv.gz", "rules.json.gz"
LARGEST_JSON, LARGEST_TEXT = 1 << 24, 1 << 27  # bytes: more is bait to fill the memory
INFLATION = 32  # bytes of text for each compressed one: of words it is 3 to 22
PACKED = {CELLS, LEXICON, RULES}
TRAINING = "training"  # the folder of a model whose training has not ended

Weights = dict[str, NDArray[np.float32]]


@dataclass(frozen=True)
class Model:
    """A loaded model.

    network: that of the members, but for the last ones where `others` has theirs.
    about: what training said of itself: data, settings, accuracy.
    cells: what bundles training showed; None in models made before they were kept.
    calibration: of the vote's probabilities, on dev; None without dev.
    fallback: rules that answer where the members are unsure, if they help.
    """

    network: NetworkConfig
    vocabulary: Vocabulary
    segmentation: Segmentation
    members: tuple[Weights, ...]
    about: About
    cells: Cells | None = None
    lexicon: Lexicon | None = None
    others: tuple[NetworkConfig, ...] = ()
    calibration: Calibration | None = None
    fallback: Fallback | None = None

    @property
    def configurations(self) -> tuple[NetworkConfig, ...]:
        """Each member's network as it was asked for."""
        return (self.network,) * (len(self.members) - len(self.others)) + self.others

    @property
    def networks(self) -> tuple[NetworkConfig, ...]:
        """Each member's network, with a single direction."""
        return each_network(self.configurations)

    @property
    def kinds(self) -> dict[str, int]:
        """How many members there are of each kind."""
        return Counter(network.kind for network in self.networks)


def save_model(folder: Path, model: Model, history: str, card: str, *, bits: Bits = 32) -> None:
    """Write a model directory; `config.json` comes last and makes it one.

    bits: of each weight; they are loaded as 32 bits again.
    """
    import gzip

    folder.mkdir(parents=True, exist_ok=True)
    files = [VOCABULARY]
    _write_json(folder / VOCABULARY, model.vocabulary.to_json())
    for number, weights in enumerate(model.members, 1):
        files.append(member_file(number))
        save_tensors(folder / files[-1], rounded(weights, bits))
    packed = {}
    if model.cells is not None:
        packed[CELLS] = json.dumps(model.cells.to_json(), ensure_ascii=False)
    if model.lexicon is not None:
        packed[LEXICON] = model.lexicon.to_text()
    if model.fallback is not None:
        packed[RULES] = json.dumps(model.fallback.to_json(), ensure_ascii=False)
    for name, text in packed.items():
        files.append(name)
        # Without a time of writing, so that the same content gives the same bytes.
        write_bytes(folder / name, gzip.compress(text.encode(), mtime=0))
    for name, text in ((HISTORY, history), (CARD, card)):
        with write_whole(folder / name) as file:
            file.write(text)
    config = {
        "format": _format(model, bits),
        "stepwrite": __version__,
        "network": model.network.to_json(),
        "segmentation": {
            "lemma_spaced": model.segmentation.lemma_spaced,
            "form_spaced": model.segmentation.form_spaced,
        },
        "members": len(model.members),
        "about": model.about.to_json(),
        "sha256": {name: _sha256((folder / name).read_bytes()) for name in files},
    }
    if model.calibration is not None:
        config["calibration"] = model.calibration.to_json()
    if model.others:
        config["others"] = [network.to_json() for network in model.others]
    _write_json(folder / CONFIG, {**config, "checksum": json_checksum(config)})


def load_model(folder: str | Path, sha256: str = "") -> Model:
    """Read and check a model directory.

    sha256: what `config.json`, and through its checksums all that is read, must have; "" for any.
    """
    folder = Path(folder)
    config = _read_config(folder, sha256)
    match config:
        case {
            "network": network_data,
            "segmentation": {"lemma_spaced": bool(lemma_spaced), "form_spaced": bool(form_spaced)},
            "members": int(n_members),
            "about": dict(about_data),
            "sha256": dict(checksums),
        } if n_members > 0 and len(checksums.keys() - PACKED) == n_members + 1:
            pass
        case _:
            raise ModelError(f"{folder / CONFIG}: not a model's configuration")
    vocabulary_data = _json(folder / VOCABULARY, _checked(folder / VOCABULARY, checksums))
    packed = {
        name: _checked(folder / name, checksums, LARGEST_TEXT)
        for name in PACKED
        if name in checksums
    }
    cells_data, rules_data = (
        _json(folder / name, _unpacked(folder / name, packed[name])) if name in packed else None
        for name in (CELLS, RULES)
    )
    segmentation = Segmentation(lemma_spaced, form_spaced)
    try:
        network = NetworkConfig.from_json(network_data)
        others = tuple(map(NetworkConfig.from_json, _list(config.get("others", []))))
        vocabulary = Vocabulary.from_json(vocabulary_data)
        cells = Cells.from_json(cells_data) if CELLS in packed else None
        fallback = Fallback.from_json(rules_data, segmentation) if RULES in packed else None
        about = About.from_json(about_data)
        curve = config.get("calibration")
        calibration = None if curve is None else Calibration.from_json(curve)
        if len(others) >= n_members:
            raise StepwriteError(f"{len(others)} other networks of {n_members} members")
        networks = (network,) * (n_members - len(others)) + others
        shapes = [kind_of(each.kind).shapes(each, vocabulary) for each in networks]
    except StepwriteError as error:
        raise ModelError(f"{folder}: {error}") from None
    members = []
    for number, expected in enumerate(shapes, 1):
        path = folder / member_file(number)
        n_bytes = 4 * sum(map(prod, expected.values()))
        content = _checked(path, checksums, min(n_bytes + LARGEST_JSON, LARGEST_WEIGHTS))
        weights = restored(parse_tensors(content, path)[0])
        if weights is None or {name: array.shape for name, array in weights.items()} != expected:
            raise ModelError(f"{path}: its weights do not fit the configuration")
        if not all(np.isfinite(array).all() for array in weights.values()):
            raise ModelError(f"{path}: some of its weights are infinite or not numbers")
        members.append(weights)
    lexicon = None
    if LEXICON in packed:  # unpacked when it is first asked: many models never are
        lexicon = _lazy(folder / LEXICON, packed[LEXICON])
    return Model(
        network,
        vocabulary,
        segmentation,
        tuple(members),
        about,
        cells,
        lexicon,
        others,
        calibration,
        fallback,
    )


def _format(model: Model, bits: Bits) -> int:
    """The lowest that has all parts of a model, so that older versions can read most models."""
    if model.fallback is not None:
        return FORMAT
    return EIGHT_BITS if bits == 8 else MIXED if model.others else PLAIN


def read_about(folder: Path) -> About:
    """What a model says of itself, without its weights."""
    about = _read_config(folder).get("about")
    if not isinstance(about, dict):
        raise ModelError(f"{folder / CONFIG}: not a model's configuration")
    try:
        return About.from_json(about)
    except StepwriteError as error:
        raise ModelError(f"{folder}: {error}") from None


def resume_command(folder: Path) -> str:
    from shlex import quote

    return f"stepwrite train --resume {quote(str(folder))}"


def member_file(number: int) -> str:
    """The file of a member's weights; the first is 1."""
    return f"member-{number}.safetensors"


def _read_config(folder: Path, sha256: str = "") -> dict[str, Any]:
    path = folder / CONFIG
    if not folder.exists():
        raise ModelError(f"{folder}: no such model directory")
    if not path.exists() and (folder / TRAINING).exists():
        raise ModelError(
            f"{folder}: its training has not ended; resume with: {resume_command(folder)}"
        )
    content = _read(path, LARGEST_JSON)
    if sha256 and _sha256(content) != sha256:
        raise ModelError(f"{folder}: another model: its SHA-256 is {_sha256(content)}")
    config = _json(path, content)
    version = config.get("format") if isinstance(config, dict) else None
    if type(version) is not int or version < 1:
        raise ModelError(f"{path}: not a model's configuration")
    if version > FORMAT:
        raise ModelError(
            f"{path}: model format {version}, written by stepwrite "
            f"{config.get('stepwrite')!s:.20}; this is stepwrite {__version__}, which "
            f"reads up to format {FORMAT}: upgrade stepwrite"
        )
    if config.pop("checksum", None) != json_checksum(config):
        raise ModelError(f"{path}: cut short or altered (its checksum is wrong)")
    return cast(dict[str, Any], config)


def _read(path: Path, largest: int) -> bytes:
    try:
        return read_bounded(path, largest)
    except DataError as error:
        raise ModelError(f"{error}; not a model?" if path.name == CONFIG else str(error)) from None


def _checked(path: Path, checksums: Mapping[str, Any], largest: int = LARGEST_JSON) -> bytes:
    """A file's content, if it is what was written."""
    content = _read(path, largest)
    if _sha256(content) != checksums.get(path.name):
        raise ModelError(f"{path}: cut short or altered (its checksum is wrong)")
    return content


def _unpacked(path: Path, packed: bytes) -> bytes:
    """The content of a file that is kept compressed."""
    largest = min((1 << 20) + INFLATION * len(packed), LARGEST_TEXT)
    gunzip = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        content = gunzip.decompress(packed, largest)
    except zlib.error:
        raise ModelError(f"{path}: cut short or altered (not in gzip's format)") from None
    if not gunzip.eof:
        raise ModelError(f"{path}: cut short, or inflates to more than {largest} bytes")
    return content


def _list(data: Any) -> list[Any]:
    if not isinstance(data, list):
        raise StepwriteError(f"expected a list of networks, got {data!r:.100}")
    return data


def _lazy(path: Path, packed: bytes) -> Lexicon:
    return Lexicon(partial(_unpacked_text, path, packed), str(path))


def _unpacked_text(path: Path, packed: bytes) -> str:
    return _text(path, _unpacked(path, packed))


def _text(path: Path, content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise ModelError(f"{path}: cut short or altered (not UTF-8)") from None


def _json(path: Path, content: bytes) -> Any:
    """Data from JSON without what JSON does not have: NaN, infinity and lone surrogates."""
    text = _text(path, content)
    try:
        data = json.loads(text, parse_constant=_refuse)
        if "\\u" in text:
            json.dumps(data, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        raise ModelError(f"{path}: cut short or altered (not JSON)") from None
    return data


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def json_checksum(data: Mapping[str, Any]) -> str:
    """The checksum of data without its own, whatever the order of the keys."""
    return _sha256(json.dumps(data, sort_keys=True).encode())


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _write_json(path: Path, data: Mapping[str, Any]) -> None:
    with write_whole(path) as file:
        json.dump(data, file, ensure_ascii=False, indent=1)
        file.write("\n")


def data_checksum(rows: Sequence[Sequence[str]]) -> str:
    """A short fingerprint of rows, whatever layout they stood in."""
    return _sha256("\n".join("\t".join(row) for row in rows).encode())[:12]
