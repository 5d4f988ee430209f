"""Analysis of variance against certified results, published examples and independent computations."""

import itertools
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.oneway import anova_oneway

from perfstudies.errors import BadParameter
from perfstudies.stats.anova import Anova, anova

# NIST Statistical Reference Datasets, one-way analysis of variance, SiRstv (resistivity of silicon wafers in
# ohm cm, five instruments, five wafers each), with its certified values.
# https://www.itl.nist.gov/div898/strd/anova/SiRstv.html
SIRSTV = {
    "1": [196.3052, 196.1240, 196.1890, 196.2569, 196.3403],
    "2": [196.3042, 196.3825, 196.1669, 196.3257, 196.0422],
    "3": [196.1303, 196.2005, 196.2889, 196.0343, 196.1811],
    "4": [196.2795, 196.1748, 196.1494, 196.1485, 195.9885],
    "5": [196.2119, 196.1051, 196.1850, 196.0052, 196.2090],
}
CERTIFIED = {"between": 5.11462616e-2, "within": 0.21663656, "F": 1.18046237440255, "R2": 0.190999039051129}

# The example of scipy.stats.tukey_hsd's documentation.
HEADACHE = {
    "0": [24.5, 23.5, 26.4, 27.1, 29.9],
    "1": [28.4, 34.2, 29.5, 32.2, 30.1],
    "2": [26.1, 28.3, 24.3, 26.2, 27.8],
}


def frame(groups: dict[str, list[float]]) -> pd.DataFrame:
    rows = [(level, value) for level, values in groups.items() for value in values]
    return pd.DataFrame(rows, columns=["level", "ms"])


@pytest.fixture
def blocks() -> pd.DataFrame:
    """Three levels in eight blocks, with a strong drift over the blocks."""
    rng = np.random.default_rng(11)
    rows = [
        (block, level, 100 + 10 * block + {"off": 0, "info": 1, "debug": 9}[level] + rng.normal())
        for block in range(8)
        for level in ("off", "info", "debug")
    ]
    frame = pd.DataFrame(rows, columns=["block", "level", "ms"]).sample(frac=1, random_state=1)
    frame["level"] = pd.Categorical(frame["level"], ["off", "info", "debug"])
    return frame


@pytest.fixture(scope="module")
def unequal() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(5)
    return {"a": rng.normal(10, 0.1, 12), "b": rng.normal(10.5, 3, 9), "c": rng.normal(14, 1, 15)}


@pytest.fixture(scope="module")
def of_unequal(unequal) -> Anova:
    return anova(frame(unequal), "ms", "level")


def test_the_certified_values_of_nist():
    result = anova(frame(SIRSTV), "ms", "level")
    between, within = result.table.to_dict("records")
    assert (between["source"], between["df"], within["source"], within["df"]) == ("level", 4, "residual", 20)
    assert between["F"] == pytest.approx(CERTIFIED["F"], rel=1e-11)
    assert between["sum_sq"] == pytest.approx(CERTIFIED["between"], rel=1e-11)
    assert within["sum_sq"] == pytest.approx(CERTIFIED["within"], rel=1e-11)
    assert between["eta_sq"] == pytest.approx(CERTIFIED["R2"], rel=1e-11)
    assert between["p"] == pytest.approx(stats.f.sf(CERTIFIED["F"], 4, 20))


