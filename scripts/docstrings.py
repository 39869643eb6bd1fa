"""How the API reference reads the docstrings, as an extension of griffe (see mkdocs.yml).

They are plain text that also reads well in `help()`. For the site, paragraphs of `name: meaning`
become lists, and examples become blocks of code.
"""

from __future__ import annotations

import re
from typing import Any

from griffe import Class, Extension, Function, Object

FIELD = re.compile(r"([a-z]\w*(?:, [a-z]\w*)*): (.*)")


class Docstrings(Extension):
    """Turn the docstrings of classes and functions into Markdown."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        if obj.docstring and isinstance(obj, Class | Function):
            names = {parameter.name for parameter in obj.parameters} | set(obj.members)
            paragraphs = obj.docstring.value.split("\n\n")
            obj.docstring.value = "\n\n".join(markdown(text, names) for text in paragraphs)


def markdown(paragraph: str, names: set[str]) -> str:
    """A paragraph of a docstring as Markdown; `names` are those of parameters and attributes.

    >>> print(markdown("Count them.\\nn, m: how many\\nof them.\\nNote: none.", {"n", "m"}))
    Count them.
    <BLANKLINE>
    - **n, m**: how many
      of them.
      Note: none.
    >>> markdown(">>> 1 + 1\\n2", set())
    '```pycon\\n>>> 1 + 1\\n2\\n```'
    """
    if paragraph.startswith(">>> "):
        return f"```pycon\n{paragraph}\n```"
    lines: list[str] = []
    in_list = False
    for line in paragraph.split("\n"):
        field = FIELD.fullmatch(line)
        if field and set(field[1].split(", ")) <= names:
            lines += ["", f"- **{field[1]}**: {field[2]}"]
            in_list = True
        else:
            lines.append(f"  {line}" if in_list else line)
    return "\n".join(lines).removeprefix("\n")
