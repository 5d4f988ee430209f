"""A small HTTP server that answers SOAP as the AAA server does, and on demand as it must not; in a thread, or alone.

The attribute ``type`` of a request says what to do with it; anything else is answered. Run alone, it prints its address
and ends when its standard input ends.
"""

import asyncio
import re
import socket
import struct
import sys
import threading
from contextlib import contextmanager

WSDL = """<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/"
 xmlns:x="http://www.w3.org/2001/XMLSchema" xmlns:t="http://www.AAA.org/ns/AAA_BoD"
 targetNamespace="http://www.AAA.org/ns/AAA_BoD"><types>
 <x:schema targetNamespace="http://www.AAA.org/ns/AAA_BoD" elementFormDefault="unqualified">
 <x:element name="AAARequest"><x:complexType><x:sequence>
  <x:element name="TimerCondition" type="x:int" minOccurs="0"/>
  <x:element name="TimerAction" type="x:int" minOccurs="0"/>
 </x:sequence><x:attribute name="version" type="x:string"/><x:attribute name="type" type="x:string"/>
 </x:complexType></x:element>
 <x:element name="AAAReply"><x:complexType><x:sequence><x:element name="Answer" type="x:string"/>
  <x:element name="Session" type="x:string"/></x:sequence></x:complexType></x:element></x:schema></types>
 <message name="in"><part name="body" element="t:AAARequest"/></message>
 <message name="out"><part name="body" element="t:AAAReply"/></message>
 <portType name="p"><operation name="AAARequest"><input message="t:in"/><output message="t:out"/></operation></portType>
 <binding name="b" type="t:p"><s:binding transport="http://schemas.xmlsoap.org/soap/http"/>
 <operation name="AAARequest"><s:operation soapAction="AAARequest"/><input><s:body use="literal"/></input>
 <output><s:body use="literal"/></output></operation></binding>
 <service name="AAA"><port name="p" binding="t:b"><s:address location="{address}"/></port></service></definitions>"""
ENVELOPE = '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>{body}</e:Body></e:Envelope>'
ANSWER = ENVELOPE.format(
    body='<a:AAAReply xmlns:a="http://www.AAA.org/ns/AAA_BoD"><Answer>yes</Answer><Session>1</Session></a:AAAReply>'
)
OTHER = ANSWER.replace("Answer", "Unknown")
FAULT = ENVELOPE.format(
    body="<e:Fault><faultcode>e:Server</faultcode><faultstring>no bean left</faultstring>"
    "<detail><NoBean>in time</NoBean></detail></e:Fault>"
)
EJB_TIME = "12.875"


def reply(status, text, *headers):
    head = [f"HTTP/1.1 {status} Said", f"Content-Length: {len(text)}", "Content-Type: text/xml", *headers]
    return ("\r\n".join(head) + "\r\n\r\n" + text).encode()


REPLIES = {
    "fault": reply(500, FAULT, f"SOAPAction: {EJB_TIME}"),
    "html": reply(503, "<html><body>busy</body></html>"),
    "empty": reply(500, ""),
    "other": reply(200, OTHER),
    "garbled": b"220 smtp ready\r\n\r\n",
    "half": reply(200, ANSWER)[:-20],
    "chunks": b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nSOAPAction: 7\r\n\r\n"
    b"5\r\n%b\r\n%x;x=y\r\n%b\r\n0\r\n\r\n" % (ANSWER[:5].encode(), len(ANSWER) - 5, ANSWER[5:].encode()),
    "until the end": b"HTTP/1.1 200 OK\r\nSOAPAction: 8\r\n\r\n" + ANSWER.encode(),
}
CLOSING = {"half", "until the end", "garbled"}


class Server:
    """Attributes: ``wsdl`` its address; ``seen`` what ``X-Request`` said; ``peers`` from where; ``held`` what waits."""

    def __init__(self):
        self.seen, self.peers, self.held, self.connections, self.wsdl = [], set(), [], 0, ""

    async def listen(self):
        made = await asyncio.get_running_loop().create_server(lambda: _Connection(self), "127.0.0.1", 0, backlog=4096)
        self.address = f"http://127.0.0.1:{made.sockets[0].getsockname()[1]}/AAA/server"
        self.wsdl = f"{self.address}?wsdl"
        return made


class _Connection(asyncio.Protocol):
    def __init__(self, server):
        self.server, self.data = server, b""

    def connection_made(self, transport):
        self.transport = transport
        self.server.connections += 1

    def data_received(self, data):
        self.data += data
        head, found, body = self.data.partition(b"\r\n\r\n")
        length = re.search(rb"Content-Length: (\d+)", head)
        if found and len(body) >= int(length[1] if length else 0):
            self.data = b""
            self.answer(head, body)

    def answer(self, head, body):
        server = self.server
        if head.startswith(b"GET"):
            self.transport.write(reply(200, WSDL.format(address=server.address)))
            return
        server.seen.append(re.search(rb"X-Request: (.*)", head)[1].decode().strip())
        server.peers.add(self.transport.get_extra_info("peername")[0])
        kind = re.search(rb' type="([^"]*)"', body)
        kind = kind[1].decode() if kind else ""
        if kind == "reset":
            linger = struct.pack("ii", 1, 0)
            self.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            self.transport.abort()
        elif kind == "close":
            self.transport.close()
        elif kind == "die":
            self.transport.abort()
            server.stop()
        elif kind == "hang":
            server.held.append(self)
        else:
            self.transport.write(REPLIES.get(kind) or reply(200, ANSWER, f"SOAPAction: {EJB_TIME}"))
            if kind in CLOSING or b"Connection: close" in head:
                self.transport.close()


@contextmanager
def running():
    """Yield a server that runs in a thread."""
    server, ready = Server(), threading.Event()

    async def serve():
        loop, ended = asyncio.get_running_loop(), asyncio.Event()
        made = await server.listen()

        def stop():
            made.close()
            for connection in server.held:
                connection.transport.abort()
            ended.set()

        server.stop, server.loop = stop, loop
        ready.set()
        await ended.wait()

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    ready.wait()
    try:
        yield server
    finally:
        if thread.is_alive():
            server.loop.call_soon_threadsafe(server.stop)
        thread.join()


async def _alone():
    server = Server()
    made = await server.listen()
    ended = asyncio.Event()
    asyncio.get_running_loop().add_reader(sys.stdin.fileno(), ended.set)
    print(f"READY {server.wsdl}", flush=True)
    await ended.wait()
    made.close()


if __name__ == "__main__":
    asyncio.run(_alone())
