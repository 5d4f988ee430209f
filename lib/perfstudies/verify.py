"""Check everything that is recorded against its checksums: ``python -m perfstudies.verify``, or ``make verify``.

``data/raw/MANIFEST.sha256`` has a line a file in the format of ``sha256sum``, so that ordinary tools can check it, too:
``cd data/raw && sha256sum --check --quiet MANIFEST.sha256``. Each run's own manifest must agree with it. With
``--write`` it is made again after something was recorded, as are the pages that describe the data.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from tqdm import tqdm

from perfstudies import crate, dictionary, store
from perfstudies.errors import BadLog, BadRecording, PerfstudiesError
from perfstudies.paths import RAW

LIST = "MANIFEST.sha256"
NOT_RECORDED = "live"
"""What this machine measured for itself: the repository has none of it."""

ADVICE = {
    "missing": "restore it: git checkout -- data/raw",
    "changed": "raw data are never edited; restore it: git checkout -- data/raw",
    "extra": "if it was recorded, list it: python -m perfstudies.verify --write; otherwise remove it",
    "contradicted": "restore the run from the repository, or measure it again: make record",
}
MOST_NAMED = 20


def recorded(raw: Path) -> list[str]:
    """Return the paths below `raw` of all recorded files, sorted; all but the list itself."""
    found = []
    for folder, folders, names in os.walk(raw):
        if Path(folder) == raw:
            folders[:] = [name for name in folders if name != NOT_RECORDED]
            names = [name for name in names if name != LIST]
        found += [os.path.relpath(os.path.join(folder, name), raw).replace(os.sep, "/") for name in names]
    return sorted(found)


def checksums(raw: Path, names: Iterable[str], show_progress: bool = False) -> dict[str, str]:
    """Return the SHA-256 of each of some files below `raw`, in hexadecimal, by path."""
    with tqdm(list(names), unit="file", desc="checksums", disable=not show_progress, file=sys.stderr) as bar:
        return {name: store.sha256(raw / name) for name in bar}


def read_list(path: Path) -> dict[str, str]:
    """Return a list of checksums by path.

    Raises
    ------
    BadRecording
        If there is none.
    BadLog
        For a line that is not of ``sha256sum``'s format, or a path that is there twice.
    """
    if not path.exists():
        raise BadRecording(f"{path} is missing: restore it, or make it again by python -m perfstudies.verify --write")
    listed: dict[str, str] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        match = re.fullmatch(r"([0-9a-f]{64})  (\S.*)", line)
        if match is None:
            raise BadLog(path, number, f"not a checksum, two spaces and a path: {line[:100]!r}")
        if match[2] in listed:
            raise BadLog(path, number, f"{match[2]} is listed twice")
        listed[match[2]] = match[1]
    return listed


def write_list(raw: Path, show_progress: bool = False) -> Path:
    """Write the list of all recorded files, and return its path."""
    found = checksums(raw, recorded(raw), show_progress)
    path = raw / LIST
    path.write_text("".join(f"{digest}  {name}\n" for name, digest in found.items()), encoding="utf-8")
    return path


def check(raw: Path, show_progress: bool = False) -> dict[str, list[str]]:
    """Compare what is recorded with its checksums.

    Parameters
    ----------
    raw : Path
        The folder ``data/raw``.
    show_progress : bool
        Whether a progress bar goes to standard error.

    Returns
    -------
    dict of str to list of str
        By kind of problem (the keys of `ADVICE`) what has it: ``missing`` and ``changed`` files of the list, ``extra``
        ones that it lacks, and ``contradicted``: where a run's own manifest tells of other files, sizes or checksums.

    Raises
    ------
    BadRecording, BadLog
        As `read_list`; also if a run's manifest is not one.
    """
    listed = read_list(raw / LIST)
    found = checksums(raw, recorded(raw), show_progress)
    both = listed.keys() & found.keys()
    return {
        "missing": sorted(listed.keys() - found.keys()),
        "changed": sorted(name for name in both if listed[name] != found[name]),
        "extra": sorted(found.keys() - listed.keys()),
        "contradicted": list(_contradicted(raw, found)),
    }


def _contradicted(raw: Path, found: Mapping[str, str]) -> Iterable[str]:
    """Yield where a run's manifest does not agree with the files of its folder."""
    folders: dict[str, set[str]] = {}
    for name in found:
        folder, _, base = name.rpartition("/")
        folders.setdefault(folder, set()).add(base)
    for folder, names in sorted(folders.items()):
        if store.MANIFEST not in names:
            continue
        try:
            files = json.loads((raw / folder / store.MANIFEST).read_text(encoding="utf-8"))["files"]
            told = {name: (facts["bytes"], facts["sha256"]) for name, facts in files.items()}
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise BadRecording(f"{raw / folder / store.MANIFEST} is not a manifest of a run: {error!r}") from error
        for name in sorted(names - {store.MANIFEST} - told.keys()):
            yield f"{folder}/{name}: the run's manifest does not list it"
        for name, (size, digest) in told.items():
            if name not in names:
                yield f"{folder}/{name}: the run's manifest lists it, but it is not there"
            elif digest != found[f"{folder}/{name}"] or size != (raw / folder / name).stat().st_size:
                yield f"{folder}/{name}: the run's manifest has another size or checksum"


def described(raw: Path) -> None:
    """Write what is made from the recorded data: the metadata of the whole, and the page of the dictionary."""
    dictionary.PAGE.write_text(dictionary.page(dictionary.load(raw)), encoding="utf-8")
    crate.write(raw)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return 0 if all is as recorded, otherwise 1."""
    parser = argparse.ArgumentParser(prog="python -m perfstudies.verify", description=__doc__)
    parser.add_argument("--write", action="store_true", help="make the list, the metadata and docs/DATA.md again")
    options = parser.parse_args(arguments)
    try:
        if options.write:
            described(RAW)
            print(f"wrote {write_list(RAW, show_progress=True)}, {crate.NAME} and {dictionary.PAGE}")
            return 0
        problems = check(RAW, show_progress=True)
    except PerfstudiesError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    for kind, names in problems.items():
        for name in names[:MOST_NAMED]:
            print(f"{kind}: {name}", file=sys.stderr)
        if names:
            more = f", {len(names) - MOST_NAMED} of them not shown" if len(names) > MOST_NAMED else ""
            print(f"{len(names)} {kind}{more}: {ADVICE[kind]}", file=sys.stderr)
    if any(problems.values()):
        return 1
    print(f"{len(read_list(RAW / LIST))} recorded files are as their checksums say")
    return 0


if __name__ == "__main__":
    sys.exit(main())
