"""Which cell and spelling a request means, where the lexicon and the language have several."""

from __future__ import annotations

import pytest

from stepwrite.errors import FeatureError
from stepwrite.morphology.cells import Cells
from stepwrite.morphology.lexicon import Lexicon
from stepwrite.morphology.resolution import Resolver

ROWS = [
    ("resultado", "N;PL", "resultados"),
    ("casa", "N;SG", "casa"),
    ("casa", "N;PL", "casas"),
    ("óculos", "N;PL", "óculos"),
    ("dizer", "V;IND;PRS;3;SG", "diz"),
    ("dizer", "V;3;SG", "dizia"),
    ("fazer", "V;IND;PRS;3;SG", "faz"),
    *((f"v{n}r", "V;IND;PRS;3;SG", f"v{n}") for n in range(40)),
]


@pytest.fixture(scope="module")
def resolver() -> Resolver:
    cells = Cells.fit((lemma, features) for lemma, features, _ in ROWS)
    return Resolver(cells, Lexicon.fit(ROWS))


def test_a_bare_request_is_for_the_singular_even_if_only_the_plural_is_known(
    resolver: Resolver,
) -> None:
    assert resolver.resolve("casa", "NOUN").features == "N;SG"
    assert resolver.resolve("resultado", "NOUN").features == "N;SG"
    assert resolver.resolve("resultado", "NOUN|Number=Plur").features == "N;PL"


def test_a_word_that_is_cited_in_the_plural_has_no_singular(resolver: Resolver) -> None:
    assert resolver.resolve("óculos", "NOUN").features == "N;PL"


def test_rare_cells_are_for_the_words_that_have_them(resolver: Resolver) -> None:
    asked = "VERB|Number=Sing|Person=3"
    assert resolver.resolve("dizer", asked).features == "V;3;SG"
    assert resolver.resolve("fazer", asked).features == "V;IND;PRS;3;SG"
    assert resolver.resolve("trazer", asked).features == "V;IND;PRS;3;SG"


@pytest.mark.parametrize(("lemma", "read"), [("ca_sa", "casa"), ("guarda#sol", "guardasol")])
def test_marks_inside_compounds_are_passed_over(resolver: Resolver, lemma: str, read: str) -> None:
    assert resolver.resolve(lemma, "N;PL").read == read


def test_an_indefinite_form_is_not_the_definite_one_that_the_lexicon_has() -> None:
    rows = [
        ("պահ", "N;DEF;DAT;SG", "պահին"),
        ("քար", "N;DAT;SG", "քարի"),
        ("քար", "N;DEF;DAT;SG", "քարին"),
    ]
    cells = Cells.fit((lemma, features) for lemma, features, _ in rows)
    resolver = Resolver(cells, Lexicon.fit(rows))
    for asked in ("NOUN|Case=Dat|Definite=Ind|Number=Sing", "NOUN|Case=Dat|Number=Sing"):
        assert resolver.resolve("պահ", asked).features == "N;DAT;SG"
    assert resolver.forms("պահ", "N;DAT;SG") == ()
    assert resolver.forms("պահ", "N;DEF;DAT;SG") == ("պահին",)


@pytest.mark.parametrize("lexicon", [True, False])
def test_participles_and_verbal_nouns_may_have_the_lemma_of_their_verb(lexicon: bool) -> None:
    rows = [
        *((f"{stem}ić", f"V.PTCP;PASS;{case}", f"{stem}ion{e}") for stem in ("rob", "gon", "zwon")
          for case, e in (("NOM;SG", "y"), ("GEN;PL", "ych"))),
        *((f"{stem}ić", "V.MSDR;GEN;SG", f"{stem}ienia") for stem in ("rob", "gon", "zwon")),
        *((f"{stem}y", f"ADJ;{case}", f"{stem}{e}") for stem in ("now", "star", "mał")
          for case, e in (("NOM;SG", "y"), ("GEN;PL", "ych"))),
        *((f"{stem}om", "N;GEN;SG", f"{stem}omu") for stem in ("d", "at", "zł")),
    ]  # fmt: skip
    cells = Cells.fit((lemma, features) for lemma, features, _ in rows)
    resolver = Resolver(cells, Lexicon.fit(rows) if lexicon else None)
    participle = "ADJ|Case=Gen|Number=Plur|VerbForm=Part|Voice=Pass"
    assert resolver.resolve("robić", participle).features == "V.PTCP;PASS;GEN;PL"
    assert resolver.resolve("stary", participle).features == "ADJ;GEN;PL"
    noun = "NOUN|Case=Gen|Number=Sing|VerbForm=Vnoun"
    assert resolver.resolve("gonić", noun).features == "V.MSDR;GEN;SG"
    assert resolver.resolve("dom", noun).features == "N;GEN;SG"


