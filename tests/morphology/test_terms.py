"""The names of features in grammars."""

from __future__ import annotations

import tomllib
from importlib.resources import files

import pytest

from stepwrite.data.features import dimension_of
from stepwrite.morphology.terms import Label, Terms

TABLE = tomllib.loads((files("stepwrite.morphology") / "terms.toml").read_text("utf-8"))
# No tags of the schema:
OURS = {"NON-FINITE", "NO-CASE", "NO-GENDER", "POSITIVE", "COMPARISON", "JUS", "PSSD"}


@pytest.mark.parametrize("language", TABLE)
def test_keys_are_tags_and_names_are_names(language: str) -> None:
    for key, names in TABLE[language].items():
        assert [tag for tag in key.split() if not dimension_of(tag) and tag not in OURS] == []
        if language == "any":
            assert isinstance(names, str)
            assert names
        else:
            assert isinstance(names, str) or len(names) == 2


def test_a_name_of_several_tags_needs_what_the_table_has_in_common() -> None:
    spanish = Terms.of("spa")
    assert spanish.label(("PST", "PFV"), ("IND",)).name == "preterite"
    assert spanish.label(("PST",), ("SBJV",)).name == "imperfect (-ra)"
    assert Terms.of(None).label(("PST", "PFV")).name == "perfective past"


def test_a_native_name_is_whole_or_absent() -> None:
    german = Terms.of("deu")
    assert german.label(("NOM", "SG")) == Label("nominative singular", "Nominativ Singular")
    assert german.label(("NOM", "DU")) == Label("nominative dual", "")


def test_titles_leave_out_what_goes_without_saying() -> None:
    finnish = Terms.of("fin")
    assert finnish.title([("IND", "ACT", "POS")]).name == "indicative"
    assert finnish.title([("IND", "PASS", "NEG")]).name == "indicative passive negative"
    assert finnish.title([("IMP",), ("COND",)]).name == "imperative, conditional"
    assert finnish.title([("IMP",), ("COND",), ("POT",), ("OPT",)]) == Label()
