"""Checksums of the lab's own code, and of other files taken together."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path


@cache
def library_checksum() -> str:
    """Return a checksum of the lab's own code, without what Python and numba compile beside it."""
    package = Path(__file__).resolve().parents[1]
    found = (path for path in package.rglob("*") if "__pycache__" not in path.parts and path.is_file())
    return of_files(package, found)


@cache
def code_checksum(*modules: str) -> str:
    """Return a checksum of modules of the lab and of all of its modules that they import, directly or not."""
    return of_files(Path(__file__).resolve().parents[1], code_files(*modules))


def code_files(*modules: str) -> set[Path]:
    """Return the files of modules of the lab and of all of its modules that they import, directly or not."""
    package = Path(__file__).resolve().parents[1]
    found: set[Path] = set()
    waiting = [path for name in modules for path in _files_of(package, name)]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += [one for name in imported(path.read_bytes()) for one in _files_of(package, name)]
    return found


def imported(code: str | bytes) -> set[str]:
    """Return what code imports, and what may be a module among the names that it imports."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.update((node.module, *(f"{node.module}.{alias.name}" for alias in node.names)))
    return names


def _files_of(package: Path, name: str) -> list[Path]:
    """Return the file of a module of the lab; of a package its ``__init__``; of anything else nothing."""
    root, *parts = name.split(".")
    path = package.joinpath(*parts)
    choices = (path.with_suffix(".py"), path / "__init__.py") if root == package.name and parts else ()
    return [choice for choice in choices if choice.is_file()]


def of_files(root: Path, found: Iterable[Path]) -> str:
    """Return a checksum of the names and the contents of files below a folder."""
    lines = (f"{path.relative_to(root).as_posix()} {digest(path.read_bytes())}" for path in sorted(found))
    return digest("\n".join(lines).encode())


def digest(content: bytes) -> str:
    """Return a content's SHA-256 in hexadecimal."""
    return hashlib.sha256(content).hexdigest()
