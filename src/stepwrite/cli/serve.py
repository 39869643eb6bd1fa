"""`stepwrite serve`: inflection over HTTP, with a demo page."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from stepwrite.errors import StepwriteError, require, shown
from stepwrite.service.limits import Limits

if TYPE_CHECKING:
    from stepwrite.inflector import Inflector


def limit(default: float) -> dict[str, Any]:
    """Settings shared by the options for limits: above 0, of the default's type."""
    kind = click.FloatRange if isinstance(default, float) else click.IntRange
    return {"type": kind(0, min_open=True), "default": default, "show_default": True}


@click.command()
@click.argument("models", metavar="[MODEL]...", nargs=-1)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen on; 0.0.0.0 for all interfaces.",
)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0: a free port."
)
@click.option(
    "--workers",
    type=click.IntRange(1, 256),
    default=1,
    show_default=True,
    help="Processes; they share the memory of the models.",
)
@click.option(
    "--allow-host",
    "hosts",
    metavar="NAME",
    multiple=True,
    help="Name in the Host header to answer, besides localhost and IP addresses; * for any. "
    "Repeatable.",
)
@click.option(
    "--max-connections", help="Maximum connections, per process.", **limit(Limits.connections)
)
@click.option("--max-body", help="Maximum bytes per request.", **limit(Limits.body))
@click.option("--max-words", help="Maximum words per request.", **limit(Limits.words))
@click.option("--max-symbols", help="Maximum symbols per lemma.", **limit(Limits.symbols))
@click.option("--max-waiting", help="Maximum queued words, all requests.", **limit(Limits.waiting))
@click.option("--max-seconds", help="Maximum seconds per request.", **limit(Limits.seconds))
def serve(
    models: tuple[str, ...],
    host: str,
    port: int,
    workers: int,
    hosts: tuple[str, ...],
    max_connections: int,
    max_body: int,
    max_words: int,
    max_symbols: int,
    max_waiting: int,
    max_seconds: float,
) -> None:
    """Serve each MODEL (a directory or a name) over HTTP; by default all pretrained models.

    NAME=MODEL serves a model under another name than that of its directory. The demo page is at /,
    the OpenAPI description at /openapi.json. Ctrl-C or SIGTERM stop the service after it has
    answered all accepted requests.

    \b
    Examples:
      stepwrite serve
      stepwrite serve german-nouns mine=runs/first/model --port 8080
      stepwrite serve --host 0.0.0.0 --allow-host inflect.example.org --workers 4
      curl 'localhost:8000/v1/paradigm?model=german-nouns&lemma=Haus'
    """
    for module in ("httptools", "msgspec", "uvicorn"):
        require(module, extra="serve", purpose="the service")
    from stepwrite.service import server
    from stepwrite.service.app import App

    if workers > 1 and not hasattr(os, "fork"):
        raise StepwriteError("this system can't fork: --workers must be 1")
    limits = Limits(
        connections=max_connections,
        body=max_body,
        words=max_words,
        symbols=max_symbols,
        waiting=max_waiting,
        seconds=max_seconds,
    )
    inflectors = load(models)
    app = App(inflectors, limits, hosts=(host, *hosts), workers=workers)
    with server.listen(host, port) as listener:
        address, number = listener.getsockname()[:2]
        shown_address = f"[{address}]" if ":" in address else address
        click.echo(f"serving {', '.join(inflectors)} at http://{shown_address}:{number}/", err=True)
        server.serve(
            app,
            listener,
            seconds=limits.seconds,
            connections=limits.connections,
            workers=workers,
        )


def load(models: tuple[str, ...]) -> dict[str, Inflector]:
    """The models by the names under which they are served."""
    import stepwrite

    models = models or tuple(shipped.name for shipped in stepwrite.models())
    if not models:
        raise StepwriteError("this installation has no pretrained models: give a model directory")
    inflectors: dict[str, Inflector] = {}
    for model in models:
        name, equals, path = model.partition("=")
        if not equals or Path(model).exists():
            name, path = Path(model).resolve().name, model
        if name in inflectors:
            raise StepwriteError(f"two models are named {shown(name)}: use NAME=MODEL")
        inflectors[name] = stepwrite.load(path)
    return inflectors
