"""Tables of an own-logs notebook: which files were read, and what is read from the sample of every tool."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from perfstudies.own.aggregate import Observed
from perfstudies.own.logs import files
from perfstudies.own.logs.observe import observe
from perfstudies.own.logs.samples import SAMPLES, Sample
from perfstudies.report.tables import Table, table


def sources_table(observed: Observed) -> Table:
    """Show which files were read, each with the format that it was read as."""
    rows = [source.split(": ", 1) for source in observed.sources]
    files_read = pd.Index([file for file, _ in rows], name="File")
    shown = pd.DataFrame({"Read as": [what for _, what in rows]}, index=files_read)
    return table(shown, "What was read", note=f"{observed.set_aside_lines:,} lines were set aside.")


def samples_table(samples: Iterable[Sample] = SAMPLES) -> Table:
    """Show what is read from samples, a row each; what a format leaves out is said in the note."""
    rows, remarks = {}, {}
    for sample in samples:
        observed = observe({sample.tool: sample.path}, sample.format, sample.pattern)
        run = observed.runs.iloc[0]
        form, _, remark = observed.sources[0].split(": ", 1)[1].removesuffix(")").partition(" (")
        if remark:
            remarks[form] = remark
        rows[sample.tool, sample.file] = {
            "Lines": files.count(sample.path),
            "Requests": int(run["requests"]),
            "Errors": int(run["errors"]),
            "Set aside": observed.set_aside_lines,
            "Mean": run["mean_ms"],
            "99 % within": run["p99_ms"],
            "Read as": form,
        }
    shown = pd.DataFrame.from_dict(rows, orient="index")
    shown.index = pd.MultiIndex.from_tuples(rows, names=["Tool", "File"])
    return table(
        shown, "What is read from the sample of every tool", units={"Mean": "ms", "99 % within": "ms"},
        formats={"Mean": ".2f", "99 % within": ".2f"}, align={"Read as": "left"},
        note="Lines that are no request belong to most formats: headings, other measurements, users who come and go. "
        + f"Some hold less: {'; '.join(f'{form} ({remark})' for form, remark in remarks.items())}.",
    )  # fmt: skip
