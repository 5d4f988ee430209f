"""Analyses of variance and p values as they are printed."""

from __future__ import annotations

import pandas as pd

from perfstudies.stats.anova import Anova


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
    """Say what the residuals look like, and what Welch's analysis finds, which needs no equal variances; nothing of a
    test for which there are too few runs."""
    tests = [test for test in (result.normality, result.equal_variances, result.welch) if not pd.isna(test.p)]
    return "; ".join(f"{test.name}: {test.statistic:.3f}, p {p_text(test.p)}" for test in tests) + "." * bool(tests)
