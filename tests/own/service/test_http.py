"""A service that is asked by plain HTTP: what is sent, what comes of it, and that no secret is written anywhere."""

import base64
import json
import ssl
import time
from collections import Counter

import pytest
import trustme

from made import http_peer
from perfstudies.errors import BadParameter, SystemFailed
from perfstudies.own.report import own_service
from perfstudies.own.service import bounds, measuring, reading, users
from perfstudies.own.service.declaration import as_properties, comparison
from perfstudies.permit import LOOPBACK
from perfstudies.runs import store


@pytest.fixture
def peer():
    with http_peer.running() as found:
        yield found


def declared(load=None, settings=None, runs=1, **target):
    return comparison("made", target, {"requests": 12, "timeout_s": 5.0} | (load or {}), settings, runs)


def measure(folder, load=None, settings=None, runs=1, **target):
    wanted = declared(load, settings, runs, **target)
    return measuring.measure(wanted, LOOPBACK, folder, show_progress=False)


def outcomes(run):
    return {name: count for name, count in run.manifest["workload"]["outcomes"].items() if count}


def test_all_requests_are_sent_and_on_record(peer, tmp_path):
    (run,) = measure(tmp_path, {"users": 3}, url=f"{peer.address}/hello")
    assert run.manifest["status"] == store.FINISHED and outcomes(run) == {"ok": 12}
    assert [(method, path) for method, path, *_ in peer.seen] == [("GET", "/hello")] * 12
    rows = reading.records(run)
    assert rows["bytes_in"].to_list() == [len("/hello")] * 12
    assert run.manifest["system"] == {"name": "own", "operation": "request", "endpoint": f"{peer.address}/hello"}


def test_kinds_come_by_their_weights_and_in_every_run_alike(peer, tmp_path):
    operations = {"read": {"url": "/items", "weight": 3}, "add": {"url": "/items", "method": "POST", "body": {"a": 1}}}
    runs = measure(tmp_path, {"requests": 200, "users": 2}, runs=2, url=peer.address, operations=operations)
    kinds = [reading.records(run).sort("user", "request")["operation"].to_list() for run in runs]
    assert kinds[0] == kinds[1]
    assert Counter(kinds[0])["read"] / 200 == pytest.approx(0.75, abs=0.1)
    added = [(headers, body) for method, _, headers, body in peer.seen if method == "POST"]
    assert {body for _, body in added} == {b'{"a": 1}'}
    assert {headers["Content-Type"] for headers, _ in added} == {"application/json"}


def test_places_are_filled_row_by_row_as_address_header_and_json_want_it(peer, tmp_path):
    values = tmp_path / "values.csv"
    values.write_text('id,name\na/b,"say ""x"""\n2,ä\n', encoding="utf-8")
    measure(
        tmp_path / "runs", {"requests": 4}, url=f"{peer.address}/items/${{id}}", method="PUT", values=str(values),
        headers={"X-Name": "${id}"}, body={"name": "${name}"},
    )  # fmt: skip
    sent = [(path, headers["X-Name"], json.loads(body)) for _, path, headers, body in peer.seen]
    assert sent == [("/items/a%2Fb", "a/b", {"name": 'say "x"'}), ("/items/2", "2", {"name": "ä"})] * 2


def test_a_file_is_sent_as_it_is(peer, tmp_path):
    file = tmp_path / "body.bin"
    file.write_bytes(b"\x00\xff${x}")
    measure(tmp_path / "runs", {"requests": 1}, url=peer.address, method="POST", body_file=str(file))
    assert peer.seen[0][3] == b"\x00\xff${x}"


def test_statuses_are_outcomes_by_what_is_expected(peer, tmp_path):
    operations = {
        "gone": {"url": "/status/404"},
        "expected": {"url": "/status/404", "expect": [404]},
        "down": {"url": "/status/503"},
    }
    (run,) = measure(tmp_path, {"requests": 60}, url=peer.address, operations=operations)
    kinds = reading.records(run).select("operation", "outcome").unique().rows()
    assert set(kinds) == {("gone", "application exception"), ("expected", "ok"), ("down", "system error")}
    assert own_service.outcomes_table([run]).columns.tolist() == ["Ok", "Application exception", "System error"]
    details = own_service.details_table([run]).set_index("Outcome")
    assert details.loc["system error", "Detail"] == "status 503: <p>this is 503</p>"
    assert details["Requests"].sum() == 60 - outcomes(run)["ok"]


