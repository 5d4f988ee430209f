"""The lab with a procedure that needs neither a server nor a clock."""

import errno
from collections import Counter
from contextlib import contextmanager
from dataclasses import replace
from types import SimpleNamespace

import pytest

from perfstudies import data
from perfstudies.errors import BadLog, BadParameter, BadRecording, MissingTool, PerfstudiesError, SystemFailed
from perfstudies.experiment import Experiment, Factor, Size
from perfstudies.runs import lab, lock, store
from perfstudies.runs.plan import Plan

LEVELS = ("off", "info", "debug", "trace")


@pytest.fixture(autouse=True)
def own_raw(tmp_path_factory, monkeypatch):
    """Look for runs in a folder of the test's own."""
    monkeypatch.setattr(data, "RAW", tmp_path_factory.mktemp("raw"))


@pytest.fixture
def experiment():
    factor = Factor("log.level", LEVELS, LEVELS)
    return Experiment(
        "study", "name", "?", "none", "load", (factor,), sizes={"quick": Size(20, 2), "smoke": Size(2, 1)}
    )


class Recorder:
    """Writes one file a run, and does what it is told at a given call."""

    def __init__(self, at=None, error=None):
        self.calls, self.at, self.error = [], at, error

    def __call__(self, run, folder):
        self.calls.append(run.name)
        (folder / "log").write_text(run.name)
        if len(self.calls) == self.at:
            raise self.error
        return {"load_s": 3.0, "workload": {"sessions": 1}}, ("log",)


def _measure(experiment, folder, procedure, profile="smoke"):
    return lab.measure(Plan.of(experiment, profile, 1, folder=folder), procedure, show_progress=False)


def test_a_block_holds_every_setting_once_in_a_random_order(experiment):
    planned = Plan.of(experiment, "quick", seed=1).runs
    blocks = [planned[i : i + 4] for i in range(0, 80, 4)]
    assert all(Counter(run.setting["log.level"] for run in block) == Counter(LEVELS) for block in blocks)
    assert len({tuple(run.setting["log.level"] for run in block) for block in blocks}) > 5
    first = Counter(block[0].setting["log.level"] for block in blocks)
    assert set(first) == set(LEVELS)


def test_the_same_seed_gives_the_same_plan_and_another_seed_another(experiment):
    assert Plan.of(experiment, "quick", 1) == Plan.of(experiment, "quick", 1)
    orders = [[run.setting["log.level"] for run in Plan.of(experiment, "quick", seed).runs] for seed in (1, 2)]
    assert orders[0] != orders[1]


def test_runs_of_another_build_or_size_are_other_runs(experiment):
    names = [{run.name for run in Plan.of(experiment, "smoke", 1, build).runs} for build in ("one", "two")]
    assert not names[0] & names[1]


def test_fewer_levels_are_runs_that_are_there_already(experiment):
    factor = experiment.factors[0]
    fewer = Plan.of(experiment.select(**{factor.name.replace(".", "_"): factor.levels[:1]}), "smoke", 1).runs
    assert {run.name for run in fewer} < {run.name for run in Plan.of(experiment, "smoke", 1).runs}


def test_more_blocks_go_on_after_those_that_are_there_already(experiment):
    size = experiment.size("smoke")
    more = replace(experiment, sizes={"smoke": replace(size, blocks=size.blocks + 2)})
    fewer = [(run.name, run.block, run.position) for run in Plan.of(experiment, "smoke", 1).runs]
    assert [(run.name, run.block, run.position) for run in Plan.of(more, "smoke", 1).runs][: len(fewer)] == fewer


def test_a_level_that_runs_in_fewer_blocks_is_in_the_first_of_them(experiment):
    level = experiment.factors[0].levels[0]
    size = replace(experiment.size("smoke"), blocks=4, blocks_at={level: 2})
    runs = Plan.of(replace(experiment, sizes={"smoke": size}), "smoke", 1).runs
    assert {run.block for run in runs if run.setting[experiment.factors[0].name] == level} == {0, 1}
    assert {run.block for run in runs if run.setting[experiment.factors[0].name] != level} == {0, 1, 2, 3}
    whole = Plan.of(experiment, "smoke", 1).runs
    assert [run.name for run in runs[: len(whole)]] == [run.name for run in whole]


def test_a_profile_that_leaves_levels_out_plans_the_same_runs_of_the_others(experiment):
    factor = experiment.factors[0]
    size = replace(experiment.size("smoke"), levels={factor.name: factor.levels[:1]})
    fewer = Plan.of(replace(experiment, sizes={"smoke": size}), "smoke", 1).runs
    assert {run.setting[factor.name] for run in fewer} == {factor.levels[0]}
    assert {run.name for run in fewer} < {run.name for run in Plan.of(experiment, "smoke", 1).runs}


