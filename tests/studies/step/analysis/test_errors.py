import pytest

from made.recordings import users
from perfstudies.errors import BadRecording
from perfstudies.published import published_table
from perfstudies.studies.step.analysis import errors as step_errors
from perfstudies.studies.step.analysis import users as step_users
from perfstudies.studies.step.workload import flight_data, flight_load

LEVELS = ("1", "2", "4", "8", "16", "64")


@pytest.fixture(scope="module")
def recorded():
    return users({"2": 6, "4": 4, "8": 3, "16": 3, "64": 2}, levels=LEVELS)


@pytest.fixture(scope="module")
def runs(recorded):
    return step_users.run_table(recorded)


def test_shares_of_failed_requests_are_those_of_all_calls(recorded, runs):
    table = step_errors.table_7(runs)
    calls = recorded.calls[recorded.calls["users"] == "16"]
    for column, outcome in (("Exceptions (%)", "application exception"), ("Errors (%)", "system error")):
        share = 100 * (calls["outcome"] == outcome).mean()
        assert float(table.loc["16", column].split()[0]) == pytest.approx(share, abs=0.005)
    assert table.loc["1", "Errors (%)"] == "0.00 [0.00, 0.00]"
    assert table.columns.tolist() == published_table("step", 7).columns.tolist()


def test_requests_that_never_failed_keep_a_binomial_bound(runs):
    table = step_errors.binomial_table(runs)
    assert table.loc["1", "Requests"] == 24 and table.loc["1", "Runs"] == 3
    assert float(table.loc["1", "Errors (%)"].split(", ")[1].rstrip("]")) > 5
    # Every third request fails, so runs hardly differ: far more regular than independent requests.
    assert table.loc["16", "Design effect, errors"] < 0.1


def test_figure_15_holds_published_and_measured(runs):
    drawn = step_errors.failure_points(runs, published_table("step", 7))
    assert drawn.loc["16", "published errors"] == 30.85
    assert drawn["published errors"].isna().tolist() == [False] * 5 + [True]
    figure = step_errors.failures_figure(drawn)
    assert figure.axes[0].get_xscale() == "log" and len(figure.legends[0].get_texts()) == 4
    assert step_errors.describe_failures(drawn).count("%") == 6


def test_the_trend_is_told_with_both_tests(runs):
    said = step_errors.trend_text(runs)
    assert "each doubling multiplies the odds of an error by 1." in said and "Cochran and Armitage" in said
    calm = step_errors.trend_text(runs.assign(errors=0))
    assert calm.startswith("No trend")


def test_mistakes_are_drawn_again_from_the_seeds(recorded, runs):
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


def test_exceptions_beyond_the_mistakes_are_the_surplus(recorded, runs):
    found = step_errors.with_mistakes(runs, recorded.calls)
    assert set(found["users"]) == {"1", "2", "4", "8", "16"}  # the study's
    assert (found["surplus"] == 0).all() and found["mistake_share"].max() > 0
    table = step_errors.exceptions_table(found)
    assert table["Shown the same"].tolist()[1:] == [True] * 4
    more = found.assign(surplus=found["surplus"] + 3 * (found["users"] == "16"))
    assert step_errors.exceptions_table(more)["Shown the same"].tolist()[1:] == [True, True, True, False]


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


def test_errors_are_counted_by_exception_and_level(recorded):
    calls = recorded.calls.copy()
    first = calls.index[(calls["users"] == "8") & (calls["outcome"] == "system error")][0]
    calls.loc[first, ["outcome", "detail"]] = ["transport error", "java.net.SocketException"]
    table = step_errors.errors_table(calls)
    assert table.loc["1"].tolist() == [0, 0, 0]
    assert table.loc["8", "SocketException"] == 1
    assert (table["Errors"] == table.drop(columns="Errors").sum(axis=1)).all()


def test_sessions_are_counted_from_the_first_measured(recorded):
    table = step_errors.by_session(recorded.calls[recorded.calls["session"] > 0])
    assert table.columns.tolist() == ["Session 1", "Session 2", "Session 3"]
    calls = recorded.calls[(recorded.calls["users"] == "64") & (recorded.calls["session"] == 1)]
    share = 100 * (calls["outcome"] == "system error").mean()
    assert float(table.loc["64", "Session 1"].split()[0]) == pytest.approx(share, abs=0.05)
