"""Every raw log of the lab's own, made by hand: its head, its records one by one, and what reads it."""

import io
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from made.corba import CLIENT, SERVER
from made.runs import record
from perfstudies.load.rate.log import HEADER, MAGIC, ROW, VERSION
from perfstudies.logs import records
from perfstudies.own.service import reading
from perfstudies.runs import store
from perfstudies.studies.aaa.logs import client as aaa_client
from perfstudies.studies.aaa.logs import messages
from perfstudies.studies.aaa.logs import server as aaa_server
from perfstudies.studies.corba.logs import orb
from perfstudies.studies.esb import reliable_read
from perfstudies.studies.esb.logs import pooled, rate, rate_intervals
from perfstudies.studies.step.logs import client, event_monitor, layer_monitor, perf4j, slices

Rows = list[tuple]
MS = 10**6


@dataclass(frozen=True)
class RawLog:
    """A raw log.

    Attributes
    ----------
    name : str
        What the file is called, plain.
    head : bytes
        What stands before the first record.
    records : tuple of bytes
        In the order in which they are written, and read.
    read : callable
        Returns what it reads of a path, a row a record.
    keeps : bool
        Whether a plain log that was cut keeps its whole records. Otherwise it is refused.
    packs : bool
        Whether it is read packed, too.
    """

    name: str
    head: bytes
    records: tuple[bytes, ...]
    read: Callable[[Path], Rows]
    keeps: bool = True
    packs: bool = True

    @property
    def content(self) -> bytes:
        """The whole of it."""
        return self.head + b"".join(self.records)


def rows(frame: pd.DataFrame) -> Rows:
    """Return a frame's rows as tuples, None for what is missing."""
    return [tuple(None if pd.isna(value) else value for value in row) for row in frame.itertuples(index=False)]


def _csv(name: str, text: str, read: Callable[[Path], pd.DataFrame], **more) -> RawLog:
    head, *lines = text.encode().splitlines(keepends=True)
    return RawLog(name, head, tuple(lines), lambda path: rows(read(path)), **more)


def _layer_samples(path: Path) -> pd.DataFrame:
    return slices.samples(layer_monitor.read(path), path)


def _layer_parts(path: Path) -> Rows:
    merged = io.StringIO()
    layer_monitor.merge([path], merged)
    return [(part,) for part in merged.getvalue().split("\n\n")[:-1]]


def _event_parts(path: Path) -> Rows:
    merged = io.StringIO()
    event_monitor.merge([path], merged)
    return [(part,) for part in re.findall(r"(?s).*?tag\[filter\][^\n]*\n", merged.getvalue())]


