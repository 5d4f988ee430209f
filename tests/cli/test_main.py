"""The command as a whole: its help, how it tells errors, its exit statuses; and the commands that pages name."""

import errno
import os
import re
import shlex
import subprocess
import sys

import pytest
import typer

from made.command import perfstudies
from made.runs import make, record
from perfstudies import __version__, paths
from perfstudies.catalog import dictionary_check, verify
from perfstudies.cli import app, main, render
from perfstudies.errors import BadParameter, BadRecording
from perfstudies.notebooks import grid
from perfstudies.runs import archive, store
from perfstudies.studies import EXPERIMENTS

COMMANDS = vars(typer.main.get_command(main.app))["commands"]


def test_help_lists_every_command_with_what_it_does(capsys):
    assert perfstudies("--help") == 0
    listed = dict(re.findall(r"^  ([a-z-]+)  +(\S.*)$", capsys.readouterr().out.partition("Commands:")[2], re.M))
    assert listed.keys() == COMMANDS.keys() and {"measure", "render", "batch", "verify", "pack"} <= listed.keys()
    assert not [said for said in listed.values() if said.endswith("...")]


def test_without_a_command_it_shows_its_help(capsys):
    assert perfstudies() == 2
    assert "Commands:" in "".join(capsys.readouterr())


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself_and_each_of_its_options(name, capsys):
    assert perfstudies(name, "--help") == 0
    said = capsys.readouterr().out
    assert said.startswith(f"Usage: perfstudies {name}")
    assert all(one.help for one in COMMANDS[name].params if one.param_type_name == "option")


@pytest.mark.parametrize("name", COMMANDS)
def test_an_unknown_option_is_refused(name, capsys):
    assert perfstudies(name, "--recrod") == 2
    assert "No such option: --recrod" in capsys.readouterr().err


def test_an_unknown_command_is_refused_with_the_nearest(capsys):
    assert perfstudies("masure") == 2
    assert "Did you mean 'measure'" in capsys.readouterr().err


def test_the_version_is_the_library_s(capsys):
    assert perfstudies("--version") == 0
    assert capsys.readouterr().out == f"perfstudies {__version__}\n"


def test_help_loads_neither_tables_nor_notebooks():
    code = "import sys, perfstudies.cli.main; print({'pandas', 'numpy', 'nbformat', 'zeep'} & {*sys.modules})"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "set()\n"


def test_completion_knows_commands_and_experiments():
    code = "from perfstudies.cli.main import app; app(prog_name='perfstudies')"
    asked = {"_PERFSTUDIES_COMPLETE": "complete_bash", "COMP_CWORD": "2", "COMP_WORDS": "perfstudies measure corba/"}
    said = subprocess.run([sys.executable, "-c", code], env=os.environ | asked, capture_output=True, text=True).stdout
    assert said.split() == [key for key in EXPERIMENTS if key.startswith("corba/")]


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (BadRecording("x.log is cut"), app.FAILED, "error: x.log is cut\n"),
        (BadParameter("no such thing"), app.WRONG_USAGE, "error: no such thing\n"),
        (
            OSError(errno.ENOSPC, "No space left on device", "x.html"),
            app.FAILED,
            "error: x.html: No space left on device. Make room; the same command goes on\n",
        ),
        (IsADirectoryError(errno.EISDIR, "Is a directory", "x"), app.FAILED, "error: x: Is a directory\n"),
        (KeyboardInterrupt(), app.INTERRUPTED, "\nInterrupted. What has finished is kept; the same command goes on.\n"),
    ],
)
def test_every_error_is_told_in_one_way(error, status, said, monkeypatch, capsys):
    def fails(*_, **__):
        raise error

    monkeypatch.setattr(render, "render", fails)
    monkeypatch.setattr(verify, "check", fails)
    monkeypatch.setattr(dictionary_check, "problems", fails)
    for arguments in (["render", "a.ipynb"], ["verify"], ["dictionary"]):
        assert perfstudies(*arguments) == status
        assert capsys.readouterr() == ("", said)


def test_a_mistake_of_the_lab_itself_keeps_its_traceback(monkeypatch):
    def fails(*_, **__):
        raise KeyError("a mistake")

    monkeypatch.setattr(render, "render", fails)
    with pytest.raises(KeyError):
        main.app(["render", "a.ipynb"])


