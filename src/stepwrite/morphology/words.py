"""English words for features: "dative plural", "past participle", "3rd person singular present"."""

from __future__ import annotations

import re
from difflib import get_close_matches
from functools import cache

from stepwrite.data.features import DIMENSIONS
from stepwrite.errors import FeatureError, shown
from stepwrite.morphology.universal import VALUES, Wanted

SAID = {
    "animacy": "animate:ANIM inanimate:INAN human:HUM",
    "aspect": "perfective:PFV imperfective:IPFV perfect:PRF progressive:PROG continuous:PROG "
    "habitual:HAB prospective:PROSP iterative:ITER",
    "case": "nominative:NOM genitive:GEN dative:DAT accusative:ACC vocative:VOC "
    "ablative:ABL,AT+ABL locative:LOC,ESS prepositional:ESS,LOC instrumental:INS,COM ergative:ERG "
    "absolutive:ABS partitive:PRT inessive:IN+ESS elative:IN+ABL illative:IN+ALL adessive:AT+ESS "
    "allative:AT+ALL,ALL essive:FRML,ESS translative:TRANS abessive:PRIV comitative:COM,INS "
    "instructive:INS terminative:TERM superessive:ON+ESS delative:ON+ABL sublative:ON+ALL "
    "equative:EQTV causal-final:PRP benefactive:BEN prolative:PROL oblique:OBL,ACC",
    "comparison": "comparative:CMPR superlative:SPRL",
    "definiteness": "definite:DEF indefinite:INDF",
    "evidentiality": "quotative:QUOT reported:QUOT witnessed:FH unwitnessed:NFH",
    "gender": "masculine:MASC feminine:FEM neuter:NEUT common:MASC+FEM",
    "interrogativity": "interrogative:INT declarative:DECL",
    "mood": "indicative:IND subjunctive:SBJV conjunctive:SBJV conditional:COND imperative:IMP "
    "optative:OPT potential:POT jussive:IMP necessitative:DEB,OBLIG admirative:ADM",
    "number": "singular:SG plural:PL dual:DU",
    "part of speech": "noun:N verb:V adjective:ADJ adverb:ADV pronoun:PRO determiner:DET "
    "numeral:NUM preposition:ADP",
    "person": "first:1 1st:1 second:2 2nd:2 third:3 3rd:3",
    "polarity": "negative:NEG affirmative:POS",
    "politeness": "formal:FORM polite:FORM,POL informal:INFM",
    "tense": "present:PRS past:PST future:FUT",
    "verb form": "finite:FIN infinitive:NFIN participle:PTCP converb:CVB supine:SUP,CVB,PTCP "
    "masdar:MSDR",
    "voice": "active:ACT passive:PASS middle:MID mediopassive:PASS",
}
PHRASES: dict[str, Wanted] = {
    "aorist": {"tense": ("PST",), "aspect": ("PFV",)},
    "preterite": {"tense": ("PST",), "aspect": ("PFV",)},
    "imperfect": {"tense": ("PST",), "aspect": ("IPFV", "PROG")},
    "pluperfect": {"tense": ("PST",), "aspect": ("PRF",)},
    "gerund": {"part of speech": ("V",), "verb form": ("CVB", "PTCP", "MSDR"), "tense": ("PRS",)},
    "verbal noun": {"part of speech": ("V",), "verb form": ("MSDR",)},
    "positive": {"comparison": ("POS",), "polarity": ("POS",)},
    "proper noun": {"part of speech": ("PROPN", "N")},
}
FILLERS = re.compile(
    "a|aspect|case|degree|form|gender|in|mood|number|of|person|simple|tense|the|voice|with"
)


@cache
def vocabulary() -> dict[str, Wanted]:
    """What each word or phrase wants: English, and the tags of UniMorph and of UD as words."""
    words: dict[str, Wanted] = {
        tag.lower(): {dimension: (tag,)}
        for tag, dimension in DIMENSIONS.items()
        if dimension != "finiteness"
    }
    for dimension, values in VALUES.values():
        for value, tags in values.items():
            if tags and not value.isdigit():
                words.setdefault(value.lower(), {dimension: tags})
    for dimension, entries in SAID.items():
        for word, _, said in (entry.partition(":") for entry in entries.split()):
            words[word] = {dimension: tuple(said.split(","))}
    for form in ("ptcp", "cvb", "msdr", "nfin"):
        words[form] = {"verb form": (form.upper(),)}
    words["inf"] = {"verb form": ("NFIN",)}
    for number, tag in {"s": "SG", "sg": "SG", "d": "DU", "p": "PL", "pl": "PL"}.items():
        for person in "123":
            words[person + number] = {"person": (person,), "number": (tag,)}
    return words | PHRASES


def wanted_of(text: str) -> Wanted:
    """What a phrase asks for, by UniMorph's dimensions.

    >>> wanted_of("dative plural")
    {'case': ('DAT',), 'number': ('PL',)}
    >>> wanted_of("past participle")
    {'tense': ('PST',), 'verb form': ('PTCP',), 'part of speech': ('V',)}
    >>> wanted_of("3rd person singular, present")
    {'person': ('3',), 'number': ('SG',), 'tense': ('PRS',)}
    >>> wanted_of("dativ plural")
    Traceback (most recent call last):
    stepwrite.errors.FeatureError: unknown feature 'dativ': did you mean dative?
    """
    known = vocabulary()
    tokens = re.findall(r"[^\s,;]+", text.lower())
    wanted: Wanted = {}
    while tokens:
        for length in (2, 1):
            said = " ".join(tokens[:length])
            if said in known:
                wanted |= known[said]
                break
        else:
            if not FILLERS.fullmatch(tokens[0]):
                near = get_close_matches(tokens[0], known, n=1)
                hint = f"did you mean {near[0]}?" if near else 'use tags or words: "dative plural"'
                raise FeatureError(f"unknown feature {shown(tokens[0])}: {hint}")
            length = 1
        del tokens[:length]
    if wanted.get("verb form") not in (None, ("FIN",)):
        wanted.setdefault("part of speech", ("V",))
    return wanted
