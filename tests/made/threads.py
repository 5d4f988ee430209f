"""A server of this process, in a thread, on loopback."""

import threading
from contextlib import contextmanager


@contextmanager
def serving(server):
    """Yield a server that serves until the end of the block, and is closed then."""
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
