"""Logs far larger than what is kept of them: their reader's memory is bounded, whatever their length."""

import json
import os
import subprocess
import sys

LINES = 60_000_000
BOUND_MIB = 1_000
"""As one frame the requests of so many lines take 1.1 GiB and more; polars' own buffers and the imports some 0.6."""

PROGRAM = """
import json, sys
from pathlib import Path
from perfstudies.own.logs.observe import observe
run = observe({"it": sys.argv[1]}).runs.iloc[0]
status = Path("/proc/self/status").read_text().split()
peak_mib = int(status[status.index("VmHWM:") + 1]) // 1024
print(json.dumps({"requests": int(run["requests"]), "mean_ms": run["mean_ms"], "peak_mib": peak_mib}))
"""


def test_memory_does_not_grow_with_the_log(tmp_path):
    path = tmp_path / "Total_Timelog"
    block = b"12;\n14;\n" * 500_000
    with path.open("wb") as file:
        for _ in range(LINES // 1_000_000):
            file.write(block)
    try:
        # More threads hold more of the log at once.
        environment = os.environ | {"POLARS_MAX_THREADS": "2"}
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, str(path)], capture_output=True, text=True, check=True, env=environment
        )
    finally:
        path.unlink()
    found = json.loads(done.stdout)
    assert (found["requests"], found["mean_ms"]) == (LINES, 13.0)
    assert found["peak_mib"] < BOUND_MIB
