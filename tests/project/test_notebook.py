"""The notebook runs as it stands, and what it trains is worth showing."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
NOTEBOOK = json.loads((EXAMPLES / "first-model.ipynb").read_text("utf-8"))
CODE = ["".join(cell["source"]) for cell in NOTEBOOK["cells"] if cell["cell_type"] == "code"]


def run(code: str, names: dict[str, Any]) -> Any:
    """Run a cell as Jupyter does: the value of a last expression is what is shown."""
    body = ast.parse(code).body
    shown = body.pop() if isinstance(body[-1], ast.Expr) else None
    exec(compile(ast.Module(body, []), "cell", "exec"), names)
    if isinstance(shown, ast.Expr):
        return eval(compile(ast.Expression(shown.value), "cell", "eval"), names)
    return None


@pytest.mark.slow
def test_the_notebook_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "german-nouns").symlink_to(EXAMPLES / "german-nouns")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    shown = [run(code, names) for code in CODE]
    assert names["scores"].exact_match > 0.8
    assert names["prediction"].form == "".join(step.written for step in names["prediction"].steps)
    tables = [value._repr_html_() for value in shown if hasattr(value, "_repr_html_")]
    assert any("Apfelbaum" in table for table in tables)


def test_the_notebook_was_saved_after_a_whole_run() -> None:
    counts = [cell["execution_count"] for cell in NOTEBOOK["cells"] if cell["cell_type"] == "code"]
    assert counts == list(range(1, len(CODE) + 1))
    assert "error" not in {
        output["output_type"] for cell in NOTEBOOK["cells"] for output in cell.get("outputs", ())
    }
