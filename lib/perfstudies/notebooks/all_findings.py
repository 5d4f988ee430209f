"""Every finding of the four studies on one page: a table that is filtered without a script, and their numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from perfstudies.report.figures import COLOURS, HATCHES, WIDTH_INCH, style
from perfstudies.report.findings import OUTCOMES, badge, estimate_text, headings
from perfstudies.studies import PUBLICATIONS

ALL = "all"


@dataclass(frozen=True)
class AllFindings:
    """The table of all findings, which Jupyter shows.

    Attributes
    ----------
    frame : DataFrame
        From `perfstudies.site.gathered.verdicts`.
    """

    frame: pd.DataFrame

    def to_html(self) -> str:
        """Return the table with its filters: two groups of buttons that style sheets alone act on."""
        studies = {study: one.name for study, one in PUBLICATIONS.items() if study in set(self.frame["study"])}
        rows = "\n".join(self._row(row) for row in self.frame.itertuples())
        return (
            f"<style>\n{_rules(studies)}\n</style>\n"
            '<div class="table findings all-findings">\n<div class="filters">\n'
            f"{_buttons('Study', 'study', studies)}\n{_buttons('Verdict', 'outcome', dict.fromkeys(OUTCOMES))}\n"
            "</div>\n"
            '<div class="scroll" role="region" tabindex="0" aria-label="All findings and verdicts">\n'
            "<table>\n<caption><span><strong>All findings.</strong> What the studies say, and whether it holds here. "
            "Intervals at 95 %.</span></caption>\n"
            f"<thead>\n<tr>{headings()}</tr>\n</thead>\n<tbody>\n{rows}\n</tbody>\n</table></div>\n"
            '<p class="note shown" role="status"></p>\n</div>'
        )

    def to_text(self) -> str:
        """Return the findings as plain text, a line each."""
        return "\n".join(
            f"{row.study} {row.id}: {_measured(row)} ({row.runs} runs): {row.outcome}"
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
        return (
            f'<tr data-study="{escape(row.study)}" data-outcome="{escape(row.outcome)}">'
            f'<th scope="row"><span class="id">{escape(row.id)}</span>'
            f'<br><span class="where">{escape(PUBLICATIONS[row.study].name)}, {escape(row.where)}</span></th>'
            f'<td class="left">{escape(row.claim)}<br><span class="rule">{escape(row.rule)}</span>'
            f'<br><span class="where">{link}</span></td>'
            f'<td class="right">{escape(row.published)}</td>'
            f'<td class="right">{escape(_measured(row)).replace(" [", "<br>[", 1)}</td>'
            f'<td class="right">{escape(row.runs)}</td>'
            f'<td class="left">{badge(row.outcome)}{corrected}</td></tr>'
        )


def counts(frame: pd.DataFrame) -> pd.DataFrame:
    """Return how many findings of each study came to each verdict; the last row is their sum."""
    found = pd.crosstab(frame["study"], frame["outcome"]).reindex(columns=list(OUTCOMES), fill_value=0)
    found = found.reindex([study for study in PUBLICATIONS if study in found.index])
    found = found.rename(index={study: one.name for study, one in PUBLICATIONS.items()})
    found.loc["All"] = found.sum()
    found.insert(0, "Findings", found.sum(axis=1))
    return found.rename(columns=str.capitalize).rename_axis("Study", axis=0).rename_axis(None, axis=1)


def counts_figure(frame: pd.DataFrame) -> Figure:
    """Draw the verdicts of each study as a bar of their counts."""
    numbers = counts(frame).drop(index="All").drop(columns="Findings")
    with style():
        fig = Figure(figsize=(WIDTH_INCH, 0.9 + 0.45 * len(numbers)), layout="constrained")
        axes = fig.subplots()
        left = pd.Series(0, index=numbers.index)
        for colour, hatch, (outcome, values) in zip(
            (COLOURS[0], COLOURS[1], "0.75"), HATCHES, numbers.items(), strict=False
        ):
            drawn: dict[str, Any] = {
                "label": outcome,
                "color": colour,
                "hatch": hatch,
                "edgecolor": "white",
                "height": 0.7,
            }
            bars = axes.barh(numbers.index, values, left=left, **drawn)
            axes.bar_label(
                bars,
                [str(value) if value else "" for value in values],
                label_type="center",
                fontsize=9,
                bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.9, "pad": 1.2},
            )
            left = left + values
        axes.invert_yaxis()
        axes.set_xlabel("Findings")
        axes.grid(axis="y", visible=False)
        fig.legend(loc="outside upper center", ncols=3)
        return fig


def counts_alt(frame: pd.DataFrame) -> str:
    """Say in words what the figure of the counts shows."""
    numbers = counts(frame).drop(index="All")
    parts = [
        f"{study}: of {row['Findings']} findings {row['Reproduced']} reproduced, {row['Not reproduced']} not, "
        f"{row['Inconclusive']} inconclusive"
        for study, row in numbers.iterrows()
    ]
    return f"A bar a study, parted by verdict. {'; '.join(parts)}."


def changed(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the findings whose verdict within the study differs from that in their own report; may be empty."""
    found = frame[frame["outcome"] != frame["own_outcome"]]
    return pd.DataFrame(
        {
            "Claim": found["claim"].to_numpy(),
            "In its report": found["own_outcome"].to_numpy(),
            "Within the study": found["outcome"].to_numpy(),
        },
        index=pd.Index(found["id"], name="Finding"),
    )


def _measured(row: Any) -> str:
    return estimate_text(row.estimate, row.low, row.high, row.unit)


def _rules(studies: Mapping[str, str]) -> str:
    """Hide the rows that a chosen button leaves out, and count the others."""
    hidden = [
        f'.all-findings:has(#{group}-{_slug(value)}:checked) tr[data-{group}]:not([data-{group}="{value}"]) '
        "{ display: none; }"
        for group, values in (("study", studies), ("outcome", OUTCOMES))
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


def _buttons(title: str, group: str, values: Mapping[str, str | None]) -> str:
    choices = {ALL: "all"} | {value: name or value for value, name in values.items()}
    buttons = "".join(
        f'<label><input type="radio" name="{group}" id="{group}-{_slug(value)}"{" checked" if value == ALL else ""}> '
        f"{escape(name)}</label>"
        for value, name in choices.items()
    )
    return f"<fieldset><legend>{title}</legend>{buttons}</fieldset>"


def _slug(value: str) -> str:
    return value.replace(" ", "-")
