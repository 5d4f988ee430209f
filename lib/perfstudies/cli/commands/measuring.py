"""Commands that make runs: of real systems, and of models."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from perfstudies.cli import options
from perfstudies.cli.app import WRONG_USAGE, app, end_with, fail
from perfstudies.cli.options import Profile, Scheduler
from perfstudies.errors import require_one_of

OF_ADDRESSES = ("runs", "requests", "users", "margin", "consent", "json", "markdown", "junit")
"""Options of `measure` that say how two addresses are measured, and nothing of experiments."""


@app.command()
def measure(
    context: typer.Context,
    experiments: Annotated[
        list[str] | None,
        typer.Argument(metavar="STUDY/NAME", help="All of the profile if none.", autocompletion=options.experiments),
    ] = None,
    profile: Profile = "quick",
    seed: Annotated[int, typer.Option(help="Of the random order of settings.")] = 1,
    scheduler: Scheduler = "",
    record: Annotated[bool, typer.Option("--record", help="Then store the runs as the repository's.")] = False,
    url: Annotated[str, typer.Option(help="Measure this address instead, by HTTP.", metavar="ADDRESS")] = "",
    compare_with: Annotated[
        str, typer.Option(help="And this one in turn: is the first slower?", metavar="ADDRESS")
    ] = "",
    runs: Annotated[int, typer.Option(help="Of each address.")] = 10,
    requests: Annotated[int, typer.Option(help="Of a run.")] = 200,
    users: Annotated[int, typer.Option(help="Who each send their next request when the last is answered.")] = 1,
    margin: Annotated[float, typer.Option(help="The largest ratio of mean times that is no slower to you.")] = 1.05,
    consent: Annotated[str, typer.Option(help="To load another machine: 'I may load test.example.org'.")] = "",
    json: Annotated[Path | None, typer.Option("--json", help="Write the verdict as JSON.", dir_okay=False)] = None,
    markdown: Annotated[Path | None, typer.Option("--markdown", help="Write it as Markdown.", dir_okay=False)] = None,
    junit: Annotated[Path | None, typer.Option("--junit", help="Write it as a JUnit report.", dir_okay=False)] = None,
) -> None:
    """Measure what is missing, or two addresses in turn.

    What is finished is not measured again, so the same command goes on after Ctrl-C. Blocks can be measured
    by the machines of a cluster. A noisy run is measured again at once, twice at most, if runs are to be stored.

    With --url and --compare-with runs of both addresses are made in random order within blocks of one each, and the
    exit status is that of `perfstudies compare`: 0 no slower, 1 slower, 3 undecided, 2 what cannot be compared.
    """
    if url or compare_with:
        from perfstudies.cli import in_turn

        if experiments or record or scheduler or profile != "quick" or not (url and compare_with):
            message = "name experiments, with --profile, --scheduler or --record, or both --url and --compare-with"
            fail(message, status=WRONG_USAGE)
        load, out = {"requests": requests, "users": users}, {"json": json, "markdown": markdown, "junit": junit}
        end_with(lambda: in_turn.compare(url, compare_with, load, runs, seed, margin, consent, out))
    sources = {name: context.get_parameter_source(name) for name in OF_ADDRESSES}
    if given := [f"--{name}" for name, source in sources.items() if source and source.name == "COMMANDLINE"]:
        fail(f"{', '.join(given)}: for two addresses, named with --url and --compare-with", status=WRONG_USAGE)

    from perfstudies.cli import measure
    from perfstudies.studies import EXPERIMENTS, experiment

    every = [key for key, one in EXPERIMENTS.items() if profile in one.sizes] or EXPERIMENTS
    chosen = [experiment(key) for key in experiments or every]
    ended = measure.record if record else None
    if hopeless := measure.measure(chosen, profile, seed, ended, scheduler=scheduler, quiet=record):
        fail(f"no finished run of some setting in {', '.join(hopeless)}")


@app.command()
def simulate(
    tables: Annotated[
        list[str] | None,
        typer.Argument(metavar="STUDY/NAME", help="All if none is named.", autocompletion=options.tables),
    ] = None,
    profile: Profile = "quick",
    seed: Annotated[int, typer.Option(help="From which all seeds follow.")] = 1,
    record: Annotated[bool, typer.Option("--record", help="Store them as the repository's tables.")] = False,
) -> None:
    """Simulate the tables that come from models.

    What is there already stays, unless it is recorded.
    """
    from perfstudies.paths import RAW
    from perfstudies.runs import simulated
    from perfstudies.studies import simulations

    known = simulations()
    for key in tables or known:
        require_one_of("table", key, known)
        print(f"{key}: {known[key].question}", file=sys.stderr)
        if record:
            # One that rests on another reads the recorded one, which comes before it.
            simulated.simulate(known[key], "reference", profile, seed, RAW / "reference" / key)
        else:
            simulated.read(known[key], "live", profile, seed)


@app.command("compile")
def compile_ahead() -> None:
    """Compile ahead what numba compiles.

    The models' loop, and that of the client for high rates, which are otherwise compiled when they are first used.
    Takes a minute, and no time where that has been done.
    """
    from perfstudies.load.rate import client
    from perfstudies.models.pool_simulation import simulate
    from perfstudies.models.thread_pool import Flow, Servant, ThreadPool

    client.compile_ahead()
    simulate(ThreadPool((Flow(1.0),), (Servant(1.0),), 1, 1.0), seed=0, requests=1)
