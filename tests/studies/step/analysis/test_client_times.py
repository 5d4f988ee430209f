from dataclasses import replace

import numpy as np
import pytest

from made.settings import CLIENT_MS, recording
from perfstudies.studies.step.analysis.client_times import with_client_times
from perfstudies.studies.step.declared import LOGGING_COST


@pytest.fixture(scope="module")
def made():
    return recording(LOGGING_COST.select(log_level=["off", "info"]), lambda setting: 100.0, blocks=2)


def test_every_request_has_what_its_client_waited(made):
    samples = with_client_times(made)
    assert (samples["client_ms"] - samples["request_ms"]).to_numpy() == pytest.approx(np.full(len(samples), CLIENT_MS))


def test_a_run_with_a_call_that_never_arrived_has_no_client_times(made):
    lost = made.samples.drop(made.samples.index[made.samples["run"] == "0-layer-off"][-1])
    samples = with_client_times(replace(made, samples=lost))
    assert set(samples.loc[samples["client_ms"].isna(), "run"]) == {"0-layer-off"}