def test_finished_runs_are_not_measured_again(experiment, tmp_path):
    procedure = Recorder()
    runs = _measure(experiment, tmp_path, procedure)
    assert len(runs) == len(procedure.calls) == 8
    assert [run.name for run in runs] == procedure.calls
    again = Recorder()
    assert [run.name for run in _measure(experiment, tmp_path, again)] == procedure.calls
    assert again.calls == []


def test_an_interruption_keeps_finished_runs_and_the_rerun_goes_on(experiment, tmp_path):
    with pytest.raises(KeyboardInterrupt):
        _measure(experiment, tmp_path, Recorder(at=3, error=KeyboardInterrupt()))
    rerun = Recorder()
    runs = _measure(experiment, tmp_path, rerun)
    assert len(rerun.calls) == 6
    assert all(run.manifest["status"] == store.FINISHED for run in runs)
    (aside,) = (tmp_path / lab.SET_ASIDE).iterdir()
    assert (aside / "log").read_text() == rerun.calls[0]


def test_a_failed_run_is_recorded_with_its_reason_and_the_next_one_begins(experiment, tmp_path, capsys):
    runs = _measure(experiment, tmp_path, Recorder(at=2, error=SystemFailed("died; the end of its log: boom")))
    assert [run.manifest["status"] for run in runs].count(store.FAILED) == 1
    assert runs[1].manifest["error"] == "died; the end of its log: boom"
    assert "boom" in capsys.readouterr().err
    assert (runs[1].folder / "log").exists()


def test_a_failed_run_is_measured_again_and_what_it_left_is_kept(experiment, tmp_path):
    _measure(experiment, tmp_path, Recorder(at=2, error=SystemFailed("died")))
    rerun = Recorder()
    runs = _measure(experiment, tmp_path, rerun)
    assert len(rerun.calls) == 1
    assert all(run.manifest["status"] == store.FINISHED for run in runs)
    assert len(list((tmp_path / lab.SET_ASIDE).iterdir())) == 1


class Reader:
    """Reads runs, and cannot read what was left by the calls it is told."""

    def __init__(self, procedure, *unreadable):
        self.procedure, self.unreadable = procedure, unreadable

    def __call__(self, run):
        assert run.file("log").exists()
        if len(self.procedure.calls) in self.unreadable:
            raise BadLog(run.folder / "log", 7, "requests overlap")


def _measure_and_read(experiment, folder, *unreadable):
    procedure = Recorder()
    plan = Plan.of(experiment, "smoke", 1, folder=folder)
    return procedure, lab.measure(plan, procedure, False, read=Reader(procedure, *unreadable))


def test_a_run_that_cannot_be_read_is_measured_again_at_once(experiment, tmp_path, capsys):
    procedure, runs = _measure_and_read(experiment, tmp_path, 2)
    assert [run.manifest["status"] for run in runs] == [store.FINISHED] * 8
    assert procedure.calls == [run.name for run in (runs[0], runs[1], *runs[1:])]
    (aside,) = (tmp_path / lab.SET_ASIDE).iterdir()
    assert ":7: requests overlap" in store.read_manifest(aside)["error"]
    assert f"{runs[1].name} failed: its logs cannot be read" in capsys.readouterr().err


class Noisy(Recorder):
    """Says of the runs of some calls that they were noisy."""

    def __init__(self, *noisy):
        super().__init__()
        self.noisy = noisy

    def __call__(self, run, folder):
        facts, files = super().__call__(run, folder)
        reasons = ["30.0% of the processors' time went to other processes"] if len(self.calls) in self.noisy else []
        return facts | {"noise": {"reasons": reasons}}, files


def test_a_noisy_run_is_measured_again_at_once_and_twice_at_most(experiment, tmp_path, capsys):
    procedure = Noisy(1, 3, 4, 5, 7)
    runs = lab.measure(Plan.of(experiment, "smoke", 1, folder=tmp_path), procedure, False, quiet=True)
    # The first at its second attempt, the second at its third although it was noisy too, the fourth likewise as the
    # first; no run before it was done with.
    one, two, three, four = (run.name for run in runs[:4])
    assert procedure.calls[:8] == [one, one, two, two, two, three, four, four]
    assert [run.manifest.get("attempt") for run in runs] == [2, 3, None, 2, None, None, None, None]
    assert [bool(run.manifest["noise"]["reasons"]) for run in runs] == [False, True, *[False] * 6]
    assert len(list((tmp_path / lab.SET_ASIDE).iterdir())) == 4
    assert f"{one} was noisy: 30.0% of" in capsys.readouterr().err


