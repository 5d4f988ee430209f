"""Follows records that others are still writing: the rows that came since the last look."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass
class _Place:
    """How far a file has been read, and the names in its first line."""

    offset: int = 0
    columns: tuple[str, ...] = ()


class Growing:
    """CSV files with a line of names first, read on from where the last look ended.

    What is looked at again is only what is new, so that looking costs a measurement little. A line without its end is
    left for the next look.
    """

    def __init__(self) -> None:
        self._places: dict[Path, _Place] = {}

    def rows(self, paths: Sequence[Path]) -> list[dict[str, str]]:
        """Return the rows that the files have more than at the last call, file by file.

        A file that is not there yet has none. One that became shorter is a new one and is read from its beginning.
        Lines that have not as many fields as the first are left out: whoever reads the finished file names them.
        """
        return [row for path in paths for row in self._of(Path(path))]

    def _of(self, path: Path) -> list[dict[str, str]]:
        place = self._places.setdefault(path, _Place())
        try:
            with open(path, "rb") as file:
                if file.seek(0, 2) < place.offset:
                    place.offset, place.columns = 0, ()
                file.seek(place.offset)
                new = file.read()
        except FileNotFoundError:
            return []
        whole = new[: new.rfind(b"\n") + 1]
        place.offset += len(whole)
        lines = list(csv.reader(whole.decode("utf-8", errors="replace").splitlines()))
        if lines and not place.columns:
            place.columns = tuple(lines.pop(0))
        return [dict(zip(place.columns, line, strict=True)) for line in lines if len(line) == len(place.columns)]
