"""HdrHistogram's percentile output, as HdrHistogram itself and wrk2 (``--latency``) print it: a distribution alone.

It holds no single request, so there are no windows of time, no operations and, but for wrk2's own lines, no errors and
no rate. Its number of requests, mean, standard deviation and greatest time are as printed; a percentile is the value of
the first printed line that reaches it; the spread puts each line's requests where its value is. Values are taken as ms,
which wrk2 prints and which is usual.

Source: ``AbstractHistogram.outputPercentileDistribution`` of HdrHistogram; wrk2's README.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from pathlib import Path

from perfstudies.errors import BadLog
from perfstudies.own.aggregate import Observed, of_run
from perfstudies.own.logs import summaries
from perfstudies.own.logs.summaries import number
from perfstudies.own.tally import LEAST_MS, QUANTILES, SPREAD_A_DECADE, spread_row

_HEADING = re.compile(r"\s*Value\s+Percentile\s+TotalCount\s+1/\(1-Percentile\)\s*")
_LINE = re.compile(r"\s*([\d.]+)\s+([01]\.\d+)\s+(\d+)(?:\s+(?:[\d.]+|inf|Infinity))?\s*")
_MEAN = re.compile(r"#\[Mean\s*=\s*([\d.]+),\s*StdDeviation\s*=\s*([\d.]+)\]")
_MAX = re.compile(r"#\[Max\s*=\s*([\d.]+),\s*Total count\s*=\s*(\d+)\]")
_SENT = re.compile(r"\s*(\d+) requests in ([\d.]+)(us|ms|s|m|h), ")
_FAILED = re.compile(r"\s*Non-2xx or 3xx responses: (\d+)")
Pair = tuple[float, float]
_SECONDS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}

NOTE = "a distribution alone: no single requests, no times of day, no errors"


def recognises(head: bytes) -> bool:
    """Say whether a log that begins so is one."""
    return re.search(rb"Value\s+Percentile\s+TotalCount", head) is not None


def summary(path: Path, setting: str, run: str) -> Observed:
    """Read a distribution as what was observed of a run.

    Raises
    ------
    BadLog
        If it was cut before its total, or is none; with file and line.
    """
    cut: list[int] = []
    lines, mean, most, rate, failed = _parsed(path, cut)
    if mean is None or most is None or not lines or lines[-1][1] < max(QUANTILES.values()):
        raise BadLog(path, 1, "percentiles without their total: the output was cut")
    reached = {name: next(value for value, share, _ in lines if share >= q) for name, q in QUANTILES.items()}
    spread: Counter[int] = Counter()
    before = 0
    for value, _, total in lines:
        spread[max(0, math.floor(math.log10(max(value, LEAST_MS) / LEAST_MS) * SPREAD_A_DECADE))] += total - before
        before = total
    # wrk2 counts failed answers only beside the distribution, in which they are too.
    row = {
        "requests": int(most[1]), "errors": failed, "start_s": math.nan, "took_s": math.nan, "rate_per_s": rate,
        "mean_ms": mean[0], "sd_ms": mean[1], **reached, "max_ms": most[0],
    }  # fmt: skip
    bins = [spread_row(at, requests) for at, requests in sorted(spread.items()) if requests]
    return summaries.said(of_run(setting, run, row, spread=bins), path, cut)


def _parsed(path: Path, cut: list[int]) -> tuple[list, Pair | None, Pair | None, float, int]:
    """Return the lines as (value, share, total), the two lines of totals, the rate and the failed answers."""
    lines: list[tuple[float, float, int]] = []
    mean: Pair | None = None
    most: Pair | None = None
    rate, sent, failed, inside = math.nan, 0.0, 0, False
    for at, one in enumerate(summaries.whole_lines(path, cut), start=1):
        try:
            if _HEADING.fullmatch(one):
                inside = most is None  # a second distribution, of the times as they were sent, is another one
            elif most is None and (found := _MEAN.search(one)):
                mean, inside = (number(found[1]), number(found[2])), False
            elif most is None and (found := _MAX.search(one)):
                most = number(found[1]), number(found[2])
            elif found := _SENT.match(one):
                sent = number(found[1])
                took_s = number(found[2]) * _SECONDS[found[3]]
                rate = sent / took_s if took_s else math.nan
            elif (found := _FAILED.match(one)) and sent and most:
                # Of all that was sent; the distribution begins later, when wrk2 has found its pace.
                failed = round(number(found[1]) / sent * most[1])
            elif inside and one.strip():
                lines.append(_line(one))
        except ValueError as error:
            raise BadLog(path, at, f"not a line of percentiles: {str(error)[:120]}") from error
        if len(lines) > 1 and lines[-1][::2] < lines[-2][::2]:
            raise BadLog(path, at, "a value or a total less than in the line before it")
    return lines, mean, most, rate, failed


def _line(text: str) -> tuple[float, float, int]:
    found = _LINE.fullmatch(text)
    if found is None:
        raise ValueError(repr(text.strip()[:80]))
    return number(found[1]), number(found[2]), int(number(found[3]))
