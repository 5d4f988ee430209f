"""Analysis of variance of run means: does a factor matter, and how much?

Fitted by statsmodels with Type II sums of squares and the block as an additive term. Effect sizes come
with an interval, residuals are checked, and Welch's test stands beside F.

Sources: R. Jain, *The Art of Computer Systems Performance Analysis*, Wiley 1991, chapters 20 to 22; B. L.
Welch, Biometrika 38, 1951; M. B. Brown and A. B. Forsythe, JASA 69, 1974. That of the effect sizes is in
`perfstudies.stats.effects`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm
from statsmodels.stats.oneway import anova_oneway

from perfstudies.errors import BadParameter
from perfstudies.stats.effects import effect_interval
from perfstudies.stats.intervals import finite, positive

#: Of the intervals of effect sizes: they exclude 0 exactly when F is significant at 5 % (Steiger 2004).
SHARE_CONFIDENCE = 2 * 0.95 - 1
#: Fewer runs of a setting say nothing about its variance: of two, both lie equally far from their median.
RUNS_FOR_VARIANCE = 3


@dataclass(frozen=True)
class HypothesisTest:
    """A test's name, statistic and p; missing where it cannot be done."""

    name: str
    statistic: float
    p: float


@dataclass(frozen=True)
class Anova:
    """An analysis of variance.

    Attributes
    ----------
    table : DataFrame
        A row per source: source, df, sum_sq, F, p, eta_sq (partial, of the sample), omega_sq (partial: the
        estimate of the population's share of variance, not below 0), omega_sq_low, omega_sq_high (90 %).
    normality : HypothesisTest
        Shapiro-Wilk on the residuals.
    equal_variances : HypothesisTest
        Brown-Forsythe on the residuals of the settings.
    welch : HypothesisTest
        Welch's F over the settings, which needs no equal variances and ignores the block.
    """

    table: pd.DataFrame
    normality: HypothesisTest
    equal_variances: HypothesisTest
    welch: HypothesisTest


def anova(
    run_means: pd.DataFrame, response: str, factors: str | Sequence[str], block: str | None = None, log: bool = False
) -> Anova:
    """Analyse one response over the settings of one or more crossed factors.

    Parameters
    ----------
    run_means : DataFrame
        One row per run.
    response : str
        The column analysed, any unit; above 0 if `log`.
    factors : str or sequence of str
        Columns of levels. Several factors enter with all their interactions.
    block : str, optional
        The column of the block, an additive term.
    log : bool
        Analyse logarithms: effects multiply.

    Returns
    -------
    Anova

    Raises
    ------
    BadParameter
        If a value is not finite (or not above 0 with `log`), fewer than two settings were run, runs do not
        suffice to estimate every term, or runs of a setting never differ.
    """
    names = (factors,) if isinstance(factors, str) else tuple(factors)
    columns = [response, *names, *([block] if block else [])]
    missing = [column for column in columns if column not in run_means.columns]
    if missing:
        raise BadParameter(f"no column {', '.join(missing)}; there are {', '.join(map(str, run_means))}")
    values = positive(run_means[response], response) if log else finite(run_means[response], response)
    analysed = np.log(values) if log else values
    # What all runs have in common costs digits and is no part of any answer: without it squares keep theirs.
    data = pd.DataFrame({"response": analysed - analysed.mean()})
    coded = {f"factor{number}": name for number, name in enumerate(names)}
    for column, name in coded.items():
        data[column] = _levels(run_means[name])
    if block:
        data["block"] = _levels(run_means[block])
    groups = [group.to_numpy() for _, group in data.groupby(list(coded), observed=True)["response"]]
    if len(groups) < 2:
        raise BadParameter(f"{', '.join(names)}: an analysis of variance needs two settings or more")
    if max(map(len, groups)) > 1 and all(np.ptp(group) == 0 for group in groups):
        raise BadParameter(f"{response}: runs of a setting never differ, so there is no variance to analyse")

    labels = {f"C({column})": name for column, name in coded.items()}
    fit = _fit(data, " * ".join(labels), block)
    residuals = [group.to_numpy() for _, group in fit.resid.groupby([data[one] for one in coded], observed=True)]
    table = _table(fit, labels | {"C(block)": block or "", "Residual": "residual"})
    return Anova(table, _shapiro(fit.resid), _brown_forsythe(residuals), _welch(groups))


def _levels(column: pd.Series) -> pd.Categorical:
    if column.isna().any():
        raise BadParameter(f"{column.name}: a run has no level")
    return pd.Categorical(column).remove_unused_categories()


def _fit(data: pd.DataFrame, terms: str, block: str | None) -> Any:
    model = ols(f"response ~ {terms}" + (" + C(block)" if block else ""), data)
    runs, parameters = model.exog.shape
    if runs <= parameters or np.linalg.matrix_rank(model.exog) < parameters:
        raise BadParameter(
            f"{runs} runs do not suffice: every combination of levels is needed, and more runs than terms"
        )
    return model.fit()


def _table(fit: Any, labels: Mapping[str, str]) -> pd.DataFrame:
    raw = anova_lm(fit, typ=2)
    rows = []
    residual = raw.loc["Residual"]
    for term, row in raw.iterrows():
        source = " x ".join(labels[part] for part in term.split(":"))
        eta = omega = low = high = np.nan
        if term != "Residual":
            eta = row["sum_sq"] / (row["sum_sq"] + residual["sum_sq"])
            surplus = row["df"] * (row["F"] - 1)
            omega = max(0.0, surplus / (surplus + fit.nobs))
            low, high = effect_interval(row["F"], row["df"], residual["df"], int(fit.nobs), SHARE_CONFIDENCE)
        rows.append((source, int(row["df"]), row["sum_sq"], row["F"], row["PR(>F)"], eta, omega, low, high))
    columns = ["source", "df", "sum_sq", "F", "p", "eta_sq", "omega_sq", "omega_sq_low", "omega_sq_high"]
    return pd.DataFrame(rows, columns=columns)


def _shapiro(residuals: pd.Series) -> HypothesisTest:
    if len(residuals) < 3:
        return HypothesisTest("Shapiro-Wilk", np.nan, np.nan)
    result = stats.shapiro(residuals)
    return HypothesisTest("Shapiro-Wilk", float(result.statistic), float(result.pvalue))


def _brown_forsythe(groups: list[np.ndarray]) -> HypothesisTest:
    if min(map(len, groups)) < RUNS_FOR_VARIANCE:
        return HypothesisTest("Brown-Forsythe", np.nan, np.nan)
    result = stats.levene(*groups, center="median")
    return HypothesisTest("Brown-Forsythe", float(result.statistic), float(result.pvalue))


def _welch(groups: list[np.ndarray]) -> HypothesisTest:
    if any(len(group) < 2 or np.ptp(group) == 0 for group in groups):
        return HypothesisTest("Welch", np.nan, np.nan)
    result = anova_oneway(groups, use_var="unequal")
    return HypothesisTest("Welch", float(result.statistic), float(result.pvalue))
