"""The command that measures, up to where a server would be needed."""

from contextlib import nullcontext

import pytest

from perfstudies import measure, studies
from perfstudies.errors import MissingTool
from perfstudies.systems import java


@pytest.fixture
def built(monkeypatch):
    """Stand in for the built system where only the command's own checks are looked at."""
    monkeypatch.setattr(studies, "procedure_of", lambda experiment: (nullcontext, "build"))
    monkeypatch.setattr(measure, "procedure_of", lambda experiment: (nullcontext, "build"))


def test_a_wrong_profile_is_refused_before_anything_is_measured(built, capsys):
    assert measure.main(["--profile", "quik"]) == 1
    assert (
        "profile = 'quik' is not known; use one of: smoke, quick, standard, full. Did you mean 'quick'?"
        in capsys.readouterr().err
    )


def test_a_wrong_experiment_is_refused_with_the_nearest(capsys):
    assert measure.main(["step/login-cost"]) == 1
    assert "Did you mean 'step/logging-cost'" in capsys.readouterr().err


def test_without_a_jdk_nothing_starts_and_the_message_says_what_to_install(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    assert measure.main(["--profile", "smoke"]) == 1
    error = capsys.readouterr().err
    assert "there is no java on the PATH" in error
    assert "environment.yml" in error and 'source = "reference"' in error


def test_a_jvm_that_is_too_old_is_named(monkeypatch, tmp_path):
    old = tmp_path / "java"
    old.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\" 2019-01-15' >&2\n")
    old.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(MissingTool, match="is version 11.0.2"):
        java.java()


def test_a_system_that_was_not_built_is_named():
    with pytest.raises(MissingTool, match="make systems"):
        java.jar("none-of-ours")


def test_ctrl_c_says_that_the_same_command_goes_on(built, monkeypatch, capsys):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(measure.lab, "measure", interrupted)
    assert measure.main(["--profile", "smoke"]) == measure.INTERRUPTED
    assert "the same command goes on" in capsys.readouterr().err
