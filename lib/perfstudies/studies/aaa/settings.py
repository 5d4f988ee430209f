"""What a planned run's properties say to the lab and what to the server, with times as they are really used."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from perfstudies.experiment import Experiment
from perfstudies.runs.plan import PlannedRun
from perfstudies.studies.aaa.declared import SCALED
from perfstudies.studies.aaa.server.containers import SETTINGS

MACHINES_OF_THE_STUDY = 4
H2, MARIADB = "h2", "mariadb"


@dataclass(frozen=True)
class RunSettings:
    """A run's properties, sorted.

    Attributes
    ----------
    container : {"glassfish", "openejb"}
        What the application is deployed in.
    clients : int
        Client processes.
    requests : int
        Requests of each client; of a burst those of all of them together.
    gap_ms, ttl_ms, unit_ms : float
        Between a client's starts, until it gives up, and the length of the server's time unit; scaled.
    timer : int
        The requests' TimerCondition.
    policy : str
        Their type.
    mix : dict
        Share of requests of other types, by type; ``invalid`` is one that the schema forbids.
    concurrency : int
        Connections of a closed load.
    rates_per_s : tuple of float
        Offered rates, one after the other.
    step_s : float
        How long each of them lasts.
    network : {"access-lines", "loopback"}
        What is between clients and server.
    database : {"h2", "mariadb"}
        What holds the policies.
    cut : bool
        Whether the database ends all of the server's connections in the middle of a burst.
    cpus : int or None
        Processors of the server; None is all of them.
    cpu_percent : int or None
        How much of one processor's time the server gets at most; None is no limit.
    warm : bool
        Whether the process has served requests before the run.
    sequence : str
        Of `perfstudies.studies.aaa.client.sequences`, if the run is one.
    time_scale : float
        By what the study's times were divided.
    server : dict
        Properties of the server.
    """

    container: str
    clients: int
    requests: int
    gap_ms: float
    ttl_ms: float
    unit_ms: float
    timer: int
    policy: str
    mix: dict[str, float]
    concurrency: int
    rates_per_s: tuple[float, ...]
    step_s: float
    network: str
    database: str
    cut: bool
    cpus: int | None
    cpu_percent: int | None
    warm: bool
    sequence: str
    time_scale: float
    server: dict[str, str]

    @classmethod
    def of(cls, planned: PlannedRun) -> RunSettings:
        """Sort a planned run's properties and scale its times."""
        size = planned.experiment.size(planned.profile)
        rest = scaled(planned.experiment, planned.profile, planned.properties)
        cpus, cpu_percent = (rest.pop(name, None) for name in ("cpus", "cpu.percent"))
        parts = (part.split(":") for part in rest.pop("mix", "").split(",") if part)
        requests = int(rest.pop("requests", size.requests))
        settings = cls(
            container=rest.pop("container"),
            clients=int(rest.pop("clients", str(MACHINES_OF_THE_STUDY))),
            # A figure of fewer requests than the size's own stays the smaller one in small profiles too.
            requests=min(requests, size.requests) if size.requests else requests,
            gap_ms=float(rest.pop("gap_ms", "0")),
            ttl_ms=float(rest.pop("ttl_ms")),
            unit_ms=float(rest.get("timer.unit_ms", "0")),
            timer=int(rest.pop("timer", "1")),
            policy=rest.pop("policy", "SNBpolicy01"),
            mix={name: float(share) for name, share in parts},
            concurrency=int(rest.pop("concurrency", "1")),
            rates_per_s=tuple(float(rate) for rate in rest.pop("rates", "").split(",") if rate),
            step_s=float(rest.pop("step_s", "0")),
            network=rest.pop("network"),
            database=rest.pop("database", H2),
            cut=rest.pop("database.cut", "false") == "true",
            cpus=int(cpus) if cpus else None,
            cpu_percent=int(cpu_percent) if cpu_percent else None,
            warm=rest.pop("warm", "true") == "true",
            sequence=rest.pop("sequence", ""),
            time_scale=size.time_scale,
            server={name: rest.pop(name) for name in SETTINGS if name in rest},
        )
        if rest:
            raise ValueError(f"{planned.experiment.key} sets what nobody reads: {', '.join(rest)}")
        if settings.server.get("timer.random") == "true":
            # Each run draws its own; Java's generator starts alike from seeds that are near each other.
            settings.server["timer.seed"] = str(Random(f"{planned.seed}/{planned.block}").getrandbits(48))
        return settings


def scaled(experiment: Experiment, profile: str, properties: dict[str, str]) -> dict[str, str]:
    """Return properties with the study's own times divided by the time scale of a profile."""
    scale = experiment.size(profile).time_scale
    return {name: _plain(float(to) / scale) if name in SCALED else to for name, to in properties.items()}


def _plain(number: float) -> str:
    """Write a number without an exponent, a whole one without a point."""
    return str(int(number)) if number.is_integer() else str(number)
