"""The pages of docs/: their examples run as they stand, in a copy of the library, and they name what is there."""

import doctest
import os
import re
import shutil
import subprocess
import sys

import pytest

BLOCK = re.compile(r"^```(\w+)(?: (file|append)=(\S+))?\n(.*?)^```$", re.M | re.S)
ANYTHING = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.fixture
def copy(repository, tmp_path):
    """A copy of what the examples change, beside what they only read."""
    shutil.copytree(repository / "lib", tmp_path / "lib", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    (tmp_path / "data" / "raw").mkdir(parents=True)
    for name in ("systems", "docs", "data/raw/published"):
        (tmp_path / name).symlink_to(repository / name)
    return tmp_path


def run(copy, *command, **options):
    path = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])
    given = dict(os.environ, PYTHONPATH=str(copy / "lib"), PATH=path)
    ended = subprocess.run(command, cwd=copy, env=given, capture_output=True, text=True, timeout=600, **options)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def follow(page, copy):
    """Do what a page says, block by block; what a command prints must be what the page shows."""
    said, done = "", 0
    for language, what, path, text in BLOCK.findall(page.read_text(encoding="utf-8")):
        if what:
            target = copy / path
            target.parent.mkdir(parents=True, exist_ok=True)
            assert target.exists() == (what == "append"), f"{page.name} takes {path} for what it is not"
            with open(target, "a", encoding="utf-8") as file:
                file.write(text)
        elif language == "python":
            said = run(copy, "python", "-W", "error::SyntaxWarning", "-", input=text)
        elif language == "bash":
            said = run(copy, "bash", "-euc", text)
        else:
            same = doctest.OutputChecker().check_output(text, said, ANYTHING)
            assert same, f"{page.name} shows\n{text}but got\n{said}"
        done += 1
    assert done


@pytest.mark.live
def test_an_experiment_is_added_as_the_page_says(copy, repository):
    follow(repository / "docs" / "adding-an-experiment.md", copy)


def test_runs_are_compared_as_the_page_says(copy, repository):
    follow(repository / "docs" / "compare-in-ci.md", copy)


def test_a_system_is_added_as_the_page_says(copy, repository):
    follow(repository / "docs" / "adding-a-system.md", copy)


def test_a_log_format_is_added_as_the_page_says(copy, repository):
    follow(repository / "docs" / "adding-a-log-format.md", copy)


def test_the_site_has_every_page_can_be_searched_and_asks_nobody(repository, tmp_path):
    # Of the pages alone: the library's interface would take a minute.
    made = subprocess.run(
        [sys.executable, "-m", "sphinx", "--quiet", "-W", "--keep-going", "-t", "pages", repository / "docs", tmp_path],
        capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    pages = {path.stem for path in (repository / "docs").glob("*.md")} - {"api"}
    assert {path.stem for path in tmp_path.glob("*.html")} >= pages
    index = (tmp_path / "searchindex.js").read_text(encoding="utf-8")
    assert all(word in index for word in ("equival", "papermil", "noisi"))
    asked = r'<(?:script|link|img)[^>]+(?:src|href)="((?:https?:)?//[^"]+)"'
    assert [found for page in tmp_path.glob("*.html") for found in re.findall(asked, page.read_text())] == []


def test_every_statistic_has_its_entry(repository):
    """Each module that computes one is named in docs/MATH.md; models are, by their own names or by a pattern."""
    text = (repository / "docs" / "MATH.md").read_text(encoding="utf-8")
    library = repository / "lib" / "perfstudies"
    named = {path for name in re.findall(r"`([a-z_/*]+\.py)`", text) for path in library.glob(name)}
    modules = {path for folder in ("stats", "models") for path in (library / folder).glob("*.py")}
    # Those only say how models are written down and compiled.
    helpers = {library / "models" / f"{name}.py" for name in ("inlined", "values")}
    assert {path.name for path in modules - named - helpers} == {"__init__.py"}


def test_what_the_pages_name_is_there(repository):
    others = ("README.md", "CONTRIBUTING.md", "tests/README.md", "benchmarks/README.md")
    # What the dictionary's page names may stand in archives: the dictionary itself is compared with the data.
    pages = sorted(set(repository.glob("docs/*.md")) - {repository / "docs" / "DATA.md"})
    for page in [*pages, *(repository / name for name in others)]:
        text = BLOCK.sub("", page.read_text(encoding="utf-8"))
        for name in re.findall(r"`([\w./*-]+/[\w.*-]+\.(?:py|ipynb|csv|json|md))`", text):
            places = [repository, repository / "lib" / "perfstudies", repository / "data", repository / "tests"]
            assert any(any(place.glob(name)) for place in places), f"{page.name} names {name}"


def test_every_promise_names_a_test_that_exists(repository):
    page = (repository / "docs" / "robustness.md").read_text(encoding="utf-8")
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", page)
    assert len(named) == len(re.findall(r"^\| [A-Z]", page, re.M)) > 40  # one a promise
    missing = [
        f"{path}::{name}"
        for path, name in named
        if f"def {name}(" not in (repository / path).read_text(encoding="utf-8")
    ]
    assert missing == []
