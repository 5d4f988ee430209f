"""Record the comparison that comes with the repository: ``python -m perfstudies.own.record``.

Two makes of SOAP server answer the same order, on loopback: Metro and Apache CXF. It replaces the recorded runs when all
of them have finished. Nothing else should run on the machine meanwhile.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from perfstudies import store
from perfstudies.errors import PerfstudiesError, SystemFailed
from perfstudies.load.permit import LOOPBACK
from perfstudies.own.declaration import Comparison, comparison
from perfstudies.own.measuring import STUDY, measure
from perfstudies.paths import RAW
from perfstudies.systems import foreign_soap

NAME = "two-makes"
MAKES = {"Metro": "metro", "CXF": "cxf"}
ITEMS = 20
WARM_UP_REQUESTS = 2000
"""To each server before the first run, so that its compiler has seen the code. What is left of it the report finds."""


def declared(wsdls: dict[str, str], runs: int = 10, requests: int = 200) -> Comparison:
    """Return the comparison of two makes: one user who sends an order of `ITEMS` items again and again.

    Parameters
    ----------
    wsdls : dict of str to str
        The addresses of the descriptions, by make.
    runs, requests : int
        Runs of each make, and requests of a run.
    """
    items = [{"number": place, "name": f"item {place}", "pieces": place, "price": "9.95"} for place in range(1, ITEMS + 1)]
    order = {"customer": "somebody", "day": "2024-05-17", "haste": "TODAY", "items": {"item": items}}
    target = {"operation": "order", "arguments": {"order": order}}
    settings = {make: {"wsdl": wsdl} for make, wsdl in wsdls.items()}
    return comparison(NAME, target, {"requests": requests}, settings, runs)


def main(arguments: Sequence[str] | None = None) -> int:
    """Record; return the exit status."""
    argparse.ArgumentParser(prog="python -m perfstudies.own.record", description=__doc__).parse_args(arguments)
    try:
        print(f"recorded {_record(RAW / 'reference' / STUDY / NAME)}")
    except PerfstudiesError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def _record(folder: Path) -> Path:
    partial = folder.with_name(f"{NAME}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix="perfstudies-own-") as work:
        with (
            foreign_soap.start(MAKES["Metro"], Path(work) / "metro") as metro,
            foreign_soap.start(MAKES["CXF"], Path(work) / "cxf") as cxf,
        ):
            wanted = declared({"Metro": metro.wsdl("wrapped"), "CXF": cxf.wsdl("wrapped")})
            warm_up = replace(wanted, runs=1, load=replace(wanted.load, requests=WARM_UP_REQUESTS))
            measure(warm_up, LOOPBACK, Path(work) / "warm-up")
            runs = measure(wanted, LOOPBACK, partial)
    if failed := [run for run in runs if run.manifest["status"] != store.FINISHED]:
        raise SystemFailed(f"{len(failed)} of {len(runs)} runs failed; the first: {failed[0].manifest['error']}")
    shutil.rmtree(folder, ignore_errors=True)
    partial.rename(folder)
    return folder


if __name__ == "__main__":
    sys.exit(main())
