"""Echo requests of the ESB study, of an exact length: the post's messages had 780 bytes.

What is in them is ours, after the messages of the industry's rounds of ESB measurements: orders of shares, as many as
fit, the first of them for IBM, by which some engines route.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

import zeep

from perfstudies.errors import BadParameter
from perfstudies.load.soap import message

POST_BYTES = 780
OPERATION = "echo"
SYMBOLS = ("IBM", "ORCL", "MSFT", "HPQ", "INTC", "CSCO", "SAP", "DELL")
BUYERS = ("asha", "bandu", "chamari", "dilan", "eshan", "farah", "gayan")
END = "end of the echo"
"""Every message's last words."""


@dataclass(frozen=True)
class Message:
    """A prepared message.

    Attributes
    ----------
    content : bytes
        The whole SOAP envelope.
    headers : dict
        The HTTP headers that go with it, beside those of every request.
    must_contain : bytes
        What every whole reply has, whichever namespace prefixes it is written with.
    """

    content: bytes
    headers: Mapping[str, str]
    must_contain: bytes


def order(number: int) -> dict[str, object]:
    """Return the order of a number, from 0; always the same."""
    return {
        "symbol": SYMBOLS[number % len(SYMBOLS)],
        "buyer": BUYERS[number % len(BUYERS)],
        "price": Decimal(1234 + 731 * number % 90_000) / 100,
        "volume": 100 + 370 * number % 9_000,
    }


def envelope(client: zeep.Client, size_bytes: int = POST_BYTES) -> Message:
    """Build an echo request whose envelope has exactly some length: as many orders as fit, then padding.

    Parameters
    ----------
    client : zeep.Client
        A client of the back end; nothing is sent.
    size_bytes : int
        The length, XML declaration included.

    Raises
    ------
    BadParameter
        If one order does not fit.
    """
    fitting, too_many = 0, 1
    while len(_build(client, too_many)[0]) <= size_bytes:
        fitting, too_many = too_many, 2 * too_many
    while too_many - fitting > 1:
        middle = (fitting + too_many) // 2
        if len(_build(client, middle)[0]) <= size_bytes:
            fitting = middle
        else:
            too_many = middle
    if not fitting:
        least = len(_build(client, 1)[0])
        raise BadParameter(f"an echo request of {size_bytes} bytes: one order and its envelope take {least}")
    content, headers = _build(client, fitting, size_bytes - len(_build(client, fitting)[0]))
    return Message(content, dict(headers), f"{END}</".encode())


def _build(client: zeep.Client, orders: int, padding: int = 0) -> tuple[bytes, Mapping[str, str]]:
    body = {"order": [order(number) for number in range(orders)], "padding": "." * padding + END}
    _, content, headers = message(client, OPERATION, body)
    return content, headers
