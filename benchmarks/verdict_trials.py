"""Who notices that a service became 3 % slower, and who cries wolf: tools with a verdict, on the same services.

A trial starts an old service, one that does the same work and one that does 3 % more, each a process of its own. Every
tool judges both against the old one, in random order: of the slower one a verdict other than "slower" is a miss, of the
equal one "slower" is a false alarm. What each tool does is at the top of `peers/judges.py`.

Nothing else should run meanwhile. Finished trials are kept in a file, so that the same command goes on after Ctrl-C.

``python benchmarks/verdict_trials.py [TRIALS] [--installed] [--runs RUNS] [--kept FILE]``: 100 trials of 15 runs of
each service if not given, about an hour.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path
from random import Random

from peers.judges import NO_SLOWER, RUNS, SLOWER, UNDECIDED, Judge, judges
from peers.work_server import working
from statsmodels.stats.proportion import proportion_confint
from tqdm import tqdm

TRIALS = 100
ROUNDS = 12_000
"""Of hashing: some 4 ms."""
MORE = 1.03
KEPT = Path(__file__).parent / "target" / "verdict_trials.jsonl"
SEED = 20241124

EQUAL, SLOW = "equal", "3 % slower"


def trial(number: int, tools: list[Judge]) -> dict[str, dict[str, str]]:
    """Return the verdicts of one trial, by service and tool."""
    random = Random(f"{SEED}-{number}")
    verdicts: dict[str, dict[str, str]] = {EQUAL: {}, SLOW: {}}
    with working(ROUNDS) as old, working(ROUNDS) as equal, working(round(ROUNDS * MORE)) as slow:
        asked = [(kind, address, tool) for kind, address in ((EQUAL, equal), (SLOW, slow)) for tool in tools]
        for kind, address, tool in random.sample(asked, len(asked)):
            with tempfile.TemporaryDirectory() as folder:
                verdicts[kind] |= tool(old, address, Path(folder))
    return verdicts


def table(trials: list[dict[str, dict[str, str]]]) -> str:
    """Return misses and false alarms of each tool, with exact 95 % intervals, and how often it leaves it open."""
    lines = [f"{'':45} {'misses':>22} {'false alarms':>22} {'undecided':>12}"]
    for tool in dict.fromkeys(tool for one in trials for kind in sorted(one) for tool in sorted(one[kind])):
        slow = Counter(one[SLOW][tool] for one in trials if tool in one[SLOW])
        equal = Counter(one[EQUAL][tool] for one in trials if tool in one[EQUAL])
        missed, alarms = _share(slow[NO_SLOWER], slow.total()), _share(equal[SLOWER], equal.total())
        lines.append(f"{tool:45} {missed:>22} {alarms:>22} {f'{slow[UNDECIDED]} and {equal[UNDECIDED]}':>12}")
    return "\n".join(lines)


def _share(count: int, of: int) -> str:
    low, high = proportion_confint(count, of, method="beta")
    return f"{count} of {of} [{low:.0%}, {high:.0%}]"


def kept(file: Path) -> dict[int, dict[str, dict[str, str]]]:
    """Return the finished trials of a file, by number; a line that was cut is no trial."""
    found = {}
    for line in file.read_text().splitlines() if file.exists() else ():
        try:
            one = json.loads(line)
        except ValueError:
            continue
        found[one["number"]] = one["verdicts"]
    return found


def main() -> int:
    """Make the trials that are missing, and print the table."""
    parser = argparse.ArgumentParser(description="Who notices that a service became 3 % slower.")
    parser.add_argument("trials", nargs="?", type=int, default=TRIALS)
    parser.add_argument("--installed", action="store_true", help="leave peers out that are not installed")
    parser.add_argument("--runs", type=int, default=RUNS, help="of each service in a trial")
    parser.add_argument("--kept", type=Path, default=KEPT, help="where finished trials are kept")
    options = parser.parse_args()
    options.kept.parent.mkdir(exist_ok=True)
    tools, missing = judges(not options.installed, options.runs)
    made = kept(options.kept)
    with options.kept.open("a") as file:
        for number in tqdm(range(options.trials), unit="trial"):
            if number not in made:
                made[number] = trial(number, tools)
                file.write("\n" * (file.tell() > 0) + json.dumps({"number": number, "verdicts": made[number]}))
                file.flush()
    print(table([made[number] for number in range(options.trials)]))
    print(*missing, sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
