"""Recordings of the AAA study's sequences made by hand, whose times at each party a test can say beforehand."""

from dataclasses import replace

import numpy as np
import pandas as pd

from made.aaa import made
from perfstudies.runs.recording import Recording
from perfstudies.studies.aaa import declared as aaa

AT_MS = {
    "agent": {"at_aaa_ms": 4.0, "at_equipment_ms": 1.0, "between_ms": 5.0},
    "pull": {"at_aaa_ms": 2.0, "at_equipment_ms": 2.0, "between_ms": 4.0},
    "push": {"at_aaa_ms": 3.0, "at_equipment_ms": 2.0, "between_ms": 10.0},
    "roaming": {"at_aaa_ms": 4.0, "at_provider_ms": 4.0, "at_equipment_ms": 1.0, "between_ms": 11.0},
}
"""Time at each party; a sequence's total time is their sum."""
PAIRS = {
    "agent": ("user>aaa", "aaa>equipment", "equipment>aaa", "aaa>user"),
    "pull": ("user>equipment", "equipment>aaa", "aaa>equipment", "equipment>user"),
    "push": ("user>aaa", "aaa>user", "user>equipment", "equipment>user"),
    "roaming": (
        "user>aaa", "aaa>provider", "provider>equipment", "equipment>provider", "provider>aaa", "aaa>user",
    ),
}  # fmt: skip
RIGHT = {
    "ticket_expired": "TicketExpired",
    "ticket_tampered": "TicketTampered",
    "ticket_replayed": "TicketReplayed",
}


def sequences(blocks: int = 10, requests: int = 40, levels=tuple(AT_MS), spread: float = 0.02) -> Recording:
    """Return a recording in which a run's times vary by a factor of their own, and the tickets are refused rightly."""
    recorded = made(
        aaa.SEQUENCES.select(sequence=levels), blocks=blocks, requests=requests, clients=1, scale=1,
        facts=lambda setting: {f"messages {pair}": 1.0 for pair in PAIRS[setting["sequence"]]} | RIGHT,
    )  # fmt: skip
    rng = np.random.default_rng(2)
    factor = dict(zip(recorded.runs["run"], rng.normal(1, spread, len(recorded.runs)), strict=True))
    samples, calls = (
        frame.assign(total_ms=frame["sequence"].astype(str).map(lambda one: sum(AT_MS[one].values()))
                     * frame["run"].map(factor))
        for frame in (recorded.samples, recorded.calls)
    )  # fmt: skip
    at = pd.DataFrame([AT_MS[one] for one in samples["sequence"]], index=samples.index)
    at = at.mul(samples["run"].map(factor), axis=0)
    return replace(recorded, samples=samples.assign(**at), calls=calls)
