"""What all tests share: the repository's root, and when a live test can run."""

import gc
import os
import shutil
from pathlib import Path

import hypothesis
import pytest
from xdist.scheduler import LoadGroupScheduling

from made import kernels
from perfstudies.runs import lock

ROOT = Path(__file__).resolve().parents[1]
SYSTEMS = (
    "flight", "flight-2009", "aaa-glassfish", "aaa-openejb", "esb-backend", "esb-synapse", "esb-camel",
    "esb-axis2-client", "esb-reliable", "foreign-soap", "orb",
)  # fmt: skip

# Files of tests that take longest without a server: begun late, each would be waited for alone.
LONGEST = (
    "studies/aaa/analysis/test_patterns_notebooks.py", "site/test_page.py", "own/logs/test_damaged.py",
    "studies/step/test_notebooks.py", "test_docs.py", "notebooks/test_cluster.py", "stats/test_periodicity.py",
    "cli/test_batch.py", "catalog/test_verify.py", "logs/test_damaged.py", "catalog/test_dictionary.py",
    "studies/aaa/analysis/test_timers_room.py", "studies/corba/test_simulations.py", "own/logs/test_memory.py",
)  # fmt: skip

# The kernels that nbval starts inherit these: names of cells in warnings and the order of sets are then the same
# in every process.
os.environ["PYTHONHASHSEED"] = "0"
os.environ["IPYKERNEL_CELL_NAME"] = "cell"

# As where notebooks are rendered: sums that do not depend on the number of processors. Each worker's and kernel's
# algebra with threads of its own would wait for each other in loops, and take the processors from all that is tested.
os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"

# Servers of tests live for seconds. Compiling them well, threads that collect garbage, and collections each time that
# room for classes grows would take more of the processors than all that is tested.
os.environ.setdefault("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:MetaspaceSize=192m")

# The same examples every time: what fails, fails by what was changed. A busy machine may take long over one of them.
hypothesis.settings.register_profile(
    "tests", derandomize=True, deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("tests")

kernels.use_files()


def pytest_unconfigure():
    kernels.clean()


@pytest.fixture(scope="session")
def repository():
    """The repository's root folder."""
    return ROOT


@pytest.fixture(scope="session", autouse=True)
def own_turns(tmp_path_factory):
    """Tests may run beside each other, measurements may not."""
    os.environ[lock.FOLDER] = str(tmp_path_factory.mktemp("lock"))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    return OneServerAtATime(config, log)


class OneServerAtATime(LoadGroupScheduling):
    """Keeps the tests of a file in one worker, and all that start servers in one of them, one after the other.

    Where several start servers at once, requests time out and patience ends by what the other tests do.
    """

    def _split_scope(self, nodeid):
        return super()._split_scope(nodeid).partition("::")[0]


def pytest_collection_modifyitems(items):
    """Put tests that start servers first, then notebooks and other long files: all would wait for the last one."""
    live = {item for item in items if item.get_closest_marker("live")}
    for item in live:
        item.add_marker(pytest.mark.xdist_group("live"))
    longest = {ROOT / "tests" / name for name in LONGEST}
    if missing := [path for path in longest if not path.exists()]:
        raise pytest.UsageError(f"tests/conftest.py: LONGEST names files that are not there: {missing}")
    items.sort(
        key=lambda item: 0 if item in live else 1 if item.path.suffix == ".ipynb" else 3 - (item.path in longest)
    )


def pytest_collection_finish():
    """Look for garbage in what tests make alone: five thousand tests that were collected stay to the end."""
    gc.collect()
    gc.freeze()


def pytest_runtest_setup(item):
    if item.get_closest_marker("live"):
        if not shutil.which("java"):
            pytest.skip("live test: no java on the PATH; `make test` sets it up")
        for system in SYSTEMS:
            if not any((ROOT / "systems").glob(f"*/*/target/{system}.jar")):
                pytest.skip(f"live test: {system}.jar is not built; run `make systems`")