@pytest.mark.filterwarnings("ignore:scipy.stats.shapiro")  # whose p is inaccurate above 5,000 runs
@pytest.mark.parametrize("runs", [21, 201, 2001])
def test_values_far_from_zero_lose_no_digits(runs):
    # NIST's SmLs04 to SmLs06: nine settings, of which eight lie 0.1 beside the first, runs that differ by 0.1, and a
    # million added to all. Certified: F = the number of runs, exactly. Seven digits of a value are its million.
    shifts = [0.0, *[-0.1, 0.1] * 4]
    noise = [0.0, *[-0.1, 0.1] * (runs // 2)]
    groups = {
        f"{setting}": [round(1_000_000.4 + shift + one, 1) for one in noise] for setting, shift in enumerate(shifts)
    }
    between, within = anova(frame(groups), "ms", "level").table.to_dict("records")
    assert between["F"] == pytest.approx(runs, rel=1e-9)
    assert between["sum_sq"] == pytest.approx(0.08 * runs, rel=1e-9)
    assert within["sum_sq"] == pytest.approx(0.09 * (runs - 1), rel=1e-9)


def test_omega_squared_by_its_formula():
    row = anova(frame(HEADACHE), "ms", "level").table.iloc[0]
    mean_square = (row["sum_sq"] / row["F"]) / row["df"]
    total = np.var([x for group in HEADACHE.values() for x in group]) * 15
    assert row["omega_sq"] == pytest.approx((row["sum_sq"] - 2 * mean_square) / (total + mean_square))
    assert 0 < row["omega_sq_low"] < row["omega_sq"] < row["omega_sq_high"] < 1


def test_the_block_is_taken_out(blocks):
    result = anova(blocks, "ms", "level", block="block")
    wide = blocks.pivot(index="block", columns="level", values="ms")
    # The balanced two-way decomposition, by hand.
    rest = wide - wide.mean() - wide.mean(axis=1).to_numpy()[:, None] + wide.to_numpy().mean()
    sums = [8 * ((wide.mean() - wide.to_numpy().mean()) ** 2).sum(), (rest**2).to_numpy().sum()]
    table = result.table.set_index("source")
    assert table.loc[["level", "residual"], "sum_sq"].tolist() == pytest.approx(sums)
    assert table["df"].to_dict() == {"level": 2, "block": 7, "residual": 14}
    assert table.loc["level", "F"] == pytest.approx(sums[0] / 2 / (sums[1] / 14))
    # Without the block its drift drowns the effect.
    assert anova(blocks, "ms", "level").table["p"][0] > 0.05 > table.loc["level", "p"]


def test_welch_of_two_settings_is_the_t_test_squared(unequal):
    result = anova(frame({level: unequal[level] for level in ("a", "b")}), "ms", "level")
    t = stats.ttest_ind(unequal["a"], unequal["b"], equal_var=False)
    assert result.welch.statistic == pytest.approx(t.statistic**2)
    assert result.welch.p == pytest.approx(t.pvalue)


def test_residual_checks_are_those_of_scipy(unequal, of_unequal):
    result = of_unequal
    expected = stats.shapiro(np.concatenate([group - group.mean() for group in unequal.values()]))
    found = result.normality
    assert (found.statistic, found.p) == pytest.approx((expected.statistic, expected.pvalue))
    expected = stats.levene(*unequal.values(), center="median")
    found = result.equal_variances
    assert (found.statistic, found.p) == pytest.approx((expected.statistic, expected.pvalue))
    assert found.p <= 0.05


def test_on_the_log_scale_the_unit_does_not_matter(blocks):
    in_ms = anova(blocks, "ms", "level", block="block", log=True)
    in_s = anova(blocks.assign(ms=blocks["ms"] / 1000), "ms", "level", block="block", log=True)
    pd.testing.assert_frame_equal(in_ms.table, in_s.table)


def test_two_factors_with_their_interaction():
    rng = np.random.default_rng(2)
    rows = [
        (a, b, block, 2 * (a == "x") + 3 * (b == "v") + 4 * (a + b == "xv") + block + rng.normal(0, 0.5))
        for a, b, block in itertools.product("xy", "uv", range(6))
    ]
    data = pd.DataFrame(rows, columns=["http threads", "ejb", "block", "ms"])
    result = anova(data, "ms", ("http threads", "ejb"), block="block")
    table = result.table.set_index("source")
    df = {"http threads": 1, "ejb": 1, "block": 5, "http threads x ejb": 1, "residual": 15}
    assert table["df"].to_dict() == df
    # For two levels each, the interaction is one contrast of the four cells' means.
    cell = data.groupby(["http threads", "ejb"])["ms"].mean()
    contrast = cell["x", "v"] - cell["x", "u"] - cell["y", "v"] + cell["y", "u"]
    assert table.loc["http threads x ejb", "sum_sq"] == pytest.approx(6 * contrast**2 / 4)
    # Settings are the four combinations.
    cells = [group.to_numpy() for _, group in data.groupby(["http threads", "ejb"])["ms"]]
    assert result.welch.p == pytest.approx(anova_oneway(cells, use_var="unequal").pvalue)


def test_a_setting_without_spread_is_analysed_without_warning():
    # Bytes logged in a run: none at all with logging off or at level fatal.
    data = frame({"off": [0.0] * 5, "fatal": [0.0] * 5, "info": [10.0, 900.0, 40.0, 1500.0, 5.0]})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = anova(data, "ms", "level")
    assert np.isnan(result.welch.p)


def test_two_runs_of_a_setting_cannot_show_unequal_variances():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = anova(frame({"a": [1.0, 2.0], "b": [1.0, 90.0], "c": [5.0, 6.0, 7.0]}), "ms", "level")
    assert np.isnan(result.equal_variances.p)


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [
        (frame({"a": [1, 2, 3]}), {}, "two settings"),
        (frame({"a": [1, 2], "b": [1, np.inf]}), {}, "number 3 of 4 is inf"),
        (frame({"a": [1, 2], "b": [1, 0]}), {"log": True}, "above 0"),
        (frame({"a": [1, 1], "b": [2, 2]}), {}, "never differ"),
        (frame({"a": [1], "b": [2]}), {}, "do not suffice"),
        (frame({"a": [1, 2], "b": [2, 3]}).assign(block=[1, 1, 2, 2]), {"block": "block"}, "do not suffice"),
        (frame({"a": [1, 2], "b": [2, 3]}), {"block": "blok"}, "no column blok"),
    ],
)
def test_what_cannot_be_analysed_is_named(data, options, message):
    with pytest.raises(BadParameter, match=message):
        anova(data, "ms", "level", **options)
