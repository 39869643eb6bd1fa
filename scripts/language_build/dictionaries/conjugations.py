"""Verbs of Spanish, Portuguese and Romanian, of PyPI's `mlconjug3`: templates and their verbs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from language_build.sources import Places

Rows = Iterator[tuple[str, str, str]]
PERSONS = ("1;SG", "2;SG", "3;SG", "1;PL", "2;PL", "3;PL")
COMMANDS = ("2;SG", "3;SG", "1;PL", "2;PL", "3;PL")
TENSES: dict[str, dict[str, str]] = {
    "es": {
        "Indicativo presente": "V;IND;PRS",
        "Indicativo pretérito imperfecto": "V;IND;PST;IPFV",
        "Indicativo pretérito perfecto simple": "V;IND;PST;PFV",
        "Indicativo futuro": "V;IND;FUT",
        "Condicional": "V;COND",
        "Subjuntivo presente": "V;SBJV;PRS",
        "Subjuntivo futuro": "V;SBJV;FUT",
        "Subjuntivo pretérito imperfecto (1)": "V;SBJV;PST",
        "Subjuntivo pretérito imperfecto (2)": "V;SBJV;PST;LGSPEC1",
        "Imperativo": "V;IMP;POS",
        "Infinitivo": "V;NFIN",
        "Gerundio": "V.CVB;PRS",
        "Gerundio compuesto": "V.PTCP;PST",
    },
    "pt": {
        "Indicativo presente": "V;IND;PRS",
        "Indicativo pretérito imperfeito": "V;IND;PST;IPFV",
        "Indicativo pretérito perfeito simples": "V;IND;PST;PFV",
        "Indicativo Pretérito Mais-que-Perfeito Simples": "V;IND;PST;PRF",
        "Indicativo Futuro do Presente Simples": "V;IND;FUT",
        "Condicional Futuro do Pretérito Simples": "V;COND",
        "Conjuntivo / Subjuntivo Presente": "V;SBJV;PRS",
        "Conjuntivo / Subjuntivo Pretérito Imperfeito": "V;SBJV;PST;IPFV",
        "Conjuntivo / Subjuntivo Futuro Simples": "V;SBJV;FUT",
        "Infinitivo Pessoal Presente": "V;NFIN",
        "Infinitivo": "V;NFIN",
        "Gerúndio": "V.PTCP;PRS",
        "Particípio": "V.PTCP;PST",
    },
    "ro": {
        "Prezent": "V;IND;PRS",
        "Imperfect": "V;IND;PST;IPFV",
        "Perfect simplu": "V;IND;PST;PFV",
        "Mai mult ca perfect": "V;IND;PST;PRF",
        "Conjunctiv prezent": "V;SBJV;PRS",
        "Infinitiv": "V;NFIN",
        "Gerunziu": "V.CVB;PRS",
        "Participiu": "V.PTCP;PST",
    },
}
WITH_GENDER = ("es", "pt")  # whose past participles inflect
# Romanian has commas below, not cedillas; Portuguese *vêem* is *veem* since 1990.
LETTERS = str.maketrans("şţŞŢ", "șțȘȚ")


def read(places: Places, iso: str, options: Mapping[str, Any]) -> Rows:
    """All simple forms; reflexive verbs are left out."""
    language = options["language"]
    templates, verbs = (
        json.loads(
            places.python("mlconjug3", f"data/conjug_manager/{name}-{language}.json").read_text()
        )
        for name in ("conjugation", "verbs")
    )
    for lemma, verb in verbs.items():
        if not lemma.endswith("se"):
            for bundle, ending in _cells(language, templates[verb["template"]]):
                form = (verb["root"] + ending).translate(LETTERS).replace("êem", "eem")
                yield lemma.translate(LETTERS), bundle, form


def _cells(language: str, template: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    for tenses in template.values():
        for name, endings in tenses.items():
            if bundle := TENSES[language].get(_mended(name)):
                yield from _of_tense(language, bundle, endings)
            if name == "Gerundio" and len(endings) > 1:
                # "Participo" has adjectives (electo) where compound tenses have elegido.
                compound = TENSES[language].get("Gerundio compuesto", "")
                yield from _of_tense(language, compound, endings[1:])


def _of_tense(
    language: str, bundle: str, endings: list[tuple[int, str | None]]
) -> Iterator[tuple[str, str]]:
    head, special = bundle.removesuffix(";LGSPEC1"), ";LGSPEC1" * bundle.endswith("LGSPEC1")
    first = endings[0][1] or ""
    if bundle == "V.PTCP;PST" and language in WITH_GENDER:
        if first.endswith("o"):
            for last, cell in zip(
                ("o", "a", "os", "as"), ("MASC;SG", "FEM;SG", "MASC;PL", "FEM;PL"), strict=True
            ):
                yield f"{bundle};{cell}", first[:-1] + last
    elif len(endings) < len(COMMANDS):  # infinitive, gerund, participle; the second is compound
        yield bundle, first
    else:
        persons = COMMANDS if len(endings) == len(COMMANDS) else PERSONS
        for person, (_, ending) in zip(persons, endings, strict=True):
            if ending:
                yield f"{head};{person}{special}", ending


def _mended(name: str) -> str:
    """The name of a tense; those of Portuguese were decoded wrongly.

    >>> _mended("GerÃºndio"), _mended("Condicional")
    ('Gerúndio', 'Condicional')
    """
    try:
        return name.encode("latin-1").decode()
    except (UnicodeEncodeError, UnicodeDecodeError):
        return name
