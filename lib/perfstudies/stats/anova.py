"""Analysis of variance of run means: does a factor matter, how much, and which levels differ?

Fitted by statsmodels with Type II sums of squares and the block as an additive term. Effect sizes come
with an interval, residuals are checked, Welch's test stands beside F, and all pairs of settings
are compared by Tukey, or by Games-Howell where the variances are shown to differ.

Sources: R. Jain, *The Art of Computer Systems Performance Analysis*, Wiley 1991, chapters 20 to 22; B. L.
Welch, Biometrika 38, 1951; M. B. Brown and A. B. Forsythe, JASA 69, 1974. Those of the effect sizes and of
the pairs are in their own modules.
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
from perfstudies.stats.pairs import COLUMNS, games_howell, tukey

CHECK_LEVEL = 0.05
#: Fewer runs of a setting say nothing about its variance: of two, both lie equally far from their median.
RUNS_FOR_VARIANCE = 3


@dataclass(frozen=True)
class HypothesisTest:
    """A test's name, statistic, degrees of freedom (if it has any) and p; missing where it cannot be done."""

    name: str
    statistic: float
    df: tuple[float, ...]
    p: float


@dataclass(frozen=True)
class Anova:
    """An analysis of variance.

    Attributes
    ----------
    response, factors, block, log, runs
        What was analysed, and how many runs.
    table : DataFrame
        A row per source: source, df, sum_sq, F, p, eta_sq (partial, of the sample), omega_sq (partial: the
        estimate of the population's share of variance, not below 0), omega_sq_low, omega_sq_high.
    normality : HypothesisTest
        Shapiro-Wilk on the residuals.
    equal_variances : HypothesisTest
        Brown-Forsythe on the residuals of the settings.
    welch : HypothesisTest
        Welch's F over the settings, which needs no equal variances and ignores the block.
    pairs : DataFrame
        A row per pair of settings: first, second, ratio (second over first) if `log` or else difference
        (second minus first), low, high, p. Intervals and p hold for the whole family.
    method : str
        How pairs were compared, and why so.
    """

    response: str
    factors: tuple[str, ...]
    block: str | None
    log: bool
    runs: int
    table: pd.DataFrame
    normality: HypothesisTest
    equal_variances: HypothesisTest
    welch: HypothesisTest
    pairs: pd.DataFrame
    method: str


