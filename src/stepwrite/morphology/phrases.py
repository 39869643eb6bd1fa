"""Lemmas of several words: phrasal and reflexive verbs, compounds with hyphens, articles.

Lexicons have few of them, and networks would inflect the last word: *give upped*. So the verb among
the words, if the lexicon knows it, is inflected, and the others stay: *gave up*, *uczę się*. A
reflexive pronoun agrees (*freue mich*), and what only belongs to a citation goes: *die Frau*, *to
go*. After a hyphen it is the last word that is inflected.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

PERSONS = ("1SG", "2SG", "3SG", "1PL", "2PL", "3PL")


@dataclass(frozen=True)
class Grammar:
    """What a language does with such lemmas.

    marks: words before a citation that do not belong to the word.
    pronouns: reflexive ones, by person; citations have that of the third person singular.
    verb_last: whether the verb is the last word of a citation, but the first one if it is finite.
    enclitic: how the pronoun is written at the end of a citation that is one word.
    """

    marks: frozenset[str]
    pronouns: Mapping[str, str]
    verb_last: bool = False
    enclitic: str = ""

    @classmethod
    def of(
        cls, marks: str = "", pronouns: str = "", *, verb_last: bool = False, enclitic: str = ""
    ) -> Grammar:
        return cls(
            frozenset(marks.split()),
            dict(zip(PERSONS, pronouns.split(), strict=False)),
            verb_last,
            enclitic,
        )


OTHERS = Grammar.of()
GRAMMARS = {
    "cat": Grammar.of("el la els les un una"),
    "dan": Grammar.of("at en et", "mig dig sig os jer sig"),
    "deu": Grammar.of("der die das", "mich dich sich uns euch sich", verb_last=True),
    "eng": Grammar.of("to the a an"),
    "fra": Grammar.of("le la les un une", "me te se nous vous se"),
    "ita": Grammar.of("il lo la i gli le un uno una"),
    "nld": Grammar.of("de het", "me je zich ons je zich", verb_last=True),
    "nno": Grammar.of("å ein ei eit", "meg deg seg oss dykk seg"),
    "nob": Grammar.of("å en ei et", "meg deg seg oss dere seg"),
    "por": Grammar.of("o a os as um uma", "me te se nos vos se", enclitic="-se"),
    "ron": Grammar.of("a", "mă te se ne vă se"),
    "spa": Grammar.of("el la los las un una", "me te se nos os se", enclitic="se"),
    "swe": Grammar.of("att en ett", "mig dig sig oss er sig"),
}


class Phrase(NamedTuple):
    """A lemma of several words.

    head: the one that is inflected. language: its ISO 639-3 code. joint: between the words.
    """

    head: str
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    language: str = ""
    joint: str = " "

    @property
    def _grammar(self) -> Grammar:
        return GRAMMARS.get(self.language, OTHERS)

    def fits(self, features: str) -> bool:
        """Whether the phrase has a cell of its head; *lève-toi* is another matter."""
        grammar, tags = self._grammar, set(features.split(";"))
        reflexive = grammar.pronouns.get("3SG") in (*self.before, *self.after)
        if grammar.enclitic and reflexive:  # elsewhere it is inside the form: yéndose, chamar-se-á
            others = {"IMP", "FUT", "COND"} if self.after else {"IMP"}
            is_plain = bool(_person(features)) and not others & tags
            return is_plain or features.startswith("V.PTCP")
        if self.joint != " " or not (self.before or self.after):
            return True
        is_behind = not grammar.verb_last and reflexive and bool(self.before) and "IMP" in tags
        return features.startswith("V") and not is_behind

    def written(self, form: str, features: str) -> str:
        """The phrase with a form of its head.

        >>> phrase = Phrase("anziehen", ("sich",), (), "deu")
        >>> phrase.written("ziehe an", "V;IND;PRS;1;SG"), phrase.written("anziehen", "V;NFIN")
        ('ziehe mich an', 'sich anziehen')
        >>> Phrase("give", (), ("up",), "eng").written("given", "V.PTCP;PST")
        'given up'
        """
        before, after = self._agreeing(self.before, features), self._agreeing(self.after, features)
        if self.joint == " " and self._grammar.verb_last and _person(features):
            first, *others = form.split(" ")
            return " ".join([first, *before, *after, *others])
        if self.joint == "-" and self.after and _person(features) == "1PL":
            form = form.removesuffix("s")  # chamamo-nos
        return self.joint.join([*before, form, *after])

    def _agreeing(self, words: tuple[str, ...], features: str) -> Iterator[str]:
        """The words beside the head; participles stand without the pronoun."""
        pronouns = self._grammar.pronouns
        for word in words:
            if word != pronouns.get("3SG"):
                yield word
            elif not features.startswith("V.PTCP"):
                yield pronouns.get(_person(features), word)


def phrase_of(
    lemma: str, language: str, parts_of_speech: Callable[[str], Collection[str]]
) -> Phrase | None:
    """How a lemma that the lexicon lacks is a phrase, if it is one.

    parts_of_speech: those that the lexicon has for a word.

    >>> lexicon = {"give": "VN", "up": "V", "spazieren": "V", "gehen": "V", "cream": "NV"}
    >>> def parts(word):
    ...     return lexicon.get(word, "")
    >>> phrase_of("give up", "eng", parts).head, phrase_of("spazieren gehen", "deu", parts).head
    ('give', 'gehen')
    >>> phrase_of("to give", "eng", parts).before, phrase_of("blorf", "eng", parts)
    ((), None)
    >>> phrase_of("ice-cream", "eng", parts).written("creams", "N;PL")
    'ice-creams'
    """
    words = lemma.split(" ")
    grammar = GRAMMARS.get(language, OTHERS)
    if len(words) > 1 and words[0].lower() in grammar.marks:
        words = words[1:]
        if parts_of_speech(whole := " ".join(words)):
            return Phrase(whole, (), (), language)
    places = range(len(words)) if len(words) > 1 else ()
    for place in reversed(places) if grammar.verb_last else places:
        if "V" in parts_of_speech(words[place]):
            return Phrase(words[place], tuple(words[:place]), tuple(words[place + 1 :]), language)
    if grammar.enclitic and "V" in parts_of_speech(verb := lemma.removesuffix(grammar.enclitic)):
        is_apart = grammar.enclitic.startswith("-")
        return (
            Phrase(verb, (), ("se",), language, "-")
            if is_apart
            else Phrase(verb, ("se",), (), language)
        )
    first, _, last = lemma.rpartition("-")
    if first and parts_of_speech(last):
        return Phrase(last, (first,), (), language, "-")
    return None


def _person(features: str) -> str:
    """The person of a finite verb, as `PERSONS` has them; "" of others.

    >>> _person("V;IND;PRS;3;SG"), _person("V.PTCP;PST"), _person("V;NFIN")
    ('3SG', '', '')
    """
    tags = set(features.split(";"))
    return next((name for name in PERSONS if {name[0], name[1:]} <= tags), "")
