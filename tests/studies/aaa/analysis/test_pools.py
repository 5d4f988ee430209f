import numpy as np
import pytest

from made import aaa as made_aaa
from perfstudies.studies.aaa import declared as aaa
from perfstudies.studies.aaa.analysis import bean_start, busy, events, own_gap, pools, times
from perfstudies.studies.aaa.analysis import scale as aaa_scale


def made_pools(factor, **more):
    """Make pools in which EJB time is multiplied by what `factor` says of a setting."""

    def ejb(setting, *args):
        return made_aaa.flat(setting, *args) * factor(setting)

    return pools.with_settings(made_aaa.made(aaa.POOLS, ejb_ms=ejb, **more), aaa.POOLS)


def test_one_slow_first_request_is_no_peak_of_thirty():
    def one(setting, block, client, number, rng):
        return made_aaa.flat(setting, block, client, number, rng) + 300 * (number == 0)

    recorded = made_aaa.made(aaa.BEAN_START, ejb_ms=one, blocks=2, requests=90)
    assert pools.peaks(times.answered(recorded)).between(0.98, 1.02).all()


def test_a_request_that_made_a_bean_is_compared_with_its_neighbours():
    def warming(setting, block, client, number, rng):
        # Later requests are quicker, so comparing with all others would blame the beans for it.
        slow = 5.0 * (setting["start"] == "slow-beans") * ((number == 0) & (client < 3))
        return 10 - np.minimum(number, 80) / 20 + slow

    recorded = made_aaa.made(aaa.BEAN_START, ejb_ms=warming, blocks=2, requests=90)
    samples = times.answered(recorded)
    found = bean_start.slowdowns(samples)
    by_start = found.groupby("start", observed=True)["slower_ms"].mean()
    assert by_start["slow-beans"] == pytest.approx(5.05)
    assert by_start["warm"] == pytest.approx(0.05)
    assert len(found) == 5 * 2 * 3


def test_without_a_bean_made_nothing_is_compared():
    recorded = made_aaa.made(aaa.BEAN_START, blocks=1, requests=40, beans=lambda s: 0)
    samples = times.answered(recorded)
    assert bean_start.slowdowns(samples).empty
    begun = bean_start.run_table(recorded, samples)
    assert begun["last_made"].isna().all() and (begun["made_first"] == 0).all()


def test_beans_of_a_run_s_start_are_counted():
    recorded = made_aaa.made(aaa.BEAN_START, blocks=2, requests=40, beans=lambda s: 32 if s["start"] == "cold" else 2)
    begun = bean_start.run_table(recorded, times.answered(recorded)).groupby("start", observed=True)
    assert begun["made_first"].mean()[["cold", "warm"]].tolist() == [32, 2]
    assert begun["last_made"].max()["cold"] == 8  # of four clients


def test_busy_pools_are_said_with_their_limits():
    recorded = made_pools(lambda s: 1, blocks=2, requests=20)
    table = busy.busy_table(recorded, ["setting"])
    assert table.loc["HTTP 1000, EJB 64", ("Beans", "pool")] == "64"
    assert table.loc["HTTP 1000, EJB 64", ("Threads", "pool")] == "1,000"
    assert table["Beans", "most busy"].max() == 2
    assert "neither pool was ever full" in busy.note(recorded)


def test_a_full_pool_is_said():
    recorded = made_aaa.standard(blocks=2, requests=20, facts=lambda s: {"beans_busy_max": 32})
    assert busy.note(recorded) == (
        "Busy at the same time were at most 32 beans of 32 and 3 worker threads of 100; a pool had all in use: "
        "beans in 2 of 2 runs."
    )
    more = made_aaa.standard(blocks=2, requests=20, facts=lambda s: {"beans_busy_max": 40})
    assert "at most 40 beans for a pool of 32 and" in busy.note(more)


def test_limits_come_from_what_an_experiment_fixes_too():
    recorded = made_aaa.made(aaa.TWO_BEANS, blocks=1, requests=10, clients=1)
    table = busy.busy_table(recorded, ["pool"])
    assert table["Beans", "pool"].tolist() == ["2", "32", "2", "2", "2"]
    assert set(table["Threads", "pool"]) == {"10"}


