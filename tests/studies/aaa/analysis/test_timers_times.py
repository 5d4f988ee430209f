from dataclasses import replace

import numpy as np
import pytest

from made.aaa_timers import OWN_MS, made
from perfstudies.studies.aaa import declared as aaa
from perfstudies.studies.aaa.analysis import timers_climb, timers_times

TEN = "OpenEJB, strict pool, timer 10"


def test_series_are_means_over_runs_of_answered_requests(recorded):
    drawn = timers_times.series(recorded, 20)
    assert drawn.index[0] == "1–10" and len(drawn) == 20
    # Own times of the three blocks are 2.0, 2.2 and 2.4 ms.
    first = drawn.loc["1–10"]
    assert first["GlassFish, timer 10", "total"] == pytest.approx(200 + 1.1 * OWN_MS)
    assert first["GlassFish, timer 10", "EJB"] == pytest.approx(200)
    assert first["GlassFish, timer 10", "total low"] < 202 < 202.4 < first["GlassFish, timer 10", "total high"]
    last = drawn.iloc[-1]
    assert last[TEN, "EJB"] == pytest.approx(500)
    assert np.isnan(last["OpenEJB, strict pool, timer 20", "total"])


def test_lines_are_drawn_for_each_container(fifty):
    drawn = timers_times.series(fifty, 50)
    panels = timers_times.a_panel_a_container(fifty, "120000")
    assert list(panels) == ["GlassFish", "OpenEJB, strict pool"]
    assert list(panels["GlassFish"].values()) == [f"timer {timer}" for timer in (1, 5, 10, 20, 50)]
    figure = timers_times.lines_figure(drawn, panels, log=True)
    assert [len(axes.lines) for axes in figure.axes] == [10, 10]
    assert figure.axes[0].lines[0].get_xdata()[-1] == 50


def test_a_figure_of_the_study_is_shown_at_its_own_gap_and_at_a_divided_one(recorded):
    own = made(aaa.OWN_GAP.select(figure=["16", "16-strict", "17"]), 100, scale=1, blocks=1)
    drawn = timers_times.of_figure(own, recorded, "16", 10)
    names = list(dict.fromkeys(drawn.columns.get_level_values(0)))
    assert names == [
        "GlassFish, own-gap, gap 2000 ms, unit 2000 ms", "OpenEJB, strict pool, own-gap, gap 2000 ms, unit 2000 ms",
        "GlassFish, timers, gap 20 ms, unit 20 ms", "OpenEJB, strict pool, timers, gap 20 ms, unit 20 ms",
    ]  # fmt: skip
    assert drawn[names[0], "EJB"].dropna().to_numpy() == pytest.approx(20_000)
    assert drawn[names[1], "EJB"].dropna().iloc[-1] == pytest.approx(50_000)
    assert drawn[names[2], "EJB"].dropna().to_numpy() == pytest.approx(200)
    # 100 requests in ten groups beside 200 in ten: rows in the order of the requests, none left out.
    assert drawn.index[:3].tolist() == ["1–10", "1–20", "11–20"] and drawn.index[-1] == "181–200"
    figure = timers_times.lines_figure(drawn, timers_times.a_panel_each(drawn))
    assert [axes.get_title() for axes in figure.axes] == [name.replace(", gap", ",\ngap") for name in names]
    assert all(np.isfinite(line.get_ydata()).all() for axes in figure.axes for line in axes.lines)


def test_figure_11_at_the_own_gap_has_its_timers():
    own = made(aaa.OWN_GAP.select(figure=["11-5", "11-20"]), 12, scale=1, blocks=1)
    panels = timers_times.a_panel_of_figure(own, "11")
    assert panels == {"": {"Figure 11: timer 5": "timer 5", "Figure 11: timer 20": "timer 20"}}
    drawn = timers_times.series(own, 12)
    assert len(timers_times.lines_figure(drawn, panels).axes[0].lines) == 4


def test_climb_and_level_are_ratios_of_parts(recorded):
    found = timers_climb.climbs(recorded).set_index("run")
    assert found.loc["b000-glassfish-10", "total climb"] == pytest.approx(1)
    row = found.loc["b000-openejb-10"]
    assert row["EJB climb"] == pytest.approx(500 / 200)
    assert row["total climb"] == pytest.approx(502 / 202)
    assert row["faster"] == pytest.approx(502 / 202 / 2.5)
    assert row["total level"] == pytest.approx(1)
    assert np.isnan(found.loc["b000-openejb-20", "total climb"])


def test_a_total_time_that_climbs_alone_is_faster(recorded):
    grown = recorded.samples["total_ms"] + recorded.samples["number"]
    found = timers_climb.climbs(replace(recorded, samples=recorded.samples.assign(total_ms=grown))).set_index("run")
    row = found.loc["b000-glassfish-5"]
    assert row["EJB climb"] == pytest.approx(1)
    assert row["faster"] == row["total climb"] == pytest.approx((102 + 149.5) / (102 + 2))


def test_two_lines_meet_where_the_climb_ends(recorded):
    found = timers_climb.breaks(recorded)
    broken = found[found["p"] <= 0.05]
    assert set(broken["setting"]) == {TEN}
    # The wait grows by a quarter of the time until it reaches the container's 300 ms: after 1.2 s, 60 gaps of 20 ms.
    assert broken["place"].between(50, 75).all()
    assert broken["drift"].abs().max() < 0.1
    assert (broken.groupby("setting", observed=True).size() == 3).all()


def test_runs_with_too_few_answers_have_no_lines():
    found = timers_climb.breaks(made(aaa.TIMERS, 5, blocks=1))
    assert found.empty


def test_a_unit_of_the_bean_is_the_declared_one_and_that_of_ejb_time_is_not(recorded):
    units = timers_times.units(recorded)
    assert units["bean"].to_numpy() == pytest.approx(1)
    by_run = units.set_index("run")
    assert by_run.loc["b000-openejb-5", "ejb"] == pytest.approx(1)
    assert by_run.loc["b000-openejb-10", "ejb"] > 2


def test_a_unit_of_another_length_is_seen(recorded):
    longer = recorded.samples["asm_ms"].where(recorded.samples["timer"] != "20", recorded.samples["asm_ms"] * 1.1)
    units = timers_times.units(replace(recorded, samples=recorded.samples.assign(asm_ms=longer)))
    by_timer = units.groupby("timer", observed=True)["bean"].mean()
    assert by_timer["20"] / by_timer["10"] == pytest.approx(1.1)
    assert by_timer["10"] / by_timer["5"] == pytest.approx(1)
