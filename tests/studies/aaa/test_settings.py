import dataclasses
from itertools import pairwise

import pytest

from perfstudies.experiment import Experiment
from perfstudies.runs.plan import Plan
from perfstudies.studies.aaa import declared as aaa
from perfstudies.studies.aaa.server.containers import SETTINGS
from perfstudies.studies.aaa.settings import RunSettings


def _first(experiment: Experiment, profile: str = "standard", **setting: str) -> RunSettings:
    for planned in Plan.of(experiment, profile, 1).runs:
        if setting.items() <= planned.setting.items():
            return RunSettings.of(planned)
    raise AssertionError(setting)


@pytest.mark.parametrize("experiment", aaa.EXPERIMENTS, ids=lambda one: one.name)
@pytest.mark.parametrize("profile", ["smoke", "quick", "standard", "full"])
def test_every_property_that_an_experiment_sets_is_read_by_somebody(experiment, profile):
    for planned in Plan.of(experiment, profile, 1).runs if profile in experiment.sizes else ():
        means = RunSettings.of(planned)
        assert set(means.server) <= set(SETTINGS)
        assert means.requests > 0 or means.rates_per_s


def test_all_times_of_the_study_are_divided_by_the_scale_and_nothing_else():
    own, scaled = (_first(aaa.TIMERS, profile, container="openejb", timer="10") for profile in ("full", "standard"))
    scale = aaa.TIMERS.size("standard").time_scale
    assert scale > 1
    assert own.gap_ms == 2000 == scaled.gap_ms * scale
    assert own.ttl_ms == scaled.ttl_ms * scale
    assert own.unit_ms == float(own.server["timer.unit_ms"]) == scaled.unit_ms * scale
    assert scaled.server["ejb.access_timeout_ms"] == str(int(30000 / scale))
    assert (own.timer, own.requests, own.server["ejb.max"]) == (scaled.timer, scaled.requests, "32") == (10, 1000, "32")


def test_a_long_time_is_written_without_an_exponent():
    assert _first(aaa.TWO_BEANS, "full", pool="openejb-2-patient").server["ejb.access_timeout_ms"] == "2000000"


def test_each_run_draws_time_units_of_its_own_and_a_rerun_the_same():
    def seeds(seed):
        runs = [RunSettings.of(planned).server for planned in Plan.of(aaa.UNIT_LENGTHS, "standard", seed).runs]
        return [run["timer.seed"] for run in runs if run["timer.random"] == "true"], runs

    (first, runs), (other, _) = seeds(1), seeds(2)
    assert len({*first, *other}) == len(first) + len(other) == 2 * aaa.UNIT_LENGTHS.size("standard").blocks
    # Seeds that are near each other would make the runs' first draws the same.
    assert min(abs(int(one) - int(next_to)) for one, next_to in pairwise(first)) > 2**32
    assert seeds(1)[0] == first
    assert all("timer.seed" not in run for run in runs if run["timer.random"] == "false")


def test_a_figure_of_fewer_requests_stays_the_smaller_one():
    assert _first(aaa.OWN_GAP, figure="7").requests == 2000
    assert _first(aaa.OWN_GAP, figure="17").requests == 1000
    assert _first(aaa.OWN_GAP, "smoke", figure="17").requests == aaa.OWN_GAP.size("smoke").requests


def test_shares_of_other_requests_are_read_by_type():
    assert _first(aaa.MIXES, mix="both-20").mix == {"invalid": 0.2, "Conditions1000": 0.2}
    assert _first(aaa.MIXES, mix="valid").mix == {}


def test_a_property_that_nobody_reads_is_a_mistake_of_the_declaration():
    wrong = dataclasses.replace(aaa.POOLS, fixed=aaa.POOLS.fixed | {"ejb.maximum": "3"})
    with pytest.raises(ValueError, match=r"aaa/pools sets what nobody reads: ejb\.maximum"):
        _first(wrong)
