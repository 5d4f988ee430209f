"""Plans of clients as files: written by the lab, read by the clients' processes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import TypeVar

from perfstudies.errors import BadParameter

Plan = TypeVar("Plan")


def write(path: Path, values: Mapping[str, object]) -> None:
    """Write a plan's values as JSON."""
    path.write_text(json.dumps(values, ensure_ascii=False) + "\n", encoding="utf-8")


def read(path: Path, kind: type[Plan], decode: Callable[[dict], dict]) -> Plan:
    """Read a plan.

    Parameters
    ----------
    path : Path
        What `write` wrote.
    kind : type
        The plan's dataclass.
    decode : callable
        Makes its fields' values from those of the file.

    Raises
    ------
    BadParameter
        If the file is no plan, or holds a value that is not allowed.
    """
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        unknown = sorted(set(values) - {one.name for one in fields(kind)})  # type: ignore[arg-type]
        if unknown:
            raise BadParameter(f"{path}: a plan has no {', '.join(unknown)}")
        return kind(**decode(values))
    except BadParameter:
        raise
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise BadParameter(f"{path} is not a client's plan: {error!r}") from error
