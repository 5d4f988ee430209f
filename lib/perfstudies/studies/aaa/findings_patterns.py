"""The AAA study's claims on patterns in response times, on the pools and on the gap, with the regions that decide.

Regions follow from the study's own numbers, or from a stated convention; a rule that is younger than its data says so.
"""

from __future__ import annotations

from math import inf, sqrt

from perfstudies.experiment import Finding
from perfstudies.studies.aaa.base import NEAR_PACE, claim
from perfstudies.studies.aaa.starts import START_REQUESTS

SAME = 1.1
"""Times that differ by less than 10 % either way count as the same: the study reads its own from charts."""

STABLE = SAME**2
"""What stays within 10 % either way of its middle counts as stable: its high end over its low end is at most this."""

FIRST_REQUESTS = 30
"""How long the study's peak is (section 5.3.1)."""

POOL = 32
"""Sessions that the study takes to be started during the peak (section 5.3.1)."""

PATTERNS = {"A4": 100, "A2": 150, "A3": 200}
"""Requests after which the study's patterns repeat themselves (sections 5.3.2, 5.2 and 5.3.1)."""


def _borders(published: int) -> tuple[float, float]:
    """Return the periods that are nearer to a published one than to the others, by ratio."""
    known = sorted(PATTERNS.values())
    at = known.index(published)
    above = sqrt(known[at + 1] / published) if at + 1 < len(known) else sqrt(published / known[at - 1])
    below = sqrt(published / known[at - 1]) if at else above
    return published / below, published * above


BORDERS = {name: _borders(period) for name, period in PATTERNS.items()}
"""For each of the `PATTERNS` the periods that count as it: up to the geometric middle between it and the next one."""

CORRELATED = 0.3
"""Cohen's border of a medium correlation (1988): one below it counts as none that a chart shows."""

FOLLOWS = 0.25
"""Total time that changes by less than a quarter of what EJB time changes by does not follow it."""


def _period(name: str, where: str, setting: str) -> Finding:
    low, high = BORDERS[name]
    return claim(
        f"{name}-period", where, f"{setting}, a pattern repeats itself in about {PATTERNS[name]} requests.",
        f"Clients whose EJB times have a period from {low:.0f} to {high:.0f} requests (nearer to this than to the "
        "study's other patterns) at 5 % against noise with the same memory, of that length itself and not of a part of "
        "it; one in twenty has by chance, half is the rule.",
        str(PATTERNS[name]), 50, inf, "%", scale="percent",
    )  # fmt: skip


_F8 = "Figures 7 and 8"
_DRAWN = "the study suspects such time units of another test (section 5.3.3), not of its Figures 7 and 8"
_NEAR_PACE = f"Runs whose times are divided by more than {NEAR_PACE} have no value"
_WAIT = "the study does not tell how much of EJB time was the timer's wait, and that decides: with most of it, as here,"
_RANGE = (
    f"the end of its highest 2.5 % over that of its lowest, without a client's first {START_REQUESTS} requests; 10 % "
    f"either way of the middle count as stable. {_NEAR_PACE}: there the server's own work, which is not "
    "divided, decides."
)

RESPONSE_FINDINGS = (
    claim(
        "A1-stable", _F8, "Total time is stable.",
        f"The moving average of total time, {_RANGE}", "stable", -inf, STABLE, "ratio", scale="log",
        untestable=f"{_WAIT} total time is stable; without the wait it is not (pools)",
    ),
    claim(
        "A1-moves", _F8, "EJB time rises and falls meanwhile.",
        "The same of EJB time: it moves if it is not stable in this sense.", "rises, then drops", STABLE, inf, "ratio",
        kind="direction", scale="log", untestable=f"{_WAIT} it does not; without the wait it moves by chance (pools)",
    ),
    claim(
        "A1-follows", _F8, "Total time stays the same when the EJB takes less time.",
        "Slope of total time over EJB time within a client's requests: 1 if total time follows, 0 if not; a quarter "
        "either way counts as 0.", "remains stable", -FOLLOWS, FOLLOWS, "ms/ms", kind="direction",
    ),
    claim(
        "A1-correlation", _F8, "So the two are not correlated.",
        "Our reading. Correlation of both within a client's requests; below 0.3 (Cohen's medium) counts as none.",
        "none given", -CORRELATED, CORRELATED, "",
    ),
    claim(
        "A1-drawn", _F8, "A time unit drawn anew for each request makes EJB time rise and fall.",
        "The rule of A1-moves, where units are exponential with the mean of the fixed ones. Set before these runs.",
        "none given", STABLE, inf, "ratio", kind="mechanism", scale="log", apart=_DRAWN,
    ),
    claim(
        "A1-drawn-stable", _F8, "Total time is stable meanwhile.",
        "The rule of A1-stable in the same runs. Set before them.",
        "stable", -inf, STABLE, "ratio", kind="mechanism", scale="log", apart=_DRAWN,
    ),
    claim(
        "A2-pattern", "Figure 8", "EJB times of every client have a repeating pattern.",
        "Clients whose EJB times have a period of 10 requests to a quarter of the run at 5 % against noise with the "
        "same memory; nine of ten count as every one.", "each test machine", 90, inf, "%", kind="direction",
        scale="percent",
    ),
    _period("A2", "Figure 8", "With 100 HTTP threads and a pool of 32"),
    claim(
        "A2-idle", "Figure 8",
        "A cause that the study did not name: the database pool's idle time-out of 300 s comes every 150 requests.",
        "Requests between two waits for the repository that take all clients 5 ms and more, by the clock, the median "
        "of a run, with the time-out scaled as the gap; 10 % either way. Drawn after five runs a setting, which are "
        "not among these.", "150", 150 / SAME, 150 * SAME, "requests", kind="mechanism", scale="log",
        apart="the cause is the lab's own, the study does not name it",
    ),
    claim(
        "A2-follows", "Figure 8", "The pattern follows the time-out: three times the time-out, three times the period.",
        "Requests between two such waits at 300 s over those at 100 s, within blocks; 10 % either way.",
        "none given", 3 / SAME, 3 * SAME, "ratio", kind="mechanism", scale="log",
    ),
    claim(
        "A2-without", "Figure 8", "Without an idle time-out there is no such pattern.",
        "The longest wait that all clients have in a run without a time-out, over the median of the waits at 100 s, "
        "within blocks; half is the most.", "none given", -inf, 0.5, "ratio", kind="mechanism", scale="log",
    ),
)  # fmt: skip

