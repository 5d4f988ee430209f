"""Executing and rendering small notebooks; each kernel takes seconds, so few tests start one."""

import re
import sys
from functools import partial
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from made import notebooks as made_notebooks
from made.command import perfstudies
from made.gathered import record
from made.notebooks import write
from perfstudies.errors import BadParameter, PerfstudiesError
from perfstudies.files import place, write_atomically
from perfstudies.notebooks.clean import clean
from perfstudies.notebooks.execute import OwnKernel, check_parameters, parse_value
from perfstudies.notebooks.stored import MARK
from perfstudies.site import index
from perfstudies.site.gathered import Executed
from perfstudies.site.page import BadPage, check_page, heading, page_html

PARAMETERS = 'source = "reference"\nprofile = "quick"  # or standard\nseed: int = 7'
parameters_cell = partial(made_notebooks.parameters_cell, PARAMETERS)
HOSTILE = "<script>alert(1)</script>"

FIGURE = """
import pandas as pd
from matplotlib.figure import Figure
from perfstudies.report import figures, tables
drawn = Figure(figsize=(3, 2))
drawn.subplots().plot([1, 2, seed])
numbers = pd.DataFrame({"y": [1, 2, seed]})
figures.figure(drawn, 16, "A line", alt="A line goes up & on.", data=numbers)
"""

RECORDS = [record("S1", 0.001, 1.0, "reproduced"), record("S2", 0.4, 0.6)]
VERDICTS = f"""
from IPython.display import display
display({{"text/plain": "v"}}, raw=True, metadata={{"perfstudies": {{"verdicts": {RECORDS!r}}}}})
"""


@pytest.fixture
def notebook(tmp_path):
    return write(
        tmp_path / "notebooks" / "step" / "07-cost {x}.ipynb",
        new_markdown_cell("# What does it **cost**?\n\nDoes it [matter](https://example.org/)\nat all?"),
        parameters_cell(),
        new_code_cell(FIGURE),
        new_code_cell("tables.table(numbers, 'Numbers', number=8)"),
        new_code_cell(f"import sys\nprint({HOSTILE!r}, source, sys.executable == {sys.executable!r})"),
        new_code_cell("import warnings, os\nwarnings.warn('careful')\nprint(os.path.basename(os.getcwd()))"),
        new_code_cell(VERDICTS),
    )


def arguments(notebook, folder, *more):
    return [
        str(notebook),
        "--out",
        str(folder / "reports" / "step" / "07.html"),
        "--executed",
        str(folder / "executed" / "step" / "07.ipynb"),
        *more,
    ]


def test_rendering_twice_gives_equal_bytes_and_all_is_shown(notebook, tmp_path):
    before = notebook.read_bytes()
    for folder in ("one", "two"):
        assert (
            perfstudies("render", *arguments(notebook, tmp_path / folder, "--source", "live", "-p", "seed", "9")) == 0
        )
    assert notebook.read_bytes() == before

    def both(name):
        return [(tmp_path / folder / name).read_bytes() for folder in ("one", "two")]

    html, again = both("reports/step/07.html")
    assert html == again
    executed, again = both("executed/step/07.ipynb")
    assert executed == again

    page = html.decode()
    assert '<html lang="en">' in page and "<title>What does it cost?</title>" in page
    assert "source = live, profile = quick, seed = 9" in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt; live True" in page  # escaped, set, own interpreter
    assert ">step\n</pre>" in page  # the notebook's own folder
    assert 'alt="A line goes up &amp; on."' in page and "<figcaption>" in page
    assert page.index("<strong>Table 8.</strong>") < page.index("careful")
    assert "In [" not in page and "<script" not in page
    check_page(page, "the page")

    index_page = tmp_path / "one" / "reports" / "index.html"
    assert index.write(tmp_path / "one" / "executed", index_page) == 1
    listed = index_page.read_text()
    assert '<a href="step/07.html">What does it cost?</a>' in listed
    assert "Does it matter at all?" in listed
    assert "source = live, profile = quick" in listed
    assert "1 reproduced" in listed and "1 inconclusive" in listed
    assert "not reproduced" not in listed.split("<h2>")[1]
    assert 'alt="A line goes up &amp; on."' in listed
    assert index.write(tmp_path / "one" / "executed", index_page) == 1
    assert index_page.read_text() == listed


