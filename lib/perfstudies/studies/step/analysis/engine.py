"""What makes the Hibernate engine's slice: settings of the service, each switched by itself, compared within blocks."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from perfstudies.report.points import points
from perfstudies.report.settings import in_blocks, margin, ratio_columns
from perfstudies.stats.planned import planned_ratios
from perfstudies.studies.step.declared import ENGINE_VARIANTS
from perfstudies.studies.step.logs.slices import SLICE_LABELS

AS_STUDY, *VARIANTS = ENGINE_VARIANTS.levels
SHOWN = {"request_ms": "Whole request", **{name: SLICE_LABELS[name] for name in ("engine_ms", "reads_ms")}}


def kinds(samples: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the requests that ended well, by kind: those that only read, and those that write."""
    well = samples[samples["measured"] & (samples["outcome"] == "ok")]
    search = well["operation"] == "searchFlights"
    return {"Searches": well[search], "Reservations": well[~search]}


def _pairs(samples: pd.DataFrame) -> dict[tuple[str, str, str], pd.DataFrame]:
    """Return run means of each kind, variant and slice: a row a block, a column as the study and one changed."""
    factor = ENGINE_VARIANTS.name
    return {
        (kind, variant, SHOWN[column]): in_blocks(
            part, {"as": {factor: AS_STUDY}, "changed": {factor: variant}}, column
        )
        for kind, part in kinds(samples).items()
        for variant in VARIANTS
        for column in SHOWN
    }


def _ratios(samples: pd.DataFrame) -> tuple[dict, pd.DataFrame]:
    pairs = {key: means for key, means in _pairs(samples).items() if len(means) and (means > 0).all(axis=None)}
    return pairs, planned_ratios({key: (means["changed"], means["as"]) for key, means in pairs.items()})


def table_of_causes(samples: pd.DataFrame) -> pd.DataFrame:
    """Return what each switch does to a request and to its engine and reads.

    Parameters
    ----------
    samples : DataFrame
        Of `perfstudies.studies.step.declared.ENGINE_CAUSES`.

    Returns
    -------
    DataFrame
        A row a kind of request, switch and slice: times in ms with 95 % margins, and their ratio within blocks
        with an interval that holds for all rows together.
    """
    pairs, found = _ratios(samples)
    rows = {
        key: {"As the study (ms)": margin(means["as"], 1), "Switched (ms)": margin(means["changed"], 1)}
        for key, means in pairs.items()
    }
    shown = pd.DataFrame.from_dict(rows, orient="index")
    shown["Switched / as the study"] = ratio_columns(found, "ratio")["ratio"].to_numpy()
    names = [f"{kind}, {ENGINE_VARIANTS.label(variant)}: {part}" for kind, variant, part in shown.index]
    return shown.set_axis(pd.Index(names, name="Requests, switch: slice"))


def figure_of_causes(samples: pd.DataFrame) -> Figure:
    """Draw the ratios of `table_of_causes`: switched over as the study."""
    _, found = _ratios(samples)
    series = {}
    for variant in VARIANTS:
        part = found[[switched == variant for _, switched, _ in found.index]]
        names = [f"{kind}:\n{slice_}" for kind, _, slice_ in part.index]
        series[ENGINE_VARIANTS.label(variant)] = part.set_axis(names)[["ratio", "low", "high"]].rename(
            columns={"ratio": "estimate"}
        )
    return points(series, "Requests: slice", "Time, switched over as the study", reference=1)
