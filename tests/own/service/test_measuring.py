"""A comparison measured against a small service: every request on record, what goes wrong too, and what is resumed."""

import json
import shutil
import socket

import nbformat
import polars as pl
import pytest

from made.own_service import HANG_S, PAGES, WSDL, running
from perfstudies import permit
from perfstudies.errors import BadLog, BadParameter, BadRecording, SystemFailed
from perfstudies.own.report import own_service
from perfstudies.own.service import bounds, measuring, reading
from perfstudies.own.service.declaration import comparison
from perfstudies.paths import ROOT
from perfstudies.permit import LOOPBACK, Permit
from perfstudies.runs import store

NOTEBOOK = ROOT / "notebooks" / "own-service.ipynb"


@pytest.fixture
def service():
    with running() as found:
        yield found


def measure(service, folder, load=None, settings=None, runs=1, permitted=LOOPBACK, seed=1, **target):
    target = {"wsdl": service.wsdl, "operation": "say", "arguments": {"text": "hello"}} | target
    load = {"requests": 12, "timeout_s": 5.0} | (load or {})
    wanted = comparison("made", target, load, settings, runs, seed)
    return measuring.measure(wanted, permitted, folder, show_progress=False)


def outcomes(run):
    return {name: count for name, count in run.manifest["workload"]["outcomes"].items() if count}


def recorded(folder):
    """Return the requests of a folder's only run, which failed."""
    (path,) = folder.glob(f"*/{measuring.REQUESTS}")
    return pl.read_csv(path)


def texts(service):
    return [body.split("text>")[1].split("<")[0] for _, body, *_ in service.seen]


def test_closed_users_send_all_requests_and_wait_for_each_answer(service, tmp_path):
    (run,) = measure(service, tmp_path, {"users": 5, "requests": 12})
    assert run.manifest["status"] == store.FINISHED and outcomes(run) == {"ok": 12}
    assert run.manifest["hosts"]["served"] == "127.0.0.1" and run.manifest["hosts"]["sent"]
    assert len(service.seen) == 12
    rows = reading.records(run)
    assert sorted(rows.group_by("user").len()["len"].to_list()) == [2, 2, 2, 3, 3]
    for _, own in rows.sort("request").group_by("user"):
        assert (own["sent_ns"][1:] >= own["ended_ns"][:-1]).all()


def test_thinking_users_are_due_when_their_thought_is_over(service, tmp_path):
    (run,) = measure(service, tmp_path, {"requests": 4, "think_s": 0.02})
    rows = reading.requests(run)
    assert (rows["start_s"].diff()[1:] >= 0.02).all()


def test_open_arrivals_count_the_time_from_when_they_were_due(service, tmp_path):
    # One sender and a slow service: later ones wait, and that is in their time.
    (run,) = measure(service, tmp_path, {"users": 1, "requests": 12, "rate_per_s": 1000.0}, arguments={"text": "slow"})
    rows = reading.requests(run)
    assert run.manifest["workload"]["load"] == "open" and rows.height == 12
    # However late the first began: the last waited for eleven answers more.
    assert rows["elapsed_ms"].max() - rows["elapsed_ms"].min() > 8 * HANG_S * 1000


def test_the_settings_of_a_block_have_the_same_arrivals_and_other_blocks_others(service, tmp_path):
    two = {"a": {}, "b": {"arguments": {"text": "other"}}}
    runs = measure(service, tmp_path, {"requests": 5, "rate_per_s": 500.0, "users": 3}, two, runs=2)
    due = {}
    for run in runs:
        rows = reading.records(run)
        due.setdefault(run.manifest["block"], []).append(sorted(rows["intended_ns"]))
    assert due[0][0] == due[0][1] != due[1][0] == due[1][1]


def test_faults_are_outcomes_by_whether_they_are_declared(service, tmp_path):
    for text, outcome, said in (("fault", "application exception", "no: 7"), ("break", "system error", "no")):
        with pytest.raises(SystemFailed, match=f"answered none of 3 requests without error: {said}"):
            measure(service, tmp_path / text, {"requests": 3}, arguments={"text": text})
        rows = recorded(tmp_path / text)
        assert set(rows["outcome"]) == {outcome} and set(rows["detail"]) == {said}


