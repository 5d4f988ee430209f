"""The client's loop, compiled: who sends when, and what becomes of each request.

One thread serves all connections. A request gets its row in the log when it is due, and exactly one end: its reply's
status, or what went wrong. A request is never sent twice; a connection that the server closed before a request is
replaced without a word, one that breaks after the first byte was sent is that request's end.
"""

from __future__ import annotations

import zlib
from pathlib import Path

from numba import njit

from perfstudies.load import libc, rate_replies, rate_sockets, rate_state
from perfstudies.load.libc import EPOLLIN, EPOLLOUT, POLLIN, compiled, epoll_wait, ppoll
from perfstudies.load.rate_replies import (
    BAD,
    COMPLETE,
    MORE,
    NEVER_SENT,
    NOT_HTTP,
    REFUSED,
    RESET,
    TIMED_OUT,
    UNFINISHED,
    end_of_connection,
    feed,
    judge,
    reset,
)
from perfstudies.load.rate_sockets import (
    OUT_OF_SOMETHING,
    PENDING,
    close_socket,
    connect_error,
    now_ns,
    open_socket,
    push,
    readable_only,
    receive,
    still_open,
)
from perfstudies.load.rate_state import BACKOFF, BUSY, CLOSED, CONNECTING, IDLE, STOP

DONE, STOPPED, GAVE_UP, RAN_OUT, LATE = range(5)
"""How the loop ended: all sent, told to stop, nothing listens, the client ran out of something, not all opened."""

_AT_ONCE = 64  # connections that are opened beforehand at a time: a server's queue of new ones is short
_REST_NS, _LONGEST_REST_NS = 10_000_000, 1_000_000_000
_LOOK_NS = 50_000_000  # how long the loop may wait without looking whether it has to stop
_FINE_NS = 2_000_000  # waits below it are not left to epoll's milliseconds


@compiled
def _goes_on(s):
    """Whether there is no reason to end early."""
    control = s.control[0]
    return control.running and s.flags[STOP] == 0 and control.error == 0 and control.refused < control.give_up


@compiled
def _may_send(s, now):
    """Whether further requests may begin."""
    return now < s.control[0].end_ns and _goes_on(s)


@compiled
def _may_serve(s, now):
    """Whether arrivals that wait may still be sent: those due before the end are, as long as it is waited for them."""
    control = s.control[0]
    return control.next < control.due and now < control.end_ns + control.drain_ns and _goes_on(s)


@compiled
def _attach(s, i, row):
    control, c = s.control[0], s.connections[i]
    c.row = row
    c.requests += 1
    s.rows[row].connection = i
    control.busy += 1


@compiled
def _next_request(s, i, now):
    """Give a connection its next request, if there is one, and return whether it got one."""
    control, header, c = s.control[0], s.header[0], s.connections[i]
    if control.is_open:
        if not _may_serve(s, now):
            return False
        _attach(s, i, control.next)
        control.next += 1
        return True
    limit = control.requests_per_connection
    if header.begun >= control.max_requests or (limit > 0 and c.requests >= limit) or not _may_send(s, now):
        return False
    row = header.begun
    header.begun += 1
    s.rows[row].intended_ns = now - control.start_ns
    _attach(s, i, row)
    return True


@compiled
def _ended(s, i, status, now):
    """Write the end of a connection's request."""
    control, c = s.control[0], s.connections[i]
    row = s.rows[c.row]
    if row.sent_ns == 0:  # it got no connection: that is what it tried
        row.sent_ns = max(row.intended_ns, c.since_ns - control.start_ns, 1)
    row.bytes = min(s.replies[i].body, 2147483647) if c.state == BUSY else 0
    row.status = status
    row.ended_ns = max(now - control.start_ns, row.sent_ns)
    s.header[0].ended += 1
    control.busy -= 1
    c.row = -1


