"""Reports as soon as they are ready: what is rendered after which experiment, and never beside one."""

from dataclasses import replace
from pathlib import Path

import pytest
from made_notebooks import parameters_cell, write
from nbformat.v4 import new_code_cell, new_markdown_cell

from perfstudies import measure, paths, reports, store
from perfstudies.batches.work import Outcome
from perfstudies.studies import EXPERIMENTS

ASKS = "from perfstudies import lab\nfrom perfstudies.studies import step, aaa\n"


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Keep reports in a folder of the test's own."""
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    monkeypatch.setattr(paths, "PROCESSED", tmp_path / "processed")
    return tmp_path


def notebook(folder, name, *experiments, study="step"):
    asks = "\n".join(f"lab.recorded({one}, source, profile, seed)" for one in experiments)
    cells = (new_markdown_cell("# Is it?\n\nOr not?"), parameters_cell(), new_code_cell(ASKS + asks))
    return write(folder / "notebooks" / study / f"{name}.ipynb", *cells)


@pytest.fixture
def happened(here, monkeypatch):
    """What happens, in its order, with neither systems nor kernels; an experiment in `unwell` has a failed run."""
    events, unwell, hopeless = [], set(), set()

    def fake_measure(chosen, profile, ended, wait):
        assert wait
        for one in chosen:
            events.append(f"measured {one.key}")
            state = store.FAILED if one.key in unwell else store.FINISHED
            ended(one, None if one.key in hopeless else [store.Run(Path(), {"status": state})])
        return list(hopeless)

    def fake_run(jobs, workers):
        for job in jobs:
            events.append(f"rendered {job.name}{' alone' if job.measures else ''}")
            yield job, Outcome("{}", "page", "", 1.0, "here")

    monkeypatch.setattr(measure, "measure", fake_measure)
    monkeypatch.setattr(reports.local, "run", fake_run)
    monkeypatch.setattr(reports.index, "main", lambda arguments: events.append("listed"))
    return events, unwell, hopeless


def live(*notebooks):
    return reports.main([*map(str, notebooks), "--source", "live"])


def test_each_report_follows_the_last_of_its_experiments_and_is_listed_at_once(here, happened):
    events, *_ = happened
    late = notebook(here, "01-late", "step.TIME_BREAKDOWN", "aaa.POOLS")
    early = notebook(here, "02-early", "step.TIME_BREAKDOWN")
    nothing = notebook(here, "03-nothing")
    across = write(here / "notebooks" / "across.ipynb", parameters_cell())
    assert live(across, late, nothing, early) == 0
    assert events == [
        "listed",
        "measured step/time-breakdown", "rendered 02-early", "listed",
        "measured aaa/pools", "rendered 01-late", "listed",
        "rendered 03-nothing", "listed", "rendered across alone", "listed",
        "listed",
    ]  # fmt: skip
    assert (here / "reports" / "step" / "02-early.html").read_text() == "page"
    assert (here / "processed" / "notebooks" / "step" / "02-early.ipynb").exists()


def test_experiments_come_once_in_the_order_that_shares_benches(here, happened):
    events, *_ = happened
    assert live(
        notebook(here, "01", "aaa.POOLS", "step.MONITOR_COMPARISON", "aaa.TIMERS"),
        notebook(here, "02", "step.TIME_BREAKDOWN", "aaa.POOLS"),
    ) == 0  # fmt: skip
    measured = [one.removeprefix("measured ") for one in events if one.startswith("measured")]
    assert measured == [key for key in EXPERIMENTS if key in measured] and len(measured) == 4


def test_a_notebook_that_would_try_failed_runs_again_is_rendered_alone(here, happened):
    events, unwell, _ = happened
    unwell.add("step/time-breakdown")
    assert live(notebook(here, "01", "step.TIME_BREAKDOWN"), notebook(here, "02", "aaa.POOLS")) == 0
    assert [one for one in events if "rendered" in one] == ["rendered 01 alone", "rendered 02"]


def test_what_could_not_be_measured_is_named_and_others_are_rendered(here, happened, capsys):
    events, _, hopeless = happened
    hopeless.add("step/time-breakdown")
    assert live(notebook(here, "01", "step.TIME_BREAKDOWN", "aaa.POOLS"), notebook(here, "02", "aaa.POOLS")) == 1
    assert [one for one in events if "rendered" in one] == ["rendered 02"]
    assert "01.ipynb: no finished run of some setting in step/time-breakdown" in capsys.readouterr().err


def test_recorded_runs_are_rendered_by_kernels_and_a_failure_leaves_no_report(here, capsys):
    good = write(here / "notebooks" / "step" / "01-good.ipynb", new_markdown_cell("# T"), parameters_cell())
    bad = write(here / "notebooks" / "step" / "02-bad.ipynb", parameters_cell(), new_code_cell("1 / 0"))
    (here / "reports" / "step").mkdir(parents=True)
    (here / "reports" / "step" / "02-bad.html").write_text("from before")
    assert reports.main([str(good), str(bad), "--source", "reference"]) == 1
    assert "02-bad.ipynb: cell [3]" in capsys.readouterr().err
    assert [one.name for one in (here / "reports" / "step").iterdir()] == ["01-good.html"]
    assert "01-good.html" in (here / "reports" / "index.html").read_text()
    assert (here / "processed" / "notebooks" / "step" / "02-bad.failed.ipynb").exists()


def test_a_notebook_without_a_profile_shows_what_is_recorded(here, happened):
    events, *_ = happened
    own = write(here / "notebooks" / "own.ipynb", parameters_cell('source = "reference"\nwsdl = ""'))
    assert live(own) == 0
    assert [one for one in events if "rendered" in one] == ["rendered own"]


@pytest.mark.parametrize(
    ("arguments", "problem"), [(["--source", "life"], "Did you mean 'live'"), (["--profile", "quik"], "'quick'")]
)
def test_a_wrong_source_or_profile_is_refused(here, capsys, arguments, problem):
    assert reports.main([str(notebook(here, "01")), *arguments]) == 2
    assert problem in capsys.readouterr().err


def test_ctrl_c_says_how_to_go_on(here, monkeypatch, capsys):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(reports.local, "run", interrupted)
    assert reports.main([str(notebook(here, "01"))]) == measure.INTERRUPTED
    assert "the same command goes on" in capsys.readouterr().err


def test_measuring_several_experiments_tells_of_each_while_its_bench_is_open(monkeypatch, tmp_path):
    events = []

    class Bench:
        def __enter__(self):
            events.append("opened")

        def __exit__(self, *_):
            events.append("closed")

    chosen = [EXPERIMENTS["step/time-breakdown"], EXPERIMENTS["step/monitors"]]
    monkeypatch.setattr(measure, "procedure_of", lambda one: (Bench, "build"))
    monkeypatch.setattr(measure, "RAW", tmp_path)

    def fake(plan, folder, procedure, wait):
        missing = {"status": store.SKIPPED, "error": "no tool", "setting": None}
        return [store.Run(folder / run.name, missing | {"setting": run.setting}) for run in plan]

    monkeypatch.setattr(measure.lab, "measure", fake)
    hopeless = measure.measure(chosen, "smoke", ended=lambda one, runs: events.append((one.key, runs)))
    assert hopeless == ["step/time-breakdown", "step/monitors"]
    assert events == ["opened", ("step/time-breakdown", None), ("step/monitors", None), "closed"]
    with pytest.raises(measure.PerfstudiesError):
        measure.measure([replace(chosen[0], sizes={})], "smoke")
