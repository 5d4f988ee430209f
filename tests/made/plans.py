"""Plans for the small SOAP server, and what the clients recorded of them."""

import threading
import time

from perfstudies.load.http.plan import Plan
from perfstudies.studies.aaa.logs import client as aaa_client

BODY = {"version": "0.1", "type": "SNBpolicy01", "TimerCondition": 1, "TimerAction": 1}


def body(kind):
    return BODY | {"type": kind}


def plan(folder, wsdl, **changes):
    client = changes.get("client", 0)
    defaults = dict(
        wsdl=wsdl,
        operation="AAARequest",
        client=0,
        requests=3,
        bodies=(BODY,),
        gap_ms=0,
        ttl_s=30,
        record=folder / f"client-{client}.csv",
    )
    return Plan(**defaults | changes)


def send(client, stopped=False):
    """Run a client here; return what it says about an early end, and its record."""
    stop = threading.Event()
    if stopped:
        stop.set()
    why = client.send(time.monotonic_ns(), stop)
    return why, aaa_client.read(client.plan.record)[0]


# What becomes of each kind of request: outcome, detail, EJB time.
OUTCOMES = [
    ("SNBpolicy01", "ok", "", 12.875),
    ("chunks", "ok", "", 7),
    ("until the end", "ok", "", 8),
    ("fault", "soap fault", "NoBean", 12.875),
    ("html", "http error", "HTTP 503 without SOAP", None),
    ("empty", "http error", "HTTP 500 without SOAP", None),
    ("garbled", "lost", "not HTTP", None),
    ("half", "lost", "closed before the reply was complete", None),
    ("close", "lost", "closed before the reply was complete", None),
    ("reset", "refused", "Connection reset by peer", None),
]
