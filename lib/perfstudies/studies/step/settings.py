"""What a planned run's properties say to the lab and what to the service, and the service's defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from perfstudies.errors import BadParameter
from perfstudies.runs.plan import PlannedRun

DEFAULTS = {
    "cache": "none", "connection.pool_size": "1", "domain.root": "true", "flush": "auto",
    "log.async": "false", "log.console": "true", "log.level": "info", "log.level.hibernate": "",
    "log.level.service": "", "log.location": "true", "log.user": "",
    "monitor": "layer", "monitor.collections": "false", "monitor.wrap": "true",
    "reservation.numbers": "counted", "statistics": "false", "transaction.retries": "0",
}  # fmt: skip
"""The study's own: Layer monitor with Hibernate wrapped, log level info to a file and the console, each line with the
place it was written at, no second-level cache."""


@dataclass(frozen=True)
class RunSettings:
    """What a setting's properties say to the lab; the rest goes to the service.

    Attributes
    ----------
    users : int
        Virtual users at the same time.
    load : str
        The name of the workload's parameters.
    generation : {"today", "2009"}
        The libraries that the service runs on, of `perfstudies.studies.step.server.generations`.
    database : {"mariadb", "h2"}
        Which one; MariaDB, the descendant of the study's MySQL, where nothing is said.
    link : str
        How it is reached, of `perfstudies.servers.link.LINKS`.
    flushes_at_commit : bool
        Whether MariaDB has each commit on its disk before it answers, as is its default and was MySQL's; otherwise it
        flushes about once a second.
    vm : {"server", "client", "client-64m"}
        What the JVM is like: as it is by default, or as HotSpot's client VM was, with a heap of 256 or 64 MB.
    cpu_percent : int, optional
        How much of one processor's time the service gets, once its process is warm; all that it needs by default.
    kept_requests : int, optional
        Of how many measured requests Perf4J's or Event's log is kept; of all that were served by default.
    alternates : tuple of str
        The log levels at which each session is sent, for `perfstudies.studies.step.alternating`.
    service : dict
        Properties of the service.
    """

    users: int
    load: str
    generation: str
    database: str
    link: str
    flushes_at_commit: bool
    vm: str
    cpu_percent: int | None
    kept_requests: int | None
    alternates: tuple[str, ...]
    service: dict[str, str]

    @classmethod
    def of(cls, planned: PlannedRun) -> RunSettings:
        """Sort a planned run's properties; `BadParameter` if they ask for what its process cannot have."""
        if "cpu.percent" in planned.properties and not planned.experiment.shared_process:
            raise BadParameter("cpu.percent: only a process that runs share gets a part of a processor, once warm")
        return cls.of_properties({"load": planned.experiment.load} | planned.properties)

    @classmethod
    def of_properties(cls, properties: Mapping[str, str]) -> RunSettings:
        """Sort properties: what is missing has its default."""
        rest = dict(properties)
        kept = rest.pop("monitor.kept_requests", None)
        percent = rest.pop("cpu.percent", None)
        return cls(
            users=int(rest.pop("users", "1")),
            load=rest.pop("load", "SizeMedium"),
            generation=rest.pop("generation", "today"),
            database=rest.pop("database", "mariadb"),
            link=rest.pop("link", "local"),
            flushes_at_commit=rest.pop("database.flush_at_commit", "true") == "true",
            vm=rest.pop("java.vm", "server"),
            cpu_percent=None if percent is None else int(percent),
            kept_requests=None if kept is None else int(kept),
            alternates=tuple(filter(None, rest.pop("log.alternates", "").split(","))),
            service=rest,
        )

    @property
    def traces(self) -> bool:
        """Whether Hibernate logs at trace, the level that tells of every value."""
        level = self.service.get("log.level.hibernate") or self.service.get("log.level", DEFAULTS["log.level"])
        return level == "trace"
