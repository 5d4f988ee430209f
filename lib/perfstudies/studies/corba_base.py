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
from perfstudies.systems import orb

CLIENT_RECORD, SERVER_RECORD = "client.csv.xz", "server.csv.xz"

POOL_SIZES = ("1", "2", "4", "6", "8", "10", "15", "20", "25")
"""The rows of Table 1."""

FEW_SIZES = ("1", "4", "25")
"""Sizes that the study's findings compare."""

DISPATCHERS = Experiment(
    "corba",
    "dispatchers",
    "What does the number of dispatcher threads change?",
    "orb",
    "Poisson arrivals over one connection",
    (Factor("dispatchers", POOL_SIZES, POOL_SIZES),),
    # Section 3.2.
    fixed={"gap_ms": "10", "demand_ms": "5", "connections": "1"},
    procedure="poisson",
    sizes={
        "smoke": Size(blocks=1, requests=50),
        "quick": Size(blocks=2, requests=500, levels={"dispatchers": ("1", "2", "4", "10", "25")}),
        "standard": Size(blocks=10, requests=3000),
        "full": Size(blocks=10, requests=15000),
    },
)

RATES = Experiment(
    "corba",
    "rates",
    "How does the response time grow with the arrival rate?",
    "orb",
    "Poisson arrivals over one connection",
    (
        Factor(
            "rate",
            ("40", "80", "100", "120", "140", "160", "175"),
            ("40/s", "80/s", "100/s", "120/s", "140/s", "160/s", "175/s"),
            {rate: {"gap_ms": f"{1000 / int(rate):.6g}"} for rate in ("40", "80", "100", "120", "140", "160", "175")},
        ),
    ),
    # The pool of section 3.2.
    fixed={"dispatchers": "10", "demand_ms": "5", "connections": "1"},
    procedure="poisson",
    sizes={
        "smoke": Size(blocks=1, requests=50),
        "quick": Size(blocks=2, requests=500, levels={"rate": ("40", "100", "120", "160")}),
        "standard": Size(blocks=10, requests=2000),
        "full": Size(blocks=10, requests=15000),
    },
)

LOOKS = Experiment(
    "corba",
    "looks",
    "Do calls into the kernel decide how finely threads share a processor?",
    "orb",
    "Poisson arrivals over one connection",
    (Factor("looks", orb.LOOKS, ("All the time", "A few times")), Factor("dispatchers", FEW_SIZES, FEW_SIZES)),
    fixed={"gap_ms": "10", "demand_ms": "5", "connections": "1"},
    procedure="poisson",
    sizes={
        "smoke": Size(blocks=1, requests=50),
        "quick": Size(blocks=2, requests=500, levels={"looks": ("few",)}),
        "standard": Size(blocks=10, requests=2000),
        "full": Size(blocks=10, requests=15000),
    },
)

EXPERIMENTS = (DISPATCHERS, RATES, LOOKS)
