"""Measuring services of other makes: Metro, Apache CXF and Apache Axis, in every style that each has."""

from contextlib import ExitStack

import pandas as pd
import pytest

from perfstudies.errors import SystemFailed
from perfstudies.own.service import calls, example, foreign_soap, measuring, reading
from perfstudies.own.service.declaration import comparison
from perfstudies.permit import LOOPBACK
from perfstudies.runs import store

pytestmark = pytest.mark.live

REQUESTS = 5
STYLES = ("wrapped", "wrapped12", "bare", "bare12", "rpc", "imported")
"""Document/literal wrapped and bare over SOAP 1.1 and 1.2, rpc/literal, and a description in two imported documents."""
AXIS_STYLES = ("rpc-encoded", "rpc-literal", "wrapped")
GUARDED = [
    ("metro", "basic", "basic"), ("cxf", "basic", "basic"), ("cxf", "token-text", "token-text"),
    ("cxf", "token-digest", "token-digest"),
]  # fmt: skip


@pytest.fixture(scope="module")
def servers(tmp_path_factory):
    """Give a function that starts a stack once."""
    with ExitStack() as running:
        started = {}

        def server(stack):
            if stack not in started:
                folder = tmp_path_factory.mktemp(stack)
                started[stack] = running.enter_context(foreign_soap.start(stack, folder))
            return started[stack]

        yield server


def sent(target, folder, **load):
    """Measure one run of a few requests and return it."""
    wanted = comparison("foreign", target, {"requests": REQUESTS, "timeout_s": 20.0} | load, None, 1)
    (run,) = measuring.measure(wanted, LOOPBACK, folder, show_progress=False)
    assert run.manifest["status"] == store.FINISHED
    return run


def refused(target, folder):
    """Measure a run in which no request goes well; return its outcomes and why it failed."""
    with pytest.raises(SystemFailed) as failed:
        sent(target, folder)
    (records,) = folder.rglob("requests.csv")
    return pd.read_csv(records)["outcome"].value_counts().to_dict(), str(failed.value)


def outcomes(run):
    return {name: count for name, count in run.manifest["workload"]["outcomes"].items() if count}


@pytest.mark.parametrize("stack", ["metro", "cxf"])
@pytest.mark.parametrize("style", STYLES)
def test_generated_orders_are_answered_in_every_style(servers, tmp_path, stack, style):
    run = sent({"wsdl": servers(stack).wsdl(style), "operation": "order"}, tmp_path, users=2)
    assert outcomes(run) == {"ok": REQUESTS}
    assert run.manifest["workload"]["generated"] and run.manifest["hosts"]["served"] == "127.0.0.1"
    assert (reading.read([run]).runs["mean_ms"] > 0).all()


@pytest.mark.parametrize("stack", ["metro", "cxf"])
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize(
    ("operation", "outcome", "said"),
    [("refuse", "application exception", "the order was refused: 7: "), ("fail", "system error", "it failed on ")],
)
def test_faults_are_outcomes_in_every_style(servers, tmp_path, stack, style, operation, outcome, said):
    found, why = refused({"wsdl": servers(stack).wsdl(style), "operation": operation}, tmp_path)
    assert found == {outcome: REQUESTS}
    assert said in why


@pytest.mark.parametrize("style", AXIS_STYLES)
@pytest.mark.parametrize("operation", ["echo", "price", "names", "fail"])
def test_axis_is_called_in_rpc_encoded_too(servers, tmp_path, style, operation):
    server = servers("axis")
    # Axis names this machine by its own name, which is not loopback: messages are told where to go.
    target = {"wsdl": server.wsdl(style), "operation": operation, "endpoint": f"{server.address}/{style}"}
    if (style, operation) == ("rpc-literal", "names"):
        target["arguments"] = {"names": {"item": ["one", "two"]}}  # an optional list is not generated, but it is needed
    if operation == "fail":
        assert refused(target, tmp_path)[0] == {"system error": REQUESTS}
    else:
        assert outcomes(sent(target, tmp_path)) == {"ok": REQUESTS}


@pytest.mark.parametrize(("stack", "path", "security"), GUARDED)
def test_name_and_password_are_told_and_wrong_ones_are_not_let_in(
    servers, tmp_path, monkeypatch, stack, path, security
):
    target = {
        "wsdl": servers(stack).wsdl(path), "operation": "echo", "user": foreign_soap.USER,
        "password_variable": "FOREIGN_PASSWORD", "security": security,
    }  # fmt: skip
    monkeypatch.setenv("FOREIGN_PASSWORD", foreign_soap.PASSWORD)
    run = sent(target, tmp_path / "right", users=2)
    assert outcomes(run) == {"ok": REQUESTS}
    monkeypatch.setenv("FOREIGN_PASSWORD", "wrong")
    if stack == "metro":  # it protects its description as well
        with pytest.raises(SystemFailed, match="401"):
            sent(target, tmp_path / "wrong")
    else:
        assert refused(target, tmp_path / "wrong")[0] == {"system error": REQUESTS}


def test_two_makes_are_compared_and_open_arrivals_reach_both(servers, tmp_path):
    settings = {stack: {"wsdl": servers(stack).wsdl("wrapped")} for stack in ("metro", "cxf")}
    load = {"requests": 20, "rate_per_s": 200.0, "users": 4}
    wanted = comparison("makes", {"operation": "order"}, load, settings, 2)
    runs = measuring.measure(wanted, LOOPBACK, tmp_path, show_progress=False)
    assert [outcomes(run) for run in runs] == [{"ok": 20}] * 4
    assert len({run.manifest["system"]["endpoint"] for run in runs}) == 2


def test_the_example_starts_both_makes_and_measures_them(tmp_path):
    runs = example.measured(tmp_path, {"requests": 10}, 2, 1, warm_up=5)
    assert [run.manifest["status"] for run in runs] == [store.FINISHED] * 4
    assert {run.manifest["setting"]["setting"] for run in runs} == {"Metro", "CXF"}


def test_a_server_that_dies_fails_the_run(tmp_path, monkeypatch):
    asked = calls.SoapAsker.ask
    with (
        pytest.raises(SystemFailed, match="metro: .*does not answer any more.*status -9"),
        foreign_soap.start("metro", tmp_path / "server") as server,
    ):

        def ask(one, user, number, *times):
            if number == 20:
                server.process.popen.kill()
                server.process.popen.wait(10)
            return asked(one, user, number, *times)

        monkeypatch.setattr(calls.SoapAsker, "ask", ask)
        sent({"wsdl": server.wsdl("wrapped"), "operation": "echo"}, tmp_path / "runs", requests=100)
