"""Which part of a whole each kind has, from the printed composition of the whole and of each kind.

If the whole is made of the kinds and nothing else, its composition is the mean of theirs, weighted by their
parts. Printed numbers are rounded, so the weights are known only up to bounds: the linear programme below
finds the smallest and the largest weight that any unrounded numbers allow.

Source: G. B. Dantzig, *Linear Programming and Extensions*, Princeton 1963; a product of a weight and a rounded
share is bounded on both sides by multiples of the weight, which keeps everything linear.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import linprog

from perfstudies.errors import BadParameter


def weights(whole: pd.Series, kinds: pd.DataFrame, rounding: float) -> pd.DataFrame:
    """Return the least and the greatest weight of each kind.

    Parameters
    ----------
    whole : Series
        The composition of the whole, a value a component.
    kinds : DataFrame
        A row a kind, the same components as columns, in the same unit.
    rounding : float
        How far a printed value may lie from the true one: 0.005 for two decimals.

    Returns
    -------
    DataFrame
        A row a kind: ``low`` and ``high``, fractions of the whole.

    Raises
    ------
    BadParameter
        If no weights explain the whole: then it is not made of these kinds alone.
    """
    shares = kinds[whole.index].to_numpy(dtype=float)
    count, components = shares.shape
    width = count * (1 + components)  # the weights, then each kind's amount of each component
    amounts = np.eye(width)[count:].reshape(count, components, width)
    weight = np.eye(width)[:count]
    rows, limits = [], []
    for kind in range(count):
        for component in range(components):
            amount, share = amounts[kind, component], shares[kind, component]
            rows += [amount - (share + rounding) * weight[kind], (share - rounding) * weight[kind] - amount]
            limits += [0.0, 0.0]
    for component, value in enumerate(whole):
        together = amounts[:, component].sum(axis=0)
        rows += [together, -together]
        limits += [value + rounding, rounding - value]
    ends = {}
    for kind, name in enumerate(kinds.index):
        found: list[Any] = [
            linprog(sign * weight[kind], rows, limits, weight.sum(axis=0, keepdims=True), [1]) for sign in (1, -1)
        ]
        if any(one.status != 0 for one in found):
            raise BadParameter(f"no weights of {', '.join(map(str, kinds.index))} explain the whole")
        ends[name] = {"low": found[0].fun, "high": -found[1].fun}
    return pd.DataFrame.from_dict(ends, orient="index")
