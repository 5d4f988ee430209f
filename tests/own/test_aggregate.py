import numpy as np
import polars as pl
import pytest

from perfstudies.errors import BadParameter
from perfstudies.own import tally
from perfstudies.own.aggregate import MOST_SET_ASIDE, collect, frame, from_tallies


def _requests(elapsed_ms, start_s=None, ok=True, operation="get", setting="a", run="1") -> pl.DataFrame:
    count = len(elapsed_ms)
    return pl.DataFrame(
        {
            "setting": [setting] * count,
            "run": [run] * count,
            "start_s": np.arange(count) / 10 if start_s is None else start_s,
            "elapsed_ms": np.asarray(elapsed_ms, float),
            "ok": np.broadcast_to(ok, count),
            "operation": np.broadcast_to(operation, count).tolist(),
        },
        schema_overrides={"start_s": pl.Float64},
    )


def _many(seed=1, count=20_000) -> pl.DataFrame:
    draw = np.random.default_rng(seed)
    start_s = 1.7e9 + np.sort(draw.uniform(0, 500, count))
    return _requests(draw.lognormal(3, 1, count), start_s, draw.random(count) < 0.9)


def test_a_run_is_what_numpy_says_of_it():
    made = _many()
    good = made.filter("ok")["elapsed_ms"].to_numpy()
    row = collect(made.lazy()).runs.iloc[0]
    end_s = (made["start_s"] + made["elapsed_ms"] / 1000).max()
    assert (row["setting"], row["run"], row["requests"], row["errors"]) == ("a", "1", 20_000, 20_000 - len(good))
    assert row["mean_ms"] == pytest.approx(good.mean(), rel=1e-12)
    assert row["sd_ms"] == pytest.approx(good.std(ddof=1), rel=1e-12)
    assert (row["max_ms"], row["start_s"]) == (good.max(), made["start_s"].min())
    assert row["took_s"] == pytest.approx(end_s - made["start_s"].min())
    assert row["rate_per_s"] == pytest.approx(20_000 / row["took_s"])
    exact = np.quantile(good, (0.5, 0.9, 0.99), method="inverted_cdf")
    assert row[["p50_ms", "p90_ms", "p99_ms"]].to_numpy(float) == pytest.approx(exact, rel=0.01)


def test_quantiles_of_whole_milliseconds_are_exact():
    times_ms = np.random.default_rng(2).integers(0, 99, 5_000)
    row = collect(_requests(times_ms).lazy()).runs.iloc[0]
    exact = np.quantile(times_ms, (0.5, 0.9, 0.99), method="inverted_cdf")
    assert row[["p50_ms", "p90_ms", "p99_ms"]].tolist() == exact.tolist()


def test_batches_add_up_to_the_whole(monkeypatch):
    monkeypatch.setattr(tally, "_PILE", 2)
    made = _many()
    whole = collect(made.lazy())
    pieces = collect(made.slice(at, 700).lazy() for at in range(0, made.height, 700))
    for name in ("runs", "windows", "spread", "operations"):
        one, other = getattr(whole, name), getattr(pieces, name)
        numbers = one.select_dtypes("number").columns
        assert one.drop(columns=numbers).equals(other.drop(columns=numbers))
        assert other[numbers].to_numpy(float) == pytest.approx(one[numbers].to_numpy(float), rel=1e-12, nan_ok=True)


def test_windows_cover_the_run_and_lose_nothing():
    made = _many()
    windows = collect(made.lazy()).windows
    assert 200 <= len(windows) <= tally.WINDOWS
    assert (windows["requests"].sum(), windows["errors"].sum()) == (20_000, made.filter(~pl.col("ok")).height)
    width_s = windows["at_s"].diff().iloc[1]
    assert np.allclose(windows["at_s"].diff()[1:], width_s)
    # A window's edges are those of the narrow ones that it is made of, so they are known but for that width.
    row = windows.iloc[100]
    at_s = made["start_s"] - made["start_s"].min()
    inside = made.filter((at_s >= row["at_s"] - width_s / 2) & (at_s < row["at_s"] + width_s / 2))
    good = inside.filter("ok")["elapsed_ms"].to_numpy()
    assert (row["requests"], row["errors"]) == (inside.height, inside.height - len(good))
    assert row["mean_ms"] == pytest.approx(good.mean())
    assert row["p99_ms"] == pytest.approx(np.quantile(good, 0.99, method="inverted_cdf"), rel=0.01)


