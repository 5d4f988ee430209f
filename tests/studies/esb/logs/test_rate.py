"""The log of a client for high rates and its reduced form: read in pieces, checked, counted, and quantiles."""

import lzma

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfstudies.errors import BadLog, BadParameter
from perfstudies.load.rate import log as rate_log
from perfstudies.load.rate.log import HEADER, ROW
from perfstudies.studies.esb.logs import rate, rate_intervals
from perfstudies.studies.esb.logs.rate_intervals import WIDTH, Reducer, buckets_of, middle_ms

MS = 1_000_000
RELATIVE_ERROR = WIDTH**0.5 - 1  # of the geometric middle of a bucket


def log(path, rows, capacity=None, finished=True, connections=4):
    """Write a log as the client does; rows are (intended, sent, ended, bytes, connection, status)."""
    header, mapped = rate_log.create(path, capacity or max(1, len(rows)), connections, False)
    mapped[: len(rows)] = np.array(rows, ROW)
    header["begun"] = len(rows)
    if finished:
        rate_log.finish(path, header)
    return path


ROWS = [
    (0, 1 * MS, 3 * MS, 896, 0, 200),
    (1 * MS, 2 * MS, 500 * MS, 0, 1, 503),
    (2 * MS, 2 * MS, 499 * MS, 10, 2, -5),
    (900 * MS, 901 * MS, 1201 * MS, 100, 3, 202),
    (950 * MS, 951 * MS, 0, 0, 0, -7),
    (960 * MS, 0, 0, 0, 1, -8),
]


def test_rows_and_what_follows_from_them(tmp_path):
    frame = rate.read(log(tmp_path / "log", ROWS))
    assert frame["outcome"].tolist() == ["ok", "HTTP 503", "SOAP fault", "ok", "unfinished", "never sent"]
    assert frame["response_ms"].dropna().tolist() == [3, 499, 497, 301]
    assert frame["service_ms"].dropna().tolist() == [2, 498, 497, 300]
    assert frame["sent_ms"].isna().tolist() == [False] * 5 + [True]
    assert frame["ended_ms"].isna().tolist() == [False] * 4 + [True] * 2
    assert frame["bytes"].tolist() == [896, 0, 10, 100, 0, 0]
    assert frame["connection"].tolist() == [0, 1, 2, 3, 0, 1]
    assert frame.attrs == {"truncated": False}
    assert (tmp_path / "log").stat().st_size == HEADER.itemsize + 6 * ROW.itemsize == 256


def test_a_client_that_was_killed_leaves_what_had_ended(tmp_path):
    rows = [ROWS[0], (*ROWS[4][:5], 0), (*ROWS[5][:5], 0)]
    frame = rate.read(log(tmp_path / "log", rows, capacity=1000, finished=False))
    assert frame["outcome"].tolist() == ["ok", "unfinished", "never sent"]


def test_an_empty_log(tmp_path):
    path = log(tmp_path / "log", [])
    assert rate.read(path).empty
    reduced = rate.reduce(path)
    assert rate_intervals.counts(reduced).empty
    assert rate_intervals.throughput(reduced)[["bin", "ok", "failed"]].to_numpy().tolist() == [[0, 0, 0]]
    assert np.isnan(rate_intervals.quantiles(reduced, [0.5])).all()


def test_a_torn_last_row_is_set_aside(tmp_path):
    path = log(tmp_path / "log", ROWS)
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    frame = rate.read(path)
    assert len(frame) == 5 and frame.attrs["truncated"]
    assert rate_intervals.counts(rate.reduce(path)).sum() == 5
    path.write_bytes(whole[: -ROW.itemsize])
    with pytest.raises(BadLog, match=r"log:6: cut: the header tells of 6 rows"):
        rate.read(path)


def test_a_packed_log_is_read_too_and_a_cut_one_says_where(tmp_path):
    path = log(tmp_path / "log", ROWS * 500)
    packed = tmp_path / "log.xz"
    packed.write_bytes(lzma.compress(path.read_bytes()))
    pd.testing.assert_frame_equal(rate.read(packed), rate.read(path))
    packed.write_bytes(packed.read_bytes()[:-60])
    with pytest.raises(BadLog, match=r"log\.xz:\d+: (cut|not)"):
        rate.read(packed)
    packed.write_bytes(b"something else")
    with pytest.raises(BadLog, match="not a packed log"):
        rate.read(packed)


