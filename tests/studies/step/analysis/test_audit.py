"""The audit of the STEP study's margins: what follows from its printed tables and numbers of runs."""

import numpy as np
import pandas as pd
import pytest

from perfstudies.published import published_table
from perfstudies.stats.interval import ends
from perfstudies.studies.step.analysis import audit, audit_failures, audit_implied, audit_statements


@pytest.fixture
def found():
    return audit.break_even(0.95, pd.Series({"Time (ms)": 12.0}))


def test_every_comparison_names_a_printed_pair():
    compared = audit.comparisons()
    assert len({one.id for one in compared}) == len(compared)
    read_write = next(one for one in compared if one.id == "read-write")
    assert (read_write.first, read_write.second) == (4.52, 10.65)
    base = next(one for one in compared if one.id == "base")
    assert (base.first, base.second, base.runs) == (pytest.approx(289.89), 332.91, (30, 10))


def test_quiet_levels_need_runs_that_hardly_vary_and_debug_does_not(found):
    assert found.loc["quiet", "t"] == pytest.approx(0.643, abs=0.001)
    assert found.loc["debug", "t"] > 100
    assert (found["t"] < found["normal"]).all() and (found["normal"] < found["margin"] * 1.0001).all()
    assert found.loc["quiet", "own"] == 12 and np.isnan(found.loc["raw", "own"])


def test_the_break_even_figure_has_a_row_a_comparison(found):
    axes = audit.break_even_figure(found, 25).axes[0]
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert len(labels) == len(found) and labels[0] == "T1  Service: Service and the next slice"


def test_requests_of_the_load_and_the_exceptions_that_its_mistakes_make():
    assert audit_failures.requests_of(1, 30) == pytest.approx(30 * 99.5)
    # A quarter of the reservations, which are 0.99 of 1.99 requests.
    assert audit_failures.expected_exceptions(0.25) == pytest.approx(0.25 * 0.99 / 1.99)


def test_table_7_has_intervals_around_what_is_printed():
    failures = audit_failures.failures(0.95)
    assert failures["Runs"].tolist() == [30, 10, 10, 10, 10]
    for column in ("Exceptions (%)", "Errors (%)"):
        found = ends(failures[column])
        assert found["estimate"].tolist() == pytest.approx(published_table("step", 7)[column].tolist())
        assert (found["low"] <= found["estimate"] + 1e-9).all() and (found["high"] > found["estimate"]).all()
    assert failures.loc[1, "Errors (%)"].high == pytest.approx(0.13, abs=0.005)
    assert audit_failures.exceptions_alike(failures).p_trend < 0.001


def test_table_3_is_a_mixture_that_gives_every_kind_its_time():
    kinds = audit_implied.kinds_of_requests()
    middle = (kinds["time_low"] + kinds["time_high"]) / 2
    assert middle.sum() == pytest.approx(100, abs=0.1)
    table = published_table("step", 3)
    mixed = (table.drop(index="All").T * middle / 100).sum(axis=1)
    assert mixed.tolist() == pytest.approx(table.loc["All"].tolist(), abs=0.05)
    assert kinds["requests"].sum() == pytest.approx(100)
    ms = (kinds["ms_low"] + kinds["ms_high"]) / 2
    assert (ms * kinds["requests"]).sum() / 100 == pytest.approx(289.89, abs=0.3)
    assert kinds.loc["Faults", ["ms_low", "ms_high"]].tolist() == pytest.approx([201, 203], abs=0.5)


def test_web_layers_as_a_clock():
    monitors = audit_implied.by_web_layers(2, "Layer")
    assert monitors.loc["Perf4J raw", "Relative time"] == pytest.approx(5.92 / 4.97)
    databases = audit_implied.by_web_layers(5, "Local DB")
    assert databases.index.is_unique
    assert databases.loc["10 Mbit LAN DB, w r-only cache", "Relative time"] == pytest.approx(5.92 / 2.85)
    assert databases.loc["Local DB", "Time (ms)"] == pytest.approx(289.89)


def test_linear_xml_handling_implies_the_time_of_the_whole():
    lengths = audit_implied.by_length()
    assert lengths.loc[5190, "least_ms"] == pytest.approx(289.89)
    assert lengths.loc[222281, "least_ms"] == pytest.approx(289.89 * 222281 / 5190 * 4.94 / 1.64)
    assert lengths.loc[222281, "hours"] == pytest.approx(31.2, abs=0.1)
    assert audit_implied.missing_length(lengths) == pytest.approx(0.218, abs=0.001)
    assert audit_implied.characters_a_passenger(lengths) == pytest.approx((28348 - 5190) / 450 * 1.99 / 0.99)


def test_facts_are_kept_apart_by_source():
    table = audit_statements.contradictions()
    assert table.columns.tolist() == ["Printed in the report", "From the public tool chain", "Our inference"]
    assert "290 ms" in table.loc["Two base times", "Printed in the report"]
    assert "15 %" in table.loc["Two base times", "Our inference"]
    assert "12.44 %" in table.loc["Simulated mistakes", "Our inference"]


def test_a_statement_is_supported_only_if_its_difference_stands_at_the_allowed_variation(found):
    failures = audit_failures.failures(0.95)

    def answers(largest):
        table = audit_statements.statements(found, failures, largest)
        return table.set_index("Statement")["Supported by a margin?"]

    assert set(answers(25)) == {"yes", "no", "a lead against it", "cannot be told"}
    assert answers(25)["Debug and trace cost enormously more."] == "yes"
    assert answers(25)["Off to info take the same time."] == "cannot be told"
    assert answers(300)["Debug and trace cost enormously more."] == "cannot be told"
    assert answers(5)["They still increase from 8 to 16 users."] == "yes"
    assert answers(25)["Every variation ran at least 30 times."] == "a lead against it"


def test_a_statement_rests_on_as_many_runs_as_its_rarest_setting():
    assert audit.runs_behind("Table 1, section 3.4") == 30
    assert audit.runs_behind("Table 8, Figure 16, section 3.11") == audit.runs_behind("Tables 1 and 8") == 10
    assert np.isnan(audit.runs_behind("section 3.4"))
