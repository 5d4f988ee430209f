"""Where a machine keeps the programs that systems need, and which of them it lacks."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from typing import Any

BESIDES = "/usr/sbin:/usr/local/sbin:/sbin"
"""Where Debian keeps servers and network tools, and not every user's PATH leads."""


def path_of(program: str) -> str | Any:
    """Return a program's path; None if it is not there."""
    return shutil.which(program, path=f"{os.environ.get('PATH', os.defpath)}:{BESIDES}")


def lacking(programs: Sequence[str]) -> str:
    """Return those programs that are not there, as a list in words; empty if all are."""
    return ", ".join(program for program in programs if path_of(program) is None)
