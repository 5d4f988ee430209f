"""A small SOAP service of nobody's make, in a thread on loopback: its documents and its answers are what a test says.

The description imports its schema by HTTP. The text of a request says what to do with it: ``fault`` and ``break`` are
faults, declared and not, the names of `PAGES` get these, ``hang up`` closes the connection without an answer,
``redirect`` sends the user elsewhere,
``entity`` is answered with one, ``die N`` lets it never answer again from the Nth request on.
"""

import base64
import re
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from made import threads

NAMESPACE = "urn:made:service"
WSDL = """<w:definitions xmlns:w="http://schemas.xmlsoap.org/wsdl/" xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/"
 xmlns:x="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:made:service" targetNamespace="urn:made:service">
<w:types><x:schema><x:import namespace="urn:made:service" schemaLocation="{schema}"/></x:schema></w:types>
<w:message name="in"><w:part name="body" element="t:say"/></w:message>
<w:message name="out"><w:part name="body" element="t:said"/></w:message>
<w:message name="bad"><w:part name="body" element="t:refusal"/></w:message>
<w:portType name="p"><w:operation name="say"><w:input message="t:in"/><w:output message="t:out"/>
<w:fault name="refused" message="t:bad"/></w:operation></w:portType>
<w:binding name="b" type="t:p"><s:binding transport="http://schemas.xmlsoap.org/soap/http"/>
<w:operation name="say"><s:operation soapAction=""/><w:input><s:body use="literal"/></w:input>
<w:output><s:body use="literal"/></w:output><w:fault name="refused"><s:fault name="refused" use="literal"/></w:fault>
</w:operation></w:binding>
<w:service name="Made"><w:port name="First" binding="t:b"><s:address location="{address}/first"/></w:port>
<w:port name="Second" binding="t:b"><s:address location="{address}/second"/></w:port></w:service></w:definitions>"""
SCHEMA = """<x:schema xmlns:x="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:made:service"
 elementFormDefault="qualified">
<x:element name="say"><x:complexType><x:sequence><x:element name="text" type="x:string"/></x:sequence></x:complexType>
</x:element>
<x:element name="said"><x:complexType><x:sequence><x:element name="text" type="x:string"/></x:sequence></x:complexType>
</x:element>
<x:element name="refusal"><x:complexType><x:sequence><x:element name="code" type="x:int"/></x:sequence></x:complexType>
</x:element></x:schema>"""
_ENVELOPE = '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>{}</e:Body></e:Envelope>'
_SAID = _ENVELOPE.format('<t:said xmlns:t="urn:made:service"><t:text>{}</t:text></t:said>')
_FAULT = _ENVELOPE.format("<e:Fault><faultcode>e:Server</faultcode><faultstring>no</faultstring>{}</e:Fault>")
_DETAIL = '<detail><t:refusal xmlns:t="urn:made:service"><t:code>7</t:code></t:refusal></detail>'
HANG_S = 0.05
PAGES = {
    "page": (503, "<html><head><title>503</title></head><body>\n<h1>Service &lt;Unavailable&gt;</h1></body></html>"),
    "xml": (500, '<problem xmlns="urn:other"><title>Not today</title></problem>'),
    "no body": (200, _ENVELOPE.replace("<e:Body>{}</e:Body>", "")),
}
"""Answers that are XML and no SOAP message, by the text that asks for them."""


class Service:
    """Attributes: ``address``, ``wsdl``; ``seen``, a (path, body, headers, time) a request; ``documents`` by path;
    ``asked``, a (path, headers) a document that was asked for;
    ``password``, name and password with a colon between, if it asks for them; ``redirect``, where documents have gone.
    """

    def __init__(self, address):
        self.address, self.wsdl, self.seen = address, f"{address}/?wsdl", []
        self.asked = []
        self.documents = {"/?wsdl": WSDL.format(schema=f"{address}/s.xsd", address=address), "/s.xsd": SCHEMA}
        self.password = self.redirect = None
        self.died = False
        self.counting = threading.Lock()


@contextmanager
def running(host="127.0.0.1"):
    """Yield a `Service`."""
    server = ThreadingHTTPServer((host, 0), _Handler)
    server.service = Service(f"http://{host}:{server.server_port}")
    with threads.serving(server):
        yield server.service


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        service = self.server.service
        service.asked.append((self.path, dict(self.headers)))
        if service.redirect:
            self.send_response(302)
            self.send_header("Location", service.redirect)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        document = service.documents.get(self.path)
        self._answer(404 if document is None else 200, document or "not here")

    def do_POST(self):
        service = self.server.service
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        found = re.search(r"text>([^<]*)<", body)
        text = found[1] if found else ""
        with service.counting:
            if service.died:
                self.close_connection = True
                return
            service.seen.append((self.path, body, dict(self.headers), time.monotonic()))
            # Whoever comes later is not heard either.
            dies = text.startswith("die") and len(service.seen) >= int(text.removeprefix("die "))
            service.died = dies
        if service.password is not None:
            wanted = base64.b64encode(service.password.encode()).decode()
            if self.headers.get("Authorization") != f"Basic {wanted}":
                self._answer(401, "")
                return
        if dies:
            self.close_connection = True
            return
        if text == "redirect":
            self.send_response(307)
            self.send_header("Location", "http://192.0.2.1/")
            self.send_header("Content-Length", "0")
            self.end_headers()
        elif text == "entity":
            self._answer(200, '<!DOCTYPE e [<!ENTITY a "b">]>' + _SAID.format("&a;"))
        elif text in PAGES:
            self._answer(*PAGES[text])
        elif text == "hang up":
            self.close_connection = True
        elif text == "slow":
            time.sleep(HANG_S)
            self._answer(200, _SAID.format(text))
        elif text in ("fault", "break"):
            self._answer(500, _FAULT.format(_DETAIL if text == "fault" else ""))
        else:
            self._answer(200, _SAID.format(text))

    def _answer(self, status, text):
        data = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/xml")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass
