"""Models that ship: half precision, found by name, each what it says it is."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from stepwrite import load
from stepwrite.errors import StepwriteError
from stepwrite.model import pretrained as shipped
from stepwrite.model.about import About, Measured, Shipped
from stepwrite.model.directory import Model, load_model, save_model
from stepwrite.model.rounding import SCALE, Bits, restored, rounded
from stepwrite.model.tensors import load_tensors

LARGEST, LARGEST_OF_ALL = 2_000_000, 25_000_000
LEAST = {
    "arabic": 0.7,  # broken plurals, asked for with and without vowels
    "indonesian": 0.6,  # its data attest several derivations for one cell
}
ROUNDING = 0.0005 + 1e-9  # what dev may lose; it decides how many bits a weight has
ABOUT = Shipped(
    iso="",
    title="Some language",
    pos=("V",),
    features={"tense": ("PRS", "PST"), "part of speech": ("V",)},
    source="nowhere",
    licence="CC0",
    dev=Measured(rows=10, accuracy=0.8, in_single_precision=0.8),
    test=Measured(rows=10, accuracy=0.9, in_single_precision=0.9),
)


def test_half_precision_is_the_nearest_half(
    random_model: Callable[..., Model], tmp_path: Path
) -> None:
    model = random_model(members=2, cell="peephole", hidden=40)
    save_model(tmp_path / "half", model, "", "", bits=16)
    save_model(tmp_path / "single", model, "", "")
    for ours, theirs in zip(model.members, load_model(tmp_path / "half").members, strict=True):
        for name, array in ours.items():
            assert theirs[name].dtype == np.float32
            assert np.array_equal(theirs[name], array.astype(np.float16).astype(np.float32))
    kept, _ = load_tensors(tmp_path / "half" / "member-1.safetensors")
    assert {array.dtype for array in kept.values()} == {np.dtype(np.float16)}
    sizes = [(tmp_path / k / "member-1.safetensors").stat().st_size for k in ("half", "single")]
    assert 0.5 <= sizes[0] / sizes[1] < 0.52


def test_in_8_bits_a_row_is_integers_times_its_scale(
    random_model: Callable[..., Model], tmp_path: Path
) -> None:
    model = random_model(members=2, cell="peephole", hidden=40)
    save_model(tmp_path / "eight", model, "", "", bits=8)
    save_model(tmp_path / "single", model, "", "")
    for ours, theirs in zip(model.members, load_model(tmp_path / "eight").members, strict=True):
        for name, array in ours.items():
            assert theirs[name].dtype == np.float32
            if array.ndim > 1 and array.size:
                step = np.abs(array).max(axis=-1, keepdims=True) / 127
                assert (np.abs(theirs[name] - array) <= 0.5001 * step).all()
    sizes = [(tmp_path / k / "member-1.safetensors").stat().st_size for k in ("eight", "single")]
    assert 0.25 <= sizes[0] / sizes[1] < 0.29
    assert json.loads((tmp_path / "eight" / "config.json").read_text("utf-8"))["format"] == 4
    assert json.loads((tmp_path / "single" / "config.json").read_text("utf-8"))["format"] == 2


@pytest.mark.parametrize("change", ["no scale", "wrong shape", "scale of nothing", "integers"])
def test_scales_that_do_not_fit(change: str) -> None:
    weights = {"w": np.ones((2, 3), np.float32), "b": np.ones(3, np.float32)}
    kept = rounded(weights, 8)
    assert restored(kept) is not None
    match change:
        case "no scale":
            del kept["w/scale"]
        case "wrong shape":
            kept["w/scale"] = kept["w/scale"][:1]
        case "scale of nothing":
            kept["b/scale"] = kept["w/scale"]
        case "integers":
            kept["b"] = kept["b"].astype(np.int32)
    assert restored(kept) is None


@pytest.mark.parametrize("bits", [8, 16])
def test_a_model_in_fewer_bits_is_checked_like_others(
    bits: Bits, random_model: Callable[..., Model], tmp_path: Path
) -> None:
    save_model(tmp_path, random_model(), "", "", bits=bits)
    path = tmp_path / "member-1.safetensors"
    path.write_bytes(path.read_bytes()[:-2])
    with pytest.raises(StepwriteError, match="cut short or altered"):
        load_model(tmp_path)


@pytest.fixture
def models(
    random_model: Callable[..., Model], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """Two models of one language and one of another, in the place of those that ship."""
    for name, iso in (("german-nouns", "deu"), ("german", "deu"), ("finnish", "fin")):
        model = random_model(seed=len(name))
        model = replace(model, about=About(shipped=replace(ABOUT, iso=iso)))
        save_model(tmp_path / "models" / name, model, "", "", bits=16)
    monkeypatch.setattr(shipped, "MODELS", tmp_path / "models")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "models"


def test_names_and_codes(models: Path) -> None:
    assert [model.name for model in shipped.available()] == ["finnish", "german", "german-nouns"]
    for name, folder in (
        ("german", "german"),
        ("deu", "german"),
        ("german-nouns", "german-nouns"),
        ("fin", "finnish"),
        ("de", "german"),
        ("German", "german"),
        ("fi", "finnish"),
        ("Finnish", "finnish"),
    ):
        assert shipped.locate(name) == models / folder
    inflector = load("deu")
    assert inflector("go", "V;PST") == load(models / "german")("go", "V;PST")


@pytest.fixture
def more_models(
    models: Path, random_model: Callable[..., Model], monkeypatch: pytest.MonkeyPatch
) -> Path:
    """Another distribution with two models, one of them by a name that is taken."""
    folder = models.parent / "site" / "stepwrite_more" / "models"
    for name, iso, names in (("welsh", "cym", ("Cymraeg", "cy")), ("german", "deu", ())):
        about = About(shipped=replace(ABOUT, iso=iso, names=names))
        save_model(folder / name, replace(random_model(seed=9), about=about), "", "")
    site = folder.parents[1]
    code = "from pathlib import Path\n\nMODELS = Path(__file__).parent / 'models'\n"
    (site / "stepwrite_more" / "__init__.py").write_text(code)
    installed = site / "stepwrite_more-1.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Name: stepwrite-more\nVersion: 1\n")
    (installed / "entry_points.txt").write_text(
        "[stepwrite.models]\nmore = stepwrite_more:MODELS\n"
    )
    monkeypatch.syspath_prepend(site)
    return folder


def test_models_of_other_distributions(more_models: Path, models: Path) -> None:
    names = ["finnish", "german", "german-nouns", "welsh"]
    assert [model.name for model in shipped.available()] == names
    for name in ("welsh", "cym", "cy", "Welsh", "Cymraeg", "CYMRAEG"):
        assert shipped.locate(name) == more_models / "welsh"
    assert shipped.locate("german") == shipped.locate("de") == models / "german"


def test_what_is_not_installed_names_its_distribution(stepwrite, models: Path) -> None:
    with pytest.raises(StepwriteError, match=r"'Cymraeg'.*: pip install stepwrite-languages"):
        load("Cymraeg")
    listed = stepwrite("models")
    assert "more languages: pip install stepwrite, stepwrite-languages" in listed.err


def test_a_path_that_exists_wins(models: Path, random_model: Callable[..., Model]) -> None:
    save_model(Path("german"), random_model(members=3), "", "")
    assert len(load("german").model.members) == 3
    assert len(load("german-nouns").model.members) == 1
    shutil.rmtree("german")
    assert len(load("german").model.members) == 1


@pytest.mark.parametrize("name", ["klingon", ""])
def test_unknown_names(models: Path, name: str) -> None:
    with pytest.raises(StepwriteError) as caught:
        load(name)
    if name:
        assert "finnish (fin), german (deu), german-nouns (deu)" in str(caught.value)
    with pytest.raises(StepwriteError, match=r"models/absent: no such model directory$"):
        load("models/absent")


@pytest.mark.parametrize("name", ["Germanic", "ger man", "germn"])
def test_names_that_are_nearly_right(models: Path, name: str) -> None:
    with pytest.raises(StepwriteError, match="did you mean German"):
        load(name)


def test_the_list(stepwrite, models: Path) -> None:
    heading, *rows = stepwrite("models").out.splitlines()
    assert heading.split("  ")[0] == "name"
    assert [row.split()[:2] for row in rows] == [
        ["finnish", "fin"],
        ["german", "deu"],
        ["german-nouns", "deu"],
    ]
    assert all("90.00 %" in row and "CC0" in row and "nowhere" in row for row in rows)
    found = json.loads(stepwrite("models", "--json").out)
    assert found[1]["features"] == {"tense": ["PRS", "PST"], "part of speech": ["V"]}
    assert found[1]["size"] == sum(file.stat().st_size for file in (models / "german").iterdir())


@pytest.mark.parametrize("verb", ["info", "inflect", "paradigm", "evaluate"])
def test_every_verb_that_takes_a_model_takes_a_name(stepwrite, models: Path, verb: str) -> None:
    ran = stepwrite(verb, "klingon", *(["go"] if verb != "info" else []))
    assert ran.code in (1, 2)
    Path("gold.tsv").write_text("go\tV;PST\twent\n")
    arguments = {
        "info": ("--format", "json"),
        "inflect": ("go", "V;PST"),
        "paradigm": ("go",),
        "evaluate": ("gold.tsv", "--layout", "sigmorphon2016"),
    }
    ran = stepwrite(verb, "deu", *arguments[verb])
    assert ran.code == (1 if verb == "paradigm" else 0), ran.err
    assert verb != "paradigm" or "does not know its cells" in ran.err


REAL = shipped.available()


@pytest.mark.parametrize("model", REAL, ids=[model.name for model in REAL])
def test_what_ships(model: shipped.ShippedModel) -> None:
    assert model.size <= LARGEST
    assert LEAST.get(model.name, 0.8) < model.accuracy <= 1
    assert len(model.iso) == 3
    assert all((model.title, model.pos, model.features, model.source, model.licence))
    card = (model.path / "README.md").read_text("utf-8")
    assert model.licence in card
    assert f"{100 * model.accuracy:.2f} %" in card
    kept, _ = load_tensors(model.path / "member-1.safetensors")
    weights = {array.dtype for name, array in kept.items() if not name.endswith(SCALE)}
    assert weights <= {np.dtype(np.float16), np.dtype(np.int8)}
    loaded = load_model(model.path)
    for data in loaded.about.data.values():
        assert "/" not in data.file, "where the data lay is nobody's business"
    assert loaded.about.shipped is not None
    dev, test = loaded.about.shipped.dev, loaded.about.shipped.test
    assert dev.in_single_precision - dev.accuracy <= ROUNDING
    assert abs(test.accuracy - test.in_single_precision) <= 4 * ROUNDING
    assert loaded.cells is not None
    assert set(model.pos) == {pos for pos in loaded.cells.parts_of_speech if pos}
    assert len(loaded.members) == 1
    assert loaded.lexicon is not None
    assert len(loaded.lexicon) > 1000


@pytest.mark.skipif(not REAL, reason="no models are built: scripts/build_languages.py")
def test_nothing_is_said_of_models_that_is_not_there() -> None:
    assert {model.path.name for model in REAL} == {
        path.name for path in shipped.MODELS.iterdir() if path.is_dir() and path.name[0] != "_"
    }
    assert len({model.name for model in REAL}) == len(REAL)


def test_what_ships_is_small_and_speaks_unimorph() -> None:
    ours = [model for model in REAL if model.path.parent == shipped.MODELS]
    assert sum(model.size for model in ours) <= LARGEST_OF_ALL
    for model in ours:
        assert load_model(model.path).vocabulary.slots.style == "unimorph", model.name


@pytest.mark.parametrize(
    ("language", "lemma", "features", "form"),
    [
        ("english", "go", "past", "went"),
        ("english", "good", "ADJ;CMPR", "better"),
        ("german", "gut", "superlative", "am besten"),
        ("german", "Mensch", "N;MASC;GEN;SG", "Menschen"),
        ("german", "gehen", "past participle", "gegangen"),
        ("spanish", "ser", "V;IND;PRS;1;SG", "soy"),
        ("french", "aller", "V;IND;FUT;1;SG", "irai"),
        ("finnish", "nainen", "N;GEN;PL", "naisten"),
        ("russian", "дом", "dative plural", "домам"),
        ("polish", "człowiek", "nominative plural", "ludzie"),
        ("italian", "andare", "V;IND;PRS;1;SG", "vado"),
        ("portuguese", "ter", "V;IND;PRS;1;SG", "tenho"),
    ],
)
def test_everyday_words_are_right(language: str, lemma: str, features: str, form: str) -> None:
    found = load(language)(lemma, features)
    assert (found.form, found.attested) == (form, True)


def test_a_folder_without_a_model_hides_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For example the folder of data examples/german-nouns, seen from examples/."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "german-nouns").mkdir()
    assert shipped.locate("german-nouns") == shipped.MODELS / "german-nouns"
    (tmp_path / "german-nouns" / "config.json").write_text("{}")
    assert shipped.locate("german-nouns") == Path("german-nouns")
