"""Which parameter matters most: the effects of a 2^(7-3) design on EJB time, total time and throughput.

An effect is the ratio of the response with a parameter at its high to that at its low level. How large it is depends on
how far apart the two are set, so they are shown with it.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
import seaborn
from matplotlib.figure import Figure

from perfstudies.report.comparisons import p_text
from perfstudies.report.figures import COLOURS, WIDTH_INCH, plain_numbers, style
from perfstudies.report.tables import MISSING, interval_text
from perfstudies.stats.contrasts import Contrasts, contrasts
from perfstudies.stats.factorial import Design, fractional
from perfstudies.studies.aaa.declared import GENERATORS, POINT_NAMES, SCREENED, SCREENING, screening_points

LEVEL = SCREENING.factors[0].name
NAMES = {
    "timer": "Timer",
    "http.threads": "HTTP threads",
    "ejb.max": "EJB pool",
    "policy": "Policy",
    "database.connections": "Database connections",
    "repository": "Repository",
    "concurrency": "Clients",
}
"""The screened properties as they are printed."""

TIMER = NAMES["timer"]
RESPONSES = {"ejb_ms": "EJB time", "total_ms": "Total time", "per_s": "Requests/s"}


def design() -> Design:
    """Return the declared design, its factors named as they are printed."""
    basic = list(SCREENED)
    words = {NAMES[name]: [NAMES[basic[place]] for place in parts] for name, parts in GENERATORS.items()}
    return fractional(list(NAMES.values()), words)


def signs() -> pd.DataFrame:
    """Return the sixteen points by their names in folders: -1 and 1 for each factor's low and high level."""
    chosen = screening_points()
    rows = {
        point: {NAMES[name]: 1 if chosen[label][name] == high else -1 for name, (_, high) in SCREENED.items()}
        for point, label in POINT_NAMES.items()
    }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis(LEVEL)


def levels_table() -> pd.DataFrame:
    """Return what was varied: each parameter's low and high level, and of which others its column is the product."""
    basic = list(SCREENED)
    products = {name: " × ".join(NAMES[basic[place]] for place in parts) for name, parts in GENERATORS.items()}
    rows = {
        NAMES[name]: {"Property": name, "Low": low, "High": high, "Column": products.get(name, "its own")}
        for name, (low, high) in SCREENED.items()
    }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Parameter")


def aliases_note() -> str:
    """State the design's resolution and its defining relation."""
    made = design()
    words = "; ".join(word.replace(" x ", " × ") for word in made.words)
    return (
        f"2^(7-3) design in 16 points, resolution {made.resolution}: a parameter's effect is mixed only with "
        "interactions of three or more; interactions of two are mixed with each other. Products that are 1 at every "
        f"point: {words}."
    )