def test_a_noisy_run_stands_where_nobody_asked_for_quiet_ones(experiment, tmp_path):
    procedure = Noisy(1)
    runs = lab.measure(Plan.of(experiment, "smoke", 1, folder=tmp_path), procedure, False)
    assert len(procedure.calls) == len(runs)
    assert not (tmp_path / lab.SET_ASIDE).exists()


def test_a_run_that_can_never_be_read_has_failed_and_the_next_one_begins(experiment, tmp_path):
    procedure, runs = _measure_and_read(experiment, tmp_path, 2, 3)
    assert len(procedure.calls) == 9
    assert [run.name for run in runs if run.manifest["status"] != store.FINISHED] == [runs[1].name]
    assert runs[1].manifest["error"].endswith(":7: requests overlap")
    again, runs = _measure_and_read(experiment, tmp_path)
    assert again.calls == [runs[1].name] and runs[1].manifest["status"] == store.FINISHED


def test_a_failed_run_is_not_read_nor_measured_again_at_once(experiment, tmp_path):
    procedure = Recorder(at=2, error=SystemFailed("died"))
    runs = lab.measure(Plan.of(experiment, "smoke", 1, folder=tmp_path), procedure, False, read=Reader(procedure))
    assert len(procedure.calls) == 8 and runs[1].manifest["error"] == "died"


def _replaced(log):
    log.write_text(log.read_text().swapcase())  # as long as it was


@pytest.mark.parametrize("lose", [lambda log: log.unlink(), lambda log: log.write_text("cut"), _replaced])
def test_a_run_of_which_a_log_was_lost_or_altered_is_measured_again(experiment, tmp_path, lose):
    runs = _measure(experiment, tmp_path, Recorder())
    lose(runs[1].folder / "log")
    again = Recorder()
    _measure(experiment, tmp_path, again)
    assert again.calls == [runs[1].name]
    assert _measure(experiment, tmp_path, Recorder(at=1, error=ZeroDivisionError()))[1].is_whole


def test_a_copy_whose_logs_are_newer_than_its_manifests_is_whole(experiment, tmp_path):
    for run in _measure(experiment, tmp_path, Recorder()):
        (run.folder / "log").touch()
    assert Plan.of(experiment, "smoke", 1, folder=tmp_path).missing == []


@pytest.mark.parametrize("broken", ["", "{", "[]", '{"format": 1}', '{"format": 1, "files": {}, "run": "?"}'])
def test_a_run_whose_manifest_cannot_be_read_is_set_aside_and_measured_again(experiment, tmp_path, broken, capsys):
    runs = _measure(experiment, tmp_path, Recorder())
    (runs[1].folder / store.MANIFEST).write_text(broken)
    again = Recorder()
    assert len(_measure(experiment, tmp_path, again)) == 8
    assert again.calls == [runs[1].name]
    assert (tmp_path / lab.SET_ASIDE / f"{runs[1].name}-1" / store.MANIFEST).read_text() == broken
    assert f"{runs[1].name}/{store.MANIFEST} is not a manifest of a run" in capsys.readouterr().err


def test_a_run_that_this_machine_cannot_do_is_skipped_with_the_reason_and_tried_again(experiment, tmp_path):
    runs = _measure(experiment, tmp_path, Recorder(at=2, error=MissingTool("no MariaDB: install it")))
    assert [run.manifest["status"] for run in runs].count(store.SKIPPED) == 1
    assert runs[1].manifest["error"] == "no MariaDB: install it"
    runs = _measure(experiment, tmp_path, Recorder())
    assert all(run.manifest["status"] == store.FINISHED for run in runs)
    assert not (tmp_path / lab.SET_ASIDE).exists()


def test_runs_of_other_properties_are_other_runs(experiment):
    changed = replace(experiment, fixed={"cache": "none"})
    names = [{run.name for run in Plan.of(one, "smoke", 1).runs} for one in (experiment, changed)]
    assert not names[0] & names[1]


def test_a_full_disk_ends_the_experiment_with_what_to_do(experiment, tmp_path):
    with pytest.raises(PerfstudiesError, match="is full.*the same command"):
        _measure(experiment, tmp_path, Recorder(at=2, error=OSError(errno.ENOSPC, "No space left on device")))
    assert len(_measure(experiment, tmp_path, Recorder())) == 8


def test_a_run_is_not_begun_with_little_room(experiment, tmp_path, monkeypatch):
    free = SimpleNamespace(free=lab.MIN_FREE_BYTES - 1)
    with monkeypatch.context() as patch:
        patch.setattr(lab.shutil, "disk_usage", lambda folder: free)
        begun = Recorder()
        with pytest.raises(PerfstudiesError, match=r"is full \(only 2\.0 GiB are free\).*the same command"):
            _measure(experiment, tmp_path, begun)
        assert begun.calls == []
        free.free += 1
        assert len(_measure(experiment, tmp_path, begun)) == len(begun.calls) == 8


