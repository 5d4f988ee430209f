"""Recorded runs that something disturbed, and were not measured again."""

NOISY = {
    "step/users": 3,
    "step/logging-parts": 3,
    "step/slow-server": 2,
    "step/sizes-again": 1,
    "esb/throughput": 4,
    "esb/reliable-faults": 7,
    "esb/clients": 2,
    "esb/client-connections": 3,
    "corba/dispatchers": 19,
    "corba/rates": 1,
}
"""How many there are of an experiment; of all others none."""


def noisy(run) -> bool:
    """Whether a run's own manifest says so."""
    return bool(run.manifest["noise"]["reasons"])
