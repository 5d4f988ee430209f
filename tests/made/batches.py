"""Small notebooks for batches, and what their cells do."""

from nbformat.v4 import new_code_cell, new_markdown_cell

from made.notebooks import parameters_cell, write

PARAMETERS = 'source = "reference"\nseed = 7\nlog = ""'
RESULTS = """
from IPython.display import display
from perfstudies.notebooks.results import results
display({"text/plain": "v"}, raw=True, metadata={"perfstudies": {"verdicts": [
    {"id": "S-1", "estimate": round(seed / 3, 6), "low": None, "high": 1.0, "unit": "ratio",
     "outcome": "inconclusive"}]}})
results([{"name": "twice", "value": 2 * seed, "low": seed, "high": 3 * seed, "unit": "ms", "setting": "a"}])
"""
# What a point finds of the machine's lock: whether another could measure now, or share.
PROBE = """
import fcntl
from perfstudies.runs import lock
def free(kind):
    with open(lock.place()) as file:
        try:
            fcntl.flock(file, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            return "taken"
        return "free"
line = f"{seed} {source} {free(fcntl.LOCK_EX)} {free(fcntl.LOCK_SH)}\\n"
with open(log, "a") as file:
    file.write(line)
"""
# Shows a bar, stops at seed 2 until somebody has put a file beside its log, and says so by a pipe.
STOPS = """
import os, threading
from tqdm import tqdm
list(tqdm([seed]))
if seed == 2 and not os.path.exists(log + ".go"):
    with open(log + ".pipe", "w") as pipe:
        pipe.write(str(os.getpid()))
    threading.Event().wait()
"""
# Runs a batch as the command does, with its results in a folder of its own.
MAIN = """
import sys
from pathlib import Path
from perfstudies.cli.main import app
from perfstudies import paths
paths.ROOT, paths.PROCESSED = Path(sys.argv[1]), Path(sys.argv[1], "processed")
app(["batch", *sys.argv[2:]])
"""


def notebook(folder, *cells, name="01-small"):
    cells = (new_markdown_cell("# Small?\n\nIs it?"), parameters_cell(PARAMETERS), *map(new_code_cell, cells))
    return write(folder / "notebooks" / "step" / f"{name}.ipynb", *cells)


def lines(path):
    return path.read_text().splitlines() if path.exists() else []
