"""The client for high rates as a process: it opens its connections, waits for its start, sends, and says what it cost.

It is told by lines as those of `perfstudies.load.http.client_process`; when all of a plan is sent it prints one line of
JSON in place of ``SENT``.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import resource
import select
import socket
import sys
import time
from pathlib import Path

import numpy as np

from perfstudies.errors import PerfstudiesError, SystemFailed
from perfstudies.files import temporary
from perfstudies.load.http.client_process import FAILED, Orders, say
from perfstudies.load.http.limits import ADVICE, require_open_files
from perfstudies.load.rate import log
from perfstudies.load.rate.loop import DONE, GAVE_UP, LATE, RAN_OUT, STOPPED, run
from perfstudies.load.rate.plan import RatePlan
from perfstudies.load.rate.state import STOP, State, new_state

_PR_SET_TIMERSLACK = 29
_NO_PORT = "use fewer connections, or a server that keeps them: no local port is free"
_ADVICE = ADVICE | dict.fromkeys((errno.EADDRNOTAVAIL, errno.EAGAIN), _NO_PORT)


def main() -> int:
    """Run as the process's main program and return its exit status."""
    flags = np.zeros(1, np.int64)
    orders = Orders(lambda: flags.put(STOP, 1))
    try:
        while True:
            plan = RatePlan.read(Path(orders.after("PLAN")))
            flags[STOP] = 0
            with select.epoll() as epoll:
                state = opened(plan, epoll.fileno(), flags)
                print(f"READY {plan.address}", flush=True)
                print(json.dumps(send(plan, state, int(orders.after("GO")))), flush=True)
                del state  # with its room for answers, and the log
    except PerfstudiesError as error:
        return say(str(error), FAILED)


def opened(plan: RatePlan, epoll: int, flags: np.ndarray | None = None) -> State:
    """Make the log, compile the loop if that was never done, and open the connections.

    Parameters
    ----------
    plan : RatePlan
        What is to be sent.
    epoll : int
        The descriptor of an epoll instance.
    flags : array of int64 or None
        Its element `STOP` says, at any time, whether no further request may begin.

    Raises
    ------
    BadParameter
        If the plan needs more open files than this machine allows.
    SystemFailed
        If the disk has no room for the log, or no connection could be opened.
    """
    require_open_files(plan.connections, f"a client with {plan.connections} connections")
    header, rows = log.create(plan.record, plan.max_requests, plan.connections, plan.rate > 0)
    state = new_state(plan, header, rows, plan.schedule_ns(), epoll)
    if flags is not None:
        state = state._replace(flags=flags)
    said = run(state, False)
    # Connections that were not opened in time may be opened while others send.
    if said not in (DONE, LATE) or not state.control["opened"][0]:
        log.finish(plan.record, header)
        raise SystemFailed(f"no connection to {plan.address} could be opened: {_why(said, state)}")
    return state


def send(plan: RatePlan, state: State, start_ns: int) -> dict[str, object]:
    """Send what a plan says, end the log, and return what `perfstudies.load.rate.run.RateResult` holds.

    Parameters
    ----------
    plan : RatePlan
        The plan.
    state : State
        What `opened` returned.
    start_ns : int
        When to begin, on the monotonic clock.
    """
    state.control["start_ns"], state.control["end_ns"] = start_ns, start_ns + int(plan.duration_s * 1e9)
    state.header["start_ns"] = start_ns
    # The kernel may wake a thread 50 us late to save power; arrivals are due when they are due.
    ctypes.CDLL(None).prctl(_PR_SET_TIMERSLACK, 1, 0, 0, 0)
    before = resource.getrusage(resource.RUSAGE_THREAD)
    said = run(state, True)
    ended_ns = time.monotonic_ns()
    after = resource.getrusage(resource.RUSAGE_THREAD)
    result = {
        "start_ns": start_ns,
        "ended_ns": ended_ns,
        "cpu_user_s": after.ru_utime - before.ru_utime,
        "cpu_system_s": after.ru_stime - before.ru_stime,
        "sent": int(np.count_nonzero(state.rows["sent_ns"][: state.header["begun"][0]])),
        "ended": int(state.header["ended"][0]),
        "ended_early": "" if said == DONE else _why(said, state),
    }
    log.finish(plan.record, state.header)
    return result


def compile_ahead() -> None:
    """Compile the loop if that was never done: by opening a connection to a socket here, over which nothing is sent."""
    with temporary("compile") as folder, socket.create_server(("127.0.0.1", 0)) as server, select.epoll() as epoll:
        address = f"http://127.0.0.1:{server.getsockname()[1]}/"
        plan = RatePlan(
            address=address, message=b"", record=folder / "log", connections=1, max_requests=1, duration_s=1
        )
        flags = np.zeros(1, np.int64)
        state = opened(plan, epoll.fileno(), flags)
        flags[STOP] = 1
        send(plan, state, time.monotonic_ns())


def _why(said: int, state: State) -> str:
    if said == GAVE_UP:
        return f"{state.control['refused'][0]} connections in a row were refused: nothing listens there any more"
    if said == RAN_OUT:
        code = int(state.control["error"][0])
        return f"the client ran out of something ({os.strerror(code)}): {_ADVICE.get(code, 'free some')}"
    return {STOPPED: "it was told to stop", LATE: "none opened in time"}[said]


if __name__ == "__main__":
    # Not by sys.exit: nothing waits for the thread that reads commands.
    ended = main()
    sys.stdout.flush()
    os._exit(ended)
