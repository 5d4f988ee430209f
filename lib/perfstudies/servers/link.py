"""The network between a service and its database, at the bandwidths that the STEP study measured.

With ``local`` the server listens on 127.0.0.1. With the others it runs in a network namespace of its own and is
reached through a pair of virtual Ethernet devices, each shaping what it sends with a token bucket (tc-tbf(8)).
The namespace has no name: it lives as long as the server's process, and the kernel takes the devices with it.

The study measured 94.402 and 7.312 Mbit/s on its LANs (section 3.2, notes 8 and 9). These are taken as payload:
a full frame carries 1448 bytes of it and counts as 1514. A bucket holds one frame, because a real card sends one
after the other, and what the rate brings during `TIMER_S`, without which late timers cost bandwidth. So the
first frame after a pause passes without its transmission time; nothing in this kernel interface delays that one.
The queue is as long as an Ethernet card's, and frames are formed before it (no segmentation offload).
"""

from __future__ import annotations

import ctypes
import ipaddress
import json
import os
import platform
import socket
import subprocess
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from perfstudies.errors import MissingTool, SystemFailed, require_one_of
from perfstudies.servers import programs
from perfstudies.servers.bandwidth import Bandwidth, bandwidth

# Payload that the study measured, Mbit/s; None is not shaped.
LINKS: dict[str, Any] = {"local": None, "100mbit": 94.402, "10mbit": 7.312}

FRAME_BYTES, PAYLOAD_BYTES = 1514, 1448
QUEUE_FRAMES = 1000
TIMER_S = 0.0002

ADDRESSES = ipaddress.IPv4Network("198.18.0.0/15")  # for benchmarks between networks: RFC 2544, RFC 6890
INSIDE = "server"  # the device in the namespace
ENTERED = b"ENTERED\n"
TOOLS = ("ip", "tc", "unshare")
CAP_NET_ADMIN, CAP_SYS_ADMIN = 12, 21
CLONE_NEWNET = 0x40000000

# Runs in the new namespace: says that it is there, waits for its device, sets it up and becomes the server.
GATE = """set -e
echo ENTERED
read -r ready
[ "$ready" = ready ]
PATH=$PATH:/usr/sbin:/sbin
ip address add "$1" dev "$2"
ip link set dev "$2" gso_max_segs 1 up
ip link set dev lo up
tc qdisc add dev "$2" root $3
shift 3
exec "$@" </dev/null"""


def unavailable(level: str) -> str:
    """Return why a link cannot be had here and what to do about it; empty if it can.

    Raises
    ------
    BadParameter
        If the level is none of `LINKS`.
    """
    require_one_of("link", level, LINKS)
    if level == "local":
        return ""
    # Kernels and containers differ: do it once, in a namespace that ends with the trial.
    trial = f"ip link add trial type veth peer name other && tc qdisc add dev trial root {' '.join(_bucket(1.0))}"
    return lacking(f"link {level}", TOOLS, trial, "veth and tbf")


def lacking(what: str, tools: Sequence[str], trial: str, devices: str) -> str:
    """Return what this machine lacks for shaped network namespaces and what to do about it; empty if nothing.

    Parameters
    ----------
    what : str
        What needs them, for the message.
    tools : sequence of str
        The programs that it needs.
    trial : str
        A shell command that does the same, run in a new namespace.
    devices : str
        What the trial needs of the kernel, for the message.
    """
    if platform.system() != "Linux":
        return f"{what} needs Linux: it is made of network namespaces."
    if missing := programs.lacking(tools):
        return f"{what} needs {missing}: install the packages iproute2 and util-linux."
    held = int(Path("/proc/self/status").read_text().partition("CapEff:")[2].split()[0], 16)
    if not (held >> CAP_NET_ADMIN & 1 and held >> CAP_SYS_ADMIN & 1):
        return f"{what} needs the rights to make network devices: run as root (CAP_NET_ADMIN and CAP_SYS_ADMIN)."
    command = f"PATH=$PATH:/usr/sbin:/sbin; {trial}"
    done = subprocess.run([programs.path_of("unshare"), "--net", "sh", "-c", command], capture_output=True, text=True)
    if done.returncode != 0:
        said = " ".join(done.stderr.split())
        return f"{what} needs a kernel that allows unshare --net, {devices}; here: {said}"
    return ""


def _bucket(payload_mbit_s: float) -> list[str]:
    rate = payload_mbit_s * 1e6 * FRAME_BYTES / PAYLOAD_BYTES
    burst = FRAME_BYTES + rate / 8 * TIMER_S
    return ["tbf", "rate", f"{rate:.0f}bit", "burst", f"{burst:.0f}", "limit", str(QUEUE_FRAMES * FRAME_BYTES)]


