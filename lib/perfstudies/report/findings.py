"""The findings at a notebook's end: the verdict, what the study says, and what was measured.

The verdicts also travel as metadata of the output, so that pages over many notebooks can count them
without reading the table.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any

import pandas as pd

from perfstudies.errors import BadParameter, require_one_of
from perfstudies.experiment import Finding
from perfstudies.report.tables import LEFT, aligned, interval_text
from perfstudies.stats.verdicts import DECIDED, INCONCLUSIVE, NOT_REPRODUCED, NOT_TESTABLE, REPRODUCED, Verdict, apart

# A sign and a class for the colour; the words carry the meaning, the colour only helps.
OUTCOMES = {
    "reproduced": ("✓", "yes"),
    "not reproduced": ("✗", "no"),
    "inconclusive": ("?", "open"),
    "not testable": ("–", "none"),
    "identity": ("=", "same"),
}

UNSAID = ("", "ratio", "count")  # units that are not written after a number
TODAY = "With today's libraries"
"""The heading of what the same findings come to with today's libraries."""


@dataclass(frozen=True)
class FindingsTable:
    """A table of verdicts that Jupyter shows; build it with `findings_table`."""

    verdicts: tuple
    today: Mapping[str, Verdict] = field(default_factory=dict)
    causes: Mapping[str, str] = field(default_factory=dict)
    by_setting: Mapping[str, Mapping[str, Verdict]] = field(default_factory=dict)

    def to_html(self) -> str:
        """Return the table as HTML, each finding with the rule that decides it."""
        rows = "\n".join(self._row(verdict) for verdict in self.verdicts)
        return (
            '<div class="table findings">\n'
            '<div class="scroll" role="region" tabindex="0" aria-label="Findings and verdicts">\n'
            f"<table>\n<caption {LEFT}><span><strong>Findings.</strong> "
            f"Whether what the study says holds here. {escape(self._confidence())}</span></caption>\n"
            f"<thead>\n<tr>{headings([TODAY] if self.today else [])}</tr>\n</thead>\n<tbody>\n{rows}\n</tbody>\n"
            "</table></div></div>"
        )

    def to_text(self) -> str:
        """Return the findings as plain text, one paragraph each."""
        return "\n\n".join(
            f"{v.outcome}: {v.finding.id} ({v.finding.where}; {v.finding.kind}): {v.finding.claim}\n"
            f"  published {v.finding.published}; measured {measured_text(v)} at {v.confidence * 100:g} %;"
            f" {v.runs} runs{f'; {v.note}' if v.note else ''}\n"
            f"  rule: {v.finding.rule} {region_text(v.finding)}"
            + "".join(f"\n  {said}" for said in [*self._today_text(v.finding), *self._reasons(v.finding)])
            for v in self.verdicts
        )

    def _today_text(self, finding: Finding) -> list[str]:
        if finding.id not in self.today:
            return []
        v = self.today[finding.id]
        return [
            f"with today's libraries {v.outcome}: {measured_text(v)}; {v.runs} runs{f'; {v.note}' if v.note else ''}"
        ]

    def _reasons(self, finding: Finding) -> list[str]:
        return reasons(finding.untestable, apart(finding), self.causes.get(finding.id, ""))

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> tuple[dict[str, str], dict[str, Any]]:
        data = {"text/html": self.to_html(), "text/plain": self.to_text()}
        return data, {"perfstudies": {"verdicts": [self._record(verdict) for verdict in self.verdicts]}}

    def _record(self, verdict: Verdict) -> dict[str, Any]:
        id = verdict.finding.id
        also = {"today": _measured_record(self.today[id])} if id in self.today else {}
        settings = {name: _measured_record(found[id]) for name, found in self.by_setting.items() if id in found}
        also |= {"by_setting": settings} if settings else {}
        return _record(verdict) | also | ({"cause": self.causes[id]} if id in self.causes else {})

    def _confidence(self) -> str:
        levels = sorted({verdict.confidence for verdict in self.verdicts})
        return f"Intervals at {' or '.join(f'{level * 100:g}' for level in levels)} %."

    def _row(self, verdict: Verdict) -> str:
        finding = verdict.finding
        return row_html(
            f'<tr id="{escape(finding.id)}">',
            badge(verdict.outcome),
            finding_html(finding.id, finding.where, finding.kind),
            claim_html(finding.claim, f"{finding.rule} {region_text(finding)}", self._reasons(finding)),
            finding.published,
            measured_html(measured_text(verdict), verdict.note),
            str(verdict.runs),
            [self._today_html(finding)] if self.today else [],
        )

    def _today_html(self, finding: Finding) -> str:
        if finding.id not in self.today:
            return ""
        v = self.today[finding.id]
        return outcome_html(v.outcome, measured_text(v), v.note)


