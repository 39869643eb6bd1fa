"""Figures, the report and the commands that draw: what they write and what they reject."""

from __future__ import annotations

import re
import sys
import warnings
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from matplotlib.patches import FancyArrowPatch, Rectangle
from matplotlib.text import Annotation

from stepwrite.analysis import figures, report
from stepwrite.analysis.alignments import View, path_of
from stepwrite.analysis.subject import Subject
from stepwrite.data.examples import Example
from stepwrite.data.segmentation import Segmentation
from stepwrite.errors import StepwriteError
from stepwrite.model.directory import Model, save_model
from stepwrite.transducer.actions import oracle
from stepwrite.transducer.alignment import EditDistanceAligner

MakeModel = Callable[..., Model]
HISTORY = (
    "member\tepoch\tloss\ttrain_accuracy\tdev_accuracy\tseconds\texamples_per_second\n"
    "1\t2\t0.4\t0.9\t0.6\t1.0\t9\n1\t4\t0.3\t1.0\t0.8\t1.0\t9\n"
    "2\t2\t0.4\t0.8\t0.7\t1.0\t9\n2\t4\t0.3\t0.97\t0.75\t1.0\t9\n"
)
ROWS = "".join(
    f"{stem}\tV;{tense}\t{stem}{'ed' if tense == 'PST' else 's'}\n"
    for stem in ("go", "see", "gose", "ego", "goes", "sego", "eos", "osse", "seg", "oge")
    for tense in ("PST", "PRS")
)
SCRIPTS = [
    ("كتاب", "كُتُب"),
    ("ʾaʿāda", "tuʿādīna"),
    ("აბონემენტი", "აბონემენტთა"),
    ("áʼázhoozh", "danihíʼą́zhoozh"),
    ("аароновец", "аароновце"),
    ("őrült", "őrülten"),
    ("ħobż", "ħobżiet"),
    ("yıldız", "yıldızları"),
    ("niño $x_1^2$", "niños"),
]


@pytest.fixture
def models(tmp_path: Path, random_model: MakeModel) -> dict[str, str]:
    """A hard and a soft model with two members and random weights."""
    folders = {}
    # With these seeds the forms are short: random weights tend to write long ones.
    for attention, seed in (("hard", 27), ("soft", 2)):
        model = random_model(kind=attention, members=2, seed=seed)
        save_model(tmp_path / attention, model, HISTORY, "")
        folders[attention] = str(tmp_path / attention)
    (tmp_path / "dev.tsv").write_text(ROWS)
    return folders


def numbers(path: Path) -> dict[str, list[str]]:
    """A TSV's rows by their first cell."""
    return {line.split("\t")[0]: line.split("\t")[1:] for line in path.read_text().splitlines()}


# Figures.


@pytest.mark.parametrize(("lemma", "form"), SCRIPTS)
def test_all_scripts_have_their_glyphs(lemma: str, form: str) -> None:
    [alignment] = EditDistanceAligner().align([(tuple(lemma), tuple(form))])
    view = path_of(alignment.lemma, oracle(alignment))
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # matplotlib warns about missing glyphs
        figure = figures.alignments({"hard": view}, figures.phrase(lemma, "→", form))
        content = figures.drawn(figure, "svg")
    ElementTree.fromstring(content)
    assert b"<text" not in content  # all text is converted to outlines


def test_a_missing_glyph_would_be_noticed() -> None:
    view = View(("\U00020000",), ("a",), (1, 2))
    with pytest.warns(UserWarning, match="Glyph"):
        figures.drawn(figures.alignments({"hard": view}), "png")


def test_the_path_is_drawn_action_by_action() -> None:
    [alignment] = EditDistanceAligner().align([(tuple("legte"), tuple("lege"))])
    actions = oracle(alignment)
    [axes] = figures.alignments({"hard": path_of(alignment.lemma, actions)}).axes
    arrows = [a for a in axes.texts if isinstance(a, Annotation) and a.arrow_patch]
    assert all(isinstance(arrow.arrow_patch, FancyArrowPatch) for arrow in arrows)
    assert len(arrows) == sum(str(action) == "step" for action in actions) == 6
    squares = [patch for patch in axes.patches if isinstance(patch, Rectangle)]
    centres = [(round(p.get_x() + 0.3), round(p.get_y() + 0.3)) for p in squares]
    assert centres == [(1, 0), (2, 1), (3, 2), (5, 3), (6, 4)]
    assert [t.get_text() for t in axes.get_xticklabels()] == ["begin", *"legte", "end"]
    assert [t.get_text() for t in axes.get_yticklabels()] == [*"lege", "end"]


