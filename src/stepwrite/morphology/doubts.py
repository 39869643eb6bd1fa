"""Signs that a form is nonsense: loops, and forms that have nothing of their lemma."""

from __future__ import annotations

import re

LIMIT = 4  # symbols of which a form may consist whatever its lemma is
LOOPS = re.compile(r"(.)\1{3}|(.{2,5}?)\2{2}", re.DOTALL)
UNSURE = 0.5  # a form whose probability is smaller is more likely wrong than right


def doubts_about(lemma: str, form: str, *, complete: bool, probability: float) -> tuple[str, ...]:
    """What speaks against a form that the model made up.

    >>> doubts_about("gut", "bsssssssstesesten", complete=True, probability=0.9)
    ('it repeats itself', 'it shares nothing with the lemma')
    >>> doubts_about("jäääär", "jäääärest", complete=True, probability=0.9)
    ()
    """
    doubts = []
    if not complete:
        doubts.append("it was cut off at the limit of actions")
    if (loop := LOOPS.search(form)) is not None and loop[0] not in lemma:
        doubts.append("it repeats itself")
    if len(form) > LIMIT and not _alike(lemma.lower(), form.lower()):
        doubts.append("it shares nothing with the lemma")
    if probability < UNSURE:
        doubts.append("the model is not sure")
    return tuple(doubts)


def _alike(lemma: str, form: str) -> bool:
    """Whether two symbols of the lemma stand side by side in the form, or one in a short one."""
    if len(lemma) < 3:
        return any(symbol in form for symbol in lemma)
    return any(lemma[k : k + 2] in form for k in range(len(lemma) - 1)) or lemma[0] == form[0]
