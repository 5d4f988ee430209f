"""Every finding of the four studies on one page, in a table that is filtered without a script."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from perfstudies.experiment import KINDS
from perfstudies.report.findings import (
    OUTCOMES,
    TODAY,
    badge,
    claim_html,
    estimate_text,
    finding_html,
    headings,
    measured_html,
    outcome_html,
    reasons,
    row_html,
)
from perfstudies.report.tables import LEFT
from perfstudies.site import gathered
from perfstudies.stats.power import runs_to_decide as power_to_decide
from perfstudies.stats.regions import summary_p
from perfstudies.stats.sensitivity import widened
from perfstudies.stats.verdicts import share_left
from perfstudies.studies import PUBLICATIONS

ALL = "all"
RECORDED = "Recorded runs"
LEGENDS = {"study": "Study", "outcome": "Verdict", "kind": "Kind", "counted": "Counted"}
"""The groups of buttons, and their headings."""


@dataclass(frozen=True)
class AllFindings:
    """The table of all findings, which Jupyter shows.

    Attributes
    ----------
    frame : DataFrame
        From `perfstudies.site.gathered.verdicts`, or with the recorded runs' beside it from `beside_recorded`.
    """

    frame: pd.DataFrame

    def to_html(self) -> str:
        """Return the table with its filters: groups of buttons that style sheets alone act on."""
        rows = "\n".join(self._row(row) for row in self.frame.itertuples())
        return (
            f"<style>\n{_rules(self._choices)}\n</style>\n"
            '<div class="table findings all-findings">\n<div class="filters">\n'
            + "\n".join(_buttons(LEGENDS[group], group, values) for group, values in self._choices.items())
            + "\n</div>\n"
            '<div class="scroll" role="region" tabindex="0" aria-label="All findings and verdicts">\n'
            f"<table>\n<caption {LEFT}><span><strong>All findings.</strong> "
            "Whether what the studies say holds here. Intervals at 95 %.</span></caption>\n"
            f"<thead>\n<tr>{headings(self._more)}</tr>\n</thead>\n<tbody>\n{rows}\n</tbody>\n</table></div>\n"
            '<p class="note shown" role="status"></p>\n</div>'
        )

    @property
    def _more(self) -> list[str]:
        """The headings of what stands beside what was measured: what today's libraries gave, and the recorded runs."""
        has_today = bool((self.frame["today_outcome"] != "").any())
        return [TODAY] * has_today + [RECORDED] * ("recorded_outcome" in self.frame)

    @property
    def _choices(self) -> dict[str, dict[str, str]]:
        """What can be chosen, by the groups of buttons: each value with its name."""
        known = {
            "study": {study: one.name for study, one in PUBLICATIONS.items()},
            "outcome": {outcome: outcome for outcome in OUTCOMES},
            "kind": {kind: kind for kind in KINDS},
            "counted": {"claim": "as the study's claim", "apart": "apart"},
        }
        there = {
            "study": set(self.frame["study"]),
            "outcome": set(self.frame["outcome"]),
            "kind": set(self.frame["kind"]),
            "counted": set(self.frame["apart"].map(_counted)),
        }
        return {
            group: {value: name for value, name in values.items() if value in there[group]}
            for group, values in known.items()
        }

    def to_text(self) -> str:
        """Return the findings as plain text, a line each."""
        return "\n".join(
            f"{row.outcome}: {row.study} {row.id} ({row.kind}{', apart' if row.apart else ''}): {_measured(row)}, "
            f"{row.runs} runs{_today(row)}{self._recorded(row)}"
            for row in self.frame.itertuples()
        )

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/html": self.to_html(), "text/plain": self.to_text()}

    def _row(self, row: Any) -> str:
        link = f'<a href="{escape(row.study)}/{escape(row.notebook)}.ipynb#{escape(row.id)}">{escape(row.title)}</a>'
        corrected = (
            f'<br><span class="where">{escape(row.own_outcome)} in its report</span>'
            if row.own_outcome != row.outcome
            else ""
        )
        return row_html(
            f'<tr data-study="{escape(row.study)}" data-outcome="{escape(row.outcome)}" '
            f'data-kind="{escape(row.kind)}" data-counted="{_counted(row.apart)}">',
            badge(row.outcome) + corrected,
            finding_html(row.id, f"{PUBLICATIONS[row.study].name}, {row.where}", row.kind),
            claim_html(row.claim, row.rule, reasons(row.untestable, row.apart, row.cause))
            + f'<br><span class="where">{link}</span>',
            row.published,
            measured_html(_measured(row), row.note),
            row.runs,
            [{TODAY: _today_html, RECORDED: _recorded_html}[name](row) for name in self._more],
        )

    def _recorded(self, row: Any) -> str:
        if RECORDED not in self._more:
            return ""
        return f"; recorded {row.recorded_outcome}: {gathered.recorded_text(row)}" if row.recorded_outcome else ""


