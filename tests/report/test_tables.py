import math

import pandas as pd
import pytest

from perfstudies.report.tables import beside, cell_text, interval_text, table

HOSTILE = "<script>alert('x')</script> & \"y\""


def test_intervals_are_texts_with_fixed_decimals():
    assert interval_text(4.314, 4.118, 4.501) == "4.31 [4.12, 4.50]"
    assert interval_text(4431.41, 4400, 4460, digits=0) == "4,431 [4,400, 4,460]"
    assert interval_text(float("nan"), 1, 2) == "–"
    assert interval_text(4.3, float("nan"), float("nan"), digits=1) == "4.3 [no interval]"
    assert interval_text(4.3, -math.inf, math.inf, digits=1) == "4.3 [no interval]"


@pytest.mark.parametrize(
    ("value", "format", "text"),
    [
        (296059571, None, "296,059,571"),
        (4431.414, None, "4,431.41"),
        (0.98, ".1f", "1.0"),
        (0.98, "±.1f", "1.0"),
        (3, lambda value: f"<{value}>", "<3>"),
        (None, ".1f", "–"),
        (float("nan"), ".1f", "–"),
        (True, None, "yes"),
        ("as it is", ".1f", "as it is"),
    ],
)
def test_a_cell_is_one_text(value, format, text):
    assert cell_text(value, format) == text


def test_every_string_is_escaped():
    frame = pd.DataFrame(
        {(HOSTILE, HOSTILE + "a"): [HOSTILE], (HOSTILE, HOSTILE + "b"): [1]},
        index=pd.MultiIndex.from_tuples([(HOSTILE, HOSTILE)], names=[HOSTILE, HOSTILE]),
    )
    frame.columns = pd.MultiIndex.from_tuples(frame.columns)
    html = table(
        frame,
        HOSTILE,
        number=HOSTILE,
        units={HOSTILE + "b": HOSTILE},
        formats={HOSTILE + "b": lambda value: HOSTILE},
        align={HOSTILE + "a": HOSTILE},
        note=HOSTILE,
    ).to_html()
    assert "<script" not in html
    assert "'x'" not in html
    assert html.count("&lt;script&gt;") == 17  # label, caption and alignment count twice


def test_published_and_measured_stand_in_grouped_headings():
    published = pd.DataFrame({"Time": [332.5], "Size": [0]}, index=["Off"])
    measured = pd.DataFrame({"Time": ["8.1 [7.6, 8.6]"], "Size": [0]}, index=["Off"])
    html = table(beside(published, measured), "Times").to_html()
    assert '<th scope="colgroup" colspan="2" class="group">Published</th>' in html
    paired = beside(published, measured, pair=True)
    assert list(paired.columns) == [
        ("Time", "Published"),
        ("Time", "Measured"),
        ("Size", "Published"),
        ("Size", "Measured"),
    ]


def test_beside_keeps_the_rows_that_only_one_side_has():
    measured = pd.DataFrame({"a": [2.0, 3.0]}, index=["y", "x"])
    joined = beside(pd.DataFrame({"a": [1.0]}, index=["x"]), measured)
    assert list(joined.index) == ["x", "y"]
    assert joined["Measured", "a"].tolist() == [3.0, 2.0]
    assert table(joined, "t").text_frame()["Published", "a"].tolist() == ["1.00", "–"]


def test_numbers_and_intervals_stand_right_words_left():
    frame = pd.DataFrame({"n": [1], "i": ["4.31 [4.12, 4.50]"], "w": ["words"], "c": [1]})
    html = table(frame, "t", align={"c": "center"}).to_html()
    assert '<td class="right">1</td><td class="right">4.31 [4.12,\N{NO-BREAK SPACE}4.50]</td>' in html
    assert '<td style="text-align:left">words</td>' in html
    assert '<td style="text-align:center">1</td>' in html


def test_outer_row_labels_are_written_once():
    index = pd.MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1)], names=["group", "n"])
    html = table(pd.DataFrame({"v": [1, 2, 3]}, index=index), "t").to_html()
    assert html.count('<th scope="row" rowspan="2" style="text-align:left">a</th>') == 1
    assert html.count('<th scope="row" style="text-align:left">b</th>') == 1


def test_the_plain_text_has_caption_numbers_units_and_note():
    frame = pd.DataFrame({"Time": [332.52]}, index=["Off"])
    text = table(frame, "Times", number=8, units={"Time": "ms"}, note="30 runs").to_text()
    assert text.splitlines()[0] == "Table 8. Times"
    assert "Time (ms)" in text and "332.52" in text
    assert text.endswith("30 runs")


def test_of_a_table_without_rows_it_is_said_that_there_is_nothing():
    none = table(pd.DataFrame({"A": []}), "What failed, by <tag>")
    assert none.to_text() == "What failed, by <tag> – nothing of that in these runs."
    assert none.to_html() == '<p class="note">What failed, by &lt;tag&gt; – nothing of that in these runs.</p>'


def test_equal_tables_are_equal_texts():
    frame = pd.DataFrame({"a": [1.5]})
    assert table(frame, "t")._repr_mimebundle_() == table(frame, "t")._repr_mimebundle_()


def test_a_number_breaks_before_its_interval_or_margin_alone_and_words_break_anywhere():
    shown = table(pd.DataFrame({"n": ["12 of 30 ± 1"], "w": ["two words"]}), "t", align={"n": "right"}).to_html()
    assert "12\N{NO-BREAK SPACE}of\N{NO-BREAK SPACE}30 ±\N{NO-BREAK SPACE}1" in shown and "two words" in shown