def _run(*command: str, text: str = "") -> str:
    done = subprocess.run([programs.path_of(command[0]), *command[1:]], capture_output=True, text=True, input=text)
    if done.returncode != 0:
        raise SystemFailed(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout


def _free_network() -> ipaddress.IPv4Network:
    """Return four addresses that no route of this machine leads to; where to look first is the process's own."""
    routes = json.loads(_run("ip", "-json", "-4", "route", "show", "table", "all"))
    taken = [ipaddress.ip_network(route["dst"], strict=False) for route in routes if route["dst"] != "default"]
    count = ADDRESSES.num_addresses // 4
    for offset in range(count):
        first = ADDRESSES[(os.getpid() + offset) % count * 4]
        network = ipaddress.IPv4Network((first, 30))
        if not any(network.overlaps(other) for other in taken):
            return network
    raise SystemFailed(f"every address of {ADDRESSES}, which the links use, has a route on this machine already")


@dataclass
class Link:
    """The way to one server.

    Attributes
    ----------
    level : str
        One of `LINKS`.
    host : str
        The address that the server has to bind to and is reached at.
    """

    level: str
    host: str = "127.0.0.1"
    _network: ipaddress.IPv4Network | None = field(default=None, repr=False)
    _pid: int | None = field(default=None, repr=False)

    @classmethod
    def choose(cls, level: str) -> Link:
        """Choose free addresses for a link; nothing is made yet.

        Raises
        ------
        BadParameter
            If the level is none of `LINKS`.
        MissingTool
            If the link cannot be had here.
        """
        if problem := unavailable(level):
            raise MissingTool(problem)
        if level == "local":
            return cls(level)
        network = _free_network()
        return cls(level, str(network[2]), network)

    @property
    def device(self) -> str:
        """Name of the device on this side: its network's number, so it is as free as that."""
        assert self._network is not None
        return f"perf{(int(self._network[0]) - int(ADDRESSES[0])) // 4}"

    def wrap(self, command: list[str]) -> list[str]:
        """Return the command that runs a server's command on the other side; `connect` lets it go on."""
        if self._network is None:
            return command
        setup = [f"{self.host}/30", INSIDE, " ".join(_bucket(LINKS[self.level]))]
        return [programs.path_of("unshare"), "--net", "sh", "-c", GATE, "sh", *setup, *command]

    def connect(self, popen: subprocess.Popen) -> None:
        """Connect the process of a wrapped command, whose standard input and output are pipes.

        Raises
        ------
        SystemFailed
            If the devices cannot be made; with what the kernel's tools said.
        """
        if self._network is None:
            return
        assert popen.stdin is not None and popen.stdout is not None
        if popen.stdout.readline() != ENTERED:
            raise SystemFailed(f"link {self.level}: the server's process did not get its network namespace")
        self._pid = popen.pid
        device = self.device
        made = f"link add {device} type veth peer name {INSIDE} netns {popen.pid}\n"
        address = f"address add {self._network[1]}/30 dev {device}\n"
        _run("ip", "-batch", "-", text=f"{made}{address}link set dev {device} gso_max_segs 1 up\n")
        _run("tc", "qdisc", "add", "dev", device, "root", *_bucket(LINKS[self.level]))
        with suppress(BrokenPipeError):  # who waits for the server sees that it ended, and why
            popen.stdin.write(b"ready\n")
            popen.stdin.flush()

    def remove(self) -> None:
        """Remove the devices now instead of when the kernel comes to it; the server must have ended."""
        if self._pid is not None:
            # That it is gone already is no failure.
            subprocess.run([programs.path_of("ip"), "link", "delete", self.device], capture_output=True)
            self._pid = None

    def measure_bandwidth(self, duration_s: float = 0.3, timeout_s: float = 10) -> Bandwidth:
        """Measure the payload that TCP carries now; arguments as of `perfstudies.servers.bandwidth.bandwidth`.

        Raises
        ------
        SystemFailed
            If nothing gets through.
        """
        try:
            return bandwidth(self._listen, socket.create_connection, duration_s, timeout_s)
        except OSError as error:
            raise SystemFailed(f"link {self.level}: its bandwidth cannot be measured ({error})") from error

    def _listen(self) -> socket.socket:
        """Return a listening socket on the server's side; a socket stays in the namespace it was made in."""
        if self._pid is None:
            return socket.create_server((self.host, 0))
        return in_namespace(self._pid, lambda: socket.create_server((self.host, 0)))


def in_namespace(pid: int, do: Callable[[], socket.socket]) -> socket.socket:
    """Do something in the network namespace of a process, in a thread of its own: entering changes one thread."""

    def entered() -> socket.socket:
        with open(f"/proc/{pid}/ns/net", "rb") as namespace:
            if ctypes.CDLL(None, use_errno=True).setns(namespace.fileno(), CLONE_NEWNET) != 0:
                raise OSError(ctypes.get_errno(), "setns failed")
        return do()

    with ThreadPoolExecutor(1) as alone:
        return alone.submit(entered).result()
