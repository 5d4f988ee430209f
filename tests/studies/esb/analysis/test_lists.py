import numpy as np
import pytest

from made.esb import lists, recording, run_row
from perfstudies.stats import verdicts
from perfstudies.studies.esb import declared as esb
from perfstudies.studies.esb.analysis import cases, cpu, hop, variance
from perfstudies.studies.esb.analysis import lists as esb_lists
from perfstudies.studies.esb.analysis import runs as esb_runs
from perfstudies.studies.esb.published import published_lists

LEVELS = (1000, 500, 250, 100, 50)
LIKE_THE_POST = {
    route: {clients: float(rate) for clients, rate in column.items()} for route, column in published_lists().items()
}


def test_the_lists_are_the_posts():
    said = published_lists()
    assert said.index.tolist() == list(LEVELS)
    assert said["direct"].tolist() == [13140.52, 13747.96, 13004.18, 13297.51, 13039.79]
    assert said["synapse"].tolist() == [1179.16, 1360.03, 1471.56, 1532.91, 1526.42]
    assert said["synapse-tuned"].tolist() == [5562.29, 5628.08, 5679.52, 5609.53, 5159.77]
    assert said["camel"].tolist() == [4591.54, 3797.29, 2826.34, 1516.03, 1140.33]
    assert said["camel-zero-copy"].tolist() == [4602.64, 3774.64, 2644.13, 1538.64, 1123.28]


def test_a_table_has_published_beside_measured_by_list_and_clients():
    shown = esb_lists.lists_table(lists({"direct": dict.fromkeys(LEVELS, 2000.0), "synapse": {50: 1000.0}}))
    direct = shown.loc["Direct", "Direct"]
    assert direct.index.tolist() == ["1,000", "500", "250", "100", "50"]
    assert direct.iloc[0].tolist() == [13140.52, "2,030 ± 41"]
    synapse = shown.loc["WSO2 ESB, default"]
    assert synapse.index.tolist() == [("Synapse", "50")] and synapse.iloc[0].tolist() == [1526.42, "1,015 ± 21"]
    assert len(shown) == 6


def test_ratios_are_geometric_means_over_levels_within_blocks():
    rates = {"direct": {50: 400.0, 1000: 100.0}, "synapse": {50: 100.0, 1000: 100.0}}
    found = esb_lists.ratio(lists(rates).runs, "direct", "synapse")
    assert found.tolist() == pytest.approx([2.0] * 4)


def test_a_block_that_lacks_a_level_has_no_ratio():
    made = lists({"direct": {50: 400.0, 1000: 100.0}, "synapse": {50: 100.0, 1000: 100.0}})
    lacking = (made.runs["block"] == 2) & (made.runs["route"] == "direct") & (made.runs["connections"] == "50")
    runs = made.runs[~lacking]
    assert esb_lists.ratio(runs, "direct", "synapse").index.tolist() == [0, 1, 3]


def test_growth_is_the_exponent_over_clients():
    made = lists({"camel": {clients: clients**0.5 for clients in LEVELS}})
    assert esb_lists.growth(made.runs, "camel").tolist() == pytest.approx([0.5] * 4)


def test_shares_are_of_the_same_number_of_clients():
    made = lists({"direct": {50: 400.0, 1000: 100.0}, "synapse": {50: 100.0, 1000: 50.0}})
    found = esb_lists.shares(made)["Synapse"]
    assert found["estimate"].to_dict() == pytest.approx({"50": 0.25, "1,000": 0.5})
    assert found.loc["50", "published"] == pytest.approx(1526.42 / 13039.79)


