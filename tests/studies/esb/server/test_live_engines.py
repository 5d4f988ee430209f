"""The ESB study's back end and the bounds of a hop, as real processes."""

import http.client
import resource
import socket
import subprocess
import sys
import textwrap
import time
from contextlib import ExitStack, closing, suppress
from urllib.parse import urlsplit

import psutil
import pytest

from perfstudies.errors import SystemFailed
from perfstudies.load.http.limits import require_open_files
from perfstudies.load.soap import connect
from perfstudies.servers import haproxy
from perfstudies.studies.esb.server import engines
from perfstudies.studies.esb.workload import echo

pytestmark = pytest.mark.live
needs_haproxy = pytest.mark.skipif(bool(haproxy.unavailable()), reason=haproxy.unavailable() or "HAProxy is there")


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with engines.backend(tmp_path_factory.mktemp("backend")) as started:
        yield started


@pytest.fixture(scope="module")
def envelope(service):
    return echo.envelope(connect(service.wsdl, 60))


def _connection(address):
    server = urlsplit(address)
    return http.client.HTTPConnection(server.hostname, server.port, timeout=120)


def _send(connection, address, envelope):
    connection.request("POST", urlsplit(address).path, envelope.content, dict(envelope.headers))
    response = connection.getresponse()
    return response.status, response.read()


def _is_right(answer, envelope):
    status, body = answer
    return status == 200 and envelope.must_contain in body and b"echoResponse" in body


def test_zeep_reads_back_what_it_sent(service):
    sent = {"order": [echo.order(number) for number in range(5)], "padding": "ę & <"}
    answer = connect(service.wsdl, 60).service.echo(**sent)
    assert [{name: order[name] for name in echo.order(0)} for order in answer.order] == sent["order"]
    assert answer.padding == sent["padding"]


@pytest.mark.parametrize("size_bytes", [500, 780, 102400])
def test_a_prepared_message_has_a_right_reply(service, size_bytes):
    envelope = echo.envelope(connect(service.wsdl, 60), size_bytes)
    with closing(_connection(service.endpoint)) as connection:
        assert _is_right(_send(connection, service.endpoint, envelope), envelope)


def test_1200_connections_stay_open_and_each_is_answered_twice(service, envelope):
    require_open_files(1200, "the test")
    with ExitStack() as all_open:
        connections = [all_open.enter_context(closing(_connection(service.endpoint))) for _ in range(1200)]
        for _ in range(2):
            for connection in connections:
                assert _is_right(_send(connection, service.endpoint, envelope), envelope)
        assert all(connection.sock for connection in connections)
        assert psutil.Process(service.pid).num_threads() > 1200


def test_it_listens_on_loopback_and_leaves_its_log_and_configuration(tmp_path):
    with engines.backend(tmp_path) as service:
        connect(service.wsdl, 60)
        listening = [one for one in psutil.Process(service.pid).net_connections() if one.status == psutil.CONN_LISTEN]
        assert {one.laddr.ip.removeprefix("::ffff:") for one in listening} == {"127.0.0.1"}
        # Temporary files go there, too, and to the machine's own folder none, which other tests share.
        assert f"-Djava.io.tmpdir={tmp_path}" in psutil.Process(service.pid).cmdline()
    assert {path.name for path in tmp_path.iterdir()} == {"esb-backend.properties", engines.CONSOLE_LOG}


def test_no_request_is_logged(tmp_path, monkeypatch):
    monkeypatch.delenv("JAVA_TOOL_OPTIONS", raising=False)  # which a JVM tells in its first line
    with engines.backend(tmp_path) as service, closing(_connection(service.endpoint)) as connection:
        envelope = echo.envelope(connect(service.wsdl, 60))
        for _ in range(20):
            _send(connection, service.endpoint, envelope)
        assert (tmp_path / engines.CONSOLE_LOG).read_text() == ""


def test_limits_reach_the_process(tmp_path):
    with engines.backend(tmp_path, open_files=300) as service:
        process = psutil.Process(service.pid)
        assert process.rlimit(resource.RLIMIT_NOFILE) == (300, 300)
        assert "java" in process.name()


