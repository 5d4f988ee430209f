"""Tables that models make: simulated once, checked when read, and simulated again when anything has changed."""

import json
from dataclasses import replace

import pandas as pd
import pytest

from made.command import perfstudies
from perfstudies.errors import BadParameter, BadRecording
from perfstudies.runs import simulated
from perfstudies.runs.simulated import PACKED, Simulation, read

CODE = ("models/values.py",)


@pytest.fixture
def made(tmp_path, monkeypatch):
    """A table of one number that its seed decides, and how often it was made."""
    monkeypatch.setattr(simulated, "RAW", tmp_path)
    calls = []

    def make(source, profile, seed):
        calls.append((source, profile, seed))
        return pd.DataFrame({"value": [seed / 3]})

    return Simulation("corba/made", "What?", make, CODE), calls


def test_a_table_is_simulated_once_and_read_to_the_last_digit(made):
    table, calls = made
    first, again = (read(table, "live", "quick", 1) for _ in range(2))
    assert first["value"].tolist() == again["value"].tolist() == [1 / 3]
    assert calls == [("live", "quick", 1)]
    read(table, "live", "quick", 2)
    read(table, "live", "smoke", 1)
    assert len(calls) == 3


def test_changed_code_is_simulated_again(made):
    table, calls = made
    read(table, "live", "quick", 1)
    read(replace(table, code=("models/exact.py",)), "live", "quick", 1)
    assert len(calls) == 2
    with pytest.raises(BadParameter, match="no module matches nowhere.py"):
        read(replace(table, code=("nowhere.py",)), "live", "quick", 1)


def test_other_measured_values_are_simulated_again(made):
    table, calls = made
    read(replace(table, basis=lambda source, profile, seed: "5.0 ms"), "live", "quick", 1)
    read(replace(table, basis=lambda source, profile, seed: "5.0 ms"), "live", "quick", 1)
    assert len(calls) == 1
    read(replace(table, basis=lambda source, profile, seed: "5.1 ms"), "live", "quick", 1)
    assert len(calls) == 2


def test_an_interrupted_simulation_leaves_nothing_that_is_read(made, tmp_path):
    table, _ = made

    def interrupted(source, profile, seed):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        read(replace(table, make=interrupted), "live", "quick", 1)
    assert not list(tmp_path.rglob("*.xz"))
    assert read(table, "live", "quick", 1)["value"].tolist() == [1 / 3]


def test_an_edited_table_is_refused(made, tmp_path):
    table, _ = made
    read(table, "live", "quick", 1)
    (path,) = tmp_path.rglob(PACKED)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(BadRecording, match="differs from the checksum"):
        read(table, "live", "quick", 1)


def test_a_table_that_is_not_recorded_and_bad_parameters_are_told(made):
    table, calls = made
    with pytest.raises(BadRecording, match="no simulated table in .*corba.made"):
        read(table, "reference", "quick", 1)
    with pytest.raises(BadParameter, match="profile = 'quik'.*Did you mean 'quick'"):
        read(table, "live", "quik", 1)
    with pytest.raises(BadParameter, match="source = 'lives'"):
        read(table, "lives", "quick", 1)
    assert not calls


def test_the_command_records_a_table_with_what_it_came_from(made, tmp_path, monkeypatch, capsys):
    table, calls = made
    monkeypatch.setattr("perfstudies.paths.RAW", tmp_path)
    monkeypatch.setattr("perfstudies.studies.simulations", lambda: {table.key: table})
    assert perfstudies("simulate", "corba/made", "--profile", "smoke", "--seed", "5", "--record") == 0
    assert calls == [("reference", "smoke", 5)]
    assert read(table, "reference", "quick", 1)["value"].tolist() == [5 / 3]
    manifest = json.loads((tmp_path / "reference/corba/made/manifest.json").read_text())
    assert (manifest["profile"], manifest["seed"]) == ("smoke", 5) and manifest["host"]["python"]
    assert perfstudies("simulate", "corba/mad") == 2
    assert "Did you mean 'corba/made'" in capsys.readouterr().err
