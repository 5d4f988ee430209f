"""An AAA server and a service equipment in threads, with the real parties' descriptions, that say what a test wants."""

import base64
import hashlib
import re
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

RESOURCES = Path(__file__).resolve().parents[2] / "systems/aaa/server/src/main/resources/perfstudies/aaa"
NAMESPACES = {"aaa": "http://www.AAA.org/ns/AAA_BoD", "equipment": "http://www.AAA.org/ns/Equipment"}
DESCRIPTIONS = {"aaa": "web/aaa", "equipment": "equipment/equipment"}
EJB_TIME = "1.250"


def envelope(content):
    return (
        f'<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>{content}</s:Body></s:Envelope>'
    ).encode()


def fault(name):
    return 500, envelope(
        f"<s:Fault><faultcode>s:Client</faultcode><faultstring>{name}</faultstring><detail><x:{name} "
        f'xmlns:x="{NAMESPACES["aaa"]}"/></detail></s:Fault>'
    )


def seal(fields):
    return hashlib.sha256(f"secret{fields}".encode()).hexdigest()


class Parties:
    """What both do; `seen` is what came, in its order: party, operation, header X-Request."""

    def __init__(self):
        self.seen, self.used = [], set()
        self.lifetime_s = 20.0
        self.ahead_s = 0.0  # of the real clock: who waits sets theirs forward
        self.careless = False  # accepts every ticket
        self.ticketless = False
        self.refused_from = None  # number of the request from which the answer is no
        self.hung_up_from = None  # number of the request from which nobody answers

    def time(self):
        return time.time() + self.ahead_s

    def sleep(self, seconds):
        self.ahead_s += seconds

    def answer(self, party, message, name):
        operation = re.search(rb"<[\w-]+:Body>\s*<(?:[\w-]+:)?(\w+)", message).group(1).decode()
        self.seen.append((party, operation, name))
        number = int(name.partition("/")[2])
        if self.hung_up_from is not None and number >= self.hung_up_from:
            return None
        granted = "no" if self.refused_from is not None and number >= self.refused_from else "yes"
        rest = ""
        if b"Ticket01" in message:
            if self.ticketless:
                return fault("ServerFailed")
            rest = f"<Ticket>{self.issue()}</Ticket>"
        if operation == "RequestWithTicket" and (wrong := self.wrong(message)):
            return fault(wrong)
        return 200, self.reply(party, operation, granted, rest)

    def reply(self, party, operation, granted, rest):
        reply = "AAAReply" if party == "aaa" else f"{operation}Reply"
        extra = ' version="0.1" type="x"' if party == "aaa" else ""
        why = "<Message>too much</Message>" if granted == "no" else ""
        return envelope(
            f'<p:{reply} xmlns:p="{NAMESPACES[party]}"{extra}><Answer>{granted}</Answer><Session>s-1</Session>'
            f"{why}{rest}</p:{reply}>"
        )

    def issue(self):
        not_after = int((self.time() + self.lifetime_s) * 1000)
        fields = f"user\nbandwidth\n10\ns-1\n{not_after}\n{len(self.seen)}"
        return base64.urlsafe_b64encode(fields.encode()).decode().rstrip("=") + "." + seal(fields)

    def wrong(self, message):
        ticket = re.search(rb"<Ticket>(.*)</Ticket>", message).group(1).decode()
        signed, _, sealed = ticket.partition(".")
        fields = base64.urlsafe_b64decode(signed + "=" * (-len(signed) % 4)).decode()
        if self.careless:
            return None
        if seal(fields) != sealed:
            return "TicketTampered"
        if self.time() * 1000 > int(fields.split("\n")[4]):
            return "TicketExpired"
        if ticket in self.used:
            return "TicketReplayed"
        self.used.add(ticket)
        return None


def _handler(parties, party):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            place = RESOURCES / DESCRIPTIONS[party]
            schema = re.sub(r"<\?xml[^>]*>|<!--.*?-->", "", place.with_suffix(".xsd").read_text(), flags=re.S)
            address = f"http://127.0.0.1:{self.server.server_port}/"
            wsdl = place.with_suffix(".wsdl").read_text()
            self.send(200, wsdl.replace("@SCHEMA@", schema).replace("@ADDRESS@", address).encode())

        def do_POST(self):
            message = self.rfile.read(int(self.headers["Content-Length"]))
            answer = parties.answer(party, message, self.headers["X-Request"])
            if answer is None:
                self.close_connection = True
            else:
                self.send(*answer)

        def send(self, status, text):
            self.send_response(status)
            self.send_header("Content-Type", "text/xml; charset=utf-8")
            self.send_header("Content-Length", str(len(text)))
            if party == "aaa":
                self.send_header("SOAPAction", EJB_TIME)
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_):
            pass

    return Handler


@contextmanager
def serving():
    """Serve both parties; give what they do and the addresses of their descriptions."""
    parties, servers = Parties(), []
    for party in NAMESPACES:
        server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(parties, party))
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, args=(0.05,)).start()
        servers.append(server)
    try:
        yield parties, [f"http://127.0.0.1:{server.server_port}/?wsdl" for server in servers]
    finally:
        for server in servers:
            server.shutdown()
            server.server_close()
