"""The C library's system calls for code that numba compiles.

Functions are named, not addressed, so that what numba compiled can be kept on disk and linked again by another process.
Pointers are passed as integers (an array's ``.ctypes.data``). Linux only: epoll is.
"""

from __future__ import annotations

import platform
from typing import Any

import numpy as np
from numba import njit, types

compiled = njit(error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)  # type: ignore[call-overload]
"""Decorates what only compiled code calls: without what Python would need to call it, compiling takes half the time."""

_INT, _LONG, _SIZE, _ADDRESS = types.int32, types.int64, types.uint64, types.uintp


def _function(name: str, result: Any, *arguments: Any) -> Any:
    return types.ExternalFunction(name, result(*arguments))


socket = _function("socket", _INT, _INT, _INT, _INT)
connect = _function("connect", _INT, _INT, _ADDRESS, types.uint32)
close = _function("close", _INT, _INT)
send = _function("send", _LONG, _INT, _ADDRESS, _SIZE, _INT)
recv = _function("recv", _LONG, _INT, _ADDRESS, _SIZE, _INT)
setsockopt = _function("setsockopt", _INT, _INT, _INT, _INT, _ADDRESS, types.uint32)
getsockopt = _function("getsockopt", _INT, _INT, _INT, _INT, _ADDRESS, _ADDRESS)
epoll_ctl = _function("epoll_ctl", _INT, _INT, _INT, _INT, _ADDRESS)
epoll_wait = _function("epoll_wait", _INT, _INT, _ADDRESS, _INT, _INT)
ppoll = _function("ppoll", _INT, _ADDRESS, _SIZE, _ADDRESS, _ADDRESS)
clock_gettime = _function("clock_gettime", _INT, _INT, _ADDRESS)
memmem = _function("memmem", _ADDRESS, _ADDRESS, _SIZE, _ADDRESS, _SIZE)
# What the last call that failed failed of: its first element is errno.
errno_location = _function("__errno_location", types.CPointer(_INT))

CLOCK_MONOTONIC = 1
EPOLLIN, EPOLLOUT, EPOLLRDHUP = 0x001, 0x004, 0x2000
EPOLL_CTL_ADD, EPOLL_CTL_MOD = 1, 3
POLLIN = 1

# The kernel packs the structure on x86 alone.
_PACKED = platform.machine().lower() in ("x86_64", "amd64", "i386", "i586", "i686")
EPOLL_EVENT = np.dtype(
    {
        "names": ["events", "data"],
        "formats": [np.uint32, np.uint64],
        "offsets": [0, 4 if _PACKED else 8],
        "itemsize": 12 if _PACKED else 16,
    }
)
POLLFD = np.dtype([("fd", np.int32), ("events", np.int16), ("revents", np.int16)])
