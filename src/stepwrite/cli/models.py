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

    import stepwrite

    shipped = stepwrite.models()
    if as_json:
        rows = [{**asdict(model), "path": str(model.path)} for model in shipped]
        click.echo(json.dumps(rows, ensure_ascii=False, indent=1))
        return
    click.echo(shipped)
