"""A service whose every answer costs the same real work: rounds of hashing. Run by itself, as a process of its own.

``python work_server.py ROUNDS`` prints its port, and ends when its input does.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from perfstudies.errors import SystemFailed


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body leave together, or they would wait for each other's acknowledgement
    rounds = 0

    def do_GET(self) -> None:
        body = hashlib.pbkdf2_hmac("sha256", b"work", b"salt", self.rounds).hex().encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True


@contextmanager
def working(rounds: int) -> Iterator[str]:
    """Yield the address of such a service, on loopback."""
    process = subprocess.Popen(
        [sys.executable, __file__, str(rounds)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        port = process.stdout.readline().strip()
        if not port:
            raise SystemFailed("the service whose answers cost work did not start")
        yield f"http://127.0.0.1:{port}/"
    finally:
        process.stdin.close()
        process.stdout.close()
        process.wait()


def main() -> None:
    """Serve until the input ends."""
    _Handler.rounds = int(sys.argv[1])
    with _Server(("127.0.0.1", 0), _Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        print(server.server_address[1], flush=True)
        sys.stdin.read()
        server.shutdown()


if __name__ == "__main__":
    main()
