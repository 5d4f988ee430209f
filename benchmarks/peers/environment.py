"""An environment of their own for peers that are Python packages and no part of the lab."""

from __future__ import annotations

import subprocess
import venv
from pathlib import Path

from perfstudies.errors import MissingTool

LOCK = Path(__file__).parents[1] / "requirements.lock"
FOLDER = Path(__file__).parents[2] / ".venv" / "peers"
INSTALL_LIMIT_S = 300


def program(name: str, peer: str, install: bool = True) -> str:
    """Return the path of a program of that environment, which is made when it is missing or older than its lock.

    Raises
    ------
    MissingTool
        If it is not there and may not, or cannot, be installed.
    """
    done = FOLDER / "installed"
    if not done.exists() or done.stat().st_mtime < LOCK.stat().st_mtime:
        if not install:
            raise MissingTool(f"{peer} is left out: it is not installed")
        print("Installing the peers that are Python packages into an environment of their own (once)", flush=True)
        try:
            _install()
        except (OSError, subprocess.SubprocessError) as error:
            why = (getattr(error, "stderr", "") or str(error)).strip().splitlines()[-1]
            raise MissingTool(f"{peer} is left out, it could not be installed: {why}") from error
        done.touch()
    return str(FOLDER / "bin" / name)


def _install() -> None:
    venv.create(FOLDER, clear=True, with_pip=True)
    command = [str(FOLDER / "bin" / "python"), "-m", "pip", "install", "--quiet", "--require-hashes"]
    command += ["--only-binary", ":all:", "-r", str(LOCK)]
    subprocess.run(command, check=True, capture_output=True, text=True, timeout=INSTALL_LIMIT_S)
