"""What notebooks store takes the place of executing them exactly as long as nothing that decides it has changed."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell

from made.notebooks import parameters_cell, write
from perfstudies import paths
from perfstudies.cli import render
from perfstudies.notebooks import stored
from perfstudies.notebooks.execute import execute
from perfstudies.site.page import page_html

CELLS = (new_markdown_cell("# Is it?\n\nOr not?"), parameters_cell(), new_code_cell("seed + 1"))


@pytest.fixture(scope="module")
def marked(tmp_path_factory):
    """A notebook with its outputs; whoever changes it takes a copy."""
    path = write(tmp_path_factory.mktemp("one") / "notebooks" / "step" / "01-one.ipynb", *CELLS)
    return render.store(path, path.with_suffix(".executed"))


@pytest.fixture
def notebook(marked, tmp_path):
    (path := tmp_path / "notebooks" / "step" / "01-one.ipynb").parent.mkdir(parents=True)
    path.write_bytes(marked.read_bytes())
    return path


def _changed(path, change):
    content = nbformat.read(path, as_version=4)
    change(content)
    nbformat.write(content, path)
    return path


def test_the_stored_outputs_give_the_page_of_an_execution(notebook):
    found, executed = stored.current(notebook, {"seed": 7}), execute(notebook, {"seed": 7})
    assert found.cells[2].outputs[0]["data"]["text/plain"] == "8"
    assert page_html(found, "step", "01-one") == page_html(executed, "step", "01-one")
    assert found.metadata["perfstudies"]["parameters"] == executed.metadata["perfstudies"]["parameters"]


def test_another_parameter_or_a_notebook_without_a_mark_has_to_be_executed(notebook):
    assert stored.current(notebook, {"seed": 8}) is None
    assert stored.current(_changed(notebook, lambda content: content.metadata.pop("perfstudies")), {}) is None


@pytest.mark.parametrize(
    "change",
    [
        lambda content: content.cells[2].update(source="seed + 2"),
        lambda content: content.cells[2].outputs[0]["data"].update({"text/plain": "9"}),
        lambda content: content.cells.pop(),
    ],
)
def test_whoever_edits_a_cell_or_an_output_has_it_executed(notebook, change):
    assert stored.current(_changed(notebook, change), {}) is None


def test_other_data_or_another_library_has_it_executed(notebook, tmp_path, monkeypatch):
    assert stored.current(notebook, {}) is not None
    with monkeypatch.context() as other:
        other.setattr(paths, "RAW", tmp_path)
        (tmp_path / "registry.txt").write_text("0  reference/step/time-breakdown.tar.xz\n")
        assert stored.current(notebook, {}) is None
    with monkeypatch.context() as other:
        other.setattr(stored, "CITATION", tmp_path / "another.cff")
        assert stored.current(notebook, {}) is None
    monkeypatch.setattr(stored, "_library", lambda: "another")
    assert stored.current(notebook, {}) is None


def test_data_that_were_cut_or_corrected_have_it_executed(notebook, tmp_path, monkeypatch):
    for folder in ("RAW", "PUBLISHED"):
        monkeypatch.setattr(paths, folder, tmp_path / "raw" / ("published" if folder == "PUBLISHED" else ""))
    archive, table = tmp_path / "raw" / "reference" / "a.tar.xz", tmp_path / "raw" / "published" / "t.csv"
    for file in (archive, table):
        file.parent.mkdir(parents=True)
        file.write_text("1.25")
    (tmp_path / "raw" / "registry.txt").write_text("")
    content, marks = nbformat.read(notebook, as_version=4), []
    for file, text in ((archive, "1.25"), (archive, "1.2"), (table, "1.52"), (tmp_path / "raw" / "live", "x")):
        file.write_text(text)
        marks.append(stored.mark(content, notebook))
    assert len(set(marks)) == 4
    (tmp_path / "raw" / "live").unlink()
    (tmp_path / "raw" / "live").mkdir()
    before = stored.mark(content, notebook)
    (tmp_path / "raw" / "live" / "log").write_text("what is measured here")
    assert stored.mark(content, notebook) == before == marks[2]


def test_one_that_reads_what_others_store_changes_with_them_and_no_other_does(notebook, tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    reading = nbformat.v4.new_notebook(cells=[new_code_cell("from perfstudies.notebooks import all_findings")])
    alone = nbformat.read(notebook, as_version=4)
    magic = nbformat.v4.new_notebook(cells=[new_code_cell("%time 1")])
    before = [stored.mark(one, tmp_path / "notebooks" / "findings.ipynb") for one in (reading, alone, magic)]
    _changed(notebook, lambda content: content.cells[2].update(source="seed + 2"))
    after = [stored.mark(one, tmp_path / "notebooks" / "findings.ipynb") for one in (reading, alone, magic)]
    assert before[0] != after[0] and before[1] == after[1] and before[2] != after[2]
