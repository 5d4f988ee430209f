"""A process that has the analysis libraries and no thread, and forks notebooks' kernels from itself.

It has nothing of `perfstudies`, which each kernel imports for itself. It takes lines of JSON on its standard input and
answers each by one on its standard output; it ends with its input, and its kernels end with it.
"""

import ctypes
import gc
import importlib
import json
import os
import signal
import sys

LIBRARIES = (
    "ipykernel.ipkernel", "ipykernel.kernelapp", "pandas", "scipy.optimize", "scipy.stats", "seaborn",
    "statsmodels.api", "statsmodels.formula.api", "statsmodels.stats.anova", "statsmodels.stats.multitest",
    "statsmodels.stats.oneway",
)  # fmt: skip
PR_SET_PDEATHSIG = 1


def fork(arguments, environment, folder, path):
    """Return the number of a forked process that is a kernel."""
    parent = os.getpid()
    pid = os.fork()
    if pid:
        return pid
    try:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        os.setsid()
        nowhere = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(nowhere, number)
        if os.getppid() == parent:
            os.environ.clear()
            os.environ.update(environment)
            os.chdir(folder)
            sys.path[:] = path
            from ipykernel.kernelapp import IPKernelApp

            IPKernelApp.launch_instance(arguments)
    finally:
        os._exit(0)


def status(pid):
    """Return how a forked process ended, or None while it runs."""
    ended, how = os.waitpid(pid, os.WNOHANG)
    return os.waitstatus_to_exitcode(how) if ended else None


def main():
    for name in LIBRARIES:
        importlib.import_module(name)
    # What is imported is no garbage: collections in the kernels need not look at it, nor copy its pages.
    gc.freeze()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    path = sys.path[1:]  # without the folder of this program
    for line in sys.stdin:
        order = json.loads(line)
        answer = status(order["pid"]) if "pid" in order else fork(**order, path=path)
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
