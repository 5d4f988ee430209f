"""Where loads may be sent: to this machine's loopback interface, and to hosts that somebody has named in a sentence.

Nothing is resolved to decide it: a name that is not ``localhost`` counts as another host, whatever it stands for.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from perfstudies.errors import BadParameter

CONSENT = "I may load "
AND = " and "
PORTS = {"http": 80, "https": 443}
"""Those of addresses that name none."""
_HOST = re.compile(r"[A-Za-z0-9_.:-]+")


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine's loopback interface: ``localhost``, or an address of it."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def without_port(address: str) -> str:
    """Return an address on this machine's loopback interface without its port, and any other text as it is."""
    try:
        parts = urlsplit(address)
        if parts.port is None or not is_loopback(parts.hostname or ""):
            return address
    except ValueError:
        return address
    host = str(parts.hostname)
    return parts._replace(netloc=f"[{host}]" if ":" in host else host).geturl()


@dataclass(frozen=True)
class Permit:
    """Which hosts, besides loopback, may be sent to.

    Attributes
    ----------
    hosts : tuple of str
        Their names or addresses, as they stand in an address.
    """

    hosts: tuple[str, ...] = ()

    def remote(self, address: str) -> bool:
        """Return whether an address is of another machine; raise as `require`."""
        self.require(address)
        return not is_loopback(urlsplit(address).hostname or "")

    def require(self, address: str) -> None:
        """Raise `BadParameter` unless an address is one of HTTP on loopback or a permitted host, without a password."""
        try:
            parts = urlsplit(address)
            host, _ = parts.hostname or "", parts.port
        except ValueError as error:
            raise BadParameter(f"{address[:200]!r} is no http address: {error}") from error
        if parts.username is not None or parts.password is not None:
            raise BadParameter(
                f"the address of {host} has a name or a password in it, and addresses are stored with the runs: "
                "leave both out, and give user and password_variable"
            )
        if parts.scheme in PORTS and (is_loopback(host) or host in self.hosts):
            return
        advice = f" If you may load {host}, say so: consent = {CONSENT + host!r}." if host else ""
        if parts.scheme not in PORTS:
            advice = " An address starts with http:// or https://."
        raise BadParameter(
            f"loads are sent to this machine's loopback interface only, not to {address[:500]!r}.{advice}"
        )

    def require_peer(self, host: str, peer: str) -> None:
        """Raise `BadParameter` if what should be loopback is resolved to another machine."""
        if host not in self.hosts and not is_loopback(peer):
            raise BadParameter(f"{host} is {peer} here, which is not this machine's loopback interface")


LOOPBACK = Permit()
"""Nothing but loopback."""


def permit(consent: str) -> Permit:
    """Return what a sentence permits.

    Parameters
    ----------
    consent : str
        Empty, or for example ``I may load test.example.org`` or ``I may load a.example.org and b.example.org``: whole
        names of hosts, as they stand in the addresses.

    Raises
    ------
    BadParameter
        If it is another sentence.
    """
    if not consent:
        return LOOPBACK
    hosts = consent.removeprefix(CONSENT).split(AND)
    if not consent.startswith(CONSENT) or not all(_HOST.fullmatch(host) for host in hosts):
        raise BadParameter(
            f"consent = {consent!r} is no consent: it is '{CONSENT}' and the names of the hosts, with '{AND.strip()}' "
            f"between them, for example '{CONSENT}test.example.org'"
        )
    return Permit(tuple(host.lower() for host in hosts))
