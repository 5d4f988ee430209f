"""A small web service of nobody's make, in a thread on loopback: what it answers is in the path that it is asked.

``/status/503`` answers with that status and a page, ``/echo`` with what it got as JSON, ``/slow`` after a while,
``/secret`` only who tells ``Bearer token`` or name and password ``a:b``, ``/away`` sends elsewhere, ``/to/80`` to
another port of this machine, ``/nowhere`` to no address at all, ``/hang`` closes the connection without an answer;
anything else is answered with its path.
"""

import base64
import json
import ssl
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from made import threads

SLOW_S = 0.05
TOLD = {"Bearer token", "Basic " + base64.b64encode(b"a:b").decode()}


class Peer:
    """Attributes: ``address``; ``seen``, a (method, path, headers, body) a request."""

    def __init__(self, address):
        self.address, self.seen = address, []


@contextmanager
def running(context: ssl.SSLContext | None = None, port=0):
    """Yield a `Peer`, which speaks TLS if a context is given."""
    server = _Server(("127.0.0.1", port), _Handler)
    if context:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    server.peer = Peer(f"http{'s' if context else ''}://127.0.0.1:{server.server_port}")
    with threads.serving(server):
        yield server.peer


class _Server(ThreadingHTTPServer):
    peer: Peer


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.peer.seen.append((self.command, self.path, dict(self.headers), body))
        kind, _, rest = self.path.strip("/").partition("/")
        if kind == "hang":
            self.close_connection = True
        elif kind == "away":
            self._answer(302, b"", Location="http://192.0.2.1/")
        elif kind == "to":
            self._answer(302, b"", Location=f"http://127.0.0.1:{rest}/landed")
        elif kind == "nowhere":
            self._answer(302, b"", Location="http://[x")
        elif kind == "secret" and self.headers.get("Authorization") not in TOLD:
            self._answer(401, f"not {self.headers.get('Authorization')}".encode())
        elif kind == "status":
            self._answer(int(rest), f"<p>this is\n {rest}</p>".encode())
        elif kind == "echo":
            self._answer(200, json.dumps({"path": self.path, "body": body.decode("utf-8", "replace")}).encode())
        else:
            time.sleep(SLOW_S if kind == "slow" else 0)
            self._answer(200, self.path.encode())

    do_POST = do_PUT = do_DELETE = do_PATCH = do_GET

    def _answer(self, status, body, **headers):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass
