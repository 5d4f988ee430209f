"""Kernels of nbval that are forked from a process that has their libraries already, and are talked to by files.

Importing the libraries takes each kernel that is started seconds. A kernel's ports are chosen before the kernel has
them, and in between another test's server may take one.
"""

import itertools
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path

import nbval.kernel
from jupyter_client.manager import KernelManager

_numbers = itertools.count()
LOOK_S = 0.01


@cache
def _folder():
    return tempfile.TemporaryDirectory(prefix="kernels-")


class _Warm:
    """The process that kernels are forked from."""

    def __init__(self):
        program = Path(__file__).with_name("warm_kernels.py")
        self._process = subprocess.Popen(
            [sys.executable, str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
        )

    def ask(self, **order):
        self._process.stdin.write(json.dumps(order).encode() + b"\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def end(self):
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()


_warm = cache(_Warm)


class _Forked:
    """A kernel's process; it answers as a `subprocess.Popen` does."""

    stdin = stdout = stderr = returncode = None

    def __init__(self, **order):
        self.pid = _warm().ask(**order)

    def poll(self):
        if self.returncode is None:
            self.returncode = _warm().ask(pid=self.pid)
        return self.returncode

    def wait(self):
        while self.poll() is None:
            time.sleep(LOOK_S)
        return self.returncode

    def send_signal(self, number):
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self):
        self.send_signal(signal.SIGTERM)

    def kill(self):
        self.send_signal(signal.SIGKILL)


class _ForkedKernel(KernelManager):
    async def _async_launch_kernel(self, kernel_cmd, **options):
        arguments = kernel_cmd[kernel_cmd.index("-m") + 2 :]
        forked = _Forked(
            arguments=arguments, environment=dict(options["env"]), folder=options.get("cwd") or os.getcwd()
        )
        self.provisioner.process = forked
        self.provisioner.pid = self.provisioner.pgid = forked.pid
        self._reconcile_connection_info(self.provisioner.connection_info)


def _manager(**given):
    return _ForkedKernel(transport="ipc", ip=f"{_folder().name}/{next(_numbers)}", **given)


def use_files():
    """Let all kernels that nbval starts from now on be such."""
    nbval.kernel.KernelManager = _manager


def clean():
    """Remove what their files were in, and end what they were forked from."""
    if _warm.cache_info().currsize:
        _warm().end()
    _folder().cleanup()