def test_a_run_without_a_request_that_was_well_has_failed_and_is_made_again(peer, tmp_path, monkeypatch):
    told = {"url": f"{peer.address}/secret", "security": "bearer", "password_variable": "MADE_SECRET"}
    for _ in range(2):
        monkeypatch.setenv("MADE_SECRET", "wrong")
        with pytest.raises(SystemFailed, match="2 of 2 runs .* none of 3 requests without error: status 401: not"):
            measure(tmp_path, {"requests": 3}, runs=2, **told)
    assert len(peer.seen) == 12
    monkeypatch.setenv("MADE_SECRET", "token")
    runs = measure(tmp_path, {"requests": 3}, runs=2, **told)
    assert [outcomes(run) for run in runs] == [{"ok": 3}] * 2


def test_one_that_hangs_up_is_a_transport_error_and_one_that_sends_elsewhere_fails_the_run(peer, tmp_path):
    for path in ("/hang", "/nowhere"):
        operations = {"well": {"url": "/x"}, "hang": {"url": path}}
        (run,) = measure(tmp_path / f"a{path}", {"requests": 12}, url=peer.address, operations=operations)
        assert set(outcomes(run)) == {"ok", "transport error"}
    with pytest.raises(SystemFailed, match=r"not to 'http://192\.0\.2\.1/'"):
        measure(tmp_path / "b", url=f"{peer.address}/away")


@pytest.mark.parametrize("told", [{"security": "bearer"}, {"user": "a"}, {"secret_headers": {"X-Key": "MADE_SECRET"}}])
def test_secrets_reach_the_server_and_nothing_else(peer, tmp_path, monkeypatch, told):
    monkeypatch.setenv("MADE_SECRET", "b" if "user" in told else "token")
    if "secret_headers" not in told:
        told = told | {"password_variable": "MADE_SECRET"}
    (run,) = measure(tmp_path, {"requests": 3}, url=f"{peer.address}/secret", expect=[200, 401], **told)
    assert outcomes(run) == {"ok": 3}
    headers = peer.seen[0][2]
    assert headers.get("Authorization") in http_peer.TOLD or headers["X-Key"] == "token"
    monkeypatch.setenv("MADE_SECRET", "wrong-and-told")
    operations = {"asked": {"url": "/secret"}, "well": {"url": "/well"}}
    (wrong,) = measure(tmp_path / "wrong", url=peer.address, operations=operations, **told)
    assert set(outcomes(wrong)) == {"ok", "application exception"}
    told_as = ["wrong-and-told", base64.b64encode(b"a:wrong-and-told").decode()]
    for path in tmp_path.rglob("*"):
        if path.is_file():
            assert not any(one.encode() in path.read_bytes() for one in told_as), path
    details = reading.records(wrong)["detail"].drop_nulls().to_list()
    assert not any(one in detail for detail in details for one in told_as)
    assert "secret_headers" in told or all("(secret)" in detail for detail in details)