def test_heat_is_the_weights() -> None:
    weights = np.array([[0.1, 0.7, 0.2], [0.0, 0.25, 0.75]])
    [axes] = figures.alignments({"soft": View(("a",), ("b",), (1, 2), weights)}).axes
    [mesh] = axes.collections
    assert mesh.get_array().ravel().tolist() == weights.ravel().tolist()
    assert mesh.get_clim() == (0, 1)


@pytest.mark.parametrize("kind", ["svg", "png", "pdf"])
def test_the_same_numbers_give_the_same_file(tmp_path: Path, kind: str) -> None:
    view = View(("a", "b"), ("b",), (2, 3))
    for name in ("one", "two"):
        figures.save(figures.alignments({"hard": view}, "a"), tmp_path / f"{name}.{kind}")
    assert (tmp_path / f"one.{kind}").read_bytes() == (tmp_path / f"two.{kind}").read_bytes()


def test_an_unknown_kind_of_file(tmp_path: Path) -> None:
    figure = figures.alignments({"hard": View(("a",), ("a",), (1,))})
    with pytest.raises(StepwriteError, match=r"x\.bmp: the file name must end in"):
        figures.save(figure, tmp_path / "x.bmp")


def test_a_very_long_word_has_a_figure_of_bounded_size() -> None:
    view = View(("a",) * 500, ("a",) * 3, (1, 2, 3))
    figure = figures.alignments({"hard": view})
    assert max(figure.get_size_inches()) <= figures.WIDEST


# The report.


def test_the_report_of_two_models(tmp_path: Path, models: dict[str, str], stepwrite) -> None:
    out = tmp_path / "report"
    words = ["--hard", models["hard"], "--soft", models["soft"]]
    data = ["--data", str(tmp_path / "dev.tsv"), "--train", str(tmp_path / "dev.tsv")]
    ran = stepwrite("analyse", *words, *data, "--out", str(out))
    assert ran.code == 0
    assert ran.out == f"{out / 'report.html'}\n"
    page = (out / "report.html").read_text()
    links = re.findall(r'(?:src|href)="([^"]*)"', page) + re.findall(r"url\(([^)]*)\)", page)
    assert links
    inside = {link for link in links if link.startswith("#")}
    assert all(link.startswith("data:image/png") for link in set(links) - inside)
    ids = re.findall(r'\bid="([^"]*)"', page)
    assert len(set(ids)) == len(ids)
    assert {link[1:] for link in inside} <= set(ids)
    for part in ("Learning curves", "Alignments", "Representations", "Mistakes"):
        assert f">{part}</h2>" in page
    assert "no words short enough" not in page
    svgs = {path.stem for path in out.glob("*.svg")}
    assert svgs == {path.stem for path in out.glob("*.png")}
    assert page.count("<svg") == len(svgs)
    assert {"learning-curves", "representations", "mistakes-by-kind", "alignment-1"} <= svgs
    learning = numbers(out / "learning.tsv")
    assert [float(cell) for cell in learning["dev, best epoch (%)"][::3]] == [77.5, 77.5]
    gap = learning["train minus dev at that epoch (points)"]
    assert float(gap[0]) == pytest.approx((20 + 22) / 2)
    claims = (out / "claims.tsv").read_text()
    assert "Soft attention is nearly monotone" in claims
    assert numbers(out / "accuracy-by-lemma.tsv")["seen"][0] == "20"
    counts = numbers(out / "mistakes-by-kind.tsv")
    n_wrong = sum(int(row[0]) for kind, row in counts.items() if kind != "mistake")
    assert n_wrong == len((out / "mistakes-hard.tsv").read_text().splitlines()) - 1


