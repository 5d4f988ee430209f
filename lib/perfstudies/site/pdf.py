"""Prints a report to PDF by a headless Chromium, the same bytes for the same page and browser."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from perfstudies.errors import MissingTool, PerfstudiesError

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
TIMEOUT_S = 120
DATED = re.compile(rb"/(CreationDate|ModDate) \(D:\d{14}(?:[+-]\d\d'\d\d'|Z)?\)")
"""When it was printed: the only bytes that differ from one printing to the next."""


class NotPrinted(PerfstudiesError):
    """The browser did not print a page."""


def pdf(page: Path) -> bytes:
    """Return a page as PDF, without asking any network and without the time of printing.

    Parameters
    ----------
    page : Path
        An HTML file that holds all that it shows.

    Raises
    ------
    NotPrinted
        If there is no such page, or the browser fails.
    MissingTool
        If there is no Chromium.
    """
    if not page.is_file():
        raise NotPrinted(f"{page}: no such page; render it first")
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        raise MissingTool("printing needs Chromium on the PATH: install the package chromium")
    with tempfile.TemporaryDirectory(prefix="perfstudies-print-") as folder:
        printed = Path(folder) / "page.pdf"
        command = [
            program, "--headless", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking",
            # The sandbox needs rights that containers lack; what is opened is our own file.
            "--no-sandbox", "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={folder}/profile",
            "--no-pdf-header-footer", f"--print-to-pdf={printed}", page.resolve().as_uri(),
        ]  # fmt: skip
        try:
            ended = subprocess.run(command, capture_output=True, timeout=TIMEOUT_S, check=False)
        except subprocess.TimeoutExpired as error:
            raise NotPrinted(f"{page}: {program} did not print it within {TIMEOUT_S} s") from error
        if ended.returncode or not printed.is_file():
            last = ended.stderr.decode(errors="replace").strip().splitlines()[-1:]
            raise NotPrinted(f"{page}: {program} ended with {ended.returncode}: {' '.join(last)}")
        return undated(printed.read_bytes())


def undated(content: bytes) -> bytes:
    """Return a PDF whose dates are all the same, at equal length, so that no offset in it changes."""
    return DATED.sub(lambda found: re.sub(rb"\d", b"0", found[0]), content)


def write(page: Path, out: Path) -> Path:
    """Print a page to a file; errors as of `pdf`."""
    content = pdf(page)
    out.parent.mkdir(parents=True, exist_ok=True)
    draft = out.with_name(f".{out.name}.part")
    draft.write_bytes(content)
    draft.replace(out)
    return out
