"""Swahili verbs and nouns, by rule, from `languages/words/swc-words.tsv`.

UniMorph has 47 verbs, some of them with the subjunctive in the place of the past. LGSPEC1 to 6 are
the classes of the subject: m-wa, m-mi, ji-ma, ki-vi, n, u.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from language_build.sources import Places, unimorph, written

Rows = Iterator[tuple[str, str, str]]
SUBJECTS = {
    **{"1;SG": "ni", "2;SG": "u", "1;PL": "tu", "2;PL": "m"},
    **{f"3;SG;LGSPEC{n}": form for n, form in enumerate(["a", "u", "li", "ki", "i", "u"], 1)},
    **{f"3;PL;LGSPEC{n}": form for n, form in enumerate(["wa", "i", "ya", "vi", "zi", "zi"], 1)},
}
TENSES = {
    **{"IND;PRS": "na", "IND;PST": "li", "IND;FUT": "ta", "IND;PST;PRF": "me"},
    **{"IND;COND;PRS": "nge", "IND;COND;PST": "ngali"},
}


def words(places: Places, iso: str, options: Mapping[str, Any]) -> Rows:
    """The words of the file, and the verbs of UniMorph."""
    verbs = dict.fromkeys(row[0] for row in unimorph(places, iso, {}) if row[1].startswith("V"))
    for part, text in written(f"{iso}-words.tsv", 2):
        for word in text.split():
            lemma, _, plural = word.partition("/")
            if part == "N":
                yield lemma, "N;SG", lemma
                yield lemma, "N;PL", plural or lemma
            elif part == "V":
                verbs[lemma] = None
            else:
                stem = lemma.removeprefix("ku")
                for features, form in conjugated(lemma, stem):
                    yield lemma, features, form
                    yield stem, features, form
    for lemma in verbs:
        if len(lemma) > 2:
            for features, form in conjugated(lemma):
                yield lemma, features, form


def conjugated(stem: str, habitual: str = "") -> Iterator[tuple[str, str]]:
    """The affirmative tenses of a verb; habitual: its stem there, if it is another.

    >>> cells = dict(conjugated("soma"))
    >>> cells["V;FIN;IND;PST;3;SG;LGSPEC1"], cells["V;FIN;IND;FUT;1;PL"]
    ('alisoma', 'tutasoma')
    """
    for tense, marker in TENSES.items():
        for subject, prefix in SUBJECTS.items():
            yield f"V;FIN;{tense};{subject}", prefix + marker + stem
    for number in ("SG", "PL"):
        yield f"V;FIN;IND;HAB;{number}", f"hu{habitual or stem}"
