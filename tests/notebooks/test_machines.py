"""Machines are told apart by what matters of them, and notebooks rest on those of the experiments they ask for."""

import pytest

from made.gathered import executed, record
from made.runs import make
from made.runs import record as measured_request
from perfstudies.notebooks import machines
from perfstudies.runs import store
from perfstudies.site import measured

TIMES = {"filter": 10, "soap": 9, "si": 7, "hibernate": 4, "hibernate.load": 1, "hibernate.write": 1}


@pytest.fixture
def raw(tmp_path, monkeypatch):
    """Write finished runs of STEP's experiments, each on a machine."""
    monkeypatch.setattr(measured, "RAW", tmp_path)

    def write(experiment, number, cpu="A", system="Linux 6.1-x", gib=23.54):
        host = {"cpu": cpu, "cores": 2, "memory_bytes": int(gib * 2**30), "system": system}
        folder = tmp_path / "live" / "step" / experiment
        run = make(folder, f"r{number}", number, {"monitor.collections": "false"}, [measured_request(1, TIMES)])
        told = {"host": host, "experiment": experiment, "profile": "quick", "started": "2026-01-02T00:00:00+00:00"}
        store.write_manifest(run.folder, run.manifest | told)

    return write


def _asking(name, *experiments):
    one = executed("step", name, record("S1"))
    one.content.metadata["perfstudies"] = {"requires": list(experiments)}
    return one


def test_a_kernel_s_build_and_a_little_memory_make_no_other_machine(raw):
    raw("users", 1)
    raw("users", 2, system="Linux 6.1-y", gib=23.6)
    raw("caches", 3, cpu="B")
    found = machines.runs("live", "quick")
    assert sorted(found["machine"].unique()) == ["2 cores of A, 24 GiB, Linux 6.1", "2 cores of B, 24 GiB, Linux 6.1"]
    assert found.groupby("experiment")["machine"].nunique().to_dict() == {"step/caches": 1, "step/users": 1}


def test_a_notebook_rests_on_the_machines_of_all_experiments_that_it_asks_for(raw):
    raw("users", 1)
    raw("caches", 2, cpu="B")
    asking = [
        _asking("a", "step/users"),
        _asking("b", "step/users", "step/caches"),
        _asking("c"),
        _asking("d", "step/x"),
    ]
    found = machines.of_notebooks(asking, machines.runs("live", "quick")).set_index("notebook")
    assert found["machines"].to_dict() == {"a": 1, "b": 2}
    assert found["machine"].to_dict() == {"a": "2 cores of A, 24 GiB, Linux 6.1", "b": machines.SEVERAL}


def test_nothing_measured_is_an_empty_table(raw):
    found = machines.runs("live", "quick")
    assert found.empty and machines.of_notebooks([_asking("a", "step/users")], found).empty