FULL = OSError(errno.ENOSPC, "No space left on device")


def test_a_disk_that_is_full_for_the_manifest_ends_it_as_well(experiment, tmp_path, monkeypatch):
    write = store.write_manifest

    def fail_at_the_third(folder, *told):
        if len(list(tmp_path.glob("*/manifest.json"))) == 2:
            raise FULL
        write(folder, *told)

    with monkeypatch.context() as patch:
        patch.setattr(store, "write_manifest", fail_at_the_third)
        with pytest.raises(PerfstudiesError, match="is full.*the same command"):
            _measure(experiment, tmp_path, Recorder())
    again = Recorder()
    assert len(_measure(experiment, tmp_path, again)) == 8 and len(again.calls) == 6


def test_a_full_disk_of_which_a_process_told_ends_the_experiment_too(experiment, tmp_path):
    told = Recorder(at=2, error=SystemFailed(f"client 1 failed: {FULL}"))
    with pytest.raises(PerfstudiesError, match="is full.*the same command"):
        _measure(experiment, tmp_path, told)
    assert len(told.calls) == 2


def test_a_run_of_another_machine_that_finds_no_room_leaves_nothing(tmp_path, monkeypatch):
    def full(path, content):
        raise FULL

    monkeypatch.setattr(lab.Path, "write_bytes", full)
    with pytest.raises(PerfstudiesError, match="is full.*the same command"):
        lab.adopt(tmp_path, "a-run", {"log": b"x"})
    assert list(tmp_path.iterdir()) == []


def test_a_mistake_in_the_lab_itself_is_not_taken_for_a_failed_run(experiment, tmp_path):
    with pytest.raises(ZeroDivisionError):
        _measure(experiment, tmp_path, Recorder(at=1, error=ZeroDivisionError()))


def test_the_manifest_says_how_the_run_came_about(experiment, tmp_path):
    manifest = _measure(experiment, tmp_path, Recorder())[0].manifest
    assert manifest["setting"]["log.level"] in LEVELS
    assert manifest["properties"] == manifest["setting"]
    assert (manifest["block"], manifest["position"], manifest["seed"]) == (0, 0, 1)
    assert manifest["host"]["packages"]["zeep"]
    assert manifest["hosts"]["sent"] == manifest["hosts"]["served"] != ""
    assert manifest["files"]["log"]["bytes"] == len(manifest["run"])


def test_only_one_measurement_at_a_time(experiment, tmp_path):
    def nested(run, folder):
        with pytest.raises(PerfstudiesError, match="another measurement"):
            _measure(experiment, tmp_path / "other", Recorder())
        return {}, ()

    _measure(experiment, tmp_path, nested)


def test_what_another_measured_while_this_one_waited_is_not_measured_again(experiment, tmp_path, monkeypatch):
    procedure, measuring = Recorder(), lock.measuring

    @contextmanager
    def after_another(wait):
        with monkeypatch.context() as meanwhile:
            meanwhile.setattr(lock, "measuring", measuring)
            _measure(experiment, tmp_path, procedure)
        with measuring(wait):
            yield

    monkeypatch.setattr(lock, "measuring", after_another)
    assert len(_measure(experiment, tmp_path, procedure)) == len(procedure.calls) == 8


def test_the_expected_time_scales_the_load_and_not_the_set_up(experiment, tmp_path):
    runs = _measure(experiment, tmp_path, Recorder())
    for run in runs:
        run.manifest["took_s"] = 5.0
    plan = Plan.of(experiment, "quick", 1, folder=tmp_path)
    assert plan.expected_s(runs) == pytest.approx(80 * (2 + 3 * 2))
    assert plan.expected_s(runs[:1]) is None


def test_a_ramp_is_expected_to_end_where_it_ended_before(experiment, tmp_path):
    ramp = replace(experiment, procedure="ramp")
    runs = _measure(ramp, tmp_path, Recorder())
    for run in runs:
        run.manifest["took_s"] = 5.0
    assert Plan.of(ramp, "quick", 1, folder=tmp_path).expected_s(runs) == pytest.approx(80 * 5)


def test_a_costly_level_has_fewer_sessions():
    size = Size(blocks=1, sessions=5, sessions_at={"trace": 1})
    assert size.sessions_of({"log.level": "trace", "monitor": "layer"}) == 1
    assert size.sessions_of({"log.level": "debug", "monitor": "layer"}) == 5


def test_an_unknown_source_is_refused_with_the_nearest(experiment):
    with pytest.raises(BadParameter, match="Did you mean 'reference'"):
        data.recorded(experiment, "referense", "quick", 1)


def test_reference_runs_that_are_missing_are_named(experiment):
    with pytest.raises(BadRecording, match="no recorded runs"):
        data.recorded(experiment, "reference", "quick", 1)
