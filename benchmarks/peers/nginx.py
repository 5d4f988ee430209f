"""nginx, one process on loopback, that ends with whoever started it."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from peers.cpus import on_cpus
from perfstudies.errors import MissingTool, SystemFailed

CONF = """daemon off;
master_process off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 1024; }}
http {{
    keepalive_requests 1000000000;
    types {{ }}
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        {server}
    }}
}}
"""
PLACES = "/usr/sbin:/usr/local/sbin"
"""Where Debian keeps servers, and not every user's PATH leads."""
# nginx does not notice that its parent is gone; the shell does, when its input ends.
GUARD = ["sh", "-c", '"$@" & cat >/dev/null; kill $!; wait $!', "sh"]
TRIES, START_S = 5, 5.0


def program() -> str | None:
    """Return where nginx is, or None."""
    return shutil.which("nginx") or shutil.which("nginx", path=PLACES)


@contextmanager
def nginx(folder: Path, server: str, answers: Callable[[int], bool], cpus: set[int] | None = None) -> Iterator[int]:
    """Yield the port of an nginx that answers.

    Parameters
    ----------
    folder : Path
        Where it keeps its configuration and logs.
    server : str
        The directives of its server, with ``@PORT@`` and ``@FOLDER@`` where these stand.
    answers : callable
        Says whether it answers at a port; asked again for some seconds while it does not.
    cpus : set of int, optional
        Its processors; all if not given.

    Raises
    ------
    MissingTool
        If there is no nginx.
    SystemFailed
        If it does not answer.
    """
    found = program()
    if found is None:
        raise MissingTool("nginx is missing: apt-get install nginx-light, or conda's nginx")
    options = ["-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", str(folder / "error.log")]
    for _ in range(TRIES):  # another program may take a port before nginx does
        port = _free_port()
        told = server.replace("@PORT@", str(port)).replace("@FOLDER@", str(folder))
        (folder / "nginx.conf").write_text(CONF.format(folder=folder, server=told))
        with on_cpus(cpus):
            process = subprocess.Popen([*GUARD, found, *options], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            if _comes_up(port, answers):
                yield port
                return
        finally:
            process.stdin.close()
            process.wait()
    raise SystemFailed(f"nginx did not start: {(folder / 'error.log').read_text()[-500:]}")


def _comes_up(port: int, answers: Callable[[int], bool]) -> bool:
    give_up = time.monotonic() + START_S
    while time.monotonic() < give_up:
        if answers(port):
            return True
    return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