STEP_CLIENT = (
    "user,session,request,operation,intended_ns,sent_ns,ended_ns,outcome,detail,bytes_out,bytes_in\n"
    "0,0,0,searchFlights,1000000,1200000,9000000,ok,,310,2210\n"
    '0,0,1,reserve,9000000,9100000,14000000,application exception,"no seat, ""sic""",410,220\n'
    "0,1,2,searchFlights,14000000,14100000,20000000,ok,,310,1999\n"
    "0,1,3,searchFlights,20000000,20200000,29000000,transport error,reset,310,0\n"
)
AAA_CLIENT = (
    "client,number,intended_us,started_us,ended_us,ejb_ms,outcome,detail,bytes_in\n"
    "0,0,0,1500,514000,401.25,ok,,321\n"
    '0,1,2000,2100,9000,,lost,"gone, ""quoted""",0\n'
    "1,0,0,1600,614000,400.5,ok,,322\n"
    "1,1,3000,3100,715000,402.75,soap fault,BadRequest,200\n"
)
AAA_SERVER = (
    "request,client,number,entered_us,ejb_start_us,asm_start_us,asm_end_us,ejb_end_us,left_us,"
    "bean,created,beans_busy,threads_busy,db_us,status\n"
    "1,0,0,900000,50,1250,401250,401300,401500,7,1,2,3,900,ok\n"
    "2,0,1,900500,40,,,,61,,,,3,,BadRequest\n"
    "3,,,900600,50,60,70,80,90,7,0,1,1,0,ok\n"
    "4,1,0,900700,50,1250,401250,401300,401500,8,1,2,3,900,ok\n"
)
MESSAGES = (
    "at_us,party,direction,peer,operation,session\n"
    "1000100,aaa,received,user,AAARequest,s\n"
    "1001100,aaa,sent,equipment,Reserve,s\n"
    "1001300,equipment,received,aaa,Reserve,s\n"
    "1001600,equipment,sent,aaa,Reserved,s\n"
    "1001900,aaa,sent,user,AAAReply,s\n"
)
INTERVALS = (
    "bin,measure,status,bucket,count,bytes\n"
    "0,both,200,100,12,0\n"
    "0,requests,200,0,12,3600\n"
    "1,both,200,101,25,0\n"
    "1,requests,200,0,25,7500\n"
)
POOLED_CLIENT = (
    "number,thread,asked_ns,connected_ns,ended_ns,outcome,detail\n"
    "0,0,100000,200000,25200000,ok,\n"
    "1,1,100000,30100000,50100000,ok,\n"
    '2,0,25300000,30300000,60300000,lost,"closed, too early"\n'
    "3,1,50200000,0,80200000,no connection,timeout\n"
)
POOLED_SERVER = "entered_ns,left_ns\n1200000,21200000\n31100000,51100000\n31300000,60100000\n41300000,70100000\n"
KEPT_CLIENT = (
    "number,thread,asked_us,connected_us,ended_us,outcome,detail\n"
    "0,0,100,200,25200,ok,\n"
    "1,1,100,30100,50100,ok,\n"
    '2,0,25300,30300,60300,lost,"closed, too early"\n'
    "3,1,50200,,80200,no connection,timeout\n"
)
KEPT_SERVER = "entered_us,left_us\n1200,21200\n31100,51100\n31300,60100\n41300,70100\n"
CALLS = (
    "number,attempt,started_ns,ended_ns,outcome,detail\n"
    "1,1,1000000,2000000,ok,\n2,1,2000000,3000000,lost,closed\n2,2,3000000,4500000,ok,\n3,1,5000000,5600000,ok,\n"
)
COUNTED = "number,committed,applied\n1,1,1\n2,1,2\n3,0,0\n4,1,1\n"
PASSED = (
    "ordinal,at_ns,action,cut\n1,1000000,send,none\n2,2000000,ack,before\n3,2500000,send,none\n4,2600000,send,none\n"
)
RATE_ROWS = [
    (0, 1 * MS, 3 * MS, 896, 0, 200),
    (1 * MS, 2 * MS, 500 * MS, 0, 1, 503),
    (2 * MS, 2 * MS, 499 * MS, 10, 2, -5),
    (900 * MS, 901 * MS, 1201 * MS, 100, 3, 202),
    (950 * MS, 951 * MS, 1300 * MS, 20, 0, 200),
]


def _rate_log() -> RawLog:
    header = np.zeros(1, HEADER)
    begun = len(RATE_ROWS)
    header[0] = (MAGIC, VERSION, ROW.itemsize, begun, 7, begun, begun, 1, 4, 0, 0)
    each = tuple(np.array([row], ROW).tobytes() for row in RATE_ROWS)
    return RawLog("requests.bin", header.tobytes(), each, lambda path: rows(rate.read(path)), keeps=False)


def _layer(name: str, read: Callable[[Path], Rows], thread: str = "thread[17] ", packs: bool = True) -> RawLog:
    each = [record(at, {"filter": 9 + at, "soap": 7 + at, "si": 5, "hibernate": 2}, thread=17) for at in range(4)]
    return RawLog(name, b"", tuple(one.replace("thread[17] ", thread).encode() for one in each), read, packs=packs)


