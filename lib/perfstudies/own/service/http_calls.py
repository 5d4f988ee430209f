"""Requests by plain HTTP, each with its record: whatever goes wrong after the sending is an outcome."""

from __future__ import annotations

import base64
import socket
import ssl
import time
from collections.abc import Mapping
from urllib.parse import urlsplit

import requests
from requests.auth import AuthBase, HTTPBasicAuth

from perfstudies import sent
from perfstudies.errors import BadParameter, SystemFailed
from perfstudies.load import guarded
from perfstudies.own.service import plain
from perfstudies.own.service.http_declaration import BEARER, HttpTarget
from perfstudies.own.service.http_kinds import Kind
from perfstudies.permit import PORTS, Permit
from perfstudies.sent import Sent

MOST_OF_A_PAGE = 200
HIDDEN = "(secret)"


class HttpAsker:
    """Asks a target over connections of its own.

    Attributes
    ----------
    peers : set of str
        The addresses of the hosts that answered.
    """

    def __init__(self, target: HttpTarget, permit: Permit, timeout_s: float, most_bytes: int):
        self.peers: set[str] = set()
        self._target, self._timeout_s = target, timeout_s
        self._session = guarded.session(permit, self.peers, most_bytes)
        self._session.headers.clear()
        self._told = {name: plain.secret("secret_headers", one) for name, one in target.secret_headers.items()}
        self._secrets = [*self._told.values()]
        self._session.auth = _authenticated(target, self._secrets)
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
        name, kind, row, at = self._target.chosen(user, number)
        prepared = self._prepared(name, kind, row, at)
        length = len(prepared.body or b"")
        outcome, detail, came = sent.OK, "", 0
        sent_ns = time.monotonic_ns()
        try:
            answer = self._session.send(
                prepared, timeout=self._timeout_s, verify=self._verify, cert=self._certificate, allow_redirects=True
            )
            came = len(answer.content)
            if not kind.is_well(answer.status_code):
                outcome = sent.APPLICATION_EXCEPTION if answer.status_code < 500 else sent.SYSTEM_ERROR
                said = " ".join(answer.content[: 4 * MOST_OF_A_PAGE].decode("utf-8", "replace").split())
                detail = f"status {answer.status_code}: {said[:MOST_OF_A_PAGE]}"
        except requests.exceptions.SSLError as error:
            raise BadParameter(_certificates(self._target, error)) from error
        except requests.RequestException as error:
            outcome, detail = sent.TRANSPORT_ERROR, f"{type(error).__name__}: {error}"
        return Sent(
            user=user,
            session=0,
            request=number,
            operation=name,
            intended_ns=due_ns,
            sent_ns=sent_ns - start_ns,
            ended_ns=time.monotonic_ns() - start_ns,
            outcome=outcome,
            detail=self._without_secrets(detail)[: sent.MOST_OF_A_DETAIL],
            bytes_out=length,
            bytes_in=came,
        )

    def close(self) -> None:
        """Close its connections."""
        self._session.close()

    def _prepared(self, name: str, kind: Kind, row: Mapping[str, str], at: int) -> requests.PreparedRequest:
        """Return a request; one that is always the same is prepared once."""
        if name in self._ready:
            return self._ready[name]
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

    def _without_secrets(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, HIDDEN)
        return text


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


class _Bearer(AuthBase):
    def __init__(self, token: str):
        self._token = token

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = f"Bearer {self._token}"
        return request


def _authenticated(target: HttpTarget, secrets: list[str]) -> AuthBase | None:
    if not target.password_variable:
        return None
    secret = plain.secret("password_variable", target.password_variable)
    secrets.append(secret)
    if target.security == BEARER:
        return _Bearer(secret)
    # A server that quotes what it was told quotes it as it was told.
    secrets.append(base64.b64encode(f"{target.user}:{secret}".encode()).decode())
    return HTTPBasicAuth(target.user, secret)


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
