"""Trials of tools with a verdict: what is counted, and what of a file is a finished trial."""

import json

import verdict_trials
from peers.judges import NO_SLOWER, SLOWER, UNDECIDED


def verdicts(equal, slow):
    return {verdict_trials.EQUAL: {"it": equal}, verdict_trials.SLOW: {"it": slow}}


def test_misses_are_of_the_slower_and_false_alarms_of_the_equal_service():
    trials = [verdicts(NO_SLOWER, NO_SLOWER), verdicts(SLOWER, SLOWER), verdicts(SLOWER, UNDECIDED)]
    counted = verdict_trials.table(trials).splitlines()[1]
    assert "1 of 3" in counted and "2 of 3" in counted and counted.index("1 of 3") < counted.index("2 of 3")
    assert counted.endswith("1 and 0")


def test_a_line_that_was_cut_is_no_trial(tmp_path):
    file = tmp_path / "kept.jsonl"
    whole = json.dumps({"number": 3, "verdicts": verdicts(SLOWER, SLOWER)})
    file.write_text(f"{whole}\n{whole[:20]}")
    assert list(verdict_trials.kept(file)) == [3]
    assert verdict_trials.kept(tmp_path / "none") == {}
