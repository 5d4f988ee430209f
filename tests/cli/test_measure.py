"""The command that measures, up to where a server would be needed."""

from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from made.command import perfstudies
from made.runs import make, record
from perfstudies.cli import measure
from perfstudies.cli.app import INTERRUPTED
from perfstudies.errors import MissingTool
from perfstudies.experiment import Experiment
from perfstudies.notebooks import blocks, cluster
from perfstudies.runs import host, store
from perfstudies.runs.plan import Plan
from perfstudies.servers import java
from perfstudies.studies import EXPERIMENTS


@pytest.fixture
def built(monkeypatch):
    """Stand in for the built system where only the command's own checks are looked at."""
    bench = SimpleNamespace(bench=nullcontext, build=lambda: "build", read=None)
    monkeypatch.setattr(Experiment, "module", lambda self, name: bench)


def test_a_wrong_profile_is_refused_before_anything_is_measured(built, capsys):
    assert perfstudies("measure", "--profile", "quik") == 2
    assert (
        "profile = 'quik' is not known; use one of: smoke, quick, standard, full. Did you mean 'quick'?"
        in capsys.readouterr().err
    )


def test_a_wrong_experiment_is_refused_with_the_nearest(capsys):
    assert perfstudies("measure", "step/login-cost") == 2
    assert "Did you mean 'step/logging-cost'" in capsys.readouterr().err


def test_without_a_jdk_nothing_starts_and_the_message_says_what_to_install(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    assert perfstudies("measure", "--profile", "smoke") == 1
    error = capsys.readouterr().err
    assert "there is no java on the PATH" in error
    assert "environment.yml" in error and 'source = "reference"' in error


@pytest.mark.parametrize(
    ("does", "said"),
    [
        ("echo 'openjdk version \"11.0.2\" 2019-01-15' >&2", "is version 11.0.2"),
        ("echo 'Unable to locate a Java Runtime.' >&2; exit 1", "is no Java: Unable to locate"),
    ],
)
def test_a_jvm_that_is_too_old_or_none_is_named(monkeypatch, tmp_path, does, said):
    stand_in = tmp_path / "java"
    stand_in.write_text(f"#!/bin/sh\n{does}\n")
    stand_in.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(MissingTool, match=said):
        java.java()


def test_a_block_that_a_cluster_lost_costs_its_experiment_alone(built, monkeypatch, capsys):
    def lost(client, plan, quiet):
        raise blocks.LostBlocks(f"{plan.runs[0].experiment.key}, block 1: the worker was lost")

    monkeypatch.setattr(cluster, "connected", nullcontext)
    monkeypatch.setattr(blocks, "measure", lost)
    keys = ("step/users", "corba/rates")
    assert measure.measure([EXPERIMENTS[key] for key in keys], "smoke", scheduler="tcp://nowhere:1") == [*keys]
    said = capsys.readouterr().err
    assert all(f"{key}, block 1: the worker was lost" in said for key in keys)


def test_a_system_that_was_not_built_is_named():
    with pytest.raises(MissingTool, match="make systems"):
        java.jar("none-of-ours")


def test_ctrl_c_says_that_the_same_command_goes_on(built, monkeypatch, capsys):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(measure.lab, "measure", interrupted)
    assert perfstudies("measure", "--profile", "smoke") == INTERRUPTED
    assert "the same command goes on" in capsys.readouterr().err


def test_runs_of_another_make_of_machine_are_told_of_before_more_are_added(built, monkeypatch, tmp_path, capsys):
    plan = Plan.of(EXPERIMENTS["step/users"], "smoke", 1, "build", tmp_path)
    monkeypatch.setattr(Plan, "of", lambda *_: plan)
    monkeypatch.setattr(measure.lab, "measure", lambda *_, **__: [])
    here = host.describe()["cpu"]
    for cpu, told in (("Z80", True), (here, False)):
        (tmp_path / plan.runs[0].name).mkdir(exist_ok=True)
        store.write_manifest(tmp_path / plan.runs[0].name, {"status": store.FAILED, "host": {"cpu": cpu}}, ())
        measure.measure([EXPERIMENTS["step/users"]], "smoke")
        said = capsys.readouterr().err
        assert (f"runs are of Z80, and what is missing will be of {here}" in said) == ("runs are of" in said) == told


def test_what_is_recorded_is_an_archive_of_the_finished_runs_in_place_of_what_was_there(tmp_path, monkeypatch):
    monkeypatch.setattr(measure, "RAW", tmp_path)
    one = EXPERIMENTS["step/users"]
    runs = [make(tmp_path / "live", name, 0, {}, [record(1, {"filter": 1, "soap": 1, "si": 1})]) for name in "ab"]
    failed = store.Run(tmp_path / "live" / "c", {"status": store.FAILED})
    folder = tmp_path / "reference" / "step" / "users"
    (folder / "old").mkdir(parents=True)
    measure.record(one, None)
    assert [path.name for path in folder.parent.iterdir()] == ["users"]
    measure.record(one, [*runs, failed])
    assert [path.name for path in folder.parent.iterdir()] == ["users.tar.xz"]
    assert [run.name for run in store.runs(folder)] == ["a", "b"]
    assert (tmp_path / "live" / "a" / "client.csv.gz").exists()
