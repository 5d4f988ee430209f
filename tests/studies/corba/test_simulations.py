"""The simulated tables of the CORBA study: what is recorded can be simulated again, and is what the reports need."""

import numpy as np
import pytest

from made.table_1 import mean_error_ms
from perfstudies.models.pool_trace import COLUMNS
from perfstudies.paths import RAW
from perfstudies.runs.simulated import read
from perfstudies.studies.corba import fit, simulations
from perfstudies.studies.corba.model import DISPATCHERS, OURS, means, others, replications, variants
from perfstudies.studies.corba.simulations import APART, FIT, SIMULATIONS, TABLE_1


@pytest.mark.parametrize("key", SIMULATIONS)
def test_every_table_is_recorded_at_the_profile_standard(key):
    from perfstudies.runs import store

    manifest = store.read_manifest(RAW / "reference" / key)
    assert manifest["profile"] == "standard" and manifest["simulation"] == key


def test_the_recorded_table_1_is_simulated_again_to_the_last_digits():
    runs, assumed = read(TABLE_1, "reference", "standard", 1), simulations.fitted("reference", "standard", 1)
    for name, (assumptions, scheduler) in variants(assumed).items():
        own = runs[runs["model"] == name]
        seed = int(own["seed"].max())
        again = replications(assumptions, [seed], (1, 8), scheduler=scheduler).set_index("dispatchers")
        recorded = own[own["seed"] == seed].set_index("dispatchers").loc[[1, 8]]
        columns = [*COLUMNS, "response_ms"]
        assert np.allclose(again[columns], recorded[columns], rtol=1e-9, atol=0), name


def test_table_1_has_every_row_of_every_model_with_its_replications():
    runs = read(TABLE_1, "reference", "standard", 1)
    counts = runs.groupby(["model", "dispatchers"]).size().unstack()
    assert counts.columns.tolist() == list(DISPATCHERS)
    assert (counts.loc[OURS] == 100).all() and (counts >= 20).all(axis=None)


def test_the_model_is_nearer_to_the_measured_values_than_the_study_s_own():
    table = means(read(TABLE_1, "reference", "standard", 1).query("model == @OURS"))
    assert mean_error_ms(table) < 0.284
    assert mean_error_ms(table, others()) < 0.334


def test_the_fit_and_the_replications_that_judge_it_have_no_seed_in_common():
    fit = set(simulations._seeds(3, 20, APART))
    judged = set(simulations._seeds(3, 400))
    assert len(fit) == 20 and len(judged) == 400 and not fit & judged
    assert not judged & set(simulations._seeds(4, 400)) and not fit & set(simulations._seeds(4, 400))


def test_a_live_table_rests_on_a_live_fit(tmp_path, monkeypatch):
    from perfstudies.runs import simulated

    monkeypatch.setattr(simulated, "RAW", tmp_path)
    # Which values are found is not looked at here: a coarse search does.
    monkeypatch.setattr(fit, "GRID", (3, 2))
    monkeypatch.setattr(fit, "MOST_STEPS", 5)
    runs = read(TABLE_1, "live", "smoke", 1)
    assert set(runs["model"]) == set(variants(simulations.fitted("live", "smoke", 1)))
    assert len(list((tmp_path / "live" / FIT.key).iterdir())) == 1
