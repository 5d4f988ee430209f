"""Tables that models make: simulated once, kept with what they came from, and read after that.

A table is a CSV file packed by xz in a folder beside a manifest, as a run is: ``data/raw/reference/<key>`` for those in
the repository, ``data/raw/live/<key>/<profile>-<digest>`` for those simulated here. The digest is over the code, the
seed, the size and what was measured, so that a changed model is simulated again.
"""

from __future__ import annotations

import hashlib
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from perfstudies.errors import BadParameter, BadRecording, require_one_of
from perfstudies.experiment import PROFILES
from perfstudies.paths import RAW
from perfstudies.runs import host, store

TABLE = "table.csv"
PACKED = f"{TABLE}.xz"
PACKAGE = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Simulation:
    """A table that can be simulated.

    Attributes
    ----------
    key : str
        ``<study>/<name>``.
    question : str
        What it answers.
    make : callable
        Takes source, profile and seed and returns the table. The source is for other tables that it rests on.
    code : tuple of str
        Which modules decide its values, as patterns of paths below ``lib/perfstudies``.
    basis : callable
        Takes source, profile and seed and returns in words what measured values it rests on, if any.
    """

    key: str
    question: str
    make: Callable[[str, str, int], pd.DataFrame]
    code: tuple[str, ...]
    basis: Callable[[str, str, int], str] = lambda source, profile, seed: ""


def read(simulation: Simulation, source: str, profile: str, seed: int) -> pd.DataFrame:
    """Return a table: the recorded one, or one that is simulated here if that has not been done.

    Parameters
    ----------
    simulation : Simulation
        Which.
    source : {"reference", "live"}
        For ``reference`` profile and seed play no part.
    profile : str
        How much to simulate.
    seed : int
        From which all seeds of the table follow.

    Raises
    ------
    BadParameter
        For an unknown source or profile.
    BadRecording
        If the repository has no such table, or the file differs from its checksum.
    """
    require_one_of("profile", profile, PROFILES)
    if source == "reference":
        folder = RAW / "reference" / simulation.key
    elif source == "live":
        folder = RAW / "live" / simulation.key / f"{profile}-{_digest(simulation, profile, seed)}"
        if store.read_manifest(folder) is None:
            simulate(simulation, source, profile, seed, folder)
    else:
        raise BadParameter.choice("source", source, ("reference", "live"))
    manifest = store.read_manifest(folder)
    if manifest is None:
        raise BadRecording(f"no simulated table in {folder}; restore data/raw/reference from the repository")
    return pd.read_csv(store.Run(folder, manifest).file(PACKED))


def simulate(simulation: Simulation, source: str, profile: str, seed: int, folder: Path) -> None:
    """Simulate a table into a folder, which is replaced."""
    start_s = time.monotonic()
    table = simulation.make(source, profile, seed)
    partial = folder.with_name(f"{folder.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    table.to_csv(partial / TABLE, index=False)
    store.compress(partial / TABLE, partial / PACKED)
    manifest = {
        "simulation": simulation.key,
        "question": simulation.question,
        "profile": profile,
        "seed": seed,
        "code": _code(simulation),
        "basis": simulation.basis(source, profile, seed),
        "host": host.describe(),
        "took_s": round(time.monotonic() - start_s, 3),
    }
    store.write_manifest(partial, manifest, (PACKED,))
    shutil.rmtree(folder, ignore_errors=True)
    partial.rename(folder)


def _code(simulation: Simulation) -> str:
    paths = sorted({path for pattern in simulation.code for path in PACKAGE.glob(pattern)})
    if not paths:
        raise BadParameter(f"{simulation.key}: no module matches {', '.join(simulation.code)}")
    found = hashlib.sha256()
    for path in paths:
        found.update(path.relative_to(PACKAGE).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return found.hexdigest()


def _digest(simulation: Simulation, profile: str, seed: int) -> str:
    basis = simulation.basis("live", profile, seed)
    return hashlib.sha256(f"{_code(simulation)}/{profile}/{seed}/{basis}".encode()).hexdigest()[:8]
