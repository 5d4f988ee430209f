import pytest

from made.settings import recording
from perfstudies.studies.step.analysis import caches, link
from perfstudies.studies.step.declared import CACHES_AND_NETWORKS

BANDWIDTH = {"100mbit": 94.4, "10mbit": 7.3}
MOVED_KB, DELAY_MS, LOCAL_MS = 500.0, 20.0, 200.0
STATEMENTS, SPARED, HITS = 40, 8, 30


def _link_ms(database):
    return DELAY_MS + MOVED_KB * 8 / BANDWIDTH[database] if database in BANDWIDTH else 0.0


def _time_ms(setting):
    # Requests take 1, 2 and 3 times this, so their mean is twice it.
    return (LOCAL_MS - (5 if setting["cache"] == "read-only" else 0) + _link_ms(setting["database"])) / 2


def _facts(setting):
    cached = setting["cache"] == "read-only"
    counters = dict.fromkeys(link.COUNTERS, 0) | {
        "prepared_statements": 3 * (STATEMENTS - SPARED * cached),
        "second_level_hits": 3 * HITS * cached,
        "second_level_misses": 3 * 10 * cached,
    }
    return counters | {link.BANDWIDTH: BANDWIDTH.get(setting["database"], float("nan"))}


@pytest.fixture(scope="module")
def runs():
    made = recording(CACHES_AND_NETWORKS, _time_ms, spread=1e-4, facts=_facts)
    return link.per_request(caches.configured(made))


def _value(cell):
    return float(cell.split(" ")[0].replace(",", ""))


def test_counters_are_those_of_a_measured_request(runs):
    table = link.counters_table(runs)
    assert table.loc["Local DB", "Statements"] == "40.0 ± 0.0"
    assert table.loc["Local DB, w r-only cache", "Statements"] == "32.0 ± 0.0"
    assert table.loc["Local DB, w r-only cache", "Answered by the cache (%)"] == "75.0 ± 0.0"
    assert table.loc["Local DB", "Answered by the cache (%)"] == "–"


def test_a_cache_that_was_never_asked_is_told(runs):
    said = link.consulted(runs)
    assert "Local DB, w r-only cache in 12 of 12 runs" in said
    assert "Local DB, w r-w cache in 0 of 12 runs" in said


def test_what_a_cache_spares_is_compared_with_the_same_database(runs):
    table = link.spared(runs)
    row = table.loc["10 Mbit LAN DB, w r-only cache"]
    assert _value(row["Statements spared"]) == SPARED
    assert _value(row["Time spared (ms)"]) == pytest.approx(5, abs=0.3)
    assert _value(table.loc["Local DB, w r-w cache", "Time spared (ms)"].replace("-", "")) == pytest.approx(0, abs=0.3)


def test_bytes_and_delay_of_a_link_are_found_again(runs):
    found = link.added(runs)
    assert set(found["database"]) == {"100mbit", "10mbit"}
    slow = found[(found["database"] == "10mbit") & (found["cache"] == "none")]
    assert slow["added_ms"].mean() == pytest.approx(_link_ms("10mbit"), rel=0.01)
    assert slow["share"].mean() == pytest.approx(100 * _link_ms("10mbit") / (LOCAL_MS + _link_ms("10mbit")), rel=0.01)
    assert slow["kb"].mean() == pytest.approx(MOVED_KB + DELAY_MS * 7.3 / 8, rel=0.01)
    table = link.split_table(link.split(found))
    assert table.index.tolist() == ["no cache", "r-only cache", "r-w cache"]
    assert _value(table.loc["no cache", "Moved a request (10³ bytes)"]) == pytest.approx(MOVED_KB, rel=0.01)
    assert _value(table.loc["no cache", "Delay a request (ms)"]) == pytest.approx(DELAY_MS, rel=0.02)
    assert "100 Mbit LAN DB, no cache" in link.added_table(found).index


def test_without_links_the_tables_are_empty_but_have_their_columns():
    made = recording(
        CACHES_AND_NETWORKS,
        lambda setting: 100.0 if setting["database"] == "h2" else None,
        facts=lambda setting: dict.fromkeys(link.COUNTERS, 0),
    )
    runs = link.per_request(caches.configured(made))
    found = link.added(runs)
    assert found.empty
    assert link.added_table(found).index.tolist() == ["None measured"]
    assert list(link.split_table(link.split(found)).columns)[0] == "Moved a request (10³ bytes)"


def test_one_link_alone_cannot_be_split(runs):
    assert link.split(link.added(runs[runs["database"] != "100mbit"])).empty
