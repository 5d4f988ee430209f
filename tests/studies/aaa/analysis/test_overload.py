import numpy as np
import pandas as pd
import pytest

from made.aaa_limits import recording, requests, unseen
from perfstudies.stats import verdicts
from perfstudies.studies.aaa.analysis import burst_times, recovery
from perfstudies.studies.aaa.analysis import overload as aaa_overload
from perfstudies.studies.aaa.analysis import said as aaa_said
from perfstudies.studies.aaa.declared import BURST
from perfstudies.studies.aaa.findings_limits import OVERLOAD_FINDINGS

EXPERIMENT = BURST.select(requests=["1000", "8000"])


def phases(burst, after_ms=12.0, after_outcome="ok"):
    end = burst["ended_us"].max()
    before = requests(20, phase="before", client=1, started_us=-1e6 + 20_000.0 * np.arange(20))
    after = requests(
        20, phase="after", client=2, started_us=end + 20_000.0 * np.arange(20), total_ms=after_ms, outcome=after_outcome
    )
    return pd.concat([before, burst, after], ignore_index=True)


def burst(size, timed_out=0, refused=0):
    """Requests served 100 at a time, 10 ms each; the last ones time out in the server's queue or are refused."""
    place = np.arange(size)
    ended = 10_000.0 * (place // 100 + 1)
    outcome = np.full(size, "ok", dtype=object)
    outcome[size - timed_out - refused : size - refused] = "timed out"
    outcome[size - refused :] = "refused"
    ended[outcome == "timed out"] = 500_000.0
    frame = requests(
        size, phase="burst", ended_us=ended, entered_us=10_000.0 * (place // 100), servlet_ms=10.0, outcome=outcome,
        threads_busy=np.minimum(place + 1, 100),
    )  # fmt: skip
    return unseen(frame, frame["outcome"] == "refused")


@pytest.fixture(scope="module")
def held():
    rng = np.random.default_rng(1)
    return recording(EXPERIMENT, lambda setting, _: phases(burst(int(setting["requests"])), 12 * rng.normal(1, 0.01)))


@pytest.fixture(scope="module")
def broken():
    def run(setting, block):
        small = setting["requests"] == "1000"
        return phases(burst(1000)) if small else phases(burst(8000, 3000 + block, 100), 30, "timed out")

    return recording(EXPERIMENT, run)


def test_every_request_of_a_burst_is_accounted_for(broken):
    found = aaa_overload.accounts(broken)
    assert found["accounted"].all()
    big = found[found["planned"] == 8000].set_index("block").loc[2]
    assert (big["answered"], big["refused"], big["failed"]) == (8000 - 3102, 100, 3002)
    assert big["reached"] == 7900 and big["full"]
    assert aaa_overload.check(found).startswith("Every request is accounted for: ")
    table = aaa_overload.accounts_table(found)
    assert (table[["Answered", "Refused", "Failed"]].sum(axis=1) == table["Sent"]).all()
    assert table["Runs accounted for"].tolist() == ["6 of 6", "6 of 6"]


@pytest.mark.parametrize(
    "change, said",
    [
        (lambda burst: burst.iloc[1:], "7,999 with an outcome"),
        (lambda burst: pd.concat([burst, burst.iloc[:2]]), "2 recorded twice"),
        (lambda burst: burst.assign(outcome=burst["outcome"].where(burst["number"] > 2, "odd")), "3 with an unknown"),
        (lambda burst: unseen(burst, burst["number"] < 4), "4 answered without a record"),
    ],
)
def test_a_request_that_is_not_accounted_for_is_told(change, said):
    big = BURST.select(requests=["8000"])
    found = aaa_overload.accounts(recording(big, lambda *_: phases(change(burst(8000))), blocks=2))
    assert not found["accounted"].any()
    assert aaa_overload.check(found).startswith("NOT every request is accounted for, in 2 of 2 runs")
    assert said in aaa_overload.check(found)


def test_a_run_without_any_record_is_not_accounted_for(held):
    samples = held.samples[(held.samples["run"] != "b000-8000") | (held.samples["phase"] != "burst")]
    found = aaa_overload.accounts(type(held)(**{**vars(held), "samples": samples})).set_index("run")
    assert found.loc["b000-8000", "sent"] == 0 and not found.loc["b000-8000", "accounted"]


def test_outcomes_are_drawn_as_shares_that_add_up(broken):
    shares = aaa_overload.shares(aaa_overload.accounts(broken))
    assert shares.sum(axis=1).tolist() == pytest.approx([100, 100])
    assert shares.loc["8,000", "refused"] == 1.25
    assert aaa_overload.shares_figure(shares).axes[0].get_xlim() == (0, 100)
    assert "8,000 at once: answered 61.2 %" in aaa_overload.describe_shares(shares)
    assert aaa_overload.shares_table(aaa_overload.accounts(broken)).loc["1,000", "Answered"] == "100.0 [100.0, 100.0]"
    assert aaa_overload.errors_table(broken)["8,000"].sum() == sum(3100 + block for block in range(6))


def test_answers_times_are_those_of_the_queue(held):
    quantiles = burst_times.run_quantiles(held)
    big = quantiles[quantiles["requests"] == "8000"].iloc[0]
    assert big["longest"] == 800 and big["median"] == pytest.approx(405)
    assert big["per_s"] == 10_000
    assert burst_times.quantiles_table(quantiles).loc["1,000", "Longest (ms)"] == "100.0 ± 0.0"
    spread = burst_times.distribution(held)
    assert spread.loc[100.0, "8,000"] == 800
    assert burst_times.distribution_figure(spread).axes[0].get_xscale() == "log"
    assert "8,000: 405" in burst_times.describe_distribution(spread)


def test_requests_wait_outside_the_servlet(held):
    way = burst_times.under_way(held)
    assert way["clients", "8,000"].iloc[0] == 8000 and way["clients", "8,000"].iloc[-1] == 0
    assert way["server", "8,000"].iloc[:-1].tolist() == [100] * (len(way) - 1)
    assert "8,000: up to 8,000 at the clients and 100 in the servlet" in burst_times.describe_under_way(way)
    assert len(burst_times.under_way_figure(way).axes) == 2


def test_room_follows_from_threads_unit_and_time_to_live(held):
    room = burst_times.room(held).loc["8,000"]
    assert room["It takes (1/s)"] == pytest.approx(8000 / 1.5) and room["The threads allow (1/s)"] == 10_000
    assert room["The server's pace (1/s)"] == "10,000 ± 0"


def test_recovery_compares_after_with_before(held, broken):
    runs = recovery.run_table(held)
    assert runs["before_total_ms"].tolist() == [12.0] * 12
    same = recovery.same_after(runs)
    assert same["8000"].equivalent and same["8000"].ratio.estimate == pytest.approx(1, abs=0.02)
    assert recovery.recovery_table(runs)["Same"].tolist() == ["yes", "yes"]
    assert set(recovery.recovery_points(runs)) == {"total time", "EJB time"}
    never = recovery.recovery_table(recovery.run_table(broken))
    assert never.loc["8,000", "After / before"] == "–" and never.loc["8,000", "Answered after"] == "0 of 120"
    assert never.loc["8,000", "Timed out after"] == 120


def test_a_slower_server_is_not_the_same(held):
    runs = recovery.run_table(held)
    slow = runs.assign(after_total_ms=1.5 * runs["after_total_ms"])
    assert recovery.recovery_table(slow)["Same"].tolist() == ["not shown", "not shown"]


def test_work_for_clients_that_had_gone_is_counted(broken):
    gone = recovery.gone_table(broken)
    assert gone.loc["1,000"].tolist() == [0] * 5
    big = gone.loc["8,000"]
    assert big["Given up by clients"] == sum(3000 + block for block in range(6))
    # The first time-outs were taken up before 500 ms, the others, up to 790 ms, only when their clients had gone.
    late = sum(sum(1 for at in range(4900 - block, 7900) if 100 * (at // 100) > 5000) for block in range(6))
    assert big["Taken up only afterwards"] == late
    assert big.iloc[1:].sum() == big["Given up by clients"]


def judged(recorded):
    cases = aaa_overload.cases(aaa_overload.accounts(recorded), recovery.run_table(recorded))
    return {verdict.finding.id: verdict for verdict in verdicts.judge(cases)}


def test_findings_follow_the_counts(held, broken):
    good, bad = judged(held), judged(broken)
    assert list(good) == [finding.id for finding in OVERLOAD_FINDINGS]
    assert good["A13"].outcome == "reproduced" and good["A13"].estimate == 8000
    assert good["A13-stands"].outcome == "reproduced"
    assert good["A13-database"].outcome == "not reproduced"
    assert good["A13-timeouts"].outcome == "inconclusive" and good["A13-timeouts"].runs == 0
    assert good["A16-burst"].outcome == "not reproduced"
    assert bad["A13"].outcome == "not reproduced"
    assert bad["A13-stands"].outcome == "not reproduced"
    assert bad["A13-timeouts"].outcome == "reproduced"
    assert bad["A16-burst"].outcome == "reproduced"


def test_one_block_gives_every_table():
    one = recording(EXPERIMENT, lambda setting, _: phases(burst(int(setting["requests"]))), blocks=1)
    assert recovery.recovery_table(recovery.run_table(one)).loc["1,000", "Same"] == "–"
    assert aaa_overload.shares_table(aaa_overload.accounts(one)).loc["1,000", "Answered"] == "100.0 [no interval]"
    assert {verdict.outcome for verdict in judged(one).values()} == {"inconclusive"}


def test_every_statement_stands_in_one_of_two_tables():
    overload, questions = aaa_said.overload().frame, aaa_said.questions().frame
    assert len(overload) + len(questions) == len(aaa_said._statements())
    assert "8000 requests" in overload["Value"].tolist() and "50 %" in questions["Value"].tolist()
    assert overload["Statement"].iloc[0].startswith("What are the maximum load levels")
