import warnings

import numpy as np
import pandas as pd
import pytest

from perfstudies.errors import BadParameter
from perfstudies.stats.anova import anova
from perfstudies.stats.contrasts import contrasts, lenth
from perfstudies.stats.factorial import fractional

PAIR = fractional(["A", "B"], {})


def repeated(design, *responses, **more) -> pd.DataFrame:
    parts = [design.runs.assign(y=list(values), block=number) for number, values in enumerate(responses)]
    return pd.concat(parts, ignore_index=True)


def test_jain_s_memory_and_cache():
    # Section 17.2: 15, 45, 25, 75 MIPS; 76 % of the variation is due to memory, 19 % to the cache, 5 % to both.
    found = contrasts(repeated(PAIR, [15, 45, 25, 75]), "y", PAIR)
    table = found.effects.set_index("effect")
    assert table["size"].to_dict() == {"A": 40, "B": 20, "A x B": 10}  # twice Jain's q
    assert table["share"].to_dict() == pytest.approx({"A": 1600 / 2100, "B": 400 / 2100, "A x B": 100 / 2100})
    assert table["p"].isna().all()


def test_jain_s_replicated_design():
    # Section 18.2 to 18.5: three replications, s_e = 3.57, 90 % intervals of q: 21.5 and 9.5 and 5, each +- 1.92.
    runs = repeated(PAIR, [15, 45, 25, 75], [18, 48, 28, 75], [12, 51, 19, 81])
    found = contrasts(runs, "y", PAIR, confidence=0.9)
    table = found.effects.set_index("effect")
    assert (table["size"] / 2).to_dict() == {"A": 21.5, "B": 9.5, "A x B": 5}
    assert ((table["high"] - table["low"]) / 4).tolist() == pytest.approx([1.92] * 3, abs=0.005)
    assert table["share"].to_dict() == pytest.approx({"A": 5547 / 7032, "B": 1083 / 7032, "A x B": 300 / 7032})
    assert found.residual_share == pytest.approx(102 / 7032)


def test_jain_s_fraction_of_seven_factors():
    # Section 19.1: the columns' sums are 101, 35, 109, 43, 1, 47 and 3.
    design = fractional([*"ABCDEFG"], {"D": "AB", "E": "AC", "F": "BC", "G": "ABC"})
    found = contrasts(repeated(design, [20, 35, 7, 42, 36, 50, 45, 82]), "y", design)
    table = found.effects.set_index("effect").loc[[*"ABCDEFG"]]
    sums = np.array([101, 35, 109, 43, 1, 47, 3])
    assert table["size"].tolist() == pytest.approx(sums / 4)
    assert table["share"].tolist() == pytest.approx(sums**2 / (sums**2).sum())
    assert found.effects["effect"].tolist()[:2] == ["C", "A"]
    assert found.effects["aliases"][0] == "A x E = B x F = D x G"


@pytest.mark.parametrize("log", [False, True])
def test_as_the_analysis_of_variance_with_blocks(log):
    rng = np.random.default_rng(1)
    runs = repeated(PAIR, *(np.array([50, 60, 54, 80]) + 5 * block + rng.normal(0, 2, 4) for block in range(6)))
    runs = runs.sample(frac=1, random_state=2)
    found = contrasts(runs, "y", PAIR, block="block", log=log)
    whole = anova(runs, "y", ("A", "B"), block="block", log=log)
    mine, table = found.effects.set_index("effect"), whole.table.set_index("source")
    total = table["sum_sq"].sum()
    for effect in ("A", "B", "A x B"):
        for column in ("p", "omega_sq", "omega_sq_low", "omega_sq_high"):
            assert mine.loc[effect, column] == pytest.approx(table.loc[effect, column])
        assert mine.loc[effect, "share"] == pytest.approx(table.loc[effect, "sum_sq"] / total)
        low, high = mine.loc[effect, ["low", "high"]] - (1 if log else 0)
        assert (low * high > 0) == (mine.loc[effect, "p"] < 0.05)
    assert found.block_share == pytest.approx(table.loc["block", "sum_sq"] / total)
    assert found.residual_share == pytest.approx(table.loc["residual", "sum_sq"] / total)
    assert found.effects["share"].sum() + found.block_share + found.residual_share == pytest.approx(1)


def test_on_the_log_scale_effects_are_ratios():
    y = [10.0, 20, 30, 60]
    runs = repeated(PAIR, y, [value * 1.1 for value in y], [value * 0.95 for value in y])
    table = contrasts(runs, "y", PAIR, block="block", log=True).effects.set_index("effect")
    assert table["size"].to_dict() == pytest.approx({"A": 2, "B": 3, "A x B": 1})


def test_intervals_hold_the_truth_and_noise_is_significant_as_often_as_the_level_says():
    rng = np.random.default_rng(3)
    design = fractional([*"ABCDEFG"], {"E": "ABC", "F": "BCD", "G": "ACD"})
    held, p = [], []
    for _ in range(100):
        runs = repeated(design, *(3 * design.runs["A"] + rng.normal(block, 2, 16) for block in range(3)))
        table = contrasts(runs, "y", design, block="block").effects.set_index("effect")
        held.append(table.loc["A", "low"] <= 6 <= table.loc["A", "high"])
        p.extend(table.drop(index="A")["p"])
    assert 0.88 < np.mean(held) <= 1
    assert np.mean(np.array(p) <= 0.05) == pytest.approx(0.05, abs=0.018)


def test_lenth_s_error_by_hand():
    # 1.5 times the median 2 is 3; those below 7.5 are 1, 2 and 2, with median 2.
    assert lenth([1, -2, 2, 30, 40]) == (pytest.approx(1.5 * 2), pytest.approx(5 / 3))
    assert lenth([0, 0, 0]) == (0, 1)


def test_a_response_without_residual_gives_points():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = contrasts(repeated(PAIR, [0, 1, 0, 1], [0, 1, 0, 1]), "y", PAIR)
    row = found.effects.iloc[0]
    assert (row["size"], row["low"], row["high"], row["share"]) == (1, 1, 1, 1)
    assert (row["p"], row["omega_sq"], row["omega_sq_low"]) == (0, 1, 1)


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (lambda runs: runs.drop(columns="A"), {}, "no column A"),
        (lambda runs: runs.assign(A=runs["A"] * 2), {}, "coded -1"),
        (lambda runs: runs.iloc[:-1], {}, "equally often"),
        (lambda runs: runs.assign(block=[0, 0, 0, 0, 0, 1, 1, 1]), {"block": "block"}, "equally often"),
        (lambda runs: runs.assign(y=7.0), {}, "no run differs"),
        (lambda runs: runs.assign(y=runs["y"] - 10), {"log": True}, "above 0"),
    ],
)
def test_what_are_not_the_design_s_runs_is_refused(change, options, message):
    with pytest.raises(BadParameter, match=message):
        contrasts(change(repeated(PAIR, [1, 2, 3, 4], [2, 3, 4, 6])), "y", PAIR, **options)
