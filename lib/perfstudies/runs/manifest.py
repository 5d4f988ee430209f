"""What says how a run came about: JSON beside its logs, with their sizes and checksums, in a folder or an archive."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from perfstudies.errors import BadRecording

MANIFEST = "manifest.json"
FORMAT = 1
OF_RUNS = frozenset({"run", "status"})
"""What a run's has, unlike that of a simulated table."""


def parse(text: str | bytes, path: Path) -> dict[str, Any]:
    """Return the manifest that a text holds.

    Raises
    ------
    BadRecording
        If it is not one of ours; `path` is for the message.
    """
    try:
        manifest = json.loads(text)
        version, files = manifest["format"], manifest["files"]
        if not isinstance(files, dict) or ("run" in manifest and not manifest.keys() >= OF_RUNS):
            raise ValueError(f"it has no {', '.join(sorted({'files', *OF_RUNS} - manifest.keys())) or 'list of files'}")
    except (ValueError, TypeError, KeyError) as error:
        raise BadRecording(f"{path} is not a manifest of a run: {error!r}") from error
    if version != FORMAT:
        raise BadRecording(f"{path} has format {version}; this version of the lab reads format {FORMAT}")
    return manifest


def text(manifest: Mapping[str, Any], files: Mapping[str, Mapping[str, object]]) -> str:
    """Return a manifest as it is stored, with what it lists of its run's logs."""
    return json.dumps({"format": FORMAT, **manifest, "files": files}, indent=1, ensure_ascii=False) + "\n"
