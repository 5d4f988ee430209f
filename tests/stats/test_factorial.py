import numpy as np
import pytest

from perfstudies.errors import BadParameter
from perfstudies.stats.factorial import columns, fractional

FACTORS = [*"ABCDEFGH"]
# Of the designs of 16 runs with the highest resolution (Box and Hunter).
GENERATORS = {
    5: {"E": "ABCD"},
    6: {"E": "ABC", "F": "BCD"},
    7: {"E": "ABC", "F": "BCD", "G": "ACD"},
    8: {"E": "BCD", "F": "ACD", "G": "ABC", "H": "ABD"},
}


def screening(count):
    return fractional(FACTORS[:count], GENERATORS.get(count, {}))


def test_a_full_design_runs_every_combination_once():
    design = fractional(["threads", "pool", "timer"], {})
    assert len(design.runs) == 8 and not design.runs.duplicated().any()
    assert design.runs["threads"].tolist() == [-1, 1] * 4 and design.runs["timer"].tolist() == [-1] * 4 + [1] * 4
    assert (design.words, design.resolution) == ((), None)
    assert design.aliases["threads x pool x timer"] == ("threads x pool x timer",)


# Resolutions printed by Box and Hunter.
@pytest.mark.parametrize(("count", "runs", "resolution"), [(5, 16, 5), (6, 16, 4), (7, 16, 4), (8, 16, 4)])
def test_screening_designs_are_orthogonal_and_of_the_printed_resolution(count, runs, resolution):
    design = screening(count)
    sign = columns(design, design.runs).to_numpy()
    assert sign.shape == (runs, runs - 1) and design.resolution == resolution
    assert (sign.T @ sign == runs * np.eye(runs - 1)).all() and (sign.sum(axis=0) == 0).all()
    assert len(design.words) == 2 ** (count - 4) - 1
    assert all((design.runs[word.split(" x ")].prod(axis=1) == 1).all() for word in design.words)


@pytest.mark.parametrize("count", range(1, 9))
def test_aliases_share_a_column_and_no_factor_is_confounded_with_two(count):
    design = screening(count)
    sign = columns(design, design.runs)
    for name, aliases in design.aliases.items():
        for alias in aliases:
            assert (design.runs[alias.split(" x ")].prod(axis=1) == sign[name]).all()
    pairs = [alias for aliases in design.aliases.values() for alias in aliases if alias.count(" x ") <= 1]
    assert sorted(pairs) == sorted(set(pairs)) and len(pairs) == count + count * (count - 1) // 2
    assert all(design.aliases[name] == (name,) for name in FACTORS[:count])


def test_the_words_of_jain_s_fraction():
    # Jain, section 19.1: seven factors in eight runs, a design of resolution III.
    design = fractional(FACTORS[:7], {"D": "AB", "E": "AC", "F": "BC", "G": "ABC"})
    assert (len(design.runs), design.resolution, len(design.words)) == (8, 3, 15)
    assert design.aliases["A"] == ("A", "B x D", "C x E", "F x G")


@pytest.mark.parametrize(
    ("factors", "generators", "message"),
    [
        ([], {}, "different names"),
        ("AB", {}, "different names"),
        (["A", "A"], {}, "different names"),
        (["A x B", "C"], {}, "different names"),
        (["A", "B", "C"], {"C": "AX"}, "factor = 'X'"),
        (["A", "B", "C", "D"], {"C": "AB", "D": "BC"}, "not generated themselves"),
        (["A", "B", "C", "D"], {"C": "AB", "D": "AB"}, "same column"),
        (["A", "B"], {"B": "A"}, "same column"),
        ([str(i) for i in range(13)], {}, "take a fraction"),
    ],
)
def test_what_is_no_design_is_refused(factors, generators, message):
    with pytest.raises(BadParameter, match=message):
        fractional(factors, generators)
