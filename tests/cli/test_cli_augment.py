"""`stepwrite augment`: new words keep what decides the form, and come out as they went in."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from stepwrite.data.examples import Example, open_examples

ROWS = "\n".join(
    f"{stem}en\tge{stem}t\tV.PTCP;PST" for stem in ("mach", "wander", "spiel", "red", "kauf")
)
NOUNS = "Kind\tKinder\tN;PL\nFenster\tFenster\tN;PL\nBild\tBilder\tN;PL\n"


@pytest.fixture
def augment(stepwrite):
    return lambda *arguments, stdin=ROWS: stepwrite("augment", *arguments, "-", stdin=stdin)


def rows_of(out: str) -> list[Example]:
    return [
        Example(lemma, features, form)
        for lemma, form, features in (line.split("\t") for line in out.splitlines())
    ]


def test_hallucinated_stems_are_the_same_in_lemma_and_form(augment) -> None:
    ran = augment("--format", "tsv")
    assert ran.code == 0
    assert ran.err == "<stdin>: layout unimorph (lemma, form, features)\n"
    new = rows_of(ran.out)
    assert len(new) == 5
    for line, (lemma, features, form) in zip(ROWS.splitlines(), new, strict=True):
        old = line.split("\t")
        assert (lemma[0], features) == (old[0][0], old[2])
        assert lemma.endswith("en")
        assert form == f"ge{lemma[:-2]}t"
        assert abs(len(lemma) - len(old[0])) <= 1
    assert {row.lemma for row in new}.isdisjoint(line.split("\t")[0] for line in ROWS.splitlines())


STEMS = [f"{c}{v}m{w}t" for c in "bdgk" for v in "ae" for w in "aeou"]


def test_harmony_keeps_the_vowels(augment) -> None:
    endings = ("ban" if stem[3] in "aou" else "ben" for stem in STEMS)
    rows = "".join(
        f"{s}\t{s}{ending}\tN;IN+ESS\n" for s, ending in zip(STEMS, endings, strict=True)
    )
    arguments = ("--format", "tsv", "-n", "0")
    for chosen in (), ("--harmony",):  # by default it is found in the words
        new = rows_of(augment(*chosen, *arguments, stdin=rows).out)
        assert [(row.lemma[1], row.lemma[3]) for row in new] == [(s[1], s[3]) for s in STEMS]
    new = rows_of(augment("--no-harmony", *arguments, stdin=rows).out)
    assert any(row.lemma[3:4] not in "aeou" for row in new)


def test_text_has_the_words_before_and_after(augment) -> None:
    new = rows_of(augment("--format", "tsv", "-n", "2").out)
    header, *lines = augment("-n", "2").out.splitlines()
    assert header.split("  ")[0] == "lemma"
    assert [line.split() for line in lines] == [
        [*line.split("\t"), example.lemma, example.form]
        for line, example in zip(ROWS.splitlines(), new, strict=False)
    ]
    assert {line.index("V.PTCP") for line in lines} == {header.index("features")}


def test_splicing_puts_a_beginning_before_the_word(augment) -> None:
    new = rows_of(augment("--splicing", "1", "--format", "tsv", stdin=NOUNS).out)
    for line, (lemma, _, form) in zip(NOUNS.splitlines(), new, strict=True):
        old_lemma, old_form, _ = line.split("\t")
        n_taken = len(lemma) - len(old_lemma)
        assert n_taken > 0
        assert any(other.startswith(lemma[:n_taken]) for other in ("Kind", "Fenster", "Bild"))
        assert lemma[:n_taken] == form[:n_taken]
        assert (lemma[n_taken:].lower(), form[n_taken:].lower()) == (
            old_lemma.lower(),
            old_form.lower(),
        )


def test_both_can_be_asked_for(augment) -> None:
    both = augment("--splicing", "1", "--hallucination", "1", "--format", "tsv", stdin=NOUNS).out
    assert both != augment("--splicing", "1", "--format", "tsv", stdin=NOUNS).out
    assert both != augment("--hallucination", "1", "--format", "tsv", stdin=NOUNS).out


def test_what_is_not_changed_stays_as_it_is(augment) -> None:
    assert augment("--hallucination", "0", "--format", "tsv").out == f"{ROWS}\n"
    assert augment("--hallucination", "0", "-n", "1").out.splitlines()[1].split()[3:] == ["=", "="]
    decomposed = "a\u0308b\ta\u0308c\tN\n"  # too short to be changed, and so not normalised
    assert augment("--format", "tsv", stdin=decomposed).out == decomposed


def test_a_share_of_the_words_is_changed(augment) -> None:
    words = "".join(f"abc{k}def\tabc{k}defs\tN\n" for k in range(400))
    out = augment("--hallucination", "0.25", "--rows", "0", "--format", "tsv", stdin=words).out
    pairs = zip(out.splitlines(), words.splitlines(), strict=True)
    assert 60 < sum(new != old for new, old in pairs) < 140


def test_seed_and_rows(augment) -> None:
    words = "".join(f"{a}{b}cdef\t{a}{b}cdefs\tN\n" for a in "abcdefgh" for b in "stuvwxyz")
    as_tsv = ("--format", "tsv")
    first, all_rows = (augment("-n", n, *as_tsv, stdin=words).out for n in ("10", "0"))
    assert len(all_rows.splitlines()) == 64
    assert all_rows.startswith(first)
    assert len(first.splitlines()) == 10
    assert augment("-n", "10", *as_tsv, stdin=words).out == first
    assert augment("--seed", "1", *as_tsv, stdin=words).out != first
    drawn = augment("--random", *as_tsv, stdin=words).out.splitlines()
    positions = [all_rows.splitlines().index(line) for line in drawn]
    assert positions == sorted(positions) != list(range(10))


def test_layout_and_spaces_of_the_file(augment, tmp_path: Path) -> None:
    rows = "ticks\tt ɪ k s\ntricks\tt ɹ ɪ k s\n"
    ran = augment("--layout", "g2p", "--splicing", "1", "--format", "tsv", stdin=rows)
    assert ran.err == ""
    path = tmp_path / "new.tsv"
    path.write_text(ran.out, "utf-8")
    known = set("ticksɪɹ")
    for example in open_examples(path, None, needs_form=True):
        assert set(example.form.split(" ")) <= known
    spaced = augment(
        "--columns", "lemma,form", "--spaced", "both", stdin="a b c d\ta b c d e\n"
    ).out
    lemma, form = filter(None, spaced.splitlines()[1].partition(" - ")[2].split("  "))
    assert form == f"{lemma.strip()} e"


def test_bad_input(augment) -> None:
    ran = augment("--layout", "unimorph", stdin="a\tb\tN\nc\n")
    problem = "1 column, expected 3 (lemma, form, features): 'c'"
    assert ran == (1, "", f"stepwrite: <stdin>, line 2: {problem}\n")
    assert augment("--hallucination", "1.5").code == 2


def test_torch_is_not_needed(tmp_path: Path) -> None:
    path = tmp_path / "train.tsv"
    path.write_text(ROWS, "utf-8")
    code = (
        "import sys\n"
        "for name in ('torch', 'numba'): sys.modules[name] = None\n"
        f"sys.argv = ['stepwrite', 'augment', {str(path)!r}]\n"
        "from stepwrite.cli import main; main()"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert len(ran.stdout.splitlines()) == 6
