"""The findings at a notebook's end: what the study says, what was measured, and the verdict.

The verdicts also travel as metadata of the output, so that pages over many notebooks can count them
without reading the table.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import Any

import pandas as pd

from perfstudies.errors import BadParameter
from perfstudies.experiment import Finding
from perfstudies.report.tables import interval_text
from perfstudies.stats.verdicts import Verdict

# A sign and a class for the colour; the words carry the meaning, the colour only helps.
OUTCOMES = {"reproduced": ("✓", "yes"), "not reproduced": ("✗", "no"), "inconclusive": ("?", "open")}


@dataclass(frozen=True)
class FindingsTable:
    """A table of verdicts that Jupyter shows; build it with `findings_table`."""

    verdicts: tuple

    def to_html(self) -> str:
        """Return the table as HTML, each finding with the rule that decides it."""
        rows = "\n".join(self._row(verdict) for verdict in self.verdicts)
        return (
            '<div class="table findings">\n'
            '<div class="scroll" role="region" tabindex="0" aria-label="Findings and verdicts">\n'
            "<table>\n<caption><span><strong>Findings.</strong> "
            f"What the study says, and whether it holds here. {escape(self._confidence())}</span></caption>\n"
            f"<thead>\n<tr>{headings()}</tr>\n</thead>\n<tbody>\n{rows}\n</tbody>\n</table></div></div>"
        )

    def to_text(self) -> str:
        """Return the findings as plain text, one paragraph each."""
        return "\n\n".join(
            f"{v.finding.id} ({v.finding.where}): {v.finding.claim}\n"
            f"  published {v.finding.published}; measured {measured_text(v)} at {v.confidence * 100:g} %;"
            f" {v.runs} runs\n"
            f"  rule: {v.finding.rule} {region_text(v.finding)}\n"
            f"  verdict: {v.outcome}"
            for v in self.verdicts
        )

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> tuple[dict[str, str], dict[str, Any]]:
        data = {"text/html": self.to_html(), "text/plain": self.to_text()}
        return data, {"perfstudies": {"verdicts": [_record(verdict) for verdict in self.verdicts]}}

    def _confidence(self) -> str:
        levels = sorted({verdict.confidence for verdict in self.verdicts})
        return f"Intervals at {' or '.join(f'{level * 100:g}' for level in levels)} %."

    def _row(self, verdict: Verdict) -> str:
        finding = verdict.finding
        # The interval goes below the estimate, so that a narrow column breaks neither.
        measured = escape(measured_text(verdict)).replace(" [", "<br>[", 1)
        return (
            f'<tr id="{escape(finding.id)}"><th scope="row"><span class="id">{escape(finding.id)}</span>'
            f'<br><span class="where">{escape(finding.where)}</span></th>'
            f'<td class="left">{escape(finding.claim)}'
            f'<br><span class="rule">{escape(finding.rule)} {escape(region_text(finding))}</span></td>'
            f'<td class="right">{escape(finding.published)}</td>'
            f'<td class="right">{measured}</td>'
            f'<td class="right">{escape(str(verdict.runs))}</td>'
            f'<td class="left">{badge(verdict.outcome)}</td></tr>'
        )


def headings() -> str:
    """Return the headings of a table of findings as HTML."""
    sides = {
        "Finding": "left", "Claim and what decides it": "left", "Published": "right", "Measured": "right",
        "Runs": "right", "Verdict": "left",
    }  # fmt: skip
    return "".join(f'<th scope="col" class="{side}">{name}</th>' for name, side in sides.items())


def findings_table(verdicts: Iterable) -> FindingsTable:
    """Show verdicts on findings.

    Parameters
    ----------
    verdicts : iterable of perfstudies.stats.verdicts.Verdict
        In the order in which they are shown.

    Returns
    -------
    FindingsTable
        An object that Jupyter shows; its output's metadata hold the verdicts as records.

    Raises
    ------
    BadParameter
        If there is none, or one has an outcome outside reproduced, not reproduced and inconclusive.
    """
    verdicts = tuple(verdicts)
    if not verdicts:
        raise BadParameter("findings_table: there is no verdict to show")
    for verdict in verdicts:
        if verdict.outcome not in OUTCOMES:
            raise BadParameter.choice("outcome", verdict.outcome, OUTCOMES)
    return FindingsTable(verdicts)


def badge(outcome: str, count: int | None = None) -> str:
    """Return an outcome, or how often it came out, as a sign with its words in a subtle colour."""
    sign, kind = OUTCOMES[outcome]
    words = outcome if count is None else f"{count} {outcome}"
    return f'<span class="verdict {kind}"><span aria-hidden="true">{sign}</span> {escape(words)}</span>'


def measured_text(verdict: Verdict) -> str:
    """Write a verdict's estimate, its interval and unit with three significant digits."""
    return estimate_text(verdict.estimate, verdict.low, verdict.high, verdict.finding.unit)


def estimate_text(estimate: float, low: float, high: float, unit: str) -> str:
    """Write an estimate, its interval and unit with three significant digits; none is "not measured"."""
    if pd.isna(estimate):
        return "not measured"
    size = math.floor(math.log10(abs(estimate))) if estimate else 0
    text = interval_text(estimate, low, high, digits=min(max(2 - size, 0), 4))
    return text if unit in ("", "ratio") else f"{text} {unit}"


def region_text(finding: Finding) -> str:
    """Write the region of the statistic in which the finding counts as true."""
    low, high = finding.low, finding.high
    unit = f" {finding.unit}" if finding.unit and finding.unit != "ratio" else ""
    if math.isinf(low) and math.isinf(high):
        return ""
    if math.isinf(high):
        return f"True if at least {low:.4g}{unit}."
    if math.isinf(low):
        return f"True if at most {high:.4g}{unit}."
    if low == high:
        return f"True if exactly {low:.4g}{unit}."
    return f"True from {low:.4g} to {high:.4g}{unit}."


def _record(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict as plain data, its p values not corrected; six digits, so that two processors agree on them."""

    def number(value: float | None) -> float | None:
        return float(f"{value:.6g}") if value is not None and math.isfinite(value) else None

    return {
        "id": verdict.finding.id,
        "study": verdict.finding.study,
        "where": verdict.finding.where,
        "claim": verdict.finding.claim,
        "rule": f"{verdict.finding.rule} {region_text(verdict.finding)}".strip(),
        "published": verdict.finding.published,
        "unit": verdict.finding.unit,
        "estimate": number(verdict.estimate),
        "low": number(verdict.low),
        "high": number(verdict.high),
        "confidence": number(verdict.confidence),
        "runs": str(verdict.runs),
        "p_inside": number(verdict.alone[0]),
        "p_outside": number(verdict.alone[1]),
        "outcome": verdict.outcome,
    }
