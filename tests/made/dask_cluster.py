"""A Dask cluster whose workers are machines of their own: each has a network namespace with an address, and a name.

All that they tell each other is TLS. Only who may make network namespaces (root, on Linux) can have one.
"""

import os
import re
import shutil
import subprocess
import sys
import threading
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import dask
import distributed
import trustme

# A network that is reserved for tests of other networks' devices.
HERE, THERE = "198.18.{}.1", "198.18.{}.2"
READY_S = 60


def possible():
    if os.geteuid() or not all(map(shutil.which, ("ip", "unshare", "setpriv"))):
        return False
    name = f"perfstudies-{os.getpid()}"
    if subprocess.run(["ip", "netns", "add", name], capture_output=True).returncode:
        return False
    _ip("netns", "del", name)
    return True


@dataclass
class Cluster:
    """Attributes: ``address`` of the scheduler, ``host`` of it, its process ``scheduler``, and ``workers`` by name."""

    address: str
    host: str
    scheduler: subprocess.Popen
    workers: dict[str, subprocess.Popen]

    def kill(self, *names):
        for name in names:
            self.workers.pop(name).kill()


@contextmanager
def running(folder, *names):
    """Yield a `Cluster` with a worker a name; this process can be its client."""
    authority = trustme.CA()
    identity = authority.issue_cert(HERE.format(1))
    files = {name: str(folder / name) for name in ("ca.pem", "cert.pem", "key.pem")}
    authority.cert_pem.write_to_path(files["ca.pem"])
    identity.cert_chain_pems[0].write_to_path(files["cert.pem"])
    identity.private_key_pem.write_to_path(files["key.pem"])
    told = {"distributed.comm.require-encryption": "True", "distributed.comm.tls.ca-file": files["ca.pem"]}
    for who in ("scheduler", "worker", "client"):
        told |= {f"distributed.comm.tls.{who}.{what}": files[f"{what}.pem"] for what in ("cert", "key")}
    variables = {"DASK_" + name.replace(".", "__").replace("-", "_").upper(): value for name, value in told.items()}
    environment = os.environ | variables
    with ExitStack() as stack:
        stack.enter_context(dask.config.set(told))
        machines = [stack.enter_context(_machine(place, name)) for place, name in enumerate(names, 1)]

        def start(*command, said=subprocess.DEVNULL):
            guarded = ["setpriv", "--pdeathsig", "KILL", *command]
            process = subprocess.Popen(guarded, env=environment, stderr=said, text=True, cwd=folder)
            stack.callback(_end, process)
            return process

        dask_program = str(Path(sys.executable).with_name("dask"))
        scheduler = start(
            dask_program, "scheduler", "--protocol", "tls", "--host", HERE.format(1), "--port", "0", "--no-dashboard",
            said=subprocess.PIPE,
        )  # fmt: skip
        address = _said(scheduler, r"Scheduler at:\s+(tls://\S+)")
        threading.Thread(target=scheduler.stderr.read, daemon=True).start()
        worker = [dask_program, "worker", address, "--protocol", "tls", "--no-nanny", "--no-dashboard"]
        workers = {
            name: start(*machine, *worker, "--nthreads", "1", "--host", THERE.format(place))
            for place, (name, machine) in enumerate(zip(names, machines, strict=True), 1)
        }
        with distributed.Client(address, set_as_default=False) as client:
            client.wait_for_workers(len(names), timeout=READY_S)
        yield Cluster(address, HERE.format(1), scheduler, workers)


@contextmanager
def _machine(place, name):
    """Yield the command that runs another on a machine of its own, which has a way to this one."""
    namespace, link = f"perfstudies-{os.getpid()}-{name}", f"ps{os.getpid() % 100_000}v{place}"
    _ip("netns", "add", namespace)
    try:
        _ip("link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", namespace)
        _ip("addr", "add", f"{HERE.format(place)}/30", "dev", link)
        _ip("link", "set", link, "up")
        _ip("-n", namespace, "addr", "add", f"{THERE.format(place)}/30", "dev", "eth0")
        for device in ("lo", "eth0"):
            _ip("-n", namespace, "link", "set", device, "up")
        _ip("-n", namespace, "route", "add", "default", "via", HERE.format(place))
        yield ["ip", "netns", "exec", namespace, "unshare", "--uts", "sh", "-c", f'hostname {name}; exec "$@"', "sh"]
    finally:
        # The link would go with the namespace, but some time.
        subprocess.run(["ip", "link", "del", link], capture_output=True)
        _ip("netns", "del", namespace)


def _ip(*arguments):
    subprocess.run(["ip", *arguments], check=True, capture_output=True)


def _said(process, pattern):
    """Return what a process says on its standard error, where a pattern has its group."""
    said = []
    for line in process.stderr:
        said.append(line)
        if found := re.search(pattern, line):
            return found[1]
    raise AssertionError("".join(said))


def _end(process):
    process.kill()
    process.wait()
