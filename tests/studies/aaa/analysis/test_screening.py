import numpy as np
import pytest

from made.aaa_limits import closed
from perfstudies.stats.factorial import screening
from perfstudies.studies.aaa import declared as aaa
from perfstudies.studies.aaa.analysis import closed as aaa_closed
from perfstudies.studies.aaa.analysis import screening as aaa_screening

EFFECTS = {"timer": 4.0, "http.threads": 0.5, "concurrency": 2.0, "policy": 1.1}
POINTS = aaa.screening_points()


def run_time(setting):
    point = POINTS[aaa.POINT_NAMES[setting["point"]]]
    high = [ratio for name, ratio in EFFECTS.items() if point[name] == aaa.SCREENED[name][1]]
    return 5 * float(np.prod(high))


@pytest.fixture(scope="module")
def runs():
    return aaa_closed.run_table(closed(aaa.SCREENING, run_time, rounds=3), "point")


@pytest.fixture(scope="module")
def coded(runs):
    return aaa_screening.coded(runs)[0]


def test_the_declared_design_is_of_resolution_four():
    design = aaa_screening.design()
    assert design.resolution == 4 and len(design.words) == 7
    assert design.words != () and "resolution 4" in aaa_screening.aliases_note()
    signs = aaa_screening.signs()
    assert set(map(tuple, signs.to_numpy())) == set(map(tuple, design.runs.to_numpy()))
    assert screening(list(aaa_screening.NAMES.values())).resolution == 4


def test_the_levels_stand_with_their_columns():
    table = aaa_screening.levels_table()
    assert table.loc["Database connections", "Column"] == "Timer × HTTP threads × EJB pool"
    assert table.loc["Timer", ["Low", "High", "Column"]].tolist() == ["1", "5", "its own"]


def test_effects_are_the_ratios_that_were_put_in(coded):
    found = aaa_screening.effects(coded)["ejb_ms"]
    effects = found.effects.set_index("effect")
    assert effects.index[0] == "Timer"
    for name, ratio in EFFECTS.items():
        row = effects.loc[aaa_screening.NAMES[name]]
        assert row["low"] < ratio * 1.02 and row["high"] > ratio / 1.02
    assert effects.loc["Repository", "low"] < 1 < effects.loc["Repository", "high"]
    table = aaa_screening.effects_table(found)
    assert table.loc["Timer", "High / low"].startswith(("3.9", "4.0"))
    assert table.loc["Timer", "Mixed with"] == "none of two"
    rest = 100 * (found.block_share + found.residual_share)
    assert table["Share of variation (%)"].sum() + rest == pytest.approx(100)
    assert "96 runs" in aaa_screening.effects_note(found)


def test_interactions_of_two_say_what_they_are_mixed_with(coded):
    table = aaa_screening.effects_table(aaa_screening.effects(coded)["total_ms"])
    assert table.loc["Timer × HTTP threads", "Mixed with"].count("×") == 2


def test_throughput_s_effects_are_drawn_beside_those_of_times(coded):
    drawn = aaa_screening.sizes(aaa_screening.effects(coded))
    assert drawn.index[0] == "Timer"
    assert set(drawn.columns.get_level_values(0)) == {"EJB time", "Total time", "Requests/s"}
    assert drawn.loc["Timer", ("Requests/s", "size")] == pytest.approx(0.25, rel=0.02)
    assert aaa_screening.sizes_figure(drawn).axes[0].get_xscale() == "log"
    assert "Requests/s: Timer 0.25" in aaa_screening.describe_sizes(drawn)


def test_the_timer_leads_by_the_ratio_of_logarithms(coded):
    leads = aaa_screening.timer_leads(coded)
    assert leads["ejb_ms"].tolist() == pytest.approx([2] * 6, rel=0.05)


def test_incomplete_blocks_are_left_out_and_said(runs):
    kept, said = aaa_screening.coded(runs.drop(runs.index[(runs["block"] == 1) & (runs["point"] == "p03")]))
    assert kept["block"].nunique() == 5
    assert said == "5 blocks of 16 points; 1 incomplete ones left out."
    none, _ = aaa_screening.coded(runs[runs["point"] != "p03"])
    assert aaa_screening.effects(none) == {}
    assert all(lead.empty for lead in aaa_screening.timer_leads(none).values())


def test_a_single_block_has_lenth_s_intervals(runs):
    one, _ = aaa_screening.coded(runs[runs["block"] == 0])
    found = aaa_screening.effects(one)["total_ms"]
    assert "Lenth's" in aaa_screening.effects_note(found)
    assert aaa_screening.effects_table(found).loc["Timer", "p"] == "–"
