"""Results that travel with a notebook's outputs."""

import math

import nbformat
import numpy as np
import pandas as pd
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

from perfstudies.errors import BadParameter
from perfstudies.notebooks.results import results
from perfstudies.site.page import carried

ROW = {"name": "response time", "value": 12.345678912, "low": 11.5, "high": 13.25, "unit": "ms", "setting": "debug"}


def executed(*shown):
    cells = []
    for one in shown:
        data, metadata = one._repr_mimebundle_()
        cells.append(new_code_cell("x", outputs=[new_output("display_data", data=data, metadata=metadata)]))
    return nbformat.reads(nbformat.writes(new_notebook(cells=cells)), as_version=4)


def test_results_survive_a_notebook_file():
    other = {"name": "ratio", "value": np.float64(2), "low": math.nan, "setting": None}
    read = carried(executed(results([ROW]), results([other])), "results")
    assert read[0] == ROW | {"value": 12.3457}
    assert read[1] == {"name": "ratio", "value": 2.0, "low": None, "high": None, "unit": "", "setting": ""}


def test_the_table_shows_value_interval_unit_and_setting():
    data, _ = results([ROW, {"name": "share", "value": None}])._repr_mimebundle_()
    for kind in ("text/html", "text/plain"):
        for shown in ("response time", "12.3 [11.5, 13.2]", "ms", "debug", "–"):
            assert shown in data[kind].replace("\N{NO-BREAK SPACE}", " ")


def test_names_are_escaped():
    data, _ = results([ROW | {"name": "<script>", "unit": "<b>", "setting": "<i>"}], "<u>")._repr_mimebundle_()
    assert not any(tag in data["text/html"] for tag in ("<script>", "<b>", "<i>", "<u>"))


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([], "no result"),
        ([{"value": 1}], "no name"),
        ([{"name": "a"}], "no value"),
        ([ROW | {"lo": 1}], "Did you mean 'low'"),
        ([ROW | {"high": "13 ms"}], "no number"),
        ([ROW | {"value": True}], "no number"),
        ([ROW, ROW | {"value": 2}], "comes twice at setting 'debug'"),
    ],
)
def test_what_is_no_result_is_refused(rows, problem):
    with pytest.raises(BadParameter, match=problem):
        results(rows)


def test_a_missing_value_of_a_frame_is_none():
    frame = pd.DataFrame({"name": ["a"], "value": pd.array([None], dtype="Float64")})
    assert results(frame.to_dict("records")).rows[0]["value"] is None


def test_verdicts_are_read_from_outputs_and_notebooks_without_any_have_none():
    verdict = {"id": "S-1", "outcome": "reproduced"}
    output = new_output("display_data", data={}, metadata={"perfstudies": {"verdicts": [verdict]}})
    assert carried(new_notebook(cells=[new_code_cell("x", outputs=[output])]), "verdicts") == [verdict]
    assert carried(new_notebook(cells=[new_code_cell("x")]), "verdicts") == carried(new_notebook(), "results") == []