def test_error_pages_are_system_errors_that_quote_them(service, tmp_path):
    told = {"page": "503 Service <Unavailable>", "xml": "Not today", "no body": ""}
    assert told.keys() == PAGES.keys()
    for name, said in told.items():
        folder = tmp_path / name.replace(" ", "-")
        with pytest.raises(SystemFailed, match=f"without error: the answer is no SOAP message: {said}"):
            measure(service, folder, {"requests": 6}, arguments={"text": name})
        assert recorded(folder)["outcome"].to_list() == ["system error"] * 6


def test_a_server_that_dies_fails_the_run_and_what_ended_is_kept(service, tmp_path):
    with pytest.raises(SystemFailed, match="does not answer any more"):
        measure(service, tmp_path, {"requests": 50}, arguments={"text": "die 8"})
    (folder,) = (path for path in tmp_path.iterdir() if path.is_dir())
    manifest = store.read_manifest(folder)
    assert manifest["status"] == store.FAILED and f"ended are in {folder}" in manifest["error"]
    rows = pl.read_csv(folder / measuring.REQUESTS)
    assert rows["outcome"].to_list() == ["ok"] * 7 + ["transport error"] * 5


def test_of_a_folder_that_goes_no_file_is_named_and_all_runs_must_finish(service, tmp_path):
    wanted = comparison("made", {"wsdl": service.wsdl, "operation": "say"}, {"requests": 9, "timeout_s": 5.0}, {
        "good": {"arguments": {"text": "hello"}}, "late": {"arguments": {"text": "die 12"}}
    }, runs=3)  # fmt: skip
    with pytest.raises(SystemFailed, match=r" of 3 runs of setting \w+ failed; ") as refused:
        measuring.measure(wanted, LOOPBACK, tmp_path, show_progress=False, kept=False)
    assert str(tmp_path) not in str(refused.value)
    assert any(run.manifest["status"] == store.FINISHED for run in store.runs(tmp_path))


def test_arrivals_that_never_come_are_told(service, tmp_path):
    with pytest.raises(SystemFailed, match=r"none of 0 requests without error: its limit of 0.1 s was over"):
        measure(service, tmp_path, {"rate_per_s": 1e-300, "limit_s": 0.1})


def test_a_service_that_answers_nothing_fails_the_run(service, tmp_path):
    with pytest.raises(SystemFailed, match="answered none of 2 requests"):
        measure(service, tmp_path, {"requests": 2}, arguments={"text": "hang up"})


def test_an_answer_that_sends_the_user_elsewhere_fails_the_run(service, tmp_path):
    with pytest.raises(SystemFailed, match=r"not to 'http://192\.0\.2\.1/'"):
        measure(service, tmp_path, arguments={"text": "redirect"})


def test_entities_of_an_answer_are_never_expanded(service, tmp_path):
    with pytest.raises(SystemFailed, match="DTDForbidden"):
        measure(service, tmp_path, arguments={"text": "entity"})


def test_one_setting_that_fails_leaves_the_others_and_is_told(service, tmp_path):
    settings = {"good": {}, "bad": {"arguments": {"text": "hang up"}}}
    with pytest.raises(SystemFailed, match="1 of 1 runs of setting bad failed"):
        measure(service, tmp_path, {"requests": 6}, settings)
    statuses = {run.manifest["setting"]["setting"]: run.manifest["status"] for run in store.runs(tmp_path)}
    assert statuses == {"good": store.FINISHED, "bad": store.FAILED}


def test_a_run_ends_at_its_limit_and_says_so(service, tmp_path):
    (run,) = measure(service, tmp_path, {"requests": 500, "limit_s": 1.5}, arguments={"text": "slow"})
    assert 0 < run.manifest["workload"]["requests"] < 500
    assert "limit of 1.5 s" in run.manifest["workload"]["cut"] and "cut short" in own_service.remark([run])


def test_settings_whose_calls_cost_the_client_unlike_are_told(service, tmp_path):
    service.documents["/?other"] = service.documents["/?wsdl"].replace("/s.xsd", "/other.xsd")
    # With a default, an element that is left out is sent all the same: that is zeep's to decide in each call.
    service.documents["/other.xsd"] = service.documents["/s.xsd"].replace(
        'name="text"', 'name="text" default="none"', 1
    )
    settings = {"plain": {}, "other": {"wsdl": service.wsdl.replace("?wsdl", "?other")}, "too": {"port": "Second"}}
    runs = measure(service, tmp_path, {"requests": 3}, settings)
    assert "Messages to plain, too are prepared before the load; those to other are not" in own_service.remark(runs)
    alike = [run for run in runs if run.manifest["setting"]["setting"] != "other"]
    assert "prepared" not in own_service.remark(alike)


