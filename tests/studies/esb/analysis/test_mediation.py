from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from made import esb_loads as made
from perfstudies.report import settings
from perfstudies.studies.esb.analysis import (
    clients as esb_clients,
)
from perfstudies.studies.esb.analysis import (
    failures,
    mediation_cost,
    mediation_growth,
    mediation_said,
)
from perfstudies.studies.esb.analysis import (
    mediation as esb_mediation,
)
from perfstudies.studies.esb.analysis import runs as esb_runs
from perfstudies.studies.esb.declared import CLIENTS, MEDIATION

LENGTHS = (500, 1024, 5120, 10240, 102400)
COST = {
    "direct": 1.0, "cbr-body": 2.0, "cbr-soap-header": 1.25, "cbr-transport-header": 1.0, "xslt": 4.0, "secure": 10.0,
}  # fmt: skip
"""How many times longer a message takes than one that passes through."""
CAMEL = dict.fromkeys(COST, 1.5) | {"cbr-body": 0.5}
"""Messages a second through Camel over Synapse."""


def _spread(block, at):
    """Return a factor that differs by block and setting, with a geometric mean of 1 over four blocks."""
    return float(np.exp(0.01 * ((block + at) % 4 - 1.5)))


def mediation(blocks=4, growth=1.0, **more):
    """Make runs whose rate falls with the proxy's cost; the engine takes 100 µs and 50 µs of kernel at 1 KB."""
    runs = []
    for block in range(blocks):
        for at, setting in enumerate(MEDIATION.settings()):
            rate = 1000 / COST[setting["proxy"]] * (CAMEL[setting["proxy"]] if setting["route"] == "camel" else 1)
            longer = (int(setting["message_bytes"]) / 1024) ** growth
            # Both engines and all proxies of a block and length share its luck.
            rate *= _spread(block, LENGTHS.index(int(setting["message_bytes"])))
            used = {"engine_user_us": 100 * longer, "engine_system_us": 50 * longer}
            runs.append(made.run(block, setting, rate, **used, **more))
            runs[-1]["run"] += f"-{at}"
    return made.recording(MEDIATION, runs)


@pytest.fixture(scope="module")
def recorded():
    return esb_mediation.prepared(mediation())


def test_bytes_a_second_are_those_of_plain_envelopes(recorded):
    # A secured message is longer on the wire; what it carries is not.
    longer = mediation(message_length=9999)
    runs = esb_mediation.prepared(longer).runs
    assert (runs["mb_per_s"] == runs["per_s"] * runs["message_bytes"].astype(int) / 1e6).all()
    table = esb_mediation.values_table(recorded, MEDIATION, "mb_per_s", 1)
    assert table.loc[("Synapse", "Direct"), "100 KB"].startswith("102.4 ±")
    assert table.columns.tolist() == ["500 B", "1 KB", "5 KB", "10 KB", "100 KB"]
    assert esb_mediation.wire_table(esb_mediation.prepared(longer), MEDIATION).loc["XSLT", "500 B"] == 9999


def test_a_proxy_is_compared_with_passing_on_within_blocks(recorded):
    ratios = mediation_cost.against_direct(recorded)
    assert len(ratios) == 10
    for (route, proxy), row in ratios.iterrows():
        expected = CAMEL[proxy] / CAMEL["direct"] / COST[proxy] if route == "camel" else 1 / COST[proxy]
        assert (row["ratio"], row["low"], row["high"]) == pytest.approx((expected,) * 3)
    table = mediation_cost.against_direct_table(recorded, MEDIATION)
    assert table.loc[("Synapse", "XSLT")].tolist() == ["0.25 [0.25, 0.25]"] * 6
    points = mediation_cost.cost_points(recorded, MEDIATION)
    assert points["Camel"].loc["Routing on body", "estimate"] == pytest.approx(0.5 / 1.5 / 2)


def _changed(recorded, **columns):
    return replace(recorded, runs=recorded.runs.assign(**columns))


