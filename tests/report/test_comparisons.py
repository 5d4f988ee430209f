import numpy as np
import pandas as pd
import pytest

from perfstudies.report import comparisons
from perfstudies.stats.anova import anova


@pytest.fixture
def means():
    rng = np.random.default_rng(1)
    rows = [
        (block, level, ms * rng.normal(1, 0.01))
        for block in range(20)
        for level, ms in (("off", 100), ("info", 100), ("trace", 800))
    ]
    frame = pd.DataFrame(rows, columns=["block", "level", "request_ms"])
    return frame.assign(level=pd.Categorical(frame["level"], ["off", "info", "trace"]))


def test_an_analysis_of_variance_is_printed_by_source(means):
    result = anova(means, "request_ms", "level", block="block", log=True)
    table = comparisons.anova_table(result)
    assert table.loc["level", "p"] == "< 0.001"
    assert table.loc["residual", "p"] == ""
    assert table.loc["residual", "df"] == "38"
    assert comparisons.checks(result).startswith("Shapiro-Wilk: ")


def test_of_a_test_that_runs_are_too_few_for_nothing_is_said(means):
    few = anova(means[means["block"] < 2], "request_ms", "level", block="block", log=True)
    assert np.isnan(few.equal_variances.p)
    assert "Brown" not in comparisons.checks(few) and comparisons.checks(few).endswith(".")


@pytest.mark.parametrize(("p", "text"), [(0.0001, "< 0.001"), (0.0316, "0.032"), (float("nan"), "")])
def test_a_p_value_is_written_to_a_thousandth(p, text):
    assert comparisons.p_text(p) == text