def test_finished_runs_are_kept_and_other_parameters_are_other_runs(service, tmp_path):
    first = measure(service, tmp_path, runs=2)
    seen = len(service.seen)
    again = measure(service, tmp_path, runs=2)
    assert [run.name for run in again] == [run.name for run in first] and len(service.seen) == seen
    measure(service, tmp_path, {"think_s": 0.001}, runs=2)
    assert len(service.seen) == 2 * seen


def test_an_interrupted_comparison_goes_on_with_the_runs_that_are_missing(service, tmp_path):
    first = measure(service, tmp_path, runs=3)
    seen = len(service.seen)
    shutil.rmtree(first[1].folder)
    again = measure(service, tmp_path, runs=3)
    assert [run.name for run in again] == [run.name for run in first] and len(service.seen) == seen + 12


def test_arguments_that_do_not_fit_are_refused_before_anything_is_sent(service, tmp_path):
    with pytest.raises(BadParameter, match="does not fit"):
        measure(service, tmp_path, arguments={"txt": "hello"})
    assert not service.seen and not list(tmp_path.iterdir())


def test_arguments_are_generated_and_told(service, tmp_path):
    (run,) = measure(service, tmp_path, {"requests": 1}, arguments=None)
    (text,) = texts(service)
    table = own_service.arguments_table([run])
    assert table.loc[("service", "text"), "Value"] == text and "generated" in table.loc[("service", "text"), "From"]


def test_the_password_is_on_no_disk(service, tmp_path, monkeypatch):
    service.password = "me:open sesame"
    monkeypatch.setenv("SECRET", "open sesame")
    (run,) = measure(service, tmp_path, user="me", password_variable="SECRET")
    assert outcomes(run) == {"ok": 12}
    for path in run.folder.iterdir():
        assert b"open sesame" not in path.read_bytes() and b"b3BlbiBzZXNhbWU" not in path.read_bytes()
    monkeypatch.setenv("SECRET", "wrong")
    with pytest.raises(SystemFailed, match="401"):
        measure(service, tmp_path, seed=2, user="me", password_variable="SECRET")


def test_another_machine_is_refused_before_its_name_is_resolved(tmp_path, monkeypatch):
    def used(*_, **__):
        raise AssertionError("a name was resolved or a connection opened")

    monkeypatch.setattr(socket, "getaddrinfo", used)
    monkeypatch.setattr(socket.socket, "connect", used)
    there = {"wsdl": "http://test.example.org/?wsdl", "operation": "say"}
    here = {"wsdl": "http://127.0.0.1:9/?wsdl", "operation": "say", "endpoint": "http://test.example.org/"}
    for target in (there, here):
        with pytest.raises(BadParameter, match=r"test\.example\.org"):
            measuring.measure(comparison("x", target, {}), LOOPBACK, tmp_path, show_progress=False)
    # With consent the bounds still come before the name.
    with pytest.raises(BadParameter, match="at most 50 requests a second"):
        wanted = comparison("x", there, {"rate_per_s": 51.0, "limit_s": 10})
        measuring.measure(wanted, Permit(("test.example.org",)), tmp_path, show_progress=False)


@pytest.fixture
def elsewhere(monkeypatch):
    """A service at another loopback address, which stands for another machine."""
    monkeypatch.setattr(permit, "is_loopback", lambda host: host == "127.0.0.1")
    with running("127.0.0.2") as found:
        yield found


def test_a_service_elsewhere_is_loaded_with_consent_and_never_faster_than_its_bound(elsewhere, tmp_path):
    permitted = permit.permit("I may load 127.0.0.2")
    (run,) = measure(elsewhere, tmp_path, {"users": 4, "requests": 12, "limit_s": 5}, permitted=permitted)
    assert outcomes(run) == {"ok": 12} and run.manifest["hosts"]["served"] == "127.0.0.2"
    starts = reading.requests(run).sort("start_s")["start_s"]
    # Four users at 50 a second: each begins a request every 80 ms at most.
    assert starts[-1] - starts[0] >= 2 * bounds.spacing_s(4, remote=True) - 0.001


def test_an_endpoint_elsewhere_that_only_the_description_names_is_bounded_too(service, elsewhere, tmp_path):
    service.documents["/?wsdl"] = WSDL.format(schema=f"{service.address}/s.xsd", address=elsewhere.address)
    permitted = permit.permit("I may load 127.0.0.2")
    with pytest.raises(BadParameter, match="at most 10,000 requests"):
        measure(service, tmp_path, {"requests": 10_001, "limit_s": 5}, permitted=permitted)
    assert not elsewhere.seen


