"""What a planned run's properties say, sorted, with times as they are really used."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from perfstudies.runs.plan import PlannedRun
from perfstudies.studies.esb.base import ENGINE_SETTINGS

NONE = "none"
ALL = "all"


@dataclass(frozen=True)
class RunSettings:
    """A run's properties, sorted.

    Attributes
    ----------
    engine : str
        One of `perfstudies.studies.esb.server.engines.ENGINES`, or ``none``.
    engine_settings : dict
        Properties of the engine's process.
    open_files : int
        The engine's limit of open files; 0 is the machine's own.
    proxy : str
        Which of the engine's proxies.
    connections : int
        How many are open.
    message_bytes : int
        Length of the envelope.
    messages : int
        At most how many on each connection; 0 for no limit.
    seconds : float
        How long messages are sent, scaled.
    rate_per_s, rate_share : float
        Messages a second of open arrivals, or their share of what a closed load got through; both 0 if closed.
    timeout_s : float
        How long a client waits for its answer.
    blocks_a_process : float
        How many blocks in a row share processes; infinite if all do.
    stall_s : float
        For how long the engine is stopped in the middle, scaled.
    """

    engine: str
    engine_settings: dict[str, str]
    open_files: int
    proxy: str
    connections: int
    message_bytes: int
    messages: int
    seconds: float
    rate_per_s: float
    rate_share: float
    timeout_s: float
    blocks_a_process: float
    stall_s: float

    @classmethod
    def of(cls, planned: PlannedRun) -> RunSettings:
        """Sort a planned run's properties."""
        size = planned.experiment.size(planned.profile)
        rest = dict(planned.properties)
        rest.pop("route", None)
        rest.pop("arrivals", None)
        rate = rest.pop("rate")
        connections = int(rest.pop("connections"))
        messages = int(rest.pop("messages"))
        blocks = rest.pop("blocks_a_process")
        settings = cls(
            engine=rest.pop("engine"),
            engine_settings={name: rest.pop(name) for name in ENGINE_SETTINGS if name in rest},
            open_files=int(rest.pop("open_files", "0")),
            proxy=rest.pop("proxy"),
            connections=connections,
            message_bytes=int(rest.pop("message_bytes")),
            messages=size.requests // connections if size.requests else messages,
            seconds=float(rest.pop("seconds")) / size.time_scale,
            rate_per_s=0.0 if rate.endswith("%") else float(rate),
            rate_share=float(rate.removesuffix("%")) / 100 if rate.endswith("%") else 0.0,
            timeout_s=float(rest.pop("timeout_s")),
            blocks_a_process=inf if blocks == ALL else int(blocks),
            stall_s=float(rest.pop("stall_s", "0")) / size.time_scale,
        )
        if rest:
            raise ValueError(f"{planned.experiment.key} sets what nobody reads: {', '.join(rest)}")
        return settings
