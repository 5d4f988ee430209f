"""Requests by plain HTTP, each with its record: whatever goes wrong after the sending is an outcome."""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Mapping
from urllib.parse import urlsplit

import requests
from requests.auth import HTTPBasicAuth

from perfstudies import sent
from perfstudies.errors import BadParameter, SystemFailed
from perfstudies.load import guarded
from perfstudies.own.service import plain
from perfstudies.own.service.http_declaration import BEARER, HttpTarget
from perfstudies.own.service.http_kinds import Kind
from perfstudies.permit import PORTS, Permit
from perfstudies.sent import Sent

MOST_OF_A_PAGE = 200


class HttpAsker:
    """Asks a target over connections of its own.

    Attributes
    ----------
    peers : set of str
        The addresses of the hosts that answered.
    by_number : bool
        Whether a request's number alone says what is asked, as of open arrivals, which go to whoever is free.
    """

    def __init__(self, target: HttpTarget, permit: Permit, timeout_s: float, most_bytes: int, by_number: bool = False):
        self.peers: set[str] = set()
        self._target, self._timeout_s, self._by_number = target, timeout_s, by_number
        self._session = guarded.session(permit, self.peers, most_bytes)
        self._session.headers.clear()
        self._session.rebuild_auth = self._rebuilt  # type: ignore[method-assign]
        self._told = {name: plain.of_header("secret_headers", one) for name, one in target.secret_headers.items()}
        self._secrets = [*self._told.values()]
        if target.security == BEARER and target.password_variable:
            self._secrets.append(plain.of_header("password_variable", target.password_variable))
            self._told["Authorization"] = f"Bearer {self._secrets[-1]}"
        elif target.password_variable:
            password = plain.secret("password_variable", target.password_variable)
            self._secrets += plain.quotable(target.user, password)
            self._session.auth = HTTPBasicAuth(target.user, password)
        self._verify: str | bool = target.ca_file or True
        self._certificate = (target.client_certificate, target.client_key) if target.client_certificate else None
        self._ready: dict[str, requests.PreparedRequest] = {}
        for address in target.named:
            permit.require(address)

    def ask(self, user: int, number: int, due_ns: int, start_ns: int) -> Sent:
        """Send a user's request and return its record.

        Raises
        ------
        BadParameter
            If an answer redirects to a host that is not permitted, or the server's certificate or ours is refused.
        """
        name, kind, row, at = self._target.chosen(0 if self._by_number else user, number)
        prepared = self._prepared(name, kind, row, at)
        length = len(prepared.body or b"")
        outcome, detail, came = sent.OK, "", 0
        follow = not any(300 <= status < 400 for status in kind.expect)
        sent_ns = time.monotonic_ns()
        try:
            answer = self._session.send(
                prepared, timeout=self._timeout_s, verify=self._verify, cert=self._certificate, allow_redirects=follow
            )
            came = len(answer.content)
            if not kind.is_well(answer.status_code):
                outcome = sent.APPLICATION_EXCEPTION if answer.status_code < 500 else sent.SYSTEM_ERROR
                said = plain.hidden(answer.content.decode("utf-8", "replace"), self._secrets)
                said = " ".join(said[: 4 * MOST_OF_A_PAGE].split())
                detail = f"status {answer.status_code}: {said[:MOST_OF_A_PAGE]}"
        except BadParameter:
            raise  # an answer sent it on to where it may not go
        except (requests.RequestException, ValueError) as error:  # the latter of an address that leads nowhere
            outcome, detail = sent.TRANSPORT_ERROR, f"{type(error).__name__}: {error}"
            if isinstance(error, requests.exceptions.SSLError):
                detail = _certificates(self._target, error)
                if "EOF" not in detail:  # which is a server that was stopped, too
                    raise BadParameter(detail) from error
        return Sent(
            user=user,
            session=0,
            request=number,
            operation=name,
            intended_ns=due_ns,
            sent_ns=sent_ns - start_ns,
            ended_ns=time.monotonic_ns() - start_ns,
            outcome=outcome,
            detail=plain.hidden(detail, self._secrets)[: sent.MOST_OF_A_DETAIL],
            bytes_out=length,
            bytes_in=came,
        )

    def close(self) -> None:
        """Close its connections."""
        self._session.close()

    def _prepared(self, name: str, kind: Kind, row: Mapping[str, str], at: int) -> requests.PreparedRequest:
        """Return a request; one that is always the same is prepared once."""
        if name in self._ready:
            ready = self._ready[name]
            if self._session.cookies:
                ready.headers.pop("Cookie", None)
                ready.prepare_cookies(self._session.cookies)
            return ready
        filled = kind.filled(row, at)
        headers = {"Accept": "*/*", "Accept-Encoding": "gzip, deflate", **filled.headers, **self._told}
        one = requests.Request(filled.method, filled.url, headers=headers, data=filled.body)
        try:
            made = self._session.prepare_request(one)
        except (requests.RequestException, ValueError) as error:
            raise BadParameter(f"{filled.method} {filled.url[:200]} cannot be sent: {error}") from error
        if kind.is_constant:
            self._ready[name] = made
        return made

    def _rebuilt(self, prepared: requests.PreparedRequest, response: requests.Response) -> None:
        """Tell another host that an answer redirects to no secret, in whichever header."""
        requests.Session.rebuild_auth(self._session, prepared, response)
        if self._session.should_strip_auth(str(response.request.url), str(prepared.url)):
            for name in self._told:
                prepared.headers.pop(name, None)


def check(target: HttpTarget, permit: Permit, timeout_s: float) -> None:
    """Open a connection to each of a target's servers and close it again: nothing is asked yet.

    Raises
    ------
    BadParameter
        If one may not be sent there, a secret is not in the environment, or a certificate is refused.
    SystemFailed
        If nobody listens there.
    """
    HttpAsker(target, permit, timeout_s, guarded.REPLY_LIMIT).close()
    for address in dict.fromkeys(target.named):
        parts = urlsplit(address)
        host = parts.hostname or ""
        try:
            with socket.create_connection((host, parts.port or PORTS[parts.scheme]), timeout_s) as made:
                permit.require_peer(host, str(made.getpeername()[0]))
                if parts.scheme == "https":
                    _context(target).wrap_socket(made, server_hostname=host).close()
        except ssl.SSLError as error:
            raise BadParameter(_certificates(target, error)) from error
        except OSError as error:
            raise SystemFailed(f"nobody answers at {address}: {error}") from error


def _context(target: HttpTarget) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=target.ca_file or None)
    if target.client_certificate:
        context.load_cert_chain(target.client_certificate, target.client_key)
    return context


def _certificates(target: HttpTarget, error: Exception) -> str:
    said = str(error)[:500]
    if "CERTIFICATE_VERIFY_FAILED" in said:
        advice = "name the certificate of who signed it: ca_file = the path of a PEM file"
        if target.ca_file:
            advice = f"it is not signed by one in {target.ca_file}, or is another host's"
        return f"the server's certificate is not trusted; {advice}. {said}"
    advice = "it may ask for a client_certificate and client_key"
    if target.client_certificate:
        advice = f"it may not take {target.client_certificate}"
    return f"no secure connection to {target.url}; {advice}. {said}"