def headings(more: Iterable[str] = ()) -> str:
    """Return the headings of a table of findings as HTML, those of `more` columns at the end."""
    sides = {
        "Verdict": "left", "Finding": "left", "Claim and what decides it": "left", "Published": "right",
        "Measured": "right", "Runs": "right",
    } | dict.fromkeys(more, "right")  # fmt: skip
    return "".join(f'<th scope="col" {aligned(side)}>{name}</th>' for name, side in sides.items())


def row_html(
    start: str,
    verdict: str,
    finding: str,
    claim: str,
    published: str,
    measured: str,
    runs: str,
    more: Iterable[str] = (),
) -> str:
    """Return a row of a table of findings: `start` is its tag; published and runs are words, the others HTML."""
    last = "".join(f'<td class="right words">{one}</td>' for one in more)
    return (
        f'{start}<td {LEFT}>{verdict}</td><th scope="row" {LEFT}>{finding}</th><td class="claim" {LEFT}>{claim}</td>'
        f'<td class="right words">{escape(published)}</td><td class="right words">{measured}</td>'
        f'<td class="right">{escape(runs)}</td>{last}</tr>'
    )


def outcome_html(outcome: str, text: str, note: str = "") -> str:
    """Return what a finding came to elsewhere: the verdict, and below it what was measured, if that says anything."""
    return badge(outcome) + ("" if outcome == NOT_TESTABLE else f"<br>{measured_html(text, note)}")


def finding_html(id: str, where: str, kind: str) -> str:
    """Return a finding's number, where the study says it, and its kind."""
    return (
        f'<span class="id">{escape(id)}</span><br><span class="where">{escape(where)}</span>'
        f'<br><span class="kind">{escape(kind)}</span>'
    )


def claim_html(claim: str, rule: str, why: Iterable[str] = ()) -> str:
    """Return a claim with the rule that decides it, and why it is not tested or not counted with the study's."""
    notes = "".join(f'<br><span class="rule">{escape(one)}</span>' for one in why)
    return f'{escape(claim)}<br><span class="rule">{escape(rule)}</span>{notes}'


def measured_html(text: str, note: str) -> str:
    """Return what was measured, with its interval and how it was tested on lines of their own."""
    # The interval goes below the estimate, so that a narrow column breaks neither.
    estimate, bracket, rest = text.partition(" [")
    interval, end, unit = rest.partition("]")
    shown = f'<span class="whole">{escape(estimate)}</span>'
    if bracket:
        shown += f'<br><span class="whole">[{escape(interval + end)}</span>{escape(unit)}'
    return shown + (f'<br><span class="where">{escape(note)}</span>' if note else "")


def reasons(untestable: str, apart: str, cause: str = "") -> list[str]:
    """Return as sentences why a finding is not tested, or not counted with the study's claims, and what makes it
    fail."""
    told = {"Not testable": untestable, "Counted apart": apart, "Cause": cause}
    return [f"{name}: {why.removesuffix('.')}." for name, why in told.items() if why]


def findings_table(
    verdicts: Iterable[Verdict],
    today: Iterable[Verdict] = (),
    causes: Mapping[str, str] | None = None,
    by_setting: Mapping[str, Iterable[Verdict]] | None = None,
) -> FindingsTable:
    """Show verdicts on findings.

    Parameters
    ----------
    verdicts : iterable of perfstudies.stats.verdicts.Verdict
        In the order in which they are shown.
    today : iterable of perfstudies.stats.verdicts.Verdict
        On the same findings, or some of them, with today's libraries, if `verdicts` are on those of the study's day.
    causes : mapping of str to str
        By a finding's number what makes it fail, with the experiment that tested it; told of those that are not
        reproduced.
    by_setting : mapping of str to iterable of perfstudies.stats.verdicts.Verdict
        On the same findings on each setting that was measured, by its name; not shown, but in the output's metadata.

    Returns
    -------
    FindingsTable
        An object that Jupyter shows; its output's metadata hold the verdicts as records.

    Raises
    ------
    BadParameter
        If there is none, or one has an outcome that is none of `OUTCOMES`, or `today` or `causes` is about others.
    """
    verdicts, today, causes = tuple(verdicts), tuple(today), dict(causes or {})
    if not verdicts:
        raise BadParameter("findings_table: there is no verdict to show")
    for verdict in (*verdicts, *today):
        require_one_of("outcome", verdict.outcome, OUTCOMES)
    known = {verdict.finding.id for verdict in verdicts}
    if strange := ({verdict.finding.id for verdict in today} | set(causes)) - known:
        raise BadParameter(f"findings_table: {', '.join(sorted(strange))} is none of {', '.join(sorted(known))}")
    failed = {verdict.finding.id for verdict in verdicts if verdict.outcome == NOT_REPRODUCED}
    told = {id: cause for id, cause in causes.items() if id in failed}
    settings = {name: _by_id(found) for name, found in (by_setting or {}).items()}
    return FindingsTable(verdicts, _by_id(today), told, settings)


