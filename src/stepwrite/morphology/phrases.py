"""Lemmas of several words: phrasal and reflexive verbs, nouns with prepositions, articles, hyphens.

Lexicons have few of them, and networks would inflect the last word: *give upped*. So the verb among
the words, or the noun before a preposition, is inflected if the lexicon knows it, and the others
stay: *gave up*, *uczę się*, *points of view*. A reflexive pronoun agrees (*freue mich*), and what
only belongs to a citation goes: *die Frau*, *to go*. After a hyphen it is the last word that is
inflected.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

PERSONS = ("1SG", "2SG", "3SG", "1PL", "2PL", "3PL")
Words = frozenset[str]


def _words(text: str) -> Words:
    return frozenset(text.split())


def _pronouns(text: str) -> Mapping[str, str]:
    return dict(zip(PERSONS, text.split(), strict=True))


@dataclass(frozen=True)
class Grammar:
    """What a language does with such lemmas.

    marks: words before a citation that do not belong to the word.
    prepositions: words that end the inflected part of a noun.
    pronouns: reflexive ones, by person; citations have that of the third person singular.
    enclitic: how that one is written at the end of an infinitive in -r.
    verb_last: whether the verb is the last word of a citation, but the first one if it is finite.
    """

    marks: Words = frozenset()
    prepositions: Words = frozenset()
    pronouns: Mapping[str, str] = field(default_factory=dict)
    enclitic: str = ""
    verb_last: bool = False

    @property
    def reflexive(self) -> str:
        return self.pronouns.get("3SG", "")


GRAMMARS = {
    "cat": Grammar(_words("el la els les un una"), _words("de del d' en a amb per")),
    "dan": Grammar(_words("at en et"), pronouns=_pronouns("mig dig sig os jer sig")),
    "deu": Grammar(
        _words("der die das ein eine"),
        pronouns=_pronouns("mich dich sich uns euch sich"),
        verb_last=True,
    ),
    "eng": Grammar(_words("to the a an"), _words("of")),
    "fra": Grammar(
        _words("le la les un une"),
        _words("de du des d' à au aux en"),
        _pronouns("me te se nous vous se"),
    ),
    "glg": Grammar(_words("o a os as un unha"), _words("de do da dos das en")),
    "ita": Grammar(
        _words("il lo la i gli le un uno una"),
        _words("di del della dello dei delle degli d' da a al in per"),
    ),
    "nld": Grammar(_words("de het"), pronouns=_pronouns("me je zich ons je zich"), verb_last=True),
    "nno": Grammar(_words("å ein ei eit"), pronouns=_pronouns("meg deg seg oss dykk seg")),
    "nob": Grammar(_words("å en ei et"), pronouns=_pronouns("meg deg seg oss dere seg")),
    "por": Grammar(
        _words("o a os as um uma"),
        _words("de do da dos das d' em a"),
        _pronouns("me te se nos vos se"),
        enclitic="-se",
    ),
    "ron": Grammar(_words("a"), _words("de cu din pentru la"), _pronouns("mă te se ne vă se")),
    "spa": Grammar(
        _words("el la los las un una"),
        _words("de del en a para con"),
        _pronouns("me te se nos os se"),
        enclitic="se",
    ),
    "swe": Grammar(_words("att en ett"), pronouns=_pronouns("mig dig sig oss er sig")),
}
OTHERS = Grammar()


class Phrase(NamedTuple):
    """A lemma of several words.

    head: the one that is inflected. pos: its part of speech, if only that will do.
    joint: what is between the words.
    """

    head: str
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    pos: str = ""
    joint: str = " "
    grammar: Grammar = OTHERS

    def fits(self, features: str) -> bool:
        """Whether the phrase has a cell of its head, and it is known how it is written."""
        if self.pos and not features.startswith(self.pos):
            return False
        tags, grammar = set(features.split(";")), self.grammar
        if not grammar.reflexive or grammar.reflexive not in (*self.before, *self.after):
            return True
        if features.startswith("V.PTCP") or grammar.verb_last:
            return True
        if self.joint == "-":  # chamar-se-á is another matter
            return bool(_person(features)) and not {"IMP", "FUT", "COND"} & tags
        if grammar.enclitic:  # as are yéndose and vete
            return bool(_person(features)) and "IMP" not in tags
        return not (self.before and "IMP" in tags)  # and lève-toi

    def written(self, form: str, features: str) -> str:
        """The phrase with a form of its head.

        >>> phrase = Phrase("anziehen", ("sich",), pos="V", grammar=GRAMMARS["deu"])
        >>> phrase.written("ziehe an", "V;IND;PRS;1;SG"), phrase.written("anziehen", "V;NFIN")
        ('ziehe mich an', 'sich anziehen')
        >>> Phrase("give", (), ("up",), "V").written("given", "V.PTCP;PST")
        'given up'
        """
        before, after = self._agreeing(self.before, features), self._agreeing(self.after, features)
        if self.joint == "-" and self.after and _person(features) == "1PL":
            form = form.removesuffix("s")  # chamamo-nos
        if self.grammar.verb_last and self.pos == "V" and _person(features):
            first, *others = form.split(" ")
            return " ".join([first, *before, *after, *others])
        return self.joint.join([*before, form, *after])

    def _agreeing(self, words: tuple[str, ...], features: str) -> Iterator[str]:
        """The words beside the head; participles stand without the pronoun."""
        for word in words:
            if word != self.grammar.reflexive:
                yield word
            elif not features.startswith("V.PTCP"):
                yield self.grammar.pronouns.get(_person(features), word)


def phrases(
    lemma: str, language: str, parts_of_speech: Callable[[str], Collection[str]]
) -> Iterator[Phrase]:
    """How a lemma may be read as several words, of which the lexicon knows one.

    parts_of_speech: those that the lexicon has for a word.

    >>> lexicon = {"give": "VN", "up": "V", "spazieren": "V", "gehen": "V", "cup": "NV"}
    >>> def heads(lemma, language):
    ...     found = phrases(lemma, language, lambda word: lexicon.get(word, ""))
    ...     return [(phrase.head, phrase.pos) for phrase in found]
    >>> heads("give up", "eng"), heads("to give", "eng"), heads("blorf", "eng")
    ([('give', 'V')], [('give', '')], [])
    >>> heads("spazieren gehen", "deu"), heads("cup of tea", "eng"), heads("tea-cup", "eng")
    ([('gehen', 'V')], [('cup', 'N'), ('cup', 'V')], [('cup', '')])
    """
    grammar = GRAMMARS.get(language, OTHERS)
    words = tuple(lemma.split(" "))
    if len(words) > 1 and words[0].lower() in grammar.marks:
        words = words[1:]
        if parts_of_speech(whole := " ".join(words)):
            yield Phrase(whole)
            return
    for place in range(1, len(words)):
        word = words[place]
        elided = word[: word.find("'") + 1]
        begins = word in grammar.prepositions and place + 1 < len(words)
        if not (begins or elided in grammar.prepositions):
            continue
        if "N" in parts_of_speech(noun := " ".join(words[:place])):
            yield Phrase(noun, (), words[place:], "N")
            break
    places = range(len(words)) if len(words) > 1 else ()
    for place in reversed(places) if grammar.verb_last else places:
        if "V" in parts_of_speech(words[place]):
            yield Phrase(words[place], words[:place], words[place + 1 :], "V", grammar=grammar)
            return
    verb = lemma.removesuffix(grammar.enclitic)
    if verb != lemma and verb.endswith("r") and "V" in parts_of_speech(verb):
        if grammar.enclitic.startswith("-"):
            yield Phrase(verb, (), (grammar.reflexive,), "V", "-", grammar)
        else:
            yield Phrase(verb, (grammar.reflexive,), (), "V", grammar=grammar)
        return
    first, _, last = lemma.rpartition("-")
    if first and parts_of_speech(last):
        yield Phrase(last, (first,), joint="-")


def _person(features: str) -> str:
    """The person of a finite verb, as `PERSONS` has them; "" of others.

    >>> _person("V;IND;PRS;3;SG"), _person("V.PTCP;PST"), _person("V;NFIN")
    ('3SG', '', '')
    """
    tags = set(features.split(";"))
    return next((name for name in PERSONS if {name[0], name[1:]} <= tags), "")
