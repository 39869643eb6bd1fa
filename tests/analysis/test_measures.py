"""The measures of an analysis, against values computed by hand or plain implementations."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from stepwrite import Inflector, Prediction
from stepwrite.analysis import curves, errors, representations
from stepwrite.analysis.alignments import View, choose, path_of, view
from stepwrite.analysis.attention import agreement, monotony
from stepwrite.analysis.claims import Claim
from stepwrite.analysis.estimates import T95, difference, over_members
from stepwrite.analysis.tables import Table
from stepwrite.data.examples import Example
from stepwrite.errors import DataError, StepwriteError
from stepwrite.evaluation.metrics import Estimate
from stepwrite.model.directory import Model
from stepwrite.transducer.actions import Copy, End, Step, Write, execute

MakeModel = Callable[..., Model]
WORDS = ["sees", "go", "gose", "es", "gogogo", "ose"]


# Means over members.


def test_students_t() -> None:
    assert pytest.approx(stats.t.ppf(0.975, range(1, 21)), abs=6e-4) == T95


def test_interval_over_members() -> None:
    values = [0.81, 0.84, 0.8, 0.86, 0.83]
    low, high = stats.t.interval(0.95, 4, np.mean(values), stats.sem(values))
    assert over_members(values) == pytest_estimate(np.mean(values), low, high)


def test_interval_of_a_difference() -> None:
    a, b = [0.9, 0.92, 0.88, 0.91, 0.93], [0.7, 0.8, 0.75, 0.85, 0.72]
    found = difference(a, b)
    test = stats.ttest_ind(a, b, equal_var=False)
    freedom = math.floor(test.df)  # rounded down, which makes the interval a little wider
    error = (np.mean(a) - np.mean(b)) / test.statistic
    half = stats.t.ppf(0.975, freedom) * error
    assert found == pytest_estimate(np.mean(a) - np.mean(b), found.value - half, found.value + half)


def test_one_member_has_no_interval() -> None:
    assert math.isnan(over_members([0.5]).low)
    assert math.isnan(difference([0.5], [0.1, 0.2]).high)
    assert Claim("", "", "hard", [0.9], [0.1]).verdict == "undecided: one member"


def test_equal_members_decide() -> None:
    assert difference([1.0, 1.0], [1.0, 1.0]) == Estimate(0.0, 0.0, 0.0)
    claim = Claim("", "", "", soft=[0.99, 0.99], limit=0.95)
    assert claim.verdict == "holds"
    assert Claim("", "", "", soft=[0.9, 0.9], limit=0.95).verdict == "does not hold"


def pytest_estimate(value: float, low: float, high: float) -> object:
    class Near:
        def __eq__(self, other: object) -> bool:
            assert isinstance(other, Estimate)
            found = (other.value, other.low, other.high)
            return found == pytest.approx((value, low, high), rel=1e-3)

    return Near()


# Learning curves.

HISTORY = (
    "member\tepoch\tloss\ttrain_accuracy\tdev_accuracy\tseconds\n"
    "1\t1\t0.5\t\t\t1.0\n"
    "1\t2\t0.4\t0.90\t0.60\t1.0\n"
    "1\t4\t0.3\t1.00\t0.80\t1.0\n"
    "2\t2\t0.4\t0.96\t0.50\t1.0\n"
    "2\t4\t0.3\t0.98\t0.40\t1.0\n"
)


def test_curves_by_hand(tmp_path: Path) -> None:
    (tmp_path / "history.tsv").write_text(HISTORY)
    points = curves.read_points(tmp_path)
    assert [(p.member, p.epoch) for p in points] == [(1, 2), (1, 4), (2, 2), (2, 4)]
    dev = curves.spread(points, lambda point: point.dev)
    assert [(s.epoch, s.members) for s in dev] == [(2, 2), (4, 2)]
    assert [s.mean for s in dev] == pytest.approx([0.55, 0.6])
    assert [s.deviation for s in dev] == pytest.approx([0.1 / 2**0.5, 0.4 / 2**0.5])
    first, second = curves.fits(points)
    assert (first.epoch, first.dev, first.fitted_at) == (4, 0.8, 4)
    assert (second.epoch, second.dev, second.fitted_at) == (2, 0.5, 2)
    assert [first.gap, second.gap] == pytest.approx([0.2, 0.46])


def test_a_history_without_train(tmp_path: Path) -> None:
    (tmp_path / "history.tsv").write_text("member\tepoch\tdev_accuracy\n1\t1\t0.5\n")
    points = curves.read_points(tmp_path)
    assert points == [curves.Point(1, 1, None, 0.5)]
    assert curves.spread(points, lambda point: point.train) == []
    assert curves.fits(points)[0].gap is None


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "no learning curve: No such file"),
        ("", "no accuracy was recorded"),
        ("member\tepoch\tdev_accuracy\n1\t1\t\n", "no accuracy was recorded"),
        ("member\tepoch\tdev_accuracy\n1\tx\t0.5\n", "history.tsv, line 2: not a history row"),
        ("member\tepoch\tdev_accuracy\n1\n", "history.tsv, line 2: not a history row"),
        (b"\xff", "not UTF-8"),
    ],
)
def test_a_bad_history(tmp_path: Path, content: str | bytes | None, message: str) -> None:
    if content is not None:
        (tmp_path / "history.tsv").write_bytes(
            content if isinstance(content, bytes) else content.encode()
        )
    with pytest.raises(DataError, match=message):
        curves.read_points(tmp_path)


# Alignments.


@pytest.mark.parametrize("attention", ["hard", "soft"])
def test_a_view_is_what_was_done(random_model: MakeModel, attention: str) -> None:
    for seed, lemma in itertools.product(range(3), WORDS):
        inflector = Inflector(random_model(kind=attention, seed=seed))
        prediction = inflector(lemma, "V;PST", attention=True)
        seen = view(prediction)
        assert "".join(seen.form) == prediction.form
        assert seen.ended == (prediction.actions[-1] == End())
        if attention == "hard":
            done = execute(lemma, prediction.actions)
            pairs = zip(prediction.actions, done.positions, strict=True)
            assert seen.positions == tuple(p for action, p in pairs if action != Step())
            assert seen.weights is None
        else:
            assert seen.weights is not None
            assert seen.weights.shape == (len(seen.positions), len(lemma) + 2)
            assert seen.weights.sum(axis=1) == pytest.approx(1, abs=1e-5)
            assert seen.weights.argmax(axis=1).tolist() == list(seen.positions)


@pytest.mark.parametrize(("attested", "source"), [(True, "lexicon"), (None, "rules")])
def test_a_form_that_no_network_wrote_has_no_view(attested: bool | None, source: str) -> None:
    prediction = Prediction("go", "", "went", 0.0, 0, (), (), attested=attested)
    with pytest.raises(StepwriteError, match=f"'went' comes from the {source}"):
        view(prediction)


def test_words_are_chosen_from_both_sides() -> None:
    gold = [Example(f"w{k}", "", f"f{k}") for k in range(40)] + [Example("x" * 30, "", "y")]
    hard = [example.form if k % 2 else "no" for k, example in enumerate(gold)]
    soft = [example.form if k % 3 else "never" for k, example in enumerate(gold)]
    chosen = choose(gold, [hard, soft], ["hard", "soft"], n_each=4)
    assert [c.reason for c in chosen[:4]] == ["both are right"] * 4
    assert all(c.row % 2 and c.row % 3 for c in chosen[:4])
    assert len(chosen) == 8
    for choice in chosen[4:]:
        assert hard[choice.row] != soft[choice.row]
        right = [n for n, f in (("hard", hard), ("soft", soft)) if f[choice.row][0] == "f"]
        expected = f"only {right[0]} is right" if right else "they differ, both are wrong"
        assert choice.reason == expected
    assert chosen == choose(gold, [hard, soft], ["hard", "soft"], n_each=4)
    assert {c.reason for c in choose(gold, [hard], ["hard"])} == {"right", "wrong"}
    assert choose(gold[-1:], [["y"]], ["hard"]) == []


# Statistics of attention.


def soft_view(form: str, positions: tuple[int, ...], peak: float = 1.0) -> View:
    weights = np.full((len(positions), 5), (1 - peak) / 4)
    weights[np.arange(len(positions)), positions] = peak
    return View(tuple("abc"), tuple(form), positions, weights)


def test_monotony_by_hand() -> None:
    views = [
        soft_view("xyz", (1, 2, 2, 4), 0.6),  # two moves, none back
        soft_view("xyz", (3, 1, 2, 0), 0.9),  # one of two back; the end does not count
        soft_view("x", (2, 4), 0.8),  # no move
        soft_view("", (4,)),  # nothing written
    ]
    found = monotony(views)
    assert found is not None
    assert (found.moves, found.words) == pytest.approx((3 / 4, 2 / 3))
    assert found.peak == pytest.approx((3 * 0.6 + 3 * 0.9 + 0.8) / 7)
    assert monotony(views[3:]) is None


def test_agreement_by_hand() -> None:
    hard = path_of(
        tuple("abc"), [Step(), Write("x"), Step(), Copy(), Step(), Step(), Write("z"), End()]
    )
    assert hard.positions == (1, 2, 4, 4)
    soft = soft_view("xbz", (1, 4, 3, 0), 0.6)
    found = agreement([hard, hard], [soft, soft_view("other", (1, 1, 1, 1, 1))])
    assert found is not None
    assert (found.words, found.outputs) == (1, 3)
    assert (found.same, found.near, found.diagonal) == pytest.approx((1 / 3, 2 / 3, 2 / 3))
    assert found.weight == pytest.approx((0.6 + 0.1 + 0.1) / 3)
    assert agreement([hard], [soft_view("other", (1, 1, 1, 1, 1))]) is None


# Representations.


def test_projection_against_the_covariance() -> None:
    points = np.random.default_rng(1).normal(size=(60, 7)) * np.arange(1, 8)
    plane = representations.project(points)
    values, vectors = np.linalg.eigh(np.cov(points.T))
    centred = points - points.mean(axis=0)
    for k in (0, 1):
        axis = centred @ vectors[:, -1 - k]
        assert np.abs(plane[:, k]) == pytest.approx(np.abs(axis))
        assert plane[:, k].var(ddof=1) == pytest.approx(values[-1 - k])
    assert plane == pytest.approx(representations.project(points[:, ::-1]))


@pytest.mark.parametrize("attention", ["hard", "soft"])
def test_states_are_those_of_each_word_alone(random_model: MakeModel, attention: str) -> None:
    member = Inflector(random_model(kind=attention))
    lemmas = tuple(map(tuple, WORDS))
    words, places = np.array([4, 0, 2, 4, 5]), np.array([6, 1, 4, 1, 2])
    together = representations.Characters(lemmas, words, places)
    assert together.symbols == ("o", "s", "e", "g", "s")
    assert together.from_end.tolist() == [1, 4, 1, 6, 2]
    found = representations.states(member, together)
    for row, (word, place) in enumerate(zip(words, places, strict=True)):
        alone = representations.Characters((lemmas[word],), np.array([0]), np.array([place]))
        assert representations.states(member, alone)[0] == pytest.approx(found[row], abs=1e-6)


def test_samples_keep_words_apart() -> None:
    lemmas = [tuple(f"{a}{b}x?") for a, b in itertools.product("abcdefgh", repeat=2)]
    samples = representations.sample(lemmas + lemmas, frozenset("abcdefghx"))
    assert not set(samples.fit.lemmas) & set(samples.test.lemmas)
    assert samples.test.lemmas == samples.drawn.lemmas
    assert len(samples.fit.words) == len(samples.test.words) == 32 * 3
    assert "?" not in samples.fit.symbols + samples.test.symbols
    for lemmas in ([], [tuple("ab")], [tuple("??"), tuple("?!")]):
        with pytest.raises(StepwriteError, match="too few characters"):
            representations.sample(lemmas, frozenset("abx"))


def test_ridge_against_least_squares() -> None:
    random = np.random.default_rng(2)
    inputs, targets = random.normal(size=(50, 4)), random.normal(size=(50, 2))
    # The penalty acts like four more rows, which the mean must not include.
    centred = inputs - inputs.mean(axis=0)
    rows = np.vstack([centred, representations.RIDGE**0.5 * np.eye(4)])
    goals = np.vstack([targets - targets.mean(axis=0), np.zeros((4, 2))])
    weights = np.linalg.lstsq(rows, goals)[0]
    tests = random.normal(size=(5, 4))
    expected = (tests - inputs.mean(axis=0)) @ weights + targets.mean(axis=0)
    assert representations.ridge(inputs, targets, tests) == pytest.approx(expected)


def test_probes_find_what_is_planted_and_nothing_else() -> None:
    random = np.random.default_rng(3)
    fit, test = random.normal(size=(400, 10)), random.normal(size=(200, 10))
    hidden = random.normal(size=(10, 3))
    letters = [
        np.array(list("abc"))[(part @ hidden).argmax(axis=1)].tolist() for part in (fit, test)
    ]
    assert representations.read_symbols(fit, letters[0], test, letters[1]) > 0.85
    places = [np.round(part @ hidden[:, 0] * 10).astype(int) for part in (fit, test)]
    assert representations.read_places(fit, places[0], test, places[1]) > 0.99
    noise = [random.integers(1, 10, len(part)) for part in (fit, test)]
    assert representations.read_places(fit, noise[0], test, noise[1]) < 0.05
    guessed = [random.choice(list("abc"), len(part)).tolist() for part in (fit, test)]
    assert 0.2 < representations.read_symbols(fit, guessed[0], test, guessed[1]) < 0.47


def test_silhouette_against_a_plain_one() -> None:
    random = np.random.default_rng(4)
    points = random.normal(size=(40, 3))
    labels = [*random.choice(list("abcd"), 39).tolist(), "alone"]

    def plain() -> float:
        scores = []
        for point, label in zip(points, labels, strict=True):
            means = {}
            for other in set(labels):
                members = [p for p, q in zip(points, labels, strict=True) if q == other]
                total = sum(float(np.linalg.norm(point - p)) for p in members)
                means[other] = total / max(1, len(members) - (other == label))
            own = means.pop(label)
            nearest = min(means.values())
            alone = labels.count(label) == 1
            scores.append(0.0 if alone else (nearest - own) / max(own, nearest))
        return sum(scores) / len(scores)

    assert representations.silhouette(points, labels) == pytest.approx(plain())
    assert representations.silhouette(np.zeros((4, 2)), list("aabb")) == 0


# Errors.


@pytest.mark.parametrize(
    ("lemma", "gold", "predicted", "kind"),
    [
        ("fliegt", "flog", "fliegte", "other"),
        ("singt", "sang", "sing", "stem change missed"),
        ("singt", "sang", "sung", "wrong stem change"),
        ("legt", "lege", "lage", "wrong stem change"),
        ("legt", "legen", "legte", "wrong suffix"),
        ("legt", "gelegt", "belegt", "wrong prefix"),
        ("legt", "gelegt", "legt", "wrong prefix"),
        ("rennen", "rennen", "rennenen", "over-copying"),
        ("rennen", "renne", "rene", "under-copying"),
        ("handelt", "handle", "handele", "over-copying"),
        ("bin", "war", "binte", "other"),
        ("Ägypt", "ägypte", "agypte", "unseen symbol"),
        ("legt", "lege", "", "other"),
    ],
)
def test_kinds(lemma: str, gold: str, predicted: str, kind: str) -> None:
    known = frozenset("abcdefghijklmnopqrstuvwxyz")
    assert errors.kind_of(tuple(lemma), tuple(gold), tuple(predicted), known) == kind


def test_every_mistake_has_one_kind(random_model: MakeModel) -> None:
    gold = [Example("go", "V;PST", "went"), Example("see", "V;PST", "saw")]
    inflector = Inflector(random_model())
    predictions = inflector.batch([(e.lemma, e.features) for e in gold])
    right = [e._replace(form=p.form) for e, p in zip(gold, predictions, strict=True)]
    segmentation = inflector.model.segmentation
    known = frozenset("goentwsa")
    assert errors.mistakes(right, predictions, segmentation, known) == []
    found = errors.mistakes(gold, predictions, segmentation, known)
    assert [m.row for m in found] == [0, 1]
    assert all(m.kind in errors.KINDS for m in found)


def test_groups_by_hand() -> None:
    gold = [Example("a", f, "b") for f in ("N;PL", "N;SG", "V;PL", "N;PL")]
    groups = errors.groups(errors.feature_values(gold), wrong=[0, 2])
    counts = {label: (group.rows, group.wrong) for label, group in groups.items()}
    assert counts == {
        "number = PL": (3, 2),
        "part of speech = N": (3, 1),
        "part of speech = V": (1, 1),
        "number = SG": (1, 0),
    }
    assert next(iter(groups)) == "number = PL"
    assert groups["number = PL"].accuracy.value == pytest.approx(1 / 3)


# Tables.


def test_a_table_keeps_its_columns() -> None:
    rows = [("a\tb\n", 1, Estimate(0.5, math.nan, math.nan)), ("<i>", 2, None)]
    table = Table("t", ("word", "rows", "R²"), rows)
    lines = [line.split("\t") for line in table.tsv().splitlines()]
    assert {len(line) for line in lines} == {5}
    assert lines[1] == ["a\\tb\\n", "1", "0.5", "", ""]
    assert "&lt;i&gt;" in table.html()
    assert "nan" not in table.html()