def test_the_intervals_of_a_family_are_wider_than_one_alone():
    made_runs = mediation()
    luck = made_runs.runs["per_s"] * np.where(made_runs.runs["proxy"] == "xslt", 1 + 0.05 * made_runs.runs["block"], 1)
    recorded = esb_mediation.prepared(_changed(made_runs, per_s=luck))
    one = mediation_cost.against_direct_table(recorded, MEDIATION).loc[("Synapse", "XSLT")]
    widths = [_width(one[name]) for name in ("10 KB", "All lengths")]
    assert widths[1] > 1.3 * widths[0] > 0


def _width(text):
    low, high = text.split("[")[1].rstrip("]").split(", ")
    return float(high) - float(low)


def test_which_engine_is_faster_is_said_by_proxy(recorded):
    table = mediation_cost.engines_table(recorded, MEDIATION)
    assert table["Camel is"].to_dict() == {
        "Direct": "faster", "Routing on body": "slower", "Routing on SOAP header": "faster",
        "Routing on transport header": "faster", "XSLT": "faster", "WS-Security": "faster",
    }  # fmt: skip
    assert table.loc["Routing on body", "Messages/s"] == "0.50 [0.50, 0.50]"
    assert table.loc["Direct", "Engine's processor time"] == "1.00 [1.00, 1.00]"
    assert mediation_cost.engine_points(recorded, MEDIATION)["XSLT"].loc["5 KB", "estimate"] == pytest.approx(1.5)
    assert mediation_cost.verdict(0.9, 1.2) == "not told apart"
    assert mediation_cost.verdict(np.nan, np.nan) == "not told apart"


def test_the_engine_s_time_is_split_and_its_exponent_found():
    recorded = esb_mediation.prepared(mediation(growth=0.5))
    split = mediation_cost.split_table(recorded, MEDIATION)
    assert split.loc[("Camel", "XSLT", "own code (µs)"), "1 KB"].startswith("100 ")
    assert split.loc[("Camel", "XSLT", "kernel (%)"), "100 KB"] == "33.3 ± 0.0"
    table = mediation_growth.growth_table(recorded, MEDIATION, "engine_us", 1)
    assert table.columns.tolist() == [
        "All lengths", "500 B to 1 KB", "1 KB to 5 KB", "5 KB to 10 KB", "10 KB to 100 KB", "Each further KB"
    ]  # fmt: skip
    assert {*table.iloc[:, :-1].to_numpy().ravel()} == {"0.50 [0.50, 0.50]"}
    further = 150 * (100**0.5 - (500 / 1024) ** 0.5) / (100 - 500 / 1024)
    assert float(table["Each further KB"].iloc[0].split(" ")[0]) == pytest.approx(further, abs=0.05)
    parts = mediation_cost.parts(recorded, MEDIATION, "1024")
    assert parts.loc["XSLT, Camel"].tolist() == [10, 20, 100, 50, 40, 30]


def test_runs_whose_steady_part_has_no_answer_do_not_break_the_growth():
    whole = esb_mediation.prepared(mediation())
    missing = (whole.runs["proxy"] == "xslt") & (whole.runs["message_bytes"] == "102400")
    recorded = _changed(whole, engine_us=whole.runs["engine_us"].where(~missing))
    row = mediation_growth.growth_table(recorded, MEDIATION, "engine_us").loc[("Camel", "XSLT")]
    assert row["All lengths"] == "1.00 [1.00, 1.00]" and pd.isna(row["10 KB to 100 KB"])


def test_a_figure_has_a_line_a_proxy_in_each_engine_s_panel(recorded):
    drawn = esb_mediation.drawn(recorded, MEDIATION, "engine_us")
    assert drawn.loc[("Camel", "XSLT", "100 KB"), "estimate"] == pytest.approx(15_000)
    figure = esb_mediation.over_length_figure(drawn, "Time (µs)", proportional=True)
    assert [axes.get_title() for axes in figure.axes] == ["Synapse", "Camel"]
    texts = [text.get_text() for text in figure.legends[0].get_texts()]
    assert sorted(texts) == sorted([*MEDIATION.factors[1].labels, "in proportion"])
    words = esb_mediation.describe_over_length(drawn, "processor time")
    assert "from 500 B to 100 KB" in words and "Camel, XSLT: from 73 to 15,000" in words


