"""Where things are in the repository."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RAW = ROOT / "data" / "raw"
PUBLISHED = RAW / "published"
PROCESSED = ROOT / "data" / "processed"
SYSTEMS = ROOT / "systems"
