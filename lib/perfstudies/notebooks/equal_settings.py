"""How often equal settings are told apart: by runs, as the lab does it, and request by request."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from perfstudies.report.figures import COLOURS, WIDTH_INCH, style
from perfstudies.stats.equal_settings import family_rate, p_values, verdict_rates
from perfstudies.stats.intervals import percent_interval
from perfstudies.stats.proportions import proportion_interval
from perfstudies.stats.verdicts import NOT_REPRODUCED, REPRODUCED

LEVELS = (0.01, 0.05, 0.1, 0.2)
MARGIN = 0.1
"""The margin of equivalence that most of the studies' findings on times use."""
DRAWS = 2000


def sources_table(paired: Mapping[str, pd.DataFrame], cut: Mapping[str, np.ndarray]) -> pd.DataFrame:
    """Return what the pairs are made of: a row a recorded experiment."""
    rows = {
        key: {
            "Settings": frame["setting"].nunique(),
            "Pairs of runs": len(frame),
            "Experiments": len(cut[key]),
            "Ratio of a pair, sd": f"{100 * np.expm1(frame['log_ratio'].std()):.0f} %" if len(frame) > 1 else None,
        }
        for key, frame in paired.items()
    }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Recorded experiment")


def rates_table(experiments: np.ndarray) -> pd.DataFrame:
    """Return rates of verdicts on single findings: rows are levels, with 95 % intervals over the experiments."""
    rows = []
    for level in LEVELS:
        exact = verdict_rates(experiments, level=level)
        within = verdict_rates(experiments, 1 - MARGIN, 1 / (1 - MARGIN), level)
        rows.append(
            {
                "Nominal": f"{100 * level:g} %",
                "Claim: no difference at all": _interval(exact[NOT_REPRODUCED]),
                "Claim: within 10 %": _interval(within[NOT_REPRODUCED]),
                "Confirmed: within 10 %": _interval(within[REPRODUCED]),
            }
        )
    return pd.DataFrame(rows).set_index("Nominal")


def families_table(experiments: np.ndarray, sizes: tuple[int, ...], seed: int, level: float = 0.05) -> pd.DataFrame:
    """Return how often a family of findings has a false verdict or more, corrected by Holm and not corrected.

    Families larger than the number of experiments are left out.
    """
    alone = verdict_rates(experiments, level=level)[NOT_REPRODUCED].mean()
    rows = {}
    for size in (size for size in sizes if size <= len(experiments)):
        share = proportion_interval(float(family_rate(experiments, size, DRAWS, seed, level=level).mean()), DRAWS)
        rows[size] = {
            "Corrected by Holm": f"{100 * share:,.1f}",
            "Not corrected": f"{100 * (1 - (1 - alone) ** size):.1f}",
            "Nominal": f"{100 * level:.1f}",
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Findings in the family")


def pooled_table(paired: Mapping[str, pd.DataFrame], level: float = 0.05) -> pd.DataFrame:
    """Return how often two runs of equal settings differ if each request counts as independent, by study."""
    by_study: dict[str, list[float]] = {}
    for key, frame in paired.items():
        by_study.setdefault(key.partition("/")[0].upper(), []).extend(frame["pooled_p"])
    by_study["All"] = [p for values in by_study.values() for p in values]
    rows = {}
    for name, values in by_study.items():
        share = proportion_interval(float(np.mean(np.array(values) <= level)), len(values))
        rows[name] = {"Pairs of runs": len(values), "Said to differ": f"{100 * share:,.0f}"}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Study")


def distributions(experiments: np.ndarray, paired: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the shares of p values up to a level, for levels from 0 to 1, by what the unit of the test is."""
    by_runs = np.concatenate([p_values(one)[:, 1] for one in experiments])
    by_requests = np.concatenate([frame["pooled_p"] for frame in paired.values()])
    at = np.round(np.linspace(0, 1, 21), 2)
    return pd.DataFrame(
        {"Runs": [np.mean(by_runs <= p) for p in at], "Requests": [np.mean(by_requests <= p) for p in at]},
        index=pd.Index(at, name="p value at most"),
    )


def distribution_figure(shares: pd.DataFrame) -> Figure:
    """Draw the distributions of p values beside the diagonal, on which a test keeps its level."""
    with style():
        fig = Figure(figsize=(WIDTH_INCH, 3.6), layout="constrained")
        axes = fig.subplots()
        axes.plot([0, 1], [0, 1], color="0.45", linewidth=1, linestyle=":", label="as the level says")
        for colour, marker, (name, values) in zip(COLOURS, "os", shares.items(), strict=False):
            axes.plot(shares.index, values, color=colour, marker=marker, markersize=4, label=f"{name} as the unit")
        axes.set_xlim(0, 1)
        axes.set_ylim(0, 1)
        axes.set_xlabel("p value at most")
        axes.set_ylabel("Share of comparisons of equal settings")
        axes.legend(loc="lower right")
        return fig


def _interval(shares: pd.Series) -> str:
    return f"{percent_interval(100 * shares):,.1f}"
