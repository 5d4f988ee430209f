import pandas as pd
import pytest

from made.aaa_limits import closed
from perfstudies.report import points
from perfstudies.stats import verdicts
from perfstudies.studies.aaa import declared as aaa
from perfstudies.studies.aaa.analysis import closed as aaa_closed
from perfstudies.studies.aaa.analysis import questions


@pytest.fixture(scope="module")
def conditions():
    recorded = closed(aaa.CONDITIONS, lambda setting: 2 + 0.01 * int(setting["policy"].removeprefix("Conditions")))
    return questions.with_conditions(aaa_closed.run_table(recorded, "policy"))


def mixes():
    cost = {"valid": 2.0, "invalid-20": 1.8, "complex-20": 4.0, "both-20": 3.8}
    outcome = ["soap fault"] * 2 + ["ok"] * 8

    def more(setting):
        return {"outcome": outcome * 8} if setting["mix"] in ("invalid-20", "both-20") else {}

    def facts(setting, frame):
        return {"cpu_server_s": cost[setting["mix"]] * len(frame) / 1000}

    return aaa_closed.run_table(closed(aaa.MIXES, lambda setting: cost[setting["mix"]], more=more, facts=facts), "mix")


def clients(step=lambda count: max(1.0, count / 2)):
    def count(setting):
        return int(setting["concurrency"])

    recorded = closed(aaa.CONCURRENT_CLIENTS, lambda setting: step(count(setting)), count)
    return questions.clients_runs(aaa_closed.run_table(recorded, "concurrency"))


def beans(ratio):
    recorded = closed(aaa.BEANS, lambda setting: ratio if setting["repository"] == "entity" else 1.0)
    return aaa_closed.run_table(recorded, "repository")


def connections():
    recorded = closed(aaa.CONNECTIONS, lambda setting: {"1": 4, "2": 3}.get(setting["database.connections"], 2))
    return aaa_closed.run_table(recorded, "database.connections")


def databases():
    recorded = closed(aaa.DATABASES, lambda setting: 4.0 if setting["database"] == "mariadb" else 3.0)
    return aaa_closed.run_table(recorded, "database")


def processors(ratio):
    recorded = closed(aaa.PROCESSORS, lambda setting: ratio if setting["cpus"] == "1" else 1.0)
    return aaa_closed.run_table(recorded, "cpus")


def test_throughput_counts_from_the_first_start_to_the_last_end(conditions):
    run = conditions[(conditions["block"] == 0) & (conditions["conditions"] == 1000)].iloc[0]
    assert run["requests"] == run["ok"] == 80
    assert run["per_s"] == pytest.approx(8 * 1000 / run["total_ms"])
    assert run["under_way"] == pytest.approx(8)
    assert run["processors"] == 0.5 and run["server_ms"] == pytest.approx(5000 / 80)


def test_growth_is_an_exponent_and_a_cost_a_condition(conditions):
    table = questions.growth_table(conditions)
    assert table.loc["Total time", "100 to 1000"].startswith("0.6")
    assert float(table.loc["Total time", "µs a condition"].split()[0]) == pytest.approx(10, abs=0.4)
    one = questions.growth_table(conditions[conditions["block"] == 0])
    assert one.loc["Total time", "µs a condition"].endswith("[no interval]")
    alone = questions.growth_table(conditions[conditions["conditions"] == 1])
    assert alone.loc["Total time", "µs a condition"] == "–"


def test_curves_are_drawn_with_their_levels(conditions):
    drawn = aaa_closed.points(conditions, aaa.CONDITIONS.factors[0], ("total_ms", "per_s"))
    panels = {"Time (ms)": {"total_ms": "total time"}, "Requests/s": {"per_s": "requests/s"}}
    figure = aaa_closed.curves_figure(drawn, [1, 10, 100, 1000], "Conditions", panels)
    assert [axes.get_xscale() for axes in figure.axes] == ["log", "log"]
    assert "requests/s: from 3,9" in aaa_closed.describe_curves(drawn, "Conditions", panels)


def test_mixes_add_up_unless_they_do_not():
    runs = mixes()
    table = questions.additivity(runs)
    assert table.loc["Server's CPU time", "20 % complex"] == "2.000 [2.000, 2.000]"
    assert table.loc["Server's CPU time", "Both less the sum"].split()[0] in ("0.000", "-0.000")
    assert aaa_closed.means_table(runs, aaa.MIXES.factors[0]).loc["20 % invalid", "Answered"] == "384 of 480"
    assert aaa_closed.means_table(runs, aaa.MIXES.factors[0]).loc["20 % invalid", "SOAP faults"] == "96"


