"""`stepwrite info`: training data, settings and vocabulary of a model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from stepwrite.errors import StepwriteError
from stepwrite.terminal import visible

if TYPE_CHECKING:
    from stepwrite.evaluation.validation import Validation
    from stepwrite.model.directory import Model


@click.command()
@click.argument("model")
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
)
def info(model: str, output_format: str) -> None:
    """Show the training data, settings, accuracy, symbols and features of MODEL.

    \b
    Examples:
      stepwrite info models/german
      stepwrite info models/german --format json
    """
    import json

    from stepwrite.evaluation.validation import read_validation
    from stepwrite.model.directory import load_model
    from stepwrite.model.pretrained import locate

    folder = locate(model)
    loaded, validation = load_model(folder), read_validation(folder)
    everything = describe(loaded)
    if validation is not None:
        everything["validation"] = asdict(validation.summary)
    if output_format == "json":
        click.echo(json.dumps(everything, ensure_ascii=False, indent=1))
        return
    if not loaded.about.training:  # it was written by another program
        raise StepwriteError(f"{model}: no description of its training; try --format json")
    click.echo(visible(click.format_filename(model)))
    for line in _text(loaded, everything, validation):
        click.echo(visible(line))


def describe(model: Model) -> dict[str, Any]:
    """Everything about a model except its weights."""
    vocabulary = model.vocabulary
    slots = zip(vocabulary.slots.slots, vocabulary.slots.values, strict=True)
    return {
        "network": model.network.to_json(),
        "other_networks": [network.to_json() for network in model.others],
        "n_members": len(model.members),
        "parameters": sum(array.size for array in model.members[0].values()),
        "bytes": sum(array.nbytes for weights in model.members for array in weights.values()),
        **model.about.to_json(),
        "form_symbols": list(vocabulary.form_symbols),
        "lemma_only_symbols": list(vocabulary.lemma_only),
        "copy": vocabulary.copy,
        "features": {str(slot): list(values) for slot, values in slots},
    }


def _text(model: Model, everything: dict[str, Any], validation: Validation | None) -> Iterator[str]:
    from stepwrite.evaluation.validation import in_percent
    from stepwrite.kinds import kind_of

    about = model.about
    yield f"size:      {len(model.members)} member(s), {everything['bytes'] / 1e6:.1f} MB"
    for part, data in about.data.items():
        yield f"{part + ':':<10} {data.file}, {data.rows} rows, sha256 {data.sha256}"
    for network in dict.fromkeys(model.configurations):
        weights = model.members[model.configurations.index(network)]
        order = "" if network.direction == "forward" else f", direction {network.direction}"
        yield (
            f"network:   {kind_of(network.kind).title}{order}, {network.layers} layer(s) of "
            f"{network.hidden}, cell {network.cell}, embeddings {network.embedding}, "
            f"{sum(array.size for array in weights.values())} parameters"
        )
    yield f"preset:    {about.training.get('preset')}, {about.training.get('epochs')} epochs"
    for number, member in enumerate(about.members, 1):
        dev = "" if member.dev_accuracy is None else f"dev {100 * member.dev_accuracy:.2f} % "
        yield f"member {number}:  {dev}at epoch {member.best_epoch}, seed {member.seed}"
    if about.vote_dev_accuracy is not None:
        yield f"vote:      dev {100 * about.vote_dev_accuracy:.2f} %"
    if about.rules_dev_accuracy is not None:
        yield f"rules:     dev {100 * about.rules_dev_accuracy:.2f} %"
    if model.fallback is not None:
        yield f"rules:     answer where the network's probability is below {model.fallback.below}"
    if validation is not None:
        found = validation.summary
        yield f"unseen:    {in_percent(found.accuracy)} right (rules {in_percent(found.rules)})"
    yield f"symbols:   {' '.join(model.vocabulary.form_symbols + model.vocabulary.lemma_only)}"
    for slot, values in everything["features"].items():
        yield f"{slot + ':':<10} {', '.join(values)}"
