"""The CORBA study's server as a model: published errors, fits whose answer is known, what a true model would err."""

import numpy as np
import pandas as pd
import pytest

from made.table_1 import mean_error_ms
from perfstudies.errors import BadParameter
from perfstudies.models.pool_load import utilisations
from perfstudies.models.pool_trace import COLUMNS
from perfstudies.models.schedulers import ProcessorSharing
from perfstudies.studies.corba import fit, model
from perfstudies.studies.corba.model import DISPATCHERS, OURS, SHARING, Assumptions


def test_the_study_s_own_simulators_have_these_errors():
    assert mean_error_ms(model.published("Ruby")) == pytest.approx(0.284, abs=5e-4)
    assert mean_error_ms(model.published("Extend")) == pytest.approx(3.63, abs=5e-3)
    assert mean_error_ms(model.published()) == 0
    with pytest.raises(BadParameter, match="use one of: Measured, Ruby, Extend"):
        model.published("ruby")


def test_the_server_has_the_study_s_demands():
    load = utilisations(model.server(4, Assumptions()))
    assert load["processors"] == pytest.approx((0.925 + 5.6) / 10)
    assert load["receiver of connection 0"] == pytest.approx(0.0925)


def test_processor_sharing_overstates_dispatchers_and_understates_receivers():
    runs = model.replications(Assumptions(first_share=1.0), range(2), (8, 15), 5000, ProcessorSharing())
    shared, measured = model.means(runs), model.published().loc[[8, 15]]
    assert (shared["dispatcher_ms"] > 2 * measured["dispatcher_ms"]).all()
    assert (shared["receiver_ms"] < measured["receiver_ms"]).all()
    assert (shared["receiver_queue_ms"] < measured["receiver_queue_ms"] / 4).all()


def test_variants_leave_out_one_mechanism_each():
    assumed = Assumptions(first_share=0.8, entry_ms=0.3, switch_ms=0.02)
    models = model.variants(assumed)
    assert next(iter(models)) == OURS and models[OURS] == (assumed, model.slices(assumed))
    assert len({repr(one) for one in models.values()}) == len(models)
    assert isinstance(models[SHARING][1], ProcessorSharing)


def test_a_fit_finds_the_parameters_that_made_a_table():
    truth = Assumptions(first_share=0.8, entry_ms=0.4, switch_ms=0.03)
    table = model.means(model.replications(truth, range(2), requests=1500))
    found = fit.fit(range(2), 1500, choices={"least_lead": (1, 2)}, target=table)
    assert len(found) == 2 and found["rms_ms"].is_monotonic_increasing and (found["replications"] == 2).all()
    best = model.assumptions_of(found.iloc[0])
    assert best.least_lead == 1 and best.signals == "one" and best.newest_first is True
    assert best.entry_ms == pytest.approx(0.4, abs=0.1) and best.switch_ms == pytest.approx(0.03, abs=0.01)
    assert best.first_share == pytest.approx(0.8, abs=0.1)


def test_combinations_that_screening_set_aside_come_last(monkeypatch):
    monkeypatch.setattr(fit, "GRID", (3, 2))
    monkeypatch.setattr(fit, "MOST_STEPS", 5)
    table = model.means(model.replications(Assumptions(), [1], requests=300))
    found = fit.fit(
        [1, 2], 300, choices={"least_lead": (1, 2), "newest_first": (True, False), "signals": ("one",)}, target=table
    )
    assert found["replications"].tolist() == [2, 2, 2, 1]


def test_the_model_comes_close_without_any_fit():
    table = model.means(model.replications(Assumptions(), range(3), requests=5000))
    assert mean_error_ms(table) < 0.6


def test_errors_of_a_true_model_are_those_of_independent_rows():
    rng = np.random.default_rng(1)
    runs = pd.DataFrame(
        [
            {"dispatchers": count, "seed": seed} | dict.fromkeys(COLUMNS, rng.normal())
            for seed in range(400) for count in DISPATCHERS
        ]
    )  # fmt: skip
    found = model.errors_of_a_true_model(runs)
    assert found.shape == (400,)
    # Nine independent standard normal errors, each four times: mean |z| is sqrt(2 / pi), its variance 1 - 2 / pi.
    assert found.mean() == pytest.approx(np.sqrt(2 / np.pi), abs=0.03)
    assert found.std() == pytest.approx(np.sqrt((1 - 2 / np.pi) / 9), rel=0.15)
    # Arrivals that all rows of a seed share do not make a measurement's rows alike.
    same = runs.assign(**{name: runs["seed"].map(dict(enumerate(rng.normal(size=400)))) for name in COLUMNS})
    assert model.errors_of_a_true_model(same).std() < 0.3
