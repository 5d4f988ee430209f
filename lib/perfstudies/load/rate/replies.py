"""HTTP/1.1 replies as they come in, compiled: framed and searched piece by piece, and never kept whole.

A reply's body is searched for a SOAP fault and for bytes that a whole reply has. What a search must remember from one
piece to the next is the end of the piece before.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from perfstudies.load.rate.heads import (
    CHUNK,
    CHUNK_CR,
    CHUNK_LF,
    CLOSE,
    DONE,
    HEAD,
    LENGTH,
    LENGTH_LIMIT,
    SIZE,
    TRAILER,
    find,
    take_head,
)
from perfstudies.load.rate.libc import compiled

REFUSED, RESET, TIMED_OUT, NOT_HTTP, FAULT, SHORT, UNFINISHED, NEVER_SENT = -1, -2, -3, -4, -5, -6, -7, -8
"""Statuses of requests that no HTTP status tells of."""

MORE, COMPLETE, BAD = 0, 1, 2
"""What `feed` says of a reply."""

REPLY = np.dtype(
    [
        ("left", np.int64),  # bytes of the body or chunk still to come
        ("body", np.int64),  # bytes of the body so far
        ("phase", np.int32),
        ("status", np.int32),  # 0 until the head is there
        ("kept", np.int32),  # bytes of an unfinished head
        ("tail", np.int32),  # bytes of the body's end that are remembered
        ("digits", np.int32),  # of a chunk's size; characters of a trailer's line
        ("keep", np.int8),  # whether the connection can carry another request
        ("fault", np.int8),
        ("found", np.int8),  # whether the body has what it must contain
        ("extension", np.int8),  # whether a chunk's size has been read and its extension is skipped
    ],
    align=True,
)

_FAULT = np.frombuffer(b"Fault", np.uint8)
_FAULT_WINDOW = 7  # with the character before and the one after


def tail_bytes(must_contain: bytes) -> int:
    """Return how many bytes of a body's end have to be remembered: whatever is searched for can begin in them."""
    return max(_FAULT_WINDOW, len(must_contain)) - 1


@njit(error_model="numpy")
def reset(reply, must):
    """Expect a new reply."""
    reply.left = reply.body = 0
    reply.phase = HEAD
    reply.status = reply.kept = reply.tail = reply.digits = 0
    reply.keep = reply.fault = reply.extension = 0
    reply.found = must.size == 0


@njit(error_model="numpy")
def feed(reply, head, tail, scratch, must, data, length):
    """Take the first bytes of `data` and return `MORE`, `COMPLETE` or `BAD`.

    Parameters
    ----------
    reply : record of `REPLY`
        The reply so far.
    head : array of uint8, `perfstudies.load.rate.heads.HEAD_LIMIT` long
        Where an unfinished head is kept.
    tail : array of uint8, as long as `tail_bytes` says
        Where the end of the body so far is kept.
    scratch : array of uint8, twice as long
        Where ends are joined to what follows.
    must : array of uint8
        What the body must contain; perhaps nothing.
    data : array of uint8
        What was received.
    length : int
        How much.
    """
    at = 0
    if reply.phase == HEAD:
        at = take_head(reply, head, data, length)
        if at < 0:
            return BAD
    while at < length and reply.phase != DONE:
        if reply.phase == LENGTH or reply.phase == CHUNK:
            taken = min(reply.left, length - at)
            reply.left -= taken
            _search(reply, tail, scratch, must, data, at, taken)
            at += taken
            if reply.left == 0:
                reply.phase = DONE if reply.phase == LENGTH else CHUNK_CR
        elif reply.phase == CLOSE:
            _search(reply, tail, scratch, must, data, at, length - at)
            at = length
        else:
            if not _framing(reply, data[at]):
                return BAD
            at += 1
    if reply.phase != DONE:
        return MORE
    if at < length:  # nothing was asked for what follows
        reply.keep = 0
    return COMPLETE


@njit(error_model="numpy")
def end_of_connection(reply):
    """Return the status of a reply whose connection ended before it was whole, or `COMPLETE` if this completes it."""
    if reply.phase == CLOSE:
        return COMPLETE
    return RESET if reply.phase == HEAD else SHORT


@njit(error_model="numpy")
def judge(reply):
    """Return the status of a complete reply: a fault before the HTTP status, then what a good one lacks."""
    if reply.fault:
        return FAULT
    if reply.status < 200 or reply.status > 299 or reply.found:
        return reply.status
    return SHORT


@compiled
def _framing(reply, byte):
    """Take a byte of what is around chunks; return whether it fits there."""
    if reply.phase == SIZE:
        if byte == 10:
            if reply.digits == 0:
                return False
            reply.phase = CHUNK if reply.left > 0 else TRAILER
            reply.digits = reply.extension = 0
        elif byte == 13 or byte == 59 or byte == 32 or byte == 9:
            if reply.digits == 0:
                return False
            reply.extension = 1
        elif not reply.extension:
            digit = np.int64(byte) - 48 if byte < 58 else np.int64(byte | 32) - 87
            if digit < 0 or digit > 15 or (byte >= 58 and digit < 10) or reply.left >= LENGTH_LIMIT:
                return False
            reply.left = reply.left * 16 + digit
            reply.digits += 1
        return True
    if reply.phase == CHUNK_CR:
        reply.phase = CHUNK_LF
        return byte == 13
    if reply.phase == CHUNK_LF:
        reply.phase = SIZE
        return byte == 10
    if byte == 10:  # of a trailer: the reply ends with an empty line
        if reply.digits == 0:
            reply.phase = DONE
        reply.digits = 0
    elif byte != 13:
        reply.digits = 1
    return True


@compiled
def _search(reply, tail, scratch, must, data, at, length):
    """Search a piece of the body, and what begins in the end of the piece before."""
    reply.body += length
    if reply.fault and reply.found:
        return
    size = tail.size
    if reply.tail > 0:
        joined = reply.tail
        scratch[:joined] = tail[:joined]
        added = min(length, size)
        scratch[joined : joined + added] = data[at : at + added]
        _look(reply, must, scratch, 0, joined + added)
    _look(reply, must, data, at, at + length)
    if reply.phase == LENGTH and reply.left == 0:
        return
    if length >= size:
        tail[:] = data[at + length - size : at + length]
        reply.tail = size
    else:
        gone = max(0, reply.tail + length - size)
        for index in range(gone, reply.tail):
            tail[index - gone] = tail[index]
        kept = reply.tail - gone
        tail[kept : kept + length] = data[at : at + length]
        reply.tail = kept + length


@compiled
def _look(reply, must, data, begin, end):
    if not reply.found and find(data, begin, end, must) >= 0:
        reply.found = 1
    at = begin
    while not reply.fault:
        at = find(data, at, end, _FAULT)
        if at < 0:
            return
        # An element's name: after "<" or its prefix's ":", and before what can end a name. At a piece's edge the
        # joined ends show what is beside it.
        if at > begin and at + 5 < end and (data[at - 1] == 60 or data[at - 1] == 58):
            after = data[at + 5]
            reply.fault = after == 62 or after == 47 or after == 32 or (9 <= after and after <= 13)
        at += 1