@pytest.mark.parametrize("told", [{"security": "bearer"}, {"secret_headers": {"X-Key": "MADE_SECRET"}}])
@pytest.mark.parametrize("value", ["s3cret\n", " s3cret", "s3c\x07ret", "s3cretŁ"])
def test_a_secret_that_no_header_can_have_is_refused_and_not_quoted(peer, tmp_path, monkeypatch, told, value):
    monkeypatch.setenv("MADE_SECRET", value)
    told = told if "secret_headers" in told else told | {"password_variable": "MADE_SECRET"}
    with pytest.raises(BadParameter, match="MADE_SECRET.* has white space") as refused:
        measure(tmp_path, url=peer.address, **told)
    assert "s3c" not in str(refused.value) and peer.seen == []
    assert not any(b"s3c" in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


def test_a_long_secret_is_hidden_before_what_quotes_it_is_cut(peer, tmp_path, monkeypatch):
    monkeypatch.setenv("MADE_SECRET", "wrong  " + "z" * 900)
    with pytest.raises(SystemFailed, match=r"error: status 401: not Bearer \(secret\)$"):
        measure(tmp_path, url=f"{peer.address}/secret", security="bearer", password_variable="MADE_SECRET")


def test_a_password_that_is_no_ascii_is_hidden_as_it_was_told(peer, tmp_path, monkeypatch):
    monkeypatch.setenv("MADE_SECRET", "schön")
    with pytest.raises(SystemFailed, match=r"error: status 401: not Basic \(secret\)$"):
        measure(tmp_path, url=f"{peer.address}/secret", user="a", password_variable="MADE_SECRET")


def test_secrets_do_not_follow_a_redirect_to_another_server(peer, tmp_path, monkeypatch):
    monkeypatch.setenv("MADE_SECRET", "token")
    told = {"secret_headers": {"X-Key": "MADE_SECRET"}, "security": "bearer", "password_variable": "MADE_SECRET"}
    with http_peer.running() as other:
        to = f"{peer.address}/to/{other.address.rpartition(':')[2]}"
        (run,) = measure(tmp_path / "followed", {"requests": 2}, url=to, **told)
        assert outcomes(run) == {"ok": 2} and len(other.seen) == 2
        assert all(headers["X-Key"] == "token" and "Authorization" in headers for _, _, headers, _ in peer.seen)
        assert not any({"X-Key", "Authorization"} & set(headers) for _, _, headers, _ in other.seen)
        (run,) = measure(tmp_path / "expected", {"requests": 2}, url=to, expect=[302])
        assert outcomes(run) == {"ok": 2} and len(other.seen) == 2


def test_of_open_arrivals_each_row_is_sent_once_whoever_is_free(peer, tmp_path):
    values = tmp_path / "values.csv"
    values.write_text("\ufeffid\n" + "".join(f"{row}\n" for row in range(12)), encoding="utf-8")
    load = {"requests": 12, "rate_per_s": 500.0, "users": 3}
    measure(tmp_path / "runs", load, runs=2, url=f"{peer.address}/slow/${{id}}", values=str(values))
    paths = [path for _, path, *_ in peer.seen]
    assert sorted(paths[:12]) == sorted(paths[12:]) == sorted(f"/slow/{row}" for row in range(12))


def test_late_arrivals_keep_to_the_bound_of_the_rate(peer, tmp_path, monkeypatch):
    monkeypatch.setattr(bounds, "spacing_s", lambda users, remote: users * 0.02)
    (run,) = measure(tmp_path, {"requests": 10, "rate_per_s": 10_000.0, "users": 4}, url=f"{peer.address}/x")
    sent_ms = reading.records(run).sort("sent_ns")["sent_ns"].to_numpy() / 1e6
    assert (sent_ms >= [20 * place for place in range(10)]).all()


def test_what_is_due_after_the_limit_is_not_waited_for(peer, monkeypatch):
    wanted = declared({"limit_s": 60}, url=peer.address)
    run = users._Run(users.Job(wanted.targets["service"], None, LOOPBACK, wanted.load, (0,)), print)
    run.start_ns = time.monotonic_ns()
    monkeypatch.setattr(run.stop, "wait", lambda _: pytest.fail("it waits"))
    assert not run.wait_until(61 * 10**9) and run.cut == "its limit of 60 s was over"


def test_a_secret_that_is_not_there_is_named_before_anything_is_sent(peer, tmp_path, monkeypatch):
    monkeypatch.delenv("MADE_SECRET", raising=False)
    with pytest.raises(BadParameter, match="no environment variable 'MADE_SECRET'"):
        measure(tmp_path, url=peer.address, security="bearer", password_variable="MADE_SECRET")
    assert peer.seen == []


def test_a_server_that_comes_back_on_another_port_is_the_same_service(peer, tmp_path):
    measure(tmp_path, url=f"{peer.address}/a")
    with http_peer.running() as again:
        (run,) = measure(tmp_path, url=f"{again.address}/a")
        assert again.seen == [] and run.manifest["status"] == store.FINISHED
        measure(tmp_path, url=f"{again.address}/b")
        assert len(again.seen) == 12


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"method": "FETCH"}, "method"),
        ({"expect": "many"}, "expect"),
        ({"headers": {"a": "b\nc"}}, "one line"),
        ({"body_file": "/nowhere"}, "no such file"),
        ({"url": "http://127.0.0.1:1/${id}"}, "no values for id"),
        ({"operations": {"a": {"weight": 0}}}, "above 0"),
        ({"operations": {"a": {"wight": 1}}}, "weight"),
        ({"client_key": "x"}, "belong together"),
        ({"operation": "say"}, "operations"),
        ({"body": "5 $ and ${"}, r"\$\$"),
        ({"body": {"a": float("nan")}}, "body = .* is not JSON"),
        ({"body": {"a": {1}}}, "body = .* is not JSON"),
    ],
)
def test_what_makes_no_sense_is_refused_with_what_would(wrong, said):
    with pytest.raises(BadParameter, match=said):
        declared(**({"url": "http://127.0.0.1:1/"} | wrong))


