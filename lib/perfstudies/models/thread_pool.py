"""The CORBA study's model of a server with a thread pool: what it is made of.

Requests come over connections. Each connection has a receiver thread and a buffer without limit. The receiver reads a
request, hands it over to the pool, cleans up (its second phase), and only then reads the next. Handing over means: into
the pool's queue, always, and then a signal to idle dispatchers. A dispatcher takes the head of the queue when it runs.
It passes the gate of the request's object adapter (POA) and does the first phase of the adapter's work, passes the gate
of the object (servant) and does its work, part of which needs no processor (a delay), marshals the reply, sends it, and
cleans up (the adapter's second phase). The servant is left after its work, the adapter when the reply is sent. All that
needs a processor competes for it under a scheduler (`perfstudies.models.schedulers`). Requests of a flow (an object,
over a connection) arrive as a Poisson process; demands are constant.

What the study leaves open is a named parameter here, with its reason.

Source: M. Harkema, B. M. M. Gijsen and R. D. van der Mei, "Performance of Middleware Based Architectures: A
Quantitative Approach", section 2.
"""

from __future__ import annotations

from dataclasses import dataclass

from perfstudies.errors import BadParameter, require_one_of
from perfstudies.models.schedulers import Scheduler, TimeSlices, compiled_rule
from perfstudies.models.values import at_least, not_negative, positive_number, share

SIGNALS = ("one", "all")
WAKE_ORDERS = ("longest idle", "last idle")
HAND_OVERS = ("queue", "direct")


def _threads(name: str, value: int | None) -> None:
    if value is not None:
        at_least(name, value, 1)


@dataclass(frozen=True)
class Poa:
    """An object adapter.

    Attributes
    ----------
    cpu_ms : float
        Processor time a request takes here, both phases (the study's b_poa).
    first_share : float
        How much of it comes before the servant; the rest comes after the reply. The study tells of a second phase but
        not how long it is. 1, the default, has none: the dispatcher is then released as soon as the reply is sent, as
        its section 2.2 says.
    threads : int or None
        How many requests may be in it at once; 1 is the single-threaded policy, None the multi-threaded one, which the
        Root-POA has.
    """

    cpu_ms: float = 0.0
    first_share: float = 1.0
    threads: int | None = None

    def __post_init__(self) -> None:
        not_negative("cpu_ms of a Poa", self.cpu_ms)
        share("first_share of a Poa", self.first_share)
        _threads("threads of a Poa", self.threads)


@dataclass(frozen=True)
class Servant:
    """An object.

    Attributes
    ----------
    cpu_ms : float
        Processor time of an invocation.
    delay_ms : float
        Its time without a processor: database, disk, waiting.
    marshal_ms : float
        Processor time to marshal and send the reply.
    poa : int
        Its adapter, by its number in `ThreadPool.poas`.
    threads : int or None
        How many invocations may run in it at once; None for any number.
    before_delay_share : float
        How much of `cpu_ms` comes before the delay. The study does not say; a half, as for a query in the middle of a
        method. It does not matter where there is no delay.
    """

    cpu_ms: float
    delay_ms: float = 0.0
    marshal_ms: float = 0.0
    poa: int = 0
    threads: int | None = None
    before_delay_share: float = 0.5

    def __post_init__(self) -> None:
        for name in ("cpu_ms", "delay_ms", "marshal_ms"):
            not_negative(f"{name} of a Servant", getattr(self, name))
        at_least("poa of a Servant", self.poa, 0)
        _threads("threads of a Servant", self.threads)
        share("before_delay_share of a Servant", self.before_delay_share)


@dataclass(frozen=True)
class Flow:
    """Poisson arrivals of requests for a servant over a connection, both by their numbers."""

    rate_per_s: float
    servant: int = 0
    connection: int = 0

    def __post_init__(self) -> None:
        positive_number("rate_per_s of a Flow", self.rate_per_s)
        at_least("servant of a Flow", self.servant, 0)
        at_least("connection of a Flow", self.connection, 0)


@dataclass(frozen=True)
class Controller:
    """A thread between receivers and dispatchers, as JacORB's RequestController; the study's ORB has none.

    Attributes
    ----------
    cpu_ms : float
        Processor time it takes a request.
    waits : bool
        Whether it holds its request until a dispatcher is idle, as JacORB's does, or queues it.
    """

    cpu_ms: float = 0.0
    waits: bool = True

    def __post_init__(self) -> None:
        not_negative("cpu_ms of a Controller", self.cpu_ms)


@dataclass(frozen=True)
class ThreadPool:
    """A server with a pool of dispatcher threads.

    Attributes
    ----------
    flows, servants, poas : tuple
        At least one each.
    dispatchers : int
        Threads in the pool.
    receiver_ms : float
        Processor time of a receiver a request, both phases (the study's b_rec).
    receiver_first_share : float
        How much of it comes before the request is handed over. The study tells of the second phase but not how long it
        is; 1 leaves it out.
    connections : int
        Each has its receiver.
    processors : int
    scheduler : Scheduler
    controller : Controller or None
    signals : {"one", "all"}
        Whom a request in the queue wakes: one idle dispatcher (Java's ``notify``) or all (``notifyAll``), who then find
        the queue empty but for one. The study says "idle dispatcher threads are signaled", which can mean both.
    wake_order : {"longest idle", "last idle"}
        Which idle dispatcher is woken first. The study does not say. In HotSpot, Java's later virtual machine, threads
        that wait for a monitor's signal are a queue.
    hand_over : {"queue", "direct"}
        "queue", as in the study: a request waits in the queue until a dispatcher runs and takes it, perhaps a busy one
        that ended before the woken one ran. "direct": an idle dispatcher is given it without the queue, and a
        dispatcher that ends is given the next at once, so that no other can be faster.
    """

    flows: tuple[Flow, ...]
    servants: tuple[Servant, ...]
    dispatchers: int
    receiver_ms: float = 0.0
    receiver_first_share: float = 1.0
    poas: tuple[Poa, ...] = (Poa(),)
    connections: int = 1
    processors: int = 1
    scheduler: Scheduler = TimeSlices()
    controller: Controller | None = None
    signals: str = "one"
    wake_order: str = "longest idle"
    hand_over: str = "queue"

    def __post_init__(self) -> None:
        for name, least in (("dispatchers", 1), ("connections", 1), ("processors", 1)):
            at_least(name, getattr(self, name), least)
        not_negative("receiver_ms", self.receiver_ms)
        share("receiver_first_share", self.receiver_first_share)
        compiled_rule(self.scheduler)
        choices = {"signals": SIGNALS, "wake_order": WAKE_ORDERS, "hand_over": HAND_OVERS}
        for name, allowed in choices.items():
            require_one_of(name, getattr(self, name), allowed)
        for name in ("flows", "servants", "poas"):
            if not getattr(self, name):
                raise BadParameter(f"a ThreadPool needs at least one of its {name}")
        for flow in self.flows:
            _known(flow, "servant", flow.servant, len(self.servants), "servants")
            _known(flow, "connection", flow.connection, self.connections, "connections")
        for servant in self.servants:
            _known(servant, "poa", servant.poa, len(self.poas), "poas")


def _known(owner: object, name: str, number: int, count: int, of: str) -> None:
    if number >= count:
        raise BadParameter(
            f"{name} = {number} of {owner}: there are {count} {of}, numbered from 0; add one or lower it"
        )
