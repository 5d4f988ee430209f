"""A setting made ready to be sent: its server is reached, and what is sent to it is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace

from perfstudies.own.service import arguments, http_calls
from perfstudies.own.service.declaration import Comparison, Load, Target
from perfstudies.own.service.description import Description, caller, read
from perfstudies.own.service.http_declaration import HttpTarget
from perfstudies.permit import Permit


@dataclass(frozen=True)
class Prepared:
    """A setting that can be sent.

    Attributes
    ----------
    target : Target or HttpTarget
        With arguments.
    description : Description or None
        Of a SOAP target.
    address : str
        Where its messages go.
    told : mapping
        What the manifest says of what is asked.
    sent : object
        What the manifest says of what is sent; secrets are none of it.
    remote : bool
        Whether anything of it is on another machine.
    message_bytes : int
        How long its message is, or the first one.
    generated : bool
        Whether the arguments come from the schema.
    messages_prepared : bool
        Whether its messages are prepared before the load; otherwise zeep builds each one in its call.
    """

    target: Target | HttpTarget
    description: Description | None
    address: str
    told: Mapping[str, object]
    sent: object
    remote: bool
    message_bytes: int
    generated: bool = False
    messages_prepared: bool = True


def prepare(comparison: Comparison, name: str, permitted: Permit) -> Prepared:
    """Make a comparison's setting ready.

    Raises
    ------
    BadParameter
        If it may not be sent there, arguments do not fit, a secret is not in the environment, or a certificate is
        refused.
    SystemFailed
        If nobody answers there, or its description is none.
    """
    target = comparison.targets[name]
    if isinstance(target, HttpTarget):
        return _http(target, comparison.load, permitted)
    return _soap(target, comparison.load, comparison.seed, permitted)


def _http(target: HttpTarget, load: Load, permitted: Permit) -> Prepared:
    http_calls.check(target, permitted, load.timeout_s)
    first = next(iter(target.kinds.values())).filled(target.rows[0])
    told = {"operation": ", ".join(target.kinds), "endpoint": first.url}
    sent = {
        name: {key: value for key, value in asdict(kind).items() if value not in (None, "", (), {})}
        for name, kind in target.kinds.items()
    }
    remote = any(permitted.remote(address) for address in target.named)
    return Prepared(target, None, first.url, told, sent, remote, len(first.body or b""))


def _soap(target: Target, load: Load, seed: int, permitted: Permit) -> Prepared:
    bounds = load.timeout_s, load.reply_bytes
    description = read(target, permitted, *bounds)
    one = caller(target, description, permitted, *bounds)
    try:
        made = arguments.generate(one, description, seed) if target.arguments is None else target.arguments
        message = one.message(made)
        remote = any(permitted.remote(address) for address in (*target.named, one.address))
        found = replace(target, arguments=made)
        told = {"operation": target.operation, "endpoint": one.address, "description_sha256": description.sha256}
        generated = target.arguments is None
        return Prepared(found, description, one.address, told, made, remote, len(message), generated, one.prepared)
    finally:
        one.close()
