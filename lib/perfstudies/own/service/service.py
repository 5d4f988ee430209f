"""What the notebook asks for: the runs of a comparison, recorded ones or live ones."""

from __future__ import annotations

from collections.abc import Mapping

from perfstudies.errors import BadRecording, require_one_of
from perfstudies.experiment import SOURCES
from perfstudies.own.service import example
from perfstudies.own.service.declaration import comparison
from perfstudies.own.service.measuring import STUDY, measure
from perfstudies.paths import RAW
from perfstudies.permit import permit
from perfstudies.runs import store
from perfstudies.runs.archive import SUFFIX
from perfstudies.runs.store import Run


def recorded(
    source: str,
    name: str,
    target: Mapping[str, object],
    load: Mapping[str, object],
    settings: Mapping[str, Mapping[str, object]] | str | None = None,
    runs: int = 10,
    seed: int = 1,
    consent: str = "",
    scheduler: str | None = None,
) -> list[Run]:
    """Return a comparison's runs: those of the repository, or those of this machine, measured now if missing.

    Parameters
    ----------
    source : {"reference", "live"}
        For ``reference`` only the name plays a part.
    name, target, load, settings, runs, seed
        As of `perfstudies.own.service.declaration.comparison`. If no wsdl or url is named, live runs are those of
        `perfstudies.own.service.example`, whose servers are started for it.
    consent : str
        As of `perfstudies.permit.permit`, for other hosts than this machine.
    scheduler : str or None
        Of the Dask cluster whose workers send; None for this process.

    Raises
    ------
    BadParameter, SystemFailed
        As `perfstudies.own.service.measuring.measure`.
    BadRecording
        If the repository has no runs of that name.
    """
    if source == "reference":
        return _reference(name)
    require_one_of("source", source, SOURCES)
    folder = RAW / "live" / STUDY
    if not target.get("wsdl") and not target.get("url") and not settings:
        return example.measured(folder / example.NAME, load, runs, seed)
    wanted = comparison(name, target, load, settings, runs, seed)
    return measure(wanted, permit(consent), folder / wanted.name, scheduler)


def _reference(name: str) -> list[Run]:
    folder = RAW / "reference" / STUDY
    found = list(store.runs(folder / name))
    if not found:
        known = sorted(path.name.removesuffix(SUFFIX) for path in folder.glob("*") if path.name != "README.md")
        raise BadRecording(f"no recorded runs in {folder / name}; recorded are: {', '.join(known) or 'none'}")
    return found
