"""What a batch keeps: each ended point's executed notebook and report, and what it came from.

``data/processed/batches/<name>/`` holds the executed notebooks, a record beside each, and the combined table;
``reports/batches/<name>/`` the reports. A record is written last, so that an interrupted point is never taken for a
finished one.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from perfstudies import paths
from perfstudies.files import require_name, write_atomically
from perfstudies.notebooks.grid import Point
from perfstudies.notebooks.work import Outcome

FINISHED, FAILED = "finished", "failed"
CONTENTS = "batch.json"


@dataclass(frozen=True)
class Kept:
    """Where a batch keeps what its points gave.

    Attributes
    ----------
    folder, reports : Path
        Of executed notebooks and tables, and of reports.
    """

    folder: Path
    reports: Path

    @classmethod
    def of(cls, name: str) -> Kept:
        """Return a batch's folders by its name; `BadParameter` if that could not be a folder's."""
        require_name(name, "batch name")
        return cls(paths.PROCESSED / "batches" / name, paths.ROOT / "reports" / "batches" / name)

    def executed(self, point: Point) -> Path:
        """Return a point's executed notebook."""
        return self.folder / point.study / f"{point.name}.ipynb"

    def report(self, point: Point) -> Path:
        """Return a point's report."""
        return self.reports / point.study / f"{point.name}.html"

    def finished(self, point: Point) -> bool:
        """Whether the point is there, and from what it would come from now."""
        record = self.record(point)
        return (
            record.get("status") == FINISHED
            and record.get("identity") == point.identity()
            and self.executed(point).is_file()
            and self.report(point).is_file()
        )

    def record(self, point: Point) -> dict:
        """Return what was noted of a point; empty if it has not ended yet."""
        path = self._record(point)
        try:
            return json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}

    def keep(self, point: Point, outcome: Outcome) -> None:
        """Keep what a point gave. One that failed has no report, and what it executed is called ``.failed``."""
        self._record(point).unlink(missing_ok=True)
        executed = self.executed(point)
        failed = executed.with_name(f"{executed.stem}.failed.ipynb")
        failed.unlink(missing_ok=True)
        if outcome.error:
            executed.unlink(missing_ok=True)
            self.report(point).unlink(missing_ok=True)
            if outcome.executed:
                write_atomically(failed, outcome.executed)
        else:
            write_atomically(executed, outcome.executed)
            write_atomically(self.report(point), outcome.html)
        record = {
            "status": FAILED if outcome.error else FINISHED,
            "error": outcome.error,
            "notebook": point.key.removesuffix(point.name) + point.notebook.stem,
            "parameters": point.parameters,
            "varied": point.varied,
            "took_s": outcome.took_s,
            "machine": outcome.machine,
            "identity": point.identity(),
        }
        write_atomically(self._record(point), json.dumps(record, indent=1, ensure_ascii=False) + "\n")

    def write_contents(self, points: Sequence[Point]) -> None:
        """List the batch's points, in their order, with what became of each."""
        listed = [{"point": point.key, **self.record(point)} for point in points]
        write_atomically(self.folder / CONTENTS, json.dumps({"points": listed}, indent=1, ensure_ascii=False) + "\n")

    def publish(self, name: str, tables: Sequence[str]) -> Path:
        """Store the batch's contents and tables as the repository's, without what only this machine knows."""
        folder = paths.RAW / "reference" / "batches" / name
        contents = json.loads((self.folder / CONTENTS).read_text(encoding="utf-8"))
        for point in contents["points"]:
            for own in ("machine", "identity", "took_s"):
                point.pop(own, None)
        write_atomically(folder / CONTENTS, json.dumps(contents, indent=1, ensure_ascii=False) + "\n")
        for table in tables:
            shutil.copyfile(self.folder / table, folder / table)
        return folder

    def _record(self, point: Point) -> Path:
        return self.folder / point.study / f"{point.name}.json"
