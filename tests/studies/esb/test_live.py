"""Loads of the ESB study on real servers: every message accounted for by both sides, and nothing left behind."""

import lzma
import os
import shutil
import signal
import socket
from dataclasses import replace

import pandas as pd
import psutil
import pytest

from perfstudies.errors import SystemFailed
from perfstudies.load.rate import run as rate
from perfstudies.runs import lab, recording, store
from perfstudies.runs.plan import Plan
from perfstudies.servers import haproxy
from perfstudies.studies.esb import bench
from perfstudies.studies.esb import declared as esb
from perfstudies.studies.esb.base import INTERVALS, RAW_KEPT, RAW_LOG
from perfstudies.studies.esb.logs import rate as rate_log
from perfstudies.studies.esb.logs import rate_intervals
from perfstudies.studies.esb.server import engines
from perfstudies.studies.esb.workload.messages import Messages

pytestmark = pytest.mark.live


def _servers():
    return [child for child in psutil.Process().children(recursive=True) if child.name() in ("java", "haproxy")]


def _measured(experiment, folder, monkeypatch):
    monkeypatch.setattr(recording, "PROCESSED", folder / "processed")
    with experiment.module(experiment.bench).bench() as procedure:
        runs = lab.measure(Plan.of(experiment, "smoke", 1, folder=folder / "runs"), procedure, show_progress=False)
    assert [run.manifest["status"] for run in runs] == [store.FINISHED] * len(runs), runs[0].manifest.get("error")
    assert _servers() == []
    assert not list((folder / "runs").glob("*/work")) + list((folder / "runs" / ".process").glob("*"))
    return runs, recording.load(experiment, runs)


def test_both_sides_count_the_same_messages_and_the_kept_log_is_the_reduced_one_s_source(tmp_path, monkeypatch):
    experiment = esb.THROUGHPUT.select(route=["direct", "synapse", "camel"], connections=["50"])
    runs, recorded = _measured(experiment, tmp_path, monkeypatch)
    assert (recorded.runs["failed"] == 0).all() and (recorded.runs["ok"] > 50).all()
    assert (recorded.runs["served"] == recorded.runs["sent"]).all()
    used = recorded.runs.set_index("route")
    assert used.loc["direct", "engine_user_us"] == 0
    assert used.loc["synapse", "engine_user_us"] > 0 < used.loc["camel", "engine_user_us"]
    kept = [run for run in runs if RAW_KEPT in run.manifest["files"]]
    assert [run.manifest["position"] for run in kept] == [0]
    whole = tmp_path / "whole.bin"
    with lzma.open(kept[0].file(RAW_KEPT)) as packed, open(whole, "wb") as plain:
        shutil.copyfileobj(packed, plain)
    assert whole.read_bytes() == (kept[0].folder / RAW_LOG).read_bytes()
    again = rate_log.reduce(whole)
    pd.testing.assert_frame_equal(again, rate_intervals.read_intervals(kept[0].file(INTERVALS)))


@pytest.mark.parametrize("engine", ["synapse", "camel"])
def test_each_proxy_answers_what_it_is_there_for(tmp_path, monkeypatch, engine):
    experiment = esb.MEDIATION.select(route=[engine], message_bytes=["5120"])
    # On a busy machine the first of 80 messages to a new proxy may take longer than a run of the smallest profile.
    experiment = replace(experiment, fixed={**experiment.fixed, "connections": "4", "seconds": "18"})
    _, recorded = _measured(experiment, tmp_path, monkeypatch)
    assert set(recorded.runs["proxy"]) == set(esb.PROXY.levels)
    # One of a whole run was not answered in time, once; a proxy that does not do its work fails every message.
    assert recorded.runs["failed"].sum() <= 1 and (recorded.runs["ok"] > 0).all()
    length = recorded.runs.set_index("proxy")["message_length"]
    assert length["direct"] == length["cbr-body"] == 5120 < length["cbr-soap-header"] < length["secure"]


def test_open_arrivals_come_at_their_share_and_wait_while_the_engine_stands_still(tmp_path, monkeypatch):
    experiment = esb.ARRIVALS.select(route=["synapse"], arrivals=["open-50", "open-50-stall"])
    # A slow machine gets fifty messages a second: in a stop of a quarter of a second some are due for certain.
    longer = replace(experiment.size("smoke"), time_scale=4)
    experiment = replace(experiment, sizes={**experiment.sizes, "smoke": longer})
    measured, recorded = _measured(experiment, tmp_path, monkeypatch)
    runs = recorded.runs.set_index("arrivals")
    assert runs["rate_per_s"].tolist() == pytest.approx((runs["capacity_per_s"] / 2).tolist(), abs=0.01)
    assert runs["capacity_per_s"].nunique() == 1
    at_ms = 1000 * runs.loc["open-50-stall", "stalled_at_s"]
    assert at_ms > 0
    # The record has how long it stood still at most: until it was known to go on, later than it did.
    stop_ms = 1000 / experiment.size("smoke").time_scale
    assert runs.loc["open-50-stall", "stalled_for_s"] >= stop_ms / 1000
    (log,) = [run.folder / RAW_LOG for run in measured if run.manifest["workload"]["stalled_s"]]
    messages = rate_log.read(log)
    # Messages go on being due, and none of them comes back before the engine goes on. The record is to 0.1 ms. All are
    # sent later if the engine has every connection in use when it stops.
    held_up = messages[messages["intended_ms"].between(at_ms + 0.1, at_ms + stop_ms - 0.1)]
    assert len(held_up) > 0 and (held_up["ended_ms"] > at_ms + stop_ms - 0.1).all()
    longest_ms = (held_up["ended_ms"] - held_up["intended_ms"]).max()
    assert runs.loc["open-50-stall", "all_response_max_ms"] > 0.9 * longest_ms  # its histogram has some tenths a bin


