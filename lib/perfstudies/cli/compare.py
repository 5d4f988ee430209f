"""Compares old runs with new ones, for people and for pipelines."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from xml.etree import ElementTree

from perfstudies import paths
from perfstudies.cli import render
from perfstudies.errors import BadParameter
from perfstudies.files import write_atomically
from perfstudies.own.logs.observe import CUT_OFF, observe
from perfstudies.own.service.reading import LEFT_OUT
from perfstudies.own.slower import NEW, NO_SLOWER, OLD, POWER, SLOWER, UNDECIDED, Judged, judge

STATUS = {NO_SLOWER: 0, SLOWER: 1, UNDECIDED: 3}
"""Exit statuses; 2 is for what cannot be compared."""
NOTEBOOK = paths.ROOT / "notebooks" / "own-logs.ipynb"


def compare(
    old: str,
    new: str,
    margin: float = 1.05,
    format: str | None = None,
    pattern: str | None = None,
    out: Mapping[str, Path | None] | None = None,
) -> int:
    """Compare runs, print the verdict, and return the exit status.

    Parameters
    ----------
    old, new : str
        Each a file, a folder or a pattern of logs, or a folder of an own service's runs, as of
        `perfstudies.own.logs.observe.observe`; from the working directory.
    margin : float
        The largest ratio of mean times that is no slower to you.
    format, pattern : str, optional
        Of logs.
    out : mapping, optional
        Where to write the verdict, by kind: ``json``, ``markdown``, ``junit``, ``html``.

    Raises
    ------
    PerfstudiesError
        If something cannot be read or compared.
    """
    if not (old and new):
        raise BadParameter("an empty name: give a file, a folder or a quoted pattern of logs of each side")
    logs = {side: str(Path(name).expanduser().absolute()) for side, name in ((OLD, old), (NEW, new))}
    judged = judge(observe(logs, format, pattern), margin)
    print(text(judged))
    written = {"json": as_json, "markdown": as_markdown, "junit": as_junit}
    for kind, path in (out or {}).items():
        if path and kind in written:
            write_atomically(path, written[kind](judged))
        elif path:
            with TemporaryDirectory() as folder:
                given = {"logs": logs, "format": format, "pattern": pattern, "margin": margin}
                render.render(NOTEBOOK, path, Path(folder) / NOTEBOOK.name, given)
    return STATUS[judged.verdict]


def headline(judged: Judged) -> str:
    """Return the verdict with its ratio in a line."""
    return f"{judged.verdict}: new / old {judged.ratio:.3f} (90 % interval), margin {judged.margin_ratio:g}"


def remarks(judged: Judged) -> list[str]:
    """Return what the verdict rests on, and what would decide it, as sentences."""
    runs = "Runs of the same name are pairs." if judged.paired else "Runs are not paired."
    said = [f"{judged.sentence} {runs}"]
    within = f"within {judged.margin_ratio:g} times either way"
    said.append(f"Shown to be the same {within}." if judged.equivalent else f"Not shown to be the same {within}.")
    old, new = (judged.sides["errors"][side] / judged.sides["requests"][side] for side in (OLD, NEW))
    if new > old:
        said.append("The new runs have more errors than the old: their times are those of what was answered.")
    if count := judged.observed.set_aside_lines:
        first = judged.observed.set_aside.iloc[0]
        said.append(f"Lines set aside: {count:,}, the first {first['file']}:{first['line']}: {first['problem']}.")
    said += [f"{one}." for one in judged.observed.sources if LEFT_OUT in one or f"; {CUT_OFF}" in one]
    if judged.verdict == UNDECIDED:
        said.append(_undecided(judged))
    return said


def _undecided(judged: Judged) -> str:
    if judged.ratio.n < 2:
        return "One run says nothing of how runs differ: give two runs of each side, or more."
    if math.isinf(judged.runs_needed):
        return "The ratio lies so near the margin that no number of runs would decide."
    if math.isnan(judged.runs_needed):
        return "How many runs would decide cannot be told."
    return f"At this ratio and spread {judged.runs_needed:.0f} runs of each side would decide (power {POWER:g})."


def text(judged: Judged) -> str:
    """Return the verdict as lines for a terminal."""
    shown = judged.sides.assign(mean_ms=judged.sides["mean_ms"].map(lambda one: f"{one:,.2f}"))
    return "\n".join([headline(judged), shown.to_string(), *remarks(judged)])


def as_json(judged: Judged) -> str:
    """Return the verdict as JSON; what is not known is null."""

    def known(value: float) -> float | None:
        return float(value) if math.isfinite(value) else None

    sides = {
        str(side): {name: int(row[name]) for name in ("runs", "requests", "errors")}
        | {f"mean_ms{end}": known(getattr(row["mean_ms"], of)) for end, of in _ENDS.items()}
        for side, row in judged.sides.iterrows()
    }
    told: dict[str, Any] = {
        "verdict": judged.verdict,
        "exit_status": STATUS[judged.verdict],
        **{f"ratio{end}": known(getattr(judged.ratio, of)) for end, of in _ENDS.items()},
        "ratio_confidence": judged.ratio.confidence,
        "margin": judged.margin_ratio,
        "equivalent": bool(judged.equivalent),
        "runs_needed": known(judged.runs_needed),
        **sides,
        "set_aside_lines": judged.observed.set_aside_lines,
        "sources": list(judged.observed.sources),
    }
    return json.dumps(told, indent=2, ensure_ascii=False) + "\n"


_ENDS = {"": "estimate", "_low": "low", "_high": "high"}


def as_markdown(judged: Judged) -> str:
    """Return the verdict as Markdown, for a comment on a pull request."""
    rows = [
        f"| {side} | {row['runs']} | {row['requests']:,} | {row['errors']:,} | {row['mean_ms']:,.2f} |"
        for side, row in judged.sides.iterrows()
    ]
    heading = ["| | runs | requests | errors | mean time (ms) |", "|---|--:|--:|--:|--:|"]
    return "\n".join([f"**{headline(judged)}**", "", *heading, *rows, "", *remarks(judged), ""])


def as_junit(judged: Judged) -> str:
    """Return the verdict as a JUnit report of one test: a failure if slower, skipped if undecided."""
    counts = {"failures": judged.verdict == SLOWER, "skipped": judged.verdict == UNDECIDED}
    told = {"name": "perfstudies compare", "tests": "1", "errors": "0"}
    suite = ElementTree.Element("testsuite", told | {name: str(int(one)) for name, one in counts.items()})
    case = ElementTree.SubElement(
        suite, "testcase", classname="perfstudies.compare", name=f"no slower than {judged.margin_ratio:g} times"
    )
    kinds = {SLOWER: "failure", UNDECIDED: "skipped"}
    if judged.verdict in kinds:
        ElementTree.SubElement(case, kinds[judged.verdict], message=headline(judged))
    ElementTree.SubElement(case, "system-out").text = text(judged)
    ElementTree.indent(suite)
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"
