"""Greek words that inflect by rule: `languages/words/ell-nouns.tsv`, `-adjectives.tsv` and the two
lists of verbs.

Endings follow from the class of a word, and the place of the stress from that of its lemma: some
endings attract it (*άνθρωπος, ανθρώπου*), those of the past send it back to the third syllable from
the end (*αγοράζω, αγόρασα*), others leave it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from language_build.sources import Places, ours, unimorph, written

Rows = Iterator[tuple[str, str, str]]
Cells = Iterator[tuple[str, str]]
STRESS = "\u0301"
VOWEL = re.compile("αυ|ευ|ου|αι|ει|οι|[αεηιουωϊϋ]", re.IGNORECASE)
PERSONS = ("1;SG", "2;SG", "3;SG", "1;PL", "2;PL", "3;PL")
PRESENT = {
    "A": ("ω", "εις", "ει", "ουμε", "ετε", "ουν"),
    "B1": ("ώ", "άς", "ά", "άμε", "άτε", "ούν"),
    "B2": ("ώ", "είς", "εί", "ούμε", "είτε", "ούν"),
}
PAST = ("α", "ες", "ε", "αμε", "ατε", "αν")
PAST_OF_B = ("ούσα", "ούσες", "ούσε", "ούσαμε", "ούσατε", "ούσαν")
# Middle and passive forms, of -ομαι and of -ούμαι.
PASSIVE = {
    "A": ("ομαι", "εσαι", "εται", "όμαστε", "εστε", "ονται"),
    "B": ("ούμαι", "είσαι", "είται", "ούμαστε", "είστε", "ούνται"),
}
PASSIVE_PAST = {
    "A": ("όμουν", "όσουν", "όταν", "όμασταν", "όσασταν", "ονταν"),
    "B": ("ούμουν", "ούσουν", "ούνταν", "ούμασταν", "ούσασταν", "ούνταν"),
}
REGULAR = (  # endings of the present, of the perfective and of the passive perfective
    ("ίζω", "ίσω", "ιστώ"),
    ("όζω", "όσω", "οστώ"),
    ("άζω", "άσω", "αστώ"),
    ("ώνω", "ώσω", "ωθώ"),
    ("εύω", "εύσω", "ευτώ, ευθώ"),
    ("ύνω", "ύνω", "υνθώ"),
    ("ύω", "ύσω", "υθώ"),
)
ADJECTIVES = {
    "ος": "ος ου ο ε|οι ων ους οι|{f} {f}ς {f} {f}|ες ων ες ες|ο ου ο ο|α ων α α",
    "ης": "ης ους η η|εις ων εις εις|ης ους η η|εις ων εις εις|ες ους ες ες|η ων η η",
}
CASES = ("NOM", "GEN", "ACC", "VOC")
NOUNS = {
    "M": (
        ("έας", "έας έα έα έα|είς έων είς είς"),
        ("ας", "ας α α α|ες ~ων ες ες"),
        ("ης", "ης η η η|ες ^ών ες ες"),
        ("ος", "ος ~ου ο ε|οι ~ων ~ους οι"),
    ),
    "M-fixed": (("ος", "ος ου ο ε|οι ων ους οι"),),
    "F": (("η", "η ης η η|ες ^ών ες ες"), ("α", "α ας α α|ες ^ών ες ες")),
    "F-eis": (("η", "η ης η η|~εις -εων ~εις ~εις"),),
    "F-keep": (("α", "α ας α α|ες ~ων ες ες"),),
    "F-os": (("ος", "ος ~ου ο ε|οι ~ων ~ους οι"),),
    "N": (
        ("όν", "όν όντος όν όν|όντα όντων όντα όντα"),
        ("ός", "ός ότος ός ός|ότα ότων ότα ότα"),
        ("ώς", "ώς ώτος ώς ώς|ώτα ώτων ώτα ώτα"),
        ("άν", "άν άντος άν άν|άντα άντων άντα άντα"),
        ("ον", "ον -οντος ον ον|-οντα ~οντων -οντα -οντα"),
        ("αν", "αν -αντος αν αν|-αντα ~αντων -αντα -αντα"),
        ("μα", "μα -ματος μα μα|-ματα ~ματων -ματα -ματα"),
        ("ξιμο", "ξιμο -ξιματος ξιμο ξιμο|-ξιματα ~ξιματων -ξιματα -ξιματα"),
        ("ψιμο", "ψιμο -ψιματος ψιμο ψιμο|-ψιματα ~ψιματων -ψιματα -ψιματα"),
        ("σιμο", "σιμο -σιματος σιμο σιμο|-σιματα ~σιματων -σιματα -σιματα"),
        ("ος", "ος ~ους ος ος|~η ^ών ~η ~η"),
        ("ο", "ο ~ου ο ο|α ~ων α α"),
        ("ί", "ί ιού ί ί|ιά ιών ιά ιά"),
        ("ι", "ι ^ιού ι ι|ια ^ιών ια ια"),
    ),
    "N-fixed": (("ο", "ο ου ο ο|α ων α α"),),
}
"""Forms by ending, as nominative, genitive, accusative and vocative of both numbers. ~ puts the
stress on the second syllable from the end if it was before it, - on the third, ^ takes it away from
the stem."""


def words(places: Places, iso: str, options: Mapping[str, Any]) -> Rows:
    """All forms of the words in the lists.

    Verbs in -μαι have only middle forms; their cells can be asked for as those of a verb or as
    passives, as treebanks do.
    """
    for kind, listed in written(f"{iso}-nouns.tsv", 2):
        for lemma in listed.split(", "):
            for bundle, form in noun(lemma, kind):
                yield lemma, bundle, form
    for kind, listed in written(f"{iso}-adjectives.tsv", 2):
        for lemma in listed.split(", "):
            for bundle, form in adjective(lemma, kind == "compared"):
                yield lemma, bundle, form
    for kind, listed in written(f"{iso}-verbs.tsv", 2):
        kind, _, perfective = kind.partition("-")
        for lemma in listed.split(", "):
            own = lemma.removesuffix("εύω") + perfective if perfective else "-"
            yield from verb(lemma, kind, own)
    for lemma, *parts in written(f"{iso}-irregular-verbs.tsv", 5):
        kind = "A" if lemma.endswith(("ω", "ομαι")) else "B1" if lemma in MIXED.split() else "B2"
        yield from verb(lemma, kind, *parts)
    for read in (ours, unimorph):
        for lemma, bundle, form in read(places, iso, {}):
            if lemma.endswith("μαι") and bundle != (marked := _marked(bundle, form)[0]):
                yield lemma, marked, form


MIXED = (
    "πετώ κοιτώ γελώ ξεχνώ περνώ χαλώ τραβώ βαστώ πηδώ κρεμώ πεινώ διψώ σχολώ ξεσπώ αποσπώ "
    "καλοπερνώ ξεπερνώ αφορώ ερευνώ φορώ καθιστώ αντικαθιστώ εγκαθιστώ συνιστώ αποκαθιστώ"
)
"""Verbs in -ώ, -άς whose perfective is not in -ήσω."""


def unstressed(word: str) -> str:
    """A word without its stress.

    >>> unstressed("άνθρωπος"), unstressed("προϊόν")
    ('ανθρωπος', 'προϊον')
    """
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", word).replace(STRESS, ""))


def stressed(word: str, place: int) -> str:
    """A word with its stress on so many syllables from the end, or on the first if it is shorter.

    >>> stressed("ανθρωπου", 2), stressed("αγορασα", 3), stressed("πηρα", 3)
    ('ανθρώπου', 'αγόρασα', 'πήρα')
    """
    vowels = list(VOWEL.finditer(word := unstressed(word)))
    if not vowels:
        return word
    end = vowels[-min(place, len(vowels))].end()
    return unicodedata.normalize("NFC", word[:end] + STRESS + word[end:])


def stress_of(word: str) -> int:
    """On how many syllables from the end a word has its stress; 0 without any."""
    n_syllables = len(VOWEL.findall(unstressed(word)))
    place = (n for n in range(1, n_syllables + 1) if stressed(word, n) == word)
    return next(place, 0)


def noun(lemma: str, kind: str) -> Cells:
    """The cells of a noun.

    >>> dict(noun("άνθρωπος", "M"))["N;GEN;PL"], dict(noun("μέλος", "N"))["N;GEN;PL"]
    ('ανθρώπων', 'μελών')
    >>> dict(noun("κυβέρνηση", "F-eis"))["N;NOM;PL"], dict(noun("πρόβλημα", "N"))["N;GEN;SG"]
    ('κυβερνήσεις', 'προβλήματος')
    >>> [dict(noun(lemma, "M"))["N;GEN;PL"] for lemma in ("μαθητής", "ταμίας", "γείτονας")]
    ['μαθητών', 'ταμιών', 'γειτόνων']
    """
    if kind == "same":
        for number in ("SG", "PL"):
            for case in CASES:
                yield f"N;{case};{number}", lemma
        return
    plain, place = unstressed(lemma), stress_of(lemma)
    ending, forms = next((e, f) for e, f in NOUNS[kind] if _ends(lemma, plain, e))
    stem = plain.removesuffix(unstressed(ending))
    short = kind == "M" and ending == "ας" and (lemma.endswith("ίας") or place == 2 == _size(lemma))
    short = short or lemma.endswith("ίστας")
    for number, by_case in zip(("SG", "PL"), forms.split("|"), strict=True):
        for case, suffix in zip(CASES, by_case.split(), strict=True):
            if short and suffix == "~ων":
                suffix = "^ών"
            yield f"N;{case};{number}", _with_ending(stem, suffix, ending, place)


def _ends(lemma: str, plain: str, ending: str) -> bool:
    """Whether a word has an ending; one with a stress is stressed."""
    return plain.endswith(ending) if ending == unstressed(ending) else lemma.endswith(ending)


def _size(word: str) -> int:
    return len(VOWEL.findall(unstressed(word)))


def _with_ending(stem: str, suffix: str, ending: str, place: int) -> str:
    """A stem with an ending, stressed as the ending or the lemma says."""
    bare = suffix.lstrip("~^-")
    if suffix[0] == "^" or bare != unstressed(bare):
        return stem + bare
    grown = _size(bare) - _size(ending)
    if suffix[0] == "-":
        return stressed(stem + bare, min(3, place + grown))
    if suffix[0] == "~":
        return stressed(stem + bare, 2 if place + grown > 1 else 1)
    return stressed(stem + bare, place + grown)


def adjective(lemma: str, compared: bool = False) -> Cells:
    """The cells of an adjective.

    >>> cells = dict(adjective("δυνατός", True))
    >>> cells["ADJ;FEM;GEN;SG"], cells["ADJ;CMPR;NEUT;NOM;SG"], cells["ADJ;SPRL;AB;FEM;NOM;SG"]
    ('δυνατής', 'δυνατότερο', 'δυνατότατη')
    >>> dict(adjective("διεθνής"))["ADJ;FEM;GEN;SG"], dict(adjective("νέος"))["ADJ;FEM;NOM;SG"]
    ('διεθνούς', 'νέα')
    """
    yield from _declined(lemma, "ADJ")
    if compared:
        stem, more = unstressed(lemma)[:-2], "ο" if unstressed(lemma).endswith("ος") else "ε"
        more = f"{more}σ" if more == "ε" else more
        yield from _declined(stressed(f"{stem}{more}τερος", 3), "ADJ;CMPR")
        yield from _declined(stressed(f"{stem}{more}τατος", 3), "ADJ;SPRL;AB")


def _declined(lemma: str, head: str) -> Cells:
    plain, place = unstressed(lemma), stress_of(lemma)
    stem, ending = plain[:-2], plain[-2:]
    feminine = "α" if stem[-1] in "αειυϊ" or stem.endswith("ου") else "η"
    if stem.endswith("ο"):
        feminine = "η"
    columns = ADJECTIVES[ending].format(f=feminine).split("|")
    heads = [f"{head};{gender}" for gender in ("MASC", "FEM", "NEUT") for _ in range(2)]
    for k, (bundle, forms) in enumerate(zip(heads, columns, strict=True)):
        for case, suffix in zip(CASES, forms.split(), strict=True):
            back = ending == "ης" and place == 2 and suffix in ("ες",) and _size(plain) > 2
            shift = 3 if back else 2 if ending == "ης" and place == 2 else place
            yield f"{bundle};{case};{('SG', 'PL')[k % 2]}", stressed(stem + suffix, shift)


def verb(
    lemma: str,
    kind: str,
    perfective: str = "-",
    past: str = "-",
    imperfect: str = "-",
    passive: str = "-",
) -> Rows:
    """The rows of a verb, and those of its middle in -μαι, which may be a lemma of its own.

    >>> rows = list(verb("χρησιμοποιώ", "B2"))
    >>> ("χρησιμοποιώ", "V;PST;PFV;PASS;3;SG", "χρησιμοποιήθηκε") in rows
    True
    >>> rows = verb("εμφανίζω", "A")
    >>> forms = {cell: form for lemma, cell, form in rows if lemma == "εμφανίζω"}
    >>> forms["V;PST;PFV;3;SG"], forms["V;PST;PFV;1;PL"], forms["V;PRS;IPFV;PASS;3;PL"]
    ('εμφάνισε', 'εμφανίσαμε', 'εμφανίζονται')
    """
    middle = lemma.endswith("μαι")
    stem = re.sub("(ομαι|ούμαι|ω|ώ)$", "", lemma)
    if kind == "A":
        for ending, active, by_others in REGULAR:
            if lemma.endswith((ending, f"{unstressed(ending[:-1])}ομαι")) and not middle:
                base = lemma.removesuffix(ending)
                perfective = base + active if perfective == "-" else perfective
                endings = by_others.split(", ")
                passive = ", ".join(base + e for e in endings) if passive == "-" else passive
    elif not middle:
        perfective = f"{stem}ήσω" if perfective == "-" else perfective
        passive = f"{stem}ηθώ" if passive == "-" else passive
    if not middle:
        for cell, form in _active(lemma, kind, stem, perfective, past, imperfect):
            yield lemma, cell, form
    if middle or (passive not in ("x", "-") and kind != "B1"):
        column = "B" if kind != "A" else "A"
        own = lemma if middle else unstressed(stem) + "ούμαι"
        if not middle and kind == "A":
            own = stressed(stem + "ομαι", 3)
        for cell, form in _passive(unstressed(stem), column, passive):
            yield own, cell, form
            yield (lemma, *_marked(cell, form))
    elif passive not in ("x", "-"):
        for cell, form in _passive_perfective(passive):
            yield (lemma, *_marked(cell, form))


def _marked(cell: str, form: str) -> tuple[str, str]:
    """The cell of a passive form under the lemma of its active verb.

    >>> _marked("V;PRS;IPFV;3;SG", "γράφεται")
    ('V;PRS;IPFV;PASS;3;SG', 'γράφεται')
    """
    return re.sub("(;I?PFV|NFIN)", r"\1;PASS", cell, count=1), form


def _finite(head: str, forms: Iterable[str]) -> Cells:
    for person, form in zip(PERSONS, forms, strict=True):
        yield f"V;{head};{person}", form


def _by_stem(stem: str, endings: Iterable[str]) -> list[str]:
    """Forms with the stress of the ending, or on the stem's last syllable."""
    plain = unstressed(stem)
    return [plain + e if e != unstressed(e) else stressed(plain + e, _size(e) + 1) for e in endings]


