from dataclasses import replace

import pytest

from made.aaa_sequences import AT_MS, PAIRS, sequences
from perfstudies.report import tables
from perfstudies.studies.aaa.analysis import sequences as aaa_sequences

TOTAL = {level: sum(parts.values()) for level, parts in AT_MS.items()}


@pytest.fixture(scope="module")
def recorded():
    return sequences()


@pytest.fixture(scope="module")
def runs(recorded):
    return aaa_sequences.run_times(recorded)


def _numbers(text):
    return [float(part) for part in text.translate(str.maketrans("[],±", "    ")).split()]


def test_times_are_means_of_runs_with_their_margin_and_the_ratio_is_to_agent(runs):
    table = aaa_sequences.times_table(runs)
    assert table.index.tolist() == ["Agent", "Pull", "Push", "Roaming agent"]
    assert table["Runs"].tolist() == [10] * 4 and table["Answered"].tolist() == [400] * 4
    for level, label in zip(TOTAL, table.index, strict=True):
        mean, margin = _numbers(table.loc[label, "Mean (ms)"])
        assert mean == pytest.approx(TOTAL[level], rel=0.03) and 0 < margin < 0.05 * mean
    estimate, low, high = _numbers(table.loc["Roaming agent", "Ratio to agent"])
    assert low < 2 < high and estimate == pytest.approx(2, rel=0.03)
    assert table.isna().loc["Agent", "Ratio to agent"]


def test_ratios_are_taken_within_blocks(recorded):
    calls = recorded.calls.copy()
    calls["total_ms"] *= 10.0 ** calls["block"]  # each block ten times as slow as the one before
    slowed = aaa_sequences.against_agent(aaa_sequences.run_times(replace(recorded, calls=calls)))
    assert slowed.loc["push", "ratio"] == pytest.approx(TOTAL["push"] / TOTAL["agent"], rel=0.03)
    assert slowed.loc["push", "high"] < 1.6


def test_failed_requests_have_no_part_in_the_times(recorded):
    calls, samples = recorded.calls.copy(), recorded.samples.copy()
    for frame in (calls, samples):
        frame.loc[frame["number"] == 3, ["outcome", "total_ms"]] = ["timed out", 60000.0]
        if "at_aaa_ms" in frame:
            frame.loc[frame["number"] == 3, "at_aaa_ms"] = 60000.0
    spoilt = replace(recorded, calls=calls, samples=samples)
    runs = aaa_sequences.run_times(spoilt)
    assert runs["mean_ms"].max() < 30 and (runs["answered"] == 39).all()
    assert aaa_sequences.run_parts(spoilt)["at_aaa_ms"].max() < 5


def test_the_beginning_of_runs_stands_apart(recorded):
    calls = recorded.calls.copy()
    calls.loc[calls["number"] < aaa_sequences.BEGINNING, "total_ms"] *= 3
    table = aaa_sequences.by_part_of_run(replace(recorded, calls=calls))
    first, others = (_numbers(table.loc["Pull", name])[0] for name in ("First 10", "Others"))
    assert first == pytest.approx(3 * others, rel=0.001)


def test_what_the_text_describes_is_beside_what_was_counted(recorded):
    table = aaa_sequences.messages_table(recorded)
    agent = table.loc["Agent"]
    assert agent.loc["user to AAA server"].tolist() == ["1", "1"]
    assert agent.loc["service equipment to AAA server"].tolist() == ["not named", "1"]
    assert agent.loc["all"].tolist() == ["3", "4"]
    assert table.loc["Roaming agent"].loc["all"].tolist() == ["5", "6"]
    for level, label in (("pull", "Pull"), ("push", "Push")):
        assert (table.loc[label]["Described"] == table.loc[label]["Counted"]).all()
        assert len(table.loc[label]) == len(PAIRS[level]) + 1


def test_a_message_that_was_not_counted_is_zero_and_runs_that_differ_show_their_span(recorded):
    runs = recorded.runs.copy()
    runs.loc[runs["sequence"] == "pull", "messages equipment>aaa"] = 0.0
    runs.loc[(runs["sequence"] == "push") & (runs["block"] == 0), "messages user>aaa"] = 2.0
    table = aaa_sequences.messages_table(replace(recorded, runs=runs))
    assert table.loc["Pull"].loc["service equipment to AAA server", "Counted"] == "0"
    assert table.loc["Push"].loc["user to AAA server", "Counted"] == "1.1 (1 to 2)"