@pytest.mark.parametrize("attention", ["hard", "soft"])
def test_one_model_alone(tmp_path: Path, models: dict[str, str], stepwrite, attention: str) -> None:
    (tmp_path / "words.tsv").write_text("go\tV;PST\nseeX\tV;PRS\n")
    ran = stepwrite(
        *("analyse", f"--{attention}", models[attention], "--data", str(tmp_path / "dev.tsv")),
        *("--words", str(tmp_path / "words.tsv"), "--out", str(tmp_path / "out")),
    )
    assert ran.code == 0
    assert len(list((tmp_path / "out").glob("alignment-*.svg"))) == 2
    page = (tmp_path / "out" / "report.html").read_text()
    assert ("The paper's claims" in page) == (attention == "soft")  # one claim needs one model
    assert "Not available: seen and unseen lemmas: give the training data with --train" in page
    assert ("a hard model only moves forward" in page) == (attention == "hard")


def test_gaps_are_said(tmp_path: Path, random_model: MakeModel, stepwrite) -> None:
    """A model without history, with another alphabet, unknown words and features."""
    save_model(tmp_path / "hard", random_model(members=2), HISTORY, "")
    (tmp_path / "hard" / "history.tsv").unlink()
    other = random_model(words=(("gox", "goxes"), ("es", "zes")), kind="soft")
    save_model(tmp_path / "soft", other, "member\tepoch\tdev_accuracy\n1\t1\t0.5\n", "")
    (tmp_path / "dev.tsv").write_text(ROWS + "日本\tV;FUT\t日本\n")
    ran = stepwrite(
        *("analyse", "--hard", str(tmp_path / "hard"), "--soft", str(tmp_path / "soft")),
        *("--data", str(tmp_path / "dev.tsv"), "--out", str(tmp_path / "out")),
    )
    assert ran.code == 0
    page = (tmp_path / "out" / "report.html").read_text()
    assert "history.tsv: no learning curve: No such file or directory" in page
    assert "the history has no train accuracy" in page
    assert "The hard model has never seen some symbol of 1 of the 21 lemmas" in page
    assert "has never seen 1 of the feature values and ignores them: &#x27;tense=FUT&#x27;" in page
    assert "Not all of the models know" in page
    assert numbers(tmp_path / "out" / "mistakes-by-kind.tsv").keys() >= {"unseen symbol"}


def test_three_kinds_side_by_side(
    tmp_path: Path, models: dict[str, str], random_model: MakeModel, stepwrite
) -> None:
    save_model(tmp_path / "edit", random_model(kind="edit", members=2, seed=3), HISTORY, "")
    ran = stepwrite(
        *("analyse", "--edit", str(tmp_path / "edit")),
        *("--hard", models["hard"], "--soft", models["soft"]),
        *("--data", str(tmp_path / "dev.tsv"), "--out", str(tmp_path / "out")),
    )
    assert ran.code == 0, ran.err
    out = tmp_path / "out"
    assert numbers(out / "accuracy.tsv")[""][::3] == ["edit", "hard", "soft"]
    pairs = ("edit-hard", "edit-soft", "hard-soft")
    assert all((out / f"disagreement-{pair}.tsv").exists() for pair in pairs)
    page = (out / "report.html").read_text()
    assert "<h1>Edit transducer and hard attention and soft attention</h1>" in page


def test_words_that_no_model_can_read(tmp_path: Path, models: dict[str, str], stepwrite) -> None:
    (tmp_path / "dev.tsv").write_text("日本\tV;PST\t日本\n語\tV;PST\t語\n")
    ran = stepwrite(
        *("analyse", "--hard", models["hard"], "--soft", models["soft"]),
        *("--data", str(tmp_path / "dev.tsv"), "--out", str(tmp_path / "out")),
    )
    assert ran.code == 0
    assert "Representations: not available: too few characters" in ran.err


