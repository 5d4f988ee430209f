"""The lines by which the AAA study's four client machines reached its server, on one machine.

Server and clients run in a network namespace of their own and talk over its loopback device. Each client sends from an
address of its own, and the device shapes what goes from and to that address at the rate of its line (tc-htb(8)), each
direction for itself; the study names one rate a line. What goes between other addresses is not shaped. The namespace
has no name: it ends with the process that holds it and those that run inside.

The rates are the study's (section 4.3), in whole Ethernet frames: a full frame of 1514 bytes carries 1448 bytes, so
that at most 95.6 % of a rate is payload. Frames are formed before the queue (no segmentation offload), and buckets are
as in `perfstudies.servers.link`. The lines' delays are not known, and are not imitated.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from perfstudies.errors import MissingTool, SystemFailed
from perfstudies.files import temporary
from perfstudies.servers.bandwidth import Bandwidth, bandwidth
from perfstudies.servers.link import FRAME_BYTES, QUEUE_FRAMES, TIMER_S, in_namespace, lacking
from perfstudies.servers.process import serve

# The study's client machines and the rate of each one's line, kbit/s.
LINES = {"azizlap": 1500, "redlap": 2240, "mac-g5b": 100_000, "mac-g5c": 100_000}

SERVER = "127.0.0.1"
TOOLS = ("ip", "tc", "unshare", "nsenter")
DEVICE = ["ip link set lo mtu 1500 gso_max_segs 1 up", "tc qdisc add dev lo root handle 1: htb"]


def address(client: int) -> str:
    """Return the address that a client, numbered from 0, has to send from."""
    return f"127.0.1.{client + 1}"


def unavailable() -> str:
    """Return why lines cannot be had here and what to do about it; empty if they can."""
    return lacking("an access line", TOOLS, " && ".join(_setup({"trial": 1000})), "htb and u32")


@dataclass(frozen=True)
class AccessLines:
    """The lines, while they last.

    Attributes
    ----------
    rates_kbit_s : mapping
        The rate of each client's line, by its machine's name, in the order of the clients' numbers.
    prefix : tuple of str
        The command that runs another one inside, its standard input and output untouched.
    """

    rates_kbit_s: Mapping[str, int]
    prefix: tuple[str, ...]
    _pid: int

    def measure_bandwidth(self, client: int, duration_s: float = 0.3, timeout_s: float = 10) -> Bandwidth:
        """Measure what TCP carries now over the line of a client, by its number; otherwise as `Link` does."""

        def listen() -> socket.socket:
            return in_namespace(self._pid, lambda: socket.create_server((SERVER, 0)))

        def connect(where: tuple, limit_s: float) -> socket.socket:
            return in_namespace(self._pid, lambda: socket.create_connection(where, limit_s, (address(client), 0)))

        try:
            return bandwidth(listen, connect, duration_s, timeout_s)
        except OSError as error:
            raise SystemFailed(f"the line of client {client}: its bandwidth cannot be measured ({error})") from error


@contextmanager
def access_lines(rates_kbit_s: Mapping[str, int] = LINES) -> Iterator[AccessLines]:
    """Make a namespace with the lines, which lasts until the end of the block or of this process.

    Parameters
    ----------
    rates_kbit_s : mapping
        The rate of each client's line, by its machine's name, in the order of the clients' numbers.

    Raises
    ------
    MissingTool
        If it cannot be had here; with the reason.
    SystemFailed
        If it cannot be made.
    """
    if problem := unavailable():
        raise MissingTool(problem)
    path = "PATH=$PATH:/usr/sbin:/sbin"
    script = "\n".join(["set -e", path, *_setup(rates_kbit_s), "echo READY lo", "read -r _ || :"])
    with temporary("lines") as folder:
        log = folder / "lines.log"
        with serve("access lines", ["unshare", "--net", "sh", "-c", script], log, 30, 10) as holder:
            yield AccessLines(rates_kbit_s, ("nsenter", f"--net=/proc/{holder.pid}/ns/net", "--"), holder.pid)


def _setup(rates_kbit_s: Mapping[str, int]) -> list[str]:
    """Return the commands that set up the loopback device of a new namespace."""
    commands = list(DEVICE)
    for client, kbit_s in enumerate(rates_kbit_s.values()):
        burst = round(FRAME_BYTES + kbit_s * 125 * TIMER_S)
        for end, number in (("src", 2 * client + 1), ("dst", 2 * client + 2)):
            name = f"1:{number:x}"
            commands += [
                f"tc class add dev lo parent 1: classid {name} htb rate {kbit_s}kbit "
                f"burst {burst} cburst {burst} quantum {FRAME_BYTES}",
                f"tc qdisc add dev lo parent {name} bfifo limit {QUEUE_FRAMES * FRAME_BYTES}",
                f"tc filter add dev lo parent 1: protocol ip u32 match ip {end} {address(client)}/32 flowid {name}",
            ]
    return commands
