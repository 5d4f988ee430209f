import numpy as np
import pandas as pd
import pytest

from perfstudies.report import comparisons
from perfstudies.stats.anova import anova
from perfstudies.stats.equivalence import all_equivalent


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


def test_pairs_are_printed_with_the_study_s_labels(means):
    table = comparisons.pairs_table(anova(means, "request_ms", "level", block="block", log=True), str.upper)
    assert table.index.tolist() == ["INFO / OFF", "TRACE / OFF", "TRACE / INFO"]
    assert float(table.loc["TRACE / OFF", "Ratio"].split(" ")[0]) == pytest.approx(8, rel=0.01)


def test_equivalence_is_claimed_for_all_pairs_or_not_at_all(means):
    same = all_equivalent(means, "request_ms", "level", ["off", "info"], 1.05, block="block")
    assert comparisons.equivalence_table(same, str.capitalize)["Equivalent"].to_dict() == {"Info / Off": True}
    assert comparisons.equivalence_text(same, 1.05) == "All pairs are equivalent within 5% (largest p < 0.001)."
    other = all_equivalent(means, "request_ms", "level", ["off", "info", "trace"], 1.05, block="block")
    assert comparisons.equivalence_text(other, 1.05).startswith("Not all pairs")


@pytest.mark.parametrize(("p", "text"), [(0.0001, "< 0.001"), (0.0316, "0.032"), (float("nan"), "")])
def test_a_p_value_is_written_to_a_thousandth(p, text):
    assert comparisons.p_text(p) == text