def test_foreign_files_are_refused(tmp_path):
    path = log(tmp_path / "log", ROWS)
    whole = path.read_bytes()
    for data, problem in [
        (b"", "not the log"),
        (whole[:40], "not the log"),
        (b"client,number\n" * 20, r"begins with b'client,n'"),
        (whole[:8] + b"\x09" + whole[9:], "version 9"),
        (whole[:32] + b"\xff" + whole[33:], "not possible"),
    ]:
        path.write_bytes(data)
        with pytest.raises(BadLog, match=rf"log:0: .*{problem}"):
            rate.read(path)


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ((-1, 1, 2, 0, 0, 200), "a time below 0"),
        ((5, 4, 6, 0, 0, 200), "sent before it was due"),
        ((5, 0, 6, 0, 0, 200), "ended before it was sent"),
        ((5, 6, 5, 0, 0, 200), "ended before it was sent"),
        ((5, 6, 7, 0, 0, 0), "an unknown status"),
        ((5, 6, 7, 0, 0, -7), "an unknown status"),
        ((5, 6, 7, 0, 4, 200), "a connection"),
        ((5, 6, 7, -1, 0, 200), "a reply of less than 0 bytes"),
    ],
)
def test_impossible_rows_are_refused_with_their_number(tmp_path, row, problem):
    path = log(tmp_path / "log", [*ROWS, row])
    for read in (rate.read, rate.reduce, lambda path: rate.reduce(path, 2)):
        with pytest.raises(BadLog, match=f"log:7: {problem}"):
            read(path)


def test_the_reduced_form_has_all_requests_by_bin_and_outcome(tmp_path):
    reduced = rate.reduce(log(tmp_path / "log", ROWS), piece_rows=2)
    assert rate_intervals.counts(reduced).to_dict() == {
        "ok": 2, "HTTP 503": 1, "SOAP fault": 1, "never sent": 1, "unfinished": 1
    }  # fmt: skip
    assert rate_intervals.throughput(reduced).to_numpy().tolist() == [
        [0, 0, 1, 1, 896],
        [1, 0.5, 0, 1, 0],
        [2, 1, 1, 0, 100],
    ]
    assert rate_intervals.quantiles(reduced, [0.5, 1]) == pytest.approx([3, 301], rel=RELATIVE_ERROR)
    assert rate_intervals.quantiles(reduced, [0.5, 1], measure="service") == pytest.approx([2, 300], rel=RELATIVE_ERROR)
    assert rate_intervals.quantiles(reduced, 0.9, 0, 1) == pytest.approx([3], rel=RELATIVE_ERROR)
    assert np.isnan(rate_intervals.quantiles(reduced, 0.9, 1, 1)).all()
    with pytest.raises(BadParameter, match="measure"):
        rate_intervals.quantiles(reduced, 0.5, measure="requests")
    with pytest.raises(BadParameter, match="from 0 to 1"):
        rate_intervals.quantiles(reduced, 50)


def test_pieces_do_not_matter_and_the_file_keeps_it_all(tmp_path):
    random = np.random.default_rng(1)
    path = log(tmp_path / "log", made(random.lognormal(0, 2, 5000), random.exponential(1, 5000)))
    reduced = rate.reduce(path)
    pd.testing.assert_frame_equal(rate.reduce(path, 7), reduced)
    for name in ("intervals.csv", "intervals.csv.xz"):
        rate_intervals.write_intervals(reduced, tmp_path / name)
        pd.testing.assert_frame_equal(rate_intervals.read_intervals(tmp_path / name), reduced)
    first = (tmp_path / name).read_bytes()
    rate_intervals.write_intervals(reduced, tmp_path / name)
    assert (tmp_path / name).read_bytes() == first
    assert {one.name for one in tmp_path.iterdir()} == {"log", "intervals.csv", "intervals.csv.xz"}


def test_a_long_run_is_kept_in_tens_of_kilobytes(tmp_path):
    random = np.random.default_rng(2)
    path = log(tmp_path / "log", made(random.lognormal(1, 1, 150_000), random.exponential(2, 150_000), gap_ms=0.1))
    rate_intervals.write_intervals(rate.reduce(path), tmp_path / "intervals.csv.xz")
    assert (tmp_path / "intervals.csv.xz").stat().st_size < 60_000


