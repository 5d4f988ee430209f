"""Files of a folder that a running lab changes meanwhile."""

import os
from pathlib import Path


def files(folder):
    """Yield the files below a folder; a folder that goes away meanwhile is left out."""
    for place, _, names in os.walk(folder):
        yield from (Path(place, name) for name in names)


def size(path):
    """Return a file's bytes; none if it went away."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
