"""A server of raw sockets for the tests of the client for high rates: it says what a test wants, when it wants."""

import contextlib
import select
import socket
import threading
import time
from pathlib import Path

from perfstudies.load.rate.client import opened, send
from perfstudies.load.rate.plan import RatePlan
from perfstudies.studies.esb.logs import rate


def reply(body=b"<soap:Envelope/>", status=b"200 OK", *fields):
    """Return a whole reply."""
    lines = [b"HTTP/1.1 " + status, *fields, b"Content-Length: %d" % len(body), b"", body]
    return b"\r\n".join(lines)


class Server:
    """Gives each connection to a function of its own thread: ``serve(connection, number)``; requests are kept."""

    def __init__(self, serve):
        self._serve = serve
        self.requests, self.connections, self.problems = [], 0, []
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=2000)
        self.address = f"http://127.0.0.1:{self.socket.getsockname()[1]}/services/Echo"
        self._threads, self._open = [], []
        self._accepting = threading.Thread(target=self._accept)
        self._accepting.start()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.stop()
        for one in [self._accepting, *self._threads]:
            one.join(20)
        assert not any(one.is_alive() for one in [self._accepting, *self._threads])
        assert self.problems == []

    def stop(self):
        """Stop listening and break all connections."""
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
        for connection in list(self._open):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def read(self, connection):
        """Read a request; None at the connection's end."""
        data = b""
        while b"\r\n\r\n" not in data:
            more = connection.recv(65536)
            if not more:
                return None
            data += more
        head, _, body = data.partition(b"\r\n\r\n")
        length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
        while len(body) < length:
            more = connection.recv(1 << 20)
            if not more:
                return None
            body += more
        self.requests.append(head + b"\r\n\r\n" + body)
        return self.requests[-1]

    def _accept(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            self._open.append(connection)
            thread = threading.Thread(target=self._run, args=(connection, self.connections))
            self.connections += 1
            self._threads.append(thread)
            thread.start()

    def _run(self, connection, number):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            self._serve(self, connection, number)
        except OSError:  # the client, or the test, ended the connection
            pass
        except Exception as problem:
            self.problems.append(problem)
        finally:
            self._open.remove(connection)
            connection.close()


def answering(*data):
    """Return what answers each request with the next of some replies, the last one for ever."""

    def serve(server, connection, number):
        while server.read(connection) is not None:
            connection.sendall(data[min(len(server.requests), len(data)) - 1])

    return serve


def plan(server, folder, **values):
    """Return a plan for a server; by default one connection and five requests."""
    address = server if isinstance(server, str) else server.address
    standard = {"message": b"<ask/>", "connections": 1, "max_requests": 5, "duration_s": 10.0, "timeout_s": 5.0}
    return RatePlan(**{"address": address, "record": Path(folder) / "requests.bin"} | standard | values)


def run(plan):
    """Send what a plan says, in this process; return what the client says and its log."""
    with select.epoll() as epoll:
        state = opened(plan, epoll.fileno())
        result = send(plan, state, time.monotonic_ns())
    frame = rate.read(plan.record)
    assert result["sent"] == (frame["sent_ms"].notna()).sum()
    assert result["ended"] == frame["ended_ms"].notna().sum()
    return result, frame