def test_levels_are_compared_with_a_base_within_blocks():
    factor = aaa.CONNECTIONS.factors[0]
    table = aaa_closed.ratios_table(connections(), factor, "8")
    others = ("1 connection", "2 connections", "32 connections")
    assert table.index.tolist() == [f"{one} / 8 connections" for one in others]
    assert table.loc["1 connection / 8 connections", "Requests/s"].startswith("0.499 [")
    assert table.loc["1 connection / 8 connections", "p of requests/s"] == "< 0.001"
    series = aaa_closed.ratio_series(connections(), factor, "8", {"per_s": "requests/s", "total_ms": "total time"})
    assert points.points(series, "Connections", "Ratio", 1).axes[0].get_yscale() == "log"
    assert "total time, 1 connection: 2.0" in aaa_closed.describe_ratios(series, "8 connections")


def test_without_the_base_nothing_is_compared():
    runs = connections()
    runs = runs[runs["database.connections"] == "8"]
    assert aaa_closed.ratios_table(runs, aaa.CONNECTIONS.factors[0], "8").index.tolist() == ["None measured"]


def test_clients_are_the_connections_of_all_who_send():
    recorded = closed(aaa.CONCURRENT_CLIENTS, lambda setting: 1.0, lambda setting: 4 * int(setting["concurrency"]))
    four = recorded.samples.assign(client=recorded.samples["number"] % 4)
    runs = aaa_closed.run_table(type(recorded)(**{**vars(recorded), "samples": four}), "concurrency")
    found = questions.clients_runs(runs)
    levels = [int(level) for level in aaa.CONCURRENT_CLIENTS.factors[0].levels]
    assert found["clients"].unique().tolist() == [4 * level for level in levels]
    table = aaa_closed.means_table(found, questions.at_once(found))
    assert table.index.tolist()[-1] == str(4 * levels[-1])


def test_more_clients_grow_from_the_study_s_four_on():
    table = questions.clients_trend(clients())
    assert table.loc["Total time", "From 4 clients on"].startswith("1.0")
    assert "% a doubling" in table.loc["Total time", "From 4 clients on"]
    assert table.loc["Requests in the servlet", "From 4 clients on"].startswith("1.00")


def test_how_busy_the_pools_were_is_told_for_each_experiment():
    experiment = aaa.BEANS
    recorded = closed(experiment, lambda setting: 1.0)
    table = questions.busy_table({"Beans": (recorded, experiment.factors[0])})
    assert table.index.tolist() == [("Beans", "session bean (JDBC)"), ("Beans", "entity bean (JPA)")]
    assert table["Threads", "mean busy"].tolist() == [8, 8]


@pytest.mark.parametrize("ratio, says", [(1.5, "less than double"), (3, "more than double"), (2, "double is within")])
def test_every_open_question_has_an_answer(conditions, ratio, says):
    runs = {
        "conditions": conditions, "mixes": mixes(), "connections": connections(), "processors": processors(ratio),
        "databases": databases(), "beans": beans(1.2), "clients": clients(),
    }  # fmt: skip
    table = questions.answers(runs)
    assert says in table.loc["Is it double with twice the processors?", "Answer"]
    assert table.loc["Do database connections matter: fewer?", "Answer"].startswith("0.5")
    assert table.loc["Does it matter which database it is?", "Answer"].startswith("0.75")
    assert not (table["Answer"] == "–").any()


def judged(beans_runs, clients_runs, lead=4.0):
    leads = {name: pd.Series([lead * 0.99, lead, lead * 1.01, lead]) for name in ("ejb_ms", "total_ms", "per_s")}
    return {one.finding.id: one.outcome for one in verdicts.judge(questions.cases(beans_runs, clients_runs, leads))}


def test_findings_follow_the_runs():
    good = judged(beans(3.0), clients())
    assert set(good.values()) == {"reproduced"} and len(good) == 7
    flat = judged(beans(1.1), clients(lambda count: 1.0), lead=0.5)
    assert {flat[name] for name in ("A14", "A14-repository", "A18-times", "A7", "A7-total")} == {"not reproduced"}


def test_findings_need_more_than_one_block():
    one = judged(beans(3.0).query("block == 0"), clients().query("block == 0"))
    assert {one[name] for name in ("A14", "A18-times", "A18-queues")} == {"inconclusive"}
