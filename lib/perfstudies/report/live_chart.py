"""Progress as a picture: the response times of the run that is being measured, growing below its cell.

The AAA study's authors watched their server on a page of their own (their section 5.4). Here a notebook that measures
shows the last requests' total and EJB times, as in the study's figures, and the moving average of the total time.

The picture is drawn as SVG from text, which takes some milliseconds: it must not take the processor from what it
shows. It reads the clients' records, so nothing is measured twice. Its output carries ``perfstudies.live`` in its
metadata, by which a report leaves it out: what stays in a report are the figures made from whole runs.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from IPython import get_ipython
from IPython.display import display
from matplotlib.colors import to_hex
from matplotlib.ticker import MaxNLocator

from perfstudies.exchange import OK
from perfstudies.logs.growing import Growing
from perfstudies.report.figures import COLOURS
from perfstudies.runs.bench import Progress

SHOWN = 300
WINDOW = 30
"""How many requests are shown, and over how many of them the average goes."""
SECONDS_BETWEEN = 1.0

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 250, 58, 12, 30, 40
TOTAL, EJB, AVERAGE, FAILED = (to_hex(COLOURS[at]) for at in (0, 1, 2, 3))


@dataclass(frozen=True)
class View:
    """What is shown: requests in the order in which they ended.

    Attributes
    ----------
    first : int
        The number of the first request shown, counted from 1.
    total_ms, ejb_ms : sequences of float
        Of each request shown; missing (NaN) where it had no answer or told no EJB time.
    run : int
        Which run since the picture began.
    ended, failed : int
        How many requests of the run have ended, and how many of these without the answer asked for.
    """

    first: int
    total_ms: Sequence[float]
    ejb_ms: Sequence[float]
    run: int
    ended: int
    failed: int

    def words(self) -> str:
        """Say what the picture shows."""
        total = np.asarray(self.total_ms, dtype=float)
        text = f"Run {self.run}: {self.ended:,} requests ended, {self.failed:,} of them failed."
        if np.isfinite(total).any():
            text += f" Mean total time of the last {np.isfinite(total).sum():,} answered: {np.nanmean(total):,.1f} ms."
        return text


def svg(view: View, window: int = WINDOW) -> str:
    """Draw a view: total and EJB time, the total's moving average, and crosses at the bottom for what failed."""
    total, ejb = (np.asarray(values, dtype=float) for values in (view.total_ms, view.ejb_ms))
    seen = np.concatenate([total, ejb])
    seen = seen[np.isfinite(seen)]
    ticks = np.asarray(MaxNLocator(nbins=4).tick_values(0, max(seen.max() * 1.05, 1e-3) if seen.size else 1.0))
    ticks = ticks[ticks >= 0]
    width, height = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    across = LEFT + width * (np.arange(total.size) + 0.5) / max(total.size, 1)

    def down(values: Any) -> Any:
        return TOP + height * (1 - values / ticks[-1])

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" role="img" '
        f'aria-label="{escape(view.words())}" font-family="sans-serif" font-size="12" fill="#1b1f24">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
    ]
    for tick in ticks:
        y = float(down(tick))
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{tick:,g}</text>')
    # Over each request and those before it, `window` at most; what failed is left out of it.
    average = pd.Series(total).rolling(window, min_periods=1).mean().to_numpy()
    for values, colour, thick in ((ejb, EJB, 1), (total, TOTAL, 1), (average, AVERAGE, 2.5)):
        parts += [
            f'<polyline fill="none" stroke="{colour}" stroke-width="{thick}" points="{points}"/>'
            for points in _pieces(across, down(values))
        ]
    for x in across[~np.isfinite(total)]:
        parts.append(f'<text x="{x:.1f}" y="{TOP + height - 2}" text-anchor="middle" fill="{FAILED}">×</text>')
    parts += _words(view, window)
    return "\n".join([*parts, "</svg>"])


def _pieces(across: np.ndarray, down: np.ndarray) -> Iterator[str]:
    """Yield the points of each stretch of known values; a value alone is a stretch of its own length."""
    known = np.flatnonzero(np.isfinite(down))
    for piece in np.split(known, np.flatnonzero(np.diff(known) > 1) + 1):
        places = [(across[at], down[at]) for at in piece]
        if len(places) == 1:
            (x, y) = places[0]
            places = [(x - 1, y), (x + 1, y)]
        if places:
            yield " ".join(f"{x:.1f},{y:.1f}" for x, y in places)


