import numpy as np
import pandas as pd
import pytest

from made import aaa as made_aaa
from perfstudies.stats.verdicts import judge
from perfstudies.studies.aaa import declared as aaa
from perfstudies.studies.aaa.analysis import bean_start, busy, events, own_gap, pools, times
from perfstudies.studies.aaa.analysis import scale as aaa_scale
from perfstudies.studies.aaa.findings_patterns import POOL_FINDINGS

WINDOW = 20


def made_pools(factor, **more):
    """Make pools in which EJB time is multiplied by what `factor` says of a setting."""

    def ejb(setting, *args):
        return made_aaa.flat(setting, *args) * factor(setting)

    return pools.with_settings(made_aaa.made(aaa.POOLS, ejb_ms=ejb, **more), aaa.POOLS)


def pools_runs(recorded):
    return pools.run_table(times.answered(recorded), [pools.THREADS, pools.POOL, "setting"], WINDOW)


def made_gaps(factor, **more):
    def ejb(setting, *args):
        return made_aaa.flat(setting, *args) * factor[setting["gap_ms"]]

    return made_aaa.made(aaa.GAPS, ejb_ms=ejb, **more)


def gap_runs(recorded):
    return pools.run_table(times.answered(recorded), [pools.GAP], WINDOW)


def judged(factor, gaps=None, start=None):
    recorded, apart = made_pools(factor, requests=60), made_gaps(gaps or {"1000": 1, "2000": 1}, requests=60)
    runs = pools_runs(recorded)
    first = made_aaa.made(aaa.BEAN_START, requests=90, **(start or {}))
    begun = bean_start.run_table(first, times.answered(first))
    cases = (
        pools.cases(runs, pools.peaks(times.answered(recorded)), {}, gap_runs(apart), pools.unanswered(apart)),
        bean_start.cases(begun),
    )
    return {one.finding.id: one for one in judge(times.in_order(POOL_FINDINGS, *cases))}


def test_effects_are_taken_apart_within_blocks():
    factors = {"100": 1, "1000": 1.5, "32": 1, "64": 1.2}
    runs = pools_runs(made_pools(lambda s: factors[s["http.threads"]] * factors[s["ejb.max"]]))
    found = pools.contrasts(runs, times.EJB).mean()
    assert found.to_dict() == pytest.approx({"threads": 1.5, "pool": 1.2, "interaction": 1.0, "both": 1.8}, rel=0.01)
    table = pools.effects_table(runs)
    assert not table.loc["EJB pool, 64 / 32", ("EJB time", "shown the same")]
    assert table.loc["Interaction", ("EJB time", "shown the same")]


def test_an_interaction_is_no_main_effect_of_the_threads_at_the_small_pool():
    runs = pools_runs(made_pools(lambda s: 2 if s["http.threads"] == "1000" and s["ejb.max"] == "64" else 1))
    assert pools.contrasts(runs, times.EJB)["interaction"].mean() == pytest.approx(2, rel=0.01)


def test_threads_that_matter_more_than_the_pool_reproduce_the_study():
    found = judged(lambda s: 1.5 if s["http.threads"] == "1000" else 1)
    assert found["A5-threads"].outcome == found["A5-pool"].outcome == "reproduced"
    assert found["A5-threads"].estimate == pytest.approx(1.5, rel=0.01)


def test_threads_that_change_nothing_do_not():
    found = judged(lambda s: 1)
    assert found["A5-threads"].outcome == "not reproduced"
    assert found["A5-pool"].outcome == found["A3-stable"].outcome == found["A5-constant"].outcome == "reproduced"
    assert found["A3-peak"].outcome == "not reproduced"
    assert found["A17-ejb"].outcome == found["A17-total"].outcome == found["A17-failures"].outcome == "reproduced"


def test_a_gap_that_matters_is_seen():
    found = judged(lambda s: 1, gaps={"1000": 1.5, "2000": 1})
    assert found["A17-ejb"].outcome == "not reproduced"
    table = pools.gap_table(gap_runs(made_gaps({"1000": 1.5, "2000": 1}, requests=40)))
    assert table.loc["EJB time", ("1000 / 2000 ms", "ratio")].startswith(("1.49", "1.50"))
    assert not table.loc["EJB time", ("1000 / 2000 ms", "shown the same")]


def test_a_block_that_lacks_a_setting_is_left_out_of_the_effects():
    runs = pools_runs(made_pools(lambda s: 1, blocks=3, requests=30))
    assert len(pools.contrasts(runs.iloc[1:], times.EJB)) == 2
    alone = runs[runs["setting"] == "HTTP 100, EJB 32"]
    assert pools.contrasts(alone, times.EJB).empty
    assert pools.effects_table(alone).loc["Interaction", ("EJB time", "ratio")] == "–"


def cold_peak(setting, block, client, number, rng):
    """Return EJB times with a peak of thirty requests in a new process, whatever the beans."""
    high = (number < 30) & (setting["start"] == "cold")
    return made_aaa.flat(setting, block, client, number, rng) * np.where(high, 1.5, 1)


def bean_peak(setting, block, client, number, rng):
    """Return EJB times with a peak wherever the pool starts empty."""
    high = (number < 30) & (setting["start"] != "steady")
    return made_aaa.flat(setting, block, client, number, rng) * np.where(high, 1.5, 1)


