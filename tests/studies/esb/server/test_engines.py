"""The ESB study's messages, and how its parties are started; nothing is started here."""

import os
import subprocess
from contextlib import contextmanager
from types import SimpleNamespace

import pytest
import zeep
from lxml import etree

from perfstudies.errors import BadParameter, MissingTool
from perfstudies.servers import haproxy, programs
from perfstudies.studies.esb.server import engines
from perfstudies.studies.esb.workload import echo

NAMESPACE = "{http://perfstudies/esb}"
BACKEND = "http://127.0.0.1:8280/services/EchoService"


@pytest.fixture(scope="module")
def client(repository):
    resources = repository / "systems/esb/backend/src/main/resources/perfstudies/esb/backend"
    return zeep.Client(str(resources / "EchoService.wsdl"))


@pytest.mark.parametrize("size_bytes", [500, 780, 1024, 5120, 10240, 102400])
def test_a_message_has_exactly_its_length_and_as_many_orders_as_fit(client, size_bytes):
    content = echo.envelope(client, size_bytes).content
    assert len(content) == size_bytes
    request = etree.fromstring(content).find(f".//{NAMESPACE}echo")
    orders = request.findall(f"{NAMESPACE}order")
    following = {name: str(value) for name, value in echo.order(len(orders)).items()}
    room = sum(len(f"<ns0:{name}>{value}</ns0:{name}>") for name, value in following.items())
    assert len(request.findtext(f"{NAMESPACE}padding")) < len(echo.END) + room + len("<ns0:order></ns0:order>")
    assert [order.findtext(f"{NAMESPACE}symbol") for order in orders[:2]] == ["IBM", "ORCL"][: len(orders)]


def test_the_same_length_gives_the_same_bytes_and_the_post_s_is_the_default(client):
    assert echo.envelope(client) == echo.envelope(client, 780)


def test_every_length_can_be_made(client):
    assert [len(echo.envelope(client, size).content) for size in range(400, 700)] == list(range(400, 700))


def test_a_whole_reply_is_known_by_its_last_text_whatever_its_prefixes(client):
    envelope = echo.envelope(client)
    assert envelope.content.count(envelope.must_contain) == 1
    last = envelope.content.index(envelope.must_contain) + len(envelope.must_contain)
    assert envelope.content[last:].startswith(b"ns0:padding></ns0:echo>")
    assert b"ns0" not in envelope.must_contain
    assert envelope.headers["SOAPAction"] == '"urn:echo"'
    assert envelope.headers["Content-Type"].startswith("text/xml")


def test_a_length_without_room_for_an_order_is_refused_with_the_least(client):
    with pytest.raises(BadParameter, match="of 399 bytes: one order and its envelope take 400"):
        echo.envelope(client, 399)


def test_the_proxy_keeps_connections_and_the_relay_does_not_read_requests():
    proxy = haproxy.configuration("http", BACKEND, {}, 7)
    relay = haproxy.configuration("tcp", BACKEND, {"threads": "1", "maxconn": "50"}, 8)
    assert "mode http" in proxy and "http-reuse always" in proxy and "bind fd@7" in proxy
    assert "maxconn 4000" in proxy and "nbthread" not in proxy
    assert "tune.pool-low-fd-ratio 100\n" in proxy and "tune.pool-high-fd-ratio 100\n" in proxy
    assert "mode tcp" in relay and "http" not in relay and "bind fd@8" in relay
    assert "maxconn 50" in relay and "nbthread 1" in relay
    assert "server backend 127.0.0.1:8280\n" in proxy and "server backend 127.0.0.1:8280\n" in relay


@pytest.mark.parametrize(
    ("mode", "backend", "settings", "problem"),
    [
        ("https", BACKEND, {}, "mode = 'https'"),
        ("http", "http://192.0.2.1/", {}, "loopback interface only"),
        ("http", BACKEND, {"thread": "1"}, "Did you mean 'threads'"),
        ("tcp", BACKEND, {"threads": "1\n    stats socket /s"}, "must be a whole number"),
    ],
)
def test_what_haproxy_cannot_be_told_is_refused(tmp_path, mode, backend, settings, problem):
    with pytest.raises(BadParameter, match=problem):
        with haproxy.start(mode, tmp_path / "run", backend, settings):
            pass
    assert not (tmp_path / "run").exists()


def test_a_missing_haproxy_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr(programs.shutil, "which", lambda name, path: None if name == "haproxy" else name)
    with pytest.raises(MissingTool, match="need haproxy: install the packages haproxy and util-linux"):
        with engines.engine("haproxy-tcp", tmp_path, BACKEND):
            pass


