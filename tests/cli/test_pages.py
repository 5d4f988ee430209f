"""Pages of stored outputs: two of the notebooks, without kernel and without recorded runs."""

from pathlib import Path

import papermill
import pytest

from made.command import perfstudies
from made.notebooks import write
from perfstudies.site import measured

NOTEBOOKS = ("start", "step/00-configurations")


@pytest.fixture(autouse=True)
def nothing_else(monkeypatch, tmp_path):
    """Neither kernels nor data."""
    monkeypatch.setattr(measured, "RAW", tmp_path / "none")
    monkeypatch.setattr(papermill, "execute_notebook", None)


def test_two_notebooks_become_two_pages_and_an_index_twice_the_same(repository, tmp_path, capsys):
    chosen = [str(repository / "notebooks" / f"{name}.ipynb") for name in NOTEBOOKS]
    before = [path.read_bytes() for path in map(Path, chosen)]
    for folder in ("one", "two"):
        assert perfstudies("pages", *chosen, "--out", str(tmp_path / folder)) == 0
    assert "listed 2 pages in" in capsys.readouterr().out
    files = sorted(path.relative_to(tmp_path / "one") for path in (tmp_path / "one").rglob("*.*"))
    assert [str(file) for file in files] == sorted(["index.html", *(f"{name}.html" for name in NOTEBOOKS)])
    for file in files:
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()
    index = (tmp_path / "one" / "index.html").read_text()
    assert all(f'href="{name}.html"' in index for name in NOTEBOOKS)
    assert "source = reference" in (tmp_path / "one" / "step" / "00-configurations.html").read_text()
    assert [path.read_bytes() for path in map(Path, chosen)] == before


def test_what_cannot_be_a_page_is_named_and_the_others_are_made(tmp_path, capsys):
    good = write(tmp_path / "notebooks" / "good.ipynb")
    bad = tmp_path / "notebooks" / "bad.ipynb"
    bad.write_text("{")
    assert perfstudies("pages", str(bad), str(good), "--out", str(tmp_path / "out")) == 1
    said = capsys.readouterr()
    assert "bad.ipynb: not a notebook" in said.err and "listed 1 page in" in said.out
    assert (tmp_path / "out" / "good.html").is_file() and not (tmp_path / "out" / "bad.html").exists()


def test_a_missing_notebook_is_refused(tmp_path, capsys):
    assert perfstudies("pages", str(tmp_path / "none.ipynb")) == 2
    assert "none.ipynb: no such notebook" in capsys.readouterr().err
