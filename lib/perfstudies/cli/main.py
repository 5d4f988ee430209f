"""The command ``perfstudies``: what can be done, and with which options.

What a command does is imported by the command itself, so that ``--help`` and completion answer at once.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from perfstudies.cli import words
from perfstudies.cli.app import WRONG_USAGE, app, fail
from perfstudies.errors import BadParameter
from perfstudies.experiment import PROFILES, SOURCES


def _experiments() -> list[str]:
    from perfstudies.studies import EXPERIMENTS

    return list(EXPERIMENTS)


def _tables() -> list[str]:
    from perfstudies.studies import simulations

    return list(simulations())


def _sources() -> list[str]:
    return list(SOURCES)


def _profiles() -> list[str]:
    return list(PROFILES)


Parameters = Annotated[
    list[str], typer.Option("-p", metavar="NAME VALUE", help="A parameter of the notebooks; may be repeated.")
]
Profile = Annotated[
    str, typer.Option(help=f"How much: one of {', '.join(PROFILES)}.", metavar="NAME", autocompletion=_profiles)
]
Scheduler = Annotated[
    str, typer.Option(help="Run on a Dask cluster that you trust as this machine: tcp://host:port.", metavar="ADDRESS")
]


@app.command()
def measure(
    experiments: Annotated[
        list[str] | None,
        typer.Argument(metavar="STUDY/NAME", help="All if none is named.", autocompletion=_experiments),
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
    json: Annotated[Path | None, typer.Option("--json", help="Write the verdict as JSON.")] = None,
    markdown: Annotated[Path | None, typer.Option("--markdown", help="Write it as Markdown.")] = None,
    junit: Annotated[Path | None, typer.Option("--junit", help="Write it as a JUnit report.")] = None,
) -> None:
    """Measure what is missing, or two addresses in turn.

    What is finished is not measured again, so the same command goes on after Ctrl-C. Blocks can be measured
    by the machines of a cluster. A noisy run is measured again at once, twice at most, if runs are to be stored.

    With --url and --compare-with runs of both addresses are made in random order within blocks of one each, and the
    exit status is that of `perfstudies compare`: 0 no slower, 1 slower, 3 undecided, 2 what cannot be compared.
    """
    from perfstudies.cli import measure
    from perfstudies.errors import PerfstudiesError

    if url or compare_with:
        from perfstudies.cli import in_turn

        if experiments or not (url and compare_with):
            fail("name experiments, or both --url and --compare-with", status=WRONG_USAGE)
        load, out = {"requests": requests, "users": users}, {"json": json, "markdown": markdown, "junit": junit}
        try:
            status = in_turn.compare(url, compare_with, load, runs, seed, margin, consent, out)
        except PerfstudiesError as error:
            fail(error, status=WRONG_USAGE)
        raise typer.Exit(status)
    from perfstudies.studies import EXPERIMENTS, experiment

    chosen = [experiment(key) for key in experiments or EXPERIMENTS]
    ended = measure.record if record else measure.leave
    hopeless = measure.measure(chosen, profile, seed, ended, scheduler=scheduler, quiet=record)
    if hopeless:
        fail(f"no finished run of some setting in {', '.join(hopeless)}")


@app.command()
def simulate(
    tables: Annotated[
        list[str] | None,
        typer.Argument(metavar="STUDY/NAME", help="All if none is named.", autocompletion=_tables),
    ] = None,
    profile: Profile = "quick",
    seed: Annotated[int, typer.Option(help="From which all seeds follow.")] = 1,
    record: Annotated[bool, typer.Option("--record", help="Store them as the repository's tables.")] = False,
) -> None:
    """Simulate the tables that come from models.

    What is there already stays, unless it is recorded.
    """
    from perfstudies.cli.simulate import simulate

    simulate(tables or None, profile, seed, record)


@app.command()
def reports(
    notebooks: Annotated[
        list[Path] | None, typer.Argument(metavar="NOTEBOOK", help="None: write the index alone.")
    ] = None,
    source: Annotated[
        str, typer.Option(help=f"One of {', '.join(SOURCES)}.", metavar="NAME", autocompletion=_sources)
    ] = "reference",
    profile: Profile = "quick",
    workers: Annotated[
        int | None, typer.Option(help="How many are rendered at the same time.", show_default="all cores")
    ] = None,
) -> None:
    """Render reports, each as soon as it is ready.

    The index lists them. With source live their experiments are measured before. This is what make reports calls.
    """
    from perfstudies.cli.reports import reports

    if problems := reports(notebooks or [], source, profile, workers):
        fail(*problems)


@app.command()
def pages(
    notebooks: Annotated[list[Path] | None, typer.Argument(metavar="NOTEBOOK", help="All if none is named.")] = None,
    out: Annotated[Path | None, typer.Option(help="The folder of the pages.", show_default="reports/pages")] = None,
    workers: Annotated[
        int | None, typer.Option(help="How many are rendered at the same time.", show_default="all cores")
    ] = None,
) -> None:
    """Render pages from stored outputs, in seconds.

    No kernel runs, and nothing is measured. The index lists the pages.
    """
    from perfstudies.cli.pages import pages

    if problems := pages(notebooks or [], out, workers):
        fail(*problems)


@app.command()
def pdf(
    page: Annotated[Path, typer.Argument(metavar="REPORT", help="A report as HTML.")],
    out: Annotated[Path | None, typer.Option(help="The PDF.", show_default="beside the report")] = None,
) -> None:
    """Print a report to PDF, by a Chromium without a window.

    The same page gives the same bytes; nothing is asked of any network.
    """
    from perfstudies.site.pdf import write

    print(f"printed {write(page, out or page.with_suffix('.pdf'))}")


@app.command(cls=words.WithWords)
def render(
    notebook: Annotated[Path, typer.Argument(metavar="NOTEBOOK")],
    out: Annotated[Path | None, typer.Option(help="The report.", show_default="reports/<study>/<name>.html")] = None,
    executed: Annotated[
        Path | None, typer.Option(help="The executed notebook.", show_default="below data/processed")
    ] = None,
    source: Annotated[
        str | None, typer.Option(help="Short for -p source.", metavar="NAME", autocompletion=_sources)
    ] = None,
    profile: Annotated[
        str | None, typer.Option(help="Short for -p profile.", metavar="NAME", autocompletion=_profiles)
    ] = None,
    parameters: Parameters = [],  # noqa: B006 - typer's way
    store: Annotated[bool, typer.Option("--store", help="Save the outputs in the notebook instead.")] = False,
) -> None:
    """Execute a notebook and render it to HTML.

    With --store it is executed with its default parameters, and the outputs are saved in the notebook itself: how the
    outputs that the tests compare against are renewed.
    """
    from perfstudies.cli import render
    from perfstudies.notebooks.execute import parse_value

    given = {name: parse_value(value) for name, value in words.split("-p", parameters)}
    given |= {name: value for name, value in (("source", source), ("profile", profile)) if value is not None}
    if not store:
        print(f"rendered {render.render(notebook, out, executed, given)}")
    elif given or out:
        raise BadParameter("--store uses the defaults: leave out -p, --source, --profile and --out")
    else:
        print(f"stored outputs in {render.store(notebook, executed)}")


@app.command(cls=words.WithWords)
def batch(
    notebooks: Annotated[list[Path], typer.Argument(metavar="NOTEBOOK")],
    parameters: Parameters = [],  # noqa: B006
    grid: Annotated[
        list[str],
        typer.Option(
            metavar="NAME VALUE...", help="A varied parameter and its values; may be repeated, after the notebooks."
        ),
    ] = [],  # noqa: B006
    grid_file: Annotated[
        Path | None, typer.Option(help="A grid as JSON or TOML: lists of values by parameter.")
    ] = None,
    name: Annotated[str, typer.Option(help="What the batch is called.", show_default="by its only notebook")] = "",
    workers: Annotated[
        int | None, typer.Option(help="Points side by side on this machine.", show_default="its cores")
    ] = None,
    scheduler: Scheduler = "",
    record: Annotated[bool, typer.Option("--record", help="Then store the table as one of the repository's.")] = False,
) -> None:
    """Run notebooks over a grid of parameters.

    Each notebook runs at each combination of the grid's values. What is finished is not run again, so the same command
    goes on after Ctrl-C.
    """
    from perfstudies.cli import batch
    from perfstudies.notebooks.execute import parse_value
    from perfstudies.notebooks.grid import read_grid

    given = {name: parse_value(value) for name, value in words.split("-p", parameters)}
    varied = {name: [parse_value(value) for value in values] for name, *values in words.split("--grid", grid)}
    if grid_file:
        varied = read_grid(grid_file) | varied
    if failed := batch.batch(notebooks, given, varied, name, workers, scheduler, record):
        fail(*failed)


@app.command()
def compare(
    old: Annotated[str, typer.Argument(metavar="OLD", help="A file, a folder, or a pattern in quotes.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="Likewise.")],
    margin: Annotated[float, typer.Option(help="The largest ratio of mean times that is no slower to you.")] = 1.05,
    format: Annotated[
        str | None, typer.Option(help="Of the logs.", metavar="NAME", show_default="by their content")
    ] = None,
    pattern: Annotated[
        str | None, typer.Option(help="An access log's format, or the regular expression of format lines.")
    ] = None,
    json: Annotated[Path | None, typer.Option("--json", help="Write the verdict as JSON.")] = None,
    markdown: Annotated[Path | None, typer.Option("--markdown", help="Write it as Markdown.")] = None,
    junit: Annotated[Path | None, typer.Option("--junit", help="Write it as a JUnit report.")] = None,
    html: Annotated[Path | None, typer.Option("--html", help="Write the whole report as HTML.")] = None,
) -> None:
    """Say whether new runs are slower than old ones.

    Of logs of any known format, each file a run, or of an own service's runs. Exit status: 0 if the new are no slower
    than the margin, 1 if they are slower, 3 if the runs do not decide, 2 if they cannot be compared.
    """
    from perfstudies.cli import compare
    from perfstudies.errors import PerfstudiesError

    out = {"json": json, "markdown": markdown, "junit": junit, "html": html}
    try:
        status = compare.compare(old, new, margin, format, pattern, out)
    except PerfstudiesError as error:
        fail(error, status=WRONG_USAGE)
    raise typer.Exit(status)


@app.command()
def verify(
    write: Annotated[
        bool,
        typer.Option(
            "--write", help="After something was recorded: make the list, the metadata and docs/DATA.md again."
        ),
    ] = False,
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
        list[str], typer.Argument(metavar="STUDY/NAME", help="Of which runs.", autocompletion=_experiments)
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
    from perfstudies.own.service.record import record

    print(f"recorded {record()}")
