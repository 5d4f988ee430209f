"""Reports as soon as they are ready: what is rendered after which experiment, and never beside one."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell

from made.command import perfstudies
from made.notebooks import parameters_cell, write
from perfstudies import paths
from perfstudies.cli import measure, reports
from perfstudies.cli.app import INTERRUPTED
from perfstudies.errors import PerfstudiesError, SystemFailed
from perfstudies.experiment import Experiment
from perfstudies.notebooks.work import Outcome
from perfstudies.runs import store
from perfstudies.studies import EXPERIMENTS


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Keep reports in a folder of the test's own."""
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    monkeypatch.setattr(paths, "PROCESSED", tmp_path / "processed")
    return tmp_path


def notebook(folder, name, *experiments, study="step"):
    cells = (new_markdown_cell("# Is it?\n\nOr not?"), parameters_cell())
    return write(folder / "notebooks" / study / f"{name}.ipynb", *cells, requires=list(experiments))


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
    monkeypatch.setattr(reports.pool, "run", fake_run)
    monkeypatch.setattr(reports.index, "write", lambda executed, out: events.append("listed"))
    return events, unwell, hopeless


def live(*notebooks):
    return perfstudies("reports", *map(str, notebooks), "--source", "live")


def test_reports_follow_when_their_study_is_measured_and_are_listed_at_once(here, happened):
    events, *_ = happened
    late = notebook(here, "01-late", "step/time-breakdown", "aaa/pools")
    early = notebook(here, "02-early", "step/time-breakdown")
    later = notebook(here, "03-later", "step/monitors")
    nothing = notebook(here, "04-nothing", study="corba")
    across = write(here / "notebooks" / "across.ipynb", parameters_cell())
    assert live(across, late, nothing, early, later) == 0
    assert events == [
        "listed",
        "measured step/time-breakdown", "measured step/monitors",
        "rendered 02-early", "listed", "rendered 03-later", "listed",
        "measured aaa/pools", "rendered 01-late", "listed",
        "rendered 04-nothing", "listed", "rendered across alone", "listed",
        "listed",
    ]  # fmt: skip
    assert (here / "reports" / "step" / "02-early.html").read_text() == "page"
    assert (here / "processed" / "notebooks" / "step" / "02-early.ipynb").exists()


def test_reports_of_a_study_are_rendered_in_one_call_those_that_need_no_runs_too(here, happened, monkeypatch):
    together, run = [], reports.pool.run

    def kept(jobs, workers):
        together.append([job.name for job in jobs])
        return run(jobs, workers)

    monkeypatch.setattr(reports.pool, "run", kept)
    notebooks = [notebook(here, "01-model"), notebook(here, "02", "step/users"), notebook(here, "03", "step/monitors")]
    assert live(*notebooks) == 0
    assert [names for names in together if names] == [["01-model", "02", "03"]]


def test_an_experiment_that_the_profile_leaves_out_is_not_waited_for(here, happened):
    events, *_ = happened
    assert "quick" not in EXPERIMENTS["step/slow-server"].sizes
    assert live(notebook(here, "01", "step/time-breakdown", "step/slow-server")) == 0
    assert [one for one in events if one != "listed"] == ["measured step/time-breakdown", "rendered 01"]


def test_experiments_come_once_in_the_order_that_shares_benches(here, happened):
    events, *_ = happened
    assert live(
        notebook(here, "01", "aaa/pools", "step/monitors", "aaa/timers"),
        notebook(here, "02", "step/time-breakdown", "aaa/pools"),
    ) == 0  # fmt: skip
    measured = [one.removeprefix("measured ") for one in events if one.startswith("measured")]
    assert measured == [key for key in EXPERIMENTS if key in measured] and len(measured) == 4


