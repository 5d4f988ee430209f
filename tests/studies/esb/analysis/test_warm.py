"""What warming up brought, and the drift that was left of it: checked against recordings that drift by construction."""

import numpy as np
import pytest

from made.esb import recording, run_row
from perfstudies.report.tables import MISSING
from perfstudies.studies.esb import declared as esb
from perfstudies.studies.esb.analysis import warm

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
    found = warm.drift(runs, FACTORS, "camel")
    assert found.low < rise < found.high and found.high / found.low < 1.2
    steady = warm.drift(runs, FACTORS, "direct")
    assert steady.low < 1 < steady.high and steady.high / steady.low < 1.1
    assert (found.n, found.confidence) == (6, 0.95)


def test_a_process_that_gets_faster_with_age_is_told_from_processes_that_differ():
    runs = _drifting(1.0).runs
    age = np.where(runs["block"] % 2, 1.3, 1.0)
    grown = warm.older(runs.assign(per_s=runs["per_s"] * age), 2, "camel")
    assert grown.n == 3 and grown.low < 1.3 < grown.high < 1.35
    luck = np.array([1.0, 1.5, 0.8])[runs["block"] // 2]
    found = warm.process_correlation(runs.assign(per_s=runs["per_s"] * luck), 2, "camel")
    assert found.correlation > 0.95 and found.p < 0.01 and found.groups == 3
    assert warm.process_correlation(runs, 6, "camel").groups == 1


def test_the_table_says_what_each_way_gained():
    shown = warm.warm_table(_drifting(1.5), esb.THROUGHPUT)
    assert shown.index.tolist() == ["Direct", "Camel"]
    assert shown.loc["Camel"].tolist()[:3] == ["3", 100, 250]
    assert shown.loc["Camel", "A block's end over its beginning"].startswith(("1.4", "1.5"))
    assert shown.loc["Direct", "A process's last block over its first"].startswith("1.00")


def test_one_block_shows_no_drift_and_says_so():
    shown = warm.warm_table(_drifting(1.5, blocks=1), esb.THROUGHPUT)
    assert (shown.iloc[:, 3:] == MISSING).all(axis=None)