def still_hold(judged: Iterable[Verdict], today: Iterable[Verdict]) -> str:
    """Say, after a comma or colon, how many of the study's findings that hold with its libraries do so with today's.

    Parameters
    ----------
    judged, today : iterable of perfstudies.stats.verdicts.Verdict
        On the same findings, with the libraries of the study's day and with today's. Those that are counted apart are
        left out; how many cannot be tested with today's is told.
    """
    then = {one.finding.id: one.outcome for one in judged if not apart(one.finding)}
    now = {one.finding.id: one.outcome for one in today}
    holding = [now[id] for id, outcome in then.items() if outcome == REPRODUCED and id in now]
    tested = [outcome for outcome in holding if outcome in DECIDED]
    if not tested:
        decided = [one for one in then.values() if one in DECIDED]
        open_still = decided.count(INCONCLUSIVE)
        if decided and open_still == len(decided):
            return f"none of {len(decided)} findings is decided with the study's libraries."
        which = (
            f": of {len(decided)}, {open_still} {'is' if open_still == 1 else 'are'} undecided" if open_still else ""
        )
        return f"no finding that can be tested with these is shown to hold with the study's libraries{which}."
    held, undecided = tested.count(REPRODUCED), tested.count(INCONCLUSIVE)
    also = f", {undecided} undecided" if undecided else ""
    also += f", {untested} cannot be tested" if (untested := len(holding) - len(tested)) else ""
    return f"of the findings that hold with the study's libraries, {held} of {len(tested)} still do{also}."


def _by_id(verdicts: Iterable[Verdict]) -> dict[str, Verdict]:
    return {verdict.finding.id: verdict for verdict in verdicts}


def badge(outcome: str, count: int | None = None) -> str:
    """Return an outcome, or how often it came out, as a sign with its words in a subtle colour."""
    sign, kind = OUTCOMES[outcome]
    words = outcome if count is None else f"{count} {outcome}"
    return f'<span class="verdict {kind}"><span aria-hidden="true">{sign}</span> {escape(words)}</span>'


def measured_text(verdict: Verdict) -> str:
    """Write a verdict's estimate, its interval and unit with three significant digits, as its record gives them: a page
    that reads the record must not round otherwise.
    """
    estimate, low, high = map(_recorded, (verdict.estimate, verdict.low, verdict.high))
    return estimate_text(estimate, low, high, verdict.finding.unit)


def estimate_text(estimate: float, low: float, high: float, unit: str) -> str:
    """Write an estimate, its interval and unit with three significant digits; none is "not measured"."""
    if pd.isna(estimate):
        return "not measured"
    size = math.floor(math.log10(abs(estimate))) if estimate else 0
    text = interval_text(estimate, low, high, digits=min(max(2 - size, 0), 4))
    return text if unit in UNSAID else f"{text} {unit}"


def region_text(finding: Finding) -> str:
    """Write the region of the statistic in which the finding counts as true."""
    low, high = finding.low, finding.high
    unit = "" if finding.unit in UNSAID else f" {finding.unit}"
    of_one = re.sub(r"^([\w -]*?\w\w)s\b", r"\1", unit)
    from_low, to_high = (f"{end:.4g}{of_one if end == 1 else unit}" for end in (low, high))
    if math.isinf(low) and math.isinf(high):
        return ""
    if math.isinf(high):
        return f"True if at least {from_low}."
    if math.isinf(low):
        return f"True if at most {to_high}."
    if low == high:
        return f"True if exactly {from_low}."
    return f"True from {low:.4g} to {to_high}."


def _record(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict as plain data, its p values not corrected; six digits, so that two processors agree on them.

    ``mean`` and ``error`` are those on the scale of the test; an end of the region that is missing is infinite.
    """

    return {
        "id": verdict.finding.id,
        "study": verdict.finding.study,
        "where": verdict.finding.where,
        "claim": verdict.finding.claim,
        "rule": f"{verdict.finding.rule} {region_text(verdict.finding)}".strip(),
        "published": verdict.finding.published,
        "unit": verdict.finding.unit,
        **_measured_record(verdict),
        "kind": verdict.finding.kind,
        "untestable": verdict.finding.untestable,
        "apart": apart(verdict.finding),
        "scale": verdict.scale,
        "region": [_number(verdict.finding.low), _number(verdict.finding.high)],
    }


def _measured_record(verdict: Verdict) -> dict[str, Any]:
    """Return what was measured and what it came to, as plain data."""
    return {
        "estimate": _number(verdict.estimate),
        "low": _number(verdict.low),
        "high": _number(verdict.high),
        "confidence": _number(verdict.confidence),
        "runs": str(verdict.runs),
        "p_inside": _number(verdict.alone[0]),
        "p_outside": _number(verdict.alone[1]),
        "outcome": verdict.outcome,
        "note": verdict.note,
        "mean": _number(verdict.mean),
        "error": _number(verdict.error),
    }


def _number(value: float) -> float | None:
    return _recorded(value) if math.isfinite(value) else None


def _recorded(value: float) -> float:
    return float(f"{value:.6g}")