def coded(runs: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """Return the runs of blocks that have all sixteen points, with a column a factor of -1 and 1; and what is left out.

    Parameters
    ----------
    runs : DataFrame
        From `perfstudies.studies.aaa.analysis.closed.run_table`.
    """
    known = runs.dropna(subset=list(RESPONSES))
    known = known[(known[list(RESPONSES)] > 0).all(axis=1)]
    whole = known.groupby("block")[LEVEL].transform("nunique") == len(POINT_NAMES)
    blocks, left = known.loc[whole, "block"].nunique(), runs["block"].nunique()
    said = f"{blocks} blocks of 16 points" + (f"; {left - blocks} incomplete ones left out" if left > blocks else "")
    kept = known[whole].assign(**{LEVEL: known.loc[whole, LEVEL].astype(str)})
    return kept.join(signs(), on=LEVEL).reset_index(drop=True), f"{said}."


def effects(runs: pd.DataFrame) -> dict[str, Contrasts]:
    """Return the analysis of the logarithm of each response of `RESPONSES`; empty without a whole block.

    Parameters
    ----------
    runs : DataFrame
        From `coded`.
    """
    if runs.empty:
        return {}
    block = "block" if runs["block"].nunique() > 1 else None
    return {column: contrasts(runs, column, design(), block, log=True) for column in RESPONSES}


def effects_table(found: Contrasts) -> pd.DataFrame:
    """Return all effects, the largest first: ratio of high to low with its 95 % interval, and share of variation."""
    rows = {}
    for row in found.effects.to_dict("records"):
        rows[_shown(row["effect"])] = {
            "High / low": interval_text(row["size"], row["low"], row["high"], 3),
            "p": p_text(row["p"]) or MISSING,
            "Share of variation (%)": 100 * row["share"],
            "Partial ω², 90 % interval": _bounds(row["omega_sq_low"], row["omega_sq_high"]),
            "Mixed with": _shown(row["aliases"]) or "none of two",
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Effect")


def effects_note(found: Contrasts) -> str:
    """Say on how many runs an analysis rests, and what of the variation is no effect's."""
    repeated = np.isfinite(found.effects["p"]).any()
    kind = "Student's t on the residual" if repeated else "Lenth's, as nothing was repeated"
    return (
        f"{found.runs} runs. Besides the effects, blocks hold {found.block_share:.1%} of the variation and the "
        f"residual {found.residual_share:.1%}. Intervals are {kind}, {found.df:.3g} degrees of freedom."
    )


def sizes(found: Mapping[str, Contrasts]) -> pd.DataFrame:
    """Return the parameters' effects on each response, ratios high to low with intervals, largest on EJB time first."""
    parts = {}
    for column, one in found.items():
        main = one.effects.set_index("effect").reindex(list(NAMES.values()))
        parts[RESPONSES[column]] = main[["size", "low", "high", "share"]].assign(share=100 * main["share"])
    whole = pd.concat(parts, axis=1)
    first = np.log(whole[RESPONSES["ejb_ms"], "size"]).abs()
    return whole.loc[first.sort_values(ascending=False, kind="stable").index].rename_axis("Parameter")


def sizes_figure(drawn: pd.DataFrame) -> Figure:
    """Draw `sizes`: ratios with intervals, a row a parameter, a marker a response, on a logarithmic axis."""
    with style():
        figure = Figure(figsize=(WIDTH_INCH, 4.4), layout="constrained")
        axes = figure.subplots()
        axes.axvline(1, color="0.4", lw=0.9, ls="--", zorder=0)
        responses = list(dict.fromkeys(drawn.columns.get_level_values(0)))
        for place, response in enumerate(responses):
            part = drawn[response]
            ends = np.clip([part["size"] - part["low"], part["high"] - part["size"]], 0, None)
            at = np.arange(len(part)) + 0.2 * (place - (len(responses) - 1) / 2)
            axes.errorbar(
                part["size"], at, xerr=ends, fmt="os^"[place % 3], color=COLOURS[place], ecolor="0.2", capsize=3,
                ms=5.5, label=response,
            )  # fmt: skip
        axes.set(xscale="log", xlabel="At the high level over at the low level, logarithmic")
        plain_numbers(axes.xaxis)
        axes.set_yticks(range(len(drawn)), list(drawn.index))
        axes.invert_yaxis()
        seaborn.despine(ax=axes, left=True)
        figure.legend(loc="outside upper center", ncols=3)
    return figure


def describe_sizes(drawn: pd.DataFrame) -> str:
    """Put `sizes_figure` into words."""
    parts = []
    for response in dict.fromkeys(drawn.columns.get_level_values(0)):
        ratios = ", ".join(f"{name} {value:.2f}" for name, value in drawn[response, "size"].items())
        parts.append(f"{response}: {ratios}")
    return f"Points with intervals of each parameter's effect as the ratio of high to low level. {'; '.join(parts)}."


def timer_leads(runs: pd.DataFrame) -> dict[str, pd.Series]:
    """Return, for each response, the timer's effect over the largest of the others', a value a block.

    Both are differences of mean logarithms, without signs. As the largest of six that are partly noise, the others'
    tends to be too large rather than too small.

    Parameters
    ----------
    runs : DataFrame
        From `coded`.
    """
    leads = {}
    for column in RESPONSES:
        values = {}
        for block, part in runs.groupby("block"):
            logs = np.log(part[column])
            size = {name: abs(2 * (part[name] * logs).mean()) for name in NAMES.values()}
            others = max(value for name, value in size.items() if name != TIMER)
            if others > 0 and size[TIMER] > 0:
                values[block] = size[TIMER] / others
        leads[column] = pd.Series(values, dtype=float).rename_axis("block")
    return leads


def _shown(effect: str) -> str:
    return effect.replace(" x ", " × ").replace(" = ", "; ")


def _bounds(low: float, high: float) -> str:
    return f"[{low:.3f}, {high:.3f}]" if np.isfinite(low) else MISSING
