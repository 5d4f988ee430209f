"""The AAA study's claims on overload, on what it left open and on what matters most, with the regions that decide.

Regions follow from the study's own numbers, or from a stated convention; a rule that is younger than its data says so.
"""

from __future__ import annotations

from math import inf, log2

from perfstudies.studies.aaa.base import claim

SAME = 1.1
"""Response times that differ by less than 10 % either way count as the same: the study reads its own from charts."""

GROWS = log2(1.1)
"""Exponent of a quantity that grows by 10 % with each doubling; less counts as no growth."""

HELD = 8000
"""Requests at the same time that the study says its server processes (section 7)."""


OVERLOAD_FINDINGS = (
    claim(
        "A13", "Section 7", "The server processes 8,000 requests at the same time, if the timer is 1.",
        "Whether all requests of a burst of 8,000 are answered, in more than half of the runs. Before exact tests of "
        "counts: the mean number of answers, 8,000.",
        "at least 8,000", 50, inf, "% of runs", scale="runs",
    ),
    claim(
        "A13-stands", "Section 7", "Such attacks do not crash it.",
        "Requests answered when they come one after the other once a block's bursts are over, of every size; all but "
        "one in a hundred.", "not crashed", 99, inf, "%", kind="direction", scale="percent",
    ),
    claim(
        "A13-database", "Section 5.4", "Under attack the connection to the database is lost in some cases.",
        "Blocks in which a request of a burst ends with a fault of the policy repository, which asks MariaDB over TCP "
        "and whose connections nobody cuts: any. An earlier rule took none in all runs for a refutation, a later one "
        "left it open.", "some cases", 0.01, inf, "%", kind="direction", scale="runs",
        untestable="no number of blocks without such a fault can contradict that there are some cases",
    ),
    claim(
        "A13-timeouts", "Section 5.4", "In other cases there are only time-outs of HTTP connections.",
        "Requests that timed out, as a share of those not answered in a block's bursts on MariaDB whose connections "
        "nobody cuts; blocks in which all were answered have no value. Nine of ten count as only.",
        "only", 90, inf, "%", scale="percent",
    ),
    claim(
        "A16-burst", "Section 5.4", "Time-outs go on when a server that was full has room again.",
        "Requests that time out when they come one after the other after such a burst that had all HTTP threads busy; "
        "one in a hundred is a low bar for going on. Bursts without a time-out have no value, as nothing could go on.",
        "remained", 1, inf, "%", kind="mechanism", scale="percent",
    ),
)  # fmt: skip

BY_LITTLE = (
    "clients that never pause keep the processors busy, and then wait and queue in proportion to their number by "
    "Little's law, whatever the server does"
)

QUESTION_FINDINGS = (
    claim(
        "A14", "Section 6.4", "Session beans perform more than twice as well as entity beans.",
        "Requests a second with the session bean over those with the entity bean, within a block.",
        "more than 2", 2, inf, "ratio", scale="log",
    ),
    claim(
        "A14-repository", "Section 6.4", "The same for the access to the database alone.",
        "Time in the policy repository with the entity bean over that with the session bean, within a block.",
        "none given", 2, inf, "ratio", scale="log", apart="our reading: the study says nothing of the database alone",
    ),
    claim(
        "A18-times", "Section 6.3", "More clients at the same time mean longer response times.",
        "Exponent of mean total time over the number of clients, from 4 on; 10 % more for each doubling (0.138) is "
        "the least that counts.",
        "longer", GROWS, inf, "", kind="direction", untestable=BY_LITTLE,
    ),
    claim(
        "A18-queues", "Section 6.3", "More clients at the same time mean longer queues in the server.",
        "The same exponent of the mean number of requests that a request finds in the server, itself included.",
        "longer", GROWS, inf, "", kind="direction", untestable=BY_LITTLE,
    ),
    claim(
        "A7", "Section 5.3.3", "Of all parameters the timer has the greatest effect on EJB time.",
        "Of a block's sixteen points: the timer's effect on the logarithm of mean EJB time over the largest of the "
        "other six parameters' effects, without signs.",
        "greatest", 1, inf, "ratio", kind="direction", scale="log",
    ),
    claim(
        "A7-total", "Section 5.3.3", "It has the greatest effect on performance too (here: total time).",
        "The same for mean total time.", "greatest", 1, inf, "ratio", kind="direction", scale="log",
    ),
    claim(
        "A7-throughput", "Section 5.3.3", "It has the greatest effect on performance too (here: requests a second).",
        "The same for requests a second.", "greatest", 1, inf, "ratio", kind="direction", scale="log",
    ),
)  # fmt: skip
