import json

import numpy as np
import pytest

from perfstudies.errors import BadParameter, BadRecording
from perfstudies.runs import store
from perfstudies.runs.plan import PlannedRun
from perfstudies.runs.store import Run
from perfstudies.studies.esb import declared as esb
from perfstudies.studies.esb import read
from perfstudies.studies.esb.base import INTERVALS
from perfstudies.studies.esb.collect import open_files_complaints
from perfstudies.studies.esb.logs import rate_intervals
from perfstudies.studies.esb.settings import RunSettings

ROWS = np.dtype([(name, "<i8") for name in ("intended_ns", "sent_ns", "ended_ns", "bytes", "connection", "status")])
SECONDS = 12


def _rows(ends_s, took_ms, status=200):
    """Return messages that ended at given times and took a time each."""
    found = np.zeros(len(ends_s), ROWS)
    found["ended_ns"] = (np.asarray(ends_s) * 1e9).astype(np.int64)
    found["sent_ns"] = found["intended_ns"] = found["ended_ns"] - int(took_ms * 1e6)
    found["bytes"], found["status"] = 900, status
    return found


def _even(from_s, to_s, per_s):
    return from_s + (np.arange(int((to_s - from_s) * per_s)) + 0.5) / per_s


def _run(folder, *parts, **workload) -> Run:
    reducer = rate_intervals.Reducer()
    for rows in parts:
        reducer.add(rows)
    rate_intervals.write_intervals(reducer.intervals(), folder / INTERVALS)
    manifest = {
        "run": folder.name, "status": store.FINISHED, "position": 3, "served": 7,
        "workload": {
            "seconds": SECONDS, "rate_per_s": 0.0, "capacity_per_s": 0.0, "stalled_s": [], "message_bytes": 780,
            "warm_up": {"name": "synapse direct", "per_s": [100.0, 250.0, 240.0]},
        } | workload,
        "parties": {
            "client": {"user_s": 0.01, "system_s": 0.02},
            "engine": {"user_s": 1.0, "system_s": 0.5, "waited_s": 2.0},
            "backend": {"user_s": 0.3, "system_s": 0.1, "waited_s": 0.0},
        },
        "machine": {
            "shares": {"user": 0.5, "system": 0.2, "softirq": 0.1, "idle": 0.15, "iowait": 0.05},
            "load": [[1, 1.0, 2], [2, 1.5, 2], [3, 2.0, 3], [4, 2.0, 3], [5, 2.5, 4], [6, 3.0, 4]],
        },
    }  # fmt: skip
    store.write_manifest(folder, manifest, (INTERVALS,))
    return Run(folder, store.read_manifest(folder))


def test_a_run_s_rate_is_that_of_its_steady_part(tmp_path):
    slow, fast = _rows(_even(0, 3, 50), 20.0), _rows(_even(3, SECONDS, 200), 5.0)
    facts = read.read(_run(tmp_path, slow, fast)).facts
    assert facts["steady_from_s"] == 3 and facts["steady_s"] == SECONDS - 3
    assert facts["per_s"] == pytest.approx(200, rel=0.01)
    assert facts["response_p99_ms"] == pytest.approx(5, rel=0.01)
    assert facts["all_response_p999_ms"] == pytest.approx(20, rel=0.01)


def test_an_engine_that_answers_no_more_is_not_steady(tmp_path):
    facts = read.read(_run(tmp_path, _rows(_even(0, 3, 80), 20.0), _rows([SECONDS + 2.0] * 9, 9000.0))).facts
    assert np.isnan(facts["steady_from_s"]) and facts["not_steady"] == "nothing was answered from 3 s on"
    assert facts["per_s"] == pytest.approx(240 / SECONDS)


def test_what_warming_up_brought_is_told(tmp_path):
    facts = read.read(_run(tmp_path, _rows(_even(0, SECONDS, 50), 20.0))).facts
    told = [facts[f"warm_up_{name}"] for name in ("windows", "first_per_s", "last_per_s")]
    assert told == [3, 100.0, 240.0]


def test_every_message_is_counted_by_outcome_and_both_sides(tmp_path):
    logs = read.read(_run(tmp_path, _rows(_even(0, SECONDS, 100), 5.0), _rows([1.0, 2.0], 1.0, status=-5)))
    assert (logs.facts["sent"], logs.facts["ok"], logs.facts["failed"], logs.facts["served"]) == (1202, 1200, 2, 7)
    assert logs.calls.to_dict("records") == [
        {"outcome": "ok", "messages": 1200}, {"outcome": "SOAP fault", "messages": 2},
    ]  # fmt: skip
    assert logs.samples["failed"].sum() == 2


