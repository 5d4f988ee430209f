"""A value for each simple type of XML Schema, drawn within its facets.

Patterns are followed only roughly: where no way of writing a value that is known here matches, whoever declares the
target has to give it.
"""

from __future__ import annotations

import base64
import random
import re
import string
from collections.abc import Callable
from datetime import datetime, timedelta
from decimal import Decimal

from perfstudies.errors import BadParameter
from perfstudies.own.service.facets import MOST, Facets

FIRST_DAY = datetime(2024, 1, 1)
LENGTH = 8
"""Of texts, where the schema does not say."""
SPAN = 1000
"""Of numbers, likewise."""
WIDTHS = {
    "byte": (-128, 127), "short": (-(2**15), 2**15 - 1), "int": (-(2**31), 2**31 - 1), "long": (-(2**63), 2**63 - 1),
    "unsignedByte": (0, 255), "unsignedShort": (0, 2**16 - 1), "unsignedInt": (0, 2**32 - 1),
    "unsignedLong": (0, 2**64 - 1), "nonNegativeInteger": (0, None), "positiveInteger": (1, None),
    "nonPositiveInteger": (None, 0), "negativeInteger": (None, -1), "integer": (None, None),
}  # fmt: skip
TRIES = 200
MOST_VALUES = 10_000
"""How many may be made for one request: types that are small can ask for any number."""


def _moment(rng: random.Random) -> datetime:
    return FIRST_DAY + timedelta(days=rng.randrange(365), seconds=rng.randrange(86_400))


TIMES: dict[str, Callable[[random.Random], object]] = {
    "date": lambda rng: f"{_moment(rng):%Y-%m-%d}",
    "dateTime": lambda rng: f"{_moment(rng):%Y-%m-%dT%H:%M:%S}",
    "time": lambda rng: f"{_moment(rng):%H:%M:%S}",
    "duration": lambda rng: f"PT{rng.randrange(1, 60)}M",
    # zeep takes parts of a date as numbers, and a time zone after them.
    "gYear": lambda rng: (_moment(rng).year, None),
    "gYearMonth": lambda rng: (_moment(rng).year, rng.randrange(1, 13), None),
    # It writes a month of one digit as no schema has it.
    "gMonth": lambda rng: (rng.randrange(10, 13), None),
    "gMonthDay": lambda rng: (rng.randrange(1, 13), rng.randrange(1, 29), None),
    "gDay": lambda rng: (rng.randrange(1, 29), None),
}


def draw(name: str, facets: Facets, rng: random.Random) -> object:
    """Return a value of a built-in type within facets.

    Parameters
    ----------
    name : str
        The built-in type's local name, for example ``int``.
    facets : Facets
    rng : random.Random

    Raises
    ------
    BadParameter
        If it cannot think of one that matches the type's pattern.
    """
    if facets.enumeration:
        chosen = rng.choice(facets.enumeration)
        return chosen == "true" if name == "boolean" else chosen
    if name == "boolean":
        return bool(rng.randrange(2))
    try:
        patterns = [re.compile(_python(pattern)) for pattern in facets.patterns]
    except (re.error, OverflowError, RecursionError):
        patterns = [re.compile(r"(?!)")]  # of no text: what it means is not known here
    for _ in range(TRIES):
        value = _one(name, facets, rng)
        if all(pattern.fullmatch(str(value)) for pattern in patterns):
            return value
    raise BadParameter(f"no value was found for the pattern {facets.patterns[0][:80]!r}; give this argument yourself")


def _one(name: str, facets: Facets, rng: random.Random) -> object:
    if name in WIDTHS:
        return _whole(name, facets, rng)
    if name in ("decimal", "float", "double"):
        low, high = _ends(facets, Decimal(0), Decimal(1) / 100)
        places = min(2, facets.number("fractionDigits") or 2) if facets.number("fractionDigits") != 0 else 0
        drawn = low + (high - low) * Decimal(rng.randrange(101)) / 100
        value = max(low, min(high, round(drawn, places)))
        return value if name == "decimal" else float(value)
    if name in TIMES:
        return TIMES[name](rng)
    length = _length(facets)
    if name == "base64Binary":
        return base64.b64encode(rng.randbytes(length)).decode("ascii")
    if name == "hexBinary":
        return rng.randbytes(length).hex().upper()
    if name == "anyURI":
        return f"urn:{_text(rng, max(1, length - 4))}"
    if facets.patterns:
        return _shaped(facets.patterns[0], rng) or _text(rng, length)
    return {"language": "en", "QName": "name"}.get(name) or _text(rng, length)


def _whole(name: str, facets: Facets, rng: random.Random) -> int:
    low, high = (None if end is None else Decimal(end) for end in WIDTHS[name])
    lowest, highest = _ends(facets, low, Decimal(1), high)
    digits = facets.number("totalDigits")
    if digits:
        highest = min(highest, Decimal(10**digits - 1))
    return rng.randint(int(lowest), int(highest))


def _ends(facets: Facets, low: Decimal | None, step: Decimal, high: Decimal | None = None) -> tuple[Decimal, Decimal]:
    lows = [
        end + by for name, by in (("minInclusive", 0), ("minExclusive", step)) if (end := facets.end(name)) is not None
    ]
    highs = [
        end - by for name, by in (("maxInclusive", 0), ("maxExclusive", step)) if (end := facets.end(name)) is not None
    ]
    # Where only the type bounds it, a value is small and not negative if it may be so.
    bottom = max(lows) if lows else max(low, Decimal(0)) if low is not None else None
    top = min(highs) if highs else high
    if bottom is None:
        bottom = Decimal(0) if top is None or top >= 0 else top - SPAN
    if top is None or (not highs and top > bottom + SPAN):
        top = bottom + SPAN
    return min(bottom, top), top


def _length(facets: Facets) -> int:
    exact, least, most = (facets.number(name) for name in ("length", "minLength", "maxLength"))
    if exact is not None:
        return exact
    return max(least or 0, min(LENGTH, LENGTH if most is None else most))


def _text(rng: random.Random, length: int) -> str:
    return "".join(rng.choice(string.ascii_lowercase) for _ in range(length))


_ATOM = re.compile(r"(\\d|\\w|\[[^\]\\]+\]|\\.|[^\\\[\](){}*+?|.])(\{(\d+)(?:,(\d*))?\}|[*+?])?")
_CLASSES = {r"\d": string.digits, r"\w": string.ascii_lowercase}


def _shaped(pattern: str, rng: random.Random) -> str:
    """Return a text for a plain pattern, of characters and classes with counts; empty for any other."""
    at, parts = 0, []
    while at < len(pattern):
        atom = _ATOM.match(pattern, at)
        if atom is None:
            return ""
        least, most = {"*": (0, 3), "+": (1, 3), "?": (0, 1), None: (1, 1)}.get(atom[2], (0, 0))
        if atom[3]:
            least = int(atom[3])
            most = least if atom[4] is None else int(atom[4] or least + 2)
        if most > MOST:
            return ""
        letters = _letters(atom[1])
        parts += [rng.choice(letters) for _ in range(rng.randint(least, most))]
        at = atom.end()
    return "".join(parts)


def _letters(atom: str) -> str:
    if atom in _CLASSES:
        return _CLASSES[atom]
    if not atom.startswith("["):
        return atom[-1]
    test = re.compile(atom)
    return "".join(letter for letter in string.printable[:95] if test.fullmatch(letter)) or "?"


def _python(pattern: str) -> str:
    """Return a pattern of XML Schema as one of Python's; what only the former has matches anything."""
    return ".*" if re.search(r"\\[pPicIC]|-\[", pattern) else pattern
