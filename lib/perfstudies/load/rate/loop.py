"""The client's loop, compiled: one thread waits for all connections and for the time.

`run` is what Python calls; what becomes of each request is in `perfstudies.load.rate.connections`.
"""

from __future__ import annotations

import zlib
from pathlib import Path

from numba import njit

from perfstudies.load.rate import connections, heads, libc, replies, requests, sockets, state
from perfstudies.load.rate.connections import REST_NS, again, arrive, connect, handle, send, tick
from perfstudies.load.rate.libc import POLLIN, compiled, epoll_wait, ppoll
from perfstudies.load.rate.replies import NEVER_SENT, UNFINISHED
from perfstudies.load.rate.requests import goes_on, may_send, may_serve, next_request
from perfstudies.load.rate.sockets import close_socket, now_ns
from perfstudies.load.rate.state import CLOSED, CONNECTING, IDLE, STOP

DONE, STOPPED, GAVE_UP, RAN_OUT, LATE = range(5)
"""How the loop ended: all sent, told to stop, nothing listens, the client ran out of something, not all opened."""

_AT_ONCE = 16
"""So many connections are opened beforehand at a time, and the next `REST_NS` later: a server has to accept them, many
have a queue for 50, and one that is lost there is tried again after a second."""
_CONNECTING = 64
"""So many wait for a server that accepts none, at most."""
_LOOK_NS = 50_000_000  # how long the loop may wait without looking whether it has to stop
_FINE_NS = 2_000_000  # waits below it are not left to epoll's milliseconds


@compiled
def _wait(s, until, now):
    """Wait for events, but no longer than until a time; return how many there are."""
    control = s.control[0]
    wait = min(until - now, _LOOK_NS)
    where, room = s.events.ctypes.data, s.events.size - 1
    if wait >= _FINE_NS and not control.is_open:
        return epoll_wait(control.epoll, where, room, wait // 1_000_000)
    count = epoll_wait(control.epoll, where, room, 0)
    if count != 0 or wait <= 0:
        return count
    s.time[0], s.time[1] = wait // 1_000_000_000, wait % 1_000_000_000
    s.poll[0].fd, s.poll[0].events = control.epoll, POLLIN
    ppoll(s.poll.ctypes.data, 1, s.time.ctypes.data, 0)
    return epoll_wait(control.epoll, where, room, 0)


@compiled
def _serve(s, until, now):
    """Wait for events and do what they ask for."""
    control = s.control[0]
    for k in range(_wait(s, until, now)):
        data = s.events[k].data
        i = data & 0xFFFFFFFF
        if s.connections[i].generation == data >> 32:
            handle(s, i, s.events[k].events)
            if control.is_open and control.running:
                arrive(s, now_ns(s))


@compiled
def _open_all(s):
    """Open all connections; return how that ended."""
    control = s.control[0]
    now = now_ns(s)
    give_up_ns, look_ns = now + control.timeout_ns, now
    begun = 0
    while control.opened < s.connections.size:
        if now >= look_ns:
            tick(s, now)
            look_ns = now + REST_NS
            until = min(begun + _AT_ONCE, s.connections.size)
            while begun < until and control.connecting < _CONNECTING and control.error == 0:
                connect(s, begun, now)
                begun += 1
        if control.error != 0:
            return RAN_OUT
        if control.refused >= control.give_up:
            return GAVE_UP
        if s.flags[STOP] != 0:
            return STOPPED
        if now >= give_up_ns:
            return LATE
        _serve(s, look_ns, now)
        now = now_ns(s)
    return DONE


@compiled
def _send_all(s):
    """Send from the start to the end; return how that ended."""
    control = s.control[0]
    now = now_ns(s)
    while now < control.start_ns and s.flags[STOP] == 0:
        _serve(s, control.start_ns, now)
        now = now_ns(s)
    control.running = 1
    if not control.is_open:
        for i in range(s.connections.size):
            c = s.connections[i]
            if c.state == IDLE and next_request(s, i, now):
                send(s, i, now)
            elif c.state == CLOSED:
                again(s, i, now)
            elif c.state == CONNECTING:
                next_request(s, i, now)
    look_ns, drained = now, False
    give_up_ns = control.end_ns + control.drain_ns
    while True:
        if control.is_open:
            arrive(s, now)
        if now >= look_ns:
            tick(s, now)
            look_ns = now + (REST_NS if control.resting > 0 else control.tick_ns)
        sending = may_send(s, now)
        if not sending and not drained:
            drained = True
            give_up_ns = min(give_up_ns, now + control.drain_ns)
        if control.busy == 0:
            if control.is_open:
                if (control.due == s.schedule.size or not goes_on(s)) and not may_serve(s, now):
                    break
            elif not sending or control.resting == 0:
                break
        if now >= give_up_ns:
            break
        until = min(look_ns, give_up_ns)
        if control.is_open and control.due < s.schedule.size:
            until = min(until, control.start_ns + s.schedule[control.due])
        if sending:
            until = min(until, control.end_ns)
        _serve(s, until, now)
        now = now_ns(s)
    if control.error != 0:
        return RAN_OUT
    if control.refused >= control.give_up:
        return GAVE_UP
    return STOPPED if s.flags[STOP] != 0 else DONE


@compiled
def _settle(s):
    """Close everything, and say of each row without an end what became of it."""
    for i in range(s.connections.size):
        close_socket(s, i)
    for row in range(s.header[0].begun):
        if s.rows[row].ended_ns == 0:
            s.rows[row].status = UNFINISHED if s.rows[row].sent_ns > 0 else NEVER_SENT


_PARTS = (libc, connections, heads, replies, requests, sockets, state)


def _entry(sources: int):
    # numba's cache looks at the age of the file of the function it keeps, and at what it closes over: so a change in
    # any file that is compiled into it is seen.
    @njit(nogil=True, cache=True, error_model="numpy")
    def run(s, sending):
        if not sending:
            return _open_all(s) if sources else LATE
        said = _send_all(s)
        _settle(s)
        return said

    return run


run = _entry(zlib.crc32(b"".join(Path(str(part.__file__)).read_bytes() for part in _PARTS)) | 1)
"""Open all connections, or (second argument true) send all, drain, and close them; without Python's lock."""
