"""One connection's system calls, compiled: open, close, send, watch."""

from __future__ import annotations

import errno

from perfstudies.load.rate import libc
from perfstudies.load.rate.libc import (
    CLOCK_MONOTONIC,
    EPOLL_CTL_ADD,
    EPOLL_CTL_MOD,
    EPOLLIN,
    EPOLLOUT,
    EPOLLRDHUP,
    clock_gettime,
    compiled,
    epoll_ctl,
    errno_location,
    recv,
    send,
    setsockopt,
)
from perfstudies.load.rate.state import BUSY, CLOSED, CONNECTING, IDLE

SOCK_STREAM, SOCK_NONBLOCK, SOCK_CLOEXEC = 1, 0o4000, 0o2000000
IPPROTO_TCP, TCP_NODELAY = 6, 1
MSG_PEEK, MSG_DONTWAIT, MSG_NOSIGNAL = 0x2, 0x40, 0x4000

_TYPE = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC
_EAGAIN, _EINTR, _EINPROGRESS = errno.EAGAIN, errno.EINTR, errno.EINPROGRESS
OWN_ERRORS = (errno.EMFILE, errno.ENFILE, errno.EADDRNOTAVAIL, errno.ENOBUFS, errno.ENOMEM, errno.EAGAIN)
"""What a new connection fails of when it is the client, and not the server, that has run out of something."""
_EMFILE, _ENFILE, _EADDRNOTAVAIL, _ENOBUFS, _ENOMEM, _ = OWN_ERRORS

PENDING, FAILED, OUT_OF_SOMETHING = range(3)
"""What `open_socket` says."""


@compiled
def now_ns(s):
    """Return the monotonic clock's time."""
    clock_gettime(CLOCK_MONOTONIC, s.time.ctypes.data)
    return s.time[0] * 1_000_000_000 + s.time[1]


@compiled
def open_socket(s, i, now):
    """Begin to connect; that it is open, or not, is an event to come."""
    control, c = s.control[0], s.connections[i]
    c.since_ns, c.used, c.writing = now, 0, 0
    c.generation += 1
    fd = libc.socket(control.family, _TYPE, 0)
    if fd < 0:
        control.error = errno_location()[0]
        return OUT_OF_SOMETHING
    c.fd = fd
    s.option[0] = 1
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, s.option.ctypes.data, 4)
    failed = 0
    if libc.connect(fd, s.address.ctypes.data, s.address.size) != 0:
        failed = errno_location()[0]
    if failed == 0 or failed == _EINPROGRESS or failed == _EINTR:
        _watch(s, i, EPOLL_CTL_ADD, EPOLLIN | EPOLLOUT | EPOLLRDHUP)
        return PENDING
    libc.close(fd)
    c.fd = -1
    own = failed == _EADDRNOTAVAIL or failed == _ENOBUFS or failed == _ENOMEM or failed == _EAGAIN
    if own or failed == _EMFILE or failed == _ENFILE:
        control.error = failed
        return OUT_OF_SOMETHING
    return FAILED


@compiled
def connect_error(s, i):
    """Return what a connection failed of; 0 if it is open."""
    s.option[0], s.option[1] = 0, 4
    # SOL_SOCKET, SO_ERROR
    libc.getsockopt(s.connections[i].fd, 1, 4, s.option.ctypes.data, s.option.ctypes.data + 4)
    return s.option[0]


@compiled
def close_socket(s, i):
    """Close a connection, and count it out of what it was."""
    control, c = s.control[0], s.connections[i]
    if c.fd >= 0:
        libc.close(c.fd)
        c.fd = -1
    if c.state == CONNECTING:
        control.connecting -= 1
    elif c.state == IDLE or c.state == BUSY:
        control.opened -= 1
        control.carrying -= c.state == BUSY
    c.state = CLOSED


@compiled
def readable_only(s, i):
    """Be told of a connection when there is something to receive."""
    s.connections[i].writing = 0
    _watch(s, i, EPOLL_CTL_MOD, EPOLLIN | EPOLLRDHUP)


@compiled
def still_open(s, i):
    """Whether a connection can carry a request: neither its end nor anything else came."""
    received = recv(s.connections[i].fd, s.buffer.ctypes.data, 1, MSG_PEEK | MSG_DONTWAIT)
    return received < 0 and errno_location()[0] == _EAGAIN


@compiled
def push(s, i):
    """Send what the connection takes of its request; that it broke is an event to come."""
    c = s.connections[i]
    while c.sent < s.message.size:
        taken = send(c.fd, s.message.ctypes.data + c.sent, s.message.size - c.sent, MSG_NOSIGNAL)
        if taken >= 0:
            c.sent += taken
            continue
        failed = errno_location()[0]
        if failed == _EAGAIN and not c.writing:
            c.writing = 1
            _watch(s, i, EPOLL_CTL_MOD, EPOLLIN | EPOLLOUT | EPOLLRDHUP)
        if failed != _EINTR:
            return
    if c.writing:
        readable_only(s, i)


@compiled
def receive(s, i):
    """Receive into the buffer; return how much, 0 at the connection's end, -1 if nothing is there, -2 if it broke."""
    while True:
        received = recv(s.connections[i].fd, s.buffer.ctypes.data, s.buffer.size, 0)
        if received >= 0:
            return received
        failed = errno_location()[0]
        if failed == _EAGAIN:
            return -1
        if failed != _EINTR:
            return -2


@compiled
def _watch(s, i, what, events):
    c = s.connections[i]
    s.events[s.events.size - 1].events = events
    s.events[s.events.size - 1].data = (c.generation << 32) | i
    epoll_ctl(s.control[0].epoll, what, c.fd, s.events.ctypes.data + (s.events.size - 1) * s.events.itemsize)
