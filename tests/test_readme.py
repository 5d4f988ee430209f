"""The README, the landing notebook and Binder's files agree with the tree."""

import os
import re
import subprocess

import nbformat
import pytest
import yaml
from PIL import Image

MOST_PICTURE_BYTES = 150_000


@pytest.fixture(scope="module")
def readme(repository):
    return (repository / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def notebooks(repository):
    """The notebooks of the tree, as the README calls them."""
    folder = repository / "notebooks"
    found = (path.relative_to(folder).with_suffix("").as_posix() for path in folder.rglob("*.ipynb"))
    return {name for name in found if "/." not in f"/{name}"}


def test_the_table_has_every_notebook_and_no_other(readme, notebooks):
    table = readme[readme.index("## Notebooks") : readme.index("## Source and profile")]
    named = re.findall(r"^\| `([\w/-]+)` \|", table, re.M)
    assert sorted(named) == sorted(notebooks)


def test_every_page_is_linked_and_every_link_leads_somewhere(readme, repository):
    links = set(re.findall(r"\]\(([^)#:]+)\)", readme))
    assert {name for name in links if not (repository / name).exists()} == set()
    assert {path.relative_to(repository).as_posix() for path in repository.glob("docs/*.md")} <= links


def test_every_folder_that_is_named_is_there_or_not_in_git(readme, repository):
    layout = readme[readme.index("## Layout") : readme.index("## The data")]
    cells = re.findall(r"^\| ([^|]+) \|", layout, re.M)
    named = {name.rstrip("/") for cell in cells for name in re.findall(r"`(.+?)`", cell)}
    kept = (repository / ".gitignore").read_text().split()
    assert {name for name in named if not (repository / name).is_dir() and f"{name}/" not in kept} == set()


def test_commands_are_targets_of_make(readme, repository):
    targets = set(re.findall(r"^([a-z]+):", (repository / "Makefile").read_text(), re.M))
    named = set(re.findall(r"`make ([a-z]+)[` ]", readme)) | set(re.findall(r"^    make ([a-z]+)\b", readme, re.M))
    assert named and named <= targets


def test_the_picture_is_small_and_has_words_for_who_cannot_see_it(readme, repository):
    (picture,) = re.findall(r"^!\[(.+)\]\((.+)\)$", readme, re.M)
    assert len(picture[0]) > 40
    path = repository / picture[1]
    assert path.stat().st_size < MOST_PICTURE_BYTES
    assert Image.open(path).width >= 800


def test_the_landing_notebook_opens_with_the_lab_and_its_links_lead_somewhere(repository, notebooks):
    (opened,) = re.findall(r"default_url=/lab/tree/(\S+)", (repository / "Makefile").read_text())
    notebook = nbformat.read(repository / opened, as_version=4)
    links = {link for cell in notebook.cells for link in re.findall(r"\]\(([\w/-]+)\.ipynb\)", cell.source)}
    shown = notebook.cells[2].outputs[0]["data"]["text/html"]
    links |= set(re.findall(r'href="([\w/-]+)\.ipynb"', shown))
    assert links == notebooks - {"start"}


def test_binder_takes_the_environment_and_adds_the_library(repository, tmp_path):
    environment = repository / ".binder" / "environment.yml"
    assert environment.resolve() == (repository / "environment.yml").resolve()
    names = {str(one).partition("=")[0] for one in yaml.safe_load(environment.read_text())["dependencies"]}
    # The library is installed without fetching what builds it.
    assert {"jupyterlab", "setuptools", "pip"} <= names
    python = tmp_path / "python"
    python.write_text('#!/bin/sh\necho "$@" >"$0.said"\n')
    python.chmod(0o755)
    path = os.pathsep.join([str(tmp_path), os.environ["PATH"]])
    subprocess.run([repository / ".binder" / "postBuild"], cwd=repository, env=dict(os.environ, PATH=path), check=True)
    said = (tmp_path / "python.said").read_text().split()
    assert said[:3] == ["-m", "pip", "install"] and {"--no-deps", "--no-build-isolation"} <= set(said)
    assert said[-2:] == ["--editable", "."] and (repository / "pyproject.toml").exists()