def under_other_regions(frame: pd.DataFrame, factor: float, level: float = 0.05) -> pd.Series:
    """Return the verdicts that there would be if every region were `factor` times as wide, corrected within studies.

    Parameters
    ----------
    frame : DataFrame
        From `perfstudies.site.gathered.verdicts`.
    factor : float
        As of `perfstudies.stats.sensitivity.widened`.
    level : float
        The probability of one wrong verdict or more within a study.
    """
    tested = [_test_again(row, factor) for row in frame.itertuples()]
    return pd.Series(gathered.within_studies(frame, np.array(tested).reshape(-1, 2), level), frame.index)


def runs_to_decide(frame: pd.DataFrame, level: float = 0.05, power: float = 0.9) -> pd.Series:
    """Return how many runs would decide each finding, were its mean and spread as they were measured.

    Each test has its share of the level within its study (`perfstudies.stats.verdicts.share_left`).

    Parameters
    ----------
    frame, level
        As of `under_other_regions`.
    power : float
        Of each test, as of `perfstudies.stats.power.runs_to_decide`, which says when there is no number.
    """
    by_study: Any = frame.groupby("study")["outcome"]
    shares = {study: share_left(outcomes.tolist(), level) for study, outcomes in by_study}
    rows: Any = frame.itertuples()
    needed = [
        power_to_decide(row.mean, row.error, int(row.runs), *_region(row), row.scale, shares[row.study], power)
        for row in rows
    ]
    return pd.Series(needed, frame.index, dtype=float)


def _region(row: Any) -> tuple[float, float]:
    low, high = row.region
    return -math.inf if low is None else low, math.inf if high is None else high


def _test_again(row: Any, factor: float) -> tuple[float, float]:
    if pd.isna(row.mean):
        return row.p_inside, row.p_outside
    region = widened(*_region(row), factor, row.scale, row.unit)
    if row.scale in ("percent", "runs") and region[0] <= 0 and region[1] >= 100:
        return 0.0, 1.0  # what holds every share is true
    return summary_p(row.mean, row.error, int(row.runs), *region, row.scale)


def _measured(row: Any) -> str:
    return estimate_text(row.estimate, row.low, row.high, row.unit)


def _today_html(row: Any) -> str:
    return outcome_html(row.today_outcome, gathered.today_text(row), row.today_note) if row.today_outcome else ""


def _recorded_html(row: Any) -> str:
    return outcome_html(row.recorded_outcome, gathered.recorded_text(row)) if row.recorded_outcome else ""


def _today(row: Any) -> str:
    both = dict.fromkeys([row.today_outcome, gathered.today_text(row)])  # one of what cannot be tested
    return f"; with today's libraries {': '.join(both)}" if row.today_outcome else ""


def _counted(apart: str) -> str:
    return "apart" if apart else "claim"


def _rules(choices: Mapping[str, Mapping[str, str]]) -> str:
    """Hide the rows that a chosen button leaves out, and count the others."""
    hidden = [
        f'.all-findings:has(#{group}-{_slug(value)}:checked) tr[data-{group}]:not([data-{group}="{value}"]) '
        "{ display: none; }"
        for group, values in choices.items()
        for value in values
    ]
    return "\n".join(
        [
            ".all-findings { counter-reset: shown; }",
            ".all-findings tr[data-study] { counter-increment: shown; }",
            '.all-findings .shown::after { content: counter(shown) " findings are shown."; }',
            *hidden,
        ]
    )


def _buttons(title: str, group: str, values: Mapping[str, str]) -> str:
    choices = {ALL: "all", **values}
    buttons = "".join(
        f'<label><input type="radio" name="{group}" id="{group}-{_slug(value)}"{" checked" if value == ALL else ""}> '
        f"{escape(name)}</label>"
        for value, name in choices.items()
    )
    return f"<fieldset><legend>{title}</legend>{buttons}</fieldset>"


def _slug(value: str) -> str:
    return value.replace(" ", "-")
