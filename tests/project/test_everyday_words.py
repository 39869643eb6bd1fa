"""Everyday words in the data of languages: running text, stems, and what is held out."""

from __future__ import annotations

import gzip
import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from language_build import treebanks  # noqa: E402
from language_build.data import build  # noqa: E402
from language_build.declaration import HeldOut  # noqa: E402
from language_build.dictionaries import conjugations, hungarian  # noqa: E402
from language_build.rows import Report, Row, merged  # noqa: E402
from language_build.sources import Places, ours  # noqa: E402
from language_build.splits import split  # noqa: E402
from language_build.treebanks import Word  # noqa: E402
from tests.tiny_language import TINY  # noqa: E402

NOUNS = [
    Row(lemma, f"N;{case};{number}", form, "unimorph")
    for lemma in ("talo", "katu")
    for case, number, form in (("NOM", "SG", lemma), ("NOM", "PL", lemma + "t"))
]
OTHERS = [
    Row("kuin", "V;NFIN", "kuin", "unimorph"),
    Row("kuin", "V;PST", "kui", "unimorph"),
    Row("hyvä", "ADJ;DAT;PL", "hyville", "unimorph"),
]


def rows_of(*words: Word) -> set[tuple[str, str, str]]:
    """Rows that other sources lack."""
    return set(treebanks.in_cells(words, NOUNS + OTHERS)[0])


def usual_rows_of(*words: Word) -> list[tuple[str, str, str]]:
    """Rows whose forms other sources have otherwise."""
    return treebanks.in_cells(words, NOUNS + OTHERS)[1]


def test_words_go_to_the_cells_that_a_request_finds() -> None:
    asked = "NOUN|Case=Nom|Number=Plur"
    assert rows_of(Word("puu", asked, "puut", 1)) == {("puu", "N;NOM;PL", "puut")}


def test_known_words_give_no_rows() -> None:
    assert not rows_of(Word("talo", "NOUN|Case=Nom|Number=Plur", "talot", 9))


def test_the_usual_form_of_a_cell_is_taken() -> None:
    asked = "NOUN|Case=Nom|Number=Plur"
    assert rows_of(Word("puu", asked, "puut", 1), Word("puu", asked, "puita", 5)) == {
        ("puu", "N;NOM;PL", "puita")
    }


def test_words_without_features_count_if_they_do_not_inflect() -> None:
    assert not rows_of(Word("puu", "NOUN", "puut", 50), Word("maa", "NOUN", "maa", 50))
    uninflected = Word("koko", "ADJ", "koko", 15), Word("viime", "ADJ", "viime", 15)
    assert rows_of(*uninflected) == {("koko", "ADJ", "koko"), ("viime", "ADJ", "viime")}


def test_a_new_cell_needs_two_lemmas_or_five_words() -> None:
    asked = "NOUN|Case=Gen|Number=Sing"
    assert not rows_of(Word("puu", asked, "puun", 4))
    assert rows_of(Word("puu", asked, "puun", 5)) == {("puu", "N;GEN;SG", "puun")}
    assert rows_of(Word("puu", asked, "puun", 1), Word("maa", asked, "maan", 1)) == {
        ("puu", "N;GEN;SG", "puun"),
        ("maa", "N;GEN;SG", "maan"),
    }


def test_forms_of_frequent_words_come_before_those_of_other_sources() -> None:
    asked = "NOUN|Case=Nom|Number=Plur"
    assert usual_rows_of(Word("talo", asked, "taloja", 5)) == [("talo", "N;NOM;PL", "taloja")]
    assert not usual_rows_of(Word("talo", asked, "taloja", 4))
    singular = Word("talo", "NOUN|Case=Nom|Number=Sing", "taloa", 9)
    assert not usual_rows_of(singular)  # the lemma itself is the form that people expect


def test_a_cell_whose_words_have_other_forms_is_another_cell() -> None:
    rows = [Row("biti", "V;IND;FUT", "bom", "unimorph"), Row("biti", "V;IND;PRS;3;SG", "je", "u")]
    asked = "AUX|Mood=Ind|Number=Sing|Person=3|Tense=Fut|VerbForm=Fin"
    assert treebanks.in_cells([Word("biti", asked, "bo", 5)], rows) == (
        [("biti", "V;IND;FUT;3;SG", "bo")],
        [],
    )
    assert treebanks.in_cells([Word("biti", asked, "bom", 5)], rows) == ([], [])


