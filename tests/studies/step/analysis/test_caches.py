import numpy as np
import pytest

from made.settings import SHARES, recording
from perfstudies.published import published_table
from perfstudies.report import tables
from perfstudies.report.settings import run_means, variance_table
from perfstudies.stats.verdicts import judge
from perfstudies.studies.step.analysis import caches as step_caches
from perfstudies.studies.step.declared import CACHES_AND_NETWORKS

CACHES = {"none": 1.0, "read-only": 1.0, "read-write": 1.1}
NETWORKS = {"h2": 0.5, "local": 1.0, "100mbit": 1.1, "10mbit": 3.0}
ROWS = [f"{database}{cache}" for database in ("Local DB", "100 Mbit LAN DB", "10 Mbit LAN DB")
        for cache in ("", ", w r-only cache", ", w r-w cache")]  # fmt: skip


def _as_claimed(setting):
    faster = 0.8 if setting == {"database": "10mbit", "cache": "read-only"} else 1.0
    return 100 * NETWORKS[setting["database"]] * CACHES[setting["cache"]] * faster


def _more_reads(setting):
    return (0.01, 0.05, 0.65, 0.14, 0.05, 0.1) if setting["cache"] == "read-write" else SHARES


def _made(time_ms=_as_claimed, **other):
    return step_caches.configured(recording(CACHES_AND_NETWORKS, time_ms, shares=_more_reads, **other))


def _only_h2(setting):
    return 100.0 if setting["database"] == "h2" else None


@pytest.fixture(scope="module")
def made():
    return _made()


def test_table_5_stands_beside_the_published_one_row_by_row(made):
    published, measured = step_caches.published_5(), step_caches.table_5(made.samples)
    assert published.index.tolist() == ROWS
    assert published.to_numpy().tolist() == published_table("step", 5).to_numpy().tolist()
    both = tables.beside(published, measured)
    assert both.index.tolist()[:9] == ROWS
    assert both.index.tolist()[9:] == [row.replace("Local DB", "H2 in the process") for row in ROWS[:3]]
    assert both.loc["Local DB", ("Measured", "Service (%)")] == "70.07 ± 0.00"
    assert both.loc["Local DB, w r-w cache", ("Measured", "Hib. R (%)")] == "10.00 ± 0.00"


def test_warm_up_enters_neither_shares_nor_times(made):
    means = run_means(made.samples, step_caches.FACTORS)
    assert means["request_ms"].max() < 1000
    warm = made.samples.assign(service_ms=made.samples["service_ms"].where(made.samples["measured"], 0.0))
    assert step_caches.table_5(warm).loc["Local DB", "Service (%)"] == "70.07 ± 0.00"


def test_figure_13_has_nine_rows_and_says_what_was_not_measured():
    published, measured = step_caches.bars(_made(_only_h2).samples)
    assert measured.index.tolist() == ROWS
    assert measured.isna().all().all()
    assert "Local DB 70 and not measured" in step_caches.describe(published, measured)


def test_the_claimed_effects_reproduce_every_finding(made):
    verdicts = judge(step_caches.cases(made.samples))
    assert {verdict.finding.id: verdict.outcome for verdict in verdicts} == dict.fromkeys(
        ("S14-read-only", "S14-read-write", "S14-reads", "S15", "S15-read-only", "S16-read-only", "S16-slow"),
        "reproduced",
    )
    estimates = {verdict.finding.id: verdict.estimate for verdict in verdicts}
    assert estimates["S15"] == pytest.approx(1.1, rel=0.01)
    assert estimates["S14-reads"] == pytest.approx(10 / 4.53, rel=0.01)
    # Over local and 100 Mbit/s, whose geometric mean is 1.1 ** 0.5; one cache of three saves a fifth.
    assert estimates["S16-slow"] == pytest.approx(3 / 1.1**0.5 * 0.8 ** (1 / 3), rel=0.01)