def test_a_run_begins_only_if_what_comes_back_is_what_was_sent(tmp_path):
    with engines.backend(tmp_path / "backend") as service:
        messages = Messages(service.wsdl)
        sent = messages.of("direct", 780)
        messages.check(service.endpoint, "direct", sent)
        other = replace(sent, content=sent.content.replace(b"asha", b"ahsa"))
        with pytest.raises(SystemFailed, match="other orders"):
            messages.check(service.endpoint, "direct", other)
        with pytest.raises(SystemFailed, match="does not echo"):
            messages.check(service.endpoint, "direct", replace(sent, content=sent.content.replace(b">100<", b">many<")))
        with socket.create_server(("127.0.0.1", 0)) as mute:
            address = f"http://127.0.0.1:{mute.getsockname()[1]}/"
            with pytest.raises(SystemFailed, match="does not echo a message: ReadTimeout"):
                messages.check(address, "direct", sent, timeout_s=0.2)


@pytest.mark.skipif(bool(haproxy.unavailable()), reason=haproxy.unavailable() or "HAProxy is there")
def test_a_hop_may_be_a_relay_of_bytes(tmp_path, monkeypatch):
    _, recorded = _measured(esb.BOUNDS.select(route=["tcp-relay"], connections=["50"]), tmp_path, monkeypatch)
    assert (recorded.runs["served"] == recorded.runs["ok"]).all()


def test_synapse_of_the_study_s_day_relays_on_its_own_libraries(tmp_path, monkeypatch):
    used = esb.RELAY.select(route=["synapse-2.1-relay"], connections=["50"])
    (run,), recorded = _measured(used, tmp_path, monkeypatch)
    assert (recorded.runs["served"] == recorded.runs["ok"]).all()
    synapse = {name for name in run.manifest["system"]["libraries"] if name.startswith("synapse-")}
    assert {"synapse-core-2.1.0.jar", "synapse-nhttp-transport-2.1.0.jar"} <= synapse
    assert not any("3.0" in name for name in synapse)


def test_every_client_sends_its_share_and_the_last_answer_ends_the_run(tmp_path, monkeypatch):
    (run,), recorded = _measured(esb.SHARES.select(route=["direct"], connections=["50"]), tmp_path, monkeypatch)
    sent = rate_log.read(run.folder / RAW_LOG)
    assert (sent.groupby("connection").size() == 5000 / 50).all() and sent["connection"].nunique() == 50
    took_s = run.manifest["workload"]["took_s"]
    # The client looks at its clock after its loop, so never before the last answer.
    assert sent["ended_ms"].max() / 1000 <= took_s < run.manifest["workload"]["seconds"]
    assert recorded.runs["whole_per_s"].item() == pytest.approx(5000 / took_s)


def test_an_engine_that_is_killed_fails_its_run_keeps_what_was_sent_and_a_rerun_goes_on(tmp_path, monkeypatch):
    experiment = esb.THROUGHPUT.select(route=["synapse"], connections=["50"])
    plan = Plan.of(experiment, "smoke", 1, folder=tmp_path / "runs")

    def and_kill(made, alive, begins=None, client=None):
        def kill(ended):
            if ended > 20 and made.record.name == RAW_LOG and alive():
                (engine,) = [one for one in _servers() if any("esb-synapse" in part for part in one.cmdline())]
                os.kill(engine.pid, signal.SIGKILL)

        return rate.run_rate(made, alive, kill, client=client)

    with monkeypatch.context() as killing:
        killing.setattr(bench, "run_rate", and_kill)
        # Long enough to be killed in: a quarter of a second may pass before the engine's end is noticed.
        killing.setattr(bench.RunSettings, "of", _lasting(bench.RunSettings.of, 5.0))
        with experiment.module(experiment.bench).bench() as procedure:
            (run,) = lab.measure(plan, procedure, show_progress=False)
            assert run.manifest["status"] == store.FAILED and "died" in run.manifest["error"]
            assert "it ended with status -9). The end of " in run.manifest["error"]
            assert _servers() == []
    assert len(rate_log.read(run.folder / RAW_LOG)) > 20
    with experiment.module(experiment.bench).bench() as procedure:
        (again,) = lab.measure(plan, procedure, show_progress=False)
    assert again.manifest["status"] == store.FINISHED
    assert len(list((tmp_path / "runs" / lab.SET_ASIDE).iterdir())) == 1


def _lasting(of, seconds):
    return lambda planned: replace(of(planned), seconds=seconds)


def test_an_engine_that_runs_out_of_files_is_a_result_and_no_failed_run(tmp_path, monkeypatch):
    experiment = esb.OPEN_FILES.select(route=["synapse"], open_files=["1024"])
    experiment = replace(experiment, fixed={**experiment.fixed, "timeout_s": "4"})
    monkeypatch.setattr(bench, "ANSWERS_S", 2.0)
    _, recorded = _measured(experiment, tmp_path, monkeypatch)
    (run,) = recorded.runs.to_dict("records")
    # How soon the engine complains in its log depends on the machine; test_esb_read counts complaints.
    assert run["failed"] > 0
    assert run["answers_afterwards"] in (True, False)
