"""Everything that the README and the documentation show can be run.

Console sessions and Python blocks are executed. Shell commands are checked against the real
command line without running them. A block after `<!-- sketch ... -->` cannot run in a test
(it needs a server, a cluster or hours): only its `stepwrite` commands are checked.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click
import pytest

from stepwrite.cli import VERBS, stepwrite

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"][
    "optional-dependencies"
]
TARGETS = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
BLOCK = re.compile(r"^(<!-- sketch[^>]*-->\n)?```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)


class Block(NamedTuple):
    """A fenced code block of a page."""

    page: str
    language: str
    text: str
    sketch: bool


BLOCKS = [
    Block(str(page.relative_to(ROOT)), language, text, bool(sketch))
    for page in PAGES
    for sketch, language, text in BLOCK.findall(page.read_text("utf-8"))
]


def pages_with(language: str) -> list[str]:
    return list(dict.fromkeys(b.page for b in BLOCKS if b.language == language and not b.sketch))


def text_of(page: str, language: str) -> str:
    """All blocks of one language on a page, which follow each other in one session."""
    return "".join(
        b.text for b in BLOCKS if (b.page, b.language, b.sketch) == (page, language, False)
    )


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with the example data, where blocks may leave their files."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)


def commands(script: str) -> Iterator[list[str]]:
    """The commands of a shell script, with pipelines split and redirections removed.

    >>> list(commands("head -1 a.tsv | stepwrite align - > b.txt  # one row"))
    [['head', '-1', 'a.tsv'], ['stepwrite', 'align', '-']]
    """
    for line in script.replace("\\\n", " ").splitlines():
        words = shlex.shlex(line, posix=True, punctuation_chars=True)
        words.whitespace_split = True
        command: list[str] = []
        redirected = False
        for word in words:
            if word in ("|", ";", "&&"):
                yield command
                command, redirected = [], False
            elif word in (">", "<", ">>"):
                redirected = True
            elif not redirected:
                command.append(word)
        if command:
            yield command


def check(command: list[str]) -> None:
    """Parse a stepwrite command as far as click does, without running it."""
    group: click.Command = stepwrite
    context: click.Context | None = None
    words = command[1:]
    name = "stepwrite"
    while isinstance(group, click.Group):
        context = group.make_context(name, words, parent=context)
        words = [*context._protected_args, *context.args]
        if not words and group.invoke_without_command:
            return
        found = group.get_command(context, words[0]) if words else None
        assert found, f"no such command: {shlex.join(command)}"
        name, group, words = words[0], found, words[1:]
    group.make_context(name, words, parent=context)


@pytest.mark.parametrize("page", pages_with("console"))
def test_console_sessions_show_what_happens(page: str, folder: None) -> None:
    session = text_of(page, "console")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    shown = ""
    for command in re.findall(r"^\$ (.*)", session, re.MULTILINE):
        ran = subprocess.run(
            command, shell=True, env=os.environ | {"PATH": path}, capture_output=True, check=True
        )
        shown += f"$ {command}\n{ran.stdout.decode()}"
    assert session == shown


@pytest.mark.parametrize("page", pages_with("python"))
def test_python_blocks_run(page: str, folder: None) -> None:
    exec(compile(text_of(page, "python"), page, "exec"), {})


@pytest.mark.parametrize("page", pages_with("pycon"))
def test_python_sessions_show_what_happens(page: str, folder: None) -> None:
    session = text_of(page, "pycon")
    test = doctest.DocTestParser().get_doctest(session, {}, page, page, 0)
    complaints: list[str] = []
    result = doctest.DocTestRunner().run(test, out=complaints.append)
    assert result.attempted == len(re.findall("^>>> ", session, re.MULTILINE))
    assert not result.failed, "".join(complaints)


@pytest.mark.parametrize("block", [b for b in BLOCKS if b.language == "sh"], ids=lambda b: b.page)
def test_shell_commands_exist(block: Block) -> None:
    if block.sketch:  # only its stepwrite commands are checked
        for line in re.findall(r"^(?:\$ )?(stepwrite .*)", block.text, re.MULTILINE):
            for command in commands(line):
                check(command)
        return
    n_commands = 0
    for command in commands(block.text):
        n_commands += 1
        while "=" in command[0]:
            command = command[1:]  # a variable set for this command
        match command:
            case ["stepwrite", *_]:
                check(command)
            case ["pip", "install", *_, what]:
                found = re.fullmatch(r"(?:\.|stepwrite)(?:\[(\w+)\])?", what)
                assert found, what
                assert found[1] is None or found[1] in EXTRAS, what
            case ["make", target]:
                assert target in TARGETS, target
            case ["python", script, *_]:
                assert (ROOT / script).is_file(), script
            case ["git" | "cd" | "cat" | "head" | "export", *_]:
                pass
            case _:
                pytest.fail(f"not checked, mark the block as a sketch: {shlex.join(command)}")
    assert n_commands


def test_no_command_hides_in_another_kind_of_block() -> None:
    checked = {"console", "sh", "python", "pycon"}
    others = [block for block in BLOCKS if block.language not in checked]
    prompt = re.compile(r"^(\$ |>>> |stepwrite [a-z]|import )", re.MULTILINE)
    assert [block for block in others if prompt.search(block.text)] == []


@pytest.mark.parametrize("verb", [*VERBS, "data get", "data check"])
def test_examples_of_the_help_parse(verb: str) -> None:
    group, _, name = verb.partition(" ")
    command = stepwrite.get_command(click.Context(stepwrite), group)
    if name:
        assert isinstance(command, click.Group)
        command = command.commands[name]
    assert command is not None
    assert command.help is not None
    examples = command.help.partition("Example")[2].partition("\n")[2]
    found = [c for c in commands(examples) if c[0] == "stepwrite"]
    assert found, f"stepwrite {verb} --help shows no example"
    for example in found:
        check(example)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_options_that_the_text_names_exist(page: Path) -> None:
    known = {"--help", "--version"}
    waiting: list[click.Command] = [stepwrite]
    for command in waiting:
        for option in command.params:
            known |= {*option.opts, *option.secondary_opts}
        if isinstance(command, click.Group):
            context = click.Context(command)
            found = map(command.get_command, [context] * 99, command.list_commands(context))
            waiting += [verb for verb in found if verb is not None]
    text = BLOCK.sub("", page.read_text("utf-8"))
    inline = " ".join(re.findall(r"`([^`]+)`", text))
    assert set(re.findall(r"(?<![\w-])--[a-z][\w-]*", inline)) <= known
