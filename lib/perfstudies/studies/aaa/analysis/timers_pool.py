"""How many beans timer requests need, and what a pool that has fewer must do to them: a hypothesis in numbers.

Little's law: requests that come at a rate and each keep a bean for a time have, in the mean, rate times time beans
busy. A pool that strictly has fewer must let requests wait without end, or fail a share of them.

`served` follows each request of a run through such a server, first come first served, with nothing random in it: what
it says is what the pool alone must do.

Source: J. D. C. Little, "A proof for the queuing formula L = λW", Operations Research 9, 1961.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
import pandas as pd

from perfstudies.experiment import Experiment
from perfstudies.report.settings import SETTING
from perfstudies.runs.recording import Recording
from perfstudies.stats.occupancy import occupancy
from perfstudies.studies.aaa.analysis.scale import used_ms
from perfstudies.studies.aaa.analysis.timers import ANSWERED, EJB, HTTP


@dataclass(frozen=True)
class Demand:
    """What a setting asks of its server, with times in ms as they were really used.

    Attributes
    ----------
    clients, starts : int
        How many clients send, and the requests of each.
    gap_ms, hold_ms : float
        Between starts of one client, and how long a request keeps its bean: timer times time unit.
    beans : float
        At most busy at the same time; infinite if the container's pool is no such limit.
    threads : float
        HTTP threads: requests that are in the server at the same time.
    patience_ms, ttl_ms : float
        How long the container lets a request wait for a bean, and a client for its answer.
    """

    clients: int
    starts: int
    gap_ms: float
    hold_ms: float
    beans: float
    threads: float
    patience_ms: float
    ttl_ms: float

    @property
    def needed(self) -> float:
        """Beans that are busy in the mean if none has to wait, in the long run."""
        return self.clients * self.hold_ms / self.gap_ms

    @property
    def lost_in_the_long_run(self) -> float:
        """Share of requests that a pool of `beans` must fail, if clients wait for ever."""
        return max(0.0, 1 - self.beans / self.needed)


def demands(recorded: Recording, experiment: Experiment) -> dict[str, Demand]:
    """Return what each run's setting asks of its server, by run."""
    factors = [factor.name for factor in experiment.factors]
    levels: dict = recorded.runs.set_index("run")[factors].astype(str).to_dict("index")
    found = {}
    used = recorded.runs.assign(**{column: used_ms(recorded.runs, column) for column in ("gap_ms", "ttl_ms")})
    for run in used.to_dict("records"):
        given = experiment.properties(levels[run["run"]])
        clients, strict = int(given["clients"]), given["container"] == "openejb"
        found[run["run"]] = Demand(
            clients=clients,
            starts=round(run["requests_sent"] / clients),
            gap_ms=run["gap_ms"],
            hold_ms=int(given["timer"]) * run["unit_ms"],
            beans=int(given["ejb.max"]) if strict else inf,
            threads=int(given["http.threads"]),
            patience_ms=float(given["ejb.access_timeout_ms"]) / run["time_scale"] if strict else inf,
            ttl_ms=run["ttl_ms"],
        )
    return found


def served(demand: Demand) -> pd.DataFrame:
    """Follow a run's requests through a server with strict limits, first come first served.

    Clients start together. A request waits for an HTTP thread, then for a bean, but not longer than the container's
    patience; a client that gives up takes nothing back, as HTTP has no way to say so.

    Returns
    -------
    DataFrame
        A row a request in the order of arrival: ``client``, ``number``, ``start_ms``, ``bean_ms`` (when it got its
        bean; missing if never), ``left_ms`` (when the server was done with it), ``layer`` as its client sees it.
    """
    rows: list = []
    threads: list[float] = []
    beans: list[float] = []
    for number in range(demand.starts):
        start = number * demand.gap_ms
        for client in range(demand.clients):
            enter = start if len(threads) < demand.threads else max(start, heapq.heappop(threads))
            bean = enter if len(beans) < demand.beans else max(enter, beans[0])
            if bean - enter > demand.patience_ms:
                bean, left = np.nan, enter + demand.patience_ms
            else:
                left = bean + demand.hold_ms
                if len(beans) >= demand.beans:
                    heapq.heappop(beans)
                heapq.heappush(beans, left)
            heapq.heappush(threads, left)
            answered = EJB if np.isnan(bean) else ANSWERED
            layer = HTTP if left - start > demand.ttl_ms else answered
            rows.append((client, number, start, bean, left, layer))
    return pd.DataFrame(rows, columns=["client", "number", "start_ms", "bean_ms", "left_ms", "layer"])


def in_beans(samples: pd.DataFrame) -> pd.DataFrame:
    """Return the requests that had a bean, with when: ``from_us`` and ``to_us`` after the run's start.

    How long a request had its bean is on the server's record. When it was over is taken for when the request left
    the servlet: writing the answer comes after the bean, and is well below a time unit.
    """
    part = samples[samples["asm_ms"].notna() & samples["entered_us"].notna()]
    end = part["entered_us"] + 1000 * part["servlet_ms"]
    return part.assign(from_us=end - 1000 * part["asm_ms"], to_us=end)


def run_busy(recorded: Recording, experiment: Experiment) -> pd.DataFrame:
    """Return a row a run: beans busy in the mean in the second half of the load, predicted and measured.

    Columns: ``run``, ``block``, ``setting``, ``needed``, ``pool``, ``long_run`` (share failed in percent by the pool
    alone), ``predicted_busy``, ``predicted_failed`` (%), ``predicted_first`` (number of the first failed, from 1),
    ``busy`` and ``failed`` (%) as measured.
    """
    per_run, beans = demands(recorded, experiment), in_beans(recorded.samples).groupby("run", observed=True)
    starts = recorded.calls.groupby("run", observed=True)["started_us"].agg(["min", "max"])
    failed = 100 * (recorded.calls["outcome"] != "ok").groupby(recorded.calls["run"], observed=True).mean()
    simulated: dict[Demand, tuple] = {}
    rows = []
    run: Any
    for run in recorded.runs.itertuples():
        demand = per_run[run.run]
        if demand not in simulated:
            simulated[demand] = _predict(demand)
        low, high = starts.loc[run.run, "min"], starts.loc[run.run, "max"]
        busy = 0.0
        if run.run in beans.groups:
            part = beans.get_group(run.run)
            busy = occupancy(part["from_us"], part["to_us"], (low + high) / 2, high)
        rows.append(
            {
                "run": run.run, "block": run.block, SETTING: getattr(run, SETTING), "needed": demand.needed,
                "pool": demand.beans, "long_run": 100 * demand.lost_in_the_long_run,
                **dict(zip(("predicted_busy", "predicted_failed", "predicted_first"), simulated[demand], strict=True)),
                "busy": busy, "failed": failed[run.run],
            }
        )  # fmt: skip
    found = pd.DataFrame(rows)
    return found.assign(**{SETTING: pd.Categorical(found[SETTING], recorded.runs[SETTING].cat.categories)})


def _predict(demand: Demand) -> tuple[float, float, float]:
    """Return busy beans in the second half of the load, the share failed in percent, and the first number failed."""
    run = served(demand)
    had = run[run["bean_ms"].notna()]
    last = run["start_ms"].max()
    busy = occupancy(had["bean_ms"], had["left_ms"], last / 2, last)
    lost = run[run["layer"] != ANSWERED]
    return busy, 100 * len(lost) / len(run), lost["number"].min() + 1 if len(lost) else np.nan
