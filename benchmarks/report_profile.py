"""Where the time of reports goes: in the cells of the notebooks at recorded runs, and in measuring at live ones.

Notebooks are executed one at a time by papermill, whose times of cells are added up by what a cell does: it imports,
loads runs, draws, or does all else, which is statistics and tables. Derived tables of runs are kept from an earlier
execution. Of live runs the manifests say how long each took.

``python benchmarks/report_profile.py [NOTEBOOK ...]``, all notebooks if none is given.

``python benchmarks/report_profile.py --keep`` does none of that: it writes what the live runs of profile quick took to
where `perfstudies.cli.forecast` reads it, for each experiment of which all runs are there.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from pathlib import Path

import nbformat
import pandas as pd
import papermill
from tqdm import tqdm

from perfstudies.cli.forecast import QUICK_S, quick_s
from perfstudies.files import write_atomically
from perfstudies.paths import ROOT
from perfstudies.runs import store
from perfstudies.runs.plan import Plan
from perfstudies.studies import EXPERIMENTS

IMPORTS, REST = "Imports", "Statistics and tables"
KINDS = {"data.load(": "Loading runs", "figures.figure(": "Figures"}
"""By what a cell holds; the first counts."""


def kind_of(source: str) -> str:
    """Return what a cell does, by its source."""
    if source.startswith(("import ", "from ")):
        return IMPORTS
    return next((kind for sign, kind in KINDS.items() if sign in source), REST)


def cells_s(notebook: Path) -> tuple[Counter[str], float, str]:
    """Execute a notebook and return the time of its cells by kind, the whole time, and the cell that took longest."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / notebook.name
        papermill.execute_notebook(
            str(notebook),
            str(output),
            kernel_name="python3",
            language="python",
            progress_bar=False,
            cwd=notebook.parent,
        )
        executed = nbformat.read(output, as_version=4)
    cells = [cell for cell in executed.cells if cell.metadata.get("papermill", {}).get("duration") is not None]
    found: Counter[str] = Counter()
    for cell in cells:
        found[kind_of(cell.source)] += cell.metadata.papermill.duration
    longest = max(cells, key=lambda cell: cell.metadata.papermill.duration)
    return found, executed.metadata.papermill.duration, longest.id


def measured_s(folder: Path) -> pd.DataFrame:
    """Return for each experiment of live runs its runs and how long they took (s), by study."""
    rows = []
    for manifest in folder.glob("*/*/*/manifest.json"):
        told = json.loads(manifest.read_text(encoding="utf-8"))
        if told.get("status") == store.FINISHED and told.get("took_s") is not None:
            rows.append({"study": told["study"], "experiment": told["experiment"], "took_s": told["took_s"]})
    table = pd.DataFrame(rows, columns=["study", "experiment", "took_s"])
    return table.groupby(["study", "experiment"])["took_s"].agg(["size", "sum"]).set_axis(["Runs", "s"], axis="columns")


def keep(live: Path, kept: Path) -> None:
    """Write how long the live runs of profile quick took; experiments that lack some keep what the file has of them,
    and those that quick leaves out are dropped."""
    rows = quick_s(kept)
    for key, experiment in EXPERIMENTS.items():
        if "quick" not in experiment.sizes:
            continue
        plan = Plan.of(experiment, "quick", 1, folder=live / experiment.study / experiment.name)
        quick = [run.manifest for run in store.finished(plan.folder) if run.manifest["profile"] == "quick"]
        taken_s = {(one["block"], *one["setting"].values()): one["took_s"] for one in quick}
        planned = {(run.block, *run.setting.values()) for run in plan.runs}
        if taken_s.keys() == planned:
            rows[key] = len(planned), sum(taken_s.values())
    kept_of = [key for key, one in EXPERIMENTS.items() if key in rows and "quick" in one.sizes]
    lines = [f"{key},{rows[key][0]},{rows[key][1]:.0f}" for key in kept_of]
    write_atomically(kept, "\n".join(["experiment,runs,took_s", *lines, ""]))


def main() -> None:
    """Measure and print."""
    if sys.argv[1:] == ["--keep"]:
        keep(ROOT / "data" / "raw" / "live", QUICK_S)
        return
    chosen = [Path(name).resolve() for name in sys.argv[1:]] or sorted((ROOT / "notebooks").rglob("*.ipynb"))
    rows = {}
    for notebook in tqdm(chosen, unit="notebook"):
        found, whole_s, longest = cells_s(notebook)
        name = str(notebook.relative_to(ROOT / "notebooks").with_suffix(""))
        rows[name] = {"Whole": whole_s, "Kernel": whole_s - found.total(), **found, "Longest cell": longest}
    table = (
        pd.DataFrame(rows)
        .T.reindex(columns=["Whole", "Kernel", IMPORTS, *KINDS.values(), REST, "Longest cell"])
        .fillna(0)
    )
    table.loc["All"] = table.drop(columns="Longest cell").sum()
    print("Seconds of notebooks at recorded runs, one after the other:")
    print(table.fillna("").sort_values("Whole", ascending=False).to_string(float_format="{:.1f}".format))
    live = measured_s(ROOT / "data" / "raw" / "live")
    if len(live):
        print("\nSeconds of live runs, by the manifests:")
        print(live.to_string(float_format="{:.0f}".format))
        print(live.groupby("study").sum().to_string(float_format="{:.0f}".format))


if __name__ == "__main__":
    main()
