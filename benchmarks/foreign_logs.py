"""How fast logs of others are read, against polars reading the same bytes as CSV, and in how much memory.

For each format a log is made, and in every round, in an order that alternates, three things are timed: polars'
streaming engine taking all its values as CSV with types found by itself, our reader making requests of it, and the
whole analysis. A ratio is our speed over that of polars: reading is to reach one half wherever a line is values between
separators. Memory is the peak of a process of its own, for a log and for one four times as long.

``python benchmarks/foreign_logs.py [MEGABYTES] [ROUNDS]``, 200 and 7 if not given.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
from peers import foreign_log
from tqdm import tqdm

from perfstudies.own.logs.observe import observe, read
from perfstudies.own.logs.samples import NGINX
from perfstudies.report.tables import interval_text
from perfstudies.stats.intervals import ratio_interval

ROUNDS = 7
LEAST = 0.5
SEPARATED = {
    "jmeter-csv": {"separator": ","},
    "k6-csv": {"separator": ","},
    "vegeta-csv": {"separator": ",", "has_header": False},
    "gatling": {"separator": "\t", "quote_char": None, "has_header": False, "skip_lines": 1},
    "nginx": {"separator": " ", "has_header": False},
    "perf4j": {"separator": " ", "has_header": False},
    "vegeta-json": {"separator": ",", "quote_char": None, "has_header": False},
}
LIKE_CSV = ("jmeter-csv", "k6-csv", "vegeta-csv", "gatling", "nginx")
OPTIONS = {"nginx": ("nginx", NGINX)}

PEAK = """
import sys
from pathlib import Path
from perfstudies.own.logs.observe import observe
kind, path, pattern = sys.argv[1:]
observe({"it": path}, *((kind, pattern) if pattern else ()))
status = Path("/proc/self/status").read_text().split()
print(int(status[status.index("VmHWM:") + 1]) // 1024)
"""


def drain(frame: pl.LazyFrame) -> None:
    """Take all batches of a frame and keep none."""
    for _ in frame.collect_batches(engine="streaming", chunk_size=200_000):
        pass


def taken_s(work: Callable[[], object]) -> float:
    """Return how long a call takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def made(kind: str, megabytes: float, folder: Path) -> Path:
    """Make a log of about so many megabytes."""
    path = folder / f"{kind}.log"
    foreign_log.write(kind, 10_000, path)
    foreign_log.write(kind, int(megabytes * 1e6 / path.stat().st_size * 10_000), path)
    return path


def speeds(kind: str, path: Path, rounds: int) -> np.ndarray:
    """Return the time of polars, of our reader and of the analysis in each round, s; shape (rounds, 3)."""
    options = OPTIONS.get(kind, ())
    works = (
        lambda: drain(pl.scan_csv(path, **SEPARATED[kind])),
        lambda: drain(read(path, *options)),
        lambda: observe({"it": path}, *options),
    )
    times = np.empty((rounds + 1, len(works)))
    for number in tqdm(range(rounds + 1), desc=kind, leave=False):
        for place in np.roll(range(len(works)), number):
            times[number, place] = taken_s(works[place])
    return times[1:]  # the first round warms up


def peak_mib(kind: str, path: Path) -> int:
    """Return the peak memory of a process that analyses a log, MiB."""
    command = [sys.executable, "-c", PEAK, kind, str(path), OPTIONS.get(kind, ("", ""))[1]]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def main() -> None:
    """Measure and print."""
    megabytes = float(sys.argv[1]) if len(sys.argv) > 1 else 200
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else ROUNDS
    slow = []
    print(f"Speed over that of polars reading the same {megabytes:g} MB as CSV: mean of {rounds} rounds [95 %]")
    print(f"{'format':12} {'polars MB/s':>11}  {'reading':20} {'reading and analysis':20}")
    with tempfile.TemporaryDirectory() as folder:
        for kind in SEPARATED:
            path = made(kind, megabytes, Path(folder))
            times = speeds(kind, path, rounds)
            reading, both = (ratio_interval(times[:, 0], times[:, column]) for column in (1, 2))
            texts = [interval_text(one.estimate, one.low, one.high) for one in (reading, both)]
            print(f"{kind:12} {path.stat().st_size / 1e6 / np.median(times[:, 0]):11.0f}  {texts[0]:20} {texts[1]:20}")
            if kind in LIKE_CSV and reading.estimate < LEAST:
                slow.append(kind)
            path.unlink()
        for kind in ("jmeter-csv", "nginx"):
            peaks = []
            for times_as_long in (1, 4):
                path = made(kind, megabytes * times_as_long, Path(folder))
                peaks.append(peak_mib(kind, path))
                path.unlink()
            print(f"{kind}: peak memory {peaks[0]} MiB, of a log four times as long {peaks[1]} MiB")
    print(f"Reading is at least {LEAST:g} times as fast: {'no: ' + ', '.join(slow) if slow else 'holds'}")


if __name__ == "__main__":
    main()