def test_what_is_read_pairs_runs_by_block(service, tmp_path):
    runs = measure(service, tmp_path, settings={"a": {}, "b": {}}, runs=2)
    found = reading.read(runs)
    assert found.runs[["setting", "run"]].values.tolist() == [
        ["a", "001"], ["a", "002"], ["b", "001"], ["b", "002"],
    ]  # fmt: skip
    assert (found.runs["requests"] == 12).all() and (found.runs["errors"] == 0).all()
    assert found.sources == (f"{service.address}/first, say",)
    assert own_service.declared_table(runs).loc["Operation", "a"] == "say"


def test_records_that_were_changed_or_are_none_are_told(service, tmp_path):
    (run,) = measure(service, tmp_path)
    path = run.folder / measuring.PACKED
    path.write_bytes(b"not a record")
    with pytest.raises(BadRecording, match="differs from the checksum"):
        reading.read([run])
    manifest = json.loads((run.folder / store.MANIFEST).read_text())
    store.write_manifest(run.folder, {key: manifest[key] for key in manifest if key != "files"}, (measuring.PACKED,))
    (broken,) = store.runs(tmp_path)
    with pytest.raises(BadLog, match="cut or damaged"):
        reading.read([broken])


def test_no_finished_run_is_told():
    with pytest.raises(BadRecording, match="none of 0 runs"):
        reading.read([])


def test_the_notebook_measures_and_reports_what_its_parameters_name(service, tmp_path, monkeypatch):
    monkeypatch.setattr("perfstudies.own.service.service.RAW", tmp_path)
    given = {
        "source": "live", "name": "mine", "wsdl": service.wsdl, "operation": "say", "runs": 2, "requests": 30,
        "settings": {"short": {"arguments": {"text": "short"}}, "long": {"arguments": '{"text": "longer"}'}},
    }  # fmt: skip
    cells = [cell for cell in nbformat.read(NOTEBOOK, as_version=4).cells if cell.cell_type == "code"]
    known = {}
    for cell in cells:
        exec(cell.source, known)
        if "parameters" in cell.metadata.get("tags", ()):
            assert given.keys() <= known.keys()
            known |= given
    assert len(service.seen) == 120
    assert list(known["analysed"].settings) == ["short", "long"]
    assert len(list((tmp_path / "live" / "own" / "mine").iterdir())) == 4


def test_of_runs_of_several_declarations_the_last_are_read_and_the_others_told(service, tmp_path):
    for requests, started in ((3, "2026-01-01T00:00:00+00:00"), (5, "2026-01-02T00:00:00+00:00")):
        (run,) = measure(service, tmp_path, {"requests": requests})
        store.write_manifest(run.folder, run.manifest | {"started": started}, tuple(run.manifest["files"]))
    observed = reading.of_folder(tmp_path, "new")
    assert observed.runs["requests"].tolist() == [5]
    assert observed.sources[0].endswith("; runs left out: 1 of earlier declarations")
    broken = {"status": store.FAILED, "error": "made", "started": "2026-01-03T00:00:00+00:00"}
    (again,) = measure(service, tmp_path, {"requests": 3})
    for block in (1, 2):
        copied = tmp_path / again.name.replace("b001", f"b00{block + 1}")
        shutil.copytree(again.folder, copied)
        told = broken if block == 1 else {"started": "2026-01-04T00:00:00+00:00"}
        named = {"run": copied.name, "block": block}
        store.write_manifest(copied, again.manifest | named | told, tuple(again.manifest["files"]))
    (source,) = reading.of_folder(tmp_path, "new").sources
    assert source.endswith("; runs left out: 1 of earlier declarations and 1 that failed")


def test_a_password_that_a_fault_quotes_is_not_put_on_record(service, tmp_path, monkeypatch):
    monkeypatch.setenv("MADE_SECRET", "no")  # which the service says in its fault
    told = {"user": "a", "password_variable": "MADE_SECRET", "arguments": {"text": "fault"}}
    with pytest.raises(SystemFailed, match=r"without error: \(secret\): 7"):
        measure(service, tmp_path, {"requests": 2}, **told)
    assert set(recorded(tmp_path)["detail"]) == {"(secret): 7"}
