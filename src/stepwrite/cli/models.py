"""`stepwrite models`: the pretrained models."""

from __future__ import annotations

import click


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with all feature values.")
def models(as_json: bool) -> None:
    """List the pretrained models; each name or code can be given as MODEL to other commands.

    The accuracy is exact match on the test set named in the model card.

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
