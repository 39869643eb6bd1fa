"""The shared options about input files, tested with a command that prints what it reads."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

from stepwrite.cli.options import ReadingOptions, reading_options
from stepwrite.data.examples import LAYOUTS
from stepwrite.data.segmentation import Segmentation
from stepwrite.errors import DataError


@click.command()
@click.argument("path")
@reading_options
@click.option("--loud", is_flag=True)
def verb(path: str, loud: bool, reading: ReadingOptions) -> None:
    file = reading.open(path, needs_form=True)
    for example in file:
        click.echo("|".join(example).upper() if loud else "|".join(example))
    click.echo(reading.segmentation(file.layout))
    reading.report_skipped()


def run(*args: str, stdin: str = ""):
    return CliRunner().invoke(verb, args, input=stdin)


ROWS = "Tag\tTage\tN;PL\n" * 5


def test_detection_is_told_on_stderr():
    result = run("-", stdin="Tag\tTage\tN;PL\n")
    assert result.stderr == "<stdin>: layout unimorph (lemma, form, features)\n"
    assert result.stdout == f"Tag|N;PL|Tage\n{Segmentation()}\n"


def test_other_options_of_the_verb_stay():
    assert run("-", "--loud", stdin=ROWS).stdout.startswith("TAG|N;PL|TAGE\n")


@pytest.mark.parametrize(
    "options",
    [["--layout", "sigmorphon2023"], ["--columns", "lemma,features,form"]],
)
def test_what_the_user_says_is_not_detected(options):
    result = run("-", *options, stdin="Tag\tTage\tN;PL\n")
    assert result.stderr == ""
    assert result.stdout.startswith("Tag|Tage|N;PL\n")


def test_columns_may_be_ignored():
    result = run("-", "--columns", "_, form, lemma", stdin="1\tTage\tTag\n")
    assert result.stdout.startswith("Tag||Tage\n")


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--layout", "conll"], "'conll' is not one of"),
        (["--columns", "lemma,tag"], "Invalid value for --columns: unknown column 'tag'"),
        (["--columns", "form,form"], "column 'form' is named twice"),
        (["--columns", "features,form"], "no lemma column"),
        (["--columns", "lemma,form", "--layout", "g2p"], "mutually exclusive"),
        (["--spaced", "all"], "'all' is not one of"),
    ],
)
def test_usage_mistakes(options, problem):
    result = run("-", *options, stdin=ROWS)
    assert result.exit_code == 2
    assert problem in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("layout", "spaced", "expected"),
    [
        ("unimorph", None, Segmentation()),
        ("g2p", None, Segmentation(form_spaced=True)),
        ("g2p", "none", Segmentation()),
        ("g2p", "lemma", Segmentation(lemma_spaced=True)),
        ("unimorph", "form", Segmentation(form_spaced=True)),
        ("unimorph", "both", Segmentation(lemma_spaced=True, form_spaced=True)),
    ],
)
def test_symbols(layout, spaced, expected):
    assert ReadingOptions(spaced=spaced).segmentation(LAYOUTS[layout]) == expected


BAD = ROWS + "Tag\n\tTage\tN;PL\n" + "Tag\tN;PL\n" * 3 + "Tag\t\tN;PL\n"


def test_bad_rows_stop_the_verb():
    result = run("-", stdin=BAD)
    assert isinstance(result.exception, DataError)
    assert str(result.exception).startswith("<stdin>, line 6: 1 column, expected 3")


def test_skipped_rows_are_counted_and_explained():
    result = run("-", "--skip-bad", stdin=BAD)
    assert result.exit_code == 0
    assert result.stdout.count("Tag|N;PL|Tage\n") == 5
    assert result.stderr.splitlines()[1:] == [
        "<stdin>: skipped 6 of 11 rows: 4 with a wrong number of columns (line 6, 8, 9, ...); "
        "1 with an empty lemma (line 7); 1 with an empty form (line 11)"
    ]


def test_nothing_skipped_nothing_said():
    assert len(run("-", "--skip-bad", stdin=ROWS).stderr.splitlines()) == 1


def test_help_names_every_option():
    text = run("--help").stdout
    assert all(option in text for option in ("--layout", "--columns", "--spaced", "--skip-bad"))
    assert all(name in text for name in LAYOUTS)


def test_a_table_opened_again_is_understood_as_before(tmp_path, capsys):
    path = tmp_path / "nouns.csv"
    path.write_text("Lemma;Kasus;Numerus;Form\nTag;Dativ;Plural;Tagen\nHut;Dativ;Plural;Hüten\n")
    reading = ReadingOptions()
    first = reading.open(path)
    assert first.layout.columns == ("lemma", "features", "form")
    again = reading.open(path, layout=first.layout)
    assert list(again) == list(first)
    assert len(capsys.readouterr().err.splitlines()) == 3
