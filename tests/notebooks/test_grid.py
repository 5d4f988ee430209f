"""The points of a batch: what is refused before anything runs, and when a kept point counts as there."""

import json
import os

import pytest
from nbformat.v4 import new_code_cell

from made.notebooks import parameters_cell, write
from perfstudies.errors import BadParameter
from perfstudies.notebooks import grid as module
from perfstudies.notebooks.grid import points, read_grid
from perfstudies.notebooks.kept import Kept
from perfstudies.notebooks.work import Outcome


@pytest.fixture
def notebook(tmp_path):
    return write(tmp_path / "notebooks" / "step" / "07-a.ipynb", parameters_cell(), new_code_cell("seed"))


@pytest.fixture
def kept(tmp_path):
    return Kept(tmp_path / "kept", tmp_path / "reports")


def test_a_grid_is_every_combination_of_each_notebook(notebook, tmp_path):
    other = write(tmp_path / "notebooks" / "aaa" / "01-b.ipynb", parameters_cell())
    found = points([notebook, other], {"profile": "full"}, {"seed": [1, 2], "source": ["reference", "live"]})
    assert [(one.study, *one.varied.values()) for one in found] == [
        (study, seed, source) for study in ("step", "aaa") for seed in (1, 2) for source in ("reference", "live")
    ]
    assert found[0].parameters == {"source": "reference", "profile": "full", "seed": 1}
    assert len({one.key for one in found}) == 8
    assert [one.measures for one in found[:4]] == [False, True, False, True]


def test_without_parameters_a_point_has_the_notebooks_name(notebook):
    (only,) = points([notebook], {}, {})
    assert only.key == "step/07-a" and not only.varied


@pytest.mark.parametrize(
    ("given", "grid", "problem"),
    [
        ({}, {"sead": [1]}, "Did you mean 'seed'"),
        ({"profil": "full"}, {}, "Did you mean 'profile'"),
        ({"source": "referense"}, {}, "Did you mean 'reference'"),
        ({}, {"profile": ["quick", "standart"]}, "Did you mean 'standard'"),
        ({"seed": 1}, {"seed": [2]}, "both fixed and varied"),
        ({}, {"seed": []}, "no value for 'seed'"),
        ({}, {"seed": [1, 1]}, "comes twice"),
        ({}, {"name": ["a"]}, "'name' cannot be varied"),
    ],
)
def test_what_a_notebook_does_not_know_is_refused(notebook, given, grid, problem):
    with pytest.raises(BadParameter, match=problem):
        points([notebook], given, grid)


def test_an_unknown_notebook_is_refused_with_the_nearest(repository):
    with pytest.raises(BadParameter, match="Did you mean 'notebooks/step/02-monitors.ipynb'"):
        points([repository / "notebooks/step/02-monitor.ipynb"], {}, {})
    with pytest.raises(BadParameter, match="at least one notebook"):
        points([], {}, {})


@pytest.mark.parametrize(("name", "text"), [("g.json", '{"seed": [1, 2]}'), ("g.toml", "seed = [1, 2]")])
def test_a_grid_comes_from_a_file_too(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    assert read_grid(tmp_path / name) == {"seed": [1, 2]}


@pytest.mark.parametrize("text", ["{", "[1]", '{"seed": 1}'])
def test_a_file_that_is_no_grid_is_named(tmp_path, text):
    (tmp_path / "g.json").write_text(text)
    with pytest.raises(BadParameter, match="g.json is no grid"):
        read_grid(tmp_path / "g.json")


def test_a_point_is_there_until_what_decides_it_has_changed(notebook, kept, monkeypatch):
    def there():
        return kept.finished(points([notebook], {"seed": 2}, {})[0])

    assert not there()
    kept.keep(points([notebook], {"seed": 2}, {})[0], Outcome("{}", "page", "", 1.0, "here"))
    assert there()
    assert not kept.finished(points([notebook], {"seed": 3}, {})[0])
    for change in ("library_checksum", "data_checksum"):
        with monkeypatch.context() as changed:
            changed.setattr(module, change, lambda: "another")
            assert not there()
    write(notebook, parameters_cell(), new_code_cell("seed + 1"))
    assert not there()


def test_a_point_changes_with_the_logs_that_it_reads(tmp_path):
    notebook = write(tmp_path / "own-logs.ipynb", parameters_cell("logs = {}"), new_code_cell("logs"))
    logs = tmp_path / "logs" / "old.jtl"
    logs.parent.mkdir()
    found = []
    for text in ("", "a", "ab"):
        logs.write_text(text)
        given = ({"old": f"{logs.parent}/*.jtl"}, {"old": [str(logs.parent)]}, {"old": "nowhere/*.jtl"})
        found.append([points([notebook], {"logs": one}, {})[0].identity() for one in given])
    patterns, folders, nowhere = (set(one) for one in zip(*found, strict=True))
    assert len(patterns) == len(folders) == 3 and len(nowhere) == 1


def test_a_live_point_does_not_depend_on_the_recorded_data(notebook, monkeypatch):
    before = points([notebook], {"source": "live"}, {})[0].identity()
    monkeypatch.setattr(module, "data_checksum", lambda: "another")
    assert points([notebook], {"source": "live"}, {})[0].identity() == before


def test_a_failed_point_leaves_its_cells_and_no_report(notebook, kept):
    (point,) = points([notebook], {"seed": 2}, {})
    kept.keep(point, Outcome("{}", "page", "", 1.0, "here"))
    kept.keep(point, Outcome("cells", "", "cell [2] raised ZeroDivisionError", 1.0, "here"))
    assert not kept.finished(point)
    assert kept.record(point)["error"] == "cell [2] raised ZeroDivisionError"
    assert not kept.report(point).exists() and not kept.executed(point).exists()
    assert kept.executed(point).with_name(f"{point.name}.failed.ipynb").read_text() == "cells"
    kept.keep(point, Outcome("{}", "page", "", 1.0, "here"))
    assert kept.finished(point)
    assert not list(kept.folder.rglob("*.failed.ipynb"))


def test_a_point_without_its_files_is_not_there(notebook, kept):
    (point,) = points([notebook], {}, {})
    kept.keep(point, Outcome("{}", "page", "", 1.0, "here"))
    os.remove(kept.report(point))
    assert not kept.finished(point)


def test_the_contents_list_points_in_their_order_ended_or_not(notebook, kept):
    found = points([notebook], {}, {"seed": [3, 1, 2]})
    kept.keep(found[1], Outcome("{}", "page", "", 1.0, "here"))
    kept.write_contents(found)
    listed = json.loads((kept.folder / "batch.json").read_text())["points"]
    assert [one["point"] for one in listed] == [one.key for one in found]
    assert [one.get("status") for one in listed] == [None, "finished", None]


@pytest.mark.parametrize("name", ["", "..", "a/b", ".hidden", "a b"])
def test_a_name_that_would_leave_the_folder_is_refused(name):
    with pytest.raises(BadParameter, match="batch name"):
        Kept.of(name)
