"""Analyses of variance, pairwise ratios and equivalence tests as they are printed."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from perfstudies.report.tables import interval_text
from perfstudies.stats.anova import Anova
from perfstudies.stats.equivalence import AllEquivalent


def p_text(p: float) -> str:
    """Write a p-value; below a thousandth only that it is."""
    if pd.isna(p):
        return ""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def anova_table(result: Anova) -> pd.DataFrame:
    """Return an analysis of variance as it is printed."""
    columns = {
        "df": "df",
        "sum_sq": "Sum of squares",
        "F": "F",
        "p": "p",
        "eta_sq": "Partial η²",
        "omega_sq": "Partial ω²",
    }
    table = result.table.set_index("source").rename_axis("Source")
    shown = table[list(columns)].rename(columns=columns)
    ends = zip(table["omega_sq_low"], table["omega_sq_high"], strict=True)
    shown["90 % interval of ω²"] = ["" if pd.isna(low) else f"[{low:.3f}, {high:.3f}]" for low, high in ends]
    return shown.assign(p=[p_text(p) for p in table["p"]], df=[f"{df:g}" for df in table["df"]])


def checks(result: Anova) -> str:
    """Say what the residuals look like, and what Welch's analysis finds, which needs no equal variances."""
    return "; ".join(
        f"{test.name}: {test.statistic:.3f}, p {p_text(test.p)}"
        for test in (result.normality, result.equal_variances, result.welch)
    ) + "."  # fmt: skip


def pairs_table(result: Anova, label: Callable[[str], str]) -> pd.DataFrame:
    """Return the pairwise ratios of an analysis on the log scale; `label` says how a level is printed."""
    return _ratios(result.pairs, label)


def equivalence_table(same: AllEquivalent, label: Callable[[str], str]) -> pd.DataFrame:
    """Return the equivalence tests of all pairs; `label` says how a level is printed."""
    return _ratios(same.pairs, label).assign(Equivalent=same.pairs["equivalent"].to_numpy())


def _ratios(pairs: pd.DataFrame, label: Callable[[str], str]) -> pd.DataFrame:
    rows = {
        f"{label(row['second'])} / {label(row['first'])}": {
            "Ratio": interval_text(row["ratio"], row["low"], row["high"], 3),
            "p": p_text(row["p"]),
        }
        for row in pairs.to_dict("records")
    }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Pair")


def equivalence_text(same: AllEquivalent, margin_ratio: float) -> str:
    """Say what the tests of all pairs together allow to claim."""
    claim = "All pairs are equivalent" if same.equivalent else "Not all pairs are shown to be equivalent"
    return f"{claim} within {margin_ratio - 1:.0%} (largest p {p_text(same.p)})."