def test_a_notebook_that_would_try_failed_runs_again_is_rendered_alone(here, happened):
    events, unwell, _ = happened
    unwell.add("step/time-breakdown")
    assert live(notebook(here, "01", "step/time-breakdown"), notebook(here, "02", "aaa/pools")) == 0
    assert [one for one in events if "rendered" in one] == ["rendered 01 alone", "rendered 02"]


def test_what_could_not_be_measured_is_named_and_others_are_rendered(here, happened, capsys):
    events, _, hopeless = happened
    hopeless.add("step/time-breakdown")
    assert live(notebook(here, "01", "step/time-breakdown", "aaa/pools"), notebook(here, "02", "aaa/pools")) == 1
    assert [one for one in events if "rendered" in one] == ["rendered 02"]
    assert "01.ipynb: no finished run of some setting in step/time-breakdown" in capsys.readouterr().err


def test_when_nothing_more_can_be_measured_what_is_complete_is_rendered(here, happened, monkeypatch, capsys):
    events, *_ = happened
    measure_all = measure.measure

    def full(chosen, profile, ended, wait):
        measure_all(chosen[:1], profile, ended, wait)
        raise PerfstudiesError("the disk is full")

    monkeypatch.setattr(measure, "measure", full)
    notebooks = [notebook(here, "01", "step/time-breakdown"), notebook(here, "02", "aaa/pools"), notebook(here, "03")]
    assert live(*notebooks) == 1
    assert [one for one in events if "rendered" in one] == ["rendered 01", "rendered 03"]
    said = capsys.readouterr().err
    assert "the disk is full" in said and "02.ipynb: no finished run of some setting in aaa/pools" in said


@pytest.mark.parametrize("text", ["<<<<<<< not json", '{"cells": 3}', '{"cells": [], "metadata": {}, "nbformat": 4}'])
def test_a_file_that_is_no_notebook_costs_its_own_report_alone(here, happened, capsys, text):
    events, *_ = happened
    broken = here / "notebooks" / "step" / "01-broken.ipynb"
    good = notebook(here, "02-good")
    broken.write_text(text)
    assert live(broken, good) == 1
    assert [one for one in events if "rendered" in one] == ["rendered 02-good"] and events[-1] == "listed"
    assert "01-broken.ipynb: not a notebook" in capsys.readouterr().err


def test_recorded_runs_are_rendered_by_kernels_and_a_failure_leaves_no_report(here, capsys):
    good = write(here / "notebooks" / "step" / "01-good.ipynb", new_markdown_cell("# T"), parameters_cell())
    bad = write(here / "notebooks" / "step" / "02-bad.ipynb", parameters_cell(), new_code_cell("1 / 0"))
    (here / "reports" / "step").mkdir(parents=True)
    (here / "reports" / "step" / "02-bad.html").write_text("from before")
    assert perfstudies("reports", str(good), str(bad), "--source", "reference") == 1
    assert "02-bad.ipynb: cell [2]" in capsys.readouterr().err
    assert [one.name for one in (here / "reports" / "step").iterdir()] == ["01-good.html"]
    assert "01-good.html" in (here / "reports" / "index.html").read_text()
    assert (here / "processed" / "notebooks" / "step" / "02-bad.failed.ipynb").exists()


def test_stored_outputs_of_this_library_need_no_kernel_unless_asked_for(here, capsys):
    good = write(here / "notebooks" / "step" / "01-good.ipynb", new_markdown_cell("# T"), parameters_cell())
    assert perfstudies("render", "--store", str(good), "--executed", str(here / "executed.ipynb")) == 0
    pages = []
    for more, said in (((), "01-good.html of its stored outputs"), (("--execute",), "01-good.html in ")):
        assert perfstudies("reports", str(good), "--source", "reference", *more) == 0
        assert said in capsys.readouterr().err
        pages.append((here / "reports" / "step" / "01-good.html").read_bytes())
    assert pages[0] == pages[1]


