"""What the registry of studies promises: each experiment's modules are there and are what the lab calls."""

import pytest

from perfstudies.studies import EXPERIMENTS


@pytest.mark.parametrize("key", sorted(EXPERIMENTS))
def test_an_experiment_names_modules_that_can_be_called(key):
    experiment = EXPERIMENTS[key]
    carrying_out, reading = experiment.module(experiment.bench), experiment.module(experiment.reader)
    assert callable(carrying_out.bench) and callable(carrying_out.build)
    assert callable(reading.read)
    with carrying_out.bench() as procedure:  # starts nothing before its first run
        assert callable(procedure)
