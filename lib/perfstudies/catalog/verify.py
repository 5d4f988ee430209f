"""Check everything that is recorded against its checksums: ``perfstudies verify``, or ``make verify``.

``data/raw/registry.txt`` has a line a file in the format of ``sha256sum``, so that ordinary tools can check it, too:
``cd data/raw && sha256sum --check --quiet registry.txt``. An archive of runs is one file; in it, as in a folder, each
run's own manifest must agree with its logs. With ``--write`` the list is made again after something was recorded, as
are the pages that describe the data.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from tqdm import tqdm

from perfstudies.catalog import crate, dictionary
from perfstudies.errors import BadRecording
from perfstudies.runs import registry, store
from perfstudies.runs.archive import SUFFIX, Archive

ADVICE = {
    "missing": "restore it: git checkout -- data/raw",
    "changed": "raw data are never edited; restore it: git checkout -- data/raw",
    "extra": f"if it was recorded, list it: {registry.WRITE}; otherwise remove it",
    "contradicted": "restore the run from the repository, or measure it again: make record",
}
MOST_NAMED = 20


def recorded(raw: Path) -> list[str]:
    """Return the paths below `raw` of all recorded files, sorted; all but the list itself."""
    found = []
    for folder, folders, names in os.walk(raw):
        if Path(folder) == raw:
            folders[:] = [name for name in folders if name != registry.NOT_RECORDED]
            names = [name for name in names if name != registry.NAME]
        found += [os.path.relpath(os.path.join(folder, name), raw).replace(os.sep, "/") for name in names]
    return sorted(found)


def checksums(raw: Path, names: Iterable[str], show_progress: bool = False) -> dict[str, str]:
    """Return the SHA-256 of each of some files below `raw`, in hexadecimal, by path."""
    with tqdm(list(names), unit="file", desc="checksums", disable=not show_progress, file=sys.stderr) as bar:
        return {name: store.sha256(raw / name) for name in bar}


def write_list(raw: Path, show_progress: bool = False) -> Path:
    """Write the list of all recorded files, and return its path."""
    found = checksums(raw, recorded(raw), show_progress)
    path = raw / registry.NAME
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
        ones that it lacks, and ``contradicted``: where a run's own manifest tells of other files, sizes or checksums,
        in a folder or in an archive that is as listed.

    Raises
    ------
    BadRecording, BadLog
        As `perfstudies.runs.registry.read`; also if a run's manifest is not one.
    """
    listed = registry.read(raw / registry.NAME)
    found = checksums(raw, recorded(raw), show_progress)
    both = listed.keys() & found.keys()
    packed = sorted(name for name in both if name.endswith(SUFFIX) and listed[name] == found[name])
    return {
        "missing": sorted(listed.keys() - found.keys()),
        "changed": sorted(name for name in both if listed[name] != found[name]),
        "extra": sorted(found.keys() - listed.keys()),
        "contradicted": [*_contradicted(raw, found), *_not_whole(raw, packed, show_progress)],
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


def _not_whole(raw: Path, names: Sequence[str], show_progress: bool) -> Iterable[str]:
    """Yield which archives hold something else than the manifests in them say."""
    for name in tqdm(names, unit="archive", desc="archives", disable=not show_progress, file=sys.stderr):
        try:
            Archive(raw / name).require_whole()
        except BadRecording as error:
            yield str(error)


def write(raw: Path) -> str:
    """Make again what follows from the recorded data, and say what: list, metadata and the page of the dictionary."""
    write_list(raw, show_progress=True)  # archives are described from what is in them, if they are listed
    dictionary.PAGE.write_text(dictionary.page(dictionary.load(raw)), encoding="utf-8")
    crate.write(raw)
    return f"wrote {write_list(raw, show_progress=True)}, {crate.NAME} and {dictionary.PAGE}"


def told(problems: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield what `check` found in lines, with what to do."""
    for kind, names in problems.items():
        yield from (f"{kind}: {name}" for name in names[:MOST_NAMED])
        if names:
            more = f", {len(names) - MOST_NAMED} of them not shown" if len(names) > MOST_NAMED else ""
            yield f"{len(names)} {kind}{more}: {ADVICE[kind]}"
