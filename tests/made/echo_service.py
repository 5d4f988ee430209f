"""A small echo service as the ESB study's back end, in a thread: it counts calls at once, and can wait for them."""

import asyncio
import re
import threading
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path

WSDL = Path(__file__).resolve().parents[2].joinpath(
    "systems/esb/backend/src/main/resources/perfstudies/esb/backend/EchoService.wsdl"
)  # fmt: skip
ENVELOPE = b'<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>%b</e:Body></e:Envelope>'
CONTENT = re.compile(rb"<(\w+:)echo(.*)</\w+:echo>", re.DOTALL)
FAULT = b"<e:Fault><faultcode>e:Server</faultcode><faultstring>not now</faultstring></e:Fault>"


class EchoService:
    """Attributes: ``address``; ``most`` calls at once; ``accepted`` connections; ``say`` what to answer instead."""

    stop: Callable[[], object]

    def __init__(self, together: int):
        self.together, self.say = together, None
        self.now = self.most = self.accepted = 0
        self.address = ""

    async def handle(self, reader, writer):
        self.accepted += 1
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
                length = re.search(r"content-length: (\d+)", head)
                body = await reader.readexactly(int(length[1])) if length else b""
                answer = await self.answer(head, body)
                status = b"500 Fault" if FAULT in answer else b"200 OK"
                heading = b"HTTP/1.1 %b\r\nContent-Type: text/xml\r\nContent-Length: %d\r\n\r\n"
                writer.write(heading % (status, len(answer)) + answer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def answer(self, head, body):
        if head.startswith("get"):
            return re.sub(r'location="[^"]*"', f'location="{self.address}"', WSDL.read_text()).encode()
        self.now += 1
        self.most = max(self.most, self.now)
        async with self.arrived:
            self.arrived.notify_all()
            await self.arrived.wait_for(lambda: self.most >= self.together)
        self.now -= 1
        if self.say is not None:
            return ENVELOPE % self.say
        found = CONTENT.search(body)
        return ENVELOPE % (b"<%bechoResponse%b</%bechoResponse>" % (found[1], found[2], found[1]))


@contextmanager
def running(together: int = 1):
    """Yield a service that answers none before so many calls were there at once."""
    service, ready = EchoService(together), threading.Event()

    async def serve():
        service.arrived, ended = asyncio.Condition(), asyncio.Event()
        server = await asyncio.start_server(service.handle, "127.0.0.1", 0)
        service.address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/services/EchoService"
        loop = asyncio.get_running_loop()
        service.stop = lambda: loop.call_soon_threadsafe(ended.set)
        ready.set()
        await ended.wait()
        server.close()
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    ready.wait()
    try:
        yield service
    finally:
        service.stop()
        thread.join()
