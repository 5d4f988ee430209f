"""A server that answers whatever it is asked with the same pieces of a reply."""

import socket
import threading
import time
from contextlib import contextmanager


@contextmanager
def answering(*pieces, pause_s=0.0):
    """Serve every connection the same pieces of a reply, with a pause before each."""

    def serve(connection):
        with connection:
            try:
                while connection.recv(1 << 16):
                    for piece in pieces:
                        time.sleep(pause_s)
                        connection.sendall(piece)
            except OSError:
                pass  # the client has had enough

    with socket.create_server(("127.0.0.1", 0)) as listening:

        def accept():
            while True:
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                threading.Thread(target=serve, args=(connection,), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/"
        listening.shutdown(socket.SHUT_RDWR)
