import numpy as np
import pandas as pd
import pytest

from made.recordings import message_sizes
from perfstudies.published import published_table
from perfstudies.stats.verdicts import judge
from perfstudies.studies.step.analysis import size
from perfstudies.studies.step.declared import LOADS
from perfstudies.studies.step.logs.slices import SLICE_LABELS, SLICES

POWERS = (1.2, 1.1, 1.3, 1.0, 1.6, 0.9)


@pytest.fixture(scope="module")
def samples():
    return size.measured(message_sizes(POWERS).samples)


def test_the_message_is_request_and_response_and_warm_up_is_left_out(samples):
    assert (samples["message_length"] == samples["request_length"] + samples["response_length"]).all()
    means = size.run_means(samples)
    # A search of 1,000 characters and a reservation of 100 for each of 5,000 passengers.
    assert means.loc[means["load"] == "SizeXXLarge", "message_length"].tolist() == [250_500.0] * 4
    assert (means["request_ms"] < 1000).any()  # the warm-up's 600 ms do not enter the shortest load


def test_lengths_stand_beside_the_published_ones(samples):
    table = size.length_table(size.run_means(samples), published_table("step", 4))
    assert table.index.tolist() == list(LOADS.labels)
    assert table["Published"].tolist() == [3215, 5190, 28348, 142145, 222281]
    assert table.loc["XXLarge", "Both / published"] == pytest.approx(250_500 / 222_281)
    assert table.loc["XXLarge", "Request / published"] == pytest.approx(62_625 / 222_281)


def test_the_published_shares_give_the_published_table():
    published = published_table("step", 4)
    rows = []
    for load, (_, printed) in zip(LOADS.levels, published.iterrows(), strict=True):
        for block in range(3):
            ms = dict(zip(SLICES, printed / 100 * (1 + block), strict=True))
            rows.append({"run": f"{load}{block}", "block": block, "load": load, "request_ms": sum(ms.values())} | ms)
    frame = pd.DataFrame(rows).assign(request_length=10, response_length=90, message_length=100)
    means = size.run_means(frame.assign(load=pd.Categorical(frame["load"], LOADS.levels)))
    table = size.table_4(means)
    assert table.columns.tolist() == ["Avg. XML length", *published.columns]
    for label, (_, printed) in zip(LOADS.labels, published.iterrows(), strict=True):
        shown = [float(cell.split(" ±")[0]) for cell in table.loc[label].iloc[1:]]
        assert shown == pytest.approx(printed.tolist(), abs=0.011)  # printed shares add up to 99.99 or 100.01
    drawn = size.shares(means)
    assert drawn.loc["XLarge", "Hibernate Writes"] == pytest.approx(39.35, abs=0.01)
    assert size.published_shares(published, drawn.index).loc["XLarge", "Hibernate Writes"] == 39.35


def test_exponents_are_those_of_the_slices(samples):
    table = size.growth_table(samples)
    single = {name: float(cell.split(" [")[0]) for name, cell in table["Over reservations"].items()}
    assert [single[name] for name in SLICE_LABELS.values()] == pytest.approx(POWERS, abs=0.005)
    # The search in each load flattens nothing at the top, where reservations are nearly all of the time.
    last = {name: float(cell.split(" [")[0]) for name, cell in table["XLarge to XXLarge"].items()}
    assert [last[name] for name in SLICE_LABELS.values()] == pytest.approx(POWERS, abs=0.02)
    assert table.columns.tolist()[2:] == [
        "Small to Medium", "Medium to Large", "Large to XLarge", "XLarge to XXLarge",
    ]  # fmt: skip


def test_times_are_drawn_on_logarithmic_axes_and_put_into_words(samples):
    drawn = size.times(size.run_means(samples))
    figure = size.times_figure(drawn, ["Web", "Web Service"])
    axes = figure.axes[0]
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["exponent 1", "Web", "Web Service"]
    words = size.describe_times(drawn, ["Web"])
    assert "from 1,000 to 250,500 characters: Web from 1.0" in words


def test_a_slice_without_time_is_not_drawn(samples):
    drawn = size.times(size.run_means(samples.assign(writes_ms=0.0)))
    figure = size.times_figure(drawn, ["Hibernate Writes"])
    assert not figure.axes[0].lines and not figure.legends
    assert size.growth_table(samples.assign(writes_ms=0.0)).loc["Hibernate Writes", "Over loads"] == "–"


def _outcomes(powers, first_ms=(1, 5, 70, 14, 1, 4), change=lambda frame: frame):
    made = message_sizes(powers, blocks=6, first_ms=first_ms)
    return {v.finding.id: v for v in judge(size.cases(change(size.measured(made.samples))))}


def test_growth_as_the_study_describes_it_reproduces_its_findings():
    # Writes overtake all else; XML grows, but less than they do.
    found = _outcomes((1.3, 1.1, 1.2, 1.1, 2.2, 1.1), first_ms=(1, 5, 74, 14, 0.1, 5))
    assert {id: one.outcome for id, one in found.items()} == {
        "S10": "reproduced", "S10-reservations": "reproduced", "S11": "reproduced", "S11-reservations": "reproduced",
        "S11-share": "reproduced", "S12-small": "reproduced", "S12-large": "reproduced",
        # No request failed, and Service's share fell all the same.
        "S13-service": "not reproduced",
    }  # fmt: skip
    assert found["S11-reservations"].estimate == pytest.approx(1.1)


def test_growth_below_the_length_contradicts_them():
    found = _outcomes((0.9, 0.9, 0.8, 0.8, 0.5, 0.8))
    outcomes = {id: found[id].outcome for id in ("S10", "S11", "S11-share", "S12-small", "S12-large")}
    assert outcomes == dict.fromkeys(outcomes, "not reproduced")


def test_runs_with_errors_say_nothing_about_the_cause_of_falling_shares():
    found = _outcomes(POWERS, change=lambda frame: frame.assign(outcome="system error"))
    assert (found["S13-service"].runs, found["S13-service"].outcome) == (0, "inconclusive")


def test_loads_that_were_not_measured_leave_findings_open():
    found = _outcomes(POWERS, change=lambda frame: frame[~frame["load"].isin(["SizeSmall", "SizeXXLarge"])])
    assert found["S10"].outcome == "reproduced"
    assert np.isnan(found["S11-share"].estimate) and found["S12-large"].outcome == "inconclusive"
