"""What a line carries: the payload of TCP, one direction after the other."""

from __future__ import annotations

import socket
import struct
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Bandwidth:
    """Achieved payload, Mbit/s: to the server at the line's end, and back."""

    to_server: float
    to_client: float


def bandwidth(
    listen: Callable[[], socket.socket],
    connect: Callable[[tuple, float], socket.socket],
    duration_s: float,
    timeout_s: float,
) -> Bandwidth:
    """Measure what a line carries now.

    Parameters
    ----------
    listen : callable
        Returns a listening socket at the server's end.
    connect : callable
        Given its address and a time limit, connects from the client's end.
    duration_s : float
        How long to send in each direction.
    timeout_s : float
        How long nothing may arrive.

    Raises
    ------
    OSError
        If nothing gets through.
    """
    with listen() as server:
        server.settimeout(timeout_s)

        def connected() -> tuple[socket.socket, socket.socket]:
            # Its first packets wait for what is still queued, so that each transfer starts on a free line.
            client = connect(server.getsockname(), timeout_s)
            return client, server.accept()[0]

        to_server = _payload_mbit_s(*connected(), duration_s, timeout_s)
        to_client = _payload_mbit_s(*connected()[::-1], duration_s, timeout_s)
        for end in connected():
            end.close()
        return Bandwidth(to_server, to_client)


def _payload_mbit_s(sender: socket.socket, receiver: socket.socket, duration_s: float, timeout_s: float) -> float:
    """Return what arrives between the first bytes and the end of the duration; closes both sockets."""
    buffer, chunk = bytearray(1 << 16), bytes(1 << 16)
    for end in (sender, receiver):
        end.settimeout(timeout_s)
        # Closing throws away what is still queued: it must not compete with the run that follows.
        end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    def send() -> None:
        try:
            while True:
                sender.sendall(chunk)
        except OSError:
            pass  # the receiver has what it wanted

    thread = threading.Thread(target=send)
    thread.start()
    try:
        if not receiver.recv_into(buffer):
            raise OSError("the connection was closed")
        start = now = time.perf_counter()
        size = 0
        while now - start < duration_s:
            size += receiver.recv_into(buffer)
            now = time.perf_counter()
    finally:
        receiver.close()
        thread.join()
        sender.close()
    return size * 8e-6 / (now - start)
