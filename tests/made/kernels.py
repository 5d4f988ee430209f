"""Kernels of nbval that are talked to by files.

A kernel's ports are chosen before the kernel has them, and in between another test's server may take one.
"""

import itertools
import tempfile
from functools import cache

import nbval.kernel
from jupyter_client.manager import KernelManager

_numbers = itertools.count()


@cache
def _folder():
    return tempfile.TemporaryDirectory(prefix="kernels-")


def _manager(**given):
    return KernelManager(transport="ipc", ip=f"{_folder().name}/{next(_numbers)}", **given)


def use_files():
    """Let all kernels that nbval starts from now on be such."""
    nbval.kernel.KernelManager = _manager


def clean():
    """Remove what their files were in."""
    _folder().cleanup()
