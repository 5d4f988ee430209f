"""Print the entries of a requirements lock whose packages this Python has in no version."""

import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path


def entries(lock):
    """Split the lock's text into one text per package: its first line and the indented ones below."""
    entry = []
    for line in lock.splitlines():
        if line and not line[0].isspace() and entry:
            yield "\n".join(entry)
            entry = []
        if line and not line.lstrip().startswith("#"):
            entry.append(line)
    if entry:
        yield "\n".join(entry)


def installed(entry):
    try:
        version(entry.partition("==")[0])
    except PackageNotFoundError:
        return False
    return True


for entry in entries(Path(sys.argv[1]).read_text()):
    if not installed(entry):
        print(entry)
