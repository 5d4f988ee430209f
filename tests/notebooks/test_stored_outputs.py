"""The comparison of stored outputs itself: it must fail when a number was altered.

The notebooks are compared by nbval when pytest collects them from ``notebooks/``; here a copy is falsified first.
"""

import json
import re
import subprocess
import sys

import pytest


def _nbval(notebook, repository):
    command = [sys.executable, "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider", "--rootdir", str(repository)]
    return subprocess.run(
        [*command, "-c", str(repository / "pyproject.toml"), str(notebook)], capture_output=True, text=True
    )


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


def test_the_stored_outputs_are_what_the_cells_give(notebook, repository):
    done = _nbval(notebook, repository)
    assert done.returncode == 0, done.stdout[-3000:]


def test_one_altered_number_in_a_stored_output_is_noticed(notebook, repository):
    content = json.loads(notebook.read_text(encoding="utf-8"))
    data = content["cells"][-1]["outputs"][0]["data"]
    for kind in ("text/plain", "text/html"):
        text = "".join(data[kind])
        measured = re.search(r"(\d+\.\d)(\d)\s±\s", text)
        digit = str((int(measured[2]) + 1) % 10)
        data[kind] = text[: measured.start(2)] + digit + text[measured.end(2) :]
    notebook.write_text(json.dumps(content), encoding="utf-8")
    done = _nbval(notebook, repository)
    assert done.returncode == 1, done.stdout[-3000:]
    assert "1 failed" in done.stdout


def test_every_notebook_stores_outputs(repository):
    # nbval compares what is stored: a notebook without outputs would pass whatever its cells gave.
    for path in sorted((repository / "notebooks").glob("**/[!.]*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        assert any(cell.get("outputs") for cell in cells), f"{path}: execute it and store its outputs (make notebooks)"
