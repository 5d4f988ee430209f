"""The notebook on equal settings, on runs of which it is known what differs."""

import numpy as np
import pandas as pd
import pytest

from made.cells import run_cells
from perfstudies.notebooks import equal_experiments
from perfstudies.runs.recording import Recording

BLOCKS, REQUESTS = 20, 30
RESPONSES = ("Time of a request (%)", "Share of a part (points)", "Slow requests (points)")


def recording(factor, levels, effect, seed):
    """Runs whose times differ by 1 % from run to run; `effect` is what a run's times are multiplied with."""
    random = np.random.default_rng(seed)
    runs, samples = [], []
    for block in range(BLOCKS):
        for position, level in enumerate(random.permutation(levels)):
            name = f"{block}-{level}"
            whole = 10 * effect(level, position) * random.lognormal(0, 0.01) * random.lognormal(0, 0.3, REQUESTS)
            told = {"run": name, "block": block, "generation": "2009", factor: level}
            runs.append(told | {"position": position})
            samples.append(
                pd.DataFrame(
                    {"request_ms": whole, "total_ms": whole, "response_ms": whole, "elapsed_ms": whole}
                ).assign(**told, engine_ms=0.5 * whole, ejb_ms=0.5 * whole, outcome="ok", measured=True)
            )
    frame = pd.concat(samples, ignore_index=True)
    return Recording(frame, frame, pd.DataFrame(runs), (), (), (), (), {})


@pytest.fixture
def run(repository, monkeypatch):
    """Run the notebook; what a run's times are multiplied with is that of STEP's, nothing differs elsewhere."""
    monkeypatch.setattr(equal_experiments, "RESPONSES", {"step/users": "elapsed_ms"})

    def run(effect):
        def load(experiment):
            if experiment.name != "equal-settings":
                return recording("users", ["1"] * 2, lambda *_: 1.0, 1)
            same = experiment.study == "aaa"
            return recording("arm", ["a", "b"], (lambda *_: 1.0) if same else effect, 2)

        return run_cells(repository / "notebooks" / "equal-settings.ipynb", monkeypatch, load)

    return run


def test_arms_that_do_the_same_are_not_told_apart(run):
    names, shown = run(lambda *_: 1.0)
    for study in ("STEP", "AAA"):
        found = names["differences"].loc[(study, RESPONSES[0])]
        assert found["B less A"].low < 0 < found["B less A"].high
        assert found["B less A"].n == BLOCKS
    assert names["rates"]["Experiments"].tolist() == [2 * 3 * BLOCKS // 5] * 2
    assert names["rates"]["Not reproduced, though true (%)"].iloc[1].estimate == 0
    assert "In short" in shown[-1]


def test_an_arm_that_is_slower_is_found_in_its_study_alone(run):
    names, _ = run(lambda arm, _: 1.3 if arm == "b" else 1.0)
    differences = names["differences"]["B less A"]
    found = differences[("STEP", RESPONSES[0])]
    assert found.low < 100 * np.log(1.3) < found.high and found.low > 20
    assert abs(differences[("AAA", RESPONSES[0])].estimate) < 10
    assert names["rates"]["Not reproduced, though true (%)"].iloc[0].estimate > 10


def test_a_drift_within_pairs_is_one_of_the_order_and_not_of_the_arms(run):
    names, _ = run(lambda _, position: 1.3 if position else 1.0)
    of_step = names["differences"].loc[("STEP", RESPONSES[0])]
    assert of_step["Second run less first"].low > 20
    assert of_step["B less A"].low < 0 < of_step["B less A"].high
