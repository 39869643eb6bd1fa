"""`stepwrite models`: the pretrained models, and whether a model is the one that was meant."""

from __future__ import annotations

import click

from stepwrite.errors import shown


@click.group(invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with all feature values.")
@click.pass_context
def models(context: click.Context, as_json: bool) -> None:
    """List the pretrained models; each name or code can be given as MODEL to other commands.

    The accuracy is exact match on the test set named in the model card.

    \b
    Examples:
      stepwrite models
      stepwrite models --json
      stepwrite info german-nouns
      stepwrite models verify models/german 2c26b46b68ffc68f...
    """
    import json
    from dataclasses import asdict

    import stepwrite
    from stepwrite.model.languages import packages

    if context.invoked_subcommand:
        if as_json:
            raise click.UsageError("--json is for the list of models")
        return
    shipped = stepwrite.models()
    if as_json:
        rows = [{**asdict(model), "path": str(model.path)} for model in shipped]
        click.echo(json.dumps(rows, ensure_ascii=False, indent=1))
        return
    click.echo(shipped)
    missing = packages().keys() - {model.iso for model in shipped}
    if missing:
        more = ", ".join(sorted({packages()[code] for code in missing}))
        click.echo(f"{len(missing)} more languages: pip install {more}", err=True)


@models.command()
@click.argument("model")
@click.argument("sha256", metavar="SHA256")
def verify(model: str, sha256: str) -> None:
    """Check that MODEL is the one whose SHA256 you were given, and that all of it is there.

    SHA256 is that of the model's config.json, which holds the checksums of all files that inference
    reads; README.md and history.tsv are not among them. Get it from somebody you trust, not from
    where you got the model: whoever can change a model can change a checksum that lies beside it.

    \b
    Examples:
      sha256sum models/german/config.json        # the publisher
      stepwrite models verify models/german 2c26b46b68ffc68f...
    """
    from stepwrite.model.directory import load_model
    from stepwrite.model.pretrained import locate

    wanted = sha256.strip().lower()
    if len(wanted) != 64 or set(wanted) - set("0123456789abcdef"):
        raise click.BadParameter(
            f"{shown(sha256)} is not 64 hexadecimal digits", param_hint="SHA256"
        )
    path = locate(model)
    load_model(path, wanted)
    click.echo(f"{path}: verified")