def test_new_participles_keep_their_gender_and_lexical_aspect_makes_no_cells() -> None:
    rows = [Row(f"v{n}ti", "V.PTCP;PST;ACT", f"v{n}l", "unimorph") for n in range(30)]
    rows.append(Row("iti", "V;PST;IPFV;3;SG", "šel", "unimorph"))  # aspect and number are known
    words = [
        Word("delati", "VERB|Aspect=Imp|Gender=Fem|Number=Sing|VerbForm=Part", "delala", 5),
        Word("dati", "VERB|Aspect=Perf|Gender=Fem|Number=Sing|VerbForm=Part", "dala", 5),
    ]
    assert {cell for _, cell, _ in treebanks.in_cells(words, rows)[0]} == {"V.PTCP;FEM;SG"}


def test_lemmas_of_treebanks_are_joined(tmp_path: Path) -> None:
    (tmp_path / "ud").mkdir()
    (tmp_path / "ud/xyz.tsv").write_text(
        "af_lopen\tliep\tVERB\t2\ntyö#paikka\ttyöpaikka\tNOUN\t1\n", encoding="utf-8"
    )
    found = treebanks.words(Places(tmp_path, tmp_path), "xyz", {})
    assert [word.lemma for word in found] == ["aflopen", "työpaikka"]


def test_a_form_of_another_cell_is_not_the_usual_one_for_its_frequency() -> None:
    rows = [
        Row("Herr", "N;DAT;SG", "Herren", "x"),
        Row("Herr", "N;DAT;SG", "Herrn", "x"),
        Row("Herr", "N;NOM;PL", "Herren", "x"),
        Row("Prozent", "N;NOM;SG", "Prozent", "x"),
        Row("Prozent", "N;NOM;PL", "Prozente", "x"),
        Row("Prozent", "N;NOM;PL", "Prozent", "x"),
    ]
    zipf = {"herren": 5.0, "herrn": 4.7, "prozent": 5.2, "prozente": 3.1}
    first = {row[:2]: row.form for row in reversed(merged([rows], zipf, Report()))}
    assert first["Herr", "N;DAT;SG"] == "Herrn"
    assert first["Prozent", "N;NOM;PL"] == "Prozent"  # more than ten times as frequent
    unknown = {row[:2]: row.form for row in reversed(merged([rows], {}, Report()))}
    assert unknown["Herr", "N;DAT;SG"] == "Herren"  # as the source has it


def test_everyday_words_are_not_held_out_and_do_not_leak() -> None:
    rows = [Row(f"w{n}", "N;SG", f"w{n}", "unimorph") for n in range(400)]
    rows += [Row(f"w{n}", "N;PL", f"w{n}s", "ud") for n in range(400)]
    rows += [Row(f"u{n}", "N;PL", f"u{n}s", "ud") for n in range(50)]
    rows += [Row(f"w{n}", "N;DU", f"w{n}d", "ours") for n in range(10)]
    parts = split(rows, {}, HeldOut(), 10_000)
    lemmas = {part: {row.lemma for row in found} for part, found in parts.items()}
    assert not lemmas["train"] & (lemmas["dev"] | lemmas["test"])
    assert {row.source for part in ("dev", "test") for row in parts[part]} == {"unimorph"}
    assert {f"u{n}" for n in range(50)} | {f"w{n}" for n in range(10)} <= lemmas["train"]
    assert 20 < len(lemmas["dev"]) < 60


def test_a_word_and_its_stem_are_in_the_same_part() -> None:
    rows = [Row(f"w{n}mek", "V;NFIN", f"w{n}mek", "unimorph") for n in range(300)]
    rows += [row._replace(lemma=row.lemma.removesuffix("mek")) for row in rows]
    parts = split(rows, {}, HeldOut(), 10_000, endings=["mek", "mak"])
    stems = {part: {row.lemma.removesuffix("mek") for row in rows} for part, rows in parts.items()}
    assert not stems["train"] & (stems["dev"] | stems["test"])


def test_verbs_are_also_named_by_their_stem(tmp_path: Path) -> None:
    corpus = tmp_path / "unimorph"
    corpus.mkdir()
    with gzip.open(corpus / "xyz.tsv.gz", "wt", encoding="utf-8") as file:
        file.write("gelmek\tgeldi\tV;PST\nekmek\tekmekler\tN;PL\nmek\tmekti\tV;PST\n")
    rows = build(replace(TINY, stems={"V": ("mek",)}), Places(tmp_path, tmp_path)).rows
    assert {(row.lemma, row.form) for row in rows} == {
        *(("gelmek", "geldi"), ("gel", "geldi"), ("ekmek", "ekmekler"), ("mek", "mekti"))
    }


