"""The trivial server: nginx, one process, which answers every POST with the same envelope."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import requests

from perfstudies.errors import BadParameter, MissingTool, SystemFailed

CONF = """daemon off;
master_process off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    keepalive_requests 1000000000;
    types {{ }}
    default_type "text/xml; charset=utf-8";
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port};
        location / {{ return 200 '{reply}'; }}
    }}
}}
"""
TRIES = 10


# nginx does not notice that its parent is gone; the shell does, when its input ends.
GUARD = ["sh", "-c", '"$@" & cat >/dev/null; kill $!; wait $!', "sh"]
TRIES, START_S = 5, 5.0


@contextmanager
def trivial_server(folder: Path, reply: str, cpus: set[int] | None) -> Iterator[str]:
    """Yield the address of a server that answers with an envelope, on processors of its own if some are named."""
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
    if program is None:
        raise MissingTool("nginx, which answers all clients, is missing: apt-get install nginx-light, or conda's nginx")
    if "'" in reply or "$" in reply:
        raise BadParameter("nginx's configuration cannot hold a reply with a quote or a dollar sign")
    for _ in range(TRIES):  # another program may take a port before nginx does
        port = _free_port()
        (folder / "nginx.conf").write_text(CONF.format(folder=folder, port=port, reply=reply))
        options = ["-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", str(folder / "error.log")]
        with on_cpus(cpus):
            process = subprocess.Popen([*GUARD, program, *options], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            address = f"http://127.0.0.1:{port}/services/EchoService"
            if _answers(address, reply):
                yield address
                return
        finally:
            process.stdin.close()
            process.wait()
    raise SystemFailed(f"nginx did not start: {(folder / 'error.log').read_text()[-500:]}")


@contextmanager
def on_cpus(cpus: set[int] | None) -> Iterator[None]:
    """Run a block, and what it starts, on some processors only; on all if none are named."""
    if cpus is None:
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cpus)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def _answers(address: str, reply: str) -> bool:
    give_up = time.monotonic() + START_S
    with requests.Session() as session:
        session.trust_env = False
        while time.monotonic() < give_up:
            try:
                return session.post(address, data=b"<a/>", timeout=START_S).text == reply
            except requests.RequestException:
                pass
    return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
