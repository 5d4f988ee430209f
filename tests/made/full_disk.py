"""A disk that is full from a given operation on: what is opened, written, renamed or made below a folder is counted."""

import builtins
import errno
import io
import os
from contextlib import contextmanager
from pathlib import Path

import pytest


class FullDisk:
    """Counts operations below a folder and lets them fail from the n-th on, or only that one.

    Attributes
    ----------
    done : int
        How many operations there were.
    """

    def __init__(self, folder: Path, first: int, stays: bool):
        self.folder, self.first, self.stays, self.done = str(folder), first, stays, 0

    def count(self, path) -> None:
        """Count an operation on a path, or raise as a full disk does."""
        if not str(path).startswith(self.folder):
            return
        self.done += 1
        if self.done == self.first or (self.stays and self.done > self.first):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))


class _File(io.FileIO):
    """Writes half of what does not fit before it says so, as files do."""

    def __init__(self, path, mode, disk):
        self._path, self._disk = path, disk
        super().__init__(path, mode)

    def write(self, data):
        try:
            self._disk.count(self._path)
        except OSError:
            super().write(bytes(data)[: len(data) // 2])
            raise
        return super().write(data)


@contextmanager
def full(folder: Path, first: int, stays: bool = True):
    """Yield a `FullDisk` that is in force for this process meanwhile."""
    disk, plain = FullDisk(folder, first, stays), open

    def opened(path, mode="r", buffering=-1, encoding=None, errors=None, newline=None, **more):
        writes = set(mode) & set("wax+")
        if not writes or not isinstance(path, (str, Path)) or not str(path).startswith(str(folder)):
            return plain(path, mode, buffering, encoding, errors, newline, **more)
        disk.count(path)
        buffered = io.BufferedWriter(_File(path, mode.replace("b", "").replace("t", ""), disk))
        if "b" in mode:
            return buffered
        return io.TextIOWrapper(buffered, encoding, errors, newline, line_buffering=buffering == 1)

    def counted(name, at):
        real = getattr(os, name)

        def operation(*arguments, **options):
            disk.count(arguments[at])
            return real(*arguments, **options)

        return operation

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(builtins, "open", opened)
        patch.setattr(io, "open", opened)
        for name, at in (("mkdir", 0), ("replace", 1), ("rename", 1)):
            patch.setattr(os, name, counted(name, at))
        yield disk
