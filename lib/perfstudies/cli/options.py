"""Options that several commands have, and what completion offers."""

from __future__ import annotations

from typing import Annotated

import typer

from perfstudies.experiment import PROFILES, SOURCES


def experiments() -> list[str]:
    """Return the keys of all experiments."""
    from perfstudies.studies import EXPERIMENTS

    return list(EXPERIMENTS)


def tables() -> list[str]:
    """Return the keys of all simulated tables."""
    from perfstudies.studies import simulations

    return list(simulations())


def sources() -> list[str]:
    """Return where runs may come from."""
    return list(SOURCES)


def profiles() -> list[str]:
    """Return how much may be measured."""
    return list(PROFILES)


Parameters = Annotated[
    list[str], typer.Option("-p", metavar="NAME VALUE", help="A parameter of the notebooks; may be repeated.")
]
Profile = Annotated[
    str, typer.Option(help=f"How much: one of {', '.join(PROFILES)}.", metavar="NAME", autocompletion=profiles)
]
Scheduler = Annotated[
    str, typer.Option(help="Run on a Dask cluster that you trust as this machine: tcp://host:port.", metavar="ADDRESS")
]