def test_numbers_like_the_posts_reproduce_its_findings():
    runs = lists(LIKE_THE_POST, camel={"ready_growth": 1.5}, synapse={"idle": 50.0, "engine_system_us": 100.0})
    bounds = lists({"direct": {50: 100.0}, "tcp-relay": {50: 90.0}}, experiment=esb.BOUNDS)
    rows = [
        run_row(n, n // 4, {"route": route, "open_files": limit}, 100, failed=failed, ok=1000 - failed)
        for n, (route, limit, failed) in enumerate(
            4
            * [
                ("synapse", "1024", 0), ("synapse", "20000", 0), ("synapse-tuned", "1024", 300),
                ("synapse-tuned", "20000", 0),
            ]
        )
    ]  # fmt: skip
    limited = recording(esb.OPEN_FILES, rows)
    judged = verdicts.judge(cases.throughput_cases(runs, bounds, limited))
    assert {one.finding.id: one.outcome for one in judged} == dict.fromkeys(
        (one.finding.id for one in judged), "reproduced"
    )
    assert len(judged) == 16


def test_an_engine_that_costs_nothing_refutes_that_a_hop_always_costs():
    rates = {"direct": dict.fromkeys(LEVELS, 100.0), "synapse": dict.fromkeys(LEVELS, 50.0)}
    assert hop.largest_share(lists(rates).runs).tolist() == pytest.approx([0.5] * 4)
    rates["camel"] = dict.fromkeys(LEVELS, 10.0) | {50: 120.0}
    assert hop.largest_share(lists(rates).runs).tolist() == pytest.approx([1.2] * 4)


def test_the_kernel_s_part_of_a_hop_is_that_of_the_time_it_adds():
    made = lists(
        {"direct": {50: 100.0}, "synapse": {50: 50.0}},
        direct={"engine_user_us": 0.0, "engine_system_us": 0.0},
        synapse={"engine_user_us": 60.0, "engine_system_us": 30.0, "backend_system_us": 20.0},
    )
    # 60 and 30 of the engine, and 10 more of the back end in the kernel: 40 of 100.
    assert cpu.extra_in_kernel(made.runs, "synapse").tolist() == pytest.approx([40.0] * 4)
    table = cpu.kernel_table(made, ["synapse"])
    assert table.iloc[0].tolist() == ["100 ± 0", "40.0 ± 0.0"]


def test_messages_that_are_not_accounted_for_are_said():
    made = lists({"direct": {50: 100.0, 1000: 100.0}}, blocks=1)
    assert esb_runs.accounted(made) == "Every one of 2,000 messages sent is accounted for, in each of 2 runs"
    made.runs.loc[0, "sent"] = 1001
    assert esb_runs.accounted(made) == "In 1 of 2 runs not every message sent is accounted for"


def test_outcomes_are_counted_by_level():
    rows = [
        run_row(0, 0, {"route": "synapse", "open_files": "1024"}, 10, failed=7, ok=993),
        run_row(1, 0, {"route": "synapse", "open_files": "20000"}, 10),
    ]
    shown = esb_runs.outcomes_table(
        recording(esb.OPEN_FILES, rows, {"r0": "refused"}), esb.OPEN_FILES, "open_files", "Limit"
    )
    assert shown.loc["1,024 open files"].to_dict() == {"refused": 7}
    assert shown.loc["20,000 open files"].to_dict() == {"refused": 0}


def test_variance_needs_two_blocks_of_all_combinations():
    rates = {"direct": {50: 400.0, 1000: 300.0}, "synapse": {50: 100.0, 1000: 200.0}}
    made = lists(rates, blocks=1)
    assert "No analysis" in variance.variance_table(made, "per_s", "c").note
    rng = np.random.default_rng(1)
    made = lists(rates)
    made.runs["per_s"] *= rng.uniform(0.99, 1.01, len(made.runs))
    shown = variance.variance_table(made, "per_s", "c").frame
    assert {"Way", "Clients", "Way × Clients"} < set(shown.index)
    assert shown.loc["Way × Clients", "p"] == "< 0.001"


def test_the_course_of_a_run_is_in_per_cent_of_its_steady_rate():
    found = esb_runs.course(lists({"direct": {50: 100.0}}), "route", esb.THROUGHPUT)
    assert found["Direct"].tolist() == pytest.approx([100.0] * 4)


def test_a_run_without_a_steady_state_is_said():
    made = lists({"direct": {50: 100.0, 1000: 100.0}}, blocks=1)
    assert "2 of 2 runs have a steady state" in esb_runs.steady_text(made)
    made.runs.loc[0, "steady_from_s"] = np.nan
    assert "1 of 2 runs" in esb_runs.steady_text(made) and "analysed whole" in esb_runs.steady_text(made)


def test_trends_are_ratios_of_the_ends_and_exponents():
    shown = variance.trends_table(lists({"camel": {50: 100.0, 1000: 400.0}}))
    assert shown.loc["Camel", "1,000 over 50 clients"] == "4.00 [4.00, 4.00]"