def test_a_failing_cell_leaves_no_report(tmp_path, capsys):
    path = write(
        tmp_path / "notebooks" / "step" / "bad.ipynb",
        new_markdown_cell("# Bad"),
        new_code_cell("print('before')"),
        new_code_cell("# divide\n1 / 0"),
    )
    assert perfstudies("render", *arguments(path, tmp_path)) == 1
    message = capsys.readouterr().err
    assert "bad.ipynb" in message and "cell [2]" in message
    assert "ZeroDivisionError: division by zero" in message
    assert not list(tmp_path.rglob("*.html"))
    assert not (tmp_path / "executed" / "step" / "07.ipynb").exists()
    assert "before" in (tmp_path / "executed" / "step" / "07.failed.ipynb").read_text()


def test_a_kernel_that_dies_leaves_no_report(tmp_path, capsys):
    path = write(tmp_path / "step" / "dies.ipynb", new_code_cell("import os\nos._exit(1)"))
    assert perfstudies("render", *arguments(path, tmp_path)) == 1
    assert "dies.ipynb: the kernel failed" in capsys.readouterr().err
    assert not list(tmp_path.rglob("*.html"))


@pytest.mark.parametrize("own", [{}, {"requires": ["step/monitors"]}])
def test_storing_keeps_sources_ids_and_needs_and_adds_clean_outputs(tmp_path, own):
    path = write(tmp_path / "step" / "a.ipynb", parameters_cell(), new_code_cell("seed + 1"), **own)
    before = nbformat.read(path, as_version=4)
    assert perfstudies("render", str(path), "--store", "--executed", str(tmp_path / "x.ipynb")) == 0
    stored = nbformat.read(path, as_version=4)
    assert [cell.source for cell in stored.cells] == [cell.source for cell in before.cells]
    assert [cell.id for cell in stored.cells] == [cell.id for cell in before.cells]
    assert stored.cells[0].metadata == {"tags": ["parameters"]} and stored.cells[1].metadata == {}
    assert stored.cells[1].outputs[0].data["text/plain"] == "8"
    assert set(stored.metadata) == {"kernelspec", "language_info", "perfstudies"}
    assert stored.metadata["perfstudies"].pop(MARK) and stored.metadata["perfstudies"] == own
    assert perfstudies("render", str(path), "--store", "--source", "live") == 2


def test_an_unknown_parameter_is_refused_before_anything_runs(notebook, tmp_path, capsys):
    assert perfstudies("render", *arguments(notebook, tmp_path, "-p", "sourse", "live")) == 2
    message = capsys.readouterr().err
    assert "sourse" in message and "Did you mean 'source'?" in message and "source, profile, seed" in message
    assert not list(tmp_path.rglob("*.html"))


def test_a_folder_is_no_place_for_a_report_or_an_executed_notebook(notebook, tmp_path, capsys):
    before = sorted(tmp_path.rglob("*"))
    for option in ("--out", "--executed"):
        assert perfstudies("render", str(notebook), option, str(tmp_path)) == 2
        assert "is a directory" in capsys.readouterr().err
    assert sorted(tmp_path.rglob("*")) == before


def test_a_missing_notebook_and_one_without_parameters_are_named(tmp_path, capsys):
    assert perfstudies("render", str(tmp_path / "none.ipynb")) == 2
    assert "none.ipynb: no such notebook" in capsys.readouterr().err
    for name, text in (("text.md", "# A text"), ("other.ipynb", "{}")):
        (tmp_path / name).write_text(text)
        assert perfstudies("render", str(tmp_path / name)) == 2
        assert f"{name}: not a notebook: " in capsys.readouterr().err
    with pytest.raises(BadParameter, match="no cell tagged 'parameters'"):
        check_parameters(write(tmp_path / "plain.ipynb", new_code_cell("1")), {"source": "live"})


@pytest.mark.parametrize(("folder", "transport"), [("/tmp/here", "ipc"), ("/tmp/" + "here" * 30, "tcp"), (None, "tcp")])
def test_a_kernel_is_talked_to_by_files_of_its_own_where_their_names_fit(folder, transport):
    manager = type("Kernel", (OwnKernel,), {"folder": Path(folder) if folder else None})()
    assert manager.transport == transport
    assert manager.ip == ("/tmp/here/kernel" if transport == "ipc" else "127.0.0.1")


