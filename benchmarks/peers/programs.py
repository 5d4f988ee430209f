"""Clients that are processes of their own: how each is started, and how many requests it says were answered."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from peers import echo, environment
from perfstudies.errors import MissingTool, SystemFailed

AB_LIBRARIES = Path(__file__).parents[2] / "systems" / "esb" / "bench" / "target" / "lib"
CONNECTIONS = 50
RUN_LIMIT_S = 40
LUA = """wrk.method = "POST"
wrk.headers["Content-Type"] = "text/xml; charset=utf-8"
wrk.headers["SOAPAction"] = '"urn:echo"'
local file = io.open("{message}", "rb")
wrk.body = file:read("*a")
file:close()
"""
# Run by the Python of the peers' own environment. Each user sends again as soon as it has its answer.
LOCUST_USER = """import sys
from pathlib import Path

import gevent
from locust import FastHttpUser, constant, task
from locust.env import Environment

address, message, users, seconds = sys.argv[1], Path(sys.argv[2]).read_bytes(), int(sys.argv[3]), float(sys.argv[4])
headers = {"Content-Type": "text/xml; charset=utf-8", "SOAPAction": '"urn:echo"'}


class User(FastHttpUser):
    host = address.rpartition("/services")[0]
    wait_time = constant(0)

    @task
    def echo(self):
        self.client.post(address, data=message, headers=headers, name="echo")


environment = Environment(user_classes=[User])
runner = environment.create_local_runner()
runner.start(users, spawn_rate=users)
gevent.sleep(seconds)
runner.quit()
total = environment.stats.total
if total.num_failures:
    sys.exit(f"{total.num_failures} of {total.num_requests} requests failed")
print(total.num_requests)
"""


@dataclass(frozen=True)
class Program:
    """A client: its name, two run lengths in its own unit, and what runs it and returns how many were answered."""

    name: str
    short: float
    long: float
    run: Callable[[float], int]


def programs(address: str, folder: Path, install: bool = True, share: float = 1) -> tuple[list[Program], list[str]]:
    """Return the clients that can run here, and what to do about each other one; Locust may have to be installed.

    Those that send a number of requests send a share of it.
    """
    message = folder / "message.xml"
    message.write_bytes(echo.request()[0])
    found, missing = [], []
    for make in (_wrk, partial(_rate, share=share), partial(_ab, share=share), partial(_locust, install=install)):
        try:
            found.append(make(address, message, folder))
        except MissingTool as error:
            missing.append(str(error))
    return found, missing


def _wrk(address: str, message: Path, folder: Path) -> Program:
    wrk = _need("wrk", "wrk is left out: apt-get install wrk")
    script = folder / "post.lua"
    script.write_text(LUA.format(message=message))

    def run(seconds: float) -> int:
        # Whole seconds only.
        command = [wrk, "-t1", f"-c{CONNECTIONS}", f"-d{seconds:.0f}s", "-s", str(script), address]
        said = _said(command)
        if "Non-2xx" in said or "Socket errors" in said:
            raise SystemFailed(f"wrk had errors: {said}")
        return int(re.search(r"(\d+) requests in", said)[1])

    return Program("wrk", 1, 3, run)


def _rate(address: str, message: Path, folder: Path, share: float) -> Program:
    try:
        from perfstudies.load.rate.log import HEADER, ROW
        from perfstudies.load.rate.plan import RatePlan
        from perfstudies.load.rate.run import require_linux, run_rate
    except ImportError as error:
        raise MissingTool(f"the rate client is left out: {error}") from error
    require_linux()
    data, headers = echo.request()

    def run(requests: float) -> int:
        record = folder / "rate.log"
        plan = RatePlan(
            address=address,
            message=data,
            headers=headers,
            connections=CONNECTIONS,
            requests_per_connection=int(requests) // CONNECTIONS,
            max_requests=int(requests),
            duration_s=RUN_LIMIT_S,
            must_contain=b"echoResponse>",
            record=record,
        )
        run_rate(plan)
        answered = np.fromfile(record, ROW, offset=HEADER.itemsize)["status"]
        if not (answered == 200).all():
            raise SystemFailed(f"the rate client had errors: {np.unique(answered, return_counts=True)}")
        return answered.size

    run(CONNECTIONS)  # the first start on a machine compiles it
    return Program("rate client", 50_000 * share, 300_000 * share, run)


def _ab(address: str, message: Path, folder: Path, share: float) -> Program:
    java = _need("java", "httpcore-ab is left out: it needs a JDK")
    if not any(AB_LIBRARIES.glob("httpcore-ab-*.jar")):
        raise MissingTool("httpcore-ab is left out: build it with mvn -q -f systems/pom.xml -pl esb/bench package")

    def run(requests: float) -> int:
        command = [java, "-cp", f"{AB_LIBRARIES}/*", "org.apache.http.benchmark.HttpBenchmark", "-k"]
        command += ["-n", str(int(requests) // CONNECTIONS), "-c", str(CONNECTIONS), "-p", str(message)]
        command += ["-T", "text/xml; charset=utf-8", "-H", 'SOAPAction: "urn:echo"', address]
        said = _said(command)
        if not re.search(r"Failed requests:\s+0\n", said):
            raise SystemFailed(f"httpcore-ab had errors: {said}")
        return int(re.search(r"Complete requests:\s+(\d+)", said)[1])

    return Program("httpcore-ab", 10_000 * share, 40_000 * share, run)


def _locust(address: str, message: Path, folder: Path, install: bool) -> Program:
    python, script = environment.program("python", "Locust", install), folder / "user.py"
    script.write_text(LOCUST_USER)

    def run(seconds: float) -> int:
        command = [python, str(script), address, str(message), str(CONNECTIONS), str(seconds)]
        return int(_said(command))

    return Program("Locust FastHttpUser", 1, 2.5, run)


def _need(program: str, otherwise: str) -> str:
    found = shutil.which(program)
    if found is None:
        raise MissingTool(otherwise)
    return found


def _said(command: list[str]) -> str:
    with tempfile.TemporaryFile("w+") as errors:
        try:
            ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=errors, text=True, timeout=RUN_LIMIT_S)
        except subprocess.TimeoutExpired:
            raise SystemFailed(f"{command[0]} took longer than {RUN_LIMIT_S} s") from None
        if ended.returncode:
            errors.seek(0)
            raise SystemFailed(f"{command[0]} ended with status {ended.returncode}: {errors.read()[-500:]}")
    return ended.stdout