def test_different_symbols_are_not_compared(random_model: MakeModel) -> None:
    from stepwrite import Inflector

    subjects = [
        Subject(name, Path(name), Inflector(random_model(kind=name, segmentation=cut)))
        for name, cut in (("hard", Segmentation()), ("soft", Segmentation(form_spaced=True)))
    ]
    with pytest.raises(StepwriteError, match="different symbols"):
        report.analyse(subjects, [Example("go", "V;PST", "went")])
    with pytest.raises(StepwriteError, match="nothing to analyse"):
        report.analyse(subjects[:1], [])


@pytest.mark.parametrize(
    ("arguments", "content", "code", "message"),
    [
        ([], ROWS, 2, "give --edit, --hard or --soft, or several of them"),
        (["--hard", "{soft}"], ROWS, 1, "a model of kind soft: give it as --soft"),
        (["--hard", "absent/model"], ROWS, 1, "absent/model: no such model directory"),
        (["--hard", "{hard}"], "", 1, "dev.tsv: no rows"),
        (["--hard", "{hard}", "--words", "absent.tsv"], ROWS, 1, "absent.tsv: can't be read"),
        (["--hard", "{hard}", "--train", "-", "--words", "-"], ROWS, 2, "only one of the files"),
        (["--hard", "{hard}", "--spaced", "both"], ROWS, 2, "--spaced can't be used here"),
    ],
)
def test_mistakes_of_users(
    tmp_path: Path,
    models: dict[str, str],
    stepwrite,
    arguments: list[str],
    content: str,
    code: int,
    message: str,
) -> None:
    (tmp_path / "dev.tsv").write_text(content)
    filled = [argument.format(**models) for argument in arguments]
    out = tmp_path / "out"
    ran = stepwrite("analyse", *filled, "--data", str(tmp_path / "dev.tsv"), "--out", str(out))
    assert ran.code == code
    assert message in ran.err
    assert not out.exists()


def test_without_matplotlib(
    tmp_path: Path, models: dict[str, str], stepwrite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for arguments in (
        ["analyse", "--hard", models["hard"], "--data", str(tmp_path / "dev.tsv"), "--out", "x"],
        ["inflect", models["hard"], "go", "V;PST", "--explain", "--plot", "x.svg"],
    ):
        ran = stepwrite(*arguments)
        assert ran.code == 1
        assert ran.err == "stepwrite: drawing needs matplotlib: pip install 'stepwrite[analyse]'\n"


# Drawing one word with the other commands.


@pytest.mark.parametrize("attention", ["hard", "soft"])
def test_inflect_draws(tmp_path: Path, models: dict[str, str], stepwrite, attention: str) -> None:
    path = tmp_path / "go.svg"
    arguments = ("inflect", models[attention], "go", "V;PST", "--explain")
    ran = stepwrite(*arguments, "--plot", str(path))
    assert ran.code == 0
    assert ran.out == stepwrite(*arguments).out
    ElementTree.parse(path)


def test_align_draws(tmp_path: Path, stepwrite) -> None:
    rows = "legen\tlegt\tV;PRS\nflog\tfliege\tV;PRS\n"
    paths = [tmp_path / f"{k}.png" for k in range(3)]
    chosen = [[], ["--word", "flog"], ["--word", "legen"]]
    for path, word in zip(paths, chosen, strict=True):
        ran = stepwrite("align", "--aligner", "edit", "-", "--plot", str(path), *word, stdin=rows)
        assert ran.code == 0
    first, second, third = (path.read_bytes() for path in paths)
    assert first == third != second
    ran = stepwrite("align", "-", "--plot", str(paths[0]), "--word", "Flug", stdin=rows)
    assert (ran.code, ran.err.splitlines()[-1]) == (
        1,
        "stepwrite: <stdin>: no row has the lemma 'Flug'",
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ["inflect", "{hard}", "go", "V;PST", "--plot", "x.svg"],
        ["inflect", "{hard}", "--file", "-", "--explain", "--plot", "x.svg"],
        ["inflect", "{hard}", "go", "V;PST", "--explain", "--plot", "x.txt"],
        ["align", "-", "--word", "go"],
    ],
)
def test_misused_plot(models: dict[str, str], stepwrite, arguments: list[str]) -> None:
    ran = stepwrite(*(argument.format(**models) for argument in arguments), stdin=ROWS)
    assert ran.code == 2
    assert not Path("x.svg").exists()
