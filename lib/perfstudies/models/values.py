"""Checks of a model's single values: each says what is wrong, and what is allowed."""

from __future__ import annotations

import math
from numbers import Integral, Real

from perfstudies.errors import BadParameter


def real(name: str, value: object) -> float:
    """Return a finite number, or refuse it by its name."""
    if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
        raise BadParameter(f"{name} = {value!r} has to be a finite number")
    return float(value)


def not_negative(name: str, value: object) -> None:
    """Refuse what is no number from 0 up."""
    if real(name, value) < 0:
        raise BadParameter(f"{name} = {value!r} is negative; use 0 to leave it out")


def positive_number(name: str, value: object) -> None:
    """Refuse what is no number above 0."""
    if real(name, value) <= 0:
        raise BadParameter(f"{name} = {value!r} has to be above 0")


def share(name: str, value: object) -> None:
    """Refuse what is no number from 0 to 1."""
    if not 0 <= real(name, value) <= 1:
        raise BadParameter(f"{name} = {value!r} is a share, from 0 to 1")


def at_least(name: str, value: object, least: int) -> None:
    """Refuse what is no whole number from `least` up."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise BadParameter(f"{name} = {value!r} has to be a whole number")
    if value < least:
        raise BadParameter(f"{name} = {value!r} has to be at least {least}")
