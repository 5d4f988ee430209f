"""A kernel that is forked instead of started, so that it has its libraries already.

Starting an interpreter and importing the analysis libraries takes a notebook's kernel seconds. A process that has them
already, and no thread yet, forks a copy that waits; when papermill wants a kernel, the copy becomes it. It dies with
the process that it was forked from.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
import threading
from collections.abc import Mapping
from typing import Any, NoReturn

from tqdm import tqdm

from perfstudies.notebooks.execute import OwnKernel

PR_SET_PDEATHSIG = 1


class Fork:
    """A forked copy of this process that waits to become a kernel; it answers as a `subprocess.Popen` does.

    Make it before this process has any thread: a lock that another thread holds would stay locked in the copy.
    """

    stdin = stdout = stderr = None

    def __init__(self) -> None:
        self.returncode: int | None = None
        reader, self._orders = os.pipe()
        parent = os.getpid()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self._orders)
            _become_kernel(reader, parent)
        os.close(reader)

    def become(self, arguments: list[str], environment: Mapping[str, str], folder: str) -> None:
        """Let the copy go on as a kernel."""
        order = {"arguments": arguments, "environment": dict(environment), "folder": str(folder)}
        with open(self._orders, "w", encoding="utf-8") as orders:
            json.dump(order, orders)

    def poll(self) -> int | None:
        """Return the exit status, or None while it runs."""
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode

    def wait(self) -> int:
        """Wait for its end and return the exit status."""
        if self.returncode is None:
            self.returncode = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send it a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def interrupt(self) -> None:
        """Interrupt the cell that it executes."""
        self.send_signal(signal.SIGINT)

    def manager(self) -> type[OwnKernel]:
        """Return the kernel manager that starts this kernel, and no other."""
        return type("ForkedKernel", (_ForkedKernel,), {"fork": self})


class _ForkedKernel(OwnKernel):
    """Starts a kernel by letting a waiting copy become it."""

    fork: Fork

    async def _async_launch_kernel(self, kernel_cmd: list[str], **options: Any) -> None:
        self.fork.become(kernel_cmd[kernel_cmd.index("-m") + 2 :], options["env"], options.get("cwd") or os.getcwd())
        provisioner: Any = self.provisioner
        provisioner.process = self.fork
        provisioner.pid = provisioner.pgid = self.fork.pid
        self._reconcile_connection_info(provisioner.connection_info)


def _become_kernel(reader: int, parent: int) -> NoReturn:
    try:
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        # A process group of its own, as a started kernel has: Ctrl-C in the terminal is for whoever runs the batch.
        os.setsid()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        with open(reader, encoding="utf-8") as orders:
            text = orders.read()
        if text and os.getppid() == parent:
            order = json.loads(text)
            os.environ.update(order["environment"])
            os.chdir(order["folder"])
            tqdm.set_lock(threading.RLock())  # by default a semaphore, which would be left over: nothing ends in order
            from ipykernel.kernelapp import IPKernelApp

            IPKernelApp.launch_instance(order["arguments"])
    finally:
        os._exit(0)
