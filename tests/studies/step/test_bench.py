"""Recorded runs of STEP are made of loads that can be made again, and no setting of a run is passed over."""

from dataclasses import replace

import pytest

from perfstudies.errors import BadParameter
from perfstudies.paths import RAW
from perfstudies.runs import store
from perfstudies.runs.plan import Plan
from perfstudies.studies.step import declared as step
from perfstudies.studies.step.bench import settings_of, write_loads
from perfstudies.studies.step.workload import flight_data, flight_load


@pytest.mark.parametrize("key", [one.key for one in step.EXPERIMENTS])
def test_a_recorded_load_is_made_again_to_the_byte(key, tmp_path):
    runs = list(store.runs(RAW / "reference" / key))
    for run in (runs[0], runs[-1]):
        sent = run.manifest["workload"]
        if "sha256" not in sent:
            continue  # a ramp makes its requests as it goes
        folder = tmp_path / run.name
        folder.mkdir()
        load = flight_load.study_load(sent["load"])
        phases = write_loads(
            folder,
            load,
            flight_data.generate(),
            sent["seeds"],
            sent["warm_up_sessions"],
            sent["sessions"],
            sent.get("requests"),
        )
        assert [store.sha256(path) for loads, _ in phases.values() for path in loads] == sent["sha256"]


def test_a_part_of_a_processor_is_refused_where_each_run_has_a_process_of_its_own():
    (part,) = Plan.of(step.SLOW_SERVER.select(processor=["part"], link=["local"]), "smoke", 1).runs
    assert settings_of(part).cpu_percent == 20
    with pytest.raises(BadParameter, match="cpu.percent: only a process that runs share"):
        settings_of(replace(part, experiment=replace(part.experiment, shared_process=False)))
