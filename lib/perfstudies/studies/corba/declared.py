"""What the CORBA study measures live, on a real broker.

The study is Harkema, Gijsen and van der Mei, "Performance of Middleware Based Architectures: A Quantitative Approach".
Properties:

- ``dispatchers``: threads of the server's pool;
- ``gap_ms``: the mean time between arrivals, which are a Poisson process;
- ``demand_ms``: CPU time that the target object uses for a request;
- ``looks``: how often the target object looks at its thread's processor time, ``constant`` (the default) or ``few``;
- ``connections``: over how many connections they come, each with a receiver thread in the server.
"""

from __future__ import annotations

from perfstudies.experiment import Experiment, Factor, Size
from perfstudies.publication import Publication

PUBLICATION = Publication(
    "corba",
    "CORBA",
    "Performance of Middleware Based Architectures: A Quantitative Approach",
    "M. Harkema, B. M. M. Gijsen and R. D. van der Mei",
    "2004",
    "How an object broker's thread pool shares one processor, measured and predicted by models.",
)

CLIENT_RECORD, SERVER_RECORD = "client.csv.xz", "server.csv.xz"

POOL_SIZES = ("1", "2", "4", "6", "8", "10", "15", "20", "25")
"""The rows of Table 1."""

FEW_SIZES = ("1", "4", "25")
"""Sizes that the study's findings compare."""

WAYS_TO_LOOK = ("constant", "few")
"""How often the target object looks at its thread's processor time."""

RATE_LEVELS = ("40", "80", "100", "120", "140", "160", "175")
"""Requests a second, up to nearly as many as one processor serves."""


def _poisson(
    name: str, title: str, factors: tuple[Factor, ...], fixed: dict[str, str], quick: dict, requests: int
) -> Experiment:
    """Declare an experiment with the target and the connection of the study's section 3.2; all of them load alike."""
    return Experiment(
        "corba",
        name,
        title,
        "orb",
        "Poisson arrivals over one connection",
        factors,
        fixed={**fixed, "demand_ms": "5", "connections": "1"},
        procedure="poisson",
        sizes={
            "smoke": Size(blocks=1, requests=50),
            "quick": Size(blocks=2, requests=500, levels=quick),
            "standard": Size(blocks=10, requests=requests),
            "full": Size(blocks=10, requests=15000),
        },
    )


DISPATCHERS = _poisson(
    "dispatchers",
    "What does the number of dispatcher threads change?",
    (Factor("dispatchers", POOL_SIZES, POOL_SIZES),),
    {"gap_ms": "10"},
    {"dispatchers": ("1", "2", "4", "10", "25")},
    3000,
)

RATES = _poisson(
    "rates",
    "How does the response time grow with the arrival rate?",
    (
        Factor(
            "rate",
            RATE_LEVELS,
            tuple(f"{rate}/s" for rate in RATE_LEVELS),
            {rate: {"gap_ms": f"{1000 / int(rate):.6g}"} for rate in RATE_LEVELS},
        ),
    ),
    # The pool of section 3.2.
    {"dispatchers": "10"},
    {"rate": ("40", "100", "120", "160")},
    2000,
)

LOOKS = _poisson(
    "looks",
    "Do calls into the kernel decide how finely threads share a processor?",
    (Factor("looks", WAYS_TO_LOOK, ("All the time", "A few times")), Factor("dispatchers", FEW_SIZES, FEW_SIZES)),
    {"gap_ms": "10"},
    {"looks": ("few",)},
    2000,
)

EXPERIMENTS = (DISPATCHERS, RATES, LOOKS)
