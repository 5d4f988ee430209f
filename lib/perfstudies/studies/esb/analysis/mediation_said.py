"""What was found beyond passing messages on: computed sentences, each with its interval."""

from __future__ import annotations

import pandas as pd

from perfstudies.experiment import Experiment
from perfstudies.report.settings import at
from perfstudies.report.tables import interval_text
from perfstudies.runs.recording import Recording
from perfstudies.stats.growth import over_units
from perfstudies.stats.intervals import ratio_interval
from perfstudies.studies.esb.analysis import clients as esb_clients
from perfstudies.studies.esb.analysis.failures import failed_share, failed_text
from perfstudies.studies.esb.analysis.mediation import PROXY, ROUTE, measured_lengths, pairs
from perfstudies.studies.esb.analysis.mediation_cost import (
    FASTER,
    SLOWER,
    UNKNOWN,
    against_direct,
    between_engines,
    verdict,
)
from perfstudies.studies.esb.analysis.mediation_growth import last_exponent
from perfstudies.studies.esb.analysis.runs import labels

FOUND = "Found"
NOT_MEASURED = "Not measured."
ROUNDING = 1e-9
AGAINST_DIRECT = {
    FASTER: "gets through more than passing on",
    SLOWER: "costs throughput",
    UNKNOWN: "is not told apart from passing on",
}


def found_table(
    mediation: Recording, mediation_experiment: Experiment, clients: Recording, clients_experiment: Experiment
) -> pd.DataFrame:
    """Return what was found: a row a question, computed from the prepared recordings of both experiments."""
    rows = {
        **_costs(mediation, mediation_experiment),
        "Which engine is faster?": _engines(mediation, mediation_experiment),
        "How does the engine's processor time grow with length?": _growth(mediation, mediation_experiment),
        "What do more clients do?": _clients(clients, clients_experiment),
        "Do messages fail with more clients?": _failures(clients, clients_experiment),
    }
    found = pd.DataFrame({FOUND: {question: said or NOT_MEASURED for question, said in rows.items()}})
    return found.rename_axis("Question")


def _costs(recorded: Recording, experiment: Experiment) -> dict[str, str]:
    label, ratios, said = labels(experiment), against_direct(recorded), {}
    for proxy in recorded.runs[PROXY].cat.categories.drop("direct", errors="ignore"):
        parts = []
        for route in recorded.runs[ROUTE].cat.categories:
            if (route, proxy) in ratios.index:
                row = ratios.loc[(route, proxy)]
                ratio = _text(row)
                cost = AGAINST_DIRECT[verdict(row["low"], row["high"])]
                parts.append(f"{label(ROUTE, route)}: {ratio} of what passes through, {cost}")
        said[f"What does it cost: {label(PROXY, proxy)}?"] = _sentence(parts)
    return said


def _text(row: pd.Series, digits: int = 2) -> str:
    return interval_text(row["ratio"], row["low"], row["high"], digits)


def _sentence(parts: list[str]) -> str:
    return f"{'; '.join(parts)}." if parts else ""


def _engines(recorded: Recording, experiment: Experiment) -> str:
    label = labels(experiment)
    sorted_by: dict[str, list[str]] = {FASTER: [], SLOWER: [], UNKNOWN: []}
    for proxy, row in between_engines(recorded).iterrows():
        sorted_by[verdict(row["low"], row["high"])].append(f"{label(PROXY, proxy)} ({_text(row)})")
    heads = {FASTER: "Camel is faster at", SLOWER: "Camel is slower at", UNKNOWN: "both engines are not told apart at"}
    said = [f"{heads[kind]} {', '.join(found)}" for kind, found in sorted_by.items() if found]
    if not said:
        return ""
    said[0] = f"{said[0][:1].upper()}{said[0][1:]}"
    return f"{_sentence(said)} In brackets: messages/s through Camel over Synapse."


def _growth(recorded: Recording, experiment: Experiment) -> str:
    label, found = labels(experiment), {}
    if len(measured_lengths(recorded)) < 2:
        return ""
    for pair in pairs(recorded):
        slope = over_units(last_exponent(recorded, pair[ROUTE], pair[PROXY], "engine_us"))
        if slope.n:
            found[f"{label(PROXY, pair[PROXY])} through {label(ROUTE, pair[ROUTE])}"] = slope
    if not found:
        return ""
    longest = " to ".join(label("message_bytes", level) for level in measured_lengths(recorded)[-2:])
    texts = {name: interval_text(one.estimate, one.low, one.high) for name, one in found.items()}
    least, most = (pick(found, key=lambda name: found[name].estimate) for pick in (min, max))
    over = sum(one.low > 1 + ROUNDING for one in found.values())
    return (
        f"From {longest} its exponent is lowest for {least}, {texts[least]}, and highest for {most}, {texts[most]}; "
        f"{over} of {len(found)} grow faster than the length."
    )


def _clients(recorded: Recording, experiment: Experiment) -> str:
    label, said = labels(experiment), []
    for line in esb_clients.lines(recorded):
        part = esb_clients.answered(recorded, line)
        above, below = esb_clients.most_over_fewest(part, "per_s")
        if above.empty:
            continue
        rate = ratio_interval(above, below)
        text = interval_text(rate.estimate, rate.low, rate.high)
        said.append(f"{label(PROXY, line[PROXY])}, {label(ROUTE, line[ROUTE])}: {text}")
    if not said:
        return ""
    few, most = (pick(recorded.runs[esb_clients.CLIENTS]) for pick in (min, max))
    return f"Messages/s at {most:,} over {few:,} clients are {'; '.join(said)}."


def _failures(recorded: Recording, experiment: Experiment) -> str:
    label, said = labels(experiment), []
    for line in esb_clients.lines(recorded):
        first = esb_clients.first_failing(recorded, line)
        if first is not None:
            part = at(recorded.runs, line)
            share = 100 * failed_share(part[part[esb_clients.CLIENTS] == part[esb_clients.CLIENTS].max()]).mean()
            said.append(
                f"{label(PROXY, line[PROXY])}, {label(ROUTE, line[ROUTE])}: from {first:,} clients on, "
                f"{share:.3g} % at the most clients"
            )
    whole = failed_text(recorded.runs)
    return f"{whole[:1].upper()}{whole[1:]}. {_sentence(said)}".strip()
