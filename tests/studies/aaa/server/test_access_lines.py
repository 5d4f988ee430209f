"""Access lines: a real namespace and real queues where this machine allows them."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import psutil
import pytest

from made.plans import plan
from perfstudies.errors import MissingTool
from perfstudies.load.http.clients import run_clients
from perfstudies.servers import link, programs
from perfstudies.servers.process import serve
from perfstudies.studies.aaa.logs import client as aaa_client
from perfstudies.studies.aaa.server import access_lines as module
from perfstudies.studies.aaa.server.access_lines import LINES, access_lines, address


@pytest.fixture
def real():
    if reason := module.unavailable():
        pytest.skip(reason)


def inside(lines, *command):
    return subprocess.run([*lines.prefix, *command], capture_output=True, text=True, check=True).stdout


def test_missing_tools_are_named(monkeypatch):
    monkeypatch.setattr(programs.shutil, "which", lambda name, path: None if name == "nsenter" else f"/bin/{name}")
    with pytest.raises(MissingTool, match="an access line needs nsenter: install the packages iproute2 and util-linux"):
        with access_lines():
            pass


def test_missing_rights_are_named(monkeypatch):
    monkeypatch.setattr(programs, "path_of", lambda name: name)
    monkeypatch.setattr(link.Path, "read_text", lambda self: "CapEff:\t0000000000001000\n")
    assert "run as root" in module.unavailable()


def test_each_direction_of_each_line_has_its_rate():
    commands = module._setup(LINES)
    classes = [command.split() for command in commands if "class" in command]
    assert [one[one.index("rate") + 1] for one in classes] == [
        rate for kbit_s in (1500, 2240, 100_000, 100_000) for rate in [f"{kbit_s}kbit"] * 2
    ]
    filters = [command for command in commands if "filter" in command]
    assert [command.partition("match ip ")[2] for command in filters[:3]] == [
        "src 127.0.1.1/32 flowid 1:1",
        "dst 127.0.1.1/32 flowid 1:2",
        "src 127.0.1.2/32 flowid 1:3",
    ]


def test_a_line_carries_no_more_than_its_rate(real):
    # How near it comes depends on the machine; that it is not passed does not.
    with access_lines() as lines:
        for client, kbit_s in enumerate(LINES.values()):
            achieved = lines.measure_bandwidth(client, 0.1)
            for mbit_s in (achieved.to_server, achieved.to_client):
                assert 0 < mbit_s < 1.1 * kbit_s / 1000


def test_programs_run_inside_with_frames_like_ethernets(real):
    with access_lines() as lines:
        assert "mtu 1500" in inside(lines, "ip", "link", "show", "lo")
        assert inside(lines, "readlink", "/proc/self/ns/net") != str(Path("/proc/self/ns/net").readlink())


def test_clients_inside_reach_a_server_inside_over_their_lines(real, tmp_path):
    server = Path(__file__).parents[3] / "made" / "soap_server.py"
    with (
        access_lines() as lines,
        serve("server", [*lines.prefix, sys.executable, str(server)], tmp_path / "log") as process,
    ):
        plans = [plan(tmp_path, process.address, client=client, source=address(client)) for client in range(4)]
        run_clients(plans, prefix=lines.prefix)
        counted = inside(lines, "tc", "-s", "class", "show", "dev", "lo")
    for one in plans:
        assert list(aaa_client.read(one.record)[0]["outcome"]) == ["ok"] * 3
    assert counted.count("class htb") == 8 and " Sent 0 bytes" not in counted


def test_two_namespaces_do_not_meet(real):
    with access_lines() as one, access_lines({"slow": 64}) as other:
        assert inside(one, "readlink", "/proc/self/ns/net") != inside(other, "readlink", "/proc/self/ns/net")
        assert inside(other, "tc", "class", "show", "dev", "lo").count("64Kbit") == 4  # rate and ceil, twice


def test_no_process_is_left_when_the_parent_is_killed(real, tmp_path):
    parent = textwrap.dedent("""
        import os, signal
        from perfstudies.studies.aaa.server.access_lines import access_lines
        with access_lines() as lines:
            print(lines._pid, flush=True)
            os.kill(os.getpid(), signal.SIGKILL)
    """)
    temporary = os.environ | {"TMPDIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", parent], capture_output=True, text=True, env=temporary)
    if psutil.pid_exists(int(done.stdout)):
        psutil.Process(int(done.stdout)).wait(10)
