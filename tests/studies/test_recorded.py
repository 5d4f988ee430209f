"""The recorded runs of all studies: complete, unchanged, small, and in a random order within blocks."""

from collections import Counter

import pytest

from perfstudies.paths import RAW
from perfstudies.runs import store
from perfstudies.studies import EXPERIMENTS

REFERENCE = RAW / "reference"
MAX_BYTES = 165 * 10**6


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


def test_every_file_matches_its_checksum(runs):
    for run in runs:
        for name in run.manifest["files"]:
            assert run.file(name).stat().st_size == run.manifest["files"][name]["bytes"]


def test_the_settings_of_a_block_replayed_the_same_requests_in_a_random_order(runs):
    blocks = {}
    for run in runs:
        blocks.setdefault(run.manifest["block"], []).append(run.manifest)
    for manifests in blocks.values():
        by_load = {}
        for manifest in manifests:
            by_load.setdefault(manifest["workload"]["load"], []).append(manifest["workload"].get("seeds", []))
        # A user's requests are the same however many others work beside it.
        for seeds in by_load.values():
            assert all(one == max(seeds, key=len)[: len(one)] for one in seeds)
        assert sorted(manifest["position"] for manifest in manifests) == list(range(len(manifests)))
    firsts = [tuple(m["setting"].values()) for manifests in blocks.values() for m in manifests if m["position"] == 0]
    alike = len(blocks) == 1 or all(len(manifests) == 1 for manifests in blocks.values())
    assert len(set(firsts)) > 1 or alike


def test_all_recorded_runs_together_stay_small():
    assert sum(path.stat().st_size for path in REFERENCE.rglob("*") if path.is_file()) < MAX_BYTES
