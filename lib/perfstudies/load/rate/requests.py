"""Whose turn it is, compiled: requests get a row in the log when they are due, a connection, and exactly one end."""

from __future__ import annotations

from perfstudies.load.rate.libc import compiled
from perfstudies.load.rate.state import BUSY, STOP


@compiled
def goes_on(s):
    """Whether there is no reason to end early."""
    control = s.control[0]
    return control.running and s.flags[STOP] == 0 and control.error == 0 and control.refused < control.give_up


@compiled
def may_send(s, now):
    """Whether further requests may begin."""
    return now < s.control[0].end_ns and goes_on(s)


@compiled
def may_serve(s, now):
    """Whether arrivals that wait may still be sent: those due before the end are, as long as it is waited for them."""
    control = s.control[0]
    return control.next < control.due and now < control.end_ns + control.drain_ns and goes_on(s)


@compiled
def _attach(s, i, row):
    control, c = s.control[0], s.connections[i]
    c.row = row
    c.requests += 1
    s.rows[row].connection = i
    control.busy += 1


@compiled
def next_request(s, i, now):
    """Give a connection its next request, if there is one, and return whether it got one."""
    control, header, c = s.control[0], s.header[0], s.connections[i]
    if control.is_open:
        if not may_serve(s, now):
            return False
        _attach(s, i, control.next)
        control.next += 1
        return True
    limit = control.requests_per_connection
    if header.begun >= control.max_requests or (limit > 0 and c.requests >= limit) or not may_send(s, now):
        return False
    row = header.begun
    header.begun += 1
    s.rows[row].intended_ns = now - control.start_ns
    _attach(s, i, row)
    return True


@compiled
def ended(s, i, status, now):
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