def test_what_ends_after_the_last_was_due_is_no_part_of_the_rate_but_of_the_waiting(tmp_path):
    late = _rows([SECONDS + 3.2], 9000.0)
    logs = read.read(_run(tmp_path, _rows(_even(0, SECONDS, 100), 5.0), late))
    assert logs.samples["time_s"].max() == SECONDS - rate_intervals.BIN_S
    assert logs.facts["all_response_max_ms"] == pytest.approx(9000, rel=0.01)
    assert logs.facts["response_p999_ms"] == pytest.approx(5, rel=0.01)


def test_a_load_that_ends_with_its_clients_shares_is_measured_to_its_last_answer(tmp_path):
    rows = _rows(_even(0, 6.2, 100), 5.0)
    facts = read.read(_run(tmp_path, rows, messages_per_connection=31, took_s=6.2)).facts
    assert facts["whole_per_s"] == pytest.approx(100)
    assert facts["per_s"] == pytest.approx(100) and facts["steady_s"] == 6  # the bin that was begun is left out
    assert facts["under_way_response"] == pytest.approx(100 * 0.005, rel=0.01)


def test_processor_times_are_by_answered_message_and_shares_of_the_machine_s(tmp_path):
    facts = read.read(_run(tmp_path, _rows(_even(0, SECONDS, 100), 5.0))).facts
    assert facts["engine_user_us"] == pytest.approx(1e6 / 1200)
    assert facts["engine_waited_us"] == pytest.approx(2e6 / 1200)
    assert facts["client_system_us"] == pytest.approx(0.02e6 / 1200)
    assert facts["idle"] == pytest.approx(20) and facts["in_kernel"] == pytest.approx(30)
    assert facts["ready_growth"] == pytest.approx(2.0) and facts["load_average"] == 3.0


def test_a_stopped_engine_does_not_end_the_steady_part(tmp_path):
    before, after = _rows(_even(0, 6, 100), 5.0), _rows(_even(7, SECONDS, 100), 5.0)
    held = _rows([7.01] * 50, 1000.0)
    facts = read.read(_run(tmp_path, before, held, after, stalled_s=[6.0, 7.0])).facts
    assert facts["steady_from_s"] == 0 and facts["stalled_at_s"] == 6.0
    assert facts["held_up_response"] == 50


def test_a_changed_log_is_refused(tmp_path):
    run = _run(tmp_path, _rows(_even(0, SECONDS, 100), 5.0))
    (tmp_path / INTERVALS).write_bytes(b"x")
    with pytest.raises(BadRecording, match="differs"):
        read.read(run)


def _planned(experiment, profile, **setting):
    return PlannedRun("r", experiment, profile, 1, 0, 0, setting)


def test_a_run_s_settings_are_its_properties_scaled_by_its_profile():
    settings = RunSettings.of(_planned(esb.THROUGHPUT, "standard", route="synapse-tuned", connections="250"))
    assert (settings.engine, settings.engine_settings) == ("synapse", {"transport": "passthru", "threads": "tuned"})
    assert (settings.connections, settings.messages, settings.message_bytes, settings.rate_per_s) == (250, 0, 780, 0)
    assert (
        RunSettings.of(_planned(esb.THROUGHPUT, "smoke", route="direct", connections="50")).seconds
        == settings.seconds / 12
    )
    # The study's own: 500,000 messages at each level.
    assert RunSettings.of(_planned(esb.THROUGHPUT, "full", route="direct", connections="250")).messages == 2000


def test_open_arrivals_take_a_share_of_what_a_closed_load_gets_through():
    settings = RunSettings.of(_planned(esb.ARRIVALS, "standard", route="camel", arrivals="open-50-stall"))
    assert (settings.rate_per_s, settings.rate_share, settings.stall_s) == (0, 0.5, 1)


def test_complaints_of_open_files_are_counted_and_the_first_is_kept(tmp_path):
    log = tmp_path / "console.log"
    log.write_text("a\nWARN Too many open files\n  java.io.IOException: too many open files\n")
    assert open_files_complaints(log) == {"lines": 2, "first": "WARN Too many open files"}
    assert json.dumps(open_files_complaints(log))


def test_too_low_a_limit_of_open_files_is_said_before_anything_is_started(tmp_path, monkeypatch):
    from perfstudies.load.http import limits
    from perfstudies.studies.esb import bench

    monkeypatch.setattr(limits.resource, "getrlimit", lambda _: (1024, 1024))
    planned = _planned(esb.THROUGHPUT, "smoke", route="synapse", connections="1000")
    with pytest.raises(BadParameter, match="1000 clients .* needs 3200 open files.*ulimit"):
        bench.BusBench()(planned, tmp_path)
    assert list(tmp_path.iterdir()) == []