@compiled
def _connect(s, i, now):
    """Begin to open a connection.

    Functions call each other one way only, never in a circle: compiled code that calls itself cannot be kept on disk.
    """
    control, c = s.control[0], s.connections[i]
    said = open_socket(s, i, now)
    if said == PENDING:
        c.state = CONNECTING
        control.connecting += 1
    elif said != OUT_OF_SOMETHING:
        _not_opened(s, i, REFUSED, now)


@compiled
def _opened(s, i, now):
    control, c = s.control[0], s.connections[i]
    control.refused = 0
    c.state = IDLE
    if c.row >= 0 or _next_request(s, i, now):
        _send(s, i, now)


@compiled
def _not_opened(s, i, status, now):
    """End the request that the connection was opened for, and try again later."""
    control, c = s.control[0], s.connections[i]
    close_socket(s, i)
    if status == REFUSED:
        control.refused += 1
    if c.row >= 0 or (control.is_open and _next_request(s, i, now)):
        _ended(s, i, status, now)
    _rest(s, i, now)


@compiled
def _rest(s, i, now):
    """Leave a connection that failed alone for a while, the longer the more often: nothing is hammered."""
    control, c = s.control[0], s.connections[i]
    c.wake_ns = now + min(_REST_NS << min(c.failures, 7), _LONGEST_REST_NS)
    c.failures += 1
    c.state = BACKOFF
    control.resting += 1


@compiled
def _wake(s, i, now):
    control, c = s.control[0], s.connections[i]
    control.resting -= 1
    c.state = CLOSED
    _again(s, i, now)


@compiled
def _again(s, i, now):
    """Open a closed connection for what it has to send next; a closed client's that has nothing stays closed."""
    control, c = s.control[0], s.connections[i]
    if not control.running:
        _connect(s, i, now)
    elif control.is_open:
        if _may_send(s, now) or _may_serve(s, now):
            _connect(s, i, now)
    elif _next_request(s, i, now):
        _connect(s, i, now)


@compiled
def _failed(s, i, status, now):
    """End a request that broke its connection. The first time the next one opens at once."""
    c = s.connections[i]
    _ended(s, i, status, now)
    close_socket(s, i)
    if c.failures == 0:
        c.failures = 1
        _again(s, i, now)
    else:
        _rest(s, i, now)


@compiled
def _send(s, i, now):
    """Send an open connection's request."""
    control, c = s.control[0], s.connections[i]
    if c.used and not still_open(s, i):
        close_socket(s, i)
        _connect(s, i, now)
        return
    c.state, c.since_ns, c.sent, c.used = BUSY, now, 0, 1
    s.rows[c.row].sent_ns = max(now - control.start_ns, 1)
    reset(s.replies[i], s.must)
    push(s, i)


@compiled
def _pull(s, i):
    """Receive what is there of a reply, and do what follows from it."""
    c, reply = s.connections[i], s.replies[i]
    while True:
        received = receive(s, i)
        if received == -1:
            return
        now = now_ns(s)
        if received < 0:
            _failed(s, i, RESET, now)
            return
        said = MORE
        if received == 0:
            status = end_of_connection(reply)
            if status != COMPLETE:
                _failed(s, i, status, now)
                return
            said = COMPLETE
        else:
            said = feed(reply, s.heads[i], s.tails[i], s.scratch, s.must, s.buffer, received)
        if said == BAD:
            _failed(s, i, NOT_HTTP, now)
            return
        if said == COMPLETE:
            _complete(s, i, now)
            return
        if received < s.buffer.size:
            return


@compiled
def _complete(s, i, now):
    c, reply = s.connections[i], s.replies[i]
    c.failures = 0
    _ended(s, i, judge(reply), now)
    # A reply to half a request leaves the other half on the connection.
    if not reply.keep or c.sent < s.message.size:
        close_socket(s, i)
        _again(s, i, now)
        return
    c.state = IDLE
    if _next_request(s, i, now):
        _send(s, i, now)


