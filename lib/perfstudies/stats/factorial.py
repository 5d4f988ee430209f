"""Two-level designs: many factors in few runs, and what is then confounded with what.

Every factor has a low (-1) and a high (+1) level. A full design runs all 2^k combinations. A fraction gives some
factors the column of others' interaction ("E = ABC"), and then effects share columns: each is confounded with its
aliases. At resolution IV no factor is confounded with another or with an interaction of two, so factors are told
apart if interactions of three and more do not matter; interactions of two are confounded with each other.

Sources: G. E. P. Box and J. S. Hunter, "The 2^(k-p) fractional factorial designs", Technometrics 3, 1961; R. Jain,
*The Art of Computer Systems Performance Analysis*, Wiley 1991, chapters 17 to 19.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import combinations
from operator import xor

import numpy as np
import pandas as pd

from perfstudies.errors import BadParameter, require_one_of

MOST_RUNS = 4096
JOIN = " x "


@dataclass(frozen=True)
class Design:
    """A two-level design.

    Attributes
    ----------
    factors : tuple of str
    runs : DataFrame
        A row a setting in standard order (the first factor changes fastest), a column a factor, of -1 and 1.
    words : tuple of str
        The defining relation: products of factors that are 1 in every setting. Empty for a full design.
    resolution : int or None
        The length of the shortest word; None for a full design.
    aliases : dict
        For each column of the design (named by its shortest effect) all effects of it, up to interactions of two; if it
        has none of those, its shortest effects.
    """

    factors: tuple[str, ...]
    runs: pd.DataFrame
    words: tuple[str, ...]
    resolution: int | None
    aliases: dict[str, tuple[str, ...]] = field(repr=False)


def fractional(factors: Sequence[str], generators: Mapping[str, Sequence[str]]) -> Design:
    """Return the design in which some factors have the column of others' product.

    Parameters
    ----------
    factors : sequence of str
        All factors.
    generators : mapping
        For each generated factor the basic factors whose product its column is; of a full design there are none.

    Returns
    -------
    Design

    Raises
    ------
    BadParameter
        If a factor is named twice or unknown, a generator uses a generated factor, two words leave factors themselves
        confounded with the mean or with each other, or the design is too large.
    """
    names = _names(factors)
    for name in sorted({*generators} | {x for word in generators.values() for x in word}):
        require_one_of("factor", name, names)
    basic = [name for name in names if name not in generators]
    if any(x not in basic for word in generators.values() for x in word):
        raise BadParameter("a generator may only use factors that are not generated themselves")
    if 2 ** len(basic) > MOST_RUNS:
        raise BadParameter(f"{len(basic)} factors make {2 ** len(basic)} settings; take a fraction")
    column = {name: 1 << place for place, name in enumerate(basic)}
    # A product of columns is the exclusive or of their sets of basic factors.
    column |= {name: reduce(xor, (column[x] for x in word), 0) for name, word in generators.items()}
    if 0 in column.values() or len(set(column.values())) < len(column):
        raise BadParameter("two factors have the same column, so their effects could not be told apart")
    settings = np.arange(2 ** len(basic))
    signs = {name: _signs(settings, column[name]) for name in names}
    words = _words(names, column, list(generators))
    return Design(
        names,
        pd.DataFrame(signs, columns=list(names)),
        tuple(JOIN.join(word) for word in words),
        min(map(len, words), default=None),
        _aliases(names, column, len(basic)),
    )


def columns(design: Design, runs: pd.DataFrame) -> pd.DataFrame:
    """Return the columns of all effects for some runs: a column of -1 and 1 an effect, named as in `design.aliases`.

    Parameters
    ----------
    design : Design
    runs : DataFrame
        With a column a factor, of -1 and 1.
    """
    sign = {name: runs[name].to_numpy() for name in design.factors}
    products = {name: np.prod([sign[x] for x in name.split(JOIN)], axis=0) for name in design.aliases}
    return pd.DataFrame(products, index=runs.index)


def _names(factors: Sequence[str]) -> tuple[str, ...]:
    names = tuple(factors)
    if isinstance(factors, str) or not names or len(set(names)) < len(names) or any(JOIN in x for x in names):
        raise BadParameter(f"factors = {factors!r}; give a sequence of different names without {JOIN!r}")
    return names


def _signs(settings: np.ndarray, column: int) -> np.ndarray:
    """Return the column's sign in each setting: each basic factor is high where its bit of the setting is set."""
    low = np.array([bin(column & ~int(setting)).count("1") for setting in settings])
    return np.where(low % 2, -1, 1)


def _words(names: tuple[str, ...], column: dict[str, int], generated: list[str]) -> list[tuple[str, ...]]:
    """Return the defining relation: a word for each choice of generated factors, which fixes the basic ones in it."""
    words = []
    for size in range(1, len(generated) + 1):
        for chosen in combinations(generated, size):
            rest = reduce(xor, (column[name] for name in chosen))
            others = {name for name in names if name not in generated and rest & column[name]}
            words.append(tuple(name for name in names if name in others or name in chosen))
    return sorted(words, key=len)


def _aliases(names: tuple[str, ...], column: dict[str, int], basic: int) -> dict[str, tuple[str, ...]]:
    found: dict[int, list[tuple[str, ...]]] = {}
    for size in range(1, len(names) + 1):
        for effect in combinations(names, size):
            mine = found.setdefault(reduce(xor, (column[name] for name in effect)), [])
            if size <= 2 or not mine or len(mine[0]) == size:
                mine.append(effect)
        if size >= 2 and len(found.keys() - {0}) == 2**basic - 1:
            break
    found.pop(0, None)
    ordered = sorted(found.values(), key=lambda effects: len(effects[0]))
    return {JOIN.join(effects[0]): tuple(JOIN.join(effect) for effect in effects) for effects in ordered}
