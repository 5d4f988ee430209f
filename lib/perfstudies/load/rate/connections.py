"""What becomes of a connection, compiled: opened, used, and replaced when it breaks.

A request is never sent twice: a connection that the server had closed before is replaced without a word, one that
breaks after the first byte was sent is that request's end.

Functions call each other one way only, never in a circle: compiled code that calls itself cannot be kept on disk.
"""

from __future__ import annotations

from perfstudies.load.rate.libc import EPOLLOUT, compiled
from perfstudies.load.rate.replies import (
    BAD,
    COMPLETE,
    MORE,
    NOT_HTTP,
    REFUSED,
    RESET,
    TIMED_OUT,
    end_of_connection,
    feed,
    judge,
    reset,
)
from perfstudies.load.rate.requests import ended, goes_on, may_send, may_serve, next_request
from perfstudies.load.rate.sockets import (
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
from perfstudies.load.rate.state import BACKOFF, BUSY, CLOSED, CONNECTING, IDLE

REST_NS = 10_000_000
_LONGEST_REST_NS = 1_000_000_000


@compiled
def connect(s, i, now):
    """Begin to open a connection."""
    control, c = s.control[0], s.connections[i]
    said = open_socket(s, i, now)
    if said == PENDING:
        c.state = CONNECTING
        control.connecting += 1
    elif said != OUT_OF_SOMETHING:
        _not_opened(s, i, REFUSED, now)
    elif c.row >= 0:  # the client ends; this request was never sent
        control.busy -= 1
        c.row = -1


@compiled
def _write(s, i, now):
    control, c = s.control[0], s.connections[i]
    c.state, c.since_ns, c.sent, c.used = BUSY, now, 0, 1
    control.carrying += 1
    s.rows[c.row].sent_ns = max(now - control.start_ns, 1)
    reset(s.replies[i], s.must)
    push(s, i)


@compiled
def _opened(s, i, now):
    control, c = s.control[0], s.connections[i]
    control.refused = 0
    c.state = IDLE
    if c.row >= 0 or next_request(s, i, now):
        _write(s, i, now)


@compiled
def _not_opened(s, i, status, now):
    """End the request that the connection was opened for, and try again later."""
    control, c = s.control[0], s.connections[i]
    close_socket(s, i)
    if status == REFUSED:
        control.refused += 1
    if c.row >= 0 or (control.is_open and next_request(s, i, now)):
        ended(s, i, status, now)
    _rest(s, i, now)


@compiled
def _rest(s, i, now):
    """Leave a connection that failed alone for a while, the longer the more often: nothing is hammered."""
    control, c = s.control[0], s.connections[i]
    c.wake_ns = now + min(REST_NS << min(c.failures, 7), _LONGEST_REST_NS)
    c.failures += 1
    c.state = BACKOFF
    control.resting += 1


@compiled
def again(s, i, now):
    """Open a closed connection for what it has to send next; a closed client's that has nothing stays closed."""
    control = s.control[0]
    if not control.running or s.connections[i].row >= 0:
        connect(s, i, now)
    elif control.is_open:
        if may_send(s, now) or may_serve(s, now):
            connect(s, i, now)
    elif next_request(s, i, now):
        connect(s, i, now)


@compiled
def _failed(s, i, status, now):
    """End a request that broke its connection. The first time the next one opens at once."""
    c = s.connections[i]
    ended(s, i, status, now)
    close_socket(s, i)
    if c.failures == 0:
        c.failures = 1
        again(s, i, now)
    else:
        _rest(s, i, now)


@compiled
def send(s, i, now):
    """Send an open connection's request, over a new one if the server closed this one meanwhile."""
    c = s.connections[i]
    if still_open(s, i):
        _write(s, i, now)
        return
    close_socket(s, i)
    if c.used:
        connect(s, i, now)
    else:
        _rest(s, i, now)


@compiled
def _pull(s, i):
    """Receive what is there of a reply, and do what follows from it."""
    reply = s.replies[i]
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
    ended(s, i, judge(reply), now)
    # A reply to half a request leaves the other half on the connection.
    if not reply.keep or c.sent < s.message.size:
        close_socket(s, i)
        again(s, i, now)
        return
    c.state = IDLE
    s.control[0].carrying -= 1
    if next_request(s, i, now):
        send(s, i, now)


@compiled
def handle(s, i, events):
    """Do what an event on a connection asks for."""
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
            again(s, i, now)


@compiled
def tick(s, now):
    """End what has run out of time, and wake what has rested."""
    control = s.control[0]
    for i in range(s.connections.size):
        c = s.connections[i]
        if c.state == BACKOFF:
            if c.wake_ns <= now:
                control.resting -= 1
                c.state = CLOSED
                again(s, i, now)
        elif c.state == BUSY:
            if now - c.since_ns >= control.timeout_ns:
                _failed(s, i, TIMED_OUT, now)
        elif c.state == CONNECTING and now - c.since_ns >= control.timeout_ns:
            _not_opened(s, i, TIMED_OUT, now)


@compiled
def arrive(s, now):
    """Let arrivals that are due take free connections."""
    control, header = s.control[0], s.header[0]
    since_start = now - control.start_ns
    while control.due < s.schedule.size and s.schedule[control.due] <= since_start and goes_on(s):
        s.rows[control.due].intended_ns = s.schedule[control.due]
        control.due += 1
        header.begun = control.due
    # Every connection in turn, so that all are used alike.
    while control.opened > control.carrying and may_serve(s, now):
        looked = 0
        while s.connections[control.cursor].state != IDLE and looked < s.connections.size:
            control.cursor = (control.cursor + 1) % s.connections.size
            looked += 1
        i = control.cursor
        if s.connections[i].state != IDLE:
            return
        control.cursor = (i + 1) % s.connections.size
        next_request(s, i, now)
        send(s, i, now)