def anova(
    run_means: pd.DataFrame,
    response: str,
    factors: str | Sequence[str],
    block: str | None = None,
    log: bool = False,
    confidence: float = 0.95,
    compare: bool = True,
) -> Anova:
    """Analyse one response over the settings of one or more crossed factors.

    Parameters
    ----------
    run_means : DataFrame
        One row per run.
    response : str
        The column analysed, any unit; above 0 if `log`.
    factors : str or sequence of str
        Columns of levels. Several factors enter with all their interactions. A categorical column keeps its
        order; others are sorted.
    block : str, optional
        The column of the block, an additive term.
    log : bool
        Analyse logarithms: effects multiply, and pairs are reported as ratios.
    confidence : float
        Of the family of pairs. The intervals of effect sizes have ``2 * confidence - 1``, so that
        they exclude 0 exactly when F is significant (Steiger 2004).
    compare : bool
        Whether all pairs of settings are compared too: with many settings that takes far longer than all the rest.

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
    for number, name in enumerate(names):
        data[f"factor{number}"] = _levels(run_means[name])
    data["setting"] = _settings(data, len(names))
    if block:
        data["block"] = _levels(run_means[block])
    settings = list(data["setting"].cat.categories)
    groups = [group.to_numpy() for _, group in data.groupby("setting", observed=True)["response"]]
    if len(groups) < 2:
        raise BadParameter(f"{', '.join(names)}: an analysis of variance needs two settings or more")
    if max(map(len, groups)) > 1 and all(np.ptp(group) == 0 for group in groups):
        raise BadParameter(f"{response}: runs of a setting never differ, so there is no variance to analyse")

    terms = [f"C(factor{number})" for number in range(len(names))]
    fit = _fit(data, " * ".join(terms), block)
    labels = dict(zip(terms, names, strict=True)) | {"C(block)": block or "", "Residual": "residual"}
    residuals = fit.resid.groupby(data["setting"], observed=True)
    equal_variances = _brown_forsythe([group.to_numpy() for _, group in residuals])
    unequal = equal_variances.p <= CHECK_LEVEL
    if not compare:
        pairs = pd.DataFrame(columns=COLUMNS, dtype=float)
    elif unequal:
        pairs = games_howell(settings, groups, confidence)
    else:
        pairs = tukey(settings, _fit(data, "0 + C(setting)", block), confidence)
    if log:
        pairs[["difference", "low", "high"]] = np.exp(pairs[["difference", "low", "high"]])
        pairs = pairs.rename(columns={"difference": "ratio"})
    return Anova(
        response,
        names,
        block,
        log,
        len(data),
        _table(fit, labels, 2 * confidence - 1),
        HypothesisTest("Shapiro-Wilk", *_shapiro(fit.resid)),
        equal_variances,
        _welch(groups),
        pairs,
        _method(unequal, equal_variances.p, block) if compare else "pairs were not compared",
    )


def _levels(column: pd.Series) -> pd.Categorical:
    if column.isna().any():
        raise BadParameter(f"{column.name}: a run has no level")
    return pd.Categorical(column).remove_unused_categories()


def _settings(data: pd.DataFrame, factors: int) -> pd.Categorical:
    """Name each run's combination of levels, in the order of the factors' levels."""
    columns = [f"factor{number}" for number in range(factors)]
    if factors == 1:
        return pd.Categorical(data["factor0"])
    names = data[columns].astype(str).agg(" / ".join, axis="columns")
    order = names[data.sort_values(columns, kind="stable").index].unique()
    return pd.Categorical(names, categories=order)


def _fit(data: pd.DataFrame, terms: str, block: str | None) -> Any:
    model = ols(f"response ~ {terms}" + (" + C(block)" if block else ""), data)
    runs, parameters = model.exog.shape
    if runs <= parameters or np.linalg.matrix_rank(model.exog) < parameters:
        raise BadParameter(
            f"{runs} runs do not suffice: every combination of levels is needed, and more runs than terms"
        )
    return model.fit()


def _table(fit: Any, labels: Mapping[str, str], confidence: float) -> pd.DataFrame:
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
            low, high = effect_interval(row["F"], row["df"], residual["df"], int(fit.nobs), confidence)
        rows.append((source, int(row["df"]), row["sum_sq"], row["F"], row["PR(>F)"], eta, omega, low, high))
    columns = ["source", "df", "sum_sq", "F", "p", "eta_sq", "omega_sq", "omega_sq_low", "omega_sq_high"]
    return pd.DataFrame(rows, columns=columns)


def _shapiro(residuals: pd.Series) -> tuple[float, tuple, float]:
    if len(residuals) < 3:
        return np.nan, (), np.nan
    result = stats.shapiro(residuals)
    return float(result.statistic), (), float(result.pvalue)


def _brown_forsythe(groups: list[np.ndarray]) -> HypothesisTest:
    runs = sum(map(len, groups))
    df = (len(groups) - 1, runs - len(groups))
    if min(map(len, groups)) < RUNS_FOR_VARIANCE:
        return HypothesisTest("Brown-Forsythe", np.nan, df, np.nan)
    result = stats.levene(*groups, center="median")
    return HypothesisTest("Brown-Forsythe", float(result.statistic), df, float(result.pvalue))


def _welch(groups: list[np.ndarray]) -> HypothesisTest:
    if any(len(group) < 2 or np.ptp(group) == 0 for group in groups):
        return HypothesisTest("Welch", np.nan, (len(groups) - 1, np.nan), np.nan)
    result = anova_oneway(groups, use_var="unequal")
    df = (float(result.df_num), float(result.df_denom))
    return HypothesisTest("Welch", float(result.statistic), df, float(result.pvalue))


def _method(unequal: bool, p: float, block: str | None) -> str:
    if unequal:
        blocks = f"; {block} is ignored, which errs on the safe side" if block else ""
        return f"Games-Howell, since variances differ (Brown-Forsythe p = {p:.2g}){blocks}"
    if np.isnan(p):
        return f"Tukey; fewer than {RUNS_FOR_VARIANCE} runs of a setting cannot show whether variances differ"
    return f"Tukey, since variances are not shown to differ (Brown-Forsythe p = {p:.2g})"
