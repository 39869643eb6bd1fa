"""Lemmas of several words, asked of models that ship."""

from __future__ import annotations

from functools import cache

import pytest

from stepwrite import Inflector, load

inflector = cache(load)


@pytest.mark.parametrize(
    ("language", "lemma", "features", "form"),
    [
        ("english", "give up", "past", "gave up"),
        ("english", "Take care of", "V.PTCP;PRS", "Taking care of"),
        ("english", "to go", "V;PST", "went"),
        ("english", "co-write", "V.PTCP;PST", "co-written"),
        ("english", "cup of tea", "plural", "cups of tea"),
        ("french", "pomme de terre", "plural", "pommes de terre"),
        ("french", "verre d'eau", "plural", "verres d'eau"),
        ("german", "sich freuen", "V;IND;PRS;1;SG", "freue mich"),
        ("german", "sich vorstellen", "V;IND;PRS;2;SG", "stellst dich vor"),
        ("german", "sich freuen", "V.PTCP;PST", "gefreut"),
        ("german", "sich freuen", "V;NFIN", "sich freuen"),
        ("german", "spazieren gehen", "V;IND;PST;1;SG", "ging spazieren"),
        ("german", "die Frau", "nominative plural", "Frauen"),
        ("french", "se lever", "V;IND;PRS;1;SG", "me lève"),
        ("spanish", "irse", "V;IND;PRS;3;SG", "se va"),
        ("spanish", "irse", "V.PTCP;PST;MASC;SG", "ido"),
        ("portuguese", "chamar-se", "V;IND;PRS;1;SG", "chamo-me"),
        ("portuguese", "chamar-se", "V;IND;PRS;1;PL", "chamamo-nos"),
        ("spanish", "el hombre", "plural", "hombres"),
        ("polish", "uczyć się", "VERB|Mood=Ind|Number=Sing|Person=1|Tense=Pres", "uczę się"),
        ("russian", "Санкт-Петербург", "N;ESS;SG", "Санкт-Петербурге"),
    ],
)
def test_the_right_word_is_inflected(language: str, lemma: str, features: str, form: str) -> None:
    assert inflector(language)(lemma, features).form == form


def test_it_is_said_which_word_is_inflected() -> None:
    prediction = inflector("english")("give up", "V;PST")
    assert prediction.notes == ("inflected word=give (lexicon)",)
    assert prediction.attested
    assert prediction.lemma == "give up"


def test_paradigms_have_all_words() -> None:
    cells = {cell.features: cell.form for cell in inflector("german").paradigm("sich freuen").cells}
    assert cells["V;IND;PST;1;PL"] == "freuten uns"
    assert cells["V;IMP;2;SG"].endswith(" dich")
    assert inflector("english").paradigm("cup of tea").pos == "N"
    assert inflector("english").paradigm("go to sleep").pos == "V"
    forms = {cell.form for cell in inflector("english").paradigm("cup of tea", pos="V").cells}
    assert "cupped of tea" in forms


@pytest.mark.parametrize(
    ("lemma", "features"),
    [
        ("swimming pool", "N;PL"),  # a noun, though to pool is a verb
        ("se lever", "V;IMP;2;SG"),  # lève-toi: not known
        ("blorf glorf", "V;PST"),
        ("horse", "N;PL"),
    ],
)
def test_other_lemmas_are_read_as_they_are(lemma: str, features: str) -> None:
    model = inflector("french" if lemma.startswith("se") else "english")
    assert model.resolve(lemma, features).phrase is None


def test_without_the_lexicon_there_are_no_phrases() -> None:
    alone: Inflector = load("english", lexicon="off")
    assert alone.resolve("give up", "V;PST").phrase is None