def test_combinations_that_the_data_lack_by_chance_are_guessed_and_noted() -> None:
    seen = ("PRS;FEM;GEN;PL", "PRS;MASC;NOM;PL", "PST;MASC;GEN;PL")
    rows = [("dirbti", f"V.PTCP;{cell}", "dirbant") for cell in seen]
    rows += [("dirbti", f"V;{cell}", "dirb") for cell in ("IMP;1;PL", "IMP;2;SG", "IND;1;SG")]
    resolver = Resolver(Cells.fit((lemma, features) for lemma, features, _ in rows))
    found = resolver.resolve("eiti", "V.PTCP;PRS;MASC;GEN;PL")
    assert found.features == "V.PTCP;PRS;MASC;GEN;PL"
    assert found.notes == ("a combination of features that the data lack",)
    for refused in ("V;IMP;1;SG", "V.PTCP;FUT;MASC;GEN;PL", "V.PTCP;PRS;MASC;GEN;DU"):
        with pytest.raises(FeatureError, match=r"nearest: V"):
            resolver.resolve("eiti", refused)


def test_the_lexicon_has_the_usual_gender_of_a_noun_first() -> None:
    rows = [
        ("sekretarz", f"N;MASC;HUM;{cell}", form)
        for cell, form in (("GEN;SG", "sekretarza"), ("NOM;PL", "sekretarze"))
    ]
    rows += [("sekretarz", f"N;FEM;{cell}", "sekretarz") for cell in ("GEN;SG", "NOM;PL")]
    rows += [("sport", f"N;MASC;ANIM;{cell}", "sporta") for cell in ("GEN;SG", "NOM;PL")]
    rows += [("sport", f"N;MASC;INAN;{cell}", "sportu") for cell in ("GEN;SG", "NOM;PL")]
    rows += [("pisać", f"V;PST;{g}3;PL", "pisali") for g in ("MASC;HUM;", "")]
    resolver = Resolver(Cells.fit((word, cell) for word, cell, _ in rows), Lexicon.fit(rows))
    assert resolver.resolve("sekretarz", "N;GEN;SG").features == "N;MASC;HUM;GEN;SG"
    assert resolver.resolve("sekretarz", "N;FEM;GEN;SG").features == "N;FEM;GEN;SG"
    assert resolver.resolve("sport", "N;GEN;SG").features == "N;MASC;INAN;GEN;SG"  # a thing
    assert resolver.resolve("pisać", "past masculine human 3rd person plural").features == (
        "V;PST;MASC;HUM;3;PL"
    )


def test_capitalised_words_that_nobody_knows_are_names_unless_the_data_are_ones_own() -> None:
    rows = [(f"{c}oma", f"ADJ;ACC;{n}", "x") for c in "bdfg" for n in ("SG", "PL")]
    rows += [(f"{c}us", f"N;ACC;{n}", "x") for c in "bdfg" for n in ("SG", "PL")]
    cells = Cells.fit((lemma, features) for lemma, features, _ in rows)
    resolver = Resolver(cells, Lexicon.fit(rows))
    asked = "accusative singular"
    for lemma, pos in (("Roma", "N"), ("Boma", "ADJ"), ("roma", "ADJ"), ("ROMA", "ADJ")):
        assert resolver.resolve(lemma, asked).features == f"{pos};ACC;SG"
        assert [choice.pos for choice in resolver.choices(lemma, None, {})] == [pos]
    assert Resolver(cells, closed=False).resolve("Roma", asked).features == "ADJ;ACC;SG"


def fit_open(*bundles: str) -> Resolver:
    return Resolver(Cells.fit((f"w{k}", b) for k, b in enumerate(bundles)), closed=False)


def test_own_data_keep_their_tags() -> None:
    of_nouns = ("N;COMPV;SG;PSS1S", "N;NDEF;PL;PSS1S", "N;COMPV;PL;PSS2S", "N;NDEF;SG;PSS2S")
    own = fit_open(*of_nouns)
    for ignore in (False, True):
        asked = "N;COMPV;PL;PSS1S"  # all of it known, but not together
        found = own.resolve("x", asked, ignore=ignore).features
        assert set(found.split(";")) == set(asked.split(";"))
    # DU is unknown: the rest is kept, and no cell that contradicts it is taken.
    assert own.resolve("x", "N;DU;COMPV;PSS1S", ignore=True).features == "N;DU;COMPV;PSS1S"
    with pytest.raises(FeatureError, match="DU"):
        own.resolve("x", "N;DU;COMPV;PSS1S")


