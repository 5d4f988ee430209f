"""One request in full: the call as it is made, what went over the connection, and what it left in the raw logs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from perfstudies.errors import BadRecording
from perfstudies.files import write_atomically


@dataclass(frozen=True)
class OneCall:
    """One request of a study.

    Attributes
    ----------
    caption : str
        What was called, and of which software.
    call : str
        The source code that made the call.
    sent, received : str
        Request and reply as they went over the connection: XML, or bytes in hexadecimal where it is no text.
    logs : mapping
        From a raw log's name to the lines that this request left in it, with the heading if it has one.
    build : str
        A checksum of the software that answered.
    """

    caption: str
    call: str
    sent: str
    received: str
    logs: Mapping[str, str]
    build: str

    def write(self, path: Path) -> None:
        """Write it to a file, in one step."""
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n")

    @classmethod
    def read(cls, path: Path) -> OneCall:
        """Return what `write` wrote.

        Raises
        ------
        BadRecording
            If the file is missing or is another one.
        """
        try:
            return cls(**json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError) as error:
            raise BadRecording(f"{path} is no record of one call: {error}; restore it from the repository") from error
