"""What says how a run came about: JSON beside its logs, with their sizes and checksums, in a folder or an archive."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from perfstudies.errors import BadRecording

MANIFEST = "manifest.json"
FORMAT = 1


def parse(text: str | bytes, path: Path) -> dict[str, Any]:
    """Return the manifest that a text holds.

    Raises
    ------
    BadRecording
        If it is not one of ours; `path` is for the message.
    """
    try:
        manifest = json.loads(text)
        version = manifest["format"]
    except (ValueError, TypeError, KeyError) as error:
        raise BadRecording(f"{path} is not a manifest of a run: {error!r}") from error
    if version != FORMAT:
        raise BadRecording(f"{path} has format {version}; this version of the lab reads format {FORMAT}")
    return manifest


def text(manifest: Mapping[str, Any], files: Mapping[str, Mapping[str, object]]) -> str:
    """Return a manifest as it is stored, with what it lists of its run's logs."""
    return json.dumps({"format": FORMAT, **manifest, "files": files}, indent=1, ensure_ascii=False) + "\n"