def test_what_the_dictionary_lacks_is_told(monkeypatch, capsys):
    monkeypatch.setattr(dictionary_check, "problems", lambda known, raw: ["x.csv: no kind has it"])
    assert perfstudies("dictionary") == 1
    assert capsys.readouterr().err == "error: x.csv: no kind has it\n"


def test_options_of_several_words_take_theirs_and_no_more(monkeypatch):
    asked = []
    monkeypatch.setattr("perfstudies.cli.batch.batch", lambda *given: asked.extend(given))
    monkeypatch.setattr(grid, "read_grid", lambda path: {"c": [1], "a": [0]})
    arguments = ["one.ipynb", "-p", "x", "-3", "--grid", "a", "-1", "-.5", "two", "--grid-file", "g.toml"]
    assert perfstudies("batch", *arguments, "--grid", "b", "live", "-p", "y", "None", "--", "-two.ipynb") == 0
    notebooks, given, varied, *_ = asked
    assert [str(path) for path in notebooks] == ["one.ipynb", "-two.ipynb"]
    assert given == {"x": -3, "y": None} and varied == {"c": [1], "a": [-1, -0.5, "two"], "b": ["live"]}


@pytest.mark.parametrize(
    "wrong", [["-p"], ["-p", "x"], ["--grid"], ["--grid", "--name", "y"], ["-p", "x", "--grid", "a", "1"]]
)
def test_an_option_of_several_words_that_lacks_some_is_wrong_usage(wrong, monkeypatch, capsys):
    monkeypatch.setattr("perfstudies.cli.batch.batch", lambda *given: pytest.fail("it ran"))
    assert perfstudies("batch", "one.ipynb", *wrong) == 2
    assert wrong[0] in capsys.readouterr().err


@pytest.mark.parametrize("source", ["live", "reference"])
def test_finished_runs_are_packed_and_read_from_the_archive(source, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(paths, "RAW", tmp_path)
    one = EXPERIMENTS["corba/looks"]
    folder = tmp_path / source / one.study / one.name
    names = [make(folder, f"run-{number}", number, {}, [record(1, {"web": 2.5})]).name for number in (1, 2)]
    store.write_manifest(folder / "run-2", {**store.read_manifest(folder / "run-2"), "status": store.FAILED})
    packed = folder if source == "reference" else tmp_path / "packed" / one.study / one.name
    arguments = ["pack", one.key, *(["--reference"] if source == "reference" else ["--out", str(tmp_path / "packed")])]
    contents = []
    for _ in "twice":
        assert perfstudies(*arguments) == 0
        assert f"packed 1 runs: {archive.place(packed)}" in capsys.readouterr().out
        assert folder.exists() == (source == "live") and [run.name for run in store.runs(packed)] == names[:1]
        contents.append(archive.place(packed).read_bytes())
    assert contents[0] == contents[1]


def test_packing_nothing_is_an_error(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(paths, "RAW", tmp_path)
    assert perfstudies("pack", "corba/looks") == 1
    assert "there is no run to pack" in capsys.readouterr().err


def commands_of(text):
    """Yield what follows `perfstudies` in a page's or recipe's commands, in code and in recipes."""
    for said in re.findall(r"(?:`|^ *|\(BIN\)/)perfstudies ([a-z-]+\b[^`\n]*)", text, re.M):
        yield shlex.split(said.replace('"$$file"', "FILE"))


def test_the_commands_and_options_that_pages_and_recipes_name_are_there(repository):
    pages = [
        repository / name
        for name in ("README.md", "Makefile", "notebooks/start.ipynb", "notebooks/batch-summary.ipynb")
    ]
    pages += [*repository.glob("docs/*.md"), *(repository / "data" / "raw").rglob("README.md")]
    found = []
    for page in pages:
        for name, *words in commands_of(page.read_text(encoding="utf-8")):
            assert name in COMMANDS, f"{page.name} names perfstudies {name}"
            known = {option for one in COMMANDS[name].params for option in one.opts}
            assert {word for word in words if word.startswith("-")} <= known, f"{page.name}: perfstudies {name} {words}"
            found.append(name)
    assert len(found) > 10 and {"measure", "simulate", "reports", "render", "batch", "verify"} <= {*found}


def test_the_console_script_is_the_command(repository):
    assert '\nperfstudies = "perfstudies.cli.main:app"\n' in (repository / "pyproject.toml").read_text()
