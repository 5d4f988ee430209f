"""One request in full: what is shown of it, and that each study can make its own."""

import dataclasses
import importlib

import psutil
import pytest

from perfstudies import data
from perfstudies.errors import BadParameter, BadRecording
from perfstudies.one_call import OneCall
from perfstudies.paths import RAW
from perfstudies.report import one_call as shown
from perfstudies.studies import STUDIES
from perfstudies.studies.corba.one_call import at_port, port_of

CALL = OneCall("An <echo>.", "client.service.echo()", "<a/>", "<b>&</b>", {"server.csv": "a,b\n1,2\n"}, "build")


def test_a_call_is_kept_and_read_again(tmp_path):
    CALL.write(tmp_path / "calls" / "one.json")
    assert OneCall.read(tmp_path / "calls" / "one.json") == CALL
    (tmp_path / "two.json").write_text('{"caption": "An echo."}')
    for name in ("two.json", "three.json"):
        with pytest.raises(BadRecording, match=f"{name} is no record of one call"):
            OneCall.read(tmp_path / name)


def test_what_a_server_said_is_escaped_and_long_parts_are_cut():
    long = dataclasses.replace(CALL, received="x" * (shown.MOST_CHARACTERS + 7))
    html, text = shown.shown(long).to_html(), shown.shown(long).to_text()
    assert "An &lt;echo&gt;." in html and "<echo>" not in html and "&lt;a/&gt;" in html
    assert "… and 7 characters more" in html and "… and 7 characters more" in text
    assert "Raw log server.csv:\na,b\n1,2" in text


@pytest.mark.parametrize("study", STUDIES)
def test_each_study_has_recorded_its_call(study):
    call = data.one_call(study, "reference")
    assert call.sent and call.received and all(lines.strip() for lines in call.logs.values())


def test_another_source_is_refused():
    with pytest.raises(BadParameter, match="source"):
        data.one_call("step", "yesterday")


def test_a_reference_keeps_all_but_its_port():
    reference = "IOR:" + (b"\0\0\0\1T\0\0\0\n127.0.0.1\0\x81\x55\0key").hex()
    assert port_of(reference) == 0x8155
    assert port_of(at_port(reference, 4711)) == 4711
    assert at_port(at_port(reference, 4711), 0x8155) == reference


@pytest.mark.live
@pytest.mark.parametrize("study", STUDIES)
def test_each_study_can_make_its_call_and_leaves_no_process(study, tmp_path):
    made = importlib.import_module(f"perfstudies.studies.{study}.one_call").make(tmp_path)
    recorded = OneCall.read(RAW / "reference" / "calls" / f"{study}.json")
    assert made.call == recorded.call and list(made.logs) == list(recorded.logs)
    assert made.sent.splitlines()[0] == recorded.sent.splitlines()[0]
    assert not [child for child in psutil.Process().children(recursive=True) if "java" in child.name()]
