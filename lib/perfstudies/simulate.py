"""Simulate tables from the command line: ``python -m perfstudies.simulate --profile quick``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from perfstudies.errors import BadParameter, PerfstudiesError
from perfstudies.experiment import PROFILES
from perfstudies.measure import INTERRUPTED
from perfstudies.paths import RAW
from perfstudies.simulated import read, simulate
from perfstudies.studies.corba_simulations import SIMULATIONS


def main(arguments: Sequence[str] | None = None) -> int:
    """Simulate what is missing; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m perfstudies.simulate", description=__doc__)
    parser.add_argument("tables", nargs="*", metavar="STUDY/NAME", help="all tables if none is named")
    parser.add_argument("--profile", default="quick", help=f"one of {', '.join(PROFILES)} (default: quick)")
    parser.add_argument("--seed", type=int, default=1, help="from which all seeds follow (default: 1)")
    parser.add_argument("--record", action="store_true", help="store them as the repository's tables")
    options = parser.parse_args(arguments)
    try:
        for key in options.tables or SIMULATIONS:
            if key not in SIMULATIONS:
                raise BadParameter.choice("table", key, SIMULATIONS)
            one = SIMULATIONS[key]
            print(f"{key}: {one.question}", file=sys.stderr)
            if options.record:
                # One that rests on another reads the recorded one, which comes before it.
                simulate(one, "reference", options.profile, options.seed, RAW / "reference" / key)
            else:
                read(one, "live", options.profile, options.seed)
    except PerfstudiesError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nInterrupted. Finished tables are kept; the same command goes on.", file=sys.stderr)
        return INTERRUPTED
    return 0


if __name__ == "__main__":
    sys.exit(main())
