"""The messages that all clients send and receive, made by zeep from the service's description."""

from __future__ import annotations

from pathlib import Path

import zeep

from perfstudies.load.soap import SAFE, message

WSDL = Path(__file__).parents[1] / "echo.wsdl"
PORT = "{http://perfstudies/esb}EchoSoap11"
REQUEST_BYTES = 780
REPLY_BYTES = 906
ORDERS = 3
_ORDER = {"symbol": "IBM", "buyer": "asha", "price": "140.34", "volume": 2000}


def body(size_bytes: int) -> dict:
    """Return the operation's arguments whose message has a size."""
    short = {"order": [_ORDER] * ORDERS, "padding": ""}
    return short | {"padding": "x" * (size_bytes - len(_built(short)))}


def request() -> tuple[bytes, dict[str, str]]:
    """Return the message of `REQUEST_BYTES` and the headers that go with it."""
    _, data, headers = message(client(), "echo", body(REQUEST_BYTES))
    return data, dict(headers)


def reply() -> str:
    """Return an answer of `REPLY_BYTES`."""
    # The answer's element has a longer name, in its two tags.
    longer = 2 * (len("echoResponse") - len("echo"))
    text = _built(body(REPLY_BYTES - longer)).decode()
    return text.replace("ns0:echo>", "ns0:echoResponse>").replace("ns0:echo ", "ns0:echoResponse ").replace("'", '"')


def client(**arguments) -> zeep.Client:
    """Return a zeep client of the service, parsing as safely as the lab does."""
    return zeep.Client(str(WSDL), settings=zeep.Settings(**SAFE), **arguments)


def _built(arguments: dict) -> bytes:
    return message(client(), "echo", arguments)[1]
