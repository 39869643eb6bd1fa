"""How often are symbols not seen in training copied correctly?

    python -m benchmarks.unseen --data DIR runs/german-default

In 500 test words a character that inflection does not change (it occurs once in lemma and form,
aligned with itself) is replaced by one that the model does not know. Measured is how often it
occurs in the predicted form, and how often the whole form is right.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import click
import numpy as np

from stepwrite import align, load, read

STRANGERS = "ж語क∂🙂"
N_WORDS = 500


@click.command()
@click.argument("model", type=Path)
@click.option("--data", type=Path, default=os.environ.get("STEPWRITE_DATA"), required=True)
@click.option("--language", default="german", show_default=True)
@click.option("--out", type=Path, default=Path("results/unseen"))
def main(model: Path, data: Path, language: str, out: Path) -> None:
    """Measure how often MODEL copies symbols not seen in training."""
    inflector = load(model)
    known = set(inflector.model.vocabulary.form_symbols + inflector.model.vocabulary.lemma_only)
    test = read(data / f"sigmorphon2016/{language}-task1-test")
    alignments = align(test)
    random = np.random.default_rng(0)
    changed: list[tuple[str, str, str, str]] = []
    for k in random.permutation(len(test)):
        pairs = alignments[k].pairs
        kept = [
            place
            for place, (a, b) in enumerate(pairs)
            if a == b and test[k].lemma.count(a or "") == test[k].form.count(a or "") == 1
        ]
        if kept and len(changed) < N_WORDS:
            stranger = STRANGERS[len(changed) % len(STRANGERS)]
            assert stranger not in known
            old = pairs[int(random.choice(kept))][0] or ""
            lemma, form = (w.replace(old, stranger) for w in (test[k].lemma, test[k].form))
            changed.append((lemma, test[k].features, form, stranger))
    predictions = inflector.batch((lemma, features) for lemma, features, _, _ in changed)
    rows = list(zip(changed, predictions, strict=True))
    result = {
        "model": model.name,
        "members": len(inflector.model.members),
        "words": len(rows),
        "symbol_kept": sum(c[3] in p.form for c, p in rows) / len(rows),
        "form_right": sum(c[2] == p.form for c, p in rows) / len(rows),
    }
    out.mkdir(parents=True, exist_ok=True)
    text = json.dumps(result, indent=1) + "\n"
    (out / f"{language}.json").write_text(text, "utf-8")
    click.echo(text, nl=False)


if __name__ == "__main__":
    main()
