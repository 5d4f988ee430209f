import json

import pytest

from made.esb_reliable import faults
from perfstudies.errors import BadLog
from perfstudies.runs import store
from perfstudies.stats import verdicts
from perfstudies.studies.esb import reliable_read
from perfstudies.studies.esb.analysis import reliable
from perfstudies.studies.esb.reliable import CALLS, COST, COUNTED, FAULTY, FINDINGS, KILLS, PASSED, RACE
from perfstudies.studies.esb.reliable_kills import kills
from perfstudies.studies.esb.server.reliable import PLACES


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
    assert experiment is COST or set(experiment.sizes) == set(KILLS[experiment.name])
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


def test_the_share_of_runs_is_exact():
    # Clopper and Pearson: of 12 runs none, at most 1 - 0.025 ** (1 / 12).
    clean = reliable.share_of_runs([0] * 12)
    assert (clean.estimate, clean.low, clean.n) == (0, 0, 12) and clean.high == pytest.approx(
        100 * (1 - 0.025 ** (1 / 12))
    )
    assert reliable.share_of_runs([True, False]).estimate == 50


def _judged(**happened):
    return {one.finding.id: one.outcome for one in verdicts.judge(FINDINGS, happened)}


def test_one_run_is_enough_and_no_number_of_clean_ones_is():
    ids = [finding.id for finding in FINDINGS]
    never, ever = {"E10", "E10-transfer"}, {"E10-plain", "E10-retry", "E10-stored"}
    assert never | ever == {*ids}
    once = _judged(**{name: [1] + [0] * 29 for name in ids})
    assert {once[name] for name in never} == {verdicts.NOT_REPRODUCED}
    assert {once[name] for name in ever} == {verdicts.REPRODUCED}
    assert {*_judged(**{name: [0] * 30 for name in ids}).values()} == {verdicts.INCONCLUSIVE}
    assert {*_judged().values()} == {verdicts.INCONCLUSIVE}


def test_the_figure_draws_its_numbers():
    runs = faults().runs
    shares = (100 * runs[["lost", "duplicated"]].div(runs["sent"], axis=0)).groupby([runs["fault"], runs["delivery"]])
    drawn = shares.mean().rename(columns={"lost": "Lost", "duplicated": "Twice"})
    panels = reliable.wrong_figure(drawn).axes
    assert [panel.get_title(loc="left") for panel in panels] == list(FAULTY.factors[1].levels)
    widths = [patch.get_width() for patch in panels[1].patches]
    assert min(widths) == -drawn.loc[("cut-before", "plain"), "Lost"] == -20 and max(widths) == 0
