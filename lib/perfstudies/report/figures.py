"""Figures for notebooks: a sober style, alternative texts, and always the table of the numbers drawn.

A figure is two outputs of a cell: the picture, whose metadata carry its alternative text, and its
caption with the numbers. The notebook tests compare the numbers, never the picture's bytes.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from html import escape
from numbers import Number
from typing import Any

import matplotlib
import pandas as pd
import seaborn
from IPython.display import display
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from PIL import Image

from perfstudies.errors import BadParameter
from perfstudies.report.tables import Format, Table
from perfstudies.stats.interval import Interval, ends

# An inch of a figure is 100 CSS pixels; twice as many are stored, for dense screens and for print.
SCREEN_DPI, STORED_DPI = 100, 200
COLOURS_STORED = 256
WIDTH_INCH = 7.2

COLOURS = [seaborn.color_palette("colorblind")[position] for position in (0, 1, 2, 4, 7, 9)]
TOLD = 6
"""Columns that an alternative text tells of; whoever wants all has the table."""
HATCHES = ["", "////", "....", "\\\\\\\\", "xxxx", "----"]


def style() -> AbstractContextManager:
    """Return the context in which every figure of a report is drawn.

    White ground, light grid, the font that matplotlib brings along (so that a picture does not depend on
    the fonts of the host), seaborn's colour-blind palette.
    """
    settings = seaborn.axes_style("whitegrid") | {
        "font.family": "DejaVu Sans",
        "font.size": 9.5,
        "axes.labelsize": 9.5,
        "axes.titlesize": 10,
        "xtick.labelsize": 9,
        "ytick.labelsize": 9,
        "legend.fontsize": 9,
        "legend.frameon": False,
        "axes.edgecolor": "0.35",
        "grid.color": "0.88",
        "text.color": "0.1",
        "axes.labelcolor": "0.1",
        "hatch.linewidth": 0.6,
        "figure.facecolor": "white",
        "savefig.facecolor": "white",
        "svg.hashsalt": "perfstudies",
        "axes.prop_cycle": matplotlib.rcsetup.cycler("color", COLOURS),
    }
    return matplotlib.rc_context(settings)  # type: ignore[arg-type]


def figure(
    fig: Figure,
    number: int | str | None,
    title: str,
    alt: str | None,
    data: pd.DataFrame,
    formats: Format | Mapping | None = None,
    units: Mapping | None = None,
    note: str = "",
) -> None:
    """Show a figure with its caption and the numbers that it draws, then close it.

    Parameters
    ----------
    fig : matplotlib.figure.Figure
        The drawn figure.
    number : int, str or None
        The study's own number of the figure: 16 gives "Figure 16."
    title : str
        The caption's text.
    alt : str, optional
        The alternative text: what a reader who cannot see the picture has to know. None derives it from the axes and
        the numbers (`described`); write one only where you can say more.
    data : pandas.DataFrame
        The numbers that the figure draws, shown below it on demand and compared by the notebook tests.
    formats, units : optional
        As for `perfstudies.report.tables.table`.
    note : str
        A line below the caption, for example what the intervals are and how many runs they rest on.

    Raises
    ------
    BadParameter
        If the alternative text, the title or the numbers are missing.
    """
    label = f"Figure{'s' if ' and ' in str(number) else ''} {number}." if number is not None else ""
    name = label.rstrip(".") or repr(title)
    if not isinstance(title, str) or not title.strip():
        raise BadParameter(f"figure {number}: title is empty; say what the figure shows")
    if not isinstance(data, pd.DataFrame) or data.empty:
        raise BadParameter(f"{name}: data must be a frame of the numbers that the figure draws")
    alt = described(fig, data) if alt is None else alt
    if not isinstance(alt, str) or not alt.strip():
        raise BadParameter(f"{name}: alt is empty; say in a sentence or two what the figure shows")

    width, height = (round(inches * SCREEN_DPI) for inches in fig.get_size_inches())
    caption = " ".join(part for part in (label, title) if part)
    display(
        {"image/png": base64.b64encode(png(fig)).decode("ascii"), "text/plain": caption},
        raw=True,
        metadata={
            "image/png": {"width": width, "height": height, "alt": alt.strip()},
            "perfstudies": {"figure": caption},
        },
    )
    numbers = Table(data, f"Numbers drawn in {name}", formats=formats or {}, units=units or {})
    strong = f"<strong>{escape(label)}</strong> " if label else ""
    remark = f' <span class="note">{escape(note)}</span>' if note else ""
    shown = (
        f"<p>{strong}{escape(title)}{remark}</p>\n"
        f"<details>\n<summary>{escape(numbers.caption)}</summary>\n"
        f"{numbers.to_html(caption=False)}\n</details>"
    )
    plain = "\n".join(part for part in (numbers.to_text(), note) if part)
    display({"text/html": shown, "text/plain": plain}, raw=True, metadata={"perfstudies": {"caption": caption}})


def described(fig: Figure, data: pd.DataFrame) -> str:
    """Put a figure into words: its axes, and of each column of numbers that it draws the ends and the extremes.

    Parameters
    ----------
    fig : matplotlib.figure.Figure
        The drawn figure, whose axes have texts.
    data : pandas.DataFrame
        What it draws; cells are numbers or intervals, of which the estimates are told. Other columns are left out.
    """
    axes = dict.fromkeys(
        (one.get_ylabel(), one.get_xlabel()) for one in fig.axes if one.get_ylabel() or one.get_xlabel()
    )
    head = "; ".join(" over ".join(label for label in pair if label) for pair in axes) or "A chart"
    said = [words for name in data.columns if (words := _column_words(name, data[name]))]
    more = [f"and {len(said) - TOLD} more, in the table of its numbers"] if len(said) > TOLD else []
    return f"{head}. {'; '.join(said[:TOLD] + more)}".rstrip(". ") + "."


def _column_words(name: Any, column: pd.Series) -> str:
    known = column.map(lambda cell: isinstance(cell, (Number, Interval)) and not isinstance(cell, bool)).any()
    numbers = ends(column)["estimate"].dropna() if known else pd.Series(dtype=float)
    if numbers.empty:
        return ""
    label = ", ".join(map(str, name)) if isinstance(name, tuple) else str(name)
    places = [", ".join(map(str, one)) if isinstance(one, tuple) else str(one) for one in numbers.index]
    at = dict.fromkeys((0, int(numbers.argmin()), int(numbers.argmax()), len(numbers) - 1))
    return f"{label}: " + ", ".join(f"{numbers.iloc[one]:.3g} at {places[one]}" for one in sorted(at))


def png(fig: Figure) -> bytes:
    """Return the figure as PNG, equal bytes for equal figures, and close it if pyplot holds it.

    It has at most 256 colours, chosen for it: nobody sees the difference, and it takes a third of the bytes.
    """
    if fig.get_layout_engine() is None:
        fig.set_layout_engine("constrained")
    drawn, stored = io.BytesIO(), io.BytesIO()
    with style():
        fig.savefig(drawn, format="png", dpi=STORED_DPI, pil_kwargs={"compress_level": 0})
    from matplotlib import pyplot

    pyplot.close(fig)
    with Image.open(drawn) as picture:
        reduced = picture.convert("RGB").quantize(COLOURS_STORED, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    reduced.save(stored, "PNG", compress_level=9)
    return stored.getvalue()


def stacked_bars(*frames: pd.DataFrame, names: Sequence[str] = ("published", "measured")) -> Figure:
    """Draw shares of request time as horizontal stacked bars, the study's above ours.

    Parameters
    ----------
    *frames : pandas.DataFrame
        The published shares first. One row a bar, one column a slice, in percent of the row; the first frame's rows and
        columns give the order of drawing, with the bars of a row below each other.
    names : sequence of str
        What the bars of a row are called, as many as there are frames.

    Returns
    -------
    matplotlib.figure.Figure
        To be shown by `figure`.
    """
    slices, rows = list(frames[0].columns), list(frames[0].index)
    bars = [
        (f"{row}, {name}" if len(rows) > 1 else name, frame.loc[row, slices].astype(float))
        for row in rows
        for name, frame in zip(names, frames, strict=True)
    ]
    heights = [position + 0.35 * (position // len(frames)) for position in range(len(bars))]
    with style():
        fig = Figure(figsize=(WIDTH_INCH, 1.35 + 0.42 * len(bars)), layout="constrained")
        axes = fig.subplots()
        left = [0.0] * len(bars)
        for at, slice_name in enumerate(slices):
            widths = [shares[slice_name] for _, shares in bars]
            look: dict[str, Any] = {"color": COLOURS[at % len(COLOURS)], "hatch": HATCHES[at % len(HATCHES)]}
            axes.barh(
                heights, widths, left=left, height=0.78, label=slice_name, edgecolor="white", linewidth=0.8, **look
            )
            for height, start, width in zip(heights, left, widths, strict=True):
                if width >= 4:  # a narrower slice has no room for its number; the table has it
                    white = {"facecolor": "white", "edgecolor": "none", "alpha": 0.9, "pad": 1.2}
                    centre: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 8.5, "bbox": white}
                    axes.text(start + width / 2, height, f"{width:.1f}", **centre)
            left = [start + width for start, width in zip(left, widths, strict=True)]
        axes.set_yticks(heights, [name for name, _ in bars])
        axes.invert_yaxis()
        axes.set_xlim(0, 100)
        axes.set_xlabel("Share of request time (%)")
        axes.grid(axis="y", visible=False)
        seaborn.despine(ax=axes, left=True)
        # Beside the axes, never over the bars.
        fig.legend(
            loc="outside upper center",
            ncols=min(len(slices), 6),
            fontsize=8.5,
            handlelength=1.5,
            handleheight=1.1,
            handletextpad=0.5,
            columnspacing=0.9,
        )
    return fig


def plain_numbers(axis: Axis) -> None:
    """Label a logarithmic axis with plain numbers, 2 and 5 between the powers of ten: it may span less than one."""

    def minor(value: float, _: float) -> str:
        return f"{value:,.10g}" if f"{value:e}"[0] in "25" else ""

    axis.set_major_formatter(lambda value, _: f"{value:,.10g}")
    axis.set_minor_formatter(minor)