def test_what_was_not_measured_or_never_answered_is_said_and_not_compared():
    whole = mediation()
    runs = whole.runs
    mute = (runs["route"] == "camel") & (runs["proxy"] == "secure")
    runs = runs.assign(ok=runs["ok"].where(~mute, 0), per_s=runs["per_s"].where(~mute, 0.0))
    broken = _changed(whole, **{name: runs[name] for name in ("ok", "per_s")})
    said = esb_mediation.unanswered(broken, MEDIATION)
    assert said.startswith("Not one message was answered: Camel, WS-Security, 500 B (4 runs)")
    recorded = esb_mediation.prepared(broken)
    assert ("Camel", "WS-Security") not in esb_mediation.values_table(recorded, MEDIATION, "per_s").index
    assert ("camel", "secure") not in mediation_cost.against_direct(recorded).index
    assert "WS-Security" not in mediation_cost.engines_table(recorded, MEDIATION).index
    assert esb_mediation.unanswered(whole, MEDIATION) == "Every setting was measured."
    one = [made.run(0, MEDIATION.settings()[0], 10)]
    skipped = made.recording(MEDIATION, one, skipped=["camel secure 500: no Java"])
    assert esb_mediation.unanswered(skipped, MEDIATION) == "Not measured: camel secure 500: no Java."


def test_one_block_gives_estimates_without_intervals():
    recorded = esb_mediation.prepared(mediation(blocks=1))
    assert mediation_cost.against_direct_table(recorded, MEDIATION).iloc[0, 0] == "0.50 [no interval]"
    assert set(mediation_cost.engines_table(recorded, MEDIATION)["Camel is"]) == {"not told apart"}
    assert "[no interval]" in mediation_growth.growth_table(recorded, MEDIATION, "engine_us").iloc[0, 0]


def test_few_levels_are_enough():
    one = MEDIATION.select(route=["camel"], message_bytes=["500"])
    runs = [made.run(block, setting, 100.0) for block in range(2) for setting in one.settings()]
    recorded = esb_mediation.prepared(made.recording(one, runs))
    assert mediation_cost.engines_table(recorded, one).index.tolist() == ["None measured"]
    assert mediation_cost.engine_points(recorded, one) == {}
    assert mediation_growth.growth_table(recorded, one, "engine_us").iloc[0].tolist() == ["–", "–"]
    assert esb_mediation.shown_length(recorded) == "500"


FAILING = {"synapse": {"reset": 60}, "camel": {}}


def clients(blocks=4):
    """Make runs whose rate falls by the square root of clients and whose tail grows with them; Synapse fails most."""
    runs = []
    for block in range(blocks):
        for setting in CLIENTS.settings():
            many = int(setting["connections"])
            rate = {"synapse": 1000, "camel": 2000}[setting["route"]] * (20 / many) ** 0.5
            failed = FAILING[setting["route"]] if many == 2560 else {}
            runs.append(made.run(block, setting, rate * (1 + block / 100), failed=failed, response_p99_ms=many / 10))
    return made.recording(CLIENTS, runs)


@pytest.fixture(scope="module")
def many():
    return esb_clients.prepared(clients())


def test_all_clients_are_accounted_for(many):
    assert "Every one of" in esb_runs.accounted(many)


def test_the_trend_over_clients_is_an_exponent_and_a_ratio(many):
    table = esb_clients.trend_table(many, CLIENTS)
    ratio = (20 / 2560) ** 0.5
    assert table.loc[("Direct", "Synapse"), "Messages/s, most over fewest"] == f"{ratio:.2f} [{ratio:.2f}, {ratio:.2f}]"
    assert {*table["Messages/s, exponent"]} == {"-0.500 [-0.500, -0.500]"}
    assert {*table["99 % within, most over fewest"]} == {"128.0 [128.0, 128.0]"}
    times = esb_clients.times_table(many, CLIENTS)
    assert times.loc[("XSLT", "Synapse", "1,280"), "99 % within (ms)"] == "128.0 ± 0.0"


