"""Figures of a benchmark that can be interrupted: each is kept as soon as it is measured."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from stepwrite.files import write_whole


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
