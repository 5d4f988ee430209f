"""Settings of an observed system compared: analysis of variance, ratios, equivalence, and a verdict on each pair."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from perfstudies.errors import BadParameter
from perfstudies.own.report.observed_runs import Analysed, mean_of
from perfstudies.report.comparisons import anova_table, checks, p_text
from perfstudies.report.tables import Table, interval_text, table
from perfstudies.stats.anova import anova
from perfstudies.stats.equivalence import equivalence
from perfstudies.stats.holm import holm_ratios

LEVEL = 0.05
DIFFERENT, EQUIVALENT, UNDECIDED, NONE = "different", "equivalent", "undecided", "no verdict"
ONE_RUN = (
    "There are settings of one run only. How much runs of a setting differ is not known then, so nothing can be "
    "judged: measure each setting in two runs or more."
)


@dataclass(frozen=True)
class Compared:
    """All pairs of settings.

    Attributes
    ----------
    pairs : DataFrame
        A row a pair: the columns of `perfstudies.stats.holm.holm_ratios`, ``p_equivalent``, ``verdict``.
    margin_ratio : float
        The largest ratio that still counts as no difference.
    problem : str
        Why there is no verdict, or empty.
    """

    pairs: pd.DataFrame
    margin_ratio: float
    problem: str


def compare(analysed: Analysed, margin_ratio: float = 1.05) -> Compared:
    """Compare all pairs of settings by the means of their runs.

    Two settings are ``different`` if Holm's test of their ratio against 1 is at most 5 %, else ``equivalent`` if two
    one-sided tests show the ratio inside the margin at 5 %, and otherwise ``undecided``.

    Raises
    ------
    BadParameter
        If the margin is not above 1.
    """
    if not margin_ratio > 1:
        raise BadParameter(f"margin_ratio = {margin_ratio!r} must be above 1, such as 1.05")
    if not analysed.replicated:
        return Compared(_ratios_only(analysed), margin_ratio, ONE_RUN)
    block = "run" if analysed.blocked else None
    pairs = holm_ratios(analysed.compared, "used_ms", "setting", analysed.settings, block)
    same = [
        equivalence(*analysed.times(row.second, row.first), margin_ratio, paired=analysed.blocked).p
        for row in pairs.itertuples()
    ]
    pairs = pairs.assign(p_equivalent=same)
    verdicts = [_verdict(row.p_holm, row.p_equivalent) for row in pairs.itertuples()]
    return Compared(pairs.assign(verdict=verdicts), margin_ratio, "")


def _ratios_only(analysed: Analysed) -> pd.DataFrame:
    logs = np.log(analysed.compared["used_ms"]).groupby(analysed.compared["setting"]).mean()
    means = {setting: float(np.exp(logs[setting])) for setting in analysed.settings}
    rows = [
        {"first": first, "second": second, "ratio": means[second] / means[first], "verdict": NONE}
        for place, first in enumerate(analysed.settings)
        for second in analysed.settings[place + 1 :]
    ]
    columns = ["first", "second", "ratio", "low", "high", "p", "p_holm", "runs", "p_equivalent", "verdict"]
    return pd.DataFrame(rows, columns=columns)


def _verdict(p: Any, p_equivalent: Any) -> str:
    if p <= LEVEL:
        return DIFFERENT
    return EQUIVALENT if p_equivalent <= LEVEL else UNDECIDED


def pairs_table(compared: Compared) -> Table:
    """Show the pairs with their verdicts; or say that there is one setting only."""
    caption = "Settings compared: ratios of mean times"
    pairs: Any = compared.pairs
    if pairs.empty:
        rows = pd.DataFrame({"Verdict": [NONE]}, index=pd.Index(["one setting only"], name="Pair"))
        return table(rows, caption, note="Give settings to compare them.")
    rows = pd.DataFrame(
        {
            "Ratio": [interval_text(row.ratio, row.low, row.high, 3) for row in pairs.itertuples()],
            "p (Holm)": [p_text(p) for p in pairs["p_holm"].astype(float)],
            f"p of equivalence within {compared.margin_ratio - 1:.0%}": [
                p_text(p) for p in pairs["p_equivalent"].astype(float)
            ],
            "Verdict": pairs["verdict"].to_numpy(),
        },
        index=pd.Index([f"{row.second} / {row.first}" for row in pairs.itertuples()], name="Pair"),
    )
    note = compared.problem or (
        "Geometric means with 95 % intervals of each pair alone; p of all pairs together share one level of error of "
        "5 %. Equivalent means shown to lie within the margin; undecided means neither was shown."
    )
    return table(rows, caption, note=note)


def variance_table(analysed: Analysed) -> Table:
    """Show the analysis of variance of the logarithm of run means over settings; or say why there is none."""
    caption = "Analysis of variance of the logarithm of run means"
    problem = ""
    if len(analysed.settings) < 2:
        problem = "there is one setting only"
    elif not analysed.replicated:
        problem = "there are settings of one run only"
    else:
        block = "run" if analysed.blocked else None
        runs = analysed.compared
        runs = runs.assign(setting=pd.Categorical(runs["setting"], analysed.settings))
        try:
            found = anova(runs, "used_ms", "setting", block=block, log=True)
        except BadParameter as error:
            problem = str(error)
    if problem:
        rows = pd.DataFrame({"Levels": [len(analysed.settings)]}, index=pd.Index(["setting"], name="Source"))
        return table(rows, caption, note=f"No analysis of variance: {problem}.")
    shown = anova_table(found).rename(index={"setting": "Setting", "run": "Block", "residual": "Residual"})
    return table(shown, caption, note=checks(found))


def headlines(analysed: Analysed, compared: Compared) -> list[Mapping[str, object]]:
    """Return the headline numbers for `perfstudies.notebooks.results.results`."""
    rows: list[Mapping[str, object]] = []
    for setting in analysed.settings:
        own = analysed.of(setting)
        mean = mean_of(analysed, setting)
        rows.append(_result("mean time", mean.estimate, mean.low, mean.high, "ms", setting))
        rows.append(_result("99 % within", own["p99_ms"].mean(), np.nan, np.nan, "ms", setting))
        rows.append(_result("rate", own["rate_per_s"].mean(), np.nan, np.nan, "requests/s", setting))
    for pair in compared.pairs.itertuples():
        name = f"{pair.second} / {pair.first}"
        rows.append(_result("ratio of mean times", pair.ratio, pair.low, pair.high, "ratio", name))
    return rows


def _result(name: str, value: Any, low: Any, high: Any, unit: str, setting: str) -> dict[str, object]:
    return {"name": name, "value": value, "low": low, "high": high, "unit": unit, "setting": setting}
