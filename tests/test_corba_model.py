"""The CORBA study's server as a model: the published errors, and a fit whose answer is known."""

import pytest

from perfstudies.errors import BadParameter
from perfstudies.models.pool_load import utilisations
from perfstudies.models.schedulers import ProcessorSharing
from perfstudies.studies import corba_model
from perfstudies.studies.corba_model import Assumptions


def test_the_study_s_own_simulators_have_these_errors():
    assert corba_model.mean_error_ms(corba_model.published("Ruby")) == pytest.approx(0.284, abs=5e-4)
    assert corba_model.mean_error_ms(corba_model.published("Extend")) == pytest.approx(3.63, abs=5e-3)
    assert corba_model.mean_error_ms(corba_model.published()) == 0
    with pytest.raises(BadParameter, match="use one of: Measured, Ruby, Extend"):
        corba_model.published("ruby")


def test_the_server_has_the_study_s_demands():
    load = utilisations(corba_model.server(4, Assumptions()))
    assert load["processors"] == pytest.approx((0.925 + 5.6) / 10)
    assert load["receiver of connection 0"] == pytest.approx(0.0925)


def test_processor_sharing_overstates_dispatchers_and_understates_receivers():
    shared = corba_model.simulated(Assumptions(first_share=1.0), range(2), (8, 15), 5000, ProcessorSharing())
    measured = corba_model.published().loc[[8, 15]]
    assert (shared["dispatcher_ms"] > 2 * measured["dispatcher_ms"]).all()
    assert (shared["receiver_ms"] < measured["receiver_ms"]).all()
    assert (shared["receiver_queue_ms"] < 0.1).all()


def test_a_fit_finds_the_parameters_that_made_a_table():
    truth = Assumptions(first_share=0.8, entry_ms=0.4, switch_ms=0.03)
    table = corba_model.simulated(truth, range(2), requests=1500)
    found = corba_model.fit(range(2), 1500, choices={"least_lead": (1, 2)}, target=table).assumptions
    assert found.least_lead == 1
    assert found.entry_ms == pytest.approx(0.4, abs=0.05) and found.switch_ms == pytest.approx(0.03, abs=0.01)
    assert found.first_share == pytest.approx(0.8, abs=0.1)


def test_the_model_comes_closer_than_the_study_s_without_any_fit_to_the_rows_that_judge_it():
    table = corba_model.simulated(Assumptions(), range(3), requests=5000)
    assert corba_model.mean_error_ms(table) < 0.6
