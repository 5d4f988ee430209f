"""Options that take several words, as ``--grid seed 1 2 3``: what typer has no option for.

Before the command line is parsed, the words of such an option are joined into one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Any

import typer
from typer.core import TyperCommand

LEAST, MOST = {"-p": 2, "--grid": 1}, {"-p": 2}
"""How many words an option takes at least; and at most, if not all up to the next option."""
_SEPARATOR = "\0"  # no word of a command line can have it


class WithWords(TyperCommand):
    """A command whose options of `LEAST` take several words."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse a command line in which the words of each such option were joined."""
        return super().parse_args(ctx, list(_joined(args)))


def _joined(args: Sequence[str]) -> Iterator[str]:
    left = list(args)
    while left:
        option = left.pop(0)
        yield option
        if option in LEAST:
            taken = list(takewhile(re.compile(r"(?!-)|-\.?\d|-$").match, left))[: MOST.get(option)]
            if not taken:
                return  # and the parser says what is missing
            yield _SEPARATOR.join(taken)
            del left[: len(taken)]
        elif option == "--":
            yield from left
            return


def split(option: str, given: Sequence[str]) -> list[list[str]]:
    """Return the words of each use of an option; one with fewer than it takes is wrong usage."""
    found = [one.split(_SEPARATOR) for one in given]
    for words in found:
        if len(words) < LEAST[option]:
            raise typer.BadParameter(f"{words[0]!r} needs a value", param_hint=option)
    return found