def test_every_sequence_is_described():
    described = aaa_sequences.described()
    assert set(described.index.get_level_values(0)) == set(AT_MS)
    for level, pairs in PAIRS.items():
        assert set(described.loc[level].index) <= set(pairs)


def test_the_parts_are_the_whole(recorded, runs):
    parts = aaa_sequences.run_parts(recorded)
    assert parts[list(aaa_sequences.PARTS)].sum(axis=1).to_numpy() == pytest.approx(runs["mean_ms"].to_numpy())
    table = aaa_sequences.parts_table(parts)
    assert table.isna().loc["Agent", ("Provider's AAA server", "ms")]
    assert _numbers(table.loc["Roaming agent", ("Provider's AAA server", "%")])[0] == pytest.approx(20)
    assert _numbers(table.loc["Agent", ("AAA server", "ms")])[0] == pytest.approx(4, rel=0.03)


def test_the_figure_draws_its_numbers(recorded, runs):
    numbers = aaa_sequences.drawn(runs, aaa_sequences.run_parts(recorded))
    assert numbers.index.tolist() == ["Agent", "Pull", "Push", "Roaming agent"]
    assert numbers.loc["Push", "low"] < numbers.loc["Push", "Total"] < numbers.loc["Push", "high"]
    axes = aaa_sequences.figure(numbers).axes[0]
    bars = [patch for patch in axes.patches if patch.get_width() > 0]
    reached = {round(patch.get_y() + patch.get_height() / 2): patch.get_x() + patch.get_width() for patch in bars}
    assert [reached[place] for place in range(4)] == pytest.approx(numbers["Total"].tolist())
    assert f"Push {numbers.loc['Push', 'Total']:.2f} ms" in aaa_sequences.describe(numbers)


def test_tickets_are_counted_by_what_came_back(recorded):
    right = aaa_sequences.tickets_table(recorded)
    assert right["Tried"].tolist() == [40] * 3 and right["Refused as such"].tolist() == [40] * 3
    assert right["Other answers"].tolist() == ["none"] * 3
    runs = recorded.runs.copy()
    runs.loc[0, "ticket_replayed"] = "yes"
    runs.loc[1, "ticket_replayed"] = "TicketExpired"
    runs.loc[2, "ticket_replayed"] = None
    wrong = aaa_sequences.tickets_table(replace(recorded, runs=runs)).loc["Used a second time"]
    assert wrong.tolist() == [39, 37, "TicketExpired: 1, yes: 1"]


@pytest.mark.parametrize("blocks", [1, 2])
@pytest.mark.parametrize("levels", [("agent", "pull", "push", "roaming"), ("pull",), ("agent",)])
def test_everything_comes_out_of_few_runs_too(blocks, levels):
    recorded = sequences(blocks, requests=5, levels=levels)
    runs, parts = aaa_sequences.run_times(recorded), aaa_sequences.run_parts(recorded)
    frames = (
        aaa_sequences.times_table(runs), aaa_sequences.by_part_of_run(recorded), aaa_sequences.parts_table(parts),
        aaa_sequences.messages_table(recorded), aaa_sequences.tickets_table(recorded),
    )  # fmt: skip
    for frame in frames:
        assert tables.table(frame, "made").to_html()
    numbers = aaa_sequences.drawn(runs, parts)
    assert aaa_sequences.figure(numbers).axes and len(numbers) == len(levels)


def test_without_message_logs_the_times_are_still_shown():
    recorded = sequences(blocks=2)
    samples = recorded.samples.drop(columns=[name for name in aaa_sequences.PARTS if name in recorded.samples])
    runs = recorded.runs[[name for name in recorded.runs if not name.startswith(("messages", "ticket"))]]
    bare = replace(recorded, samples=samples, runs=runs)
    numbers = aaa_sequences.drawn(aaa_sequences.run_times(bare), aaa_sequences.run_parts(bare))
    assert aaa_sequences.figure(numbers).axes and numbers["Total"].notna().all()
    assert set(aaa_sequences.messages_table(bare)["Counted"]) == {"0"}
    assert aaa_sequences.tickets_table(bare)["Tried"].tolist() == [0] * 3
    assert aaa_sequences.parts_table(aaa_sequences.run_parts(bare)).index.tolist() == ["None measured"]