def test_infinitives_are_lemmas_where_nearly_all_are(tmp_path: Path) -> None:
    (tmp_path / "unimorph").mkdir()
    verbs = [f"{stem}ar\t{stem}ar\tV;NFIN\n" for stem in "abcdefghijklmnopqrstuvwxyz"]

    def forms(*extra: str) -> set[str]:
        with gzip.open(tmp_path / "unimorph/xyz.tsv.gz", "wt", encoding="utf-8") as file:
            file.writelines([*verbs, *extra])
        rows = build(TINY, Places(tmp_path, tmp_path)).rows
        return {row.form for row in rows if row.lemma in ("llamar", "cubrir")}

    assert forms("llamar\tllamarse\tV;NFIN\n") == {"llamar"}
    both = "llamar\tllamarse\tV;NFIN\n", "cubrir\tcubrirse\tV;NFIN\n"
    assert forms(*both) == {"llamarse", "cubrirse"}


def test_conjugations_are_templates_of_verbs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "mlconjug3/data/conjug_manager"
    folder.mkdir(parents=True)
    (tmp_path / "mlconjug3/__init__.py").write_text("")
    template = {
        "Indicativo": {
            "Indicativo presente": [
                [n, e] for n, e in enumerate(["o", "as", "a", "amos", "áis", "an"])
            ]
        },
        "Imperativo": {
            "Imperativo": [[n, e] for n, e in enumerate(["a", "e", "emos", "ad", "en"])]
        },
        "Subjuntivo": {
            "Subjuntivo pretérito imperfecto (2)": [[n, "ase"] for n in range(6)],
            "Subjuntivo pretérito perfecto": [[n, "ado"] for n in range(6)],
        },
        "Participo": {"Participo": [[0, "ativo"]]},
        "Gerundio": {"Gerundio": [[0, "ando"], [1, "ado"]]},
    }
    verbs = {name: {"root": "habl", "template": "habl:ar"} for name in ("hablar", "hablarse")}
    (folder / "conjugation-es.json").write_text(json.dumps({"habl:ar": template}))
    (folder / "verbs-es.json").write_text(json.dumps(verbs))
    monkeypatch.syspath_prepend(tmp_path)
    rows = list(conjugations.read(Places(tmp_path, tmp_path), "spa", {"language": "es"}))
    assert {lemma for lemma, _, _ in rows} == {"hablar"}
    forms = {bundle: form for _, bundle, form in rows}
    assert len(forms) == len(rows) == 6 + 5 + 6 + 4 + 1
    assert forms["V;IND;PRS;2;PL"] == "habláis"
    assert forms["V;IMP;POS;2;SG"] == "habla"
    assert forms["V;SBJV;PST;1;SG;LGSPEC1"] == "hablase"
    assert forms["V.PTCP;PST;FEM;PL"] == "habladas"
    assert forms["V.CVB;PRS"] == "hablando"


def test_forms_that_many_words_share_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "unimorph").mkdir()
    with gzip.open(tmp_path / "unimorph/xyz.tsv.gz", "wt", encoding="utf-8") as file:
        for letter in "abcdefghijklmnop":
            file.write(f"{letter}o\tplural\tN;PL\n{letter}o\t{letter}os\tV;PST\n")
    built = build(replace(TINY, citation={"V": "V;NFIN"}), Places(tmp_path, tmp_path))
    assert {row.bundle for row in built.rows} == {"V;PST", "V;NFIN"}
    assert all(row.lemma == row.form for row in built.rows if row.bundle == "V;NFIN")
    assert built.report.left_out["unimorph"]["form of many words"] == 16


def test_case_endings_of_hungarian_are_those_of_its_words() -> None:
    forms: dict[str, dict[str, str]] = {}
    for lemma, features, form in ours(Places(Path(), Path()), "hun", {}):
        if features.startswith("N;") and features.endswith(";PL"):
            forms.setdefault(lemma, {})[features.split(";")[1]] = form
    assert len(forms) > 100
    for known in forms.values():
        made = hungarian.cases(known["NOM"], front=known["ACC"].endswith("et"))
        assert dict(made) == known


def test_hungarian_possessives_and_comparison_are_whole() -> None:
    places = Places(Path(), Path())
    rows = [*hungarian.possessives(places, "hun", {}), *hungarian.comparison(places, "hun", {})]
    forms = {(lemma, features): form for lemma, features, form in rows}
    assert len(forms) == len(rows)
    assert forms["kéz", "N;IN+ESS;SG;PSS1S"] == "kezemben"
    assert forms["barát", "N;INS;PL;PSS3P"] == "barátaikkal"
    assert forms["szép", "ADJ;SPRL;ACC;PL"] == "legszebbeket"
    assert forms["nagy", "ADJ;ACC;SG"] == "nagyot"
