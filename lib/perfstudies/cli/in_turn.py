"""Measures two addresses in turn, and says whether the new one is slower than the old one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryFile

from perfstudies.cli import compare as files
from perfstudies.errors import BadParameter
from perfstudies.files import temporary
from perfstudies.own.service.bounds import REMOTE
from perfstudies.own.service.declaration import Load, comparison
from perfstudies.own.service.measuring import measure
from perfstudies.own.slower import NEW, OLD
from perfstudies.permit import permit

NAME = "in-turn"


def compare(
    new: str, old: str, load: Mapping[str, object], runs: int, seed: int, margin: float, consent: str = "",
    out: Mapping[str, Path | None] | None = None,
) -> int:  # fmt: skip
    """Measure both, print the verdict, and return the exit status.

    Nothing is kept: what stands at an address today may be something else tomorrow.

    Parameters
    ----------
    new, old : str
        Addresses, each asked by GET.
    load : mapping
        Fields of `perfstudies.own.service.declaration.Load`.
    runs, seed : int
        Of each address; of the order.
    margin : float
        The largest ratio of mean times that is no slower to you.
    consent : str
        As of `perfstudies.permit.permit`.
    out : mapping, optional
        Where to write the verdict, by kind: ``json``, ``markdown``, ``junit``.

    Raises
    ------
    PerfstudiesError
        If an address may not be asked, a run fails, nothing can be compared, or the verdict could not be written.
    """
    if not 1 < margin < math.inf:
        raise BadParameter(f"margin = {margin:g}: must be above 1, and not endless")
    for path in filter(None, (out or {}).values()):
        try:  # after all runs it would be too late
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.exists():  # what is there may be a pipe, whose reader would take this for the verdict
                TemporaryFile(dir=path.parent).close()
        except OSError as error:
            raise BadParameter(f"{path} cannot be written: {error}") from error
    if consent:  # the bound on what another machine gets, shared by all runs
        load = {"limit_s": min(Load.limit_s, REMOTE.took_s / (2 * max(runs, 1))), **load}
    wanted = comparison(NAME, {}, load, {OLD: {"url": old}, NEW: {"url": new}}, runs, seed)
    with temporary("in-turn") as folder:
        measure(wanted, permit(consent), folder / NAME, kept=False)
        return files.compare(f"{folder / NAME}:{OLD}", f"{folder / NAME}:{NEW}", margin, out=out)
