"""The command that says whether something became slower."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from perfstudies.cli.app import app, end_with


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

    out = {"json": json, "markdown": markdown, "junit": junit, "html": html}
    end_with(lambda: compare.compare(old, new, margin, format, pattern, out))
