import pandas as pd
import pytest

from made.recordings import recording, sample
from perfstudies.studies.step.analysis import engine
from perfstudies.studies.step.declared import ENGINE_VARIANTS

AS_STUDY, MANUAL, NO_REUSE = ENGINE_VARIANTS.levels
ENGINE_MS = {("searchFlights", MANUAL): 4.0, ("searchFlights", NO_REUSE): 40.0}


def engine_runs(blocks=3):
    """Make a search and a reservation a run: 40 ms of engine, that a search without a flush does in 4 ms."""
    samples = []
    for block in range(blocks):
        for variant in ENGINE_VARIANTS.levels:
            for request, operation in enumerate(("searchFlights", "createMultipleReservations")):
                engine_ms = ENGINE_MS.get((operation, variant), 40.0) * (1 + block)
                times = [1.0, 5.0, 2.0, engine_ms, 1.0, 8.0 * (1 + (variant == NO_REUSE))]
                more = {"operation": operation}
                samples.append(sample(f"b{block}-{variant}", block, ENGINE_VARIANTS, variant, request, times, **more))
    runs = [{"run": one["run"], "block": one["block"], ENGINE_VARIANTS.name: one["variant"]} for one in samples]
    return recording(ENGINE_VARIANTS, samples, samples, runs).samples


def test_each_switch_is_compared_with_the_study_by_kind_of_request():
    found = engine.table_of_causes(engine_runs())["Switched / as the study"]
    assert found.index.is_unique and len(found) == 2 * 2 * 3
    ratios = {name: float(text.split()[0]) for name, text in found.items()}
    assert ratios["Searches, no flush after a search: Hibernate Engine"] == pytest.approx(0.1)
    assert ratios["Reservations, no flush after a search: Hibernate Engine"] == pytest.approx(1)
    assert ratios["Searches, H2 reuses no results: Hibernate Reads"] == pytest.approx(2)
    assert ratios["Searches, H2 reuses no results: Hibernate Engine"] == pytest.approx(1)
    # 17 + 40 ms without and 17 + 4 ms with the switch, in the first block.
    assert ratios["Searches, no flush after a search: Whole request"] < 0.4


def test_requests_that_failed_or_were_not_measured_do_not_count():
    samples = engine_runs()
    slow = samples.assign(engine_ms=4000.0, request_ms=4017.0)
    more = pd.concat([samples, slow.assign(outcome="application exception"), slow.assign(measured=False)])
    pd.testing.assert_frame_equal(engine.table_of_causes(more), engine.table_of_causes(samples))


def test_the_figure_has_a_series_a_switch_and_a_line_at_1():
    axes = engine.figure_of_causes(engine_runs()).axes[0]
    assert axes.get_yscale() == "log" or axes.get_xscale() == "log"
    labels = axes.get_legend_handles_labels()[1] or [text.get_text() for text in axes.figure.legends[0].get_texts()]
    assert {ENGINE_VARIANTS.label(variant) for variant in (MANUAL, NO_REUSE)} <= set(labels)


def test_a_variant_that_was_not_measured_has_no_rows():
    samples = engine_runs()
    found = engine.table_of_causes(samples[samples["variant"] != NO_REUSE])
    assert len(found) == 6 and not found.index.str.contains("reuses").any()
