import pytest

from perfstudies.errors import BadParameter
from perfstudies.published import published_table
from perfstudies.studies.step.published import published_runs
from perfstudies.studies.step.workload.flight_load import study_loads

SLICES = ["Web (%)", "WS (%)", "Service (%)", "Hib. Eng. (%)", "Hib. W (%)", "Hib. R (%)"]
BREAKDOWNS = {2: "Layer", 3: "All", 4: 5190, 5: "Local DB", 6: 1}
"""Tables of shares, each with its row of the setting that all of them share with Table 1."""


def test_table_1_adds_up_to_the_whole_as_in_the_study():
    table = published_table("step", 1)
    assert len(table) == 6
    assert table["Time %"].sum() == pytest.approx(100, abs=0.02)
    assert table["Time (ms)"].sum() == pytest.approx(289.89)
    shares = 100 * table["Time (ms)"] / table["Time (ms)"].sum()
    assert shares.tolist() == pytest.approx(table["Time %"].tolist(), abs=0.01)


def test_table_8_has_every_level_as_printed():
    table = published_table("step", 8)
    assert table.loc["Trace"].tolist() == [37430.76, 2029488189]
    assert table.index.tolist() == ["Off", "Fatal", "Error", "Warn", "Info", "Debug", "Trace"]


@pytest.mark.parametrize("number", BREAKDOWNS)
def test_every_row_of_shares_adds_up_to_the_whole(number):
    table = published_table("step", number)
    assert table.columns.tolist() == SLICES
    # Six shares rounded to two decimals.
    assert table.sum(axis=1).tolist() == pytest.approx([100] * len(table), abs=0.0301)


@pytest.mark.parametrize(("number", "row"), BREAKDOWNS.items())
def test_the_setting_that_the_tables_share_is_printed_alike(number, row):
    assert published_table("step", number).loc[row].tolist() == published_table("step", 1)["Time %"].tolist()


def test_tables_2_to_6_have_the_study_s_rows_in_its_order():
    rows = {number: published_table("step", number).index.tolist() for number in BREAKDOWNS}
    assert rows[2] == ["Perf4J raw", "Perf4J agg", "Event", "Layer -Hwrap", "Layer"]
    assert rows[3] == ["All", "Searches", "Reservations", "Faults"]
    assert rows[4] == [3215, 5190, 28348, 142145, 222281]
    caches = ["w r-only cache", "w r-w cache"]
    assert rows[5] == ["Local DB", *caches, "100 Mbit LAN DB", *caches, "10 Mbit LAN DB", *caches]
    assert rows[6] == [1, 2, 4, 8, 16]


def test_digits_are_the_printed_ones():
    assert published_table("step", 2).loc["Perf4J agg"].tolist() == [0.79, 4.51, 4.59, 0, 10.86, 79.25]
    assert published_table("step", 3).loc["Faults"].tolist() == [0.83, 4.60, 86.73, 1.96, 0, 5.89]
    assert published_table("step", 4).loc[222281].tolist() == [1.50, 1.64, 50.62, 7.28, 36.88, 2.08]
    assert published_table("step", 5).iloc[-1].tolist() == [0.25, 1.90, 77.28, 6.80, 10.26, 3.51]
    assert published_table("step", 6).loc[16].tolist() == [2.75, 6.07, 62.55, 19.56, 4.80, 4.26]


def test_table_7_has_no_errors_for_one_user_and_more_for_more():
    table = published_table("step", 7)
    assert table.index.tolist() == [1, 2, 4, 8, 16]
    assert table["Exceptions (%)"].tolist() == [11.04, 11.04, 11.39, 11.98, 12.66]
    assert table["Errors (%)"].tolist() == [0.00, 15.45, 25.06, 28.06, 30.85]


def test_the_run_files_name_known_loads_and_have_ten_or_thirty_samples():
    runs = published_runs()
    assert len(runs) == 36 and runs.index.is_unique
    assert set(runs["load"]) <= set(study_loads())
    assert runs["samples"].value_counts().to_dict() == {10: 25, 30: 11}
    assert set(runs.loc[runs.index.str.startswith("Log"), "monitor_log_format"]) == {"perf4j"}
    assert sorted(runs["users"].unique()) == [1, 2, 4, 8, 16]


def test_a_table_that_is_not_there_is_refused_with_those_that_are():
    with pytest.raises(BadParameter, match="use one of: 1, 2, 3, 4, 5, 6, 7, 8"):
        published_table("step", 9)


def test_every_published_file_has_its_source_noted(repository):
    for folder in (repository / "data" / "raw" / "published").iterdir():
        note = (folder / "README.md").read_text(encoding="utf-8")
        assert "Source:" in note
        for path in folder.iterdir():
            assert path.name == "README.md" or f"`{path.name}`" in note


def test_table_1_of_corba_has_every_row_and_column_as_printed():
    table = published_table("corba", 1)
    assert table.index.tolist() == [1, 2, 4, 6, 8, 10, 15, 20, 25] and table.shape == (9, 12)
    assert table.loc[6].tolist() == [3.59, 4.36, 0.02, 3.55, 4.90, 2.69, 1.86, 1.21, 0.66, 8.65, 7.91, 16.45]
    # As its text says of the measured values: some 14 ms in all, the receiver's second phase aside.
    measured = table.filter(like="Measured").sum(axis=1)
    assert measured[1] == pytest.approx(14.48) and measured.sub(measured[1]).between(0, 5).all()
