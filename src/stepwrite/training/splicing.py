"""New training words out of two: the beginning of one before the whole of the other.

Of a German noun it is the last part that decides how it inflects: Kind -> Kinder, and so
Einzelkind -> Einzelkinder. A network that has seen Kind alone may take all of the word for the
reason; one that has also seen Fenskind -> Fenskinder knows what to look at. The beginning is of
symbols that are copied, and nothing is put before a word that inflects in front.
"""

from __future__ import annotations

from collections.abc import Container

import numpy as np

from stepwrite.transducer.alignment import Alignment


def splice(
    first: Alignment, second: Alignment, known: Container[str], random: np.random.Generator
) -> Alignment:
    """A random part of the first word's copied beginning, then the second word.

    known: the symbols that may be written. The second word stays as it is where one of the
    two begins with a change.
    """
    n_first = n_copied_first(first)
    if not (n_first and n_copied_first(second)):
        return second
    return put_before(second, first, int(random.integers(1, n_first, endpoint=True)), known)


def put_before(
    word: Alignment, other: Alignment, n_symbols: int, known: Container[str]
) -> Alignment:
    """The other word's first symbols before the word, whose capital becomes small.

    >>> saal = Alignment((("S", "S"), ("a", "ä"), ("a", None), ("l", "l"), (None, "e")))
    >>> fest = Alignment((("F", "F"), ("e", "e"), ("s", "s"), ("t", "t"), (None, "e")))
    >>> festsaal = put_before(saal, fest, 4, known="els")
    >>> "".join(festsaal.lemma), "".join(festsaal.form)
    ('Festsaal', 'Festsäle')
    """
    small = word.lemma[0].lower()
    rest = ((small, small), *word.pairs[1:]) if small in known else word.pairs
    return Alignment(other.pairs[:n_symbols] + rest)


def n_copied_first(alignment: Alignment) -> int:
    """How many symbols the form has from the lemma before the first difference.

    >>> n_copied_first(Alignment((("a", "a"), ("b", "b"), ("c", None), ("d", "d"))))
    2
    """
    differences = (k for k, (old, new) in enumerate(alignment.pairs) if old != new)
    return next(differences, len(alignment.pairs))
