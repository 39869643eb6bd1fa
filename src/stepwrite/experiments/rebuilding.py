"""Training files that no address has, rebuilt from sources that hold the same tables.

`paradigms`: the files of marfors/paradigmextract. A line is a paradigm: slots joined by `#`, each
`parts:features`, parts joined by `+`, where a digit stands for a part of the word; then, after a
tab, the words of this paradigm joined by `#`, each `1=part,2=part,...`. The lemma is the form of
the first slot.

`verbiste`: the French conjugator's verbs and templates. The stem is the infinitive without the
template's ending; cells come in the file's order, of each its first form.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from xml.etree import ElementTree

from stepwrite.data.examples import LAYOUTS, Example, open_examples
from stepwrite.errors import DataError
from stepwrite.experiments.definition import Dataset, Rebuilding
from stepwrite.files import write_whole

FINNISH_INFINITIVE = "type=infinitive,form=1"
PERSONS = [
    f"person={person},number={number}"
    for number in ("singular", "plural")
    for person in ("1st", "2nd", "3rd")
]
TENSES = [
    ("indicative", "present"),
    ("indicative", "imperfect"),
    ("indicative", "future"),
    ("indicative", "past"),
    ("conditional", "present"),
    ("subjunctive", "present"),
    ("subjunctive", "imperfect"),
]
# As the paper's files label them: the participles' labels are odd, and the imperative's persons
# are those of its second to fourth form.
FRENCH_CELLS = [
    "type=infinitive",
    *(f"{person},mood={mood},tense={tense}" for mood, tense in TENSES for person in PERSONS),
    *(f"{PERSONS[k]},mood=imperative,tense=present" for k in (1, 4, 5)),
    "type=participle,tense=past",
    "null=null",
]


def rebuild(dataset: Dataset, folder: Path) -> None:
    """Write the training file of a dataset whose other files and sources are in the folder."""
    train = dataset.train
    assert train
    assert train.rebuilt_by
    held_out = {
        example.lemma
        for file in dataset.files
        if file is not train
        for example in open_examples(folder / file.path, LAYOUTS["sigmorphon2016"])
    }
    rows = METHODS[train.rebuilt_by]([folder / source.path for source in train.sources])
    text = "".join(
        f"{row.lemma}\t{row.features}\t{row.form}\n" for row in rows if row.lemma not in held_out
    )
    found = hashlib.sha256(text.encode()).hexdigest()
    if found != train.sha256:
        raise DataError(
            f"wrong checksum after rebuilding: SHA-256 {found}, expected {train.sha256}",
            path=str(folder / train.path),
        )
    with write_whole(folder / train.path) as file:
        file.write(text)


def from_paradigms(sources: Sequence[Path]) -> Iterator[Example]:
    """Each form of each word, in the file's order; of a doubled lemma the first word only."""
    [source] = sources
    known: set[str] = set()
    for paradigm in source.read_text("utf-8").splitlines():
        slots, words = paradigm.split("\t")[:2]
        patterns = [slot.partition(":")[::2] for slot in slots.split("#")]
        for word in words.split("#"):
            parts = dict(part.split("=", 1) for part in word.split(",") if part)
            table = [(features, _filled(pattern, parts)) for pattern, features in patterns]
            lemma = table[0][1]
            if lemma not in known:
                known.add(lemma)
                yield from (Example(lemma, *cell) for cell in _as_in_the_paper(table))


def _filled(pattern: str, parts: dict[str, str]) -> str:
    """
    >>> _filled("1+e+2+n", {"1": "tul", "2": "v"})
    'tulevn'
    """
    return "".join(parts.get(part, part) for part in pattern.split("+"))


def _as_in_the_paper(table: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """A verb's table of Finnish has the lemma itself and a translative that the paper calls the
    first infinitive; other tables are as they are."""
    table = list(table)
    translative = f"{FINNISH_INFINITIVE},case=translative"
    if not any(features == translative for features, _ in table):
        yield from table
        return
    for features, form in table:
        if features != FINNISH_INFINITIVE:
            yield FINNISH_INFINITIVE if features == translative else features, form


def from_verbiste(sources: Sequence[Path]) -> Iterator[Example]:
    """Each form of each verb, in the file's order; a form that would be empty is left out."""
    verbs, templates = (ElementTree.parse(source).getroot() for source in sources)
    endings = {
        template.get("name"): [
            cell.findtext("i") or "" for tense in template.iter() for cell in tense.findall("p")
        ]
        for template in templates
    }
    for verb in verbs:
        infinitive, template = verb.findtext("i", ""), verb.findtext("t", "")
        stem = infinitive.removesuffix(template.partition(":")[2])
        # Further cells, of the past participle, are not in the paper's data.
        for features, ending in zip(FRENCH_CELLS, endings[template], strict=False):
            if form := stem + ending:
                yield Example(infinitive, features, form)


METHODS: dict[Rebuilding, Callable[[Sequence[Path]], Iterator[Example]]] = {
    "paradigms": from_paradigms,
    "verbiste": from_verbiste,
}
