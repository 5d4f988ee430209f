import json
from dataclasses import replace

import pandas as pd
import pytest

from made.esb_reliable import COST_MS, cost, faults
from perfstudies.errors import BadLog
from perfstudies.report import tables
from perfstudies.runs import store
from perfstudies.stats import verdicts
from perfstudies.studies.esb import reliable_read
from perfstudies.studies.esb.analysis import reliable, reliable_cost, reliable_race
from perfstudies.studies.esb.reliable import CALLS, COST, COUNTED, FAULTY, FINDINGS, KILLS, PASSED, RACE
from perfstudies.studies.esb.reliable_kills import kills
from perfstudies.studies.esb.server.reliable import PLACES

CUT = "connections cut before requests arrive"


def _numbers(text):
    return [float(part) for part in text.replace(", ", " ").translate(str.maketrans("[]±", "   ", ",")).split()]


def test_every_block_begins_its_kills_at_another_place_and_never_at_the_first_message():
    for side, places in PLACES.items():
        begun = [kills(side, 1, 40, block, 1)[0] for block in range(len(places))]
        assert {one.place for one in begun} == set(places)
        for block in range(20):
            planned = kills(side, 3, 10, block, 1)
            numbers = [one.number for one in planned]
            assert {one.place for one in planned} == set(places)
            assert numbers == sorted(set(numbers)) and 2 <= numbers[0] and numbers[-1] <= 10
    assert kills("server", 3, 100, 0, 1) == kills("server", 3, 100, 0, 1) != kills("server", 3, 100, 0, 2)


@pytest.mark.parametrize("experiment", [COST, FAULTY, RACE])
def test_every_profile_has_a_size_and_every_setting_its_properties(experiment):
    for profiles in KILLS.values():
        assert set(experiment.sizes) == set(profiles)
    for setting in experiment.settings():
        assert {"delivery", "text_length", "gap_ms"} <= set(experiment.properties(setting))


def _run(folder, calls=None, counted=None, passed="", messages=4):
    texts = {
        CALLS: "number,attempt,started_ns,ended_ns,outcome,detail\n"
        + (calls or "1,1,1000000,3000000,ok,\n2,1,4000000,5000000,lost,SocketException\n"),
        COUNTED: "number,committed,applied\n" + (counted or "1,1,1\n2,1,0\n3,1,2\n4,0,1\n"),
        PASSED: "ordinal,at_ns,action,cut\n" + passed,
    }
    for name, text in texts.items():
        plain = folder / name.removesuffix(".xz")
        plain.write_text(text)
        store.compress(plain, folder / name)
    manifest = {
        "run": folder.name, "workload": {"messages": messages, "kills": [{"side": "client"}]}, "sent_s": 1.5,
        "load_s": 2.0, "unacknowledged": 3, "undelivered": 0,
    }  # fmt: skip
    store.write_manifest(folder, manifest, tuple(texts))
    return store.Run(folder, json.loads((folder / store.MANIFEST).read_text()))


def test_what_is_lost_applied_twice_and_invented_comes_from_both_databases(tmp_path):
    logs = reliable_read.read(_run(tmp_path, passed="0,5,post,none\n1,6,post,before\n"))
    states = logs.samples.set_index("number")
    assert states["lost"].tolist() == [False, True, False, False]
    assert states["duplicated"].tolist() == [False, False, True, False]
    assert states["invented"].tolist() == [False, False, False, True]
    facts = {name: logs.facts[name] for name in ("sent", "committed", "lost", "duplicated", "invented", "wrong")}
    assert facts == {"sent": 4, "committed": 3, "lost": 1, "duplicated": 1, "invented": 1, "wrong": 3}
    assert (logs.facts["requests"], logs.facts["cuts"], logs.facts["unacknowledged"]) == (2, 1, 3)
    assert logs.calls["call_ms"].tolist() == [2.0, 1.0] and logs.calls["started_ms"].tolist() == [0.0, 3.0]


def test_a_cut_record_of_calls_is_set_aside_and_a_cut_count_is_not_believed(tmp_path):
    logs = reliable_read.read(_run(tmp_path, calls="1,1,1000000,3000000,ok,\n2,1,40"))
    assert len(logs.calls) == 1 and logs.truncated == (f"{tmp_path.name}/{CALLS}",)
    with pytest.raises(BadLog, match="not lost"):
        reliable_read.read(_run(tmp_path, counted="1,1,1\n2,1"))


