import base64
import io

import pandas as pd
import pytest
from PIL import Image

from perfstudies.errors import BadParameter
from perfstudies.report import figures
from perfstudies.report.points import points
from perfstudies.stats.interval import Interval

SLICES = ["Web", "Web Service", "Service", "Hibernate Engine", "Writes", "Reads"]
SHARES = pd.DataFrame([[0.98, 4.94, 70.07, 14.13, 5.35, 4.52]], columns=SLICES, index=["All"])


@pytest.fixture
def shown(monkeypatch):
    outputs = []
    monkeypatch.setattr(figures, "display", lambda data, raw, metadata: outputs.append((data, metadata)))
    return outputs


def test_a_figure_is_a_picture_with_alt_and_a_caption_with_numbers(shown):
    fig = figures.stacked_bars(SHARES, SHARES)
    figures.figure(fig, 6, "Breakdown <b>", alt=' Two "bars". ', data=SHARES.T, note="30 runs")
    (picture, picture_metadata), (caption, caption_metadata) = shown
    assert picture_metadata["image/png"]["alt"] == 'Two "bars".'
    stored = Image.open(io.BytesIO(base64.b64decode(picture["image/png"])))
    assert stored.size[0] == 2 * picture_metadata["image/png"]["width"]
    assert not {"Software", "Creation Time"} & set(stored.info)
    assert "<b>" not in caption["text/html"] and "Breakdown &lt;b&gt;" in caption["text/html"]
    assert "<details>" in caption["text/html"] and "70.07" in caption["text/html"]
    assert "70.07" in caption["text/plain"] and "30 runs" in caption["text/plain"]
    assert caption_metadata["perfstudies"]["caption"] == picture_metadata["perfstudies"]["figure"]


def test_a_caption_of_two_figures_has_the_plural(shown):
    for number in (7, "7 and 8"):
        figures.figure(figures.stacked_bars(SHARES, SHARES), number, "Times", "Bars.", SHARES.T)
    assert [one["text/plain"] for one, _ in shown[::2]] == ["Figure 7. Times", "Figures 7 and 8. Times"]


def test_an_alternative_text_can_follow_from_axes_and_numbers(shown):
    cells = pd.DataFrame(
        {"Measured": [Interval(2.5, 2, 3, 0.95, 4), 12.25, 3.5], "Words": "x"}, index=["off", "info", "trace"]
    )
    figures.figure(points(cells[["Measured"]], "Log level", "Request time (ms)"), 16, "Times", alt=None, data=cells)
    alt = shown[0][1]["image/png"]["alt"]
    assert alt == "Request time (ms), logarithmic over Log level. Measured: 2.5 at off, 12.2 at info, 3.5 at trace."


def test_an_alternative_text_of_many_columns_ends_with_how_many_there_are():
    data = pd.DataFrame({f"column {number}": [1.0, 2.0] for number in range(20)})
    alt = figures.described(figures.stacked_bars(SHARES, SHARES), data)
    assert "column 5: 1 at 0, 2 at 1; and 14 more, in the table of its numbers." in alt and "column 6" not in alt


@pytest.mark.parametrize("alt", ["", "  "])
def test_a_figure_without_alternative_text_is_refused(shown, alt):
    with pytest.raises(BadParameter, match="Figure 6: alt is empty"):
        figures.figure(figures.stacked_bars(SHARES, SHARES), 6, "Breakdown", alt=alt, data=SHARES)
    assert shown == []


def test_a_figure_without_numbers_or_title_is_refused(shown):
    with pytest.raises(BadParameter, match="data must be a frame"):
        figures.figure(figures.stacked_bars(SHARES, SHARES), 6, "Breakdown", alt="Bars.", data=pd.DataFrame())
    with pytest.raises(BadParameter, match="title is empty"):
        figures.figure(figures.stacked_bars(SHARES, SHARES), 6, "", alt="Bars.", data=SHARES)


def test_equal_figures_are_equal_bytes():
    one, two = (figures.png(figures.stacked_bars(SHARES, SHARES)) for _ in range(2))
    assert one == two


def test_stacked_bars_draw_both_rows_to_their_full_length():
    other = SHARES * 0 + [3.1, 12.3, 48.2, 20.4, 9.0, 7.0]
    axes = figures.stacked_bars(SHARES, other).axes[0]
    widths = [[bar.get_width() for bar in bars] for bars in axes.containers]
    assert widths[2] == [70.07, 48.2]
    assert sum(row[1] for row in widths) == pytest.approx(100)
    assert "%" in axes.get_xlabel()
    assert len({bars[0].get_hatch() for bars in axes.containers}) == len(SLICES)


def test_drawing_leaves_the_notebooks_own_style_alone():
    import matplotlib

    before = dict(matplotlib.rcParams)
    figures.png(figures.stacked_bars(SHARES, SHARES))
    assert dict(matplotlib.rcParams) == before