def test_equal_measures_are_kept_once(tmp_path):
    reduced = rate.reduce(log(tmp_path / "log", made(np.linspace(1, 5, 100), np.zeros(100))))
    assert set(reduced["measure"]) == {"requests", "both"}
    assert rate_intervals.quantiles(reduced, 0.5, measure="service") == rate_intervals.quantiles(reduced, 0.5)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", ":1: cut"),
        ("a,b\n1,2\n", "the columns are"),
        ("bin,measure,status,bucket,count,bytes\n0,requests,200,0,x,0\n", "not a run's counts"),
        ("bin,measure,status,bucket,count,bytes\n0,request,200,0,1,0\n", r":2: not possible"),
        ("bin,measure,status,bucket,count,bytes\n0,requests,200,0,2,0\n0,both,200,9,1,0\n", "different numbers"),
        ("bin,measure,status,bucket,count,bytes\n0,both,200,9,1,0\n", "different numbers"),
    ],
)
def test_what_is_no_reduced_form_is_refused(tmp_path, text, problem):
    (tmp_path / "intervals.csv").write_text(text)
    with pytest.raises(BadLog, match=problem):
        rate_intervals.read_intervals(tmp_path / "intervals.csv")


def test_a_reduced_form_without_its_last_digits_is_refused(tmp_path):
    path = tmp_path / "intervals.csv"
    rate_intervals.write_intervals(rate.reduce(log(tmp_path / "log", ROWS)), path)
    whole = path.read_bytes()
    for cut in range(1, len(whole)):  # at any byte but that after a whole line, where sums are all that can tell
        if not whole[:-cut].endswith(b"\n"):
            path.write_bytes(whole[:-cut])
            with pytest.raises(BadLog, match=r"intervals\.csv:\d+: cut"):
                rate_intervals.read_intervals(path)


def test_a_cut_reduced_form_is_refused(tmp_path):
    path = tmp_path / "intervals.csv.xz"
    rate_intervals.write_intervals(rate.reduce(log(tmp_path / "log", ROWS)), path)
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(BadLog, match="cut"):
        rate_intervals.read_intervals(path)


def made(service_ms, waited_ms, gap_ms=1.0):
    """Return rows of good replies with these times."""
    intended = (np.arange(len(service_ms)) * gap_ms * MS).astype(np.int64)
    sent = np.maximum(intended + (np.asarray(waited_ms) * MS).astype(np.int64), 1)
    ended = sent + np.maximum((np.asarray(service_ms) * MS).astype(np.int64), 1)
    return list(zip(intended, sent, ended, [896] * len(sent), [0] * len(sent), [200] * len(sent), strict=True))


@given(st.lists(st.integers(1000, 10**12), min_size=1))
def test_a_bucket_tells_a_time_within_the_bound(times_ns):
    found = middle_ms(buckets_of(np.array(times_ns)))
    assert (np.abs(found / (np.array(times_ns) / MS) - 1) <= RELATIVE_ERROR + 1e-9).all()


def test_buckets_are_one_percent_wide():
    widths = np.diff(middle_ms(np.arange(2000))) / middle_ms(np.arange(1999))
    assert widths == pytest.approx(0.01)
    assert buckets_of(np.array([1, 999, 1000, 1005, 1011])).tolist() == [0, 0, 0, 0, 1]


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.floats(0.001, 5000), st.floats(0, 5000)), min_size=1, max_size=60),
    st.lists(st.floats(0, 1), min_size=1, max_size=4),
    st.sampled_from([("response", "intended_ns"), ("service", "sent_ns")]),
)
def test_quantiles_are_exact_but_for_the_bound(times, shares, measure):
    rows = np.array(made(*zip(*times, strict=True)), ROW)
    reducer = Reducer()
    reducer.add(rows)
    bins = rows["ended_ns"] // (500 * MS)
    low = int(np.sort(bins)[len(bins) // 2])
    for first, last in ((0, None), (low, low), (0, low)):
        chosen = rows[(bins >= first) & (bins <= (np.inf if last is None else last))]
        times_ms = np.sort(chosen["ended_ns"] - chosen[measure[1]]) / MS
        # A rank that is whole but for the share's rounding is that whole number.
        exact = [times_ms[max(1, int(np.ceil(round(q * len(times_ms), 9)))) - 1] for q in shares]
        found = rate_intervals.quantiles(reducer.intervals(), shares, first, last, measure[0])
        assert np.abs(found / np.maximum(exact, 0.001) - 1).max() <= RELATIVE_ERROR + 1e-9


def test_quantiles_of_many_times_agree_with_numpys(tmp_path):
    random = np.random.default_rng(3)
    path = log(tmp_path / "log", made(random.lognormal(0, 1, 20_000), random.exponential(5, 20_000)))
    frame, shares = rate.read(path), [0.01, 0.25, 0.5, 0.9, 0.999]
    exact = np.quantile(frame["response_ms"], shares, method="inverted_cdf")
    assert rate_intervals.quantiles(rate.reduce(path), shares) == pytest.approx(exact, rel=RELATIVE_ERROR)