@pytest.mark.parametrize(
    ("broken", "problem"),
    [
        ({"counted": "5,1,1\n"}, "no message of 4"),
        ({"counted": "1,2,1\n"}, "no message of 4"),
        ({"counted": "1,1,1\n1,1,1\n"}, "there twice"),
        ({"calls": "1,1,10,5,ok,\n"}, "ends before it starts"),
        ({"calls": "1,1,1,5,fine,\n"}, "fine"),
    ],
)
def test_broken_logs_are_named(tmp_path, broken, problem):
    with pytest.raises(BadLog, match=problem):
        reliable_read.read(_run(tmp_path, **broken))


def test_the_table_counts_messages_and_runs():
    table = reliable.faults_table(faults())
    assert len(table) == len(FAULTY.settings())
    row = table.loc[CUT, "Plain"]
    assert row["Messages"] == 100 and _numbers(row["Lost (%)"]) == [20.0, 20.0, 20.0]
    assert row["Applied more than once (%)"] == "0" and row["Runs with any"] == "10 of 10"
    share, low, high = _numbers(row["Share of runs (%)"])
    assert share == 100 and 70 < low < 75 and high == 100
    clean = table.loc[CUT, "WS-RM in transactions"]
    share, low, high = _numbers(clean["Share of runs (%)"])
    assert (share, low) == (0, 0) and 25 < high < 30 and clean["Runs with any"] == "0 of 10"


def test_a_race_counts_runs_with_a_wrong_message_and_not_what_a_client_still_holds():
    runs = pd.DataFrame(
        {
            "store_pause_ms": pd.Categorical(["0"] * 8, ["0", "50"]), "sent": 200, "kills": [[{}] * 5] * 8,
            "at_once": pd.Categorical(["any"] * 4 + ["one"] * 4, ["any", "one"]),
            "lost": [1, 2, 0, 0, 0, 5, 0, 0], "unacknowledged": [0, 0, 0, 0, 0, 5, 0, 0],
            "duplicated": [0, 0, 1, 0, 0, 0, 0, 0],
        }
    )  # fmt: skip
    recorded = replace(faults(), runs=runs)
    table = reliable_race.race_table(recorded).loc["at once"]
    assert table.loc["as they come", ["Lost", "Runs with any", "Kills"]].tolist() == [3, "3 of 4", 20]
    assert table.loc["one at a time", ["Lost", "Runs with any"]].tolist() == [0, "0 of 4"]
    assert table.loc["one at a time", "Given up, still with the client"] == 5
    # Three of four against none of four: 2 * 4 / 56.
    assert reliable_race.race_text(recorded).endswith("stored at once p = 0.143.")
    alone = replace(recorded, runs=runs[runs["at_once"] == "one"])
    assert "nothing to compare" in reliable_race.race_text(alone)


def test_runs_are_the_unit_of_the_intervals():
    recorded = faults(blocks=2)
    runs = recorded.runs.copy()
    runs.loc[(runs["delivery"] == "plain") & (runs["fault"] == "cut-before") & (runs["block"] == 0), "lost"] = 4
    row = reliable.faults_table(replace(recorded, runs=runs)).loc[CUT, "Plain"]
    estimate, low, high = _numbers(row["Lost (%)"])
    assert estimate == 30 and (low, high) == (0.0, 100.0)


def test_the_message_at_which_a_side_was_killed_is_followed():
    table = reliable.kills_table(faults())
    committed = table.loc["server: committed, nobody told"]
    assert committed["Plain"] == "10 lost of 10" and committed["WS-RM, stored"] == "10 twice of 10"
    assert committed["WS-RM in transactions"] == "all once of 10"
    assert table.loc["client: committed, not sent yet", "WS-RM, stored"] == "10 lost of 10"
    assert set(table.loc["client: the call has returned"]) == {"–"}


