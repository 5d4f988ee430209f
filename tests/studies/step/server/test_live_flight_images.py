"""What the runs of the Flight Web Service start from, when the built folder was moved, copied or built anew."""

import os
import shutil
from pathlib import Path

import pytest

from perfstudies.servers import java
from perfstudies.studies.step.server import flight, flight_images
from perfstudies.studies.step.workload import flight_data

REFUSED = "Unable to use shared archive"


@pytest.fixture
def built(tmp_path, monkeypatch):
    """Return a copy of the built service, with data of its own, that the lab takes for the service."""
    home = tmp_path / "here"
    original = java.jar("flight").parent
    target = home / "step" / "flight" / "target"
    target.mkdir(parents=True)
    shutil.copy2(original / "flight.jar", target)
    shutil.copytree(original / "lib", target / "lib")
    _move_to(home, monkeypatch)
    monkeypatch.setattr(flight, "populate", _once(flight.populate, tmp_path / "populated"))
    return home


def _once(populate, place):
    """Populate a database in a place the first time, and give copies of it: what is asked here is asked of classes."""

    def copied(folder, data, generation):
        if not place.exists():
            place.mkdir()
            populate(place, data, generation)
        database = shutil.copy2(place / f"{flight.DATABASE}{generation.h2_suffix}", folder)
        return flight.Image(Path(database), generation=generation)

    return copied


def _move_to(home, monkeypatch):
    monkeypatch.setattr(java, "SYSTEMS", home)
    monkeypatch.setattr(flight_images, "PROCESSED", home / "processed")


def _said(work, image):
    """Start the service from an image, ask it something, stop it, and return what its JVM and libraries said."""
    with flight.start(work, flight.h2(work, image), {}, image.classes) as service:
        service.set_log_level("off")  # standard output has the answers and nothing else
    return (work / flight.CONSOLE_LOG).read_text()


@pytest.mark.live
def test_an_archive_that_the_jvm_refuses_costs_time_alone_and_is_made_anew(built, tmp_path, monkeypatch):
    first = flight_images.image(flight_data.generate())
    assert REFUSED not in _said(tmp_path / "first", first)
    for jar in built.rglob("*.jar"):  # as if it was built anew
        os.utime(jar, ns=(jar.stat().st_atime_ns, jar.stat().st_mtime_ns + 10**10))
    assert REFUSED in _said(tmp_path / "refused", first)
    anew = flight_images.image(flight_data.generate())
    assert anew.classes == first.classes and REFUSED not in _said(tmp_path / "anew", anew)
    assert flight_images.image(flight_data.generate()) == anew
    shutil.copytree(built, tmp_path / "there")
    _move_to(tmp_path / "there", monkeypatch)
    copied = flight_images.image(flight_data.generate())
    assert copied.classes.is_relative_to(tmp_path / "there") and REFUSED not in _said(tmp_path / "copied", copied)


def test_what_was_made_for_something_else_is_made_again(tmp_path, monkeypatch):
    monkeypatch.setattr(flight_images, "PROCESSED", tmp_path)
    monkeypatch.setattr(flight_images, "build_of", lambda generation: "0" * 64)
    made = []
    for made_for in ("one", "one", "two", "", "two"):
        folder = flight_images._made("image", made.append, made_for=made_for)
    assert len(made) == 2
    (folder / flight_images.MADE_FOR).unlink()  # as an interrupted or older lab left it
    flight_images._made("image", made.append, made_for="two")
    assert len(made) == 3