@pytest.mark.parametrize("name", ["timeout_s", "rate_per_s", "think_s"])
def test_a_number_that_is_too_large_is_told_to_be(name):
    with pytest.raises(BadParameter, match=f"{name} = a number too large: must be"):
        declared({name: 1e300}, url="http://127.0.0.1:1/")


@pytest.fixture(scope="module")
def authority():
    return trustme.CA()


@pytest.fixture
def pems(authority, tmp_path):
    """Files: who is to be trusted, somebody else, and who asks, with the key."""
    client = authority.issue_cert("somebody@example.org")
    made = {"ca": authority.cert_pem, "other": trustme.CA().cert_pem, "key": client.private_key_pem}
    made["client"] = client.cert_chain_pems[0]
    for name, pem in made.items():
        pem.write_to_path(str(tmp_path / name))
    return {name: str(tmp_path / name) for name in made}


def _tls(authority, asks=False, host="127.0.0.1"):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(host).configure_cert(context)
    if asks:
        authority.configure_trust(context)
        context.verify_mode = ssl.CERT_REQUIRED
    return context


def test_a_server_is_trusted_by_the_certificate_that_is_named(authority, pems, tmp_path):
    with http_peer.running(_tls(authority)) as peer:
        (run,) = measure(tmp_path / "well", {"users": 2}, url=f"{peer.address}/x", ca_file=pems["ca"])
        assert outcomes(run) == {"ok": 12} and peer.address.startswith("https:")
        with pytest.raises(BadParameter, match="not trusted; name the certificate of who signed it: ca_file"):
            measure(tmp_path / "none", url=f"{peer.address}/x")
        with pytest.raises(BadParameter, match="not signed by one in .*other, or is another host's"):
            measure(tmp_path / "other", url=f"{peer.address}/x", ca_file=pems["other"])
        assert len(peer.seen) == 12
    with http_peer.running(_tls(authority, host="another.example.org")) as peer:
        with pytest.raises(BadParameter, match="another host's"):
            measure(tmp_path / "host", url=f"{peer.address}/x", ca_file=pems["ca"])


def test_files_may_be_named_from_the_home_folder(authority, pems, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "values.csv").write_text("id\n1\n")
    with http_peer.running(_tls(authority)) as peer:
        named = {"ca_file": "~/ca", "values": "~/values.csv", "body_file": "~/values.csv"}
        (run,) = measure(tmp_path / "runs", url=f"{peer.address}/${{id}}", method="POST", **named)
    assert outcomes(run) == {"ok": 12} and peer.seen[0][1:4:2] == ("/1", b"id\n1\n")


def test_who_asks_is_proved_by_a_certificate(authority, pems, tmp_path):
    who = {"client_certificate": pems["client"], "client_key": pems["key"]}
    with http_peer.running(_tls(authority, asks=True)) as peer:
        (run,) = measure(tmp_path / "well", url=f"{peer.address}/x", ca_file=pems["ca"], **who)
        assert outcomes(run) == {"ok": 12}
        with pytest.raises((BadParameter, SystemFailed), match="client_certificate"):
            measure(tmp_path / "nobody", url=f"{peer.address}/x", ca_file=pems["ca"])
        assert len(peer.seen) == 12


def test_nobody_who_listens_and_hosts_without_consent_are_told(tmp_path):
    with pytest.raises(SystemFailed, match="nobody answers at http://127.0.0.1:9/"):
        measure(tmp_path, url="http://127.0.0.1:9/")
    with pytest.raises(BadParameter, match="I may load test.example.org"):
        measure(tmp_path, url="http://test.example.org/")


def test_a_file_of_values_counts_by_its_content(tmp_path):
    values = tmp_path / "values.csv"
    found = []
    for text in ("id\n1\n", "id\n2\n"):
        values.write_text(text)
        wanted = declared(url="http://127.0.0.1:1/${id}", values=str(values))
        found.append(as_properties(wanted.targets["service"], wanted.load)["values"])
    assert found[0] != found[1]
    found = []
    for text in ("one", "two"):
        values.write_text(text)
        operations = {"add": {"method": "POST", "body_file": str(values)}}
        wanted = declared(url="http://127.0.0.1:1/", operations=operations)
        found.append(as_properties(wanted.targets["service"], wanted.load)["operations"])
    assert found[0] != found[1]
    values.write_text("id,name\n1\n")
    with pytest.raises(BadParameter, match="line 2: not as many cells"):
        declared(url="http://127.0.0.1:1/${id}", values=str(values))
