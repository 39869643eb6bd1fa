"""Latin words that inflect by rule: `lat-nouns.tsv`, `-adjectives.tsv`, `-verbs.tsv` and
`-compounds.tsv` of `languages/words`.

Nouns and adjectives come by declension, with the genitive where the nominative doesn't give the
stem; verbs by conjugation, with perfect and supine, or as compounds of an irregular one.
Participles agree in gender, case and number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import Any

from language_build.sources import Places, ours, written

Rows = Iterator[tuple[str, str, str]]
Cells = Iterator[tuple[str, str]]
CASES = ("NOM", "GEN", "DAT", "ACC", "ABL", "VOC")
PERSONS = ("1;SG", "2;SG", "3;SG", "1;PL", "2;PL", "3;PL")
SAME = "="  # the nominative itself
NOUNS = {
    "1": "a ae ae am a a|ae arum is as is ae",
    "2us": "us i o um o e|i orum is os is i",
    "2um": "um i o um o um|a orum is a is a",
    "2er": "= i o um o =|i orum is os is i",
    "3": "= is i em e =|es um ibus es ibus es",
    "3n": "= is i = e =|a um ibus a ibus a",
    "3i": "= is i em e =|es ium ibus es ibus es",
    "3in": "= is i = i =|ia ium ibus ia ibus ia",
    "4us": "us us ui um u us|us uum ibus us ibus us",
    "4u": "u us u u u u|ua uum ibus ua ibus ua",
    "5": "es ei ei em e es|es erum ebus es ebus es",
}
ADJECTIVES = {  # masculine, feminine, neuter
    "us": (NOUNS["2us"], NOUNS["1"], NOUNS["2um"]),
    "er": (NOUNS["2er"], NOUNS["1"], NOUNS["2um"]),
    "i": tuple(
        forms.replace("us i o", "us ius i")
        .replace("a ae ae", "a ius i")
        .replace("um i o", "um ius i")
        for forms in (NOUNS["2us"], NOUNS["1"], NOUNS["2um"])
    ),
    "is": (
        "is is i em i is|es ium ibus es ibus es",
        "is is i em i is|es ium ibus es ibus es",
        "e is i e i e|ia ium ibus ia ibus ia",
    ),
    "x": (
        "= is i em i =|es ium ibus es ibus es",
        "= is i em i =|es ium ibus es ibus es",
        "= is i = i =|ia ium ibus ia ibus ia",
    ),
    "participle": (
        "= is i em e =|es ium ibus es ibus es",
        "= is i em e =|es ium ibus es ibus es",
        "= is i = e =|ia ium ibus ia ibus ia",
    ),
    "comparative": (
        "or oris ori orem ore or|ores orum oribus ores oribus ores",
        "or oris ori orem ore or|ores orum oribus ores oribus ores",
        "us oris ori us ore us|ora orum oribus ora oribus ora",
    ),
}
GENDERS = ("MASC", "FEM", "NEUT")
PRESENT = {  # active and passive of indicative, imperfect, future, and subjunctive, by conjugation
    "1": (
        ("o as at amus atis ant", "or aris atur amur amini antur"),
        ("ab", "bo", "em es et emus etis ent", "er eris etur emur emini entur"),
    ),
    "2": (
        ("eo es et emus etis ent", "eor eris etur emur emini entur"),
        ("eb", "bo", "eam eas eat eamus eatis eant", "ear earis eatur eamur eamini eantur"),
    ),
    "3": (
        ("o is it imus itis unt", "or eris itur imur imini untur"),
        ("eb", "", "am as at amus atis ant", "ar aris atur amur amini antur"),
    ),
    "3io": (
        ("io is it imus itis iunt", "ior eris itur imur imini iuntur"),
        ("ieb", "i", "iam ias iat iamus iatis iant", "iar iaris iatur iamur iamini iantur"),
    ),
    "4": (
        ("io is it imus itis iunt", "ior eris itur imur imini iuntur"),
        ("ieb", "i", "iam ias iat iamus iatis iant", "iar iaris iatur iamur iamini iantur"),
    ),
}
THEMES = {"1": "a", "2": "e", "3": "e", "3io": "e", "4": "i"}  # amare, monere, regere, capere
INFINITIVES = {"1": "ari", "2": "eri", "3": "i", "3io": "i", "4": "iri"}
PARTICIPLES = {"1": "an", "2": "en", "3": "en", "3io": "ien", "4": "ien"}
ENDINGS = ("m s t mus tis nt", "r ris tur mur mini ntur")
PERFECT = {
    "V;IND;PST;PFV": "i isti it imus istis erunt",
    "V;IND;PST;PRF": "eram eras erat eramus eratis erant",
    "V;IND;FUT;PRF": "ero eris erit erimus eritis erint",
    "V;SBJV;PST;PFV": "erim eris erit erimus eritis erint",
    "V;SBJV;PST;PRF": "issem isses isset issemus issetis issent",
}


def words(places: Places, iso: str, options: Mapping[str, Any]) -> Rows:
    """All forms of the words in the lists."""
    for kind, listed in written(f"{iso}-nouns.tsv", 2):
        for entry in listed.split(", "):
            for number, forms in zip(("SG", "PL"), noun(entry, kind), strict=True):
                for case, form in zip(CASES, forms, strict=True):
                    yield entry.split()[0], f"N;{case};{number}", form
    for kind, listed in written(f"{iso}-adjectives.tsv", 2):
        for entry in listed.split(", "):
            for bundle, form in adjective(entry, kind):
                yield entry.split()[0], bundle, form
    for kind, listed in written(f"{iso}-verbs.tsv", 2):
        for entry in listed.split(", "):
            for bundle, form in verb(entry, kind):
                yield entry.split()[0], bundle, form
    of_base: dict[str, list[tuple[str, str]]] = {}
    for lemma, bundle, form in ours(places, iso, {}):
        of_base.setdefault(lemma, []).append((bundle, form))
    for base, listed in written(f"{iso}-compounds.tsv", 2):
        for entry in listed.split(", "):
            for bundle, form in of_base[base]:
                yield entry.split()[0], bundle, compound(form, entry)


def compound(form: str, entry: str) -> str:
    """A form of a verb with the prefix of a compound: the lemma, the prefix, others before letters.

    >>> [compound(form, "affero af tul:at lat:al") for form in ("ferre", "tulit")]
    ['afferre', 'attulit']
    """
    _, prefix, *others = entry.split()
    fitting = (other.partition(":")[2] for other in others if form.startswith(other.split(":")[0]))
    return next(fitting, prefix) + form


def noun(entry: str, kind: str) -> list[list[str]]:
    """The forms of a noun in both numbers.

    >>> noun("rex regis", "3")[1][:2], noun("corpus corporis", "3n")[1][:2]
    (['reges', 'regum'], ['corpora', 'corporum'])
    >>> noun("filius", "2us")[0]
    ['filius', 'filii', 'filio', 'filium', 'filio', 'fili']
    """
    lemma, *genitive = entry.split()
    if kind == "2us" and lemma.endswith("ius"):
        forms = _forms(lemma, lemma[:-2], NOUNS["2us"])
        forms[0][-1] = lemma[:-2]
        return forms
    columns = NOUNS[kind]
    if genitive:
        stem = genitive[0].removesuffix("is" if kind[0] == "3" else "i")
    else:
        stem = lemma.removesuffix(columns.split()[0])
    return _forms(lemma, stem, columns)


def _forms(lemma: str, stem: str, columns: str) -> list[list[str]]:
    return [
        [lemma if ending == SAME else stem + ending for ending in endings.split()]
        for endings in columns.split("|")
    ]


def adjective(entry: str, kind: str) -> Cells:
    """The cells of an adjective, with comparison if its kind ends in +.

    >>> cells = dict(adjective("fortis", "is+"))
    >>> cells["ADJ;NEUT;NOM;PL"], cells["ADJ;CMPR;FEM;GEN;SG"], cells["ADJ;SPRL;FEM;NOM;SG"]
    ('fortia', 'fortioris', 'fortissima')
    >>> dict(adjective("pulcher", "er"))["ADJ;FEM;NOM;SG"]
    'pulchra'
    >>> dict(adjective("magnus maior maximus", "compared"))["ADJ;CMPR;NEUT;NOM;SG"]
    'maius'
    """
    lemma, *genitive = entry.split()
    plain = kind.rstrip("+")
    stem = lemma[:-2]
    if plain == "compared":  # bonus melior optimus
        _, comparative, superlative = entry.split()
        yield from _agreeing("ADJ;CMPR", "", comparative[:-2], "comparative")
        yield from _agreeing("ADJ;SPRL", "", superlative[:-2], "us")
        return
    if plain == "er":
        stem = f"{stem}r"
    elif plain == "er-e":
        stem, plain = lemma, "er"
    elif plain == "or":
        plain = "comparative"
    elif genitive:
        stem = genitive[0].removesuffix("is")
    yield from _agreeing("ADJ", lemma, stem, plain)
    if kind.endswith("+"):
        yield from _agreeing("ADJ;CMPR", "", f"{stem}i", "comparative")
        yield from _agreeing("ADJ;SPRL", "", f"{stem}issim", "us")


def _agreeing(head: str, lemma: str, stem: str, kind: str) -> Cells:
    for gender, columns in zip(GENDERS, ADJECTIVES[kind], strict=True):
        forms = _forms(lemma, stem, columns)
        for (number, case), form in zip(
            product(("SG", "PL"), CASES), [*forms[0], *forms[1]], strict=True
        ):
            yield f"{head};{gender};{case};{number}", form


def verb(entry: str, kind: str) -> Cells:
    """The cells of a verb; those of deponents with and without the tag of the passive.

    >>> cells = dict(verb("rego rexi rectum", "3"))
    >>> cells["V;IND;PRS;PASS;3;SG"], cells["V;IND;FUT;3;SG"], cells["V;SBJV;PST;IPFV;3;PL"]
    ('regitur', 'reget', 'regerent')
    >>> cells["V;IND;PST;PFV;3;SG"], cells["V.PTCP;PST;PASS;FEM;ACC;SG"], cells["V;NFIN;PASS"]
    ('rexit', 'rectam', 'regi')
    >>> dict(verb("loquor locutus", "3d"))["V;IND;PRS;3;SG"]
    'loquitur'
    """
    lemma, *parts = entry.split()
    deponent = kind.endswith("d")
    conjugation = kind.rstrip("d")
    first = PRESENT[conjugation][0][deponent].split()[0]
    stem = lemma.removesuffix(first)
    if conjugation == "1":
        parts = [f"{stem}atus"] if deponent else [f"{stem}avi", f"{stem}atum"]
    for passive in (True,) if deponent else (False, True):
        for bundle, form in _present(stem, conjugation, passive):
            if passive:
                yield bundle.replace("|", ";PASS"), form
            if deponent or not passive:
                yield bundle.replace("|", ""), form
    participle = stem + PARTICIPLES[conjugation]
    yield "V.PTCP;PRS", f"{participle}s"
    yield from _agreeing("V.PTCP;PRS", f"{participle}s", f"{participle}t", "participle")
    yield from _agreeing("V.PTCP;FUT;PASS", "", f"{participle}d", "us")
    for case, ending in (("GEN", "i"), ("DAT", "o"), ("ACC", "um"), ("ABL", "o")):
        yield f"V.MSDR;{case};SG", f"{participle}d{ending}"
    perfect, supine = ("x", parts[0]) if deponent else parts
    if perfect != "x":
        for bundle, endings in PERFECT.items():
            yield from _finite(bundle, _with(perfect[:-1], endings))
        yield "V;NFIN;PST;PFV", f"{perfect}sse"
    if supine != "x":
        past = supine[:-2]
        if deponent:
            yield from _agreeing("V.PTCP;PST", "", past, "us")
        yield from _agreeing("V.PTCP;PST;PASS", "", past, "us")
        yield from _agreeing("V.PTCP;FUT", "", f"{past}ur", "us")


def _finite(bundle: str, forms: Iterable[str]) -> Cells:
    for person, form in zip(PERSONS, forms, strict=True):
        yield f"{bundle};{person}", form


def _with(stem: str, endings: str) -> list[str]:
    return [stem + ending for ending in endings.split()]


def _present(stem: str, conjugation: str, passive: bool) -> Cells:
    """The present system in one voice; | stands where the tag of the passive goes."""
    present, (past, future, *subjunctive) = PRESENT[conjugation]
    short = ENDINGS[passive].split()
    yield from _finite("V;IND;PRS|", _with(stem, present[passive]))
    imperfect = [f"{stem}{past}a{ending}" for ending in short]
    yield from _finite("V;IND;PST;IPFV|", imperfect)
    yield from _finite("V;IND;FUT|", _with(stem, _future(conjugation, future, passive)))
    yield from _finite("V;SBJV;PRS|", _with(stem, subjunctive[passive]))
    infinitive = f"{stem}{THEMES[conjugation]}re"
    yield from _finite("V;SBJV;PST;IPFV|", [infinitive + ending for ending in short])
    yield "V;NFIN|", stem + INFINITIVES[conjugation] if passive else infinitive
    if not passive:
        vowel = {"1": "a", "2": "e", "4": "i"}.get(conjugation, "e")
        yield "V;IMP;PRS;2;SG", stem + vowel
        yield "V;IMP;PRS;2;PL", stem + (vowel if conjugation in "124" else "i") + "te"


def _future(conjugation: str, kind: str, passive: bool) -> str:
    """The endings of the future.

    >>> _future("1", "bo", False), _future("3io", "i", True)
    ('abo abis abit abimus abitis abunt', 'iar ieris ietur iemur iemini ientur')
    """
    if kind == "bo":
        endings = ("bo bis bit bimus bitis bunt", "bor beris bitur bimur bimini buntur")[passive]
        return " ".join(THEMES[conjugation] + ending for ending in endings.split())
    endings = ("am es et emus etis ent", "ar eris etur emur emini entur")[passive]
    return " ".join(kind + ending for ending in endings.split())
