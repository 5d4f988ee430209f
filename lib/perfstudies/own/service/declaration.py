"""What is measured of somebody's own service, declared: where it is, what is sent, how often, and what is compared."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from perfstudies.errors import BadParameter
from perfstudies.files import require_name

BASIC, TOKEN_TEXT, TOKEN_DIGEST = "basic", "token-text", "token-digest"
SECURITY = (BASIC, TOKEN_TEXT, TOKEN_DIGEST)
OPEN_USERS = 16
"""Of open arrivals under way at most, if nobody says."""


LARGEST = 10**9
"""What no number of a load exceeds: requests, seconds, and what clocks and sockets can count."""


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and abs(value) <= LARGEST


def _shown(value: object) -> str:
    return "a number too large" if isinstance(value, int) and abs(value) > LARGEST else repr(value)[:80]


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
        if self.security not in SECURITY:
            raise BadParameter.choice("security", self.security, SECURITY)
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
            if not isinstance(value, int) or not 1 <= value <= LARGEST:
                raise BadParameter(f"{name} = {_shown(value)}: must be a whole number of at least 1")
        for name in ("rate_per_s", "limit_s", "timeout_s", "reply_limit_mb"):
            value = getattr(self, name)
            if not (name == "rate_per_s" and value is None) and not (_is_number(value) and value > 0):
                raise BadParameter(f"{name} = {_shown(value)}: must be a number above 0")
        if not _is_number(self.think_s) or self.think_s < 0:
            raise BadParameter(f"think_s = {_shown(self.think_s)}: must be a number, and not below 0")


@dataclass(frozen=True)
class Comparison:
    """Settings that are compared, each in as many runs, in random order within blocks of one run each.

    Attributes
    ----------
    name : str
        Where its runs are kept.
    targets : mapping of str to Target
        By the setting's name.
    load : Load
    runs : int
        Of each setting.
    seed : int
        Of the order, the arrivals and the generated arguments.
    """

    name: str
    targets: Mapping[str, Target]
    load: Load = field(default_factory=Load)
    runs: int = 10
    seed: int = 1

    def __post_init__(self) -> None:
        for what in (self.name, *self.targets):
            require_name(what, "the name")
        if not isinstance(self.runs, int) or not 1 <= self.runs <= LARGEST:
            raise BadParameter(f"runs = {_shown(self.runs)}: must be a whole number of at least 1")


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
        Fields of `Target` that all settings share; an empty one is as good as none.
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
    named = _mapping("settings", settings) or {"service": {}}
    common = _fields(target)
    found = {key: Target(**{"wsdl": "", "operation": ""} | common | _fields(own)) for key, own in named.items()}
    told = _known(Load, load)
    if told.get("users") is None:
        told["users"] = OPEN_USERS if told.get("rate_per_s") else 1
    return Comparison(name, found, Load(**told), runs, seed)


def as_properties(target: Target, load: Load) -> dict[str, str]:
    """Return what decides a run, as texts: another target or load is another run. There is no password in it."""
    values = {one.name: getattr(target, one.name) for one in fields(target)}
    values |= {one.name: getattr(load, one.name) for one in fields(load)}
    values["arguments"] = "generated" if target.arguments is None else json.dumps(target.arguments, sort_keys=True)
    return {key: "" if value is None else str(value) for key, value in values.items()}


def _fields(given: object) -> dict[str, Any]:
    told = {key: value for key, value in _mapping("a setting", given).items() if value not in ("", None)}
    found = _known(Target, told)
    if "arguments" in found:
        found["arguments"] = _mapping("arguments", found["arguments"])
    return found


def _mapping(what: str, value: object) -> Mapping[str, object]:
    """Return a mapping, or what a text of JSON says, if it is one."""
    try:
        found = json.loads(value) if isinstance(value, str) and value else value or {}
    except (ValueError, RecursionError) as error:
        raise BadParameter(f"{what} = {_shown(value)} is not JSON: {error}") from error
    if not isinstance(found, Mapping):
        raise BadParameter(f"{what} = {_shown(value)}: must have names, as in {{'name': value}}")
    return found


def _known(kind: type, given: Mapping[str, object]) -> dict[str, Any]:
    names = [one.name for one in fields(kind)]
    for key in given:
        if key not in names:
            raise BadParameter.choice(f"a {kind.__name__.lower()}'s field", key, names)
    return dict(given)