def test_connections_beyond_the_open_files_wait_and_the_console_log_says_why(tmp_path, envelope):
    log = tmp_path / engines.CONSOLE_LOG
    with engines.backend(tmp_path, open_files=200) as service:
        with ExitStack() as all_open:
            port = urlsplit(service.endpoint).port
            for _ in range(300):
                all_open.enter_context(socket.create_connection(("127.0.0.1", port)))
            deadline = time.monotonic() + 120
            while "Too many open files" not in log.read_text():
                assert time.monotonic() < deadline and service.process.alive()
                time.sleep(0.05)
        with closing(_connection(service.endpoint)) as connection:
            assert _is_right(_send(connection, service.endpoint, envelope), envelope)


def test_a_back_end_that_is_killed_is_an_error_with_its_status(tmp_path):
    with pytest.raises(SystemFailed, match="no answer .*status -9"):
        with engines.backend(tmp_path) as service:
            service.process.popen.kill()
            service.process.popen.wait()
            raise SystemFailed("no answer")


def test_what_it_runs_on_is_told(service):
    assert {"axis2-adb-1.8.2.jar", "esb-backend.jar"} <= set(engines.libraries())


@needs_haproxy
@pytest.mark.parametrize("name", engines.BOUNDS)
def test_messages_pass_through_and_connections_are_kept(tmp_path, service, envelope, name):
    with engines.engine(name, tmp_path, service.endpoint, {"threads": "1"}) as engine, ExitStack() as all_open:
        connections = [all_open.enter_context(closing(_connection(engine.address()))) for _ in range(8)]
        for _ in range(3):
            for connection in connections:
                assert _is_right(_send(connection, engine.address(), envelope), envelope)
        assert all(connection.sock for connection in connections)
        sockets = psutil.Process(engine.pid).net_connections()
        port = urlsplit(service.endpoint).port
        onward = [one for one in sockets if one.status == psutil.CONN_ESTABLISHED and one.raddr.port == port]
        # One message after the other: the proxy needs one connection for all, the relay one for each.
        assert len(onward) == (1 if name == "haproxy-http" else 8)
        assert {one.laddr.ip for one in sockets} == {"127.0.0.1"}
        assert engines.libraries(name)[-1] == f"haproxy-{haproxy.version()}"
    assert not psutil.pid_exists(engine.pid)
    assert (tmp_path / haproxy.CONFIG).is_file()


@needs_haproxy
def test_it_bears_the_study_s_largest_number_of_connections(tmp_path, service):
    require_open_files(3000, "the test")
    with engines.engine("haproxy-http", tmp_path, service.endpoint) as engine, ExitStack() as all_open:
        place = ("127.0.0.1", urlsplit(engine.base).port)
        sockets = [all_open.enter_context(socket.create_connection(place, timeout=120)) for _ in range(3000)]
        request = f"GET {urlsplit(service.wsdl).path}?wsdl HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
        for one in (sockets[0], sockets[-1]):
            one.sendall(request)
            assert one.recv(12) == b"HTTP/1.1 200"


@needs_haproxy
@pytest.mark.parametrize("mode", haproxy.MODES)
def test_a_back_end_that_does_not_answer_is_an_error(tmp_path, mode):
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    with pytest.raises(SystemFailed, match="HAProxy: .*first request"):
        with haproxy.start(mode, tmp_path, f"http://127.0.0.1:{port}/services/EchoService"):
            pass


@needs_haproxy
def test_a_configuration_that_it_refuses_is_shown(tmp_path, service):
    with pytest.raises(SystemFailed, match="(?s)first request.*nbthread"):
        with haproxy.start("http", tmp_path, service.endpoint, {"threads": "0"}):
            pass


@needs_haproxy
def test_it_ends_when_its_parent_is_killed(tmp_path, service):
    parent = textwrap.dedent(f"""
        import os, pathlib, signal
        from perfstudies.servers import haproxy
        with haproxy.start("tcp", pathlib.Path({str(tmp_path)!r}), {service.endpoint!r}) as process:
            print(process.pid, flush=True)
            os.kill(os.getpid(), signal.SIGKILL)
    """)
    done = subprocess.run([sys.executable, "-c", parent], capture_output=True, text=True)
    with suppress(psutil.NoSuchProcess):
        psutil.Process(int(done.stdout)).wait(60)
