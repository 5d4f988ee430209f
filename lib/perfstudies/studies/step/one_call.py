"""One search of flights, in full, against a fresh deployment of the Flight Web Service."""

from __future__ import annotations

import gzip
import inspect
from pathlib import Path

from perfstudies.load.soap import KeepingTransport, connect
from perfstudies.one_call import OneCall
from perfstudies.studies.step import collect
from perfstudies.studies.step.bench import fresh_database, with_a_database
from perfstudies.studies.step.factors import STORES
from perfstudies.studies.step.server import flight, flight_images, generations
from perfstudies.studies.step.settings import RunSettings
from perfstudies.studies.step.workload import flight_data, flight_load

TIMEOUT_S = 60
build = flight_images.build


def search_flights(wsdl: str, depart: str, arrive: str) -> KeepingTransport:
    """Call the service once through zeep; the transport keeps what was sent and received."""
    client = connect(wsdl, TIMEOUT_S, KeepingTransport)
    client.service.searchFlights(depart=depart, arrive=arrive)
    return client.transport


def make(folder: Path) -> OneCall:
    """Start the service, call it once, and return what that was."""
    data = flight_data.generate()
    wanted = RunSettings.of_properties({"generation": "2009", "database": "mariadb", "monitor": "layer"})
    settings = with_a_database(wanted)
    generation = generations.named(settings.generation)
    load = flight_load.study_load("SizeMedium")
    first = next(flight_load.sessions(load, data, load.seed(0), 1))
    with (
        fresh_database(settings, folder, data) as database,
        flight.start(folder, database, settings.service, generation=generation) as service,
    ):
        transport = search_flights(service.wsdl, **first.arguments)
        service.close()
    collect.monitor_log("layer", folder / flight.MONITOR_FOLDER, folder)
    with gzip.open(folder / collect.MONITOR_LOG, "rt", encoding="utf-8") as log:
        monitor = log.read()
    return OneCall(
        "A search of flights, sent by zeep to the Flight Web Service on the libraries of 2009 (JAX-WS 2.1, Hibernate "
        f"3.3) and {STORES.label(settings.database)}.",
        inspect.getsource(search_flights),
        transport.sent,
        transport.received,
        {collect.MONITOR_LOG.removesuffix(".gz"): monitor},
        build(),
    )
