"""What all tests share: the repository's root, and when a live test can run."""

import os
import shutil
from pathlib import Path

import pytest

from perfstudies.runs import lock

ROOT = Path(__file__).resolve().parents[1]
SYSTEMS = (
    "flight", "aaa-glassfish", "aaa-openejb", "esb-backend", "esb-synapse", "esb-camel", "esb-axis2-client",
    "esb-reliable", "foreign-soap", "orb",
)  # fmt: skip

# The kernels that nbval starts inherit these: names of cells in warnings and the order of sets are then the same
# in every process.
os.environ["PYTHONHASHSEED"] = "0"
os.environ["IPYKERNEL_CELL_NAME"] = "cell"


@pytest.fixture(scope="session")
def repository():
    """The repository's root folder."""
    return ROOT


@pytest.fixture(scope="session", autouse=True)
def own_turns(tmp_path_factory):
    """Tests may run beside each other, measurements may not."""
    os.environ[lock.FOLDER] = str(tmp_path_factory.mktemp("lock"))


def pytest_runtest_setup(item):
    if item.get_closest_marker("live"):
        if not shutil.which("java"):
            pytest.skip("live test: no java on the PATH; `make test` sets it up")
        for system in SYSTEMS:
            if not any((ROOT / "systems").glob(f"*/*/target/{system}.jar")):
                pytest.skip(f"live test: {system}.jar is not built; run `make systems`")
