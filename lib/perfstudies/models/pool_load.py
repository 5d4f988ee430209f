"""How busy each part of a thread-pool model is, from its declaration alone; no part can do more than all the time."""

from __future__ import annotations

from perfstudies.errors import BadParameter
from perfstudies.models.thread_pool import Flow, ThreadPool


def utilisations(pool: ThreadPool) -> dict[str, float]:
    """Return the share of time that each part is busy, if it can keep up.

    Of threads and gates this counts only the work and the delays themselves, not the time for which they are held while
    waiting for a processor or for each other. So a part may be overloaded although its value is below 1; one with 1 or
    more is overloaded for certain.

    Returns
    -------
    dict
        Part, in words, to share of time.
    """
    found = {"processors": sum(_rate(flow) * _cpu_ms(pool, flow) for flow in pool.flows) / pool.processors}
    for number in range(pool.connections):
        rate = sum(_rate(flow) for flow in pool.flows if flow.connection == number)
        found[f"receiver of connection {number}"] = rate * pool.receiver_ms
    if pool.controller is not None:
        found["controller"] = sum(_rate(flow) for flow in pool.flows) * pool.controller.cpu_ms
    held = sum(_rate(flow) * _dispatcher_ms(pool, flow) for flow in pool.flows)
    found["dispatchers"] = held / pool.dispatchers
    for number, poa in enumerate(pool.poas):
        if poa.threads is not None:
            flows = [flow for flow in pool.flows if pool.servants[flow.servant].poa == number]
            held = sum(_rate(flow) * (_dispatcher_ms(pool, flow) - _second_ms(pool, flow)) for flow in flows)
            found[f"threads of POA {number}"] = held / poa.threads
    for number, servant in enumerate(pool.servants):
        if servant.threads is not None:
            rate = sum(_rate(flow) for flow in pool.flows if flow.servant == number)
            found[f"threads of servant {number}"] = rate * (servant.cpu_ms + servant.delay_ms) / servant.threads
    return found


def require_capacity(pool: ThreadPool) -> None:
    """Refuse a model in which requests would pile up for ever.

    Raises
    ------
    BadParameter
        If a part has a utilisation of 1 or more; the message names the busiest.
    """
    found = utilisations(pool)
    busiest = max(found, key=found.__getitem__)
    # Some sums that make exactly 1 are a little less in binary.
    if found[busiest] >= 1 - 1e-12:
        raise BadParameter(
            f"{busiest}: utilisation {found[busiest]:.3g}, so requests pile up without end and no mean exists. "
            "Lower the rates or the demands, add threads or processors, or state horizon_ms to watch it for that long."
        )


def _rate(flow: Flow) -> float:
    return flow.rate_per_s / 1000  # a millisecond


def _second_ms(pool: ThreadPool, flow: Flow) -> float:
    poa = pool.poas[pool.servants[flow.servant].poa]
    return poa.cpu_ms * (1 - poa.first_share)


def _dispatcher_ms(pool: ThreadPool, flow: Flow) -> float:
    servant = pool.servants[flow.servant]
    return pool.poas[servant.poa].cpu_ms + servant.cpu_ms + servant.delay_ms + servant.marshal_ms


def _cpu_ms(pool: ThreadPool, flow: Flow) -> float:
    controller_ms = 0.0 if pool.controller is None else pool.controller.cpu_ms
    return pool.receiver_ms + controller_ms + _dispatcher_ms(pool, flow) - pool.servants[flow.servant].delay_ms
