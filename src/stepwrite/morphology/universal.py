"""Universal Dependencies features: `NOUN|Case=Dat|Number=Plur` -> what UniMorph calls the same.

A value maps to UniMorph tags, best first: languages lack some of them, or use one for another (the
locative of a Slavic language is `ESS` in UniMorph). Features that say nothing about the cell of the
paradigm, such as `NameType`, are passed over.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches

from stepwrite.errors import FeatureError, shown

Wanted = dict[str, tuple[str, ...]]
"""By dimension the tags that would do, best first; `MASC+FEM` stands for either."""

POS = {
    "ADJ": ("ADJ",),
    "ADP": ("ADP",),
    "ADV": ("ADV",),
    "AUX": ("V", "AUX"),
    "CCONJ": ("CONJ",),
    "DET": ("DET", "PRO"),
    "INTJ": ("INTJ",),
    "NOUN": ("N",),
    "NUM": ("NUM", "ADJ"),
    "PART": ("PART",),
    "PRON": ("PRO",),
    "PROPN": ("PROPN", "N"),
    "SCONJ": ("COMP",),
    "VERB": ("V",),
}

_COMBINED: Mapping[tuple[str, str], Wanted] = {  # one feature of UD, several dimensions of UniMorph
    ("Definite", "Cons"): {"possession": ("PSSD",)},
    ("Tense", "Imp"): {"tense": ("PST",), "aspect": ("IPFV", "PROG")},
    ("Tense", "Past"): {"tense": ("PST",), "aspect": ("PFV",)},
    ("Tense", "Pqp"): {"tense": ("PST",), "aspect": ("PRF",)},
    ("Mood", "Qot"): {"evidentiality": ("QUOT",)},
    ("VerbForm", "Ger"): {"verb form": ("CVB", "PTCP", "MSDR"), "tense": ("PRS",)},
    ("VerbForm", "Conv"): {"verb form": ("CVB", "PTCP")},
    ("VerbForm", "Part"): {"verb form": ("PTCP", "CVB")},
    ("VerbForm", "Sup"): {"verb form": ("SUP", "CVB", "PTCP")},
    **{
        ("Voice", value): {"valency": (tag,)}
        for value, tag in (("Cau", "CAUS"), ("Rcp", "RECP"), ("Rfl", "REFL"))
    },
}
_FEATURES = {
    "Animacy": ("animacy", "Anim:ANIM Hum:HUM,ANIM Inan:INAN Nhum:NHUM,ANIM,INAN"),
    "Aspect": (
        "aspect",
        "Dur:PROG,SIM Hab:HAB,FREQ Imp:IPFV Iter:ITER Perf:PFV Prog:PROG Prosp:PROSP",
    ),
    "Case": (
        "case",
        "Abe:PRIV Abl:ABL,AT+ABL Abs:ABS,NOM Acc:ACC,NOM Add:IN+ALL Ade:AT+ESS All:ALL,AT+ALL "
        "Ben:BEN Cau:PRP,CAUSV Cmp:COMPV Com:COM,INS Dat:DAT,GEN Del:ON+ABL Dis:DISTR Ela:IN+ABL "
        "Equ:EQTV Erg:ERG Ess:ESS,FRML Gen:GEN,DAT Ill:IN+ALL Ine:IN+ESS Ins:INS,COM Lat:LAT,ALL "
        "Loc:LOC,ESS Nom:NOM,ABS Obl:OBL,ACC Par:PRT Per:PROL Sbl:ON+ALL Sub:ON+ALL Sup:ON+ESS "
        "Tem:TEM Ter:TERM Tra:TRANS Voc:VOC,NOM",
    ),
    "Definite": ("definiteness", "Com:DEF Def:DEF Ind:INDF Spec:SPEC"),
    "Degree": ("comparison", "Abs:AB,SPRL Aug:AUG Cmp:CMPR Dim:DIM Equ:EQT Pos:POS Sup:SPRL"),
    "Evident": ("evidentiality", "Fh:FH Nfh:NFH"),
    "Gender": ("gender", "Com:MASC+FEM Fem:FEM Masc:MASC Neut:NEUT"),
    "Mood": (
        "mood",
        "Adm:ADM Cnd:COND,SBJV Des:DES Gen: Imp:IMP,SBJV Ind:IND Int:INT Jus:IMP Nec:DEB,OBLIG "
        "Opt:OPT Pot:POT,PERM Prp:PURP Sub:SBJV",
    ),
    "Number": (
        "number",
        "Coll:COLL,SG Count:COUNT,PL Dual:DU,PL Grpa:GRPAUC Grpl:GRPL Inv:INVN Pauc:PAUC Plur:PL "
        "Ptan:PL Sing:SG Tri:TRI",
    ),
    "Person": ("person", "0:0,3 1:1 2:2 3:3 4:4"),
    "Polarity": ("polarity", "Neg:NEG Pos:POS"),
    "Polite": ("politeness", "Elev:ELEV Form:FORM Humb:HUMB Infm:INFM"),
    "Tense": ("tense", "Fut:FUT Pres:PRS"),
    "VerbForm": ("verb form", "Cop: Fin:FIN Gdv:PTCP Inf:NFIN Vnoun:MSDR"),
    "Voice": (
        "voice",
        "Act:ACT Antip:ANTIP Bfoc:BFOC Dir:DIR Inv:INV Lfoc:LFOC Mid:MID Pass:PASS",
    ),
}
VALUES: Mapping[str, tuple[str, Mapping[str, tuple[str, ...]]]] = {
    name: (
        dimension,
        {
            value: tuple(filter(None, tags.split(",")))
            for value, _, tags in (entry.partition(":") for entry in entries.split())
        },
    )
    for name, (dimension, entries) in _FEATURES.items()
}
"""The dimension of each feature, and the tags of each of its values."""

_VERBAL = ("VerbForm", "Tense", "Voice", "Aspect", "Mood", "Person", "Evident")
# What a part of speech does not inflect for in UniMorph. A participle that UD calls an adjective
# has the lemma of an adjective, and its cells.
_IGNORED = {
    "NOUN": (*_VERBAL, "Polarity", "Degree"),
    "PROPN": (*_VERBAL, "Polarity", "Degree"),
    "ADJ": _VERBAL,
    "AUX": ("Degree",),
    "VERB": ("Degree",),
}


def is_universal(text: str) -> bool:
    """Whether a text is in this notation: a part of speech in front, or a capitalised `Case=Dat`.

    >>> [is_universal(text) for text in ("NOUN|Case=Dat", "VERB", "Case=Dat", "case=DAT", "V;PST")]
    [True, True, True, False, False]
    """
    first, _, _ = text.partition("|")
    name, equals, _ = first.partition("=")
    return "|" in text or (name in VALUES if equals else first in POS and first != "ADJ")


def as_verb(text: str) -> str | None:
    """The features of a participle or verbal noun that is filed under adjectives or nouns, as those
    of a verb. Whether it is one depends on its lemma.

    >>> as_verb("ADJ|Case=Gen|Number=Plur|VerbForm=Part"), as_verb("NOUN|Case=Gen|VerbForm=Vnoun")
    ('VERB|Case=Gen|Number=Plur|VerbForm=Part', 'VERB|Case=Gen|VerbForm=Vnoun')
    >>> as_verb("NOUN|Case=Gen"), as_verb("VERB|VerbForm=Part")
    (None, None)
    """
    pos, _, features = text.partition("|")
    return f"VERB|{features}" if pos in ("ADJ", "NOUN") and "VerbForm=" in features else None


def wanted_of(text: str) -> Wanted:
    """What a text asks for, by UniMorph's dimensions.

    >>> wanted_of("NOUN|Case=Dat|Gender=Neut|Number=Plur")
    {'part of speech': ('N',), 'case': ('DAT', 'GEN'), 'gender': ('NEUT',), 'number': ('PL',)}
    >>> wanted_of("AUX|Mood=Ind|Tense=Past|VerbForm=Fin")["aspect"]
    ('PFV',)
    >>> wanted_of("VERB|Aspect=Perf|Tense=Imp")["aspect"]
    ('IPFV', 'PROG')
    >>> wanted_of("NOUN|Number=Sing|Number[psor]=Plur|Person[psor]=1")["possession"]
    ('PSS1P',)
    """
    pieces = [piece.strip() for piece in text.split("|")]
    pos = "" if "=" in pieces[0] else pieces.pop(0)
    if pos and pos not in POS:
        raise FeatureError(f"unknown part of speech {shown(pos)}: use {', '.join(POS)}")
    wanted: Wanted = {"part of speech": POS[pos]} if pos else {}
    said = dict(_named_value(piece) for piece in pieces if piece and piece != "_")
    ignored = _IGNORED.get(pos, ())
    if said.get("Tense") in ("Imp", "Pqp") and said.get("Aspect") in ("Imp", "Perf"):
        ignored = (*ignored, "Aspect")  # the verb's own, as in Bulgarian; the tense has its own
    for name, value in said.items():
        if name in ignored or name not in VALUES:
            continue
        for dimension, tags in _dimensions(name, value).items():
            # What a feature of its own says counts for more: `Aspect=Imp|Tense=Past`.
            if dimension not in wanted or dimension == name.lower():
                wanted[dimension] = tags
    if "Person[psor]" in said:
        number = {"Sing": "S", "Plur": "P", "Dual": "D"}.get(said.get("Number[psor]", ""), "")
        wanted["possession"] = (f"PSS{said['Person[psor]']}{number}",)
    if "InfForm" in said and said["InfForm"] != "1" and wanted.get("verb form") == ("NFIN",):
        wanted["language-specific"] = (f"LGSPECINF{said['InfForm']}",)
    match said.get("PartForm"):
        case "Pres":
            wanted["tense"] = ("PRS",)
        case "Past":
            wanted["tense"] = ("PST",)
        case str(form):
            wanted["language-specific"] = (f"LGSPEC{form.upper()}",)
    if said.get("Variant") == "Short":  # short forms of Slavic adjectives have no case
        wanted.pop("case", None)
    if said.get("VerbForm") == "Ger" and "Case" in said:  # it is declined, as in Latin
        wanted["verb form"] = ("MSDR", "PTCP")
        del wanted["tense"]
    if "Connegative" in said and said.get("Tense") == "Past":  # Estonian; a participle
        wanted |= {"verb form": ("PTCP",), "voice": wanted.get("voice", ("ACT",))}
        for dimension in ("aspect", "mood", "polarity"):
            wanted.pop(dimension, None)
    elif "Connegative" in said:  # Finnic; its form is that of the imperative, or of the 3rd person
        mood = "IMP" if wanted.get("mood", ("IND",)) == ("IND",) else wanted["mood"][0]
        person = "2" if mood == "IMP" else "3"
        wanted |= {"mood": (mood,), "person": (person,), "number": ("SG",), "polarity": ("POS",)}
    return wanted


def _named_value(piece: str) -> tuple[str, str]:
    name, equals, value = piece.partition("=")
    if not equals:
        raise FeatureError(f"not a Universal Dependencies feature: {shown(piece)}")
    if name not in VALUES and (near := get_close_matches(name, VALUES, n=1, cutoff=0.82)):
        raise FeatureError(f"unknown feature {shown(name)}: did you mean {near[0]}?")
    return name, value


def _dimensions(name: str, value: str) -> Wanted:
    """What one feature says; several values, `Gender=Fem,Masc`, stand for any of them."""
    dimension, tags_of = VALUES[name]
    alternatives = []
    for one in value.split(","):
        if (name, one) in _COMBINED:
            return _COMBINED[name, one]
        if one not in tags_of:
            known = {*tags_of, *(other for feature, other in _COMBINED if feature == name)}
            raise FeatureError(
                f"unknown value {shown(one)} of {name}: use {', '.join(sorted(known))}"
            )
        alternatives.append(tags_of[one])
    if len(alternatives) > 1:
        return {dimension: ("/".join(tags[0] for tags in alternatives if tags),)}
    return {dimension: alternatives[0]} if alternatives[0] else {}