def test_set_up_goes_on_without_haproxy(repository, tmp_path):
    script = (repository / "setup/haproxy.sh").read_text().replace("PATH=$PATH:/usr/sbin:/sbin", "PATH=/nowhere")
    for name, text in {"haproxy.sh": script, "packages.sh": (repository / "setup/packages.sh").read_text()}.items():
        (tmp_path / name).write_text(text)
    environment = os.environ | {"PERFSTUDIES_NO_INSTALL": "1"}
    done = subprocess.run(["bash", tmp_path / "haproxy.sh"], env=environment, capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == ""
    assert done.stdout.endswith(": haproxy util-linux\n")


@pytest.fixture
def started(monkeypatch, tmp_path):
    """Return what would have been started."""
    calls = []

    @contextmanager
    def serve(name, command, log, timeout_s):
        calls.append(SimpleNamespace(name=name, command=command, log=log))
        yield SimpleNamespace(address="http://127.0.0.1:1", pid=1)

    monkeypatch.setattr(engines, "serve", serve)
    monkeypatch.setattr(engines, "jar", lambda module: f"/systems/{module}.jar")
    monkeypatch.setattr(engines, "jvm", lambda: ["java"])
    return calls


def test_an_engine_is_told_its_back_end_and_keeps_its_files_together(started, tmp_path):
    folder = tmp_path / "engine"
    with engines.engine("camel", folder, BACKEND, {"streaming": "true"}) as engine:
        assert engine.address() == "http://127.0.0.1:1/services/DirectProxy"
        assert engine.address("cbr-soap-header") == "http://127.0.0.1:1/services/CBRSOAPHeaderProxy"
    (call,) = started
    config = folder / "esb-camel.properties"
    assert call.command == [
        "java", "-Xmx1g", f"-Djava.io.tmpdir={folder}", "-jar", "/systems/esb-camel.jar",
        "serve", "--config", str(config),
    ]  # fmt: skip
    assert call.log.parent == folder
    assert set(config.read_text().splitlines()) == {
        "streaming=true", f"backend={BACKEND}", f"work.dir={folder}"
    }  # fmt: skip


def test_synapse_of_the_study_s_day_starts_without_what_stands_in_its_way_and_passes_through(started, tmp_path):
    with engines.engine("synapse-2.1", tmp_path, BACKEND, {"transport": "nhttp-relay"}) as engine:
        assert engine.address() == "http://127.0.0.1:1/services/DirectProxy"
        with pytest.raises(BadParameter, match="proxy of synapse-2.1 = 'xslt'"):
            engine.address("xslt")
    (call,) = started
    assert call.command[:3] == ["java", "--limit-modules", "java.se"]
    assert call.command[call.command.index("-jar") + 1] == "/systems/esb-synapse-2.1.jar"


def test_open_files_are_limited_before_java_starts(started, tmp_path):
    with engines.backend(tmp_path, {"threads.max": "500"}, open_files=300):
        pass
    with engines.backend(tmp_path) as service:
        assert service.wsdl == "http://127.0.0.1:1?wsdl"
    assert started[0].command[:3] == ["prlimit", "--nofile=300:300", "java"]
    assert started[1].command[0] == "java"


@pytest.mark.parametrize(
    ("name", "address", "settings", "problem"),
    [
        ("synaps", BACKEND, {}, "Did you mean 'synapse'"),
        ("synapse", BACKEND, {"transports": "nhttp"}, "setting of esb-synapse.*Did you mean 'transport'"),
        ("camel", BACKEND, {"backend": "http://127.0.0.1/"}, "setting of esb-camel"),
        ("camel", "http://192.0.2.1/", {}, "loopback interface only"),
        ("haproxy-http", BACKEND, {"streaming": "true"}, "setting = 'streaming'"),
    ],
)
def test_what_an_engine_cannot_be_told_is_refused(started, tmp_path, name, address, settings, problem):
    with pytest.raises(BadParameter, match=problem):
        with engines.engine(name, tmp_path, address, settings):
            pass
    assert started == []


def test_haproxy_passes_through_and_nothing_else():
    relay = engines.Engine("haproxy-tcp", None, "http://127.0.0.1:2", BACKEND)
    assert relay.address() == "http://127.0.0.1:2/services/EchoService"
    with pytest.raises(BadParameter, match="proxy of haproxy-tcp = 'xslt'"):
        relay.address("xslt")
    with pytest.raises(BadParameter, match="engine = 'haproxy'"):
        engines.libraries("haproxy")


def test_haproxy_s_own_limit_of_open_files_is_not_overridden(tmp_path):
    with pytest.raises(BadParameter, match="HAProxy sets its own"):
        with engines.engine("haproxy-tcp", tmp_path, BACKEND, open_files=1024):
            pass
