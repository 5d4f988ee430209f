"""Batches of small notebooks: each is executed by a real kernel, so few tests run one."""

import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import nbformat
import pandas as pd
import psutil
import pytest

from made.batches import MAIN, PROBE, RESULTS, STOPS, lines, notebook
from made.command import perfstudies
from perfstudies import paths
from perfstudies.cli.app import INTERRUPTED
from perfstudies.errors import BadRecording
from perfstudies.notebooks import combined, pool
from perfstudies.notebooks.execute import execute
from perfstudies.runs import lock


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Keep results in a folder of the test's own."""
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    monkeypatch.setattr(paths, "PROCESSED", tmp_path / "processed")
    return tmp_path


def test_a_grid_runs_failures_are_named_others_go_on_and_a_rerun_does_what_is_missing(here, capsys):
    log = here / "log"
    path = notebook(here, "open(log, 'a').write(f'{seed}\\n')", "assert seed != 2", RESULTS)
    arguments = [str(path), "-p", "log", str(log), "--grid", "seed", "1", "2", "3", "--name", "three"]
    assert perfstudies("batch", *arguments) == 1
    error = capsys.readouterr().err
    assert "01-small.ipynb with seed = 2" in error and "AssertionError" in error and "assert seed != 2" in error
    assert sorted(lines(log)) == ["1", "2", "3"]

    folder = here / "processed" / "batches" / "three"
    table = pd.read_parquet(folder / combined.PARQUET)
    assert list(table.columns) == ["seed", *combined.RESULT]
    assert table["seed"].tolist() == ["1", "1", "3", "3"] and set(table["notebook"]) == {"step/01-small"}
    assert table["name"].tolist() == ["twice", "S-1"] * 2
    assert table["value"].tolist() == [2.0, 0.333333, 6.0, 1.0]
    assert table["outcome"].tolist() == ["", "inconclusive"] * 2
    from_csv, points = combined.read(folder)
    pd.testing.assert_frame_equal(table, from_csv)
    assert [point.get("status") for point in points] == ["finished", "failed", "finished"]

    reports = sorted(one.name for one in (here / "reports" / "batches" / "three" / "step").iterdir())
    assert len(reports) == 2
    listed = (here / "reports" / "batches" / "three" / "index.html").read_text()
    assert all(f'href="step/{name}"' in listed for name in reports)
    assert "step/01-small: seed = 2" in listed and "Failed: " in listed and "4 results of 2 finished points" in listed

    assert perfstudies("batch", *arguments) == 1
    assert Counter(lines(log)) == {"1": 1, "2": 2, "3": 1}
    (failed,) = (folder / "step").glob("*.failed.ipynb")
    assert "AssertionError" in failed.read_text()


def test_a_forked_kernel_gives_what_a_started_one_gives(here):
    environment = "import os, sys\n[hash('x'), os.environ['TZ'], os.getcwd(), sys.executable, __name__, source]"
    path = notebook(here, environment, "import warnings\nwarnings.warn('careful')\nprint(input.__name__)", RESULTS)
    assert perfstudies("batch", str(path), "-p", "seed", "3") == 0
    (forked,) = (here / "processed" / "batches" / "step-01-small" / "step").glob("*.ipynb")
    assert nbformat.read(forked, as_version=4) == execute(path, {"seed": 3})


def test_nothing_runs_beside_a_point_that_measures(here):
    path = notebook(here, PROBE)
    log = here / "log"
    lock.place().touch()
    grid = ["--grid", "seed", "1", "2", "--grid", "source", "live", "reference"]
    assert perfstudies("batch", str(path), "-p", "log", str(log), *grid, "--workers", "2") == 0
    found = [line.split() for line in lines(log)]
    assert sorted(map(tuple, found)) == [
        ("1", "live", "taken", "taken"), ("1", "reference", "taken", "free"),
        ("2", "live", "taken", "taken"), ("2", "reference", "taken", "free"),
    ]  # fmt: skip
    assert [source for _, source, *_ in found] == ["reference"] * 2 + ["live"] * 2


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--grid", "sead", "1"], "Did you mean 'seed'"),
        (["--grid", "source", "live", "referense"], "Did you mean 'reference'"),
        (["--grid", "seed", "1", "-p", "seed", "2"], "both fixed and varied"),
        (["--name", "../x"], "batch name"),
        (["--name", "x" * 300], "at most 80"),
        (["--workers", "0"], "workers = 0 is not allowed"),
    ],
)
def test_wrong_parameters_are_refused_before_anything_runs(here, capsys, monkeypatch, arguments, problem):
    monkeypatch.setattr(pool, "_side_by_side", lambda *_: pytest.fail("a point ran"))
    assert perfstudies("batch", str(notebook(here)), *arguments) == 2
    assert problem in capsys.readouterr().err


def test_several_notebooks_need_a_name(here, capsys):
    assert perfstudies("batch", str(notebook(here)), str(notebook(here, name="02-other"))) == 2
    assert "--name" in capsys.readouterr().err


@pytest.fixture
def stopped(tmp_path):
    """A batch of three points in a process of its own, of which the second has begun and does not end."""
    path, log = notebook(tmp_path, STOPS), tmp_path / "log"
    os.mkfifo(f"{log}.pipe")
    command = [sys.executable, "-c", MAIN, str(tmp_path), str(path), "--name", "stopped", "--workers", "1"]
    command += ["-p", "log", str(log), "--grid", "seed", "1", "2", "3"]
    with open(tmp_path / "said", "w") as said:
        process = subprocess.Popen(command, stderr=said, start_new_session=True)
    try:
        kernel = psutil.Process(int(Path(f"{log}.pipe").read_text()))
        yield process, command, [kernel, *psutil.Process(process.pid).children(recursive=True)], tmp_path
    finally:
        process.kill()
        process.wait()


def finished(folder):
    found = (folder / "processed" / "batches" / "stopped" / "step").glob("*.ipynb")
    return [path for path in found if not path.name.endswith(".failed.ipynb")]


def test_ctrl_c_ends_all_children_keeps_finished_points_and_the_same_command_goes_on(stopped):
    process, command, children, folder = stopped
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(60) == INTERRUPTED
    assert "the same command goes on" in (folder / "said").read_text()
    assert psutil.wait_procs(children, timeout=30)[1] == []
    (first,) = finished(folder)
    before = first.stat().st_mtime_ns
    (folder / "log.go").touch()
    again = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert again.returncode == 0 and "leaked" not in again.stderr
    assert len(finished(folder)) == 3 and first.stat().st_mtime_ns == before


def test_children_do_not_outlive_a_batch_that_is_killed(stopped):
    process, _, children, _ = stopped
    process.kill()
    assert psutil.wait_procs(children, timeout=30)[1] == []


def test_a_batch_is_found_by_its_name_here_or_in_the_repository(here, monkeypatch):
    monkeypatch.setattr(paths, "RAW", here / "raw")
    for folder in (here / "raw" / "reference" / "batches" / "both", here / "processed" / "batches" / "both"):
        folder.mkdir(parents=True)
        (folder / combined.CSV).touch()
    assert combined.place("both", "live").parts[-3:] == ("processed", "batches", "both")
    assert combined.place("both", "reference").parts[-3:] == ("reference", "batches", "both")
    with pytest.raises(BadRecording, match="no batch 'none'"):
        combined.place("none", "live")
