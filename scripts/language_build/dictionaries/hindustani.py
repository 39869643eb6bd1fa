"""Hindi and Urdu verbs, nouns and adjectives, by rule.

The verbs of UniMorph were made by a table that joins vowels to consonants (*बनई* for *बनी*) and
puts pronouns before some forms, so only its lemmas are used. `languages/words/ISO-verbs.tsv` has
everyday verbs besides; `ISO-nominals.tsv` has nouns by gender and adjectives. Verbs have the forms
of the spoken language with their auxiliaries, as UniMorph has them, and those of single words:
participles, infinitives in their cases, subjunctive and future, and the bare stem of compounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from language_build.sources import Places, unimorph, written

Rows = Iterator[tuple[str, str, str]]
Cells = Iterator[tuple[str, str]]
PERSONS = ("1;SG", "2;SG", "3;SG", "1;PL", "2;PL", "3;PL")
GENDERS = ("MASC", "FEM")


class Script(NamedTuple):
    """What a language writes; tuples of endings are in the order of PERSONS, or of GENDERS by
    number: masculine singular and plural, feminine singular and plural.
    """

    infinitive: tuple[str, str, str]  # direct, oblique, feminine
    vowels: str  # that stems end in
    habitual: tuple[str, ...]
    perfect: tuple[tuple[str, ...], tuple[str, ...]]  # after consonants, after vowels
    subjunctive: tuple[tuple[str, ...], tuple[str, ...]]
    future: tuple[str, ...]  # what is put behind the subjunctive
    polite: tuple[str, str]
    progressive: tuple[str, ...]
    after: str  # what absolutives end in
    present: tuple[str, ...]
    past: tuple[str, ...]
    possible: tuple[str, ...]
    presumed: tuple[str, ...]  # by person, without the ending of the future
    contrary: tuple[str, ...]
    special: Mapping[str, Mapping[str, tuple[str, ...]]]  # perfect, subjunctive, polite of stems
    alone: Mapping[str, str] = {}  # stems that are spelt otherwise without an ending


HINDI = Script(
    ("ना", "ने", "नी"),
    "ािीुूेैोौएओआई",
    ("ता", "ते", "ती", "ती"),
    (("ा", "े", "ी", "ीं"), ("या", "ए", "ई", "ईं")),
    (("ूँ", "े", "े", "ें", "ो", "ें"), ("ऊँ", "ए", "ए", "एँ", "ओ", "एँ")),
    ("गा", "गे", "गी", "गी"),
    ("िए", "इए"),
    ("रहा", "रहे", "रही", "रही"),
    "कर",
    ("हूँ", "है", "है", "हैं", "हो", "हैं"),
    ("था", "थे", "थी", "थीं"),
    ("हूँ", "हो", "हो", "हों", "हो", "हों"),
    ("हूँ", "हो", "हो", "हों", "हो", "हों"),
    ("होता", "होते", "होती", "होतीं"),
    {
        "कर": {"perfect": ("किया", "किए", "की", "कीं"), "polite": ("कीजिए",)},
        "दे": {
            "perfect": ("दिया", "दिए", "दी", "दीं"),
            "subjunctive": ("दूँ", "दे", "दे", "दें", "दो", "दें"),
            "polite": ("दीजिए",),
        },
        "ले": {
            "perfect": ("लिया", "लिए", "ली", "लीं"),
            "subjunctive": ("लूँ", "ले", "ले", "लें", "लो", "लें"),
            "polite": ("लीजिए",),
        },
        "पी": {
            "perfect": ("पिया", "पिए", "पी", "पीं"),
            "subjunctive": ("पिऊँ", "पिए", "पिए", "पिएँ", "पिओ", "पिएँ"),
            "polite": ("पीजिए",),
        },
        "जी": {
            "perfect": ("जिया", "जिए", "जी", "जीं"),
            "subjunctive": ("जिऊँ", "जिए", "जिए", "जिएँ", "जिओ", "जिएँ"),
            "polite": ("जिएँ",),
        },
        "सी": {
            "perfect": ("सिया", "सिए", "सी", "सीं"),
            "subjunctive": ("सिऊँ", "सिए", "सिए", "सिएँ", "सिओ", "सिएँ"),
            "polite": ("सीजिए",),
        },
        "छू": {
            "perfect": ("छुआ", "छुए", "छुई", "छुईं"),
            "subjunctive": ("छुऊँ", "छुए", "छुए", "छुएँ", "छुओ", "छुएँ"),
            "polite": ("छुइए",),
        },
        "जा": {"perfect": ("गया", "गए", "गई", "गईं")},
        "हो": {
            "perfect": ("हुआ", "हुए", "हुई", "हुईं"),
            "subjunctive": ("होऊँ", "हो", "हो", "हों", "होओ", "हों"),
            "future": ("हूँ", "हो", "हो", "हों", "हो", "हों"),
        },
    },
)
URDU = Script(
    ("نا", "نے", "نی"),
    "اوآ",
    ("تا", "تے", "تی", "تی"),
    (("ا", "ے", "ی", "یں"), ("یا", "ئے", "ئی", "ئیں")),
    (("وں", "ے", "ے", "یں", "و", "یں"), ("ؤں", "ئے", "ئے", "ئیں", "ؤ", "ئیں")),
    (" گا", " گے", " گی", " گی"),
    ("یے", "ئیے"),
    ("رہا", "رہے", "رہی", "رہی"),
    " کر",
    ("ہوں", "ہے", "ہے", "ہیں", "ہو", "ہیں"),
    ("تھا", "تھے", "تھی", "تھیں"),
    ("ہوں", "ہو", "ہو", "ہوں", "ہو", "ہوں"),
    ("ہوں", "ہو", "ہو", "ہوں", "ہو", "ہوں"),
    ("ہوتا", "ہوتے", "ہوتی", "ہوتیں"),
    {
        "کر": {"perfect": ("کیا", "کیے", "کی", "کیں"), "polite": ("کیجیے",)},
        "دی": {
            "perfect": ("دیا", "دیے", "دی", "دیں"),
            "subjunctive": ("دوں", "دے", "دے", "دیں", "دو", "دیں"),
            "polite": ("دیجیے",),
        },
        "لی": {
            "perfect": ("لیا", "لیے", "لی", "لیں"),
            "subjunctive": ("لوں", "لے", "لے", "لیں", "لو", "لیں"),
            "polite": ("لیجیے",),
        },
        "پی": {
            "perfect": ("پیا", "پیے", "پی", "پیں"),
            "subjunctive": ("پیوں", "پیے", "پیے", "پییں", "پیو", "پییں"),
            "polite": ("پیجیے",),
        },
        "جی": {
            "perfect": ("جیا", "جیے", "جی", "جیں"),
            "subjunctive": ("جیوں", "جیے", "جیے", "جییں", "جیو", "جییں"),
            "polite": ("جیجیے",),
        },
        "چھو": {"perfect": ("چھوا", "چھوئے", "چھوئی", "چھوئیں")},
        "جا": {"perfect": ("گیا", "گئے", "گئی", "گئیں")},
        "ہو": {
            "perfect": ("ہوا", "ہوئے", "ہوئی", "ہوئیں"),
            "subjunctive": ("ہوں", "ہو", "ہو", "ہوں", "ہو", "ہوں"),
        },
    },
    {"کہ": "کہہ", "سہ": "سہہ", "بہ": "بہہ", "دی": "دے", "لی": "لے"},
)
SCRIPTS = {"hin": HINDI, "urd": URDU}
AFTER_DO = {"कर": "के", "کر": " کے"}  # what the absolutive of to do ends in
CASES = tuple(f"{case};{number}" for number in ("SG", "PL") for case in ("NOM", "ACC", "VOC"))


def verbs(places: Places, iso: str, options: Mapping[str, Any]) -> Rows:
    """All forms of the verbs of UniMorph and of `languages/words/ISO-verbs.tsv`.

    Those of a single word are listed under the bare stem, too, which treebanks cite.
    """
    script = SCRIPTS[iso]
    lines = (line for (line,) in written(f"{iso}-verbs.tsv", 1))
    lemmas = dict.fromkeys(word.replace("_", " ") for line in lines for word in line.split())
    lemmas |= dict.fromkeys(
        lemma for lemma, features, _ in unimorph(places, iso, options) if features.startswith("V")
    )
    for lemma in lemmas:
        if lemma.endswith(script.infinitive[0]):
            stem = lemma.removesuffix(script.infinitive[0])
            alone = script.alone.get(stem, stem)
            if " " not in alone:
                yield alone, "V", alone  # before another verb, without any features in treebanks
                yield lemma, "V", lemma
            for features, form in conjugated(stem, script):
                yield lemma, features, form
                if " " not in form:
                    yield alone, features, form


def conjugated(stem: str, script: Script) -> Cells:
    """The cells of a verb, by its stem, which may have words before it.

    >>> cells = list(conjugated("काम कर", HINDI))
    >>> [form for cell, form in cells if cell in ("V;IMP;2;PL;FORM", "V;FUT;MASC;3;SG")]
    ['काम करेगा', 'काम कीजिए']
    >>> [form for cell, form in conjugated("جا", URDU) if cell.startswith("V.PTCP;PFV")]
    ['گیا', 'گئے', 'گئی', 'گئیں']
    >>> [form for cell, form in conjugated("دی", URDU) if cell in ("V.CVB", "V;SBJV;3;SG")]
    ['دے', 'دے']
    """
    before, space, last = stem.rpartition(" ")
    own = script.special.get(last, {})
    open_ = last[-1] in script.vowels
    perfect = own.get("perfect") or tuple(last + end for end in script.perfect[open_])
    subjunctive = own.get("subjunctive") or tuple(last + end for end in script.subjunctive[open_])
    polite = own.get("polite", (last + script.polite[open_],))[0]
    habitual = tuple(last + end for end in script.habitual)
    alone = script.alone.get(last, last)
    progressive = tuple(f"{alone} {form}" for form in script.progressive)
    cells = {
        **dict(_nonfinite(last, alone, script)),
        **dict(_single(alone, script, habitual, perfect, subjunctive, own.get("future"), polite)),
        **dict(_compound(script, habitual, perfect, progressive)),
    }
    for features, form in cells.items():
        yield features, before + space + form


def _nonfinite(stem: str, alone: str, script: Script) -> Cells:
    direct, oblique, feminine = (stem + end for end in script.infinitive)
    yield "V;NFIN;LGSPEC1", direct
    yield "V;NFIN;LGSPEC2", oblique
    yield "V;NFIN;MASC;NOM;SG", direct
    yield "V;NFIN;MASC;NOM;PL", oblique
    yield "V;NFIN;MASC;ACC;SG", oblique
    yield "V;NFIN;FEM;NOM;SG", feminine
    yield "V.CVB", alone
    yield "V.CVB;PST", alone + AFTER_DO.get(alone, script.after)


def _single(
    alone: str,
    script: Script,
    habitual: tuple[str, ...],
    perfect: tuple[str, ...],
    subjunctive: tuple[str, ...],
    future: tuple[str, ...] | None,
    polite: str,
) -> Cells:
    """Participles, subjunctive, future and imperative."""
    for aspect, forms in (("IPFV", habitual), ("PFV", perfect)):
        for place, form in enumerate(forms):
            yield f"V.PTCP;{aspect};{GENDERS[place > 1]};{('SG', 'PL')[place % 2]}", form
    for place, person in enumerate(PERSONS):
        yield f"V;SBJV;{person}", subjunctive[place]
        for gender in GENDERS:
            form = (future or subjunctive)[place] + script.future[_place(gender, person)]
            yield f"V;SBJV;{gender};{person}", form  # as UniMorph has the future
            yield f"V;FUT;{gender};{person}", form
    yield "V;IMP;2;SG;INFM", alone
    yield "V;IMP;2;SG;FORM", subjunctive[4]
    yield "V;IMP;2;PL", subjunctive[4]
    yield "V;IMP;2;PL;FORM", polite


def _compound(
    script: Script,
    habitual: tuple[str, ...],
    perfect: tuple[str, ...],
    progressive: tuple[str, ...],
) -> Cells:
    """Finite forms of a participle and an auxiliary."""
    for place, person in enumerate(PERSONS):
        for gender in GENDERS:
            agreement = _place(gender, person)
            finite = {
                "PRS": script.present[place],
                "PST": script.past[agreement],
                "SBJV": script.possible[place],
                "LGSPEC3": script.presumed[place] + script.future[agreement],
                "LGSPEC4": script.contrary[agreement],
            }
            for aspect, forms in (("HAB", habitual), ("PRF", perfect), ("PROG", progressive)):
                main = forms[min(agreement, 2)]  # the auxiliary alone shows a feminine plural
                for tense, auxiliary in finite.items():
                    yield f"V;{tense};{aspect};{gender};{person}", f"{main} {auxiliary}"


def _place(gender: str, person: str) -> int:
    return 2 * (gender == "FEM") + person.endswith("PL")


def nominals(places: Places, iso: str, options: Mapping[str, Any]) -> Rows:
    """The nouns and adjectives of `languages/words/ISO-nominals.tsv`: their class, and words.

    The classes are masc, fem, unmarked (masculine nouns in a long vowel that stays) and adj.
    """
    decline = {"hin": hindi_forms, "urd": urdu_forms}[iso]
    for kind, words in written(f"{iso}-nominals.tsv", 2):
        for word in words.split():
            lemma = word.replace("_", " ")
            if kind == "adj":
                yield from _adjective(lemma, iso)
                continue
            for cell, form in zip(CASES, decline(lemma, kind), strict=True):
                yield lemma, f"N;{cell}", form


def _adjective(lemma: str, iso: str) -> Rows:
    oblique, feminine = {"hin": ("े", "ी"), "urd": ("ے", "ی")}[iso]
    marked = lemma[-1] in "ाاہ" and lemma[-2:] != "یا"
    stem = lemma[:-1]
    if lemma.endswith("या") and iso == "hin":  # नया, नए
        forms = (lemma, f"{stem[:-1]}ए", f"{stem[:-1]}ई")
    else:
        forms = (lemma, stem + oblique, stem + feminine) if marked else (lemma,) * 3
    for cell in ("NOM;SG", "NOM;PL", "ACC;SG", "ACC;PL"):
        yield lemma, f"ADJ;MASC;{cell}", forms[cell != "NOM;SG"]
        yield lemma, f"ADJ;FEM;{cell}", forms[2]


def hindi_forms(lemma: str, gender: str) -> tuple[str, ...]:
    """Direct, oblique and vocative of the singular, then of the plural.

    >>> hindi_forms("बेटा", "masc"), hindi_forms("नदी", "fem")[3:]
    (('बेटा', 'बेटे', 'बेटे', 'बेटे', 'बेटों', 'बेटो'), ('नदियाँ', 'नदियों', 'नदियो'))
    >>> hindi_forms("राजा", "unmarked")[3:], hindi_forms("बहू", "fem")[3:]
    (('राजा', 'राजाओं', 'राजाओ'), ('बहुएँ', 'बहुओं', 'बहुओ'))
    """
    last, stem = lemma[-1], lemma[:-1]
    if gender == "masc" and last == "ा":
        before = stem[:-1] + "ए" if lemma.endswith("या") else stem + "े"
        many = stem[:-1] + "य" if lemma.endswith("या") else stem
        return (lemma, before, before, before, f"{many}ों", f"{many}ो")
    short = stem + {"ी": "ि", "ू": "ु"}.get(last, last)
    if last in "ीि":
        direct, others = f"{short}याँ", (f"{short}यों", f"{short}यो")
    elif last in "ाूुोौएओआईे":
        direct, others = f"{short}एँ", (f"{short}ओं", f"{short}ओ")
    else:
        direct, others = f"{lemma}ें", (f"{lemma}ों", f"{lemma}ो")
    if lemma.endswith("िया") and gender == "fem":
        direct, others = f"{lemma}ँ", (f"{stem}ों", f"{stem}ो")
    return (lemma,) * 3 + (direct if gender == "fem" else lemma, *others)


def urdu_forms(lemma: str, gender: str) -> tuple[str, ...]:
    """As `hindi_forms`.

    >>> urdu_forms("بچہ", "masc"), urdu_forms("ندی", "fem")[3:]
    (('بچہ', 'بچے', 'بچے', 'بچے', 'بچوں', 'بچو'), ('ندیاں', 'ندیوں', 'ندیو'))
    >>> urdu_forms("دنیا", "fem")[3:]
    ('دنیائیں', 'دنیاؤں', 'دنیاؤ')
    """
    last, stem = lemma[-1], lemma[:-1]
    if gender == "masc" and last in "اہ":
        return (lemma, f"{stem}ے", f"{stem}ے", f"{stem}ے", f"{stem}وں", f"{stem}و")
    if last in "ی":
        direct, others = f"{lemma}اں", (f"{lemma}وں", f"{lemma}و")
    elif last in "اآ":
        direct, others = f"{lemma}ئیں", (f"{lemma}ؤں", f"{lemma}ؤ")
    elif last == "و":
        direct, others = f"{lemma}ئیں", (f"{stem}ؤں", f"{stem}ؤ")
    else:
        direct, others = f"{lemma}یں", (f"{lemma}وں", f"{lemma}و")
    return (lemma,) * 3 + (direct if gender == "fem" else lemma, *others)
