"""The drift that warming up left, checked against recordings that drift by construction."""

import numpy as np
import pytest

from made.esb import recording, run_row
from perfstudies.studies.esb import declared as esb
from perfstudies.studies.esb.analysis.loads import drift

CLIENTS = ("1000", "500", "250", "100", "50")
FACTORS = ("route", "connections")


def _drifting(rise: float, blocks: int = 6, seed: int = 1, **more):
    """Make runs in random order whose rate rises by a factor over each block, on Camel only."""
    random, rows = np.random.default_rng(seed), []
    settings = [(route, clients) for route in ("direct", "camel") for clients in CLIENTS]
    for block in range(blocks):
        order = random.permutation(len(settings))
        for position, number in enumerate(order):
            route, clients = settings[number]
            grown = rise ** (position / (len(settings) - 1)) if route == "camel" else 1.0
            rate = 1000 * grown * float(random.normal(1, 0.005)) / (1 + block / 100)
            rows.append(run_row(len(rows), block, {"route": route, "connections": clients}, rate, **more))
            rows[-1]["position"] = position
    return recording(esb.THROUGHPUT, rows)


@pytest.mark.parametrize("rise", [0.8, 1.0, 1.5])
def test_a_drift_over_a_block_is_found_where_it_is(rise):
    runs = _drifting(rise).runs
    found = drift(runs, FACTORS, "camel")
    assert found.low < rise < found.high and found.high / found.low < 1.2
    steady = drift(runs, FACTORS, "direct")
    assert steady.low < 1 < steady.high and steady.high / steady.low < 1.1
    assert (found.n, found.confidence) == (6, 0.95)


def test_one_block_shows_no_drift():
    assert np.isnan(drift(_drifting(1.5, blocks=1).runs, FACTORS, "camel").low)