def test_a_peak_that_beans_make_reproduces_the_study_s_reading():
    found = judged(lambda s: 1, start={"ejb_ms": bean_peak, "beans": lambda s: 32})
    assert {found[f"A6-{name}"].outcome for name in ("peak", "sessions", "count")} == {"reproduced"}
    assert found["A6-peak"].estimate == pytest.approx(1.5, rel=0.02)


def test_a_peak_of_a_new_process_that_beans_do_not_make_does_not():
    found = judged(lambda s: 1, start={"ejb_ms": cold_peak, "beans": lambda s: 3})
    assert found["A6-peak"].outcome == "reproduced"
    assert found["A6-sessions"].outcome == found["A6-count"].outcome == "not reproduced"


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
    assert bean_start.slowdowns_table(found).loc["a bean takes 5 ms to make", "Runs with one"] == 2


def test_without_a_bean_made_nothing_is_compared():
    recorded = made_aaa.made(aaa.BEAN_START, blocks=1, requests=40, beans=lambda s: 0)
    samples = times.answered(recorded)
    assert bean_start.slowdowns_table(bean_start.slowdowns(samples)).iloc[0, 0] == 0
    table = bean_start.starts_table(bean_start.run_table(recorded, samples))
    assert pd.isna(table.loc["new process", "Last made at request"])


def test_beans_are_counted_up_by_request_number():
    recorded = made_aaa.made(aaa.BEAN_START, blocks=2, requests=40, beans=lambda s: 32 if s["start"] == "cold" else 2)
    drawn = bean_start.made_by_number(times.answered(recorded))
    assert drawn.loc[1, "new process"] == 4 and drawn.loc[8, "new process"] == 32
    assert drawn.iloc[-1]["new deployment, warm process"] == 2
    assert "new process: 32.0 and 32.0" in bean_start.describe_made(drawn)
    lines = bean_start.made_figure(drawn).axes[0].lines
    assert [line.get_label() for line in lines][:5] == list(aaa.BEAN_START.factors[0].labels)


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
        "At most 32 of 32 beans and 3 of 100 worker threads were busy at the same time; a pool had all in use: "
        "beans in 2 of 2 runs."
    )


def test_limits_come_from_what_an_experiment_fixes_too():
    recorded = made_aaa.made(aaa.TWO_BEANS, blocks=1, requests=10, clients=1)
    table = busy.busy_table(recorded, ["pool"])
    assert table["Beans", "pool"].tolist() == ["2", "32", "2", "2"]
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
    names = recorded.runs.set_index("run")["figure"].map(aaa.FIGURES.label)
    return found, events.events(found, 2.0), names


def test_slow_moments_are_events_with_their_cause(own):
    found, happened, names = _events(own)
    assert found["slow"].sum() == 2 * 4 * 6
    table = events.causes_table(happened, found, names)
    assert table["Events"].tolist() == [6, 6]
    assert table["policy repository"].tolist() == [6, 6]
    assert table["Seconds between two"].tolist() == pytest.approx([300, 300])
    assert table["Typical excess (ms)"].tolist() == pytest.approx([20, 20], abs=0.5)


def test_events_every_300_s_keep_to_it_and_to_its_parts_only(own):
    _, happened, names = _events(own)
    table = events.recurrence_table(happened, events.periods_s(2000), names)
    holds = [row for row, text in table.iloc[:, 0].items() if "p < 0.001" in text or "p 0.0" in text]
    assert {row.split(":")[0] for row in holds} == {"30 s", "60 s", "300 s"}
    assert "pattern of 150 requests" in next(row for row in holds if row.startswith("300 s"))


def test_events_are_drawn_over_time(own):
    _, happened, names = _events(own)
    assert len(events.events_figure(happened, names, 300).axes) == 2
    table = events.events_by_time(happened, names, 300)
    assert table[names.iloc[0], "events"].tolist() == [1] * 6
    assert "6 events, the largest of 2" in events.describe_events(happened, names)


def test_noise_alone_has_hardly_an_event():
    found, happened, names = _events(made_aaa.made(aaa.OWN_GAP.select(figure=["7"]), blocks=1, requests=300, scale=1.0))
    assert happened.empty
    assert events.causes_table(happened, found, names)["Events"].tolist() == [0]
    tested = events.recurrence_table(happened, events.periods_s(2000), names)
    assert tested.iloc[0, 0].startswith("fewer than 5")
    assert events.events_by_time(happened, names, 300).iloc[0, 0] == 0


def test_scaled_runs_stand_beside_those_at_the_study_s_gap(own):
    scaled = made_pools(lambda s: 1, blocks=2, requests=60)
    table = own_gap.comparison(scaled, own, WINDOW)
    assert table.index.tolist() == [aaa.FIGURES.label(one) for one in ("7", "9", "14", "15")]
    assert table.loc[:, ("Scaled", "less the wait (ms)")].tolist() == pytest.approx([1.1] * 4, abs=0.02)
    assert table.loc[table.index[0], ("Own gap", "EJB time (ms)")] == pytest.approx(401.1 + 20 / 150, abs=0.05)
    assert table["Own gap", "runs"].isna().tolist() == [False, False, True, True]
    panels = own_gap.side_by_side(scaled, own, "9", "Mac-G5c")
    assert list(panels) == ["Scaled: Mac-G5c, every 20 ms", "Own gap: Mac-G5c, every 2,000 ms"]
    assert [len(one) for one in panels.values()] == [60, 900]
