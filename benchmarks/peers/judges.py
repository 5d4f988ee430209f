"""Tools that say whether a service became slower: each asks the old one and the new one, and gives its verdict.

All spend about the same: 300 requests of each service, one at a time.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from datetime import date, timedelta
from functools import partial
from pathlib import Path

from scipy import stats

from peers import environment
from perfstudies.errors import MissingTool, SystemFailed

SLOWER, NO_SLOWER, UNDECIDED = "slower", "no slower", "undecided"
RUNS, REQUESTS, SECONDS = 15, 20, 2
MARGIN = 1.015
"""Half of the 3 % that are looked for: what is beyond it is slower, to who takes a limit."""
LEVEL = 0.05
FIRST_BUILD = date(2026, 1, 1)
LIMIT_S = 60

LAB = "perfstudies measure --compare-with"
HYPERFINE, WELCH = "hyperfine, beyond its ±", "hyperfine and Welch's test"
OTAVA = "Apache Otava, of hyperfine's runs"
LOCUST_MEAN, LOCUST_P95 = "Locust's exit code, limit on the mean", "the same, limit on the 95th percentile"

# As Locust's documentation has it: the exit code is set when it quits, by what it counted.
LOCUSTFILE = """import json
import os

from locust import FastHttpUser, constant, events, task


class User(FastHttpUser):
    wait_time = constant(0)

    @task
    def get(self):
        self.client.get("/")


@events.quitting.add_listener
def judge(environment, **_):
    total = environment.stats.total
    mean_ms = total.avg_response_time
    with open(os.environ["MEASURED"], "w") as file:
        json.dump({"mean_ms": mean_ms, "p95_ms": total.get_response_time_percentile(0.95)}, file)
    exceeded = total.num_failures > 0 or mean_ms > float(os.environ["LIMIT_MS"])
    environment.process_exit_code = 2 if not total.num_requests else 1 if exceeded else 0
"""
OTAVA_YAML = """tests:
  service:
    type: csv
    file: {folder}/runs.csv
    time_column: time
    metrics:
      elapsed_s:
        direction: -1
"""

Judge = Callable[[str, str, Path], dict[str, str]]
"""Gets the addresses of the old and the new service and a folder, and returns verdicts by tool."""


def judges(install: bool, runs: int = RUNS) -> tuple[list[Judge], list[str]]:
    """Return those that can run here, and why others cannot; they make so many runs of each service."""
    found: list[Judge] = [partial(_lab, runs)]
    missing = []
    for make in (partial(_hyperfine, runs), _locust):
        try:
            found.append(make(install))
        except MissingTool as error:
            missing.append(str(error))
    return found, missing


def _lab(runs: int, old: str, new: str, folder: Path) -> dict[str, str]:
    command = [str(Path(sys.executable).with_name("perfstudies")), "measure", "--url", new, "--compare-with", old]
    command += ["--runs", str(runs), "--requests", str(REQUESTS), "--margin", str(MARGIN)]
    ended = _ended(command, statuses=(0, 1, 3))
    return {LAB: {0: NO_SLOWER, 1: SLOWER, 3: UNDECIDED}[ended.returncode]}


def _hyperfine(runs: int, install: bool) -> Judge:
    program = shutil.which("hyperfine")
    if program is None:
        raise MissingTool("hyperfine is left out: apt-get install hyperfine")
    if shutil.which("curl") is None:
        raise MissingTool("hyperfine is left out, it has nothing to time: apt-get install curl")
    try:
        otava = environment.program("otava", "Apache Otava", install)
    except MissingTool as error:
        print(error)
        otava = None

    def judge(old: str, new: str, folder: Path) -> dict[str, str]:
        times = folder / "hyperfine.json"
        # One connection, on which curl asks one request after the other.
        asked = [f"curl --silent --noproxy * --output /dev/null {address}?[1-{REQUESTS}]" for address in (old, new)]
        _ended([program, "-N", "--warmup", "1", "--runs", str(runs), "--export-json", str(times), *asked])
        before, after = json.loads(times.read_text())["results"]
        ratio = after["mean"] / before["mean"]
        # The deviation of the ratio that hyperfine prints in its summary.
        deviation = ratio * ((before["stddev"] / before["mean"]) ** 2 + (after["stddev"] / after["mean"]) ** 2) ** 0.5
        welch = stats.ttest_ind(after["times"], before["times"], equal_var=False, alternative="greater")
        said = {
            HYPERFINE: SLOWER if ratio - deviation > 1 else NO_SLOWER,
            WELCH: SLOWER if welch.pvalue < LEVEL else NO_SLOWER,
        }
        if otava is not None:
            said[OTAVA] = _otava(otava, before["times"] + after["times"], folder)
        return said

    return judge


def _otava(program: str, times_s: list[float], folder: Path) -> str:
    rows = [f"{FIRST_BUILD + timedelta(days=day)},{elapsed_s!r}" for day, elapsed_s in enumerate(times_s)]
    (folder / "runs.csv").write_text("\n".join(["time,elapsed_s", *rows]) + "\n")
    (folder / "otava.yaml").write_text(OTAVA_YAML.format(folder=folder))
    # It looks at the last year otherwise, and these days are made up: one a run.
    command = [program, "analyze", "service", "--output", "regressions_only", "--since", str(FIRST_BUILD)]
    said = _ended(command, OTAVA_CONFIG=str(folder / "otava.yaml")).stdout
    if "Regressions in service" in said:
        return SLOWER
    if "No regressions found" in said:
        return NO_SLOWER
    raise SystemFailed(f"Otava said neither: {said[-500:]}")


def _locust(install: bool) -> Judge:
    program = environment.program("locust", "Locust", install)

    def judge(old: str, new: str, folder: Path) -> dict[str, str]:
        (folder / "locustfile.py").write_text(LOCUSTFILE)
        command = [program, "-f", str(folder / "locustfile.py"), "--headless", "-u", "1", "-r", "1"]
        command += ["-t", f"{SECONDS}s", "--only-summary"]
        measured = folder / "measured.json"
        # Of an address that ends in a slash Locust makes one with two, which it refuses itself.
        old, new = old.rstrip("/"), new.rstrip("/")
        _ended([*command, "--host", old], MEASURED=str(measured), LIMIT_MS="inf")
        before = json.loads(measured.read_text())
        told = {"MEASURED": str(measured), "LIMIT_MS": str(before["mean_ms"] * MARGIN)}
        status = _ended([*command, "--host", new], statuses=(0, 1), **told).returncode
        after = json.loads(measured.read_text())
        return {
            LOCUST_MEAN: SLOWER if status else NO_SLOWER,
            LOCUST_P95: SLOWER if after["p95_ms"] > before["p95_ms"] * MARGIN else NO_SLOWER,
        }

    return judge


def _ended(command: list[str], statuses: tuple[int, ...] = (0,), **told: str) -> subprocess.CompletedProcess[str]:
    try:
        ended = subprocess.run(
            command, env=os.environ | told, capture_output=True, text=True, timeout=LIMIT_S, stdin=subprocess.DEVNULL
        )
    except subprocess.TimeoutExpired:
        raise SystemFailed(f"{command[0]} took longer than {LIMIT_S} s") from None
    if ended.returncode not in statuses:
        raise SystemFailed(f"{command[0]} ended with status {ended.returncode}: {ended.stderr[-500:]}")
    return ended
