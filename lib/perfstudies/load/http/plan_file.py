"""Plans of clients as files: written by the lab, read by the clients' processes."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any, Self

from perfstudies.errors import BadParameter

_OF_JSON: dict[str, Callable[[Any], Any]] = {
    "Path": Path,
    "Path | None": lambda text: text and Path(text),
    "bytes": partial(base64.b64decode, validate=True),
    "tuple[Mapping[str, Any], ...]": tuple,
}
"""What makes the values of fields of these types, as they are written in the plans' classes, from those of JSON."""


@dataclass(frozen=True)
class FilePlan:
    """A plan that goes to a client's process as a file."""

    def write(self, path: Path) -> None:
        """Write the plan as JSON."""
        path.write_text(json.dumps(asdict(self), default=_as_json, ensure_ascii=False) + "\n", encoding="utf-8")

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a plan.

        Raises
        ------
        BadParameter
            If the file is no plan, or holds a value that is not allowed.
        """
        kinds = {one.name: str(one.type) for one in fields(cls)}
        try:
            values = json.loads(path.read_text(encoding="utf-8"))
            if unknown := sorted(set(values) - set(kinds)):
                raise BadParameter(f"{path}: a plan has no {', '.join(unknown)}")
            return cls(**{name: _OF_JSON.get(kinds[name], lambda same: same)(one) for name, one in values.items()})
        except BadParameter:
            raise
        except (OSError, ValueError, TypeError, AttributeError) as error:
            raise BadParameter(f"{path} is not a client's plan: {error!r}") from error


def _as_json(value: Any) -> object:
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return dict(value) if isinstance(value, Mapping) else os.fspath(value)
