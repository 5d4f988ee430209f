"""The nouns of a declaration: factors and their levels, sizes, experiments and findings.

Declarations are frozen and hold no behaviour beyond what follows from their own fields; who
measures (`perfstudies.runs.lab`) and who decides (`perfstudies.stats.verdicts`) read them.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from itertools import product
from types import ModuleType

from perfstudies.errors import BadParameter, require_one_of

PROFILES = ("smoke", "quick", "standard", "full")
SOURCES = ("reference", "live")


@dataclass(frozen=True)
class Factor:
    """Something an experiment varies.

    Attributes
    ----------
    name : str
        The setting's name as the system knows it.
    levels : tuple of str
        Its values, in the order in which tables show them.
    labels : tuple of str
        How the study prints the levels; the same length as `levels`.
    properties : mapping of str to mapping
        What a level sets, where that is something else than the property of the factor's own name.
    """

    name: str
    levels: tuple[str, ...]
    labels: tuple[str, ...]
    properties: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if len(self.levels) != len(self.labels):
            raise BadParameter(f"factor {self.name}: {len(self.levels)} levels but {len(self.labels)} labels")
        for level in self.properties:
            require_one_of(f"level of {self.name}", level, self.levels)

    def sets(self, level: str) -> Mapping[str, str]:
        """Return the properties that a level sets."""
        return self.properties.get(level, {} if self.properties else {self.name: level})

    def select(self, levels: Sequence[str]) -> Factor:
        """Return the factor with only these of its levels."""
        kept = [(level, label) for level, label in zip(self.levels, self.labels, strict=True) if level in levels]
        levels, labels = (tuple(part) for part in zip(*kept, strict=True))
        return replace(
            self,
            levels=levels,
            labels=labels,
            properties={level: means for level, means in self.properties.items() if level in levels},
        )

    def label(self, level: Hashable) -> str:
        """Return how the study prints a level."""
        return self.labels[self.levels.index(level)]


@dataclass(frozen=True)
class Size:
    """How much a profile measures.

    Attributes
    ----------
    blocks : int
        How often every setting runs.
    blocks_at : mapping of str to int
        Fewer blocks where a level is costly or little rests on it; they are the first of the other levels'.
    sessions : int
        Measured sessions of one user in a run, where a load is made of sessions.
    warm_up_sessions : int
        Sessions before them, with functional logging off, so that a setting is met by a server in the same state.
    sessions_at, warm_up_sessions_at, requests_at : mapping of str to int
        Fewer sessions or measured requests of each user, likewise.
    requests : int
        Requests of each client in a run, where a load is made of requests.
    time_scale : float
        By what the study's own times (gaps between requests, a server's waiting, time limits) are divided.
    levels : mapping of str to tuple of str
        For factors of which only some levels are measured, where minutes count: those.
    """

    blocks: int
    sessions: int = 0
    warm_up_sessions: int = 0
    sessions_at: Mapping[str, int] = field(default_factory=dict)
    warm_up_sessions_at: Mapping[str, int] = field(default_factory=dict)
    requests_at: Mapping[str, int] = field(default_factory=dict)
    requests: int = 0
    time_scale: float = 1
    levels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    blocks_at: Mapping[str, int] = field(default_factory=dict)

    def blocks_of(self, setting: Mapping[str, str]) -> int:
        """Return how often a setting runs."""
        return min((self.blocks_at[one] for one in setting.values() if one in self.blocks_at), default=self.blocks)

    def sessions_of(self, setting: Mapping[str, str]) -> int:
        """Return the measured sessions of a run at a setting."""
        return min(self.sessions_at.get(level, self.sessions) for level in setting.values())

    def warm_up_sessions_of(self, setting: Mapping[str, str]) -> int:
        """Return the sessions before the measured ones of a run at a setting."""
        return min(self.warm_up_sessions_at.get(level, self.warm_up_sessions) for level in setting.values())

    def amount_of(self, setting: Mapping[str, str]) -> float:
        """Return what the time of a run's load grows with: its sessions, or its requests at their pace."""
        return self.sessions_of(setting) or (self.requests or 1) / self.time_scale

    def requests_of(self, setting: Mapping[str, str]) -> int | None:
        """Return the most measured requests of a user at a setting; None means all of its sessions'."""
        return min((self.requests_at[level] for level in setting.values() if level in self.requests_at), default=None)


