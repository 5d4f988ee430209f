"""From somebody's log files to what was observed: each file is a run, its requests read once and in bounded memory.

Runs of an own service are read from their folder or their archive instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd
import polars as pl

from perfstudies import paths
from perfstudies.errors import BadLog, BadParameter
from perfstudies.own.aggregate import BATCH, MOST_SET_ASIDE, SET_ASIDE, Observed, from_tallies, together
from perfstudies.own.logs import files
from perfstudies.own.logs.formats import Format, detect, named
from perfstudies.own.logs.requests import BROKEN, CUT
from perfstudies.own.service import reading
from perfstudies.own.tally import RunTally
from perfstudies.runs import archive, store

CUT_OFF = "CUT"
"""What a source's text says after a semicolon if its file ends too early."""


def observe(
    logs: Mapping[str, str | Path | Sequence[str | Path]],
    format: str | None = None,
    pattern: str | None = None,
    root: Path = paths.ROOT,
) -> Observed:
    """Read logs of others.

    Parameters
    ----------
    logs : mapping
        For each setting its files, folders of them, or patterns of file names such as ``logs/old/*.jtl``; from `root`
        or absolute. A file is a run of its setting. Or a folder or an archive of runs of an own service, with ``:`` and
        the name of their setting if there are several.
    format : str, optional
        One of `perfstudies.own.logs.formats.FORMATS`; found by each file's content if not given.
    pattern : str, optional
        The log format of an access log, or the regular expression of ``lines``.
    root : Path
        Where paths that are not absolute begin.

    Returns
    -------
    Observed
        Of all files, and what was set aside of them.

    Raises
    ------
    BadParameter
        If there is no setting, a name matches no file, or format and pattern do not fit.
    BadLog
        If a file is of no known format, or holds no request; with file and line.
    """
    if not logs:
        raise BadParameter("logs is empty; give for each setting its files, such as {'old': 'logs/old/*.jtl'}")
    if pattern and format is None:
        raise BadParameter("pattern: say whose it is by format = 'apache', 'nginx', 'tomcat', 'tomcat-9' or 'lines'")
    tallies: dict[tuple[str, str], RunTally] = {}
    summaries: list[Observed] = []
    set_aside: list[pd.DataFrame] = []
    sources: list[str] = []
    aside = 0
    for setting, given in logs.items():
        all_names = [given] if isinstance(given, (str, Path)) else given
        own = {name: runs for name in all_names if (runs := _own_runs(name, root))}
        for folder, own_setting in own.values():
            summaries.append(reading.of_folder(folder, setting, own_setting))
            sources += summaries[-1].sources
        names = [name for name in all_names if name not in own]
        if own and not names:
            continue
        found = expanded(setting, names, root)
        for path, run in zip(found, run_names(found), strict=True):
            form = detect(path) if format is None else named(format, pattern)
            name = shown(path, root)
            what = f"{name}: {form.what}" + (f" ({form.note})" if form.note else "")
            if form.summary is not None:
                files.head(path)
                summary = form.summary(path, setting, run)
                summaries.append(replace(summary, set_aside=summary.set_aside.assign(file=name)))
                remark = f"; {CUT_OFF}: what stands before that is read"
                sources.append(what + remark * bool(summary.set_aside_lines))
                continue
            tally, lines, count = tallied(path, form, pattern)
            cut = lines["problem"].isin([CUT, BROKEN]).any()
            sources.append(what + (f"; {CUT_OFF}: {tally.requests:,} requests stand before that" if cut else ""))
            tallies[setting, run] = tally
            set_aside.append(lines.assign(file=name))
            aside += count
    if not tallies:
        return together(summaries, sources)
    lines = pd.concat(set_aside, ignore_index=True)
    return together([from_tallies(tallies, lines, aside), *summaries], sources, order=list(logs))


def _own_runs(name: str | Path, root: Path) -> tuple[Path, str] | None:
    """Return the folder of an own service's runs, and which of their settings is named; None if it is none."""
    for place, own in ((str(name), ""), str(name).rpartition(":")[::2]):
        try:
            folder = Path(root, place.removesuffix(archive.SUFFIX)).expanduser()
            if place and next(store.runs(folder), None):
                return folder, own
        except (OSError, ValueError, RuntimeError):  # what pathlib says of a name that no file can have
            continue
    return None


def read(path: Path, format: str | None = None, pattern: str | None = None) -> pl.LazyFrame:
    """Read a log of single requests.

    Parameters
    ----------
    path : Path
        The log, plain, ``.gz`` or ``.xz``.
    format, pattern : str, optional
        As for `observe`.

    Returns
    -------
    polars.LazyFrame
        The columns of `perfstudies.own.logs.requests.SCHEMA`: a row a request or a line that is none, which
        ``problem`` says; to be collected by polars' streaming engine, if at all.

    Raises
    ------
    BadLog, BadParameter
        As `observe`, and if the format has no single requests.
    """
    form = detect(path) if format is None else named(format, pattern)
    if form.requests is None:
        raise BadLog(path, 1, f"{form.what}: {form.note}")
    files.head(path)
    return form.requests(path, pattern) if form.pattern else form.requests(path)