def _after(particle: str, forms: Iterable[str]) -> list[str]:
    return [f"{particle} {form}" for form in forms]


def _past(stem: str, first: str) -> list[str]:
    """A past tense: the stem without an augment in the plural, the first form with it.

    >>> _past("γράψ", "έγραψα")[2:5], _past("υπογράψ", "υπέγραψα")[3]
    (['έγραψε', 'γράψαμε', 'γράψατε'], 'υπογράψαμε')
    >>> _past("υπάρχ", "υπήρχα")[3:]
    ['υπήρχαμε', 'υπήρχατε', 'υπήρχαν']
    """
    with_augment, place = unstressed(first).removesuffix("α"), stress_of(first)
    forms = [stressed(with_augment + ending, place) for ending in PAST]
    kept = "ή" in first[1:] and "η" not in unstressed(stem)  # υπήρχα, υπήρχαμε
    plural = with_augment if kept else unstressed(stem)
    forms[3:5] = [stressed(plural + ending, 3) for ending in PAST[3:5]]
    return forms


def _augmented(stem: str) -> str:
    """The first person of a regular past.

    >>> _augmented("αγοράσ"), _augmented("λύσ")
    ('αγόρασα', 'έλυσα')
    """
    plain = unstressed(stem)
    if _size(plain) == 1 and not VOWEL.match(plain):
        plain = f"ε{plain}"
    return stressed(f"{plain}α", 3)


