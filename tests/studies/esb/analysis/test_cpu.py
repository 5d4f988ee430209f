"""What a hop adds to a message's processor time, by hand."""

import pandas as pd
import pytest

from perfstudies.studies.esb.analysis import cpu


def test_what_a_way_adds_is_told_within_blocks_over_all_its_runs():
    parts = dict.fromkeys(cpu.PARTS, 0.0)
    rows = [
        {"block": block, "Way": way, **parts, "backend_user_us": 10.0 + block, "idle": idle, **more}
        for block in (0, 1)
        for way, idle, more in (
            ("Direct", 0.0, {"client_system_us": 5.0}),
            ("Engine", 1.0, {"client_system_us": 7.0, "engine_user_us": 60.0, "engine_system_us": 20.0}),
            ("Engine", 3.0, {"client_system_us": 9.0, "engine_user_us": 40.0, "engine_system_us": 20.0}),
        )
    ]
    found = cpu.added(pd.DataFrame(rows))
    # 50 of its own, 20 in its kernel, and 3 that the client takes more there.
    assert found.loc[(0, "Engine")].tolist() == pytest.approx([73, 100 * 23 / 73, 2])
    assert found["Added"].tolist() == [73, 73] and "Direct" not in found.index.unique("Way")


def test_a_block_without_direct_runs_has_nothing_to_be_compared_with():
    ways = {0: ("Direct", "Engine"), 1: ("Engine",)}
    rows = [
        {"block": block, "Way": way, **dict.fromkeys(cpu.PARTS, 20.0 if way == "Engine" else 10.0), "idle": 3.0}
        for block, of_block in ways.items()
        for way in of_block
    ]
    found = cpu.added(pd.DataFrame(rows))
    # Six parts of 10 more each, half of them in the kernel.
    assert found.index.tolist() == [(0, "Engine")] and found.loc[(0, "Engine")].tolist() == [60, 50, 3]
