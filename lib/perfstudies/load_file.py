"""The requests of a user's sessions: what is sent, in a file that is written before a run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from perfstudies.errors import BadLog


@dataclass(frozen=True)
class Request:
    """One request of a session: think first (ms), then call the operation with these arguments."""

    session: int
    request: int
    think_ms: int
    operation: str
    arguments: dict

    def numbered(self, number: int) -> Request:
        """Return the same request with another number."""
        return replace(self, request=number)


def write(requests: Iterator[Request], path: Path) -> None:
    """Write requests to a file, one JSON object a line."""
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        for request in requests:
            file.write(json.dumps(asdict(request), ensure_ascii=False, separators=(",", ":")) + "\n")


def read(path: Path) -> Iterator[Request]:
    """Yield the requests of a file that `write` made; a broken line is a `BadLog` with its number."""
    with open(path, encoding="utf-8") as file:
        for line, text in enumerate(file, start=1):
            try:
                yield Request(**json.loads(text))
            except (ValueError, TypeError) as error:
                raise BadLog(path, line, f"not a request of a load file: {error}") from error
