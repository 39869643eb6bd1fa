"""`stepwrite models`: the models that ship."""

from __future__ import annotations

import click


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Everything, feature values by name too.")
def models(as_json: bool) -> None:
    """List the models that come with the package; each name or code can stand for MODEL.

    Accuracy is the share of exactly right forms on the test set that the model card names.

    \b
    Examples:
      stepwrite models
      stepwrite models --json
      stepwrite info german-nouns
    """
    import json
    from dataclasses import asdict

    from stepwrite.cli.paradigm import columns_of
    from stepwrite.model.pretrained import available

    shipped = available()
    if as_json:
        rows = [{**asdict(model), "path": str(model.path)} for model in shipped]
        click.echo(json.dumps(rows, ensure_ascii=False, indent=1))
        return
    headings = ["name", "code", "parts of speech", "values", "test", "MB", "licence", "source"]
    table = [
        [
            model.name,
            model.iso,
            " ".join(model.pos),
            str(sum(map(len, model.features.values()))),
            f"{100 * model.accuracy:.2f} %",
            f"{model.size / 1e6:.2f}",
            model.licence,
            model.source,
        ]
        for model in shipped
    ]
    for line in columns_of([headings, *table]):
        click.echo(line)
