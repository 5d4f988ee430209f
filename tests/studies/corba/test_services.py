"""The model on other services' recorded arrivals: demands and times are found again where a model made the records."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from perfstudies.errors import BadParameter
from perfstudies.models.pool_simulation import simulate_workload
from perfstudies.models.pool_workload import at_times
from perfstudies.models.thread_pool import Poa, Servant
from perfstudies.runs.recording import Recording
from perfstudies.studies.corba import services

OWN_MS = {"searchFlights": 30.0, "createSingleReservation": 20.0}


def _recording(calls=None, samples=None, runs=None) -> Recording:
    none = pd.DataFrame()
    given = [none if one is None else one for one in (samples, calls, runs)]
    return Recording(*given, (), (), (), (), {})


def _flight(beside_ms: float, levels=(1, 2, 8), blocks=4) -> Recording:
    """Return what users saw of a service that is the model, with work beside each request, at given arrivals."""
    operations = list(OWN_MS)
    poa = Poa(beside_ms, first_share=0.0)
    pool = services._machine([Servant(OWN_MS[name]) for name in operations], services.FLIGHT_THREADS, poa)
    rng, rows = np.random.default_rng(5), []
    for users in levels:
        for block in range(blocks):
            arrival_ms: np.ndarray = np.sort(rng.uniform(0, 6000 / users, 60))
            if users == 1:
                arrival_ms = 500.0 * np.arange(60)  # nobody waits for anybody
            servant = rng.integers(0, 2, 60)
            trace = simulate_workload(pool, at_times(pool, arrival_ms, servant))
            rows.append(
                pd.DataFrame(
                    {
                        "users": f"{users}", "block": block, "measured": True,
                        "operation": [operations[one] for one in servant],
                        "sent_ns": (arrival_ms * 1e6).astype(int) + 10**12,
                        "elapsed_ms": trace.replied_ms - arrival_ms,
                    }
                )
            )  # fmt: skip
    return _recording(calls=pd.concat(rows, ignore_index=True))


def test_work_beside_requests_is_found_from_two_users_and_predicts_eight():
    recorded = _flight(beside_ms=15.0)
    needs = services.flight_demands(recorded)
    assert needs.service_ms == pytest.approx(OWN_MS)
    assert needs.beside_ms == pytest.approx(15.0, abs=0.6)
    runs = services.flight(recorded, needs)
    eight = runs[runs["level"] == 8]
    assert eight[services.WITH_MORE].mean() == pytest.approx(eight["measured_ms"].mean(), rel=0.05)
    assert eight[services.ALONE].mean() < 0.8 * eight["measured_ms"].mean()


def test_a_service_without_work_beside_requests_gets_none():
    recorded = _flight(beside_ms=0.0)
    assert services.flight_demands(recorded).beside_ms == pytest.approx(0.0, abs=0.6)


def test_flight_demands_need_one_user_and_two():
    for levels, missing in (((2, 8), 1), ((1, 8), 2)):
        with pytest.raises(BadParameter, match=f"no run with users = {missing}"):
            services.flight_demands(_flight(0.0, levels, blocks=1))


NEEDS_MS = (0.3, 0.2)


def _agent(rates=(250, 3500), blocks=6) -> Recording:
    """Return what clients saw of a service that is the model together with them, and its processor times."""
    rng, samples, runs = np.random.default_rng(6), [], []
    pool = services._machine([Servant(sum(NEEDS_MS), delay_ms=10.0)], 100)
    for block in range(blocks):
        for position, threads in enumerate(("100", "1000")):
            requests = 0
            for rate in rates:
                count = int(rate * rng.uniform(0.5, 1.5))
                requests += count
                arrival_ms = np.sort(rng.uniform(0, 1000 * count / rate, count))
                trace = simulate_workload(pool, at_times(pool, arrival_ms))
                samples.append(
                    pd.DataFrame(
                        {
                            "http.threads": threads, "block": block, "phase": f"{rate}", "outcome": "ok",
                            "intended_us": arrival_ms * 1000, "asm_ms": 10.0,
                            "response_ms": trace.replied_ms - arrival_ms + 1.5,
                        }
                    )
                )  # fmt: skip
            # The first run of a process has started and compiled things.
            start_s = 8.0 if position == 0 else 3.0
            used_s = [start_s + ms * requests / 1000 for ms in NEEDS_MS]
            runs.append(
                {
                    "http.threads": threads, "block": block, "position": position, "requests_sent": requests,
                    "cpu_server_s": used_s[0], "cpu_client_s": used_s[1],
                }
            )  # fmt: skip
    return _recording(samples=pd.concat(samples, ignore_index=True), runs=pd.DataFrame(runs))


def test_what_starting_costs_is_no_demand_of_requests():
    recorded = _agent()
    needs = services.agent_demands(recorded)
    assert needs.server_ms.estimate == pytest.approx(0.3) and needs.client_ms.estimate == pytest.approx(0.2)
    assert needs.delay_ms == 10.0 and needs.way_ms == pytest.approx(1.5, abs=0.05)
    runs = services.agent(recorded, needs)
    assert runs.groupby("level").size().to_dict() == {250: 6, 3500: 6}, "with the study's own threads only"
    assert np.allclose(runs[services.WITH_CLIENTS], runs["measured_ms"], atol=0.1)
    busy = runs[runs["level"] == 3500]
    assert (busy[services.ALONE] < busy["measured_ms"] - 0.1).all()


def test_the_last_bits_of_a_demand_change_nothing():
    recorded = _agent(rates=(250, 6000), blocks=2)
    needs = services.agent_demands(recorded)
    other = replace(needs.server_ms, estimate=needs.server_ms.estimate * (1 + 1e-14))
    first, second = (services.agent(recorded, one) for one in (needs, replace(needs, server_ms=other)))
    pd.testing.assert_frame_equal(first, second, rtol=1e-9)


def test_agent_demands_need_a_calm_rate_and_runs_that_differ():
    recorded = _agent(blocks=1)
    with pytest.raises(BadParameter, match="no request was answered at 250 requests/s"):
        services.agent_demands(_recording(samples=recorded.samples.query("phase != '250'"), runs=recorded.runs))
    with pytest.raises(BadParameter, match="as many requests"):
        services.agent_demands(replace(recorded, runs=recorded.runs.assign(requests_sent=100)))
