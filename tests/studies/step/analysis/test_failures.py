import pytest

from perfstudies.studies.step.analysis.failures import failure
from perfstudies.studies.step.factors import HEAPS
from perfstudies.studies.step.findings_requests import STUDY_HEAP_MB


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
    assert failure(outcome, detail) == words


def test_the_heap_of_the_study_is_measured():
    assert str(STUDY_HEAP_MB) in HEAPS.levels
