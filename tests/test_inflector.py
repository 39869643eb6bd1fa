"""The façade: votes, scores, threads, and strings that nobody expects."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from math import exp, log
from pathlib import Path

import pytest

from stepwrite import Alternative, Inflector, Prediction, UnknownFeatureWarning, load
from stepwrite.data.segmentation import Segmentation
from stepwrite.errors import StepwriteError
from stepwrite.inference.hypothesis import Hypothesis
from stepwrite.inference.voting import Tie, log_add
from stepwrite.model import ensemble as module
from stepwrite.model.directory import Model
from stepwrite.morphology.cells import Cells
from stepwrite.transducer.actions import Copy, End, Step, Write, execute

MakeModel = Callable[..., Model]


@pytest.fixture(scope="module")
def inflector(trained_model: Path) -> Inflector:
    return load(trained_model)


@pytest.fixture
def vote(random_model: MakeModel, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Prediction]:
    """The vote of members who say what they are told.

    A member is a list of guesses "n-steps form probability", best first.
    """

    def voted(
        *members: Sequence[str],
        tie: str = "score",
        n_best: int = 1,
        segmentation: Segmentation = Segmentation(),
    ) -> Prediction:
        form = "a b long" if segmentation.form_spaced else "abcdef"
        model = random_model(
            words=(("lemma", form),), members=len(members), segmentation=segmentation
        )
        inflector = Inflector(model, tie=tie)
        said = dict(zip(map(id, inflector._ensemble._networks), members, strict=True))

        def hypothesis(guess: str) -> Hypothesis:
            n_steps, form, probability = guess.split("|")
            writes = map(Write, segmentation.form(form))
            actions = [*[Step()] * int(n_steps), *writes, End()]
            ids = tuple(map(model.vocabulary.action_id, actions))
            positions = execute("lemma", actions).positions
            return Hypothesis(ids, positions, log(float(probability)), complete=True)

        def beam(
            network: object, lemmas: list[object], rows: object, width: int
        ) -> list[list[Hypothesis]]:
            return [list(map(hypothesis, said[id(network)][:width])) for _ in lemmas]

        def greedy(network: object, lemmas: list[object], rows: object) -> list[Hypothesis]:
            return [hypothesis(said[id(network)][0]) for _ in lemmas]

        monkeypatch.setattr(module, "beam", beam)
        monkeypatch.setattr(module, "greedy", greedy)
        return inflector("lemma", "V;PST", n_best=n_best)

    return voted


def test_majority_wins(vote) -> None:
    found = vote(["0|a|.1"], ["0|b|.9"], ["1|a|.2"])
    assert (found.form, found.votes) == ("a", 2)
    # The surest member's derivation is the one shown.
    assert found.actions == (Step(), Write("a"), End())
    assert found.positions == (0, 1, 1)
    # The member that did not come upon the form counts as zero.
    assert exp(found.score) == pytest.approx((0.1 + 0.2) / 3)
    assert (found.lemma, found.features, found.alternatives) == ("lemma", "V;PST", ())


def test_ties_by_total_log_probability(vote) -> None:
    said = (["0|aa|.5"], ["0|aa|.5"], ["0|b|.2"], ["0|b|.9"], ["0|c|.99"])
    # log(.5) + log(.5) > log(.9) + log(.2), although .5 + .5 < .9 + .2.
    assert vote(*said).form == "aa"
    assert vote(*said, tie="shortest").form == "aa"  # two votes: no case for the authors' rule
    assert vote(["0|aa|.3"], ["0|b|.2"], ["0|ccc|.4"]).form == "ccc"


def test_ties_by_the_authors_rule(vote) -> None:
    said = (["0|aa|.3"], ["0|b|.2"], ["0|ccc|.4"])
    assert vote(*said, tie="shortest").form == "b"
    # Of two that are as short, the likelier.
    assert vote(*said, ["0|d|.25"], tie="shortest").form == "d"
    # What no member has chosen is no candidate, however short.
    found = vote(["0|aa|.3", "0|f|.2"], ["0|bb|.4", "0|f|.2"], tie="shortest", n_best=2)
    assert found.form == "bb"


def test_the_authors_rule_counts_symbols(vote) -> None:
    spaced = Segmentation(form_spaced=True)
    found = vote(["0|a b|.4"], ["0|long|.2"], tie="shortest", segmentation=spaced)
    assert found.form == "long"


def test_derivations_of_one_form_add_up(vote) -> None:
    found = vote(["0|a|.3", "0|b|.25", "1|b|.2"], n_best=3)
    assert found.form == "b"
    assert exp(found.score) == pytest.approx(0.45)
    assert found.actions == (Write("b"), End())
    assert found.alternatives == (Alternative("a", pytest.approx(log(0.3))),)


def test_alternatives_by_average_probability(vote) -> None:
    members = (
        ["0|a|.5", "0|b|.3", "0|c|.1"],
        ["0|a|.5", "0|c|.4", "0|d|.05"],
        ["0|e|.9", "0|b|.05", "0|a|.01"],
    )
    found = vote(*members, n_best=3)
    assert (found.form, found.votes) == ("a", 2)
    assert exp(found.score) == pytest.approx(1.01 / 3)
    # b: .35, c: .5, e: .9, each by 3; d does not fit in any more.
    assert [alternative.form for alternative in found.alternatives] == ["e", "c"]
    assert [exp(a.score) for a in found.alternatives] == pytest.approx([0.9 / 3, 0.5 / 3])
    assert len(vote(*members, n_best=2).alternatives) == 1


def test_scores_below_any_double() -> None:
    """As words of thousands of symbols have; log(exp(-5000)) would be minus infinity."""
    found = log_add(-5000.0, -5000.0)
    assert found == pytest.approx(-5000 + log(2))
    assert log_add(float("-inf"), -3.0) == -3.0
    assert log_add(0.0, -800.0) == 0.0


@pytest.mark.parametrize("tie", ["score", "shortest"])
def test_each_member_and_the_vote_from_one_decoding(inflector: Inflector, tie: Tie) -> None:
    several = Inflector(inflector.model, tie=tie, lexicon="off")
    pairs = [(lemma, features) for lemma in ("garden", "go", "zzz") for features in ("V;PST", "")]
    alone, together = several.each_and_vote(pairs)
    assert together == [prediction.form for prediction in several.batch(pairs)]
    assert alone == [[p.form for p in member.batch(pairs)] for member in several.members]


def test_inflects(inflector: Inflector) -> None:
    found = inflector("garden", "V;PST")
    assert (found.form, found.votes) == ("gardened", 2)
    assert -2 < found.score < 0
    assert "".join(execute("garden", found.actions).form) == found.form
    assert execute("garden", found.actions).positions == found.positions
    assert inflector("garden", "N;PL").form == "gardens"


def test_n_best(inflector: Inflector) -> None:
    found = inflector("garden", "N;PL", n_best=4)
    assert found.form == "gardens"
    assert 1 <= len(found.alternatives) <= 3
    scores = [alternative.score for alternative in found.alternatives]
    assert scores == sorted(scores, reverse=True)
    forms = [found.form, *(alternative.form for alternative in found.alternatives)]
    assert len(set(forms)) == len(forms)
    assert inflector("garden", "N;PL", beam=4).form == "gardens"
    assert inflector("garden", "N;PL", beam=4).alternatives == ()


@pytest.mark.parametrize("wanted", [{"n_best": 0}, {"beam": 0}, {"n_best": -1, "beam": 3}])
def test_impossible_wishes(inflector: Inflector, wanted: dict[str, int]) -> None:
    with pytest.raises(StepwriteError, match="1 or more"):
        inflector("a", **wanted)


@pytest.mark.parametrize("n_best", [1, 3])
def test_batch_equals_single_calls(inflector: Inflector, n_best: int) -> None:
    pairs = [("ab" * k + "t", ("V;PST", "N;PL", "")[k % 3]) for k in range(25)]
    together = inflector.batch(iter(pairs), n_best=n_best)
    for pair, found in zip(pairs, together, strict=True):
        alone = inflector(*pair, n_best=n_best)
        assert (found.form, found.actions, found.votes) == (alone.form, alone.actions, alone.votes)
        assert found.score == pytest.approx(alone.score, abs=1e-4)
        assert (found.lemma, found.features) == pair
    assert inflector.batch([]) == []


@pytest.fixture
def warned() -> Iterator[list[str]]:
    """The warnings given, from whatever thread; `pytest.warns` is not made for threads."""
    messages: list[str] = []
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = lambda message, category, *rest, **others: (
            messages.append(str(message)) if category is UnknownFeatureWarning else None
        )
        yield messages


def test_threads_share_one(trained_model: Path, warned: list[str]) -> None:
    """Eight threads get what one after the other gets, and each unknown value warns once."""
    pairs = [(f"ab{'t' * (k % 7)}", f"N;PL;GEN;FOO{k % 5}") for k in range(50)]
    alone = [load(trained_model, unknown_features="ignore")(*pair) for pair in pairs]
    warned.clear()
    shared = load(trained_model, unknown_features="ignore")
    start = threading.Barrier(8)

    def work(number: int) -> list[Prediction]:
        start.wait()
        return [shared(*pair) for pair in pairs]

    with ThreadPoolExecutor(8) as pool:
        for found in pool.map(work, range(8)):
            assert found == alone
    assert len(warned) == len(set(warned)) == 6
    assert sum("'FOO3'" in message for message in warned) == 1
    assert sum("'case=GEN'" in message for message in warned) == 1


def test_warning_points_at_the_caller(trained_model: Path) -> None:
    inflector = load(trained_model, unknown_features="ignore")
    with pytest.warns(UnknownFeatureWarning, match="'case=ERG'") as caught:
        assert inflector("garden", "N;PL;ERG").form == "gardens"
    assert caught[0].filename == __file__
    with pytest.warns(UnknownFeatureWarning, match="'case=ABL'") as caught:
        inflector.batch([("garden", "N;PL;ABL")])
    assert caught[0].filename == __file__
    unseen = replace(inflector.model, cells=Cells.fit([("garden", "N;PL;DAT")]))
    with pytest.warns(UnknownFeatureWarning, match="'case=DAT'") as caught:
        Inflector(unseen).paradigm("garden")
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        inflector("garden", "N;ERG;PL")
        inflector("garden")  # no features are nothing unknown


@pytest.mark.parametrize(
    "lemma",
    [
        "жук",
        "a字b",
        "ß",
        "👩‍👩‍👧‍👦",  # one picture, seven code points
        "x🏳️‍🌈y",
        "مكتب",
        "שָׁלוֹם",
        "a\u202eb\u202c",  # right to left, and back
        "a\0b",
        "\x1b[31m\x07",
        "a\tb",
        "a\r\nb",
        " ",
        "\ufeffa",
        "e\u0301\u0323",  # NFC puts the marks in order
        "\U0010ffff\ue000",
        "*<>",
    ],
    ids=ascii,
)
def test_unseen_symbols_survive(inflector: Inflector, lemma: str) -> None:
    found = Inflector(inflector.model, any_script=True)(lemma, "N;PL")
    symbols = inflector.model.segmentation.lemma(lemma)
    assert found.form == "".join(symbols) + "s"
    assert found.lemma == lemma
    assert Copy() in found.actions


@pytest.mark.parametrize(
    "features", ["", ";;;", "pos=N", "(((", "V;PST" * 500, "\0", "👩", "N;PL;N"]
)
@pytest.mark.filterwarnings("ignore::stepwrite.inflector.UnknownFeatureWarning")
def test_features_nobody_has_heard_of(inflector: Inflector, features: str) -> None:
    found = Inflector(inflector.model, unknown_features="ignore")("garden", features)
    assert found.form
    understood = {"pos=N": "N;PL", "N;PL;N": "N;PL"}
    assert found.features == understood.get(features, features)


@pytest.mark.parametrize("segmentation", [Segmentation(), Segmentation(lemma_spaced=True)])
def test_empty_lemma(random_model: MakeModel, segmentation: Segmentation) -> None:
    inflector = Inflector(random_model(segmentation=segmentation))
    with pytest.raises(StepwriteError, match="the lemma is empty"):
        inflector("", "V;PST")
    if segmentation.lemma_spaced:
        with pytest.raises(StepwriteError, match="the lemma is empty"):
            inflector(" \t")


@pytest.mark.parametrize("pair", [("a\ud800", ""), ("\udcff", "V;PST"), ("a", "V;\udfff")])
def test_half_characters(random_model: MakeModel, pair: tuple[str, str]) -> None:
    with pytest.raises(StepwriteError, match="UTF-8") as caught:
        Inflector(random_model())(*pair)
    str(caught.value).encode()  # the message itself can be written


def test_spaced_symbols(random_model: MakeModel) -> None:
    segmentation = Segmentation(form_spaced=True)
    model = random_model(words=(("go", "g oʊ"),), bundles=("",), segmentation=segmentation)
    found = Inflector(model)("go")
    written = [action.symbol for action in found.actions if isinstance(action, Write)]
    assert {"oʊ", "g"} >= set(written)
    assert found.form == " ".join(execute("go", found.actions).form)


@pytest.mark.parametrize("n_best", [1, 3])
def test_long_lemmas_have_their_limit(random_model: MakeModel, n_best: int) -> None:
    """10,000 symbols, and a network that never says it is done."""
    model = random_model()
    model.members[0]["output_bias"][0] = -50
    for length in (1_000, 10_000):
        found = Inflector(model)("go" * (length // 2), n_best=n_best)
        assert len(found.actions) == 4 * (length + 2)