def test_a_request_without_part_of_speech_leaves_the_rest_open() -> None:
    own = fit_open("N;NOM;SG", "N;NOM;PL", "N;DAT;SG", "N;ACC;PL", "V;PST")
    assert own.resolve("x", "PL").features == "N;NOM;PL"
    assert own.resolve("x", "DAT").features == "N;DAT;SG"
    assert own.resolve("x", "N;DAT;PL").features == "N;DAT;PL"
    bare = fit_open("NOM;SG", "NOM;PL", "DAT;SG", "DAT;DU")  # of data without parts of speech
    assert bare.resolve("x", "DAT;PL").features == "DAT;PL"


def test_new_combinations_are_spelt_as_the_data_spell_their_values() -> None:
    own = fit_open("N;COMPV;SG", "N;DAT;PL", "N;COMPV;SG;PSS1S", "N;DAT;PL;PSS1S", "N;COMPV;PL")
    assert own.notation.read("N;CMPR;PL;PSS1S").composed
    assert own.resolve("x", "N;CMPR;PL;PSS1S").features == "N;PL;COMPV;PSS1S"


def test_what_only_a_contradicting_cell_is_near_to_is_refused() -> None:
    own = fit_open("V;REL;PST;IND", "V;1;PL;PRS;IND", "V;2;SG;PRS;IND")
    with pytest.raises(FeatureError):
        own.resolve("x", "V;1;PL;PST;HAB;IND")
    kept = own.resolve("x", "V;1;PL;PST;HAB;IND", ignore=True)
    assert kept.features == "V;1;PL;PST;HAB;IND"


def test_cells_may_have_two_values_of_a_dimension() -> None:
    own = fit_open("N;PSS1S;PSS3S;SG", "N;PSS1S;PSS3P;SG", "N;PSS2S;PSS3S;PL", "N;PSS2S;PSS3P;PL")
    asked = "N;PSS1S;PSS3S;PL"
    assert set(own.resolve("x", asked).features.split(";")) == set(asked.split(";"))


def test_the_part_of_speech_that_fits_best_is_meant_whichever_is_likelier() -> None:
    verbs = [("run", "V;NFIN", "run"), ("run", "V;3;SG;PRS", "runs"), ("run", "V;PST", "ran")]
    rows = [("cat", "V;NFIN", "cat"), *verbs, ("cat", "N;PL", "cats"), ("dog", "N;PL", "dogs")]
    cells = Cells.fit((lemma, features) for lemma, features, _ in rows)
    resolver = Resolver(cells, Lexicon.fit(rows))
    assert resolver.lexicon is not None
    assert resolver.lexicon.parts_of_speech("cat")[0] == "V"
    assert resolver.resolve("cat", "plural").features == "N;PL"
    assert resolver.resolve("cat", "infinitive").features == "V;NFIN"


@pytest.mark.parametrize("asked", ["N;GEN;SG", "genitive singular"])
def test_the_spelling_that_has_the_cell_is_meant(asked: str) -> None:
    rows = [
        ("ребенок", "N;NOM;PL", "дети"),
        ("ребёнок", "N;NOM;PL", "дети"),
        ("ребёнок", "N;GEN;SG", "ребёнка"),
        ("медь", "N;GEN;SG", "меди"),
    ]
    cells = Cells.fit((lemma, features) for lemma, features, _ in rows)
    resolver = Resolver(cells, Lexicon.fit(rows))
    assert resolver.resolve("ребенок", asked).read == "ребёнок"
    assert resolver.resolve("ребенок", "N;NOM;PL").read == "ребенок"
    assert resolver.resolve("медь", asked).read == "медь"


def test_adjectives_without_cells_of_their_own_inflect_as_nouns() -> None:
    nouns = [(f"ev{n}", "N;NOM;PL", f"ev{n}ler") for n in range(3)]
    rows = [("iyi", "ADJ", "iyi"), ("gelmi", "V;PRS;3;PL", "gelirler"), *nouns]
    cells = Cells.fit((lemma, features) for lemma, features, _ in rows)
    resolver = Resolver(cells, Lexicon.fit(rows))
    assert resolver.resolve("iyi", "plural").features == "N;NOM;PL"