SOAP = "name=find,request_logical_length=61,response_logical_length=85"


def _event(name: str, read: Callable[[Path], Rows], thread: str = "thread[7] ", packs: bool = True) -> RawLog:
    each = (
        f"{thread}tag[soap] start[{at}10] elapsed[80] context[{SOAP}]\n"
        f"{thread}tag[filter] start[{at}05] elapsed[100] context[arrived_ns={at}]\n"
        for at in range(1, 5)
    )
    return RawLog(name, b"", tuple(one.encode() for one in each), read, packs=packs)


def _perf4j() -> RawLog:
    each = (
        f"start[127975647{at}10] time[80] tag[soap] message[{SOAP}]\n"
        f"start[127975647{at}05] time[100] tag[filter] message[arrived_ns={at}]\n"
        for at in range(10, 14)
    )
    return RawLog("monitor.log", b"", tuple(one.encode() for one in each), lambda path: rows(perf4j.samples(path)[0]))


def _own_service(path: Path) -> pd.DataFrame:
    store.write_manifest(path.parent, {"run": "r", "status": store.FINISHED}, (path.name,))
    found = store.Run(path.parent, store.read_manifest(path.parent) or {})
    return pd.DataFrame(reading.records(found).to_dicts())


def _passed(path: Path) -> pd.DataFrame:
    return records.read(path, "a record of requests", reliable_read._PASSED)[0]


RAW_LOGS = {
    "STEP client": _csv("client.csv", STEP_CLIENT, lambda path: client.read(path)[0]),
    "Layer monitor": _layer("monitor.log", lambda path: rows(_layer_samples(path))),
    "Layer monitor, a thread's": _layer("monitor-17.log", _layer_parts, thread="", packs=False),
    "Event monitor": _event("monitor.log", lambda path: rows(event_monitor.samples(path)[0])),
    "Event monitor, a thread's": _event("monitor-17.log", _event_parts, thread="", packs=False),
    "Perf4J": _perf4j(),
    "AAA client": _csv("client.csv", AAA_CLIENT, lambda path: aaa_client.read(path)[0]),
    "AAA server": _csv("server.csv", AAA_SERVER, lambda path: aaa_server.read(path)[0]),
    "AAA messages": _csv("messages.csv", MESSAGES, lambda path: messages.read([path])[0]),
    "ESB rates": _rate_log(),
    "ESB intervals": _csv("intervals.csv", INTERVALS, rate_intervals.read_intervals, keeps=False),
    "ESB pool, client's": _csv("calls.csv", POOLED_CLIENT, pooled.read_client, keeps=False, packs=False),
    "ESB pool, service's": _csv("service.csv", POOLED_SERVER, pooled.read_server, keeps=False, packs=False),
    "ESB pool, calls kept": _csv(
        "calls.csv", KEPT_CLIENT, lambda path: pooled.read_kept(path, pooled.CLIENT_COLUMNS), keeps=False
    ),
    "ESB pool, service kept": _csv(
        "service.csv", KEPT_SERVER, lambda path: pooled.read_kept(path, pooled.SERVER_COLUMNS), keeps=False
    ),
    "ESB reliable, calls": _csv("calls.csv", CALLS, lambda path: reliable_read._calls(path)[0]),
    "ESB reliable, counted": _csv("counted.csv", COUNTED, lambda path: reliable_read._samples(path, 4), keeps=False),
    "ESB reliable, passed": _csv("passed.csv", PASSED, _passed),
    "own service": _csv("requests.csv", STEP_CLIENT, _own_service, keeps=False),
    "CORBA server": _csv(
        "server.csv", SERVER + "2,9000000,2,3,9,4,5,6,7,5,1,0\n", orb.read_server, keeps=False
    ),
    "CORBA client": _csv("client.csv", CLIENT, orb.read_client, keeps=False),
}  # fmt: skip
"""Each by its name."""