def _active(lemma: str, kind: str, stem: str, perfective: str, past: str, imperfect: str) -> Cells:
    present = _by_stem(stem, PRESENT[kind])
    yield from _finite("PRS;IPFV", present)
    yield from _finite("FUT;IPFV", _after("θα", present))
    yield from _finite("SBJV;IPFV", _after("να", present))
    if kind != "A":
        yield from _finite("PST;IPFV", _by_stem(stem, PAST_OF_B))
    elif imperfect != "x":
        firsts = [_augmented(stem)] if imperfect == "-" else imperfect.split(", ")
        for first in firsts:
            yield from _finite("PST;IPFV", _past(_stem_of(first, stem), first))
    yield "V.PTCP", unstressed(stem) + "ώντας" if kind != "A" else f"{_accented(stem)}οντας"
    if perfective == "x":
        return
    firsts = past.split(", ")
    for k, form in enumerate(perfective.split(", ")):
        yield from _perfective(form, firsts[min(k, len(firsts) - 1)], firsts, lemma)


def _accented(stem: str) -> str:
    return stressed(stem, 1)


def _perfective(form: str, first: str, firsts: list[str], lemma: str) -> Cells:
    """Of the perfective stem: dependent forms, future, subjunctive, perfect, past, imperative."""
    base = form[:-1]
    if form.endswith(("ω", "ώ")) and _size(base) and stress_of(form) == 2:
        dependent = _by_stem(base, PRESENT["A"])
    elif form.endswith("ώ") and _size(base):
        dependent = _by_stem(base, PRESENT["B2"])
    else:
        return
    yield from _finite("PRS;PFV", dependent)
    yield from _finite("FUT;PFV", _after("θα", dependent))
    yield from _finite("SBJV;PFV", _after("να", dependent))
    yield "V;NFIN", dependent[2]
    yield from _perfects(dependent[2])
    for one in [_augmented(base)] if first == "-" else firsts:
        if one.endswith("α"):
            yield from _finite("PST;PFV", _past(_stem_of(one, base), one))
    if base[-1] in "σξψ":
        yield "V;IMP;2;SG", stressed(f"{base}ε", 3)
        yield "V;IMP;2;PL", f"{_accented(base)}τε"