def test_parameters_have_their_defaults_and_overrides(notebook):
    assert check_parameters(notebook, {"seed": 3}) == {"source": "reference", "profile": "quick", "seed": 3}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("live", "live"),
        ("3", 3),
        ("0.5", 0.5),
        ("True", True),
        ("None", None),
        ("[1]", [1]),
        ("1,", "1,"),
        ("{'a': [1]}", {"a": [1]}),
        ("{a", "{a"),
    ],
)
def test_command_line_values(text, value):
    assert parse_value(text) == value


def test_studies_and_names_come_from_the_path(tmp_path):
    assert place(tmp_path / "notebooks" / "step" / "01-a.ipynb") == ("step", "01-a")
    assert place(tmp_path / "notebooks" / "findings.ipynb") == ("", "findings")


def test_cleaning_joins_streams_and_drops_what_time_and_chance_made():
    cell = new_code_cell("x", metadata={"papermill": {"duration": 1.5}, "execution": {}, "tags": []})
    cell.outputs = [
        new_output("stream", name="stdout", text="a"),
        new_output("stream", name="stderr", text="w"),
        new_output("stream", name="stdout", text="b"),
        new_output("display_data", data={"text/plain": "d"}),
    ]
    injected = new_code_cell("y", metadata={"tags": ["injected-parameters"]})
    cleaned = clean(new_notebook(cells=[cell, injected], metadata={"papermill": {"start_time": "now"}}))
    assert [(o.output_type, o.get("text")) for o in cleaned.cells[0].outputs] == [
        ("stream", "ab"),
        ("display_data", None),
        ("stream", "w"),
    ]
    assert cleaned.cells[0].metadata == {} and "papermill" not in cleaned.metadata
    assert cleaned.cells[0].id == cell.id and cleaned.cells[1].id == "injected-parameters"
    assert cell.metadata["papermill"]  # the argument is left alone


def test_strings_from_cells_parameters_and_titles_are_escaped():
    shown = new_notebook(
        cells=[
            new_markdown_cell(f"# A `{HOSTILE}` title\n\n`{HOSTILE}`"),
            new_code_cell(
                f"'{HOSTILE}'",
                outputs=[
                    new_output("stream", name="stderr", text=HOSTILE),
                    new_output("execute_result", data={"text/plain": HOSTILE}),
                    new_output("error", ename="E", evalue="", traceback=[HOSTILE]),
                    new_output(
                        "display_data",
                        data={"image/png": "AAAA"},
                        metadata={
                            "image/png": {"alt": f'"{HOSTILE}'},
                            "perfstudies": {"figure": f'"{HOSTILE}'},
                        },
                    ),
                ],
            ),
        ],
        metadata={"perfstudies": {"parameters": {HOSTILE: HOSTILE}}},
    )
    html = page_html(shown, "step", HOSTILE)
    assert "<script" not in html
    hostile = index.Entry("step", HOSTILE, HOSTILE, HOSTILE, {"source": HOSTILE}, alt=HOSTILE)
    assert "<script" not in index.index_html([hostile])


def test_a_page_of_live_runs_says_which_of_its_words_are_of_others():
    shown = new_notebook(cells=[new_markdown_cell("# T\n\nIs it so?")])
    told = "the text between them was written of the recorded ones"
    for source in ("live", "reference"):
        shown.metadata["perfstudies"] = {"parameters": {"source": source, "profile": "quick"}}
        assert (told in page_html(shown, "step", "x")) is (source == "live")


@pytest.mark.parametrize(
    "found",
    [
        "<script>1</script>",
        '<script src="https://example.org/x.js"></script>',
        '<link rel="stylesheet" href="https://example.org/x.css">',
        '<img src="https://example.org/x.png" alt="x">',
        '<img src="x.png" alt="x">',
        '<img src="data:image/png;base64,AA" srcset="//example.org/x.png 2x" alt="x">',
        '<img src="data:image/png;base64,AA">',
        '<iframe src="data:text/html,x"></iframe>',
        '<p onclick="x()">x</p>',
        '<a href="java\nscript:x()">x</a>',
        "<style>@import 'x.css';</style>",
        "<style>p { background: url(https://example.org/x.png) }</style>",
        '<p style="background: url(//example.org/x)">x</p>',
    ],
)
def test_a_page_that_reaches_out_is_refused(found):
    with pytest.raises(BadPage, match="my page"):
        check_page(f"<p>x</p>{found}", "my page")
    with pytest.raises(BadPage):
        page_html(new_notebook(cells=[new_markdown_cell(f"# T\n\n<div>{found}</div>")]), "step", "x")


