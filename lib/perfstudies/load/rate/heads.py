"""A reply's head as it comes in, compiled: its status, how its body is framed, and whether its connection stays."""

from __future__ import annotations

import numpy as np

from perfstudies.load.rate.libc import compiled, memmem

HEAD_LIMIT = 8192

HEAD, LENGTH, CLOSE, SIZE, CHUNK, CHUNK_CR, CHUNK_LF, TRAILER, DONE = range(9)
"""What of a reply comes next: its head; a body of known length, or until its connection ends; the size of a chunk, the
chunk, the ends of its line; what follows the chunks; nothing."""

_END = np.frombuffer(b"\r\n\r\n", np.uint8)
_VERSION = np.frombuffer(b"HTTP/1.", np.uint8)
_CONTENT_LENGTH = np.frombuffer(b"content-length", np.uint8)
_TRANSFER_ENCODING = np.frombuffer(b"transfer-encoding", np.uint8)
_CONNECTION = np.frombuffer(b"connection", np.uint8)
_CHUNKED = np.frombuffer(b"chunked", np.uint8)
_CLOSE = np.frombuffer(b"close", np.uint8)
_KEEP_ALIVE = np.frombuffer(b"keep-alive", np.uint8)
LENGTH_LIMIT = 1 << 40


@compiled
def take_head(reply, head, data, length):
    """Take the head, if it is whole; return where in `data` it ends (`length` if it does not), or -1 if it is none."""
    kept, source, size = reply.kept, data, length
    if kept > 0:
        added = min(length, HEAD_LIMIT - kept)
        head[kept : kept + added] = data[:added]
        source, size = head, kept + added
    begin = 0
    while reply.status == 0:
        for index in range(min(_VERSION.size, size - begin)):
            if source[begin + index] != _VERSION[index]:
                return -1
        end = find(source, begin, size, _END)
        if end + 4 > HEAD_LIMIT or (end < 0 and size >= HEAD_LIMIT):
            return -1
        if end < 0:
            reply.kept = size - begin
            if kept == 0 or begin > 0:
                for index in range(reply.kept):  # forwards: the two may overlap
                    head[index] = source[begin + index]
            return length
        if not _fields(reply, source, begin, end + 2):
            return -1
        begin = end + 4
    reply.kept = 0
    return begin - kept


@compiled
def _fields(reply, source, begin, end):
    """Read a whole head: its status, how long the body is, and whether the connection stays; False if it is none."""
    if end - begin < 14 or source[begin + 8] != 32:  # HTTP/1.1 200
        return False
    status = 0
    for index in range(begin + 9, begin + 12):
        digit = source[index] - 48
        if digit < 0 or digit > 9:
            return False
        status = status * 10 + digit
    if status == 101 or status < 100:
        return False
    if source[begin + 12] != 32 and source[begin + 12] != 13:
        return False
    if status < 200:  # "100 Continue" and its kind: the reply follows
        return True
    keep = source[begin + 7] != 48  # HTTP/1.0 closes unless it says otherwise
    chunked, content_length = False, np.int64(-1)
    line = begin
    while source[line] != 10:
        line += 1
    line += 1
    while line < end:
        stop = line
        while source[stop] != 10:
            stop += 1
        first = source[line] | 32
        if first == 99 or first == 116:  # c, t
            value = _value(source, line, stop, _CONTENT_LENGTH)
            if value > 0:
                number = _number(source, value, stop)
                if number < 0 or (content_length >= 0 and content_length != number):
                    return False
                content_length = number
            elif _value(source, line, stop, _TRANSFER_ENCODING) > 0:
                chunked = chunked or _says(source, line, stop, _CHUNKED)
            elif _value(source, line, stop, _CONNECTION) > 0:
                if _says(source, line, stop, _CLOSE):
                    keep = False
                elif _says(source, line, stop, _KEEP_ALIVE):
                    keep = True
        line = stop + 1
    reply.status = status
    if status == 204 or status == 304:
        reply.phase = DONE
    elif chunked:
        reply.phase = SIZE
    elif content_length >= 0:
        reply.left = content_length
        reply.phase = LENGTH if content_length > 0 else DONE
    else:
        reply.phase, keep = CLOSE, False
    reply.keep = keep
    return True


@compiled
def _value(source, line, stop, name):
    """Return where the value of a line begins whose name this is; -1 if it is another."""
    end = line + name.size
    if end >= stop or source[end] != 58:
        return -1
    for index in range(name.size):
        if source[line + index] | 32 != name[index]:
            return -1
    return end + 1


@compiled
def _number(source, begin, stop):
    """Return the decimal number of a value, or -1 if it is none."""
    number, digits, ended = np.int64(0), 0, False
    for index in range(begin, stop):
        byte = source[index]
        if byte == 32 or byte == 9 or byte == 13:
            ended = digits > 0
        elif byte < 48 or byte > 57 or ended or digits > 12:
            return np.int64(-1)
        else:
            number, digits = number * 10 + (byte - 48), digits + 1
    return number if digits > 0 and number < LENGTH_LIMIT else np.int64(-1)


@compiled
def _says(source, begin, stop, word):
    """Whether a word is in a line, in any case."""
    for at in range(begin, stop - word.size + 1):
        index = 0
        while index < word.size and source[at + index] | 32 == word[index]:
            index += 1
        if index == word.size:
            return True
    return False


@compiled
def find(data, begin, end, what):
    """Return where bytes are first found, or -1."""
    if end - begin < what.size:
        return -1
    start = data.ctypes.data
    found = memmem(start + begin, end - begin, what.ctypes.data, what.size)
    return np.int64(found - start) if found else np.int64(-1)