def test_a_pause_is_windows_without_requests():
    start_s = np.concatenate([np.linspace(0, 10, 100), np.linspace(20, 30, 100)])
    windows = collect(_requests(np.ones(200), start_s).lazy()).windows
    quiet = windows[windows["at_s"].between(11, 19)]
    assert len(quiet) > 5
    assert (quiet["requests"] == 0).all() and quiet["mean_ms"].isna().all()


def test_the_spread_counts_every_good_request_in_its_bin():
    made = _many()
    spread = collect(made.lazy()).spread
    good = made.filter("ok")["elapsed_ms"].to_numpy()
    assert spread["requests"].sum() == len(good)
    for row in spread.itertuples():
        assert row.requests == ((good >= row.low_ms) & (good < row.high_ms)).sum()


def test_runs_and_settings_keep_apart_and_stand_together():
    parts = [_requests([at], setting=setting, run=run) for at, (setting, run) in enumerate(["b1", "a1", "b2", "a1"])]
    runs = collect(pl.concat(parts).lazy()).runs
    assert runs[["setting", "run", "requests", "mean_ms"]].values.tolist() == [
        ["b", "1", 1, 0.0], ["b", "2", 1, 2.0], ["a", "1", 2, 2.0],
    ]  # fmt: skip


def test_operations_are_those_of_a_setting_over_its_runs():
    parts = [
        _requests([1, 2, 3], operation="get", run="1"),
        _requests([9], operation="put", run="1", ok=False),
        _requests([4], operation="get", run="2"),
    ]
    found = collect(pl.concat(parts).lazy()).operations
    assert found.drop(columns="p99_ms").iloc[0].tolist() == ["a", "get", 4, 0, 2.5, 2.0]
    put = found.iloc[1]
    assert (put["operation"], put["requests"], put["errors"]) == ("put", 1, 1)
    assert np.isnan(put["mean_ms"])


def test_ever_new_operations_do_not_grow_without_bound(monkeypatch):
    monkeypatch.setattr(tally, "OPERATIONS", 5)
    made = _requests(np.arange(1, 51), operation=[f"/item/{at}" for at in range(50)])
    found = collect(made.slice(at, 10).lazy() for at in range(0, 50, 10)).operations
    assert len(found) == 6
    assert found.iloc[-1]["operation"] == tally.OTHERS
    assert (found["requests"].sum(), found.iloc[-1]["requests"]) == (50, 45)


def test_a_log_without_times_of_day_has_no_windows_and_no_rate():
    found = collect(_requests([1, 2], start_s=[None, None]).lazy())
    assert found.windows.empty and list(found.windows.columns)
    assert found.runs[["start_s", "took_s", "rate_per_s"]].isna().all(axis=None)
    assert found.runs["mean_ms"].tolist() == [1.5]


def test_a_run_of_errors_has_no_times():
    row = collect(_requests([1, 2], ok=False).lazy()).runs.iloc[0]
    assert (row["requests"], row["errors"]) == (2, 2)
    assert row[["mean_ms", "sd_ms", "p50_ms", "max_ms"]].isna().all()


def test_only_the_first_lines_set_aside_are_kept_but_all_are_counted():
    lines = [{"file": "log", "line": at, "problem": "cut", "text": ""} for at in range(200)]
    run = tally.RunTally()
    run.add(_requests([1]))
    found = from_tallies({("a", "1"): run}, frame(lines, ("file", "line", "problem", "text")), 12_345, ["log"])
    assert (len(found.set_aside), found.set_aside_lines, found.sources) == (MOST_SET_ASIDE, 12_345, ("log",))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (_requests([1]).drop("ok"), "no column ok"),
        (_requests([-1.0]), "elapsed_ms = -1.0"),
        (_requests([float("nan")]), "elapsed_ms = nan"),
        (_requests([1]).with_columns(ok=pl.lit(None, pl.Boolean)), "ok is missing in 1 rows"),
        (_requests([]), "there is no request"),
    ],
)
def test_what_is_no_request_is_refused(wrong, said):
    with pytest.raises(BadParameter, match=said):
        collect(wrong.lazy())
