import pytest

from made.recordings import users
from perfstudies.errors import BadRecording
from perfstudies.studies.step.analysis import errors as step_errors
from perfstudies.studies.step.factors import HEAPS
from perfstudies.studies.step.findings_requests import STUDY_HEAP_MB
from perfstudies.studies.step.workload import flight_data, flight_load

LEVELS = ("1", "2", "4", "8", "16", "64")


@pytest.fixture(scope="module")
def recorded():
    return users({"2": 6, "4": 4, "8": 3, "16": 3, "64": 2}, levels=LEVELS)


def test_mistakes_are_drawn_again_from_the_seeds(recorded):
    found = step_errors.mistakes(recorded.calls)
    assert (found == (recorded.calls["outcome"] == "application exception")).all()
    load, data = flight_load.study_load("SizeMedium"), flight_data.generate()
    first = [
        one.arguments.get("flightNumber", "").endswith("(sic)")
        for one in flight_load.sessions(load, data, load.seed(2, 1), 4)
    ]
    calls = recorded.calls
    assert found[(calls["run"] == "b2-2") & (calls["user"] == 1)].tolist() == first


def test_calls_of_another_load_are_refused(recorded):
    calls = recorded.calls.assign(operation=recorded.calls["operation"].replace("searchFlights", "other"))
    with pytest.raises(BadRecording, match="not those that the load SizeMedium makes"):
        step_errors.mistakes(calls)


@pytest.mark.parametrize(
    "detail, kind",
    [
        ("the service is not available: org.hibernate.StaleObjectStateException", "StaleObjectStateException"),
        ("jakarta.persistence.OptimisticLockException: Row was changed", "OptimisticLockException"),
        ("the service is not available", "the service is not available"),
        ("", "no text"),
    ],
)
def test_errors_are_named_by_their_exception(detail, kind):
    assert step_errors.error_class(detail) == kind


@pytest.mark.parametrize(
    "outcome, detail, words",
    [
        ("ok", "", ""),
        ("system error", "the service is not available: java.lang.OutOfMemoryError", "fault, OutOfMemoryError"),
        ("system error", "Java heap space", "fault"),
        ("transport error", "ReadTimeout: HTTPConnectionPool: Read timed out.", "hung: no answer in time"),
        ("transport error", "TransportError: Server returned HTTP status 500 (no content available)", "HTTP 500"),
        ("transport error", "ConnectionError: Remote end closed connection", "no answer, ConnectionError"),
    ],
)
def test_a_failure_is_named_by_what_its_client_saw(outcome, detail, words):
    assert step_errors.failure(outcome, detail) == words


def test_the_heap_of_the_study_is_measured():
    assert str(STUDY_HEAP_MB) in HEAPS.levels
