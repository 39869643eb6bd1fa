"""Hungarian possessives and comparison, which UniMorph lacks, from a few forms of each word.

`languages/words/hun-possessed.tsv` has nouns with their plural and the forms for *his* or *her* one
and several; `hun-compared.tsv` adjectives with accusative, plural and comparative. The rest follows
by rule: case endings in harmony with the vowels, the instrumental's doubled consonant, lengthened
final vowels. Potential verbs (*mondhat*) follow from the infinitive and the conditional of everyday
verbs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from language_build.dictionaries import classes
from language_build.sources import Places, ours, written

Rows = Iterator[tuple[str, str, str]]
FRONT = str.maketrans("aáoóu", "eéeőü")
ENDINGS = {
    **{"DAT": "nak", "IN+ESS": "ban", "IN+ALL": "ba", "IN+ABL": "ból"},
    **{"ON+ALL": "ra", "ON+ABL": "ról", "AT+ESS": "nál", "AT+ABL": "tól"},
}
POTENTIAL = {
    **{"PRS;1;INDF;SG": "ok", "PRS;2;INDF;SG": "sz", "PRS;3;INDF;SG": "", "PRS;1;INDF;PL": "unk"},
    **{"PRS;2;INDF;PL": "tok", "PRS;3;INDF;PL": "nak", "PRS;1;DEF;SG": "om", "PRS;2;DEF;SG": "od"},
    **{"PRS;3;DEF;SG": "ja", "PRS;1;DEF;PL": "juk", "PRS;2;DEF;PL": "játok", "PRS;3;DEF;PL": "ják"},
    **{"PST;3;INDF;SG": "ott", "PST;3;INDF;PL": "tak", "PST;3;DEF;SG": "ta", "PST;3;DEF;PL": "ták"},
}
IN_FRONT = {
    "ok": "ek",
    "om": "em",
    "od": "ed",
    "ja": "i",
    "játok": "itek",
    "ják": "ik",
    "ott": "ett",
}
IN_FRONT |= {"tok": "tek"}
LONG = {"a": "á", "e": "é"}
LONG_VOWELS, ROUNDED, VOWELS = "áéiíóőúű", "öőüű", "aáeéiíoóöőuúüű"
LETTERS = ("dzs", "cs", "dz", "gy", "ly", "ny", "sz", "ty", "zs")  # of more than one sign


def possessives(places: Places, iso: str, options: Mapping[str, Any]) -> Rows:
    """All cases of the nouns in `languages/words/hun.tsv`, enough to learn the cases from, and the
    nominative of the others."""
    everyday = {lemma for lemma, *_ in ours(places, iso, options)}
    for lemma, plural, one, several in written("hun-possessed.tsv", 4):
        for owner, number, owned in possessed(plural, one, several):
            for case, form in cases(owned, front=one.endswith("e")):
                if case == "NOM" or lemma in everyday:
                    yield lemma, f"N;{case};{number};{owner}", form


def comparison(places: Places, iso: str, options: Mapping[str, Any]) -> Rows:
    for lemma, accusative, plural, comparative in written("hun-compared.tsv", 4):
        front = plural[:-1].translate(FRONT) == plural[:-1]
        more = comparative + ("e" if front else "a")
        stems = (
            ("ADJ;", "", lemma, accusative, plural),
            ("ADJ;CMPR;", "", comparative, f"{more}t", f"{more}k"),
            ("ADJ;SPRL;", "leg", comparative, f"{more}t", f"{more}k"),
        )
        for head, prefix, singular, object_form, several in stems:
            for case, form in cases(singular, front, object_form):
                yield lemma, f"{head}{case};SG", prefix + form
            for case, form in cases(several, front):
                yield lemma, f"{head}{case};PL", prefix + form


def potentials(places: Places, iso: str, options: Mapping[str, Any]) -> Rows:
    infinitives, conditionals = dict[str, str](), dict[str, str]()
    for reader in (ours, classes.read):
        for lemma, features, form in reader(places, iso, options):
            if features == "V;NFIN":
                infinitives.setdefault(lemma, form)
            elif features == "V;COND;PRS;3;INDF;SG":
                conditionals.setdefault(lemma, form)
    for lemma in infinitives.keys() & conditionals.keys() - {"kell", "van"}:
        for features, form in potential(lemma, infinitives[lemma], conditionals[lemma]):
            yield lemma, f"V;POT;{features}", form


def potential(lemma: str, infinitive: str, conditional: str) -> Iterator[tuple[str, str]]:
    """Persons and forms of a verb with -hat or -het.

    >>> dict(potential("mond", "mondani", "mondana"))["PRS;3;INDF;PL"]
    'mondhatnak'
    >>> forms = dict(potential("tesz", "tenni", "tenne"))
    >>> forms["PRS;3;INDF;SG"], forms["PRS;3;DEF;SG"], forms["PST;3;INDF;PL"]
    ('tehet', 'teheti', 'tehettek')
    """
    short = infinitive.endswith("nni") and not lemma.endswith("nik")
    stem = infinitive.removesuffix("nni") if short else infinitive.removesuffix("ni")
    if not short and stem[-1] in "ae":  # a vowel that only joins the ending
        stem = stem[:-1]
    for long, usual in (("alud", "al"), ("feküd", "fek")):
        stem = stem.removesuffix(long) + usual if stem.endswith(long) else stem
    front = conditional.endswith("e")
    for features, ending in POTENTIAL.items():
        if front:
            ending = IN_FRONT.get(ending, ending.translate(FRONT))
        yield features, f"{stem}{'het' if front else 'hat'}{ending}"


def possessed(plural: str, one: str, several: str) -> Iterator[tuple[str, str, str]]:
    """The owner, the number of what is owned, and the nominative.

    >>> [form for _, number, form in possessed("házak", "háza", "házai") if number == "SG"]
    ['házam', 'házad', 'háza', 'házunk', 'házatok', 'házuk']
    >>> [form for _, number, form in possessed("kutyák", "kutyája", "kutyái") if number == "PL"]
    ['kutyáim', 'kutyáid', 'kutyái', 'kutyáink', 'kutyáitok', 'kutyáik']
    """
    front, stem = one.endswith("e"), plural[:-1]  # with the vowel before the ending
    nk = "nk" if stem[-1] in LONG_VOWELS else "ünk" if front else "unk"
    tok = "tok" if not front else "tök" if stem[-1] in ROUNDED else "tek"
    singular = {
        **{"PSS1S": f"{stem}m", "PSS2S": f"{stem}d", "PSS3S": one},
        "PSS1P": (stem if nk == "nk" else stem[:-1]) + nk,
        "PSS2P": stem + tok,
        "PSS3P": f"{one[:-1]}{'ük' if front else 'uk'}",
    }
    endings = dict(zip(singular, ("m", "d", "", "nk", "tek" if front else "tok", "k"), strict=True))
    for owner, form in singular.items():
        yield owner, "SG", form
        if several:
            yield owner, "PL", several + endings[owner]


def cases(word: str, front: bool, accusative: str | None = None) -> Iterator[tuple[str, str]]:
    """All cases of a word; accusatives other than in -at, -et after consonants are given.

    >>> forms = dict(cases("kezünk", front=True))
    >>> forms["ACC"], forms["ON+ESS"], forms["AT+ALL"], forms["INS"]
    ('kezünket', 'kezünkön', 'kezünkhöz', 'kezünkkel')
    >>> forms = dict(cases("háza", front=False))
    >>> forms["ACC"], forms["ON+ESS"], forms["INS"], forms["TRANS"]
    ('házát', 'házán', 'házával', 'házává')
    >>> dict(cases("nagyobb", front=False))["IN+ESS"]
    'nagyobban'
    """
    stem = word[:-1] + LONG.get(word[-1], word[-1])
    vowel = stem[-1] in VOWELS
    round_front = "ö" if next(s for s in reversed(stem) if s in VOWELS) in ROUNDED else "e"

    def with_ending(ending: str) -> str:
        """Three equal letters are written as two."""
        return stem + (ending[1:] if stem.endswith(2 * ending[0]) else ending)

    yield "NOM", word
    yield "ACC", accusative or (f"{stem}t" if vowel else f"{stem}{'et' if front else 'at'}")
    yield "FRML", f"{word}ként"
    yield "PRP", f"{stem}ért"
    yield "TERM", f"{stem}ig"
    for case, ending in ENDINGS.items():
        yield case, with_ending(ending.translate(FRONT) if front else ending)
    yield "AT+ALL", f"{stem}h{round_front if front else 'o'}z"
    yield "ON+ESS", f"{stem}n" if vowel else f"{stem}{round_front if front else 'o'}n"
    doubled = f"{stem}v" if vowel else with_double(stem)
    yield "INS", f"{doubled}{'el' if front else 'al'}"
    yield "TRANS", f"{doubled}{'é' if front else 'á'}"


def with_double(stem: str) -> str:
    """A stem with its last consonant doubled as it is written; a double one stays.

    >>> with_double("magas"), with_double("nagy"), with_double("nagyobb")
    ('magass', 'naggy', 'nagyobb')
    """
    letter = next((letter for letter in LETTERS if stem.endswith(letter)), stem[-1])
    before = stem.removesuffix(letter)
    return stem if before.endswith(letter[0]) else f"{before}{letter[0]}{letter}"
