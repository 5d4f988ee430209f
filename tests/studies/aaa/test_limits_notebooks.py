"""The notebooks on two beans, overload, open questions and sequences, on made recordings whose numbers are known."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from made import aaa_timers
from made.aaa_limits import closed, recording, requests, unseen
from made.aaa_sequences import AT_MS, PAIRS, sequences
from made.cells import run_cells
from perfstudies.studies.aaa import declared as aaa

TWO_BEANS, OVERLOAD, QUESTIONS, SEQUENCES = (
    "04-two-beans-ten-requests", "05-overload", "06-open-questions", "07-sequences",
)  # fmt: skip


@pytest.fixture(scope="module")
def cells(repository):
    """Run the cells of one of the notebooks on recordings by experiment."""

    def run(name, load, **parameters):
        with pytest.MonkeyPatch.context() as patch:
            names, shown = run_cells(repository / f"notebooks/aaa/{name}.ipynb", patch, load, **parameters)
        assert all(text.strip() for text in shown)
        assert not any("nan" in text.lower().replace("[", " ").split() for text in shown)
        return names

    return run


def outcomes(names):
    return {verdict.finding.id: verdict.outcome for verdict in names["judged"]}


# Two beans.


def test_ten_requests_tell_a_soft_pool_from_a_strict_one(cells):
    names = cells(TWO_BEANS, lambda one: aaa_timers.made(one, 10, blocks=10))
    counts = names["counts"].xs(0, level="block")
    columns = ["Answered", "Most in a bean at once", "Beans used", "Beans kept"]
    assert counts.loc["glassfish-2", columns].tolist() == [10, 10, 10, 2]
    assert counts.loc["openejb-2", columns[:3]].tolist() == [2, 2, 2]
    assert counts.loc["openejb-2-patient", "Last over (s)"] == pytest.approx(502.2)
    drawn = names["drawn"].loc["OpenEJB, strict pool of 2, no time limit"].loc[10]
    assert drawn[["Start", "Before its bean", "In a bean", "Over"]].tolist() == pytest.approx([18, 384.15, 100, 502.2])
    refused = names["drawn"].loc["OpenEJB, strict pool of 2"].loc[3]
    assert refused[["Before its bean", "In a bean", "Answered"]].tolist() == pytest.approx([30.2, 0, 0])
    soft = outcomes(names)
    assert {soft[name] for name in ("A11", "A11-once", "A11-kept", "A11-patient")} == {"reproduced"}
    assert soft["A11-two"] == "identity" and soft["A11-drawn"] == "not reproduced"
    # Two exponential waits of 100 s seldom end while eight requests each wait for 30 s.
    assert names["answers"].mean() == pytest.approx(2.94, abs=0.02) and names["answers"].min() == 2


def test_a_pool_that_was_a_limit_speaks_against_the_first_explanation(cells):
    def strict(experiment):
        made = aaa_timers.made(experiment, 10, blocks=10)
        return replace(made, samples=made.samples.assign(beans_busy=made.samples["beans_busy"].clip(upper=2)))

    assert outcomes(cells(TWO_BEANS, strict))["A11-once"] == "not reproduced"


@pytest.mark.parametrize("pools", [["glassfish-2"], ["openejb-2", "openejb-2-patient"]])
def test_few_settings_and_one_block_of_two_beans_come_out_too(cells, pools):
    made = aaa_timers.made(aaa.TWO_BEANS.select(pool=pools), 10, blocks=1)
    names = cells(TWO_BEANS, lambda one: made, pools=pools)
    assert {outcome for name, outcome in outcomes(names).items() if name != "A11-two"} == {"inconclusive"}


# Overload.


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


RATES = (250, 500, 1000, 2000)
SERVICE_MS = 10.0


def step(rate, capacity, late_ms=0.0):
    """Requests of a second: served at once up to the capacity, beyond it one after the other at its pace."""
    intended = 1e6 * np.arange(rate) / rate
    pace = max(1 / rate, 1 / capacity)
    ended = 1e6 * np.arange(rate) * pace + 1000 * SERVICE_MS
    return requests(
        rate, phase=str(rate), intended_us=intended, started_us=intended + 1000 * late_ms, ended_us=ended,
        servlet_ms=SERVICE_MS, threads_busy=max(1, min(rate, capacity) * SERVICE_MS / 1000),
    )  # fmt: skip


def ramp(capacity, late_ms=0.0, blocks=5, rates=RATES):
    def run(setting, block):
        limit = capacity[setting["http.threads"]] + block
        return pd.concat([step(rate, limit, late_ms) for rate in rates], ignore_index=True)

    first = {"100": 0, "1000": 1}
    return recording(aaa.MAX_RATE, run, blocks, lambda setting, _: {"position": first[setting["http.threads"]]})


def losing(frame, faults):
    """Requests of which some end with a fault, as their database was lost."""
    lost = (frame["phase"] == "burst") & (frame["number"] < faults)
    return frame.assign(
        outcome=frame["outcome"].mask(lost, "soap fault"), detail=frame["detail"].mask(lost, "RepositoryFailed: gone")
    )


def overflown(setting, block):
    made = phases(burst(8000, 0, 3000 + 100 * block if setting["http.queue"] == "4096" else 0))
    return made.replace({"outcome": {"refused": "lost"}})


def overload(run, rates=None, blocks=6, sizes=("1000", "8000"), databases=("MariaDB 11",)):
    made = {
        "burst": recording(aaa.BURST.select(requests=sizes), run, blocks),
        "cut": recording(aaa.CUT, lambda *_: losing(phases(burst(8000)), 40), 2),
        "queue": recording(aaa.QUEUE, overflown, 2),
    }
    made = {name: replace(one, databases=databases) for name, one in made.items()}
    return lambda experiment: made.get(experiment.name, ramp({"100": 700, "1000": 1400}) if rates is None else rates)


def held(setting, block):
    return phases(burst(int(setting["requests"])), 12 * (1 + block / 1000))


def broken(setting, block):
    small = setting["requests"] == "1000"
    return phases(burst(1000)) if small else phases(burst(8000, 3000 + block, 100), 30, "timed out")


@pytest.fixture(scope="module")
def steady(cells):
    return cells(OVERLOAD, overload(held, blocks=10))


def test_a_burst_that_is_held_is_accounted_for_and_leaves_the_server_as_it_was(steady):
    names = steady
    assert names["whole"].all()
    assert names["by_size"].loc["8000"].tolist() == [80_000, 80_000, 0, 0]
    paces = names["paces"].loc[("8000", 0)]
    assert paces["It takes (1/s)"] == pytest.approx(8000 / 1.5) and paces["The threads allow (1/s)"] == 10_000
    assert paces["The server's pace (1/s)"] == 10_000 and paces["Longest (ms)"] == 800
    assert names["recovery"]["Same"].all()
    assert names["recovery"].loc["8000", "Total time"].estimate == pytest.approx(1.0045, abs=1e-4)
    assert outcomes(names) == {
        "A13": "reproduced", "A13-stands": "reproduced", "A13-database": "not testable",
        "A13-timeouts": "inconclusive", "A16-burst": "inconclusive",
    }  # fmt: skip


def test_a_lost_database_is_seen_where_it_is_cut_and_where_it_is_not(steady, cells):
    lost = steady["lost_of"]["Fault of the policy repository"]
    assert lost.to_dict() == {"Nobody ends them": 0, "Ended by MariaDB": 80}
    names = cells(OVERLOAD, overload(lambda *one: losing(held(*one), 1), blocks=10))
    found = {one.finding.id: one for one in names["judged"]}["A13-database"]
    assert (found.outcome, found.estimate) == ("not testable", 100)
    assert names["lost_of"].loc["Nobody ends them", "Fault of the policy repository"] == 10


def test_requests_beyond_the_bound_on_what_waits_are_told(steady):
    bounded = steady["bounded"].map(lambda one: getattr(one, "estimate", one))
    assert bounded.loc["4096"].tolist() == pytest.approx([2, 61.875, 38.125, 0, 0, 100])
    assert bounded.loc["-1"].tolist() == pytest.approx([2, 100, 0, 0, 0, 100])


def test_without_mariadb_there_is_no_connection_to_lose(cells):
    names = cells(OVERLOAD, overload(held, databases=()))
    assert outcomes(names)["A13-database"] == "not testable" and len(names["lost_of"]) == 1


def test_a_burst_that_is_not_held_is_accounted_for_too(cells):
    names = cells(OVERLOAD, overload(broken, blocks=10))
    assert names["whole"].all()
    big = names["accounts"].loc[("8000", 2)]
    assert big[["answered", "refused", "failed", "timed_out"]].tolist() == [8000 - 3102, 100, 3002, 3002]
    assert names["ends"].to_numpy().sum() == sum(3100 + block for block in range(10))
    fate = names["fate"].loc["8000"]
    # The first time-outs were taken up before 500 ms, the others, up to 790 ms, only when their clients had gone.
    late = sum(sum(1 for at in range(4900 - block, 7900) if 100 * (at // 100) > 5000) for block in range(10))
    assert fate.tolist() == [sum(3000 + block for block in range(10)), late, 0]
    assert names["recovery"]["Timed out after"].tolist() == [0, 200]
    found = outcomes(names)
    assert found["A13"] == found["A13-stands"] == "not reproduced"
    assert found["A13-timeouts"] == found["A16-burst"] == "reproduced"


@pytest.mark.parametrize(
    "change",
    [
        lambda burst: burst.iloc[1:],
        lambda burst: pd.concat([burst, burst.iloc[:2]]),
        lambda burst: unseen(burst, burst["number"] < 4),
    ],
)
def test_a_request_that_is_not_accounted_for_is_told(cells, change):
    rates = ramp({"100": 700, "1000": 700}, rates=RATES[:1], blocks=1)
    wrong = overload(lambda *_: phases(change(burst(1000))), rates, 2, ["1000"])
    names = cells(OVERLOAD, wrong, sizes=["1000"])
    assert not names["whole"].any()


def test_rates_are_kept_up_with_up_to_the_capacity(steady):
    names, rates = steady, steady["rates"].query("block == 0").set_index(["http.threads", "rate"])
    assert rates.loc[("100", 500.0), ["offered", "completed"]].tolist() == pytest.approx([500, 500])
    assert rates.loc[("100", 2000.0), "completed"] == pytest.approx(700)
    assert rates.loc[("100", 500.0), "little"] == pytest.approx(5)
    found = names["sustained"]
    assert found["100"].runs["sustained"].tolist() == pytest.approx([500] * 5)
    assert found["1000"].rate.estimate == pytest.approx(1000)
    assert names["compared"]["Most threads over fewest, most completed"].estimate == pytest.approx(2, rel=0.01)
    # In every block the run with 100 threads came first.
    assert names["compared"]["A later run of its block over the first one, rate sustained"].estimate == pytest.approx(2)


@pytest.mark.parametrize(
    "rates, late_ms",
    [
        (ramp({"100": 100, "1000": 5000}, late_ms=5, blocks=2), 5),
        (ramp({"100": 700, "1000": 700}, rates=RATES[:2], blocks=1), 0),
    ],
)
def test_nothing_and_everything_sustained_come_out_too_and_late_clients_are_told(cells, rates, late_ms):
    names = cells(OVERLOAD, overload(held, rates, 1, ["1000"]), sizes=["1000"])
    assert names["rates"]["late_ms"].tolist() == pytest.approx([late_ms] * len(names["rates"]))
    fast = names["rates"].query("`http.threads` == '1000'").iloc[0]
    assert fast["response_ms"] == pytest.approx(SERVICE_MS)


def test_a_ramp_of_which_nothing_was_answered_has_no_part_in_the_limits(cells):
    rates = ramp({"100": 700, "1000": 1400})
    first = rates.runs["run"].iloc[0]
    rates.samples.loc[rates.samples["run"] == first, ["outcome", "ejb_ms"]] = ["timed out", np.nan]
    names = cells(OVERLOAD, overload(held, rates))
    assert set(names["best"].index) == set(rates.runs["run"]) - {first}


# Open questions.

EFFECTS = {"timer": 4.0, "http.threads": 0.5, "concurrency": 2.0, "policy": 1.1}
MIX_MS = {"valid": 2.0, "invalid-20": 1.8, "complex-20": 4.0, "both-20": 3.8}
FAULTS = ["soap fault"] * 2 + ["ok"] * 8


def point_ms(setting):
    signs = aaa.SCREENING_SIGNS[setting["point"]]
    high = [ratio for name, ratio in EFFECTS.items() if signs[name] > 0]
    return 5 * float(np.prod(high))


def asked(experiment, blocks=6, bean=3.0, crowd=lambda count: max(1.0, count / 2)):
    """Return a made recording of one of the experiments on open questions."""
    if experiment.name == "mixes":
        return closed(
            experiment, lambda setting: MIX_MS[setting["mix"]], blocks=blocks,
            more=lambda setting: {"outcome": FAULTS * 8} if setting["mix"] in ("invalid-20", "both-20") else {},
            facts=lambda setting, frame: {"cpu_server_s": MIX_MS[setting["mix"]] * len(frame) / 1000},
        )  # fmt: skip
    if experiment.name == "clients":
        return closed(
            experiment, lambda setting: crowd(int(setting["concurrency"])),
            lambda setting: int(setting["concurrency"]), blocks=blocks,
        )  # fmt: skip
    took_ms = {
        "conditions": lambda setting: 2 + 0.01 * int(setting["policy"].removeprefix("Conditions")),
        "connections": lambda setting: {"1": 4, "2": 3}.get(setting["database.connections"], 2),
        "databases": lambda setting: 4.0 if setting["database"] == "mariadb" else 3.0,
        "processors": lambda setting: {"half": 3.3, "1": 1.5}.get(setting["cpus"], 1.0),
        "entity-beans": lambda setting: {"session": 1.0, "entity": 1.5}.get(setting["repository"], bean),
        "beans": lambda setting: bean if setting["repository"] == "entity" else 1.0,
        "screening": point_ms,
    }
    return closed(experiment, took_ms[experiment.name], blocks=blocks, rounds=3)


@pytest.fixture(scope="module")
def answered(cells):
    return cells(QUESTIONS, asked)


def test_every_open_question_is_answered(answered):
    names = answered
    run = names["per_run"].loc[("Policies", "Conditions1000", 0)]
    assert run["per_s"] == pytest.approx(8 * 1000 / run["total_ms"])
    assert run["server_ms"] == pytest.approx(5000 / 24)
    told = {question: answer.estimate for question, answer in names["answers"]["Answer"].items()}
    assert told["What happens with a complex policy?"] == pytest.approx(10, abs=0.4)
    assert told["Do database connections matter: fewer?"] == pytest.approx(0.5, rel=0.02)
    assert told["Does it matter which database it is?"] == pytest.approx(0.75, rel=0.02)
    assert told["Is it double with a processor twice as fast?"] == pytest.approx(2.2, rel=0.02)
    assert told["Is it double with twice the processors?"] == pytest.approx(1.5, rel=0.02)
    assert told["Or entity beans of EJB 2.1?"] == pytest.approx(told["Session or entity beans?"], rel=0.02)
    assert told["What do more clients do?"] == pytest.approx(1, abs=0.03)
    cpu = names["added"]["Server's CPU time (ms)"]
    assert cpu["20 % complex"].estimate == pytest.approx(2) and cpu["Both less the sum"].low == pytest.approx(0)
    assert names["behind"]["Mixes"]["SOAP faults"] == 2 * 6 * 16
    found = outcomes(names)
    assert {found.pop(name) for name in ("A18-times", "A18-queues")} == {"not testable"}
    assert set(found.values()) == {"reproduced"}


def test_the_screening_gives_the_effects_that_were_put_in(answered):
    names = answered
    assert names["design"].resolution == 4 and len(names["design"].words) == 7
    signs = pd.DataFrame(names["signs"]).T
    assert set(map(tuple, signs.to_numpy())) == set(map(tuple, names["design"].runs.to_numpy()))
    for one, ratio in EFFECTS.items():
        effect = names["sizes"].loc[names["names"][one], "Total time"]
        assert effect.low < ratio * 1.02 and effect.high > ratio / 1.02
    assert names["main"].index[0] == "Timer"
    assert names["main"].loc["Timer", "Requests/s"].estimate == pytest.approx(0.25, rel=0.02)
    assert names["leads"]["ejb_ms"].tolist() == pytest.approx([2] * 6, rel=0.05)


def test_findings_follow_the_runs_and_incomplete_blocks_of_the_screening_are_left_out(cells):
    def flat(experiment):
        made = asked(experiment, bean=1.1, crowd=lambda count: 1.0)
        if experiment.name != "screening":
            return made
        lost = (made.runs["block"] == 1) & (made.runs["point"] == "p03")
        gone = set(made.runs.loc[lost, "run"])
        parts = {name: getattr(made, name) for name in ("samples", "calls", "runs")}
        return replace(made, **{name: frame[~frame["run"].isin(gone)] for name, frame in parts.items()})

    names = cells(QUESTIONS, flat)
    found = outcomes(names)
    assert {found[name] for name in ("A14", "A14-repository")} == {"not reproduced"}
    assert names["coded"]["block"].nunique() == 5


def test_open_questions_come_out_of_one_block_and_one_level_each(cells):
    alone = {
        "policies": ["Conditions10"], "mixes": ["complex-20"], "connections": ["8"], "databases": ["h2"],
        "processors": ["2"], "beans": ["entity"], "old_beans": ["entity-2.1"], "clients": ["4"],
    }  # fmt: skip
    names = cells(QUESTIONS, lambda one: asked(one, blocks=1), **alone)
    of_beans = {outcome for name, outcome in outcomes(names).items() if name.startswith("A14")}
    assert of_beans == {"inconclusive"}


# Sequences.

TOTAL = {level: sum(parts.values()) for level, parts in AT_MS.items()}


def test_sequences_are_compared_with_the_agent_within_blocks(cells):
    made = sequences()
    calls = made.calls.copy()
    calls["total_ms"] *= 10.0 ** calls["block"]  # each block ten times as slow as the one before
    found = cells(SEQUENCES, lambda one: replace(made, calls=calls))["costs"]
    assert found["Over agent"]["push"].estimate == pytest.approx(TOTAL["push"] / TOTAL["agent"], rel=0.03)
    assert found["Over agent"]["push"].high < 1.6


def test_messages_parties_and_tickets_are_counted(cells):
    names = cells(SEQUENCES, lambda one: sequences())
    messages = names["messages"]
    assert len(messages) == sum(len(pairs) for pairs in PAIRS.values())
    assert messages["Described"].isna().sum() == 2 and (messages["Counted"] == 1).all()
    assert names["parts"].sum(axis=1).to_numpy() == pytest.approx(names["times"]["Mean"].to_numpy())
    assert names["costs"]["Mean"]["push"].estimate == pytest.approx(TOTAL["push"], rel=0.03)
    assert names["tickets"].size().tolist() == [40] * 3 and names["tickets"].sum().tolist() == [40] * 3


def test_what_differs_from_the_text_shows(cells):
    made = sequences()
    runs = made.runs.copy()
    runs.loc[runs["sequence"] == "pull", "messages equipment>aaa"] = 0.0
    runs.loc[(runs["sequence"] == "push") & (runs["block"] == 0), "messages user>aaa"] = 2.0
    runs.loc[0, "ticket_replayed"] = "yes"
    runs.loc[2, "ticket_replayed"] = None
    names = cells(SEQUENCES, lambda one: replace(made, runs=runs))
    assert np.isnan(names["messages"].loc[("pull", "equipment>aaa"), "Counted"])
    assert names["messages"].loc[("push", "user>aaa"), "Counted"] == pytest.approx(1.1)
    assert names["tickets"].sum()["Used a second time"] == 38 and names["tickets"].size()["Used a second time"] == 39


def test_failed_requests_have_no_part_in_the_times_and_the_beginning_stands_apart(cells):
    made = sequences()
    calls, samples = made.calls.copy(), made.samples.copy()
    for frame in (calls, samples):
        frame.loc[frame["number"] == 30, ["outcome", "total_ms"]] = ["timed out", 60000.0]
        frame.loc[frame["number"] < 10, "total_ms"] *= 3
    names = cells(SEQUENCES, lambda one: replace(made, calls=calls, samples=samples))
    assert names["times"]["Mean"].max() < 60
    by_part = names["by_part"].loc["pull"]
    assert by_part["First 10 requests"].to_numpy() == pytest.approx(3 * by_part["Others"].to_numpy(), rel=0.001)


@pytest.mark.parametrize(
    "blocks, levels", [(1, ["agent", "pull", "push", "roaming"]), (1, ["pull"]), (2, ["agent", "roaming"])]
)
def test_sequences_come_out_of_few_runs_too(cells, blocks, levels):
    cells(SEQUENCES, lambda one: sequences(blocks, requests=5, levels=levels), sequences=levels)


def test_without_message_logs_the_times_are_still_shown(cells):
    made = sequences(blocks=2)
    samples = made.samples.drop(columns=[name for name in made.samples if name.startswith(("at_", "between_"))])
    runs = made.runs[[name for name in made.runs if not name.startswith(("messages", "ticket"))]]
    names = cells(SEQUENCES, lambda one: replace(made, samples=samples, runs=runs))
    assert names["messages"]["Counted"].isna().all() and not len(names["came"])
