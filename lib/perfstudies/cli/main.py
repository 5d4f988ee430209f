"""The command ``perfstudies``, with all that it can do, in the order in which its help lists it."""

from __future__ import annotations

from perfstudies.cli.app import app

from perfstudies.cli.commands import measuring, showing, comparing, keeping  # isort: skip

__all__ = ["app", "comparing", "keeping", "measuring", "showing"]
