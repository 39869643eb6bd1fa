"""Verbs of Croatian, Bosnian and Serbian from their principal parts.

`languages/words/hbs-verbs.tsv`, written for this project, has the infinitive, the first person
singular of the present and the past participle, masculine and feminine. All other forms follow.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from language_build.sources import Places, written

PERSONS = ("1;SG", "2;SG", "3;SG", "1;PL", "2;PL", "3;PL")
PRESENT = ("m", "š", "", "mo", "te")
FUTURE = ("ću", "ćeš", "će", "ćemo", "ćete", "će")
PAST = ("sam", "si", "je", "smo", "ste", "su")
CONDITIONAL = ("bih", "bi", "bi", "bismo", "biste", "bi")
SOFT = {"č": ("k", "c"), "ž": ("g", "z")}  # of verbs in -ći: pečem, peku, peci


class Verb(NamedTuple):
    """The principal parts of a verb."""

    infinitive: str
    present: str
    masculine: str
    feminine: str

    def cells(self) -> Iterator[tuple[str, str]]:
        """The forms of a verb.

        >>> cells = dict(Verb("pisati", "pišem", "pisao", "pisala").cells())
        >>> cells["V;PRS;3;PL"], cells["V;IMP;2;PL"], cells["V;FUT;1;SG"], cells["V;COND;1;PL"]
        ('pišu', 'pišite', 'pisat ću', 'pisali bismo')
        >>> cells = dict(Verb("peći", "pečem", "pekao", "pekla").cells())
        >>> cells["V;PRS;3;PL"], cells["V;IMP;2;SG"], cells["V;FUT;3;SG"], cells["V;PST;2;SG"]
        ('peku', 'peci', 'peći će', 'pekao si')
        """
        stem, plural, imperative = self.present[:-1], self.third_plural, self.imperative
        yield "V;NFIN", self.infinitive
        for person, form in zip(PERSONS, (*(stem + e for e in PRESENT), plural), strict=True):
            yield f"V;PRS;{person}", form
        yield "V;IMP;2;SG", imperative
        yield "V;IMP;1;PL", f"{imperative}mo"
        yield "V;IMP;2;PL", f"{imperative}te"
        begun = self.infinitive[:-1] if self.infinitive.endswith("ti") else self.infinitive
        participles = (self.masculine,) * 3 + (f"{self.feminine[:-1]}i",) * 3
        for tense, auxiliaries in (("PST", PAST), ("COND", CONDITIONAL)):
            for person, form, auxiliary in zip(PERSONS, participles, auxiliaries, strict=True):
                yield f"V;{tense};{person}", f"{form} {auxiliary}"
        for person, auxiliary in zip(PERSONS, FUTURE, strict=True):
            yield f"V;FUT;{person}", f"{begun} {auxiliary}"
        yield "V.PTCP;PST;ACT;MASC;SG", self.masculine
        for cell, ending in zip(
            ("FEM;SG", "NEUT;SG", "MASC;PL", "FEM;PL", "NEUT;PL"), "aoiea", strict=True
        ):
            yield f"V.PTCP;PST;ACT;{cell}", self.feminine[:-1] + ending

    @property
    def third_plural(self) -> str:
        """The third person plural of the present.

        >>> [Verb("", present, "", "").third_plural for present in ("čitam", "držim", "zovem")]
        ['čitaju', 'drže', 'zovu']
        """
        stem = self.present[:-2]
        if self._is_softened:
            return f"{stem[:-1]}{SOFT[stem[-1]][0]}u"
        return stem + {"a": "aju", "i": "e", "e": "u"}[self.present[-2]]

    @property
    def imperative(self) -> str:
        """The imperative, second person singular.

        >>> presents = ("čitam", "držim", "zovem", "kupujem", "bojim")
        >>> [Verb("", present, "", "").imperative for present in presents]
        ['čitaj', 'drži', 'zovi', 'kupuj', 'boj']
        """
        if self._is_softened:
            stem = self.present[:-2]
            return f"{stem[:-1]}{SOFT[stem[-1]][1]}i"
        root = self.third_plural[:-1]
        return root if root.endswith("j") else f"{root}i"

    @property
    def _is_softened(self) -> bool:
        return self.infinitive.endswith("ći") and self.present[-3] in SOFT


def verbs(places: Places, iso: str, options: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    for line in written("hbs-verbs.tsv", 4):
        verb = Verb(*line)
        yield from ((verb.infinitive, *cell) for cell in verb.cells())
