"""What a reader has to know of the runs before believing them: how many, how noisy, what was set aside."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from perfstudies.report.tables import Table, table
from perfstudies.runs.recording import Recording
from perfstudies.sent import OUTCOMES
from perfstudies.stats.verdicts import Verdict

SHOWN = 5


def runs_table(recorded: Recording, factor: str | Sequence[str]) -> Table:
    """Show runs, requests and oddities of each level, or of each combination of several factors' levels; a note quotes
    the first of what went wrong."""
    factor = factor if isinstance(factor, str) else list(factor)
    by_level = recorded.runs.groupby(factor, observed=True)
    rows = pd.DataFrame(
        {
            "Runs": by_level.size(),
            "Requests": recorded.calls.groupby(factor, observed=True).size(),
            **_outcomes(recorded, factor),
            "Noisy runs": by_level["noisy"].agg(lambda reasons: int((reasons != "").sum())),
        }
    )
    odd = {
        "failed runs": recorded.failed,
        "skipped settings": recorded.skipped,
        "impossible records": recorded.warnings,
        "cut records set aside": recorded.truncated,
        "noisy runs": tuple(f"{run}: {why}" for run, why in recorded.runs[["run", "noisy"]].to_numpy() if why),
    }
    return table(rows, "The runs behind this report", note=oddities(odd))


def oddities(odd: Mapping[str, Sequence[str]]) -> str:
    """Count what was odd, by kind, and quote the first of each; settings that were skipped only if there are any."""
    counts = ", ".join(f"{len(items)} {name}" for name, items in odd.items() if items or name != "skipped settings")
    quotes = [
        f"{name}: {'; '.join(items[:SHOWN])}{' …' if len(items) > SHOWN else ''}"
        for name, items in odd.items()
        if items
    ]
    return ". ".join([counts, *quotes]) + "."


def _outcomes(recorded: Recording, factor: str | list[str]) -> dict[str, pd.Series]:
    """Count the calls of each outcome that occurred, as the client saw it, by level; success comes first."""
    by = [factor] if isinstance(factor, str) else factor
    counts = recorded.calls.groupby([*by, "outcome"], observed=True).size().unstack(fill_value=0)
    known = [*OUTCOMES, *(outcome for outcome in map(str, counts) if outcome not in OUTCOMES)]
    return {outcome[:1].upper() + outcome[1:]: counts[outcome] for outcome in known if outcome in counts}


def host_table(recorded: Recording, judged: Iterable[Verdict] = ()) -> Table:
    """Show the machine and the versions of the last run, and which of the rules that judge are younger than the runs,
    if these tell."""
    host = recorded.host
    ids = {verdict.finding.id for verdict in judged}
    libraries = [name.removesuffix(".jar") for name in host["libraries"]]
    interesting = (
        "tomcat-embed-core", "jaxws-rt", "hibernate-core", "hibernate-jcache", "ehcache", "h2", "mariadb-java-client",
        "reload4j", "catalina", "hibernate-annotations", "mysql-connector-java", "perf4j",
        "glassfish-embedded-all", "openejb-core", "axis2-kernel", "axis2-transport-http",
        "commons-httpclient", "synapse-core",
        "camel-core", "camel-main", "haproxy", "cxf-rt-ws-rm", "jacorb",
    )  # fmt: skip
    rows = {
        "Processor": f"{host['cpu']}, {host['cores']} cores",
        "Memory": f"{host['memory_bytes'] / 2**30:.1f} GiB",
        "System": f"{host['system']} ({host['machine']})",
        "Java": host["java"],
        "Server": ", ".join(name for name in libraries if re.split(r"-\d", name, maxsplit=1)[0] in interesting),
        **({"Machines": "; ".join(host["parties"])} if host.get("parties") else {}),
        **({"Experiment and rules": host["rules"].said(ids)} if host.get("rules") else {}),
        **({"Databases": ", ".join(recorded.databases)} if recorded.databases else {}),
        "Python": f"{host['python']}; " + ", ".join(f"{name} {version}" for name, version in host["packages"].items()),
    }
    return table(pd.DataFrame({"Value": rows}).rename_axis("Host"), f"The machine that measured {host['experiment']}")