@dataclass(frozen=True)
class Experiment:
    """One question of a study: factors, their levels, a workload, a response.

    Attributes
    ----------
    study, name : str
        Its place: raw logs live in ``data/raw/<source>/<study>/<name>``.
    title : str
        What it asks, in a line.
    system : str
        The system under test.
    procedure : str
        How a run goes: for example ``sessions``, a number of user sessions, or ``ramp``, requests that grow until one
        fails.
    bench, reader : str
        The modules of the study's folder that carry out a run (`perfstudies.runs.bench`) and read one
        (`perfstudies.runs.recording`). They are imported when they are needed, so that recorded runs are read without
        anything that a live run needs.
    load : str
        The name of the workload's parameters.
    factors : tuple of Factor
        What is varied; their levels' product is the list of settings.
    fixed : mapping of str to str
        The properties that every run shares.
    shared_process : bool
        Whether the runs of a block are deployments in one server process, each on a fresh database; otherwise every
        run has a process of its own.
    sizes : mapping of str to Size
        How much each profile measures. One that is missing leaves the experiment out: live reports of that profile show
        its recorded runs, as those of quick do where minutes decide nothing, and judge by none (`data.judged_here`).
    """

    study: str
    name: str
    title: str
    system: str
    load: str
    factors: tuple[Factor, ...]
    fixed: Mapping[str, str] = field(default_factory=dict)
    procedure: str = "sessions"
    bench: str = "bench"
    reader: str = "read"
    shared_process: bool = False
    sizes: Mapping[str, Size] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """``study/name``, how the experiment is called on the command line."""
        return f"{self.study}/{self.name}"

    def module(self, name: str) -> ModuleType:
        """Return a module of the study's folder: its `bench` or its `reader`."""
        return import_module(f"perfstudies.studies.{self.study}.{name}")

    def settings(self, profile: str | None = None, block: int = 0) -> list[dict[str, str]]:
        """Return every combination of levels that a block runs, in the order of the factors' levels.

        A profile may leave some out, but never a whole factor: if it measures none of the levels asked for, all of them
        are measured.
        """
        size = self.size(profile) if profile else Size(1)
        measured = [
            tuple(level for level in factor.levels if level in size.levels.get(factor.name, factor.levels))
            or factor.levels
            for factor in self.factors
        ]
        names = [factor.name for factor in self.factors]
        settings = [dict(zip(names, levels, strict=True)) for levels in product(*measured)]
        return [one for one in settings if block < size.blocks_of(one)]

    def properties(self, setting: Mapping[str, str]) -> dict[str, str]:
        """Return what a setting sets: what all runs share, and what its levels stand for."""
        found = dict(self.fixed)
        for factor in self.factors:
            found |= factor.sets(setting[factor.name])
        return found

    def select(self, **levels: Sequence[str]) -> Experiment:
        """Return the experiment with fewer levels; factors by name, with ``_`` for ``.``, in the declared order.

        Raises
        ------
        BadParameter
            If there is no such factor or level, or a factor is left without any.
        """
        by_name = {factor.name.replace(".", "_"): factor for factor in self.factors}
        for name, wanted in levels.items():
            require_one_of("factor", name, by_name)
            if not wanted:
                raise BadParameter(
                    f"{by_name[name].name}: no level is left; allowed: {', '.join(by_name[name].levels)}"
                )
            for level in wanted:
                require_one_of(by_name[name].name, level, by_name[name].levels)
        kept = (factor.select(levels.get(name, factor.levels)) for name, factor in by_name.items())
        return replace(self, factors=tuple(kept))

    def comparing(self, **needed: Sequence[str]) -> Experiment:
        """Return the experiment itself, if its levels can be compared; factors by name, as in `select`.

        Raises
        ------
        BadParameter
            If one of these levels was left out, or none but a single level is there.
        """
        by_name = {factor.name.replace(".", "_"): factor for factor in self.factors}
        for name, levels in needed.items():
            factor = by_name[name]
            if missing := [level for level in levels if level not in factor.levels]:
                kept = ", ".join(factor.levels)
                raise BadParameter(f"{factor.name}: {', '.join(missing)} must be among the levels, which are {kept}")
            if len(factor.levels) < 2:
                raise BadParameter(
                    f"{factor.name}: {factor.levels[0]} alone leaves nothing to compare; name another one"
                )
        return self

    def size(self, profile: str) -> Size:
        """Return a profile's size.

        Raises
        ------
        BadParameter
            If no such profile exists; the message lists those that do.
        """
        require_one_of("profile", profile, self.sizes)
        return self.sizes[profile]


ARMS = Factor("arm", levels=("a", "b"), labels=("A", "B"), properties={"a": {}, "b": {}})
"""Of an experiment in which nothing differs: both levels set the same, and a block is a pair of equal runs."""

KINDS = ("direction", "size", "mechanism", "identity")
SCALES = ("identity", "log", "percent", "runs")


@dataclass(frozen=True)
class Finding:
    """One claim of a study, in our words, with the region of a statistic in which it counts as true.

    Attributes
    ----------
    study, id, where : str
        Whose it is, its number, and the tables, figures or sections that make the claim.
    claim : str
        What the study says.
    rule : str
        Which statistic decides, and why the region is drawn where it is.
    published : str
        The study's own value as printed, or "none given".
    low, high : float
        The accepted region; either end may be infinite.
    unit : str
        The statistic's unit: "ratio", "%", "count" ...
    kind : str
        One of `KINDS`: which way something goes, how large it is, or by what it comes about; or an identity, which is
        true by construction, is shown, and is never counted as reproduced.
    scale : str
        How values are tested, one of `SCALES`: means as they are, geometric means (``log``), shares in percent
        (``percent``, whose interval stays within 0 and 100), or counts of runs in which something happened (``runs``,
        values 0 or 1 a run, by exact binomial tests).
    untestable : str
        Why this claim cannot be tested here, if so: it is shown as *not testable*, with this reason, whatever was
        measured.
    apart : str
        Why this finding is not counted with the study's claims, if so: the study gave no value of its own, or what was
        measured is another system than the study's.
    """

    study: str
    id: str
    where: str
    claim: str
    rule: str
    published: str
    low: float
    high: float
    unit: str
    kind: str = "size"
    scale: str = "identity"
    untestable: str = ""
    apart: str = ""

    def __post_init__(self) -> None:
        require_one_of(f"kind of finding {self.id}", self.kind, KINDS)
        require_one_of(f"scale of finding {self.id}", self.scale, SCALES)
