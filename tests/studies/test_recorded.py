"""The recorded runs of all studies: complete, unchanged, small, and in a random order within blocks."""

from collections import Counter
from pathlib import Path

import pytest

from made.noisy import NOISY, noisy
from perfstudies.paths import RAW
from perfstudies.runs import store
from perfstudies.runs.plan import PlannedRun
from perfstudies.studies import EXPERIMENTS
from perfstudies.studies.aaa import facts, loads
from perfstudies.studies.aaa.settings import RunSettings as AaaSettings
from perfstudies.studies.esb.settings import RunSettings as EsbSettings

REFERENCE = RAW / "reference"
MAX_BYTES = 169 * 10**6
PLANNED = [key for key, one in EXPERIMENTS.items() if one.study in ("aaa", "esb")]
SEEDED = [key for key in EXPERIMENTS if key not in PLANNED]


@pytest.fixture(scope="module", params=EXPERIMENTS)
def key(request):
    return request.param


@pytest.fixture(scope="module")
def runs(key):
    """An experiment's runs, for all tests of it: looking for them takes seconds."""
    return list(store.runs(REFERENCE / key))


def test_every_setting_has_the_runs_of_the_profile_standard(key, runs):
    counts = Counter(tuple(run.manifest["setting"].items()) for run in runs)
    settings = [tuple(setting.items()) for setting in EXPERIMENTS[key].settings()]
    assert set(counts) == set(settings)
    blocks = {tuple(one.items()): EXPERIMENTS[key].size("standard").blocks_of(one) for one in map(dict, settings)}
    assert all(count >= blocks[setting] for setting, count in counts.items())
    assert {run.manifest["status"] for run in runs} == {store.FINISHED}


def test_those_that_something_disturbed_are_known_and_few(key, runs):
    # That no verdict rests on them is a test of the notebooks.
    assert sum(map(noisy, runs)) == NOISY.get(key, 0)


def test_every_file_matches_its_checksum(runs):
    for run in runs:
        for name in run.manifest["files"]:
            assert run.file(name).stat().st_size == run.manifest["files"][name]["bytes"]


def _of_aaa(planned, told):
    """What the study's runs are to send; of rising rates as many as were offered."""
    settings = AaaSettings.of(planned)
    if planned.experiment.procedure == "sequences":  # one user, one after the other
        return facts.workload(planned, settings, settings.requests, told["phases"]) | {"clients": 1}
    phases = list(loads.phases(planned, settings, "", Path(), None))
    names = [phase["name"] for phase in told["phases"]]
    if planned.experiment.procedure == "rates":
        phases = phases[: len(names)]
    assert names == [phase.name for phase in phases]
    requests = sum(plan.requests for phase in phases for plan in phase.plans)
    return facts.workload(planned, settings, requests, told["phases"])


def _of_esb(planned, told):
    always = {"load": planned.experiment.load, "amount": planned.amount}
    requests = planned.experiment.size(planned.profile).requests
    if planned.experiment.procedure == "connections":
        return always | {"calls": requests, "threads": int(planned.properties["threads"])}
    if planned.experiment.procedure.startswith("reliable"):
        return always | {"messages": requests}
    settings = EsbSettings.of(planned)
    rate_per_s = settings.rate_per_s or settings.rate_share * told["capacity_per_s"]
    return always | {
        "connections": settings.connections,
        "messages_per_connection": settings.messages,
        "seconds": settings.seconds,
        "rate_per_s": pytest.approx(rate_per_s, abs=1e-3),
        "proxy": settings.proxy,
        "timeout_s": settings.timeout_s,
    }


@pytest.mark.parametrize("key", PLANNED, indirect=True)
def test_what_was_sent_is_what_is_planned(key, runs):
    experiment = EXPERIMENTS[key]
    for run in runs:
        names = ("profile", "seed", "block", "position", "setting")
        planned = PlannedRun(run.name, experiment, **{name: run.manifest[name] for name in names})
        told = run.manifest["workload"]
        expected = {"aaa": _of_aaa, "esb": _of_esb}[experiment.study](planned, told)
        assert {name: told[name] for name in expected} == expected, run.name
        assert run.manifest["properties"] == planned.properties, run.name


@pytest.mark.parametrize("key", SEEDED, indirect=True)
def test_the_settings_of_a_block_replayed_the_same_requests(key, runs):
    by_load = {}
    for run in runs:
        told = run.manifest["workload"]
        by_load.setdefault((run.manifest["block"], told["load"]), []).append(told["seeds"])
    # A user's requests are the same however many others work beside it.
    for seeds in by_load.values():
        assert all(one and one == max(seeds, key=len)[: len(one)] for one in seeds)


def test_the_settings_of_a_block_ran_in_a_random_order(runs):
    blocks = {}
    for run in runs:
        blocks.setdefault(run.manifest["block"], []).append(run.manifest)
    for manifests in blocks.values():
        positions = {}
        for one in manifests:
            positions.setdefault(one.get("declarations", {}).get("experiment"), []).append(one["position"])
        assert all(len(set(places)) == len(places) for places in positions.values())
        # Settings that joined a block later were planned anew: their places are not those that the others left free.
        assert len(positions) > 1 or sorted(*positions.values()) == list(range(len(manifests)))
    firsts = [tuple(m["setting"].values()) for manifests in blocks.values() for m in manifests if m["position"] == 0]
    alike = len(blocks) == 1 or all(len(manifests) == 1 for manifests in blocks.values())
    assert len(set(firsts)) > 1 or alike


def test_all_recorded_runs_together_stay_small():
    assert sum(path.stat().st_size for path in REFERENCE.rglob("*") if path.is_file()) < MAX_BYTES
