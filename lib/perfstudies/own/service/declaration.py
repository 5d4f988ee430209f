"""What is measured of somebody's own service, declared: where it is, what is sent, how often, and what is compared.

A setting that names a `url` is asked by plain HTTP (`perfstudies.own.service.http_declaration`), others by SOAP.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, ClassVar

from perfstudies.errors import BadParameter, require_one_of
from perfstudies.files import require_name
from perfstudies.own.service import plain
from perfstudies.own.service.http_declaration import HttpTarget
from perfstudies.permit import without_port

BASIC, TOKEN_TEXT, TOKEN_DIGEST = "basic", "token-text", "token-digest"
SECURITY = (BASIC, TOKEN_TEXT, TOKEN_DIGEST)
OPEN_USERS = 16
"""Of open arrivals under way at most, if nobody says."""


@dataclass(frozen=True)
class Target:
    """An operation of a service.

    Attributes
    ----------
    wsdl : str
        Address of its description, or a file; a file's imports are read from its own folder and below.
    operation : str
        What is called.
    arguments : mapping or None
        By name, as zeep takes them; None lets them be generated from the schema.
    service, port : str
        Which ones of the description, if not the first.
    endpoint : str
        Where messages go, if not where the description says.
    user : str
        Who calls; empty if nobody asks.
    password_variable : str
        The environment variable with the password, which is written nowhere.
    security : str
        How both are told: ``basic`` (HTTP), ``token-text`` or ``token-digest`` (WS-Security's user name token).
    """

    procedure: ClassVar[str] = "soap"

    wsdl: str
    operation: str
    arguments: Mapping[str, object] | None = None
    service: str = ""
    port: str = ""
    endpoint: str = ""
    user: str = ""
    password_variable: str = ""
    security: str = BASIC

    def __post_init__(self) -> None:
        for one in fields(self):
            if one.name != "arguments" and not isinstance(getattr(self, one.name), str):
                raise BadParameter(f"{one.name} = {str(getattr(self, one.name))[:80]}: must be a text")
        if not self.wsdl or not self.operation:
            raise BadParameter("name a wsdl (its address or file) and an operation of it")
        require_one_of("security", self.security, SECURITY)
        if bool(self.user) != bool(self.password_variable):
            raise BadParameter("user and password_variable (the environment variable's name) belong together")
        try:
            _ = self.is_file and Path(self.location).exists()
        except (OSError, ValueError, RuntimeError) as error:  # what pathlib says of a name that no file can have
            raise BadParameter(f"wsdl = {self.wsdl[:80]!r} is no name of a file: {str(error)[:80]}") from error

    @property
    def is_file(self) -> bool:
        """Whether the description is a file."""
        return "://" not in self.wsdl

    @property
    def location(self) -> str:
        """The description's address, or its file's whole path."""
        return str(Path(self.wsdl).expanduser().resolve()) if self.is_file else self.wsdl

    @property
    def named(self) -> list[str]:
        """The addresses that it names itself; its description may name others."""
        return [address for address in ("" if self.is_file else self.location, self.endpoint) if address]

    def as_properties(self) -> dict[str, str]:
        """Return what decides a run, as texts, without a password."""
        values = {one.name: str(getattr(self, one.name)) for one in fields(self)}
        values["arguments"] = "generated" if self.arguments is None else json.dumps(self.arguments, sort_keys=True)
        return values | {name: without_port(values[name]) for name in ("wsdl", "endpoint")}


@dataclass(frozen=True)
class Load:
    """What one run sends.

    Attributes
    ----------
    users : int
        Closed users, each sending when its last request is answered; of open arrivals, how many are under way at most.
    think_s : float
        Between an answer and the user's next request.
    rate_per_s : float or None
        Open Poisson arrivals at this rate instead of closed users.
    requests : int
        Of all users, in a run.
    limit_s : float
        After which a run begins no more requests.
    timeout_s : float
        For one answer, from the request's first byte to the answer's last.
    reply_limit_mb : float
        The longest answer, or document of the description, that is read: as it comes, and unpacked.
    """

    users: int = 1
    think_s: float = 0.0
    rate_per_s: float | None = None
    requests: int = 200
    limit_s: float = 60.0
    timeout_s: float = 30.0
    reply_limit_mb: float = 64.0

    @property
    def reply_bytes(self) -> int:
        """The longest answer that is read, in bytes."""
        return int(self.reply_limit_mb * 1e6)

    def __post_init__(self) -> None:
        for name in ("users", "requests"):
            value = getattr(self, name)
            if not isinstance(value, int) or not 1 <= value <= plain.LARGEST:
                raise BadParameter(f"{name} = {plain.shown(value)}: must be a whole number of at least 1")
        for name in ("rate_per_s", "limit_s", "timeout_s", "reply_limit_mb"):
            value = getattr(self, name)
            if not (name == "rate_per_s" and value is None) and not (plain.is_number(value) and value > 0):
                raise BadParameter(f"{name} = {plain.shown(value)}: must be a number above 0")
        if not plain.is_number(self.think_s) or self.think_s < 0:
            raise BadParameter(f"think_s = {plain.shown(self.think_s)}: must be a number, and not below 0")


@dataclass(frozen=True)
class Comparison:
    """Settings that are compared, each in as many runs, in random order within blocks of one run each.

    Attributes
    ----------
    name : str
        Where its runs are kept.
    targets : mapping of str to Target or HttpTarget
        By the setting's name.
    load : Load
    runs : int
        Of each setting.
    seed : int
        Of the order, the arrivals and the generated arguments.
    """

    name: str
    targets: Mapping[str, Target | HttpTarget]
    load: Load = field(default_factory=Load)
    runs: int = 10
    seed: int = 1

    def __post_init__(self) -> None:
        for what in (self.name, *self.targets):
            require_name(what, "the name")
        if not isinstance(self.runs, int) or not 1 <= self.runs <= plain.LARGEST:
            raise BadParameter(f"runs = {plain.shown(self.runs)}: must be a whole number of at least 1")


def comparison(
    name: str,
    target: Mapping[str, object],
    load: Mapping[str, object],
    settings: Mapping[str, Mapping[str, object]] | str | None = None,
    runs: int = 10,
    seed: int = 1,
) -> Comparison:
    """Declare a comparison from plain values, as a notebook's parameters are.

    Parameters
    ----------
    name : str
        Where its runs are kept.
    target : mapping
        Fields of `Target`, or of `HttpTarget` where there is a url, that all settings share; an empty one is as good as
        none.
    load : mapping
        Fields of `Load`; without users there is one, or of open arrivals `OPEN_USERS`.
    settings : mapping of str to mapping, optional
        What each setting has instead; without any there is one, of the name ``service``. It and arguments may also be
        texts of JSON.
    runs, seed : int
        As of `Comparison`.

    Raises
    ------
    BadParameter
        For an unknown field, with the nearest name, or a value that is not allowed.
    """
    named = plain.mapping("settings", settings) or {"service": {}}
    found = {key: _target(plain.given(target) | plain.given(own)) for key, own in named.items()}
    told = plain.known(Load, load, "a load's field")
    if told.get("users") is None:
        told["users"] = OPEN_USERS if told.get("rate_per_s") else 1
    return Comparison(name, found, Load(**told), runs, seed)


def as_properties(target: Target | HttpTarget, load: Load) -> dict[str, str]:
    """Return what decides a run, as texts: another target or load is another run. There is no password in it.

    Of an address on this machine the port decides nothing: a server that comes back on another one is the same.
    """
    told = {one.name: getattr(load, one.name) for one in fields(load)}
    return target.as_properties() | {key: "" if value is None else str(value) for key, value in told.items()}


def _target(told: dict[str, Any]) -> Target | HttpTarget:
    if told.get("url"):
        return HttpTarget(**plain.known(HttpTarget, told, "a field of a target with a url"))
    found = {"wsdl": "", "operation": ""} | plain.known(Target, told, "a target's field")
    if "arguments" in found:
        found["arguments"] = plain.mapping("arguments", found["arguments"])
    return Target(**found)
