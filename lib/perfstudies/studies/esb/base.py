"""What the ESB study's loads share: the ways to the back end, and the properties that experiments vary.

Properties of a run, beside those of the engine's own process (`ENGINE_SETTINGS`):

- ``engine``: ``none`` (straight to the back end) or one of `perfstudies.studies.esb.server.engines.ENGINES`;
- ``proxy``: which of the engine's proxies;
- ``connections``: how many are open; under a closed load each sends its next message when its last is answered;
- ``message_bytes``: length of the whole SOAP envelope;
- ``rate``: messages a second of open arrivals; 0 is a closed load;
- ``seconds``: how long messages are sent, and ``messages``: at most how many on each connection, 0 for no limit;
- ``timeout_s``: how long a client waits for its answer;
- ``blocks_a_process``: how many blocks in a row share processes, or ``all``;
- ``open_files``: the engine's limit of open files; 0 is the machine's own;
- ``stall_s``: for how long the engine is stopped in the middle of the load.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from perfstudies.experiment import Experiment, Factor, Finding

RAW_LOG = "requests.bin"
RAW_KEPT = "requests.bin.xz"
INTERVALS = "intervals.csv.xz"
"""A run's whole log, the packed copy that the repository keeps of some, and the reduced one that it keeps of all."""

ENGINE_SETTINGS = ("transport", "threads", "streaming")
"""Properties that reach the engine, by its own names."""

ROUTES = {
    "direct": {"engine": "none"},
    "synapse": {"engine": "synapse", "transport": "passthru", "threads": "default"},
    "synapse-tuned": {"engine": "synapse", "transport": "passthru", "threads": "tuned"},
    "camel": {"engine": "camel", "streaming": "false", "threads": "default"},
    "camel-zero-copy": {"engine": "camel", "streaming": "true", "threads": "default"},
    "synapse-nhttp": {"engine": "synapse", "transport": "nhttp", "threads": "default"},
    "synapse-relay": {"engine": "synapse", "transport": "nhttp-relay", "threads": "default"},
    "synapse-2.1-relay": {"engine": "synapse-2.1", "transport": "nhttp-relay", "threads": "default"},
    "synapse-2.1-relay-tuned": {"engine": "synapse-2.1", "transport": "nhttp-relay", "threads": "tuned"},
    "camel-tuned": {"engine": "camel", "streaming": "false", "threads": "tuned"},
    "tcp-relay": {"engine": "haproxy-tcp"},
    "http-proxy": {"engine": "haproxy-http"},
}
"""The ways to the back end, and what each sets."""

ROUTE_LABELS = {
    "direct": "Direct",
    "synapse": "Synapse",
    "synapse-tuned": "Synapse, more threads",
    "camel": "Camel",
    "camel-zero-copy": "Camel, streaming",
    "synapse-nhttp": "Synapse, NHTTP",
    "synapse-relay": "Synapse, NHTTP with relay",
    "synapse-2.1-relay": "Synapse 2.1, NHTTP with relay",
    "synapse-2.1-relay-tuned": "Synapse 2.1, NHTTP with relay, more threads",
    "camel-tuned": "Camel, more threads",
    "tcp-relay": "TCP relay (HAProxy)",
    "http-proxy": "HTTP proxy (HAProxy)",
}

STANDARD_SETTINGS = {
    "proxy": "direct", "message_bytes": "780", "rate": "0", "messages": "0", "timeout_s": "30",
    "blocks_a_process": "all",
}  # fmt: skip
"""Those of the post: 780 bytes, passed through, each client one message after the other."""


def route(*levels: str) -> Factor:
    """Return the factor ``route`` with some of `ROUTES`."""
    labels = tuple(ROUTE_LABELS[level] for level in levels)
    return Factor("route", levels, labels, {level: ROUTES[level] for level in levels})


def declare(name: str, title: str, load: str, factors: tuple[Factor, ...], sizes: dict, **more: Any) -> Experiment:
    """Return an experiment of the study; arguments as of `Experiment`."""
    return Experiment("esb", name, title, "esb", load, factors, sizes=sizes, **more)


claim = partial(Finding, "esb")
"""Makes a finding of the study; arguments as of `Finding`."""
