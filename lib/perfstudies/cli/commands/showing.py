"""Commands that run notebooks and render reports."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from perfstudies.cli import options, words
from perfstudies.cli.app import app, fail
from perfstudies.cli.options import Parameters, Profile, Scheduler
from perfstudies.errors import BadParameter
from perfstudies.experiment import SOURCES

Workers = Annotated[int | None, typer.Option(help="How many are rendered at the same time.", show_default="all cores")]


@app.command()
def reports(
    notebooks: Annotated[list[Path] | None, typer.Argument(metavar="NOTEBOOK", help="None: the index alone.")] = None,
    source: Annotated[
        str, typer.Option(help=f"One of {', '.join(SOURCES)}.", metavar="NAME", autocompletion=options.sources)
    ] = "reference",
    profile: Profile = "quick",
    workers: Workers = None,
    execute: Annotated[
        bool, typer.Option("--execute", help="Execute notebooks although the outputs that they store are the same.")
    ] = False,
) -> None:
    """Render reports, and list them in the index.

    With source live their experiments are measured before, a study after the other; with source reference a notebook is
    executed only if the outputs that it stores are of another library or other data. This is what make reports calls.
    """
    from perfstudies.cli.reports import reports

    if problems := reports(notebooks or [], source, profile, workers, execute):
        fail(*problems)


@app.command()
def pages(
    notebooks: Annotated[list[Path] | None, typer.Argument(metavar="NOTEBOOK", help="All if none is named.")] = None,
    out: Annotated[Path | None, typer.Option(help="The folder of the pages.", show_default="reports/pages")] = None,
    workers: Workers = None,
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
    out: Annotated[Path | None, typer.Option(help="The PDF.", show_default="beside the report", dir_okay=False)] = None,
) -> None:
    """Print a report to PDF, by a Chromium without a window.

    The same page gives the same bytes; nothing is asked of any network.
    """
    from perfstudies.site.pdf import write

    print(f"printed {write(page, out or page.with_suffix('.pdf'))}")


@app.command(cls=words.WithWords)
def render(
    notebook: Annotated[Path, typer.Argument(metavar="NOTEBOOK")],
    out: Annotated[
        Path | None, typer.Option(help="The report.", show_default="reports/<study>/<name>.html", dir_okay=False)
    ] = None,
    executed: Annotated[
        Path | None, typer.Option(help="The executed notebook.", show_default="below data/processed", dir_okay=False)
    ] = None,
    source: Annotated[
        str | None, typer.Option(help="Short for -p source.", metavar="NAME", autocompletion=options.sources)
    ] = None,
    profile: Annotated[
        str | None, typer.Option(help="Short for -p profile.", metavar="NAME", autocompletion=options.profiles)
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
        list[str], typer.Option(metavar="NAME VALUE...", help="Values of a parameter; repeatable, after notebooks.")
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
