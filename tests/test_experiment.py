from dataclasses import replace

import numpy as np
import pytest

from perfstudies.errors import BadParameter
from perfstudies.experiment import ARMS, Experiment, Factor, Size
from perfstudies.studies import EXPERIMENTS, experiment
from perfstudies.studies.aaa import declared as aaa
from perfstudies.studies.aaa import findings_limits, findings_patterns, findings_timers, starts
from perfstudies.studies.corba import declared as corba
from perfstudies.studies.esb import declared as esb
from perfstudies.studies.step import declared as step


def _experiment() -> Experiment:
    factors = (Factor("a", ("1", "2"), ("one", "two")), Factor("b", ("x", "y"), ("X", "Y")))
    return Experiment("study", "name", "?", "system", "load", factors, sizes={"quick": Size(3, 2)})


def test_settings_are_all_combinations_of_levels():
    settings = [tuple(setting.items()) for setting in _experiment().settings()]
    assert settings == [
        (("a", "1"), ("b", "x")),
        (("a", "1"), ("b", "y")),
        (("a", "2"), ("b", "x")),
        (("a", "2"), ("b", "y")),
    ]


def test_a_profile_may_measure_some_levels_only_unless_others_are_asked_for():
    made = replace(_experiment(), sizes={"quick": Size(1, levels={"a": ("2",)}), "full": Size(1)})
    assert made.settings("quick") == [{"a": "2", "b": "x"}, {"a": "2", "b": "y"}]
    assert made.settings("full") == made.settings() and len(made.settings()) == 4
    assert made.select(a=["1"]).settings("quick") == [{"a": "1", "b": "x"}, {"a": "1", "b": "y"}]


def test_a_level_is_shown_as_the_study_prints_it():
    assert _experiment().factors[0].label("2") == "two"


def test_labels_must_match_levels():
    with pytest.raises(BadParameter, match="2 levels but 1 labels"):
        Factor("a", ("1", "2"), ("one",))


def test_an_unknown_profile_is_refused_with_the_nearest():
    with pytest.raises(BadParameter, match="profile = 'quik'.*Did you mean 'quick'"):
        _experiment().size("quik")


def test_selected_levels_keep_their_order_and_labels():
    chosen = _experiment().select(a=["2"])
    assert chosen.settings() == [{"a": "2", "b": "x"}, {"a": "2", "b": "y"}]
    assert chosen.factors[0].label("2") == "two"


def test_a_level_sets_the_property_of_its_factor_or_those_that_are_declared():
    parts = Factor("part", ("no", "yes"), ("No", "Yes"), {"yes": {"x": "1", "y": "2"}})
    made = Experiment("s", "n", "?", "system", "load", (Factor("b", ("p",), ("P",)), parts), fixed={"x": "0", "z": "3"})
    assert made.properties({"b": "p", "part": "no"}) == {"b": "p", "x": "0", "z": "3"}
    assert made.properties({"b": "p", "part": "yes"}) == {"b": "p", "x": "1", "y": "2", "z": "3"}
    assert made.select(part=["no"]).factors[1].properties == {}


def test_properties_of_an_unknown_level_are_refused():
    with pytest.raises(BadParameter, match="level of part = 'maybe'"):
        Factor("part", ("no",), ("No",), {"maybe": {}})


def test_a_factor_with_a_dot_in_its_name_is_selected_with_an_underscore():
    factors = (Factor("a.b", ("1", "2"), ("1", "2")), Factor("c_d", ("1", "2"), ("1", "2")))
    made = Experiment("s", "n", "?", "system", "load", factors)
    assert made.select(a_b=["1"], c_d=["2"]).settings() == [{"a.b": "1", "c_d": "2"}]


def test_requests_are_cut_where_a_level_says_so():
    size = Size(blocks=1, sessions=5, requests_at={"trace": 1, "debug": 4})
    assert size.requests_of({"log.level": "trace"}) == 1
    assert size.requests_of({"log.level": "off"}) is None


def test_a_level_may_warm_up_with_fewer_sessions():
    size = Size(blocks=1, sessions=20, warm_up_sessions=10, warm_up_sessions_at={"long": 2})
    assert [size.warm_up_sessions_of({"database": "h2", "load": load}) for load in ("short", "long")] == [10, 2]


def test_a_level_may_run_in_fewer_blocks():
    size = Size(blocks=20, blocks_at={"slow": 4, "slower": 2})
    assert [size.blocks_of({"vm": vm, "disk": disk}) for vm, disk in [("fast", "slow"), ("slower", "slow")]] == [4, 2]
    assert size.blocks_of({"vm": "fast"}) == size.blocks_of({}) == 20


@pytest.mark.parametrize(("levels", "message"), [({"c": ["1"]}, "factor = 'c'"), ({"a": ["3"]}, "a = '3'.*1, 2")])
def test_unknown_factors_and_levels_are_refused(levels, message):
    with pytest.raises(BadParameter, match=message):
        _experiment().select(**levels)


