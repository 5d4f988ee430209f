"""Commands on what is recorded: checked, described, packed, and recorded again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from perfstudies.cli import options
from perfstudies.cli.app import app, fail


@app.command()
def verify(
    write: Annotated[bool, typer.Option("--write", help="After recording: list, metadata, docs/DATA.md anew.")] = False,
) -> None:
    """Check all that is recorded by its checksums."""
    from perfstudies.catalog import verify
    from perfstudies.paths import RAW
    from perfstudies.runs import registry

    if write:
        print(verify.write(RAW))
    elif problems := list(verify.told(verify.check(RAW, show_progress=True))):
        fail(*problems)
    else:
        print(f"{len(registry.read(RAW / registry.NAME))} recorded files are as their checksums say")


@app.command()
def dictionary() -> None:
    """Check what is said of every column.

    data/raw/dictionary.json must describe what is recorded, and nothing else.
    """
    from perfstudies.catalog import dictionary, dictionary_check
    from perfstudies.paths import RAW

    if problems := dictionary_check.problems(dictionary.load(RAW), RAW):
        fail(*problems)
    print(f"{dictionary.NAME} describes what is recorded, and nothing else")


@app.command()
def pack(
    experiments: Annotated[
        list[str], typer.Argument(metavar="STUDY/NAME", help="Of which runs.", autocompletion=options.experiments)
    ],
    reference: Annotated[bool, typer.Option("--reference", help="Pack the recorded runs again, in place.")] = False,
    out: Annotated[Path, typer.Option(help="Where archives of runs that were measured here go.")] = Path("packed"),
) -> None:
    """Pack finished runs into an archive each.

    Those of an experiment that were measured here, which stay where they are, or the recorded ones.
    """
    from perfstudies.paths import RAW
    from perfstudies.runs import archive, store
    from perfstudies.runs.pack import pack as packed
    from perfstudies.runs.pack import pack_folder
    from perfstudies.studies import experiment

    for one in [experiment(key) for key in experiments]:
        folder = RAW / ("reference" if reference else "live") / one.study / one.name
        runs = store.finished(folder)
        place = out / one.study / one.name
        made = pack_folder(folder, runs) if reference else packed(runs, archive.place(place))
        print(f"packed {len(runs)} runs: {made}")


@app.command()
def record_calls() -> None:
    """Record one request of each study in full."""
    from perfstudies import data
    from perfstudies.studies import STUDIES

    for study in STUDIES:
        print(f"recorded {data.record_call(study)}")


@app.command()
def record_example() -> None:
    """Record the example of own services again.

    The recorded runs are replaced when all new ones have finished. Nothing else should run on the machine meanwhile.
    """
    from perfstudies.own.service import example

    print(f"recorded {example.record()}")
