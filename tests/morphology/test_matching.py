"""Which cells are meant, in inventories of different habits."""

from __future__ import annotations

import pytest

from stepwrite.errors import FeatureError
from stepwrite.morphology.matching import Inventory
from stepwrite.morphology.notation import Notation
from stepwrite.morphology.prices import MISSING
from stepwrite.morphology.universal import wanted_of

UNIVERSAL = {
    "past": "VERB|Mood=Ind|Number=Sing|Person=3|Tense=Past|VerbForm=Fin",
    "imperative": "VERB|Mood=Imp|VerbForm=Fin",
    "passive": "VERB|Mood=Ind|Tense=Past|VerbForm=Fin|Voice=Pass",
}
ENGLISH = Inventory({"V;NFIN": 900, "V;PRS;3;SG": 900, "V;PST": 900, "V;PRS;1;SG": 1, "N;PL": 9})


def best(inventory: Inventory, text: str) -> str:
    found = inventory.rank(wanted_of(text))[0]
    assert found.cost < MISSING
    return found.features


def test_the_present_is_bare_even_if_a_verb_has_more_forms() -> None:
    assert best(ENGLISH, UNIVERSAL["imperative"]) == "V;NFIN"
    assert best(ENGLISH, UNIVERSAL["past"]) == "V;PST"


def test_languages_without_voice_pass_over_it() -> None:
    assert best(ENGLISH, UNIVERSAL["passive"]) == "V;PST"
    voiced = Inventory({"V;PST;ACT": 5, "V;PST;PASS": 5})
    assert best(voiced, UNIVERSAL["passive"]) == "V;PST;PASS"


def test_causatives_are_cells_of_their_own() -> None:
    """UniMorph has the causative as a valency, Universal Dependencies as a voice."""
    asked = "VERB|Tense=Past|Voice=Cau"
    assert best(Inventory({"V;PST": 9, "V;PST;PASS": 5, "V;CAUS;PST": 1}), asked) == "V;CAUS;PST"
    with pytest.raises(FeatureError, match=r"use Act, .*Cau"):
        wanted_of("VERB|Voice=Xyz")


def test_hindi_calls_the_oblique_accusative() -> None:
    hindi = dict.fromkeys(("N;NOM;SG", "N;NOM;PL", "N;ACC;SG", "N;ACC;PL", "N;VOC;PL"), 1)
    assert best(Inventory(hindi), "NOUN|Case=Obl|Number=Plur") == "N;ACC;PL"
    assert Notation(Inventory(hindi)).read("oblique plural").best.features == "N;ACC;PL"


def test_adjectives_decline_as_nouns_only_without_gender_and_adjectives() -> None:
    cells = {"N;GEN;SG": 1, "N;NOM;SG": 1}
    asked = "ADJ|Case=Gen|Degree=Pos|Number=Sing"
    assert best(Inventory(cells), asked) == "N;GEN;SG"
    for others in ({"V;PST;FEM;SG": 1}, {"ADJ;NOM;SG": 1}):
        ranked = Inventory({**cells, **others}).rank(wanted_of(asked))
        assert not [found for found in ranked if found.features.startswith("N")]


def test_plural_participles_are_no_singular_ones() -> None:
    cells = Inventory({"V.PTCP;PST": 9, "V.PTCP;PST;NOM;PL": 1})
    asked = "VERB|Case=Nom|Number=Plur|Tense=Past|VerbForm=Part"
    assert best(cells, asked) == "V.PTCP;PST;NOM;PL"


def test_short_forms_have_no_case() -> None:
    cells = Inventory({"ADJ;FEM;NOM;SG": 5, "ADJ;FEM;SG": 5})
    asked = "ADJ|Case=Nom|Gender=Fem|Number=Sing"
    assert best(cells, asked) == "ADJ;FEM;NOM;SG"
    assert best(cells, f"{asked}|Variant=Short") == "ADJ;FEM;SG"


def test_strange_tags_are_not_compared_with_every_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred of them in each of a thousand requests would take minutes."""
    notation = Notation(Inventory({"N;SG": 9, "N;PL": 9}))
    compared = []
    candidate = Inventory._candidate

    def counted(self, features, *arguments):
        compared.append(features)
        return candidate(self, features, *arguments)

    monkeypatch.setattr(Inventory, "_candidate", counted)
    strange = "N;PL;" + "B;" * 95
    assert notation.find(strange) is None
    assert not compared
    with pytest.raises(FeatureError, match=r"unknown feature B .*; nearest: N;PL"):
        notation.read(strange)
    assert notation.find("N;PL") == notation.read("PL;N")
    assert compared


def test_participles_are_the_present_where_the_language_has_it_as_a_finite_form() -> None:
    cells = Inventory({"V;PRS;MASC;SG": 1, "V;PRS;FEM;SG": 1, "V;PST;FEM;3;SG": 1, "V;NFIN": 1})
    asked = "VERB|Gender=Fem|Number=Sing|Person=1,2,3|VerbForm=Part|Voice=Act"
    assert cells.rank(wanted_of(asked))[0].features == "V;PRS;FEM;SG"
    assert cells.rank(wanted_of(f"{asked}|Tense=Past"))[:1] == []


def test_the_construct_state_is_that_of_possessed_nouns() -> None:
    cells = Inventory({"N;INDF;PL": 1, "N;PL;PSSD": 1, "N;PL;PSS1S;PSSD": 1})
    ranked = cells.rank(wanted_of("NOUN|Definite=Cons|Number=Plur"))
    assert ranked[0].features == "N;PL;PSSD"


@pytest.mark.parametrize(
    ("cells", "asked", "meant"),
    [
        ("V;IMP;2;SG V;IMP;3;SG V;IND;PRS;3;SG", "imperative", "V;IMP;2;SG"),
        ("V;PRS;PFV;3;SG V;PRS;IPFV;3;SG", "present", "V;PRS;IPFV;3;SG"),
        ("V;PST;PFV;3;SG V;PST;IPFV;3;SG", "past", "V;PST;PFV;3;SG"),
        ("ADJ;CMPR;FEM;SG ADJ;CMPR;MASC;SG ADJ;CMPR;PL", "comparative", "ADJ;CMPR;MASC;SG"),
    ],
)
def test_what_is_left_open_is_what_people_mean(cells: str, asked: str, meant: str) -> None:
    notation = Notation(Inventory(dict.fromkeys(cells.split(), 1)))
    assert notation.read(asked).best.features == meant


def test_who_names_a_person_means_a_finite_form() -> None:
    """Else the future of a language that has none would be its infinitive."""
    cells = Inventory(dict.fromkeys(("V;PRS;3;SG", "V;NFIN", "V.CVB;FUT", "V.PTCP;FUT"), 1))
    with pytest.raises(FeatureError, match="no cell 'future 3rd person plural'"):
        Notation(cells).read("future 3rd person plural")


def test_hebrew_presents_of_any_voice_are_finite_where_verbs_name_none() -> None:
    cells = Inventory({"V;PRS;MASC;SG": 1, "V;PST;MASC;3;SG": 1})
    asked = "VERB|Gender=Masc|Number=Sing|VerbForm=Part|Voice=Mid"
    assert best(cells, asked) == "V;PRS;MASC;SG"


def test_of_cells_that_fit_equally_well_the_one_that_says_more_is_meant() -> None:
    cells = Inventory({"V.PTCP;PFV;ACT": 9, "V.PTCP;PFV;POS": 99})
    assert best(cells, "VERB|Aspect=Perf|VerbForm=Part|Voice=Act") == "V.PTCP;PFV;ACT"
