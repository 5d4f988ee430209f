"""What the CORBA study measures live, on a real broker.

The study is Harkema, Gijsen and van der Mei, "Performance of Middleware Based Architectures: A Quantitative Approach".
Properties:

- ``dispatchers``: threads of the server's pool;
- ``gap_ms``: the mean time between arrivals, which are a Poisson process;
- ``demand_ms``: CPU time that the target object uses for a request;
- ``receiver_demand_ms``: CPU time that a request costs its receiver before the hand-over, beside what the broker needs;
- ``wakes``: which idle dispatcher a request wakes, the one idle ``last`` (the default) or ``longest``;
- ``looks``: how often the target object looks at its thread's processor time, ``constant`` (the default) or ``few``;
- ``connections``: over how many connections they come, each with a receiver thread in the server;
- ``objects``: of each target object the name of its adapter (one in the Root-POA if not given); connections take
  objects in turn, as they do the numbers of ``demand_ms``;
- ``single``: adapters that take one request at a time;
- ``weights``: how many of the requests come over each connection, as numbers in proportion; all alike if not given.
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

WAYS_TO_WAKE = ("last", "longest")
"""Which idle dispatcher a request wakes. JacORB wakes the one that was idle last."""

STUDY_DEMANDS = {"gap_ms": "10", "receiver_demand_ms": "0.882", "demand_ms": "5.54"}
"""The study's: with what JacORB needs itself (0.043 ms in the receiver, 0.06 in a dispatcher, measured before) a
request costs its receiver the 0.925 ms and its dispatcher the 5.6 ms of section 3.2."""

RATE_LEVELS = ("40", "80", "100", "120", "140", "160", "175")
"""Requests a second, up to nearly as many as one processor serves."""


def _poisson(
    name: str,
    title: str,
    factors: tuple[Factor, ...],
    fixed: dict[str, str],
    quick: dict | None,
    requests: int,
    blocks: int = 10,
) -> Experiment:
    """Declare an experiment with the target and the connection of the study's section 3.2; all of them load alike.
    `quick` are the levels that this profile measures, if any."""
    return Experiment(
        "corba",
        name,
        title,
        "orb",
        "Poisson arrivals over one connection",
        factors,
        fixed={"demand_ms": "5", "connections": "1", **fixed},
        procedure="poisson",
        sizes={
            "smoke": Size(blocks=1, requests=50),
            **({} if quick is None else {"quick": Size(blocks=2, requests=200, levels=quick)}),
            "standard": Size(blocks=blocks, requests=requests),
            "full": Size(blocks=10, requests=15000),
        },
    )


DISPATCHERS = _poisson(
    "dispatchers",
    "What does the number of dispatcher threads change?",
    (Factor("dispatchers", POOL_SIZES, POOL_SIZES),),
    {"gap_ms": "10"},
    # Where demands are measured that others are predicted from (`live.CALIBRATED`).
    {"dispatchers": ("2", "10")},
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
    None,
    2000,
)

REQUESTS_OF_THE_STUDY = 15000
"""In each of its runs, of which there is one a row of Table 1."""

STUDY_LOAD = _poisson(
    "study-load",
    "What does the number of dispatcher threads change under the study's own load?",
    (Factor("dispatchers", POOL_SIZES, POOL_SIZES),),
    {**STUDY_DEMANDS, "looks": "few"},
    {"dispatchers": ("1", "4", "25")},
    REQUESTS_OF_THE_STUDY,
    # Ratios of response times differ by a hundredth from run to run, if runs are as long as the study's.
    blocks=3,
)

WATCHED_LOAD = _poisson(
    "watched-load",
    "What does it change if the target looks at its processor time all the while?",
    (Factor("dispatchers", POOL_SIZES, POOL_SIZES),),
    {**STUDY_DEMANDS, "looks": "constant"},
    {"dispatchers": ("1", "25")},
    REQUESTS_OF_THE_STUDY,
    blocks=3,
)

WAKING = _poisson(
    "waking",
    "Does it matter which idle dispatcher a request wakes?",
    (
        Factor("wakes", WAYS_TO_WAKE, ("The one idle last", "The one idle longest")),
        Factor("dispatchers", FEW_SIZES, FEW_SIZES),
    ),
    {**STUDY_DEMANDS, "looks": "few"},
    {"dispatchers": ("1", "25")},
    5000,
    blocks=6,
)

OBJECTS = ("front", "front", "back")
"""Adapters of the three objects that share a processor."""
OBJECT_DEMANDS_MS, OBJECT_WEIGHTS = (3.0, 8.0, 6.0), (2, 1, 1)
"""Processor time that a request for each takes, and how many requests come for it."""

ADAPTERS = _poisson(
    "adapters",
    "How do objects in several adapters share a processor?",
    (
        Factor(
            "single",
            ("none", "back"),
            ("Adapters take any number", "The one at the back takes one at a time"),
            {"none": {"single": ""}, "back": {"single": "back"}},
        ),
    ),
    {
        "dispatchers": "10",
        "gap_ms": "10",
        "looks": "few",
        "connections": str(len(OBJECTS)),
        "objects": ",".join(OBJECTS),
        "demand_ms": ",".join(f"{demand:g}" for demand in OBJECT_DEMANDS_MS),
        "weights": ",".join(map(str, OBJECT_WEIGHTS)),
    },
    None,
    3000,
)

EXPERIMENTS = (DISPATCHERS, RATES, LOOKS, STUDY_LOAD, WATCHED_LOAD, WAKING, ADAPTERS)
