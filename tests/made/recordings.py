"""Recordings made by hand as frames, whose every number a test can say beforehand."""

import pandas as pd

from made.runs import HOST
from perfstudies.runs.recording import Recording
from perfstudies.studies.step.factors import REMEDIES, USERS
from perfstudies.studies.step.logs.slices import SLICES
from perfstudies.studies.step.workload import flight_data, flight_load

SYSTEM = {"java": "17", "libraries": ["h2-2.5.jar"]}
STALE = "the service is not available: org.hibernate.StaleObjectStateException"


def recording(factor, samples, calls, runs) -> Recording:
    """Put frames into a recording, with the levels in the order of their declaration."""
    frames = [pd.DataFrame(rows) for rows in (samples, calls, runs)]
    frames = [frame.assign(**{factor.name: pd.Categorical(frame[factor.name], factor.levels)}) for frame in frames]
    frames[2] = frames[2].assign(noisy="")
    return Recording(*frames, (), (), (), (), HOST | SYSTEM)


def sample(run, block, factor, level, request, times_ms, **more) -> dict:
    """Return a request as the server's monitor saw it, with the times of its six slices."""
    return {
        "run": run, "block": block, factor.name: level, "request": request, "line": 1, "thread": 1,
        "operation": "searchFlights", "outcome": "ok", "request_length": 60, "response_length": 940,
        "request_ms": sum(times_ms), "measured": True,
    } | dict(zip(SLICES, times_ms, strict=True)) | more  # fmt: skip


def call(run, block, factor, level, user, request, sent_ns, ended_ns, **more) -> dict:
    """Return a request as its client saw it."""
    return {
        "run": run, "block": block, factor.name: level, "user": user, "session": request, "request": request,
        "operation": "searchFlights", "intended_ns": sent_ns, "sent_ns": sent_ns, "ended_ns": ended_ns, "outcome": "ok",
        "detail": "", "bytes_out": 1, "bytes_in": 1, "measured": True,
    } | more  # fmt: skip


def users(error_every, blocks=3, levels=USERS.levels, sessions=4) -> Recording:
    """Make the study's load for each number of users: mistakes as drawn; every n-th other request is stale."""
    load, data = flight_load.study_load("SizeMedium"), flight_data.generate()
    samples, calls, runs = [], [], []
    for block in range(blocks):
        for level in levels:
            run, count = f"b{block}-{level}", 0
            runs.append({"run": run, "block": block, USERS.name: level, "optimistic_failures": 0, "retries": 0})
            runs[-1]["deployment"] = levels.index(level) + 1
            for user in range(int(level)):
                for one in flight_load.sessions(load, data, load.seed(block, user), sessions):
                    outcome = {"operation": one.operation, "session": one.session}
                    if one.arguments.get("flightNumber", "").endswith(flight_load.MISTAKE):
                        outcome |= {"outcome": "application exception", "detail": "no flight (sic)"}
                    else:
                        count += 1
                        if error_every.get(level) and count % error_every[level] == 0:
                            outcome |= {"outcome": "system error", "detail": STALE}
                            runs[-1]["optimistic_failures"] += 1
                    at = one.request * 10**9
                    number = one.request
                    calls.append(call(run, block, USERS, level, user, number, at, at + 10**9, **outcome))
                    samples.append(sample(run, block, USERS, level, number, [float(level) * (1 + block / 100)] * 6))
    return recording(USERS, samples, calls, runs)


def remedies(errors, per_second, blocks=3, requests=20) -> Recording:
    """Make runs of each remedy in which so many of the requests are stale and so many a second are sent."""
    samples, calls, runs = [], [], []
    for block in range(blocks):
        for remedy, bad in errors.items():
            run = f"b{block}-{remedy}"
            retries = 2 * requests if remedy == "retry" else 0
            counted = {"optimistic_failures": bad + retries, "retries": retries}
            runs.append({"run": run, "block": block, REMEDIES.name: remedy} | counted)
            took = round(10**9 / per_second[remedy] * (1 + block / 100))
            for number in range(requests):
                outcome = {"outcome": "system error", "detail": STALE} if number < bad else {}
                at = number * took
                calls.append(call(run, block, REMEDIES, remedy, 0, number, at, at + took, **outcome))
                samples.append(sample(run, block, REMEDIES, remedy, number, [10.0] * 6))
    return recording(REMEDIES, samples, calls, runs)