def test_a_message_that_is_in_neither_database_is_no_loss_but_told():
    recorded = faults(blocks=2)
    samples = recorded.samples[recorded.samples["number"] != 7]
    table = reliable.kills_table(replace(recorded, samples=samples))
    assert table.loc["server: committed, nobody told", "Plain"] == "all once of 2"
    assert reliable.check(recorded).startswith("All 600 messages of 60 runs are")
    runs = recorded.runs.assign(committed=9)
    assert "NOT every message" in reliable.check(replace(recorded, runs=runs))


def test_never_seen_is_not_never():
    said = reliable.bound(faults())
    assert "0 of these runs" in said and "at most 7 % of such runs" in said
    few = faults(blocks=2, experiment=FAULTY.select(delivery=["plain"]))
    assert "No run" in reliable.bound(few)


def test_verdicts_follow_the_counts():
    found = {one.finding.id: one for one in verdicts.judge(reliable.cases(faults()))}
    assert list(found) == [one.id for one in FINDINGS]
    assert {name: one.outcome for name, one in found.items()} == dict.fromkeys(found, "reproduced")
    assert found["E10-plain"].estimate == 3 and found["E10-stored"].estimate == 2
    broken = {("transactional", "everything"): {"lost": (3,)}, ("reliable", "cut-after"): {"duplicated": (3,)}}
    found = {one.finding.id: one.outcome for one in verdicts.judge(reliable.cases(faults(wrong=broken)))}
    assert found == dict.fromkeys(found, "not reproduced")


def test_faults_none_have_no_part_in_the_findings():
    wrong = {("transactional", "none"): {"lost": (1,)}}
    (first, *_) = verdicts.judge(reliable.cases(faults(wrong=wrong)))
    assert first.outcome == "reproduced"


def test_the_figure_draws_its_numbers():
    numbers = reliable.drawn(faults())
    panels = reliable.figure(numbers).axes
    assert [panel.get_title(loc="left") for panel in panels] == list(FAULTY.factors[1].labels)
    widths = [patch.get_width() for patch in panels[1].patches]
    assert min(widths) == -numbers.loc[(CUT, "Plain"), "Lost"] == -20 and max(widths) == 0
    assert f"{CUT}, Plain: 20.0 % lost" in reliable.describe(numbers)


def test_costs_are_ratios_within_blocks():
    recorded = cost()
    calls, said = reliable_cost.settled(recorded)
    assert "steady" in said
    runs = reliable_cost.run_costs(recorded, calls)
    table = reliable_cost.cost_table(runs)
    for column, tolerance in (("Time to plain", 0.05), ("CPU to plain", 1e-6)):
        ratio = _numbers(table.loc["WS-RM in transactions", column])[0]
        assert ratio == pytest.approx(COST_MS["transactional"] / COST_MS["plain"], rel=tolerance)
    assert table.isna().loc["Plain", "Time to plain"]
    assert _numbers(table.loc["WS-RM, stored", "CPU, client (ms)"])[0] == COST_MS["reliable-stored"] / 2


@pytest.mark.parametrize("levels", [tuple(COST_MS), ("reliable",), ("plain",)])
@pytest.mark.parametrize("blocks", [1, 2])
def test_costs_come_out_of_few_runs_too(blocks, levels):
    recorded = cost(blocks, messages=50, levels=levels)
    runs = reliable_cost.run_costs(recorded, reliable_cost.settled(recorded)[0])
    assert tables.table(reliable_cost.cost_table(runs), "made").to_text()
    series = reliable_cost.series(runs)
    assert len(reliable_cost.drawn_numbers(series)) == len(levels)
    assert reliable_cost.figure(series).axes and reliable_cost.describe(series)


@pytest.mark.parametrize("blocks", [1, 2])
@pytest.mark.parametrize("levels", [{}, {"delivery": ["plain"]}, {"fault": ["none"]}, {"fault": ["cut-after"]}])
def test_faults_come_out_of_few_runs_too(blocks, levels):
    recorded = faults(blocks, experiment=FAULTY.select(**levels))
    for frame in (reliable.faults_table(recorded), reliable.kills_table(recorded)):
        assert tables.table(frame, "made").to_html()
    assert reliable.check(recorded) and reliable.bound(recorded)
    numbers = reliable.drawn(recorded)
    assert isinstance(numbers, pd.DataFrame) and reliable.figure(numbers).axes and reliable.describe(numbers)
    assert len(verdicts.judge(reliable.cases(recorded))) == len(FINDINGS)
