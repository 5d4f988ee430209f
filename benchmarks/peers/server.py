"""The trivial server: nginx, which answers every POST with the same envelope."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import requests

from peers.nginx import START_S, nginx
from perfstudies.errors import BadParameter

SERVER = """listen 127.0.0.1:@PORT@;
        access_log off;
        default_type "text/xml; charset=utf-8";
        location / {{ return 200 '{reply}'; }}"""


@contextmanager
def trivial_server(folder: Path, reply: str, cpus: set[int] | None) -> Iterator[str]:
    """Yield the address of a server that answers with an envelope, on processors of its own if some are named."""
    if "'" in reply or "$" in reply:
        raise BadParameter("nginx's configuration cannot hold a reply with a quote or a dollar sign")
    with requests.Session() as session:
        session.trust_env = False

        def answers(port: int) -> bool:
            try:
                return session.post(_address(port), data=b"<a/>", timeout=START_S).text == reply
            except requests.RequestException:
                return False

        with nginx(folder, SERVER.format(reply=reply), answers, cpus) as port:
            yield _address(port)


def _address(port: int) -> str:
    return f"http://127.0.0.1:{port}/services/EchoService"
