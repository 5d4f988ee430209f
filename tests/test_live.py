"""The whole path on a real server: started, driven by zeep, killed, hung; logs in, report out."""

import os
import signal
import subprocess
import sys
import threading

import psutil
import pytest

from perfstudies import lab, recording, store
from perfstudies.errors import SystemFailed
from perfstudies.load.closed import run_users
from perfstudies.logs import client
from perfstudies.logs.slices import SLICES
from perfstudies.studies import step, step_procedure
from perfstudies.systems import flight
from perfstudies.workloads import flight_data, flight_load

pytestmark = pytest.mark.live

EXPERIMENT = step.TIME_BREAKDOWN.select(monitor_collections=["false"])


def _plan():
    return lab.plan(EXPERIMENT, "smoke", seed=1)[:1]


def _servers():
    return [child for child in psutil.Process().children() if "java" in child.name()]


def test_a_run_leaves_logs_that_tell_the_same_story_on_both_sides(tmp_path):
    runs = lab.measure(_plan(), tmp_path, step_procedure.run, show_progress=False)
    assert [run.manifest["status"] for run in runs] == [store.FINISHED], runs[0].manifest.get("error")
    recorded = recording.load(EXPERIMENT, runs)
    samples, calls = recorded.samples, recorded.calls
    assert len(samples) == len(calls) >= 3
    assert samples["operation"].tolist() == calls["operation"].tolist()
    assert samples["outcome"].tolist() == calls["outcome"].tolist()
    # What the server's outermost filter saw lies within what the client waited.
    assert (samples["request_ms"].to_numpy() < calls["elapsed_ms"].to_numpy()).all()
    assert recorded.warnings == ()
    assert samples["request_ms"].to_numpy() == pytest.approx(samples[list(SLICES)].sum(axis=1).to_numpy())
    searches = samples[samples["operation"] == "searchFlights"]
    assert (searches["writes_ms"] == 0).all()
    assert (searches["reads_ms"] > 0).all()
    assert runs[0].manifest["workload"]["seeds"] == [flight_load.study_load("SizeMedium").seed(0)]
    assert not (runs[0].folder / "work").exists()
    assert _servers() == []


def test_a_server_that_is_killed_ends_its_run_as_failed_and_the_next_run_is_sound(tmp_path, monkeypatch):
    def and_kill(wsdl, loads, records, alive):
        (server,) = _servers()

        def kill_after_two_requests():
            while not records[0].exists() or len(records[0].read_text().splitlines()) < 3:
                pass
            server.kill()

        killer = threading.Thread(target=kill_after_two_requests)
        killer.start()
        # A load that goes on long enough to be hit.
        loads[0].write_text(loads[0].read_text() * 500)
        try:
            run_users(wsdl, loads, records, alive)
        finally:
            killer.join()

    monkeypatch.setattr(step_procedure, "run_users", and_kill)
    (failed,) = lab.measure(_plan(), tmp_path, step_procedure.run, show_progress=False)
    assert failed.manifest["status"] == store.FAILED
    assert "the server died during request" in failed.manifest["error"]
    assert "The end of " in failed.manifest["error"]
    kept, _ = client.read(failed.folder / "client-0-measured.csv")
    assert (kept["outcome"] == "ok").sum() >= 2
    assert kept["outcome"].iloc[-1] == "transport error"

    monkeypatch.undo()
    (run,) = lab.measure(_plan(), tmp_path, step_procedure.run, show_progress=False)
    assert run.manifest["status"] == store.FINISHED


def test_a_server_that_hangs_is_named_and_ended(tmp_path):
    data = flight_data.generate()
    load = tmp_path / "load.jsonl"
    flight_load.write(flight_load.sessions(flight_load.study_load("SizeSmall"), data, 1, count=2), load)
    with pytest.raises(SystemFailed, match="the server hung: request 0"):
        with flight.start(tmp_path / "work", step_procedure.image(data), {}) as service:
            # Stopped between the WSDL and the first request: it accepts connections and never answers.
            wsdl = service.wsdl
            original = flight_load.read

            def stop_then_read(path):
                os.kill(service.process.pid, signal.SIGSTOP)
                return original(path)

            with pytest.MonkeyPatch.context() as patch:
                patch.setattr("perfstudies.load.closed.read", stop_then_read)
                run_users(wsdl, [load], [tmp_path / "client.csv"], service.process.alive, timeout_s=2)
    assert _servers() == []


def test_several_users_send_at_the_same_time_and_each_has_its_record(tmp_path):
    data = flight_data.generate()
    load = flight_load.study_load("SizeSmall")
    loads = [tmp_path / f"load-{user}" for user in range(4)]
    for user, path in enumerate(loads):
        flight_load.write(flight_load.sessions(load, data, user, count=3), path)
    records = [tmp_path / f"client-{user}.csv" for user in range(4)]
    with flight.start(tmp_path / "work", step_procedure.image(data), {"log.level": "off"}) as service:
        run_users(service.wsdl, loads, records, service.process.alive)
    frames = [client.read(path)[0] for path in records]
    assert [frame["user"].unique().tolist() for frame in frames] == [[0], [1], [2], [3]]
    assert max(frame["sent_ns"].iloc[0] for frame in frames) < min(frame["ended_ns"].iloc[-1] for frame in frames)
    outcomes = {outcome for frame in frames for outcome in frame["outcome"]}
    assert "ok" in outcomes and "transport error" not in outcomes


def test_live_runs_become_a_report(tmp_path, repository):
    report = tmp_path / "report.html"
    notebook = repository / "notebooks" / "step" / "01-time-breakdown.ipynb"
    command = [sys.executable, "-m", "perfstudies.report.render", str(notebook), "--out", str(report)]
    done = subprocess.run(
        [*command, "--source", "live", "--profile", "smoke"], capture_output=True, text=True, cwd=repository
    )
    assert done.returncode == 0, done.stderr
    page = report.read_text(encoding="utf-8")
    assert "Table 1." in page and "Figure 6." in page
    assert "source = live" in page
