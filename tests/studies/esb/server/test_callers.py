"""Which jars the Axis2 client runs on."""

import pytest

from perfstudies.errors import BadParameter, MissingTool
from perfstudies.servers import java
from perfstudies.studies.esb.server import callers


@pytest.fixture
def systems(tmp_path, monkeypatch):
    for module in (callers, java):
        monkeypatch.setattr(module, "SYSTEMS", tmp_path)
    target = tmp_path / "esb" / "axis2-client" / "target"
    (target / "lib").mkdir(parents=True)
    (target / "esb-axis2-client.jar").touch()
    for name in ("axis2-kernel-1.7.9.jar", "axiom-api-1.2.20.jar", "launch-1.0.0.jar"):
        (target / "lib" / name).touch()
    return tmp_path


def test_another_version_runs_on_nothing_of_today_s_but_the_client(systems):
    old = systems / "esb" / "axis2-1.5.1" / "target" / "lib"
    old.mkdir(parents=True)
    for name in ("axis2-kernel-1.5.1.jar", "axiom-api-1.2.8.jar"):
        (old / name).touch()
    assert set(callers.java_libraries("1.5.1")) == {
        "esb-axis2-client.jar", "launch-1.0.0.jar", "axis2-kernel-1.5.1.jar", "axiom-api-1.2.8.jar",
    }  # fmt: skip
    assert "axis2-kernel-1.7.9.jar" in callers.java_libraries()


def test_a_version_that_is_not_built_or_not_known_is_named(systems):
    with pytest.raises(MissingTool, match="Axis2 1.5.6 is not there"):
        callers.java_libraries("1.5.6")
    with pytest.raises(BadParameter, match="axis2.version"):
        callers.java_libraries("1.6")
