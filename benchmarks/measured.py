"""Figures of a benchmark: written at its end, or each as soon as it is measured."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from stepwrite.files import write_whole


def write_report(out: Path, name: str, found: Mapping[str, Any], text: str) -> None:
    """Write NAME.json and NAME.md, and show the text."""
    out.mkdir(parents=True, exist_ok=True)
    with write_whole(out / f"{name}.json") as file:
        json.dump(found, file, indent=1)
        file.write("\n")
    with write_whole(out / f"{name}.md") as file:
        file.write(text)
    print(text)


class Measured:
    """Figures by name in a JSON file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.figures: dict[str, float] = {}
        if path.exists():
            self.figures = json.loads(path.read_text("utf-8"))

    def get(self, name: str, measure: Callable[[], float]) -> float:
        """The figure of that name, measured unless it is there already."""
        if name not in self.figures:
            self.add({name: measure()})
        return self.figures[name]

    def add(self, figures: dict[str, float]) -> None:
        self.figures.update(figures)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with write_whole(self.path) as file:
            json.dump(dict(sorted(self.figures.items())), file, indent=1, ensure_ascii=False)
            file.write("\n")