def test_a_notebook_without_a_profile_shows_what_is_recorded(here, happened):
    events, *_ = happened
    own = write(here / "notebooks" / "own.ipynb", parameters_cell('source = "reference"\nwsdl = ""'))
    assert live(own) == 0
    assert [one for one in events if "rendered" in one] == ["rendered own"]


@pytest.mark.parametrize(
    ("arguments", "problem"), [(["--source", "life"], "Did you mean 'live'"), (["--profile", "quik"], "'quick'")]
)
def test_a_wrong_source_or_profile_is_refused(here, capsys, arguments, problem):
    assert perfstudies("reports", str(notebook(here, "01")), *arguments) == 2
    assert problem in capsys.readouterr().err


def test_ctrl_c_says_how_to_go_on(here, monkeypatch, capsys):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(reports.pool, "run", interrupted)
    assert perfstudies("reports", str(notebook(here, "01"))) == INTERRUPTED
    assert "the same command goes on" in capsys.readouterr().err


def test_measuring_several_experiments_tells_of_each_while_its_bench_is_open(monkeypatch, tmp_path):
    events = []

    class Bench:
        def __enter__(self):
            events.append("opened")

        def __exit__(self, *_):
            events.append("closed")

    chosen = [EXPERIMENTS["step/time-breakdown"], EXPERIMENTS["step/monitors"]]
    bench = SimpleNamespace(bench=Bench, build=lambda: "build", read=None)
    monkeypatch.setattr(Experiment, "module", lambda self, name: bench)
    monkeypatch.setattr("perfstudies.runs.plan.RAW", tmp_path)

    def fake(plan, procedure, wait, read, quiet):
        missing = {"status": store.SKIPPED, "error": "no tool", "setting": None, "took_s": 0.0}
        return [store.Run(plan.folder / run.name, missing | {"setting": run.setting}) for run in plan.runs]

    monkeypatch.setattr(measure.lab, "measure", fake)
    hopeless = measure.measure(chosen, "smoke", ended=lambda one, runs: events.append((one.key, runs)))
    assert hopeless == ["step/time-breakdown", "step/monitors"]
    assert events == ["opened", ("step/time-breakdown", None), ("step/monitors", None), "closed"]
    with pytest.raises(measure.PerfstudiesError):
        measure.measure([replace(chosen[0], sizes={})], "smoke")


@pytest.mark.parametrize("error", [SystemFailed("it hangs"), KeyError("a mistake of the lab")])
@pytest.mark.parametrize("fails", ["open", "measure", "close"])
def test_a_bench_that_fails_costs_one_experiment_at_most(monkeypatch, tmp_path, capsys, error, fails):
    chosen = [EXPERIMENTS[key] for key in ("step/time-breakdown", "step/monitors", "step/users")]
    left = {"open": 1, "measure": 1, "close": 1}

    def maybe(what):
        left[what] -= what == fails
        if left[what] == 0:
            left[what] = -1
            raise error

    class Bench:
        def __enter__(self):
            maybe("open")

        def __exit__(self, *_):
            maybe("close")

    def fake(plan, procedure, wait, read, quiet):
        if plan.runs[0].experiment is chosen[0]:
            maybe("measure")
        finished = {"status": store.FINISHED, "took_s": 1.0}
        return [store.Run(plan.folder / run.name, finished | {"setting": run.setting}) for run in plan.runs]

    bench = SimpleNamespace(bench=Bench, build=lambda: "build", read=None)
    monkeypatch.setattr(Experiment, "module", lambda self, name: bench)
    monkeypatch.setattr("perfstudies.runs.plan.RAW", tmp_path)
    monkeypatch.setattr(measure.lab, "measure", fake)
    ended = []
    hopeless = measure.measure(chosen, "smoke", ended=lambda one, runs: ended.append((one.key, runs is None)))
    lost = fails != "close"
    assert hopeless == ["step/time-breakdown"] * lost
    assert ended == [("step/time-breakdown", lost), ("step/monitors", False), ("step/users", False)]
    assert str(error) in capsys.readouterr().err