def test_failures_are_shown_by_outcome_with_their_share(many):
    factors, names = ["proxy", "route", "connections"], ["Proxy", "Engine", "Clients"]
    table = failures.failures_table(many, CLIENTS, factors, names)
    assert table.index.tolist() == [(proxy, "Synapse", "2,560") for proxy in ("Direct", "Routing on body", "XSLT")]
    assert table["Reset"].tolist() == [240] * 3 and table["Runs"].tolist() == [4] * 3
    sent = settings.at(many.runs, {"proxy": "xslt", "route": "synapse", "connections": "2560"})["sent"]
    share = 100 * np.mean([60 / each for each in sent])
    assert float(table["Failed (%)"].iloc[0].split(" ")[0]) == pytest.approx(share, abs=5e-4)
    clean = _changed(many, failed=0)
    table = failures.failures_table(clean, CLIENTS, factors, names)
    assert table.index.tolist() == ["All: none failed"] and table["Sent"].iloc[0] == many.runs["sent"].sum()
    assert failures.failed_text(clean.runs).startswith("none of ")
    assert failures.failed_text(many.runs).startswith("720 of ")
    rare = pd.DataFrame({"sent": [4_000_000, 68_306], "failed": [4, 0]})
    assert failures.failed_text(rare) == "4 of 4,068,306 messages failed (0.0000983 %), in 1 of 2 runs"


def test_the_figure_over_clients_has_a_panel_a_proxy_and_lines_for_each_engine(many):
    rate = {"rate": esb_clients.drawn(many, CLIENTS, "per_s")}
    figure = esb_clients.clients_figure(rate, "Messages/s")
    assert [len(axes.containers) for axes in figure.axes] == [2, 2, 2]
    tails = {
        name: esb_clients.drawn(many, CLIENTS, column)
        for name, column in (("50 % within", "response_p50_ms"), ("99 % within", "response_p99_ms"))
    }
    figure = esb_clients.clients_figure(tails, "Time (ms)")
    assert [len(axes.containers) for axes in figure.axes] == [4, 4, 4]
    assert esb_clients.beside(tails).columns.nlevels == 2
    assert "XSLT, Camel, 99 % within: 2.0 at 20 clients and 256.0 at 2,560" in esb_clients.describe_clients(tails, 1)


def test_what_was_found_is_computed(recorded, many):
    table = mediation_said.found_table(recorded, MEDIATION, many, CLIENTS)["Found"]
    assert table["What does it cost: XSLT?"].startswith(
        "Synapse: 0.25 [0.25, 0.25] of what passes through, costs throughput; Camel: 0.25"
    )
    assert "Routing on transport header?" in " ".join(table.index)
    assert "is not told apart from passing on" in table["What does it cost: Routing on transport header?"]
    engines = table["Which engine is faster?"]
    assert "Camel is slower at Routing on body (0.50 [0.50, 0.50])" in engines and "not told apart" not in engines
    growth = table["How does the engine's processor time grow with length?"]
    assert growth.startswith("From 10 KB to 100 KB its exponent is lowest for") and "1.00 [1.00, 1.00]" in growth
    assert "0 of 12 grow faster than the length" in growth
    more = table["What do more clients do?"]
    assert more.startswith("Messages/s at 2,560 over 20 clients are Direct, Synapse: 0.09")
    assert "Direct, Synapse: from 2,560 clients on" in table["Do messages fail with more clients?"]


def test_what_was_not_measured_is_not_found():
    one = MEDIATION.select(route=["camel"], proxy=["direct"], message_bytes=["500"])
    few = CLIENTS.select(route=["camel"], proxy=["direct"], connections=["20"])
    parts = [made.recording(each, [made.run(0, each.settings()[0], 10.0)]) for each in (one, few)]
    table = mediation_said.found_table(esb_mediation.prepared(parts[0]), one, esb_clients.prepared(parts[1]), few)
    assert table["Found"].tolist() == ["Not measured."] * 3 + ["None of 60 messages failed."]