def _stem_of(first: str, base: str) -> str:
    """The stem of the plural of a past: that of the perfective, or, of a suppletive past, its own.

    >>> _stem_of("έγραψα", "γράψ"), _stem_of("βρήκα", "βρ"), _stem_of("υπέβαλα", "υποβάλ")
    ('γράψ', 'βρήκ', 'υποβάλ')
    """
    own = first.removesuffix("α")
    same = unstressed(own)[-2:] == unstressed(base)[-2:]
    return base if same else own


def _perfects(infinitive: str) -> Cells:
    for tense, forms in (
        ("PRS", ("έχω", "έχεις", "έχει", "έχουμε", "έχετε", "έχουν")),
        ("PST", ("είχα", "είχες", "είχε", "είχαμε", "είχατε", "είχαν")),
    ):
        yield from _finite(f"{tense};PRF", [f"{form} {infinitive}" for form in forms])


def _middle(plain: str, endings: Iterable[str]) -> list[str]:
    """Forms in -ομαι, stressed on the third syllable from the end if the ending is not."""
    return [plain + e if e != unstressed(e) else stressed(plain + e, 3) for e in endings]


def _passive(plain: str, column: str, perfective: str) -> Cells:
    yield from _finite("PRS;IPFV", _middle(plain, PASSIVE[column]))
    yield from _finite("PST;IPFV", _middle(plain, PASSIVE_PAST[column]))
    if perfective not in ("x", "-"):
        yield from _passive_perfective(perfective)


def _passive_perfective(perfective: str) -> Cells:
    for form in perfective.split(", "):
        plain = unstressed(form).removesuffix("ω")
        dependent = _by_stem(plain, PRESENT["B2"])
        yield from _finite("PRS;PFV", dependent)
        yield "V;NFIN", dependent[2]
        yield from _finite("PST;PFV", [stressed(plain + "ηκ" + e, 3) for e in PAST])
