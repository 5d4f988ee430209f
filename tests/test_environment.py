"""environment.yml, pyproject.toml and requirements.lock name the same packages, and no addresses."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions

import pytest
import yaml

# What the conda environment brings besides Python packages.
TOOLS = {"python", "openjdk", "maven", "make", "pip"}
# conda-forge's name where it differs from the Python package's.
CONDA_NAMES = {"matplotlib": "matplotlib-base"}
PYTHON_NAMES = {conda: name for name, conda in CONDA_NAMES.items()}


def split(requirement):
    """Name and the rest, of `zeep>=4.3`, `zeep=4.3` or `zeep`."""
    name, rest = re.fullmatch(r"([A-Za-z0-9._-]+)(.*)", requirement).groups()
    return name.lower().replace("_", "-"), rest


@pytest.fixture(scope="module")
def pyproject(repository):
    return tomllib.loads((repository / "pyproject.toml").read_text())


@pytest.fixture(scope="module")
def declared(pyproject):
    """Name -> lower bound ('' where there is none), the build backend included."""
    return dict(map(split, pyproject["project"]["dependencies"] + pyproject["build-system"]["requires"]))


@pytest.fixture(scope="module")
def locked(repository):
    """Name -> locked version."""
    lock = (repository / "requirements.lock").read_text()
    return dict(re.findall(r"^([a-z0-9._-]+)==([^\s;]+)", lock, re.M))


@pytest.fixture(scope="module")
def conda(repository):
    """Name -> version constraint, of everything in environment.yml."""
    entries = yaml.safe_load((repository / "environment.yml").read_text())["dependencies"]
    plain = [entry for entry in entries if isinstance(entry, str)]
    by_pip = [entry for group in entries if isinstance(group, dict) for entry in group["pip"]]
    return {PYTHON_NAMES.get(name, name): rest for name, rest in map(split, plain + by_pip)}


def numbers(version):
    return tuple(int(part) for part in version.split("."))


def imported(file):
    """The top packages that a Python file imports."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module.partition(".")[0]


def test_everything_imported_is_declared(repository, declared):
    files = [file for top in ("lib", "tests", "benchmarks") for file in repository.glob(f"{top}/**/*.py")]
    own = {name for file in files for name in (file.stem, file.parent.name)} | {"perfstudies"}
    modules = {name for file in files for name in imported(file)} - own - set(sys.stdlib_module_names)
    providers = packages_distributions()
    declaring = {name for name in modules for by in providers.get(name, []) if split(by)[0] in declared}
    assert modules and modules - declaring == set()


def test_lock_holds_every_declared_package(declared, locked):
    assert set(declared) <= set(locked)


def test_lock_respects_the_lower_bounds(declared, locked):
    bounds = {name: rest.removeprefix(">=") for name, rest in declared.items() if rest}
    assert {name for name, bound in bounds.items() if numbers(locked[name]) < numbers(bound)} == set()


def test_the_locked_build_backend_is_the_declared_one(pyproject):
    assert pyproject["dependency-groups"]["build"] == pyproject["build-system"]["requires"]


def test_conda_environment_holds_the_declared_packages_and_nothing_else(declared, conda):
    assert set(conda) - TOOLS == set(declared)
    assert TOOLS <= set(conda)


def test_conda_versions_are_the_locked_ones(conda, locked):
    for name in set(conda) - TOOLS:
        version = conda[name].lstrip("=")
        assert version and (locked[name] + ".").startswith(version + "."), name


def test_python_is_the_same_everywhere(pyproject, conda):
    assert pyproject["project"]["requires-python"] == conda["python"] == ">=3.11"
    assert conda["openjdk"] == "=17"


def test_every_locked_package_has_hashes(repository):
    entries = re.split(r"^(?=[a-z])", (repository / "requirements.lock").read_text(), flags=re.M)[1:]
    assert [entry.split()[0] for entry in entries if "--hash=sha256:" not in entry] == []


@pytest.mark.parametrize("file", ["environment.yml", "requirements.lock"])
def test_no_addresses(repository, file):
    found = re.findall(r"\S*://\S*|--(?:extra-)?index-url.*|--find-links.*", (repository / file).read_text())
    assert found == []


def test_citation_has_the_package_version(repository, pyproject):
    citation = yaml.safe_load((repository / "CITATION.cff").read_text())
    assert citation["version"] == pyproject["project"]["version"]
    assert citation["license"] == pyproject["project"]["license"]
    assert len(citation["references"]) == 4