POOL_FINDINGS = (
    claim(
        "A3-stable", "Figure 9", "With 1000 HTTP threads EJB time is almost stable.",
        f"The moving average of EJB time, {_RANGE}", "almost stable", -inf, STABLE, "ratio", scale="log",
        untestable=f"{_WAIT} it is stable; without the wait it is not (pools)",
    ),
    _period("A3", "Figure 9", "With 1000 HTTP threads"),
    claim(
        "A3-peak", "Figure 9", "With 1000 HTTP threads EJB time has a peak of about 30 requests, when the pool starts.",
        "Median EJB time of a client's first 30 requests over that of its later ones; less than 10 % counts as no "
        "peak.", "highest for about 30", SAME, inf, "ratio", kind="direction", scale="log",
        untestable=f"{_WAIT} there is none; without the wait there is one (pools)",
    ),
    _period("A4", "Figure 10", "With a pool of 64"),
    claim(
        "A5-pool", "Figure 14", "The size of the EJB pool has no big impact on EJB time.",
        "EJB time with a pool of 64 over that with 32, within blocks; 10 % either way count as none.",
        "no big impact", 1 / SAME, SAME, "ratio", scale="log",
    ),
    claim(
        "A5-threads", "Figures 9 and 14",
        "The number of HTTP threads has a bigger impact on EJB time than the pool's size.",
        "The factor by which the threads change EJB time over the one by which the pool does, each without its "
        "direction, within blocks; at least 10 %.", "bigger", SAME, inf, "ratio", kind="direction", scale="log",
    ),
    claim(
        "A5-constant", "Figure 15", "With both raised the response time is constant.",
        f"The moving average of total time, {_RANGE}", "constant", -inf, STABLE, "ratio", scale="log",
        untestable=f"{_WAIT} it is; without the wait it is not (pools)",
    ),
    claim(
        "A6-peak", "Figure 9", "EJB time is highest when the server starts.",
        "Median EJB time of a client's first 30 requests to a new process over that of its later ones; less than 10 % "
        f"counts as no peak. {_NEAR_PACE}: requests come faster there than a new process compiles its code.",
        "highest for about 30", SAME, inf, "ratio", kind="direction", scale="log",
        untestable=f"{_WAIT} there is no peak; without the wait there is one (bean-start)",
    ),
    claim(
        "A6-sessions", "Figure 9",
        "The peak is the start of the EJB sessions: where they exist beforehand there is none.",
        "The height of the peak (as above) in a warm process whose pool starts empty, over that where 32 beans were "
        "made beforehand, within blocks; less than 10 % counts as no difference. "
        f"{_NEAR_PACE}.", "none given", SAME, inf, "ratio", kind="mechanism", scale="log",
    ),
    claim(
        "A6-count", "Figure 9", "During the peak the 32 sessions of the pool are started.",
        "Beans made while a client's first 30 requests to a new process are served, within a factor of 2 of the "
        "published.", "32", POOL / 2, POOL * 2, "beans",
    ),
    claim(
        "A17-ejb", "Section 4.4.2", "A gap of 1000 ms makes no difference to one of 2000 ms, for EJB time.",
        "EJB time with the shorter gap over that with the longer one, within blocks; 10 % either way count as none.",
        "did not react differently", 1 / SAME, SAME, "ratio", scale="log",
    ),
    claim(
        "A17-total", "Section 4.4.2", "A gap of 1000 ms makes no difference to one of 2000 ms, for total time.",
        "The same of total time.", "did not react differently", 1 / SAME, SAME, "ratio", scale="log",
    ),
    claim(
        "A17-failures", "Section 4.4.2", "With the shorter gap the server answers all requests too.",
        "Requests not answered with the shorter gap less those with the longer one; a point is the most.",
        "did not react differently", -inf, 1, "points",
    ),
)  # fmt: skip