@compiled
def _event(s, i, events):
    control, c = s.control[0], s.connections[i]
    if c.state == BUSY:
        if c.writing and events & EPOLLOUT:
            push(s, i)
        if events & ~EPOLLOUT:
            _pull(s, i)
        return
    now = now_ns(s)
    if c.state == CONNECTING:
        if connect_error(s, i) != 0:
            _not_opened(s, i, REFUSED, now)
        elif events & EPOLLOUT:
            control.connecting -= 1
            control.opened += 1
            readable_only(s, i)
            _opened(s, i, now)
    elif c.state == IDLE:  # the server closed it, or speaks unasked
        fresh = not c.used
        close_socket(s, i)
        if fresh:
            _rest(s, i, now)
        else:
            _again(s, i, now)


@compiled
def _tick(s, now):
    """End what has run out of time, and wake what has rested."""
    control = s.control[0]
    for i in range(s.connections.size):
        c = s.connections[i]
        if c.state == BACKOFF:
            if c.wake_ns <= now:
                _wake(s, i, now)
        elif c.state == BUSY:
            if now - c.since_ns >= control.timeout_ns:
                _failed(s, i, TIMED_OUT, now)
        elif c.state == CONNECTING and now - c.since_ns >= control.timeout_ns:
            _not_opened(s, i, TIMED_OUT, now)


@compiled
def _arrive(s, now):
    """Let arrivals that are due take free connections."""
    control, header = s.control[0], s.header[0]
    since_start = now - control.start_ns
    while control.due < s.schedule.size and s.schedule[control.due] <= since_start and _goes_on(s):
        s.rows[control.due].intended_ns = s.schedule[control.due]
        control.due += 1
        header.begun = control.due
    # Every connection in turn, so that all are used alike.
    while control.opened > control.busy and _may_serve(s, now):
        looked = 0
        while s.connections[control.cursor].state != IDLE and looked < s.connections.size:
            control.cursor = (control.cursor + 1) % s.connections.size
            looked += 1
        i = control.cursor
        if s.connections[i].state != IDLE:
            return
        control.cursor = (i + 1) % s.connections.size
        _next_request(s, i, now)
        _send(s, i, now)


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
            _event(s, i, s.events[k].events)
            if control.is_open and control.running:
                _arrive(s, now_ns(s))


@compiled
def _open_all(s):
    """Open all connections; return how that ended."""
    control = s.control[0]
    now = now_ns(s)
    give_up_ns, tick = now + control.timeout_ns, now
    begun = 0
    while control.opened < s.connections.size:
        while begun < s.connections.size and control.connecting < _AT_ONCE and control.error == 0:
            _connect(s, begun, now)
            begun += 1
        if control.error != 0:
            return RAN_OUT
        if control.refused >= control.give_up:
            return GAVE_UP
        if s.flags[STOP] != 0:
            return STOPPED
        if now >= give_up_ns:
            return LATE
        _serve(s, now + _REST_NS, now)
        now = now_ns(s)
        if now >= tick:
            _tick(s, now)
            tick = now + _REST_NS
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
            if c.state == IDLE and _next_request(s, i, now):
                _send(s, i, now)
            elif c.state == CLOSED:
                _again(s, i, now)
            elif c.state == CONNECTING:
                _next_request(s, i, now)
    tick, drained = now, False
    give_up_ns = control.end_ns + control.drain_ns
    while True:
        if control.is_open:
            _arrive(s, now)
        if now >= tick:
            _tick(s, now)
            tick = now + (_REST_NS if control.resting > 0 else control.tick_ns)
        sending = _may_send(s, now)
        if not sending and not drained:
            drained = True
            give_up_ns = min(give_up_ns, now + control.drain_ns)
        if control.busy == 0:
            if control.is_open:
                if (control.due == s.schedule.size or not _goes_on(s)) and not _may_serve(s, now):
                    break
            elif not sending or control.resting == 0:
                break
        if now >= give_up_ns:
            break
        until = min(tick, give_up_ns)
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


run = _entry(
    zlib.crc32(b"".join(Path(m.__file__).read_bytes() for m in (libc, rate_replies, rate_sockets, rate_state))) | 1
)
"""Open all connections, or (second argument true) send all, drain, and close them; without Python's lock."""
