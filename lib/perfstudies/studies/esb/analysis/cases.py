"""The ESB study's findings on throughput with the values that decide them, one a block."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from perfstudies.experiment import Finding
from perfstudies.runs.recording import Recording
from perfstudies.studies.esb import findings as claims
from perfstudies.studies.esb.analysis import cpu, hop
from perfstudies.studies.esb.analysis import lists as esb_lists

Case = tuple[Finding, pd.Series, str]


def throughput_cases(lists: Recording, bounds: Recording, open_files: Recording) -> Iterator[Case]:
    """Yield each finding of the report on throughput with its values and the scale to test on.

    Parameters
    ----------
    lists, bounds, open_files : Recording
        Of the experiments of these names.
    """
    runs = lists.runs
    at = esb_lists.wide(runs, "camel")
    values = {
        "E1": esb_lists.growth(runs, "direct"),
        "E2": esb_lists.ratio(runs, "direct", "synapse"),
        "E3": esb_lists.ratio(runs, "synapse-tuned", "synapse"),
        "E3-half": esb_lists.ratio(runs, "synapse-tuned", "direct"),
        "E4": esb_lists.growth(runs, "synapse"),
        "E5": esb_lists.growth(runs, "camel"),
        "E5-four": (at[1000] / at[50]).dropna() if {50, 1000} <= {*at} else pd.Series(dtype=float),
        "E5-load": hop.ready_growth(runs, "camel"),
        "E6": esb_lists.ratio(runs, "camel-zero-copy", "camel"),
        "E7": hop.largest_share(runs),
        "E7-least": hop.relay_share(bounds.runs),
        "E7-io": cpu.extra_in_kernel(runs, "synapse"),
        "E7-waiting": cpu.per_block(runs, "synapse", "idle"),
        "E8": hop.failed_percent(open_files.runs, "synapse-tuned", "1024"),
        "E8-default": hop.failed_percent(open_files.runs, "synapse", "1024"),
        "E8-raised": hop.failed_percent(open_files.runs, "synapse-tuned", "20000"),
    }
    for claim in (
        *claims.THROUGHPUT_FINDINGS, *claims.BOUNDS_FINDINGS, *claims.MECHANISM_FINDINGS, *claims.OPEN_FILES_FINDINGS
    ):  # fmt: skip
        yield claim, values[claim.id], "log" if claim.unit == "ratio" else "identity"