def test_plain_links_and_pictures_inside_the_page_are_allowed():
    check_page('<a href="https://example.org/">x</a><img src="data:image/png;base64,AA" alt="x">', "page")


def test_a_picture_without_alternative_text_is_refused():
    cell = new_code_cell("x", outputs=[new_output("display_data", data={"image/png": "AAAA"})])
    with pytest.raises(BadPage, match="alternative text"):
        page_html(new_notebook(cells=[cell]), "step", "x")


def test_a_notebook_without_heading_has_no_title():
    assert heading(new_notebook(cells=[new_markdown_cell("words")])) == ("", "")
    cells = [new_markdown_cell("# T"), new_markdown_cell("Why?\n\nSo.")]
    assert heading(new_notebook(cells=cells)) == ("T", "Why?")


def test_the_index_leaves_out_what_has_no_report(tmp_path):
    for name in ("a.ipynb", "b.ipynb", "a.failed.ipynb"):
        write(tmp_path / "executed" / "step" / name, new_markdown_cell(f"# {name}"))
    reports = tmp_path / "reports" / "step"
    reports.mkdir(parents=True)
    (reports / "a.html").touch()
    (reports / "a.failed.html").touch()
    assert [one.title for one in index.entries(tmp_path / "executed", tmp_path / "reports")] == ["a.ipynb"]


def test_the_index_orders_studies_and_names(tmp_path):
    places = (("", "findings"), ("", "paper"), ("", "a"), ("zzz", "1"), ("step", "02"), ("step", "01"), ("aaa", "01"))
    for study, name in places:
        write(tmp_path / "executed" / study / f"{name}.ipynb", new_markdown_cell("# T"))
        (tmp_path / "reports" / study).mkdir(parents=True, exist_ok=True)
        (tmp_path / "reports" / study / f"{name}.html").touch()
    found = index.entries(tmp_path / "executed", tmp_path / "reports")
    links = ["step/01.html", "step/02.html", "aaa/01.html", "paper.html", "a.html", "findings.html", "zzz/1.html"]
    assert [one.link for one in found] == links
    page = index.index_html(found)
    assert re.findall(r'<a class="first" href="([^"]*)"', page) == ["paper.html", "findings.html"]


def test_the_index_shows_the_first_sentence_of_the_answer(tmp_path):
    said = "In short. Service takes 14.4 [14.0, 14.7] % of 5 ms. Nothing else matters.\nS1 reproduced"
    top = new_output("display_data", {"text/plain": said}, metadata={"perfstudies": {"answer": "at top"}})
    cells = [new_markdown_cell("# T\n\nWhat takes the time?"), new_code_cell("say", outputs=[top])]
    found = index.entry(Executed("step", "01", new_notebook(cells=cells)))
    assert found.answer == "Service takes 14.4 [14.0, 14.7] % of 5 ms."
    page = index.index_html([found])
    assert found.answer in page and found.question not in page


def test_a_broken_notebook_stops_the_index_with_its_name(tmp_path):
    (tmp_path / "executed").mkdir()
    (tmp_path / "executed" / "a.ipynb").write_text("{")
    (tmp_path / "a.html").touch()
    with pytest.raises(PerfstudiesError, match="a.ipynb: not a notebook"):
        index.write(tmp_path / "executed", tmp_path / "index.html")
    assert not (tmp_path / "index.html").exists()


def test_a_write_that_fails_keeps_the_old_file(tmp_path):
    path = tmp_path / "report.html"
    write_atomically(path, "old")
    with pytest.raises(UnicodeEncodeError):
        write_atomically(path, "new \ud800")
    assert path.read_text() == "old"
    assert [one.name for one in tmp_path.iterdir()] == ["report.html"]