def test_a_selection_that_leaves_nothing_to_compare_says_what_is_missing():
    experiment = EXPERIMENTS["step/logging-cost"]
    both = experiment.select(log_level=["off", "debug"])
    assert both.comparing(log_level=["off"]) is both
    with pytest.raises(BadParameter, match="log.level: off must be among the levels, which are info, debug"):
        experiment.select(log_level=["debug", "info"]).comparing(log_level=["off"])
    with pytest.raises(BadParameter, match="off alone leaves nothing to compare"):
        experiment.select(log_level=["off"]).comparing(log_level=["off"])
    with pytest.raises(BadParameter, match="log.level: no level is left; allowed: off, fatal"):
        experiment.select(log_level=[])


def test_an_unknown_experiment_is_refused_with_the_known_ones():
    with pytest.raises(BadParameter, match="step/time-breakdown"):
        experiment("step/time-breakdwn")


def test_every_experiment_has_every_profile_at_the_promised_number_of_runs():
    runs = {"step": 30, "aaa": 10, "esb": 5, "corba": 10}
    for one in EXPERIMENTS.values():
        assert {*one.sizes} - {"quick"} == {"smoke", "standard", "full"}
        assert "quick" not in one.sizes or one.size("quick").blocks >= 2
        # At the study's own gap a run takes more than an hour; what changes much shows in fewer.
        twelve = (
            step.SLICE_CAUSES, step.CACHES_AND_NETWORKS, step.CACHE_CAUSES, step.CONCURRENT_USERS, step.STALE_REMEDIES,
            step.MESSAGE_SIZE, step.HEAP_LIMIT, step.LOGGING_PARTS, step.WHOLE_LOADS,
        )  # fmt: skip
        fewer = {experiment.key: 12 for experiment in twelve}
        fewer |= {aaa.OWN_GAP.key: 1, aaa.CUT.key: 5, aaa.QUEUE.key: 6}
        fewer |= {aaa.IDLE_CONNECTIONS.key: 6, aaa.UNIT_LENGTHS.key: 5}
        fewer |= {corba.STUDY_LOAD.key: 3, corba.WATCHED_LOAD.key: 3, corba.WAKING.key: 6}
        fewer |= {step.HEAP_LOAD.key: 6, step.SLOW_SERVER.key: 6, step.SIZES_AGAIN.key: 4, step.SIZES_ALONE.key: 8}
        fewer |= {step.CACHE_OVER_100MBIT.key: 16}
        assert one.size("standard").blocks >= fewer.get(one.key, runs[one.study])
    assert esb.THROUGHPUT.size("standard").blocks >= 10


def test_full_is_the_size_of_the_study():
    assert {one.size("full").sessions for one in step.EXPERIMENTS} == {50}
    for one in (aaa.POOLS, aaa.OWN_GAP, aaa.TIMERS, aaa.FIFTY, aaa.TWO_BEANS):
        assert one.size("full").time_scale == 1
    assert aaa.POOLS.size("full").requests == aaa.OWN_GAP.size("standard").requests == 2000
    assert aaa.TIMERS.size("full").requests == aaa.TIMERS.size("standard").requests == 1000


def test_the_amount_of_a_load_is_its_sessions_or_its_requests_at_their_pace():
    assert Size(1, sessions=5, sessions_at={"trace": 2}).amount_of({"log.level": "trace"}) == 2
    assert Size(1, requests=200, time_scale=100).amount_of({"timer": "1"}) == 2


def test_the_screening_design_is_balanced_and_no_main_effect_is_confounded_with_another_or_with_a_pair():
    (points,) = aaa.SCREENING.factors
    assert len(points.levels) == 16
    assert dict(zip(points.levels, points.labels, strict=True))["p02"] == "---+"
    names, set_by = list(aaa.SCREENED), [aaa.SCREENING.properties({"point": one}) for one in points.levels]
    signs = np.array([[2 * aaa.SCREENED[name].index(point[name]) - 1 for name in names] for point in set_by])
    assert (signs.T @ signs == 16 * np.eye(7)).all()
    pairs = np.column_stack([signs[:, i] * signs[:, j] for i in range(7) for j in range(i)])
    assert (signs.T @ pairs == 0).all()


def test_the_arms_of_an_experiment_of_equal_settings_set_the_same():
    for one in (step.EQUAL_SETTINGS, aaa.EQUAL_SETTINGS):
        first, second = one.settings()
        assert [first["arm"], second["arm"]] == list(ARMS.levels)
        assert one.properties(first) == one.properties(second) == dict(one.fixed)
        assert not one.shared_process


def test_runs_that_all_come_to_the_same_decide_among_all_findings_of_the_aaa_study():
    modules = (findings_patterns, findings_timers, findings_limits)
    lists = [value for one in modules for name, value in vars(one).items() if name.endswith("_FINDINGS")]
    tested = [one for found in lists for one in found if not one.untestable and one.kind != "identity"]
    assert len(tested) > 50
    assert 0.5**starts.AGREEING_BLOCKS < 0.05 / (2 * len(tested))
