"""The points of a batch: a notebook at one combination of parameters, checked before anything runs."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from glob import glob
from itertools import product
from pathlib import Path

from perfstudies import paths
from perfstudies.errors import BadParameter
from perfstudies.experiment import PROFILES, SOURCES
from perfstudies.files import place
from perfstudies.notebooks.execute import check_parameters
from perfstudies.notebooks.stored import of_studies, reads_others
from perfstudies.runs.archive import SUFFIX
from perfstudies.runs.checksums import digest, library_checksum, of_files
from perfstudies.runs.manifest import MANIFEST

NUMBERS = ("value", "low", "high")
RESULT = ("notebook", "name", *NUMBERS, "unit", "setting", "outcome")
"""The columns of the table of results that follow those of the grid's parameters."""
CHOICES = {"source": SOURCES, "profile": PROFILES}
"""Parameters whose values are known whatever the notebook."""


@dataclass(frozen=True, eq=False)
class Point:
    """A notebook at one combination of parameters.

    Attributes
    ----------
    notebook : Path
        Which.
    given : dict
        The parameters that are not left at the notebook's own values.
    parameters : dict
        All of the notebook's parameters with the values of this point.
    varied : dict
        Those of `given` that the grid varies.
    """

    notebook: Path
    given: dict[str, object]
    parameters: dict[str, object]
    varied: dict[str, object]

    @property
    def study(self) -> str:
        """The notebook's study, or nothing."""
        return place(self.notebook)[0]

    @property
    def name(self) -> str:
        """What its files are called: the notebook, and a digest of its parameters if any was given."""
        stem = place(self.notebook)[1]
        return f"{stem}-{digest(json.dumps(self.parameters, sort_keys=True).encode())[:8]}" if self.given else stem

    @property
    def key(self) -> str:
        """Study and name."""
        return f"{self.study}/{self.name}" if self.study else self.name

    @property
    def measures(self) -> bool:
        """Whether it may measure, so that nothing may run beside it on one machine."""
        return self.parameters.get("source") == "live"

    def words(self) -> str:
        """Return the notebook and what varies, for people."""
        varied = ", ".join(f"{name} = {value}" for name, value in self.varied.items())
        return f"{self.notebook}{f' with {varied}' if varied else ''}"

    def identity(self) -> str:
        """Return a checksum of all that decides what the point gives: it is run again when that has changed.

        That is the notebook, its parameters, the lab's own code and, unless it measures, the recorded and published
        data, the logs of others that it reads, and what other notebooks store if it reads them. What a live run meets
        on its machine is no part of it: a measurement is not repeated to see if it changed.
        """
        content = self.notebook.read_bytes()
        parts = [digest(content), json.dumps(self.parameters, sort_keys=True), library_checksum()]
        if not self.measures:
            parts += [data_checksum(), *_states(self.parameters.get("logs"))]
            cells = (cell for cell in json.loads(content)["cells"] if cell["cell_type"] == "code")
            if reads_others("\n".join("".join(cell["source"]) for cell in cells)):
                parts += [digest(one.read_bytes()) for one in of_studies()]
        return digest("\n".join(parts).encode())


def points(notebooks: Sequence[Path], given: Mapping[str, object], grid: Mapping[str, Sequence[object]]) -> list[Point]:
    """Return each notebook at each combination of the grid's values, in the order given.

    Parameters
    ----------
    notebooks : sequence of Path
        Each must know all the parameters.
    given : mapping
        Parameters that are the same at all points.
    grid : mapping of str to sequence
        The values of each parameter that is varied.

    Raises
    ------
    BadParameter
        For a notebook that does not exist, a parameter that one does not know, a source or profile of another name, or
        a parameter that is both given and varied, or named as a column of the results. Each has the nearest name.
    """
    if not notebooks:
        raise BadParameter("a batch needs at least one notebook")
    for name in grid:
        if name in given:
            raise BadParameter(f"parameter {name!r} is both fixed and varied; leave one out")
        if not grid[name]:
            raise BadParameter(f"the grid has no value for {name!r}")
        if name in RESULT:
            raise BadParameter(f"{name!r} cannot be varied: the table of results has a column of that name")
    combinations = [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]
    found = [_point(_existing(path), dict(given), varied) for path in notebooks for varied in combinations]
    by_key: dict[str, Point] = {}
    for one in found:
        if by_key.setdefault(one.key, one) is not one:
            raise BadParameter(f"{one.words()} comes twice in the batch")
    return found


def read_grid(path: Path) -> dict[str, list[object]]:
    """Read a grid from a JSON or TOML file: each parameter's name with the list of its values.

    Raises
    ------
    BadParameter
        If the file cannot be read as that.
    """
    try:
        text = path.read_text(encoding="utf-8")
        found = tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)
    except (OSError, ValueError) as error:
        raise BadParameter(f"{path} is no grid: {error}") from error
    if not isinstance(found, dict) or not all(isinstance(values, list) for values in found.values()):
        raise BadParameter(f"{path} is no grid: it must have a list of values for each parameter")
    return found


@cache
def data_checksum() -> str:
    """Return a checksum of the recorded and published data: manifests hold the checksums of the logs beside them."""
    reference = paths.RAW / "reference"
    found = [*reference.rglob(MANIFEST), *reference.rglob(f"*{SUFFIX}"), *paths.PUBLISHED.rglob("*.csv")]
    return of_files(paths.RAW, found)


def _states(value: object) -> Iterator[str]:
    """Yield name, size and time of the files that a parameter names: names or patterns of files, or of folders."""
    if isinstance(value, Mapping):
        value = [*value.values()]
    if isinstance(value, list):
        for one in value:
            yield from _states(one)
    elif isinstance(value, str) and value:
        for name in sorted(glob(value, root_dir=paths.ROOT)):
            place = paths.ROOT / name
            for path in sorted(place.rglob("*")) if place.is_dir() else [place]:
                yield f"{path} {path.stat().st_size} {path.stat().st_mtime_ns}"


def _point(notebook: Path, given: dict[str, object], varied: dict[str, object]) -> Point:
    given = given | varied
    parameters = check_parameters(notebook, given)
    for name, allowed in CHOICES.items():
        if name in given and given[name] not in allowed:
            raise BadParameter(f"{notebook}: {BadParameter.choice(name, given[name], allowed)}")
    return Point(notebook, given, parameters, varied)


def _existing(path: Path) -> Path:
    if not path.is_file():
        folder = paths.ROOT / "notebooks"
        known = [one.relative_to(paths.ROOT).as_posix() for one in sorted(folder.glob("**/*.ipynb"))]
        raise BadParameter.choice("notebook", path.as_posix(), known)
    return path