def tallied(path: Path, form: Format, pattern: str | None) -> tuple[RunTally, pd.DataFrame, int]:
    """Read one file of single requests.

    Returns
    -------
    tally : RunTally
        What is kept of them.
    set_aside : DataFrame
        The first lines that were set aside (``file``, ``line``, ``problem``, ``text``), and the one where the file was
        cut.
    lines : int
        How many there were.

    Raises
    ------
    BadLog
        If there is no request in it.
    """
    tally = RunTally()
    wrong: list[tuple[int, str]] = []
    aside = 0
    frame = read(path, form.name, pattern)
    for batch in _batches(path, frame):
        bad = batch.filter(pl.col("problem").is_not_null())
        if bad.height:
            aside += bad.height
            wrong.extend(bad.select("line", "problem").head(MOST_SET_ASIDE - len(wrong)).iter_rows())
            ends = bad.filter(pl.col("problem").cast(pl.String).is_in([CUT, BROKEN])).select("line", "problem")
            if ends.height and len(wrong) == MOST_SET_ASIDE:
                wrong[-ends.height :] = ends.iter_rows()
            batch = batch.filter(pl.col("problem").is_null())
        tally.add(batch)
    # Of a line that is not found again only its number is known.
    places = {record: (record, "") for record, _ in wrong}
    places |= files.texts(path, places, form.quoted)
    rows = [(str(path), places[record][0], problem, places[record][1]) for record, problem in wrong]
    if not tally.requests:
        first = f"; the first, line {rows[0][1]}: {rows[0][2]}: {rows[0][3][:80]!r}" if rows else ""
        raise BadLog(path, 1, f"no request of {form.what} in it, {aside} lines set aside{first}")
    return tally, pd.DataFrame(rows, columns=list(SET_ASIDE)), aside


def _batches(path: Path, frame: pl.LazyFrame) -> Iterator[pl.DataFrame]:
    """Yield a log's lines; what polars cannot read is a `BadLog`."""
    try:
        yield from frame.collect_batches(engine="streaming", maintain_order=True, chunk_size=BATCH)
    except pl.exceptions.PolarsError as error:
        raise BadLog(path, 1, f"it cannot be read: {str(error)[:200]}") from error


def expanded(setting: str, names: Sequence[str | Path], root: Path) -> list[Path]:
    """Return a setting's files, each once, those of a pattern sorted.

    Raises
    ------
    BadParameter
        If a name matches no file.
    """
    found: list[Path] = []
    for name in names:
        try:
            path = Path(root, name).expanduser()
            matches = [path] if path.is_file() else _within(path) if path.is_dir() else _matching(path)
            " ".join(map(str, matches)).encode()  # what is no UTF-8 cannot be handed on
        except (OSError, ValueError, RuntimeError) as error:  # what pathlib says of a name that no file can have
            raise BadParameter(f"logs[{setting!r}]: {str(name)[:80]!r} is no name of files: {error}") from error
        if not matches:
            what = "no file is in" if path.is_dir() else "no file matches"
            hint = "" if Path(name).is_absolute() else f"; give a path from {root}, or an absolute one"
            raise BadParameter(f"logs[{setting!r}]: {what} {str(name)!r}{hint}")
        found.extend(match for match in matches if match not in found)
    if not found:
        raise BadParameter(f"logs[{setting!r}] names no file")
    return found


def _within(folder: Path) -> list[Path]:
    files = (one for one in folder.rglob("*") if one.is_file())
    return sorted(one for one in files if not any(part.startswith(".") for part in one.relative_to(folder).parts))


def _matching(path: Path) -> list[Path]:
    fixed = Path(path.anchor)
    parts = path.parts[1:]
    while parts and not set(parts[0]) & set("*?["):
        fixed, parts = fixed / parts[0], parts[1:]
    return sorted(one for one in fixed.glob("/".join(parts)) if one.is_file()) if parts else []


def run_names(found: Sequence[Path]) -> list[str]:
    """Return what tells a setting's files apart: their names, with as many folders as it takes."""
    for depth in range(1, max(len(path.parts) for path in found) + 1):
        names = ["/".join(path.parts[-depth:]) for path in found]
        if len(set(names)) == len(names):
            return names
    raise BadParameter(f"the same file is there twice: {', '.join(map(str, found))}")


def shown(path: Path, root: Path) -> str:
    """Return a file's path from the root, or as it is if it lies elsewhere."""
    return str(path.relative_to(root)) if path.is_relative_to(root) else str(path)
