"""Links: real namespaces and devices where this machine allows them."""

import json
import subprocess
import sys
import textwrap
from contextlib import contextmanager

import psutil
import pytest

from perfstudies.errors import BadParameter, MissingTool, SystemFailed
from perfstudies.servers import link, programs
from perfstudies.servers.link import LINKS, Link

SHAPED = [level for level, payload in LINKS.items() if payload]


@pytest.fixture
def real():
    for level in SHAPED:
        if reason := link.unavailable(level):
            pytest.skip(reason)


@contextmanager
def connected(level):
    """A link to a process that waits for a signal, once it said that it runs."""
    way = Link.choose(level)
    command = way.wrap([sys.executable, "-c", "import signal; print('here', flush=True); signal.pause()"])
    popen = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with popen:
        try:
            way.connect(popen)
            assert popen.stdout.readline() == b"here\n"
            yield way
        finally:
            popen.kill()
            popen.wait()
            way.remove()


def devices():
    said = subprocess.run(["ip", "-json", "link"], capture_output=True, text=True, check=True).stdout
    return {device["ifname"] for device in json.loads(said)}


def test_local_is_the_loopback_device_and_needs_nothing():
    assert link.unavailable("local") == ""
    way = Link.choose("local")
    assert way.host == "127.0.0.1" and way.wrap(["server"]) == ["server"]
    achieved = way.measure_bandwidth(0.01)
    assert achieved.to_server > 0 and achieved.to_client > 0


def test_an_unknown_link_is_refused():
    with pytest.raises(BadParameter, match="Did you mean '100mbit'"):
        Link.choose("100mbits")


def test_missing_tools_are_named(monkeypatch):
    monkeypatch.setattr(programs.shutil, "which", lambda name, path: None if name == "tc" else f"/bin/{name}")
    assert link.unavailable("10mbit") == "link 10mbit needs tc: install the packages iproute2 and util-linux."
    with pytest.raises(MissingTool, match="needs tc"):
        Link.choose("10mbit")


def test_missing_rights_are_named(monkeypatch):
    monkeypatch.setattr(programs, "path_of", lambda name: name)
    monkeypatch.setattr(link.Path, "read_text", lambda self: "CapEff:\t0000000000001000\n")
    assert "run as root" in link.unavailable("10mbit")


def test_the_bucket_holds_a_frame_and_a_timers_lateness():
    kind, _, rate, _, burst, _, limit = link._bucket(94.402)
    assert (kind, rate, burst, limit) == ("tbf", "98704854bit", "3982", "1514000")


@pytest.mark.parametrize("taken", ["198.18.0.0/16", "198.18.0.0/15"])
def test_addresses_that_have_a_route_are_avoided(monkeypatch, taken):
    routes = json.dumps([{"dst": "default"}, {"dst": taken}, {"dst": "10.0.0.1"}])
    monkeypatch.setattr(link, "_run", lambda *command: routes)
    monkeypatch.setattr(link.os, "getpid", lambda: 16380)
    if taken.endswith("16"):
        assert str(link._free_network()) == "198.19.0.0/30"
    else:
        with pytest.raises(SystemFailed, match="has a route"):
            link._free_network()


@pytest.mark.parametrize("level", SHAPED)
def test_a_shaped_link_carries_no_more_than_its_bandwidth(real, level):
    # How near it comes depends on the machine; that it is not passed does not.
    with connected(level) as way:
        achieved = way.measure_bandwidth()
    for mbit_s in (achieved.to_server, achieved.to_client):
        assert 0 < mbit_s < 1.1 * LINKS[level]


def test_two_links_have_addresses_of_their_own_and_leave_nothing(real):
    # Other programs of this machine may make and remove links meanwhile, so only these are looked for.
    with connected("10mbit") as one, connected("100mbit") as other:
        assert one.host != other.host and one.device != other.device
        assert {one.device, other.device} <= devices()
    assert not {one.device, other.device} & devices()


def test_a_server_that_is_gone_is_an_error(real):
    with connected("10mbit") as way:
        psutil.Process(way._pid).kill()
        psutil.Process(way._pid).wait(10)
        with pytest.raises(SystemFailed, match="cannot be measured"):
            way.measure_bandwidth()


def test_nothing_is_left_when_the_parent_is_killed(real):
    parent = textwrap.dedent("""
        import os, signal, subprocess
        from perfstudies.servers.link import Link
        way = Link.choose("10mbit")
        command = ["setpriv", "--pdeathsig", "TERM", *way.wrap(["sleep", "1000"])]
        popen = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        way.connect(popen)
        print(popen.pid, way.device, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    """)
    with subprocess.Popen(["ip", "monitor", "link"], stdout=subprocess.PIPE, text=True) as monitor:
        done = subprocess.run([sys.executable, "-c", parent], capture_output=True, text=True)
        pid, device = done.stdout.split()
        try:
            for line in monitor.stdout:  # the kernel tells when the device goes
                if line.startswith("Deleted") and f" {device}@" in line:
                    break
        finally:
            monitor.kill()
    assert device not in devices()
    assert not psutil.pid_exists(int(pid)) or psutil.Process(int(pid)).status() == psutil.STATUS_ZOMBIE
