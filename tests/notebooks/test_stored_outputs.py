"""The comparison of stored outputs itself: it must fail when a number was altered.

The notebooks are compared by nbval when pytest collects them from ``notebooks/``; here a copy is falsified first.
"""

import json
import re
import subprocess
import sys

import pytest


def _nbval(repository, *notebooks):
    command = [sys.executable, "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider"]
    command += ["--rootdir", str(repository), "-c", str(repository / "pyproject.toml")]
    return subprocess.run([*command, *map(str, notebooks)], capture_output=True, text=True)


@pytest.fixture
def notebook(tmp_path, repository):
    """A copy of the first notebook without its slow cells: the table of published and measured times is enough."""
    content = json.loads((repository / "notebooks" / "step" / "01-time-breakdown.ipynb").read_text(encoding="utf-8"))
    cells = content["cells"]
    kept = next(i for i, cell in enumerate(cells) if "Request processing time" in "".join(cell["source"]))
    content["cells"] = cells[: kept + 1]
    path = tmp_path / "copy.ipynb"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def test_one_altered_number_in_a_stored_output_is_noticed_and_nothing_else(notebook, repository):
    content = json.loads(notebook.read_text(encoding="utf-8"))
    data = content["cells"][-1]["outputs"][0]["data"]
    for kind in ("text/plain", "text/html"):
        text = "".join(data[kind])
        measured = re.search(r"(\d+\.\d)(\d)\s±\s", text)
        digit = str((int(measured[2]) + 1) % 10)
        data[kind] = text[: measured.start(2)] + digit + text[measured.end(2) :]
    altered = notebook.with_name("altered.ipynb")
    altered.write_text(json.dumps(content), encoding="utf-8")
    done = _nbval(repository, notebook, altered)
    assert done.returncode == 1, done.stdout[-3000:]
    # Were it a cell of the copy that failed, the same would fail in both.
    cells = sum(cell["cell_type"] == "code" for cell in content["cells"])
    assert "1 failed" in done.stdout and f"{2 * cells - 1} passed" in done.stdout


def test_every_notebook_stores_outputs(repository):
    # nbval compares what is stored: a notebook without outputs would pass whatever its cells gave.
    for path in sorted((repository / "notebooks").glob("**/[!.]*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        assert any(cell.get("outputs") for cell in cells), f"{path}: execute it and store its outputs (make notebooks)"
