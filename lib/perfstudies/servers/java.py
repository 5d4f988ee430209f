"""Where Java and the built systems are, and which versions they have."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

from perfstudies.errors import MissingTool
from perfstudies.paths import SYSTEMS
from perfstudies.runs.store import sha256

OLDEST = 17


def java() -> str:
    """Return the path of a JVM of at least version 17: JAVA_HOME's, otherwise the one on the PATH.

    Raises
    ------
    MissingTool
        If there is none; the message says how to get one.
    """
    home = os.environ.get("JAVA_HOME")
    found = shutil.which("java", path=str(Path(home) / "bin")) if home else None
    found = found or shutil.which("java")
    advice = (
        f"Live runs need a JDK {OLDEST} or newer and Maven: create the conda environment of environment.yml, "
        'or install both with the system\'s packages. Recorded runs need neither: source = "reference".'
    )
    if found is None:
        raise MissingTool(f"there is no java on the PATH. {advice}")
    version = _version(found)
    major = re.match(r"(\d+)", version)
    if major is None or int(major[1]) < OLDEST:
        raise MissingTool(f"{found} is version {version}. {advice}")
    return found


def jvm() -> list[str]:
    """Return what starts a server's JVM: its own warnings go to standard error, for standard output has the answers."""
    return [java(), "-Xlog:disable", "-Xlog:all=warning:stderr"]


def java_version() -> str:
    """Return the version of `java`, as ``java -version`` prints it."""
    return _version(java())


@cache  # each answer costs the start of a JVM
def _version(path: str) -> str:
    try:
        said = subprocess.run([path, "-version"], capture_output=True, text=True, check=True).stderr
    except subprocess.CalledProcessError as error:  # macOS has one that only says where to get some
        raise MissingTool(f"{path} is no Java: {error.stderr.strip()[:200]}") from error
    version = re.search(r'version "([^"]+)"', said)
    return version[1] if version else said.splitlines()[0]


def jar(system: str) -> Path:
    """Return a built system's jar, from whichever study's folder it is built in.

    Raises
    ------
    MissingTool
        If it has not been built.
    """
    path = next(SYSTEMS.glob(f"*/*/target/{system}.jar"), None)
    if path is None:
        raise MissingTool(f"{system}.jar is not there: run `make systems` to build the systems under test.")
    return path


def libraries(system: str) -> dict[str, Path]:
    """Return the jars that a built system runs on, its own included, by file name."""
    own = jar(system)
    return {path.name: path for path in sorted([own, *(own.parent / "lib").glob("*.jar")])}


def build_checksum(system: str, own: tuple[str, ...]) -> str:
    """Return a checksum of a system under test: the content of its own jars, and its libraries' names.

    Parameters
    ----------
    system : str
        Whose libraries.
    own : tuple of str
        How the names of jars begin that are built here; another content is another system.

    Raises
    ------
    MissingTool
        If Java is missing, or the system has not been built.
    """
    java()
    parts = [f"{name} {sha256(path) if name.startswith(own) else ''}" for name, path in libraries(system).items()]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()