def test_the_opposite_effects_contradict_every_finding():
    caches = {"none": 1.0, "read-only": 1.3, "read-write": 0.9}
    networks = {"h2": 1, "local": 1, "100mbit": 1.5, "10mbit": 1.6}

    def time_ms(setting):
        helps = 0.5 if setting == {"database": "100mbit", "cache": "read-only"} else 1.0
        return 100 * networks[setting["database"]] * caches[setting["cache"]] * helps

    recorded = step_caches.configured(recording(CACHES_AND_NETWORKS, time_ms))
    assert {verdict.outcome for verdict in judge(step_caches.cases(recorded.samples))} == {"not reproduced"}


def test_without_mariadb_no_finding_has_a_verdict_and_all_else_goes_on():
    recorded = _made(_only_h2, skipped=("local none: no MariaDB",))
    verdicts = judge(step_caches.cases(recorded.samples))
    assert {(verdict.outcome, verdict.runs) for verdict in verdicts} == {("inconclusive", 0)}
    assert len(verdicts) == 7
    said = step_caches.base(recorded)
    assert "Not measured: Local DB; Local DB, w r-only cache" in said
    assert "local none: no MariaDB" in said
    assert step_caches.caches_compared(recorded.samples).index.tolist() == [
        "H2 in the process, r-only cache", "H2 in the process, r-w cache",
    ]  # fmt: skip
    assert step_caches.networks_compared(recorded.samples).index.tolist() == ["None measured"]
    assert step_caches.relative_times(recorded.samples)["Measured request time"].isna().all()
    analysis = variance_table(run_means(recorded.samples, step_caches.FACTORS), step_caches.FACTORS, "Analysis")
    assert "Cache" in analysis.frame.index and "Database" not in analysis.frame.index


def test_a_block_that_lacks_a_run_is_left_out_of_its_pairs_only(made):
    lacking = made.samples[made.samples["run"] != "3-local-read-only"]
    table = step_caches.caches_compared(lacking)
    assert table.loc["Local DB, r-only cache", "Blocks"] == 11
    assert table.loc["Local DB, r-w cache", "Blocks"] == 12


def test_caches_and_networks_are_compared_within_blocks(made):
    caches = step_caches.caches_compared(made.samples)
    assert len(caches) == 8
    spares = float(caches.loc["10 Mbit LAN DB, r-only cache", "Ratio"].split(" ")[0])
    assert spares == pytest.approx(0.8, rel=0.01)
    assert caches.loc["Local DB, r-w cache", "p"] == "< 0.001"
    networks = step_caches.networks_compared(made.samples)
    assert len(networks) == 9
    assert float(networks.loc["10 Mbit LAN DB / Local DB, no cache", "Ratio"].split(" ")[0]) == pytest.approx(
        3, rel=0.01
    )


def test_published_shares_imply_relative_times(made):
    table = step_caches.relative_times(made.samples)
    assert table.loc["10 Mbit LAN DB", "Published shares imply"] == pytest.approx((0.98 + 4.94) / (0.28 + 1.88))
    measured = table.loc["10 Mbit LAN DB", "Measured request time"]
    assert float(measured.split(" ")[0]) == pytest.approx(3, rel=0.01)
    # In the made runs the web layers' share is the same, so their time is not.
    assert float(table.loc["10 Mbit LAN DB", "Measured time of the web layers"].split(" ")[0]) == pytest.approx(
        3, rel=0.01
    )
    assert np.isnan(table.loc["H2 in the process", "Published shares imply"])


def test_times_are_put_into_words(made):
    series = step_caches.time_series(run_means(made.samples, step_caches.FACTORS))
    assert list(series) == ["no cache", "r-only cache", "r-w cache"]
    assert series["no cache"].index.tolist() == ["H2 in the process", "Local DB", "100 Mbit LAN DB", "10 Mbit LAN DB"]
    assert "no cache H2 in the process 100 ms, Local DB 200 ms" in step_caches.describe_times(series)
