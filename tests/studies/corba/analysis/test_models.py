"""The report on the CORBA study's models, from replications whose every value is known."""

import pandas as pd
import pytest

from perfstudies.models.pool_trace import COLUMNS
from perfstudies.stats.verdicts import judge
from perfstudies.studies.corba.analysis import models
from perfstudies.studies.corba.findings import MODELS
from perfstudies.studies.corba.model import OURS, SHARING, published


def _runs() -> pd.DataFrame:
    """Return the study's own simulators in place of ours, four replications that differ by hundredths."""
    parts = []
    for model, source in ((OURS, "Ruby"), (SHARING, "Extend")):
        for seed in range(4):
            table = published(source) + 0.01 * seed
            parts.append(table.reset_index().assign(seed=seed, model=model, response_ms=14.0 + seed))
    return pd.concat(parts, ignore_index=True)


def test_the_study_s_own_simulators_give_the_published_values_of_the_findings():
    values = {finding.id: values for finding, values, _ in models.cases(_runs())}
    assert list(values) == [finding.id for finding in MODELS]
    for finding in MODELS:
        printed = finding.published.removesuffix(" ms")
        digits = len(printed.partition(".")[2])
        assert f"{values[finding.id].iloc[0]:.{digits}f}" == printed, finding.id


def test_verdicts_on_them_are_the_study_s():
    verdicts = {one.finding.id: one.outcome for one in judge(models.cases(_runs()))}
    assert set(verdicts.values()) - {"inconclusive"} == {"reproduced"}
    assert verdicts["C4"] == verdicts["C5"] == "reproduced"


def test_errors_by_model_are_means_over_replications():
    errors = models.errors_by_model(_runs())
    assert list(errors) == [OURS, SHARING]
    assert errors[OURS].loc["All cells", "estimate"] == pytest.approx(0.284, abs=0.02)
    assert errors[SHARING].index.tolist()[-1] == "All cells"
    shown = models.errors_by_model_table(errors)
    assert shown.shape == (2, len(COLUMNS) + 1)
    assert "Processor sharing 3.6" in models.describe_errors(errors)


def test_cells_that_are_nearer_than_ruby_are_counted():
    runs = _runs()
    exact = runs[runs["model"] == OURS].copy()
    for column in COLUMNS:
        exact[column] = exact["dispatchers"].map(published()[column])
    said = models.nearer_than_ruby(exact)
    # In two cells Ruby has the measured value too.
    same = (published("Ruby") == published()).to_numpy().sum()
    assert f"{36 - same} of 36" in said


def test_responses_and_fits_are_shown():
    assert models.responses_table(_runs()).loc[1, OURS].startswith("15.50 [")
    row = dict(
        first_share=0.9, entry_ms=0.4, switch_ms=0.02, least_lead=1, newest_first=True, signals="one",
        wake_order="longest idle", rms_ms=0.2, replications=8,
    )  # fmt: skip
    fits = pd.DataFrame([row, {**row, "least_lead": 2, "rms_ms": 0.3}])
    assert models.fits_table(fits, 1).shape == (1, 9)
    choices = models.choices_table(fits)["Least error (ms)"]
    assert choices.xs("2", level=1).iloc[0] == 0.3 and choices.xs("one", level=1).iloc[0] == 0.2
