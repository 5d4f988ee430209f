"""Servers of a few lines, as real processes."""

import contextlib
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import psutil
import pytest

from perfstudies.errors import SystemFailed
from perfstudies.servers import process
from perfstudies.servers.process import Deployed, serve, tail


def _server(body: str) -> list[str]:
    return [sys.executable, "-u", "-c", textwrap.dedent(body)]


GOOD = _server("import sys; print('READY http://127.0.0.1:1/'); sys.stdin.read()")


def test_it_is_ready_and_then_stopped_by_the_end_of_its_input(tmp_path):
    with serve("good", GOOD, tmp_path / "log") as process:
        assert process.address == "http://127.0.0.1:1/"
        assert process.alive()
    assert not process.alive()
    assert process.popen.returncode == 0


def test_it_is_stopped_when_the_block_fails(tmp_path):
    with pytest.raises(KeyboardInterrupt), serve("good", GOOD, tmp_path / "log") as process:
        raise KeyboardInterrupt
    assert not process.alive()


def test_a_crash_at_the_start_shows_the_end_of_its_log(tmp_path):
    crash = _server("import sys; sys.exit('port is taken')")
    with pytest.raises(SystemFailed, match="was not ready and ended .*status 1.*\nport is taken"):
        with serve("crash", crash, tmp_path / "log"):
            pass


def test_a_crash_while_it_serves_shows_the_end_of_its_log(tmp_path):
    crash = _server("import os, sys; print('READY x'); sys.stdin.readline; os.write(2, b'out of memory'); os._exit(3)")
    with pytest.raises(SystemFailed, match="no answer .*status 3.*\nout of memory"):
        with serve("crash", crash, tmp_path / "log") as process:
            process.popen.wait(60)
            raise SystemFailed("no answer")


def test_one_that_never_gets_ready_is_ended(tmp_path):
    with pytest.raises(SystemFailed, match="not ready after 0.2 s"):
        with serve("silent", _server("import sys; sys.stdin.read()"), tmp_path / "log", start_timeout_s=0.2):
            pass


def test_one_that_closes_its_output_and_goes_on_is_ended_and_named(tmp_path, monkeypatch):
    monkeypatch.setattr(process, "ENDING_S", 0.1)
    mute = _server("import os, sys; os.close(1); sys.stdin.read()")
    with pytest.raises(SystemFailed, match="was not ready: it closed its output and goes on"):
        with serve("mute", mute, tmp_path / "log"):
            pass


def test_one_that_says_something_else_is_refused(tmp_path):
    with pytest.raises(SystemFailed, match="said 'Hello'"):
        with serve("chatty", _server("import sys; print('Hello'); sys.stdin.read()"), tmp_path / "log"):
            pass


ECHO = """
    import sys
    print("READY x")
    for line in sys.stdin:
        print("DONE" if line == "work\\n" else "WHAT")
"""


def test_it_obeys_a_command_and_answers(tmp_path):
    with serve("echo", _server(ECHO), tmp_path / "log") as process:
        process.command("work", "DONE")
        process.command("work", "DONE")


def test_another_answer_is_an_error(tmp_path):
    with pytest.raises(SystemFailed, match="answered 'play' with 'WHAT'"):
        with serve("echo", _server(ECHO), tmp_path / "log") as process:
            process.command("play", "DONE")


CONTAINER = """
    import sys
    print("READY first")
    answers = {"statistics": 'STATISTICS {"requests": 3}', "deploy right": "READY second", "deploy wrong": "FAILED no"}
    for line in sys.stdin:
        print(answers[line.strip()])
"""


def test_a_deployment_is_replaced_and_tells_what_it_counted(tmp_path):
    with serve("container", _server(CONTAINER), tmp_path / "log") as process:
        deployed = Deployed(process)
        assert deployed.wsdl == "first?wsdl" and deployed.statistics() == {"requests": 3}
        deployed.deploy_by(Path("right"), 60)
        assert deployed.endpoint == "second" and process.told("statistics", "STATISTICS").startswith("{")
        with pytest.raises(SystemFailed, match="did not deploy: FAILED no"):
            deployed.deploy_by(Path("wrong"), 60)
        with pytest.raises(SystemFailed, match="answered 'statistics' with 'STATISTICS"):
            process.told("statistics", "SERVED")


def test_one_that_does_not_stop_is_killed_and_named(tmp_path):
    stubborn = _server("import sys, signal; print('READY x'); sys.stdin.read(); signal.pause()")
    with pytest.raises(SystemFailed, match="did not stop within 0.3 s"):
        with serve("stubborn", stubborn, tmp_path / "log", stop_timeout_s=0.3) as process:
            pass
    assert not process.alive()


def test_it_does_not_outlive_a_parent_that_is_killed(tmp_path):
    parent = textwrap.dedent(f"""
        import os, pathlib, signal
        from perfstudies.servers.process import serve
        with serve("good", {GOOD!r}, pathlib.Path({str(tmp_path / "log")!r})) as process:
            print(process.pid, flush=True)
            os.kill(os.getpid(), signal.SIGKILL)
    """)
    done = subprocess.run([sys.executable, "-c", parent], capture_output=True, text=True, env=os.environ)
    child = int(done.stdout)
    with contextlib.suppress(psutil.NoSuchProcess):
        psutil.Process(child).wait(60)


def test_the_tail_of_a_large_log_is_its_last_lines(tmp_path):
    log = tmp_path / "log"
    log.write_text("".join(f"line {i}\n" for i in range(100_000)))
    assert tail(log, lines=2) == "line 99998\nline 99999"
    assert tail(tmp_path / "none") == ""
