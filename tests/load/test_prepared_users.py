"""Users send zeep's own bytes by prepared messages: to the Flight service, and to somebody's own."""

import random
from dataclasses import asdict
from pathlib import Path

import pytest
import requests
import zeep
import zeep.wsse.username
from zeep.wsdl.messages import DocumentMessage

from made.own_service import running
from perfstudies import load_file
from perfstudies.load import closed, soap
from perfstudies.load.prepared import prepare
from perfstudies.own.service import calls, description
from perfstudies.own.service.declaration import Target
from perfstudies.permit import LOOPBACK
from perfstudies.sent import COLUMNS
from perfstudies.studies.step.logs import client as client_record
from perfstudies.studies.step.workload import flight_load
from perfstudies.studies.step.workload.flight_data import generate

FLIGHT = Path(__file__).parents[2] / "systems/step/flight-common/src/main/resources/perfstudies/flight/ws/flight.wsdl"
FAULT = b"""<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><e:Fault><faultcode>e:Client</faultcode>
<faultstring>no</faultstring></e:Fault></e:Body></e:Envelope>"""
TIMES = ("intended_ns", "sent_ns", "ended_ns")


class Answering(soap.CountingTransport):
    """Keeps what it should send and answers with a fault."""

    def __init__(self):
        super().__init__()
        self.sent = []

    def post(self, address, message, headers):
        self.sent.append((address, message, dict(headers)))
        self.bytes_out, self.bytes_in = len(message), len(FAULT)
        reply = requests.Response()
        reply.status_code, reply._content = 500, FAULT
        return reply


def flight():
    return zeep.Client(str(FLIGHT), transport=Answering(), settings=zeep.Settings(**soap.SAFE))


def flight_requests():
    """Return requests of the study's users, and of the operation and the values that these do not have."""
    passenger = {"name": 'Zoë <&> "O\'Neil"', "id": "00000001"}
    more = [
        ("createMultipleReservations", {"flightNumber": "a", "passenger": []}),
        ("createSingleReservation", {"flightNumber": "", "passenger": {"name": " "}}),
        ("createLowPriceReservation", {"departure": "Łódź", "destination": "\t", "passenger": passenger}),
    ]
    return [
        *flight_load.sessions(flight_load.study_load("SizeSmall"), generate(), 3, 40),
        flight_load.reservation(0, "a", 30, random.Random(1)),
        *(load_file.Request(0, 0, 0, operation, arguments) for operation, arguments in more),
    ]


@pytest.fixture
def forbid_zeeps(monkeypatch):
    """Give a function after which no message can be built by zeep's own code."""

    def forbid():
        def serialize(*_, **__):
            raise AssertionError("built by zeep's own code")

        monkeypatch.setattr(DocumentMessage, "serialize", serialize)

    return forbid


def test_every_operation_of_the_flight_service_is_sent_as_zeep_sends_it(forbid_zeeps):
    wanted = flight_requests()
    zeeps, ours = flight(), flight()
    operations = {request.operation for request in wanted}
    assert operations == prepare(ours) == set(zeeps.service._binding.all())
    expected = [soap.message(zeeps, request.operation, request.arguments) for request in wanted]
    forbid_zeeps()
    assert [soap.message(ours, request.operation, request.arguments) for request in wanted] == expected


def test_closed_users_prepare_and_their_record_is_the_same(tmp_path, monkeypatch, forbid_zeeps):
    wanted = flight_requests()
    load_file.write(iter(wanted), tmp_path / "load")

    def records(name):
        client = flight()
        monkeypatch.setattr(closed, "connect", lambda *_: client)
        closed.run_users("", [tmp_path / "load"], [tmp_path / name], lambda: True)
        frame, _ = client_record.read(tmp_path / name)
        return client.transport.sent, frame[[column for column in COLUMNS if column not in TIMES]]

    with monkeypatch.context() as bare:
        bare.setattr(closed, "prepare", lambda client: frozenset())
        sent, expected = records("bare")
    forbid_zeeps()
    again, found = records("prepared")
    assert again == sent and len(sent) == len(wanted)
    assert found.equals(expected)


@pytest.mark.parametrize("security", [None, "basic", "token-text", "token-digest"])
def test_somebodys_own_service_gets_the_same_bytes_whoever_calls(monkeypatch, forbid_zeeps, security):
    # Of a token only zeep's nonce and the time of day differ from one message to the next.
    monkeypatch.setattr(zeep.wsse.username.os, "urandom", lambda count: b"n" * count)
    monkeypatch.setattr(zeep.wsse.username.utils, "get_timestamp", lambda *_: "2012-09-01T00:00:00Z")
    monkeypatch.setenv("SECRET", "open sesame")
    own = {"user": "me", "password_variable": "SECRET", "security": security} if security else {}
    with running() as service:
        if security == "basic":
            service.password = "me:open sesame"
        target = Target(service.wsdl, "say", **own)

        def sent():
            service.seen.clear()
            one = description.caller(target, description.read(target, LOOPBACK), LOOPBACK, 5)
            askers = [calls.SoapAsker(one, {"text": text}) for text in ("hello", "é <&>", "fault", "break")]
            made = [asdict(asker.ask(0, 0, 0, 0)) for asker in askers]
            one.close()
            told = [{name: value for name, value in call.items() if name not in TIMES} for call in made]
            return [(path, body, dict(headers)) for path, body, headers, _ in service.seen], told

        with monkeypatch.context() as bare:
            bare.setattr(description, "prepare", lambda client: frozenset())
            expected = sent()
        forbid_zeeps()
        assert sent() == expected
    assert [call["outcome"] for call in expected[1]] == ["ok", "ok", "application exception", "system error"]
    assert len(expected[0]) == 4 and ("Security" in expected[0][0][1]) == (security or "").startswith("token")