def test_scaled_times_are_said_beside_the_study_s_own():
    assert aaa_scale.note(made_aaa.standard(blocks=1, requests=10)).startswith(
        "The study's times are divided by 100: 20 ms between the starts of a client's requests (2000 ms), 4 ms"
    )
    own = aaa_scale.note(made_aaa.standard(blocks=1, requests=10, scale=1.0))
    assert own.startswith("All times are the study's own: 2000 ms between the starts of a client's requests, 400 ms")
    gaps = made_aaa.made(aaa.GAPS, blocks=1, requests=10, scale=50)
    assert "20 or 40 ms between the starts of a client's requests (1000 or 2000 ms)" in aaa_scale.note(gaps)
    assert aaa_scale.used_ms(gaps.runs, "gap_ms").tolist() == [20, 40]


@pytest.fixture(scope="module")
def own():
    """One run a figure at the study's gap, with a slow moment every 300 s that has its cause in the database."""
    recorded = made_aaa.made(aaa.OWN_GAP.select(figure=["7", "9"]), blocks=1, requests=900, scale=1.0)
    late = (recorded.samples["number"] % 150) == 3
    recorded.samples.loc[late, ["db_ms", "ejb_ms", "servlet_ms", "total_ms"]] += 20
    return recorded


def _events(recorded):
    found = events.excesses(times.answered(recorded))
    return found, events.events(found, 2.0)


def test_slow_moments_are_events_with_their_cause(own):
    found, happened = _events(own)
    assert found["slow"].sum() == 2 * 4 * 6
    of_run = happened.groupby("run")
    assert of_run.size().tolist() == [6, 6]
    assert happened["part"].unique().tolist() == ["policy repository"]
    assert of_run["at_s"].apply(lambda at: at.diff().median()).tolist() == pytest.approx([300, 300])
    assert happened["excess_ms"].median() == pytest.approx(20, abs=0.5)


def test_events_every_300_s_keep_to_it_and_to_its_parts_only(own):
    _, happened = _events(own)
    found = events.recurrence(happened, events.periods_s(2000))
    assert set(found.loc[found["p"] < 0.05, "period_s"]) == {30, 60, 300}
    assert "pattern of 150 requests" in found.loc[found["period_s"] == 300, "reason"].iloc[0]
    assert found.loc[found["period_s"] == 300, "length"].tolist() == pytest.approx([1, 1])


def test_events_are_drawn_over_time(own):
    _, happened = _events(own)
    names = own.runs.set_index("run")["figure"].map(aaa.FIGURES.label)
    assert len(events.events_figure(happened, names, 300).axes) == 2


def test_noise_alone_has_hardly_an_event():
    _, happened = _events(made_aaa.made(aaa.OWN_GAP.select(figure=["7"]), blocks=1, requests=300, scale=1.0))
    assert happened.empty
    assert events.recurrence(happened, events.periods_s(2000)).empty


def test_scaled_runs_stand_beside_those_at_the_study_s_gap(own):
    scaled, at_own_gap = (
        times.answered(one).assign(total_ms_smooth=0.0, ejb_ms_smooth=0.0)
        for one in (made_pools(lambda s: 1, blocks=2, requests=60), own)
    )
    panels = own_gap.of_figure(scaled, at_own_gap, "9", "Mac-G5c")
    assert list(panels) == ["Scaled: Mac-G5c", "Own gap: Mac-G5c"]
    assert [len(one) for one in panels.values()] == [60, 900]
    assert list(own_gap.of_figure(scaled, at_own_gap, "14", "Mac-G5c")) == ["Scaled: Mac-G5c"]


def test_the_pace_of_a_figure_is_that_of_its_panels_in_their_order():
    scaled, own = (made_aaa.standard(blocks=1, requests=10, scale=scale) for scale in (10.0, 1.0))
    assert aaa_scale.pace(scaled) == "Pace: the study's times divided by 10."
    assert aaa_scale.pace(scaled, own) == "Pace: the study's times divided by 10, the study's own."
    assert aaa_scale.near_own_pace(scaled) and aaa_scale.near_own_pace(own)
    assert not aaa_scale.near_own_pace(made_aaa.standard(blocks=1, requests=10, scale=20.0))
