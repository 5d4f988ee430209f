"""What a simulated server has besides its machine, as compiled code keeps it: queues, gates and idle threads."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

# Pieces of work of a request: the columns of `World.piece_ms`. While a thread does one, this is also its step.
RECEIVE, CLEAN, CONTROL, ADAPT, SERVE, RESUME, MARSHAL, FINISH, DELAY = range(9)
PIECES = 9
# Steps that need no processor time, only that the thread runs: take the next request, go through a gate.
READ, PASS, ASSIGN, TAKE, ENTER, START = range(PIECES, PIECES + 6)
# Nothing to do. The state is zeroed before a run, which must not mean this.
IDLE = PIECES + 6

# When things happened to a request: the columns of `World.stamp_ms`.
RECEIVED, HANDED_OVER, RECEIVER_FREE, PASSED, DISPATCHED, SERVED_FROM, SERVED, REPLIED, DISPATCHER_FREE = range(9)
STAMPS = 9

POOL = np.dtype(
    [
        ("controller", np.int64),  # the extra thread's name; -1 for none
        ("controller_waits", np.int64),
        ("first_dispatcher", np.int64),  # threads: receivers, perhaps a controller, dispatchers
        ("poas", np.int64),  # how many; their gates come before the servants'
        ("direct", np.int64),
        ("signals_all", np.int64),
        ("newest_idle", np.int64),
        ("queue_head", np.int64),
        ("queue_tail", np.int64),
        ("passing_head", np.int64),
        ("passing_tail", np.int64),
        ("idle_head", np.int64),
        ("idle", np.int64),  # how many
        ("sleepers", np.int64),
        ("arrived", np.int64),
        ("present", np.int64),
        ("ended", np.int64),
    ],
    align=True,
)

# A gate (`free`: how many more may enter) with the threads before it, or a connection's buffer with its requests.
LINE = np.dtype([("free", np.int64), ("first", np.int64), ("last", np.int64)], align=True)


World = namedtuple(
    "World",
    [
        "machine",
        "pool",  # one element
        "buffers",  # a line a connection
        "gates",  # a line a POA, then a line a servant
        "poa",  # a number a servant
        "idle",  # a ring of idle dispatchers, the longest idle at `idle_head`
        "connection",  # a request's
        "servant",  # a request's
        "piece_ms",  # shape (requests, PIECES)
        "stamp_ms",  # shape (requests, STAMPS)
        "behind",  # the request behind one in its connection's buffer; -1 for none
        "queue",  # requests for the dispatchers in their order
        "passing",  # requests for the controller in their order
    ],
)
World.__doc__ = "The machine and all of the server, a `machine_state.Machine` and arrays."


def lines(count: int, free: np.ndarray | int = 0) -> np.ndarray:
    """Return gates or buffers before which nobody waits."""
    made = np.zeros(count, dtype=LINE)
    made["free"], made["first"], made["last"] = free, -1, -1
    return made