def _words(view: View, window: int) -> list[str]:
    last = view.first + max(len(view.total_ms) - 1, 0)
    signs = ((TOTAL, "—", "total time"), (EJB, "—", "EJB time"), (AVERAGE, "━", f"total, average of {window}"),
             (FAILED, "×", "failed"))  # fmt: skip
    legend = "".join(f'<tspan dx="14" fill="{colour}">{sign}</tspan> {name}' for colour, sign, name in signs)
    return [
        f'<text x="{LEFT - 14}" y="18">{legend}</text>',
        f'<text x="{LEFT}" y="{HEIGHT - 22}">{view.first:,}</text>',
        f'<text x="{WIDTH - RIGHT}" y="{HEIGHT - 22}" text-anchor="end">{last:,}</text>',
        f'<text x="{(LEFT + WIDTH) / 2:.0f}" y="{HEIGHT - 22}" text-anchor="middle">request, as they ended</text>',
        f'<text x="{LEFT}" y="{HEIGHT - 5}" fill="#57606a">{escape(view.words())}</text>',
        f'<text transform="translate(14 {TOP + 80}) rotate(-90)" text-anchor="middle">time (ms)</text>',
    ]


class LiveChart:
    """The picture below a cell; call it with the records of the run under way.

    Other records than the last time's are another run: it starts anew.

    Parameters
    ----------
    show : callable
        Shows an SVG document and its words, in the place of the last one.
    clock : callable
        Seconds.
    """

    def __init__(self, show: Callable[[str, str], None], clock: Callable[[], float] = time.monotonic):
        self._show, self._clock = show, clock
        self._run, self._shown_at = 0, -np.inf
        self._paths: tuple[Path, ...] | None = None
        self._forget()

    def _forget(self) -> None:
        self._growing, self._requests = Growing(), deque[Any](maxlen=SHOWN)
        self._ended = self._failed = 0

    def __call__(self, records: Sequence[Path]) -> None:
        """Read on, and show the picture if the last one is a second old."""
        if self._clock() - self._shown_at < SECONDS_BETWEEN:
            return
        if (paths := tuple(records)) != self._paths:
            self._paths, self._run = paths, self._run + 1
            self._forget()
        self._read(paths)
        if self._ended:
            self._show(svg(view := self.view()), view.words())
        self._shown_at = self._clock()

    def finish(self) -> None:
        """Show what was recorded after the last picture, whatever its age."""
        if self._paths is not None:
            self._shown_at = -np.inf
            self(self._paths)

    def view(self) -> View:
        """Return what is to be shown now."""
        total, ejb = zip(*self._requests, strict=True) if self._requests else ((), ())
        return View(self._ended - len(total) + 1, total, ejb, self._run, self._ended, self._failed)

    def _read(self, paths: Sequence[Path]) -> None:
        rows = sorted(self._growing.rows(paths), key=lambda row: _number(row, "ended_us"))
        for row in rows:
            answered = row.get("outcome") == OK
            total_ms = (_number(row, "ended_us") - _number(row, "started_us")) / 1000
            self._requests.append((total_ms, _number(row, "ejb_ms")) if answered else (np.nan, np.nan))
            self._failed += not answered
        self._ended += len(rows)


def _number(row: Mapping[str, str], column: str) -> float:
    """Return a field as a number, missing if it is none: a picture of progress never ends a measurement."""
    try:
        return float(row.get(column, "nan"))
    except ValueError:
        return np.nan


@contextmanager
def watching() -> Iterator[Progress | None]:
    """Yield what shows the growing picture below the cell that is running; None where there is no notebook.

    The picture appears with the first request, so a cell that measures nothing shows nothing.
    """
    if getattr(get_ipython(), "kernel", None) is None:
        yield None
        return
    handle = None

    def show(picture: str, words: str) -> None:
        nonlocal handle
        bundle, metadata = {"text/html": picture, "text/plain": words}, {"perfstudies": {"live": True}}
        if handle is None:
            handle = display(bundle, metadata=metadata, raw=True, display_id=True)
        else:
            handle.update(bundle, metadata=metadata, raw=True)

    chart = LiveChart(show)
    try:
        yield chart
    finally:
        chart.finish()
