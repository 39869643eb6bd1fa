"""What a trained model says about itself: its card and its history table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stepwrite import __version__
from stepwrite.inference.network_config import NetworkConfig
from stepwrite.kinds import kind_of
from stepwrite.model.directory import Model


def history_table(histories: Sequence[Sequence[Mapping[str, Any]]], n_examples: int) -> str:
    """TSV: a row for each member and epoch."""
    lines = ["member\tepoch\tloss\ttrain_accuracy\tdev_accuracy\tseconds\texamples_per_second"]
    for number, history in enumerate(histories, 1):
        for epoch in history:
            train, dev = (
                "" if share is None else f"{share:.6f}"
                for share in (epoch["train_accuracy"], epoch["accuracy"])
            )
            speed = n_examples / epoch["seconds"]
            lines.append(
                f"{number}\t{epoch['epoch']}\t{epoch['loss']:.6f}\t{train}\t{dev}"
                f"\t{epoch['seconds']:.2f}\t{speed:.0f}"
            )
    return "\n".join(lines) + "\n"


def read_history(table: str) -> list[list[dict[str, Any]]]:
    """The members' epochs as such a table has them.

    >>> table = "member\\tepoch\\tloss\\ttrain_accuracy\\tdev_accuracy\\tseconds\\n"
    >>> read_history(table + "1\\t1\\t0.5\\t\\t0.25\\t3.0\\n")
    [[{'epoch': 1, 'loss': 0.5, 'train_accuracy': None, 'accuracy': 0.25, 'seconds': 3.0}]]
    """
    names, *rows = (line.split("\t") for line in table.splitlines())
    members: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        cells = dict(zip(names, row, strict=True))
        train, dev = (
            float(cells[name]) if cells[name] else None
            for name in ("train_accuracy", "dev_accuracy")
        )
        members.setdefault(cells["member"], []).append(
            {
                "epoch": int(cells["epoch"]),
                "loss": float(cells["loss"]),
                "train_accuracy": train,
                "accuracy": dev,
                "seconds": float(cells["seconds"]),
            }
        )
    return list(members.values())


def percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.2f} %"


def network_line(model: Model, network: NetworkConfig) -> str:
    order = "" if network.direction == "forward" else f", direction {network.direction}"
    kind = f"{kind_of(network.kind).title}: " if model.others else ""
    return (
        f"{kind}{network.layers} layer(s) of {network.hidden}, cell {network.cell}, embeddings "
        f"{network.embedding}, feature embeddings {network.feature_embedding}; "
        f"{model.vocabulary.n_actions} actions, copy {'on' if model.vocabulary.copy else 'off'}"
        f"{order}."
    )


def model_card(model: Model, name: str) -> str:
    """Markdown, for people who find the directory."""
    about = model.about
    title = " and ".join(kind_of(kind).title for kind in model.kinds)
    rows = [
        f"| {number} | {member.seed} | {member.epochs} | {member.best_epoch} | "
        f"{percent(member.dev_accuracy)} | {member.seconds / 60:.1f} |"
        for number, member in enumerate(about.members, 1)
    ]
    rules = ""
    if about.rules_dev_accuracy is not None:
        rules = f" (prefix and suffix rules: {percent(about.rules_dev_accuracy)})"
    if model.fallback is not None:
        rules += f". Rules answer where the network's probability is below {model.fallback.below}."
    data = [
        f"- {part}: `{entry.file}`, {entry.rows} rows, sha256 {entry.sha256}"
        for part, entry in about.data.items()
    ]
    features = [
        f"- {slot}: {', '.join(values)}"
        for slot, values in zip(
            model.vocabulary.slots.slots, model.vocabulary.slots.values, strict=True
        )
    ]
    return "\n".join(
        [
            f"# {name}",
            "",
            f"An inflection model (lemma + features -> form) with {title},",
            f"trained by stepwrite {__version__}, preset {about.training['preset']}.",
            "",
            "```sh",
            f"stepwrite inflect {name} LEMMA FEATURES",
            f"stepwrite info {name}",
            "```",
            "",
            "## Data",
            *data,
            "",
            "## Members",
            f"Vote on dev: {percent(about.vote_dev_accuracy)}{rules}",
            "",
            "| member | seed | epochs | best epoch | dev | minutes |",
            "|---|---|---|---|---|---|",
            *rows,
            "",
            "## Network",
            *(network_line(model, network) for network in dict.fromkeys(model.configurations)),
            "",
            "## Features it knows",
            *(features or ["none"]),
            "",
        ]
    )
