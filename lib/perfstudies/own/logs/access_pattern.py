"""A server's own log format, as its configuration has it, translated into the fields that a request is made of.

========  =========================================================================  =============================
server    its format                                                                 the time taken
========  =========================================================================  =============================
apache    ``LogFormat``: ``%h %l %u %t "%r" %>s %b %D``                              ``%D`` µs, ``%T`` s, ``%{ms}T`` ...
nginx     ``log_format``: ``$remote_addr ... [$time_local] "$request" ...``          ``$request_time`` s
tomcat    ``AccessLogValve``'s ``pattern``, from release 10 on                       ``%D`` µs, ``%T`` s, ``%F`` ms
tomcat-9  the same up to release 9                                                   ``%D`` ms, ``%T`` s, ``%F`` ms
========  =========================================================================  =============================

Where a format has more than one time, the finest is taken; ``%F`` (until the answer's head was sent) only if there is
no other. Apache notes when a request began, nginx and Tomcat when it ended, unless ``%{begin:...}t`` says otherwise.

Sources: Apache httpd, mod_log_config; nginx, ngx_http_log_module; Apache Tomcat, Access Logging.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from perfstudies.errors import BadParameter, require_one_of

_PERCENT = re.compile(r"%(?:%|[<>!\d,]*(?:\{(?P<argument>[^}]*)\})?(?P<code>\^\w\w|[a-zA-Z]))")
_DOLLAR = re.compile(r"\$(?:\{(?P<braced>\w+)\}|(?P<code>\w+))")

DATE = "%d/%b/%Y:%H:%M:%S %z"
DATE_LENGTH = len("22/Nov/2026:20:01:47 +0000")
_ISO = "%Y-%m-%dT%H:%M:%S%#z"

_SHARED = {"%r": "request", "%m": "method", "%U": "path", "%s": "status"}
_UNITS = {"T": "elapsed_s", "{s}T": "elapsed_s", "{ms}T": "elapsed_ms", "{us}T": "elapsed_us"}
_TAKEN = {f"%{code}": meaning for code, meaning in _UNITS.items()}
_STAMPS = {"%{sec}t": "epoch", "%{msec}t": "epoch", "%{usec}t": "epoch"}

FIELDS = {
    "apache": _SHARED | _TAKEN | _STAMPS | {"%D": "elapsed_us"},
    "tomcat": _SHARED | _TAKEN | _STAMPS | {"%D": "elapsed_us", "%F": "committed_ms"},
    "tomcat-9": _SHARED | _TAKEN | _STAMPS | {"%D": "elapsed_ms", "%F": "committed_ms"},
    "nginx": {
        "$request": "request", "$request_method": "method", "$request_uri": "path", "$uri": "path",
        "$status": "status", "$request_time": "elapsed_s", "$msec": "epoch", "$time_local": DATE,
        "$time_iso8601": _ISO,
    },
}  # fmt: skip
"""What the directives of each server that matter here mean; a meaning with a percent sign is a date's form."""

SERVERS = tuple(FIELDS)
TIMES = ("elapsed_us", "elapsed_ms", "elapsed_s", "committed_ms")
_COMMON = '%h %l %u %t "%r" %s %b'
_SHORTHANDS = {"common": _COMMON, "combined": f'{_COMMON} "%{{Referer}}i" "%{{User-Agent}}i"'}


@dataclass(frozen=True)
class Field:
    """A directive: the meaning of what a server writes in its place, or "" if it does not matter here."""

    meaning: str


@dataclass(frozen=True)
class Layout:
    """A log format.

    Attributes
    ----------
    tokens : tuple of str and Field
        Literal text and directives, in order.
    at_end : bool
        Whether the time of day is that of a request's end.
    """

    tokens: tuple[str | Field, ...]
    at_end: bool

    @property
    def meanings(self) -> tuple[str, ...]:
        """The meanings of the directives that matter, in order."""
        return tuple(one.meaning for one in self.tokens if isinstance(one, Field) and one.meaning)

    @property
    def stamp(self) -> str | None:
        """The meaning of the directive that says when a request began or ended, if there is one."""
        return next((one for one in self.meanings if one == "epoch" or "%" in one), None)

    @property
    def taken(self) -> str:
        """The meaning of the directive that says how long a request took."""
        return next(one for one in TIMES if one in self.meanings)


def layout(pattern: str, server: str) -> Layout:
    """Translate a log format.

    Parameters
    ----------
    pattern : str
        As the server's configuration has it, escaped or not.
    server : str
        One of `SERVERS`.

    Returns
    -------
    Layout
        What its lines are made of.

    Raises
    ------
    BadParameter
        If the server is unknown, or the format does not log the time that requests took.
    """
    require_one_of("format", server, SERVERS)
    pattern = _unescaped(pattern)
    if server.startswith("tomcat"):
        pattern = _SHORTHANDS.get(pattern, pattern)
    tokens: list[str | Field] = []
    at, at_end = 0, server != "apache"
    for found in (_DOLLAR if server == "nginx" else _PERCENT).finditer(pattern):
        tokens.append(pattern[at : found.start()])
        at = found.end()
        if found[0] == "%%":
            tokens.append("%")
            continue
        meaning, ends = _meaning(found, server)
        at_end = at_end if ends is None else ends
        # Apache and Tomcat write the brackets themselves.
        tokens.extend(("[", Field(DATE), "]") if meaning == DATE and server != "nginx" else (Field(meaning),))
    tokens.append(pattern[at:])
    made = Layout(_joined(tokens), at_end)
    if not set(made.meanings) & set(TIMES):
        codes = [code for code, meaning in FIELDS[server].items() if meaning in TIMES]
        raise BadParameter(f"pattern = {pattern!r} has no time that a request took; {server} has {', '.join(codes)}")
    return made


def _joined(tokens: list[str | Field]) -> tuple[str | Field, ...]:
    """Return tokens with texts that follow each other as one, and none that are empty."""
    joined: list[str | Field] = []
    for token in tokens:
        if isinstance(token, str) and joined and isinstance(joined[-1], str):
            joined[-1] += token
        elif token != "":
            joined.append(token)
    return tuple(joined)


def _meaning(found: re.Match, server: str) -> tuple[str, bool | None]:
    """Return a directive's meaning, and whether it says that the time of day is that of the end, or None."""
    if server == "nginx":
        return FIELDS[server].get(f"${found['braced'] or found['code']}", ""), None
    if found["code"] != "t":
        argument = f"{{{found['argument']}}}" if found["argument"] is not None else ""
        return FIELDS[server].get(f"%{argument}{found['code']}", ""), None
    edge, _, form = (found["argument"] or "").rpartition(":") if ":" in (found["argument"] or "")[:6] else ("", "", "")
    form = form or (found["argument"] or "")
    if form in ("begin", "end"):
        edge, form = form, ""
    ends = {"begin": False, "end": True}.get(edge)
    if not form:
        return DATE, ends
    known = FIELDS[server].get(f"%{{{form}}}t", "")
    return known or (form if "%" in form else ""), ends


def _unescaped(pattern: str) -> str:
    """Return a format as the server sees it, without its configuration's quotes and escapes."""
    pattern = re.sub(r"'\s*'", "", pattern.strip())
    if len(pattern) > 1 and pattern[0] == pattern[-1] == "'":
        pattern = pattern[1:-1]
    return pattern.replace("&quot;", '"').replace('\\"', '"')
