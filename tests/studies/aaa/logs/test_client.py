import gzip
import lzma

import numpy as np
import pandas as pd
import pytest

from perfstudies.errors import BadLog
from perfstudies.exchange import Exchange, Journal
from perfstudies.studies.aaa.logs import client

ANSWERED = Exchange(1, 0, 0, 1500, 514_000, 401.25, "ok", "", 321)
LOST = Exchange(0, 1, 2000, 2100, 9000, None, "lost", 'gone, "quoted"\nand more', 0)
PACK = {"": lambda data: data, ".gz": gzip.compress, ".xz": lzma.compress}


@pytest.fixture
def recorded(tmp_path):
    path = tmp_path / "client.csv"
    with Journal(path, tmp_path / "Total_Timelog", tmp_path / "EJB_Timelog") as journal:
        journal.add(ANSWERED)
        journal.add(LOST)
    return path


@pytest.mark.parametrize("suffix", PACK)
def test_what_is_recorded_is_read_back(recorded, suffix):
    path = recorded.with_name(f"client.csv{suffix}")
    path.write_bytes(PACK[suffix](recorded.read_bytes()))
    frame, truncated = client.read(path)
    assert truncated == 0 and list(frame["client"]) == [0, 1]
    lost, answered = frame.iloc[0], frame.iloc[1]
    assert (answered["ejb_ms"], answered["total_ms"], answered["bytes_in"]) == (401.25, 512.5, 321)
    assert (lost["outcome"], lost["detail"]) == ("lost", 'gone, "quoted" and more') and lost.isna()["ejb_ms"]


def test_the_studys_logs_are_written_beside_it(recorded):
    assert recorded.with_name("Total_Timelog").read_text() == "512;\n"
    assert recorded.with_name("EJB_Timelog").read_text() == "401;\n"


@pytest.mark.parametrize("suffix", PACK)
def test_a_cut_last_line_is_set_aside_and_counted(recorded, suffix):
    path = recorded.with_name(f"client.csv{suffix}")
    path.write_bytes(PACK[suffix](recorded.read_bytes()[:-5]))
    frame, truncated = client.read(path)
    assert (len(frame), truncated) == (1, 1)


@pytest.mark.parametrize("suffix", [".gz", ".xz"])
@pytest.mark.parametrize("left", [0.1, 0.5, 0.9, 0.999])
def test_a_cut_file_that_is_packed_is_refused(recorded, suffix, left):
    lines = recorded.read_text().splitlines(keepends=True)
    many = "".join([lines[0], *(f"1,{number},0,1,{number + 1},,ok,,{number**3}\n" for number in range(20_000))])
    data = PACK[suffix](many.encode())
    path = recorded.with_name(f"client.csv{suffix}")
    path.write_bytes(data[: int(len(data) * left)])
    with pytest.raises(BadLog, match=rf"client\.csv{suffix}:\d+: cut or damaged"):
        client.read(path)


@pytest.mark.parametrize("suffix", [".gz", ".xz"])
def test_a_flipped_bit_of_a_packed_file_never_passes(recorded, suffix):
    random = np.random.default_rng(7)
    lines = recorded.read_text().splitlines(keepends=True)
    many = "".join([lines[0], *(f"1,{number},0,1,{number + 1},,ok,,{number**3}\n" for number in range(2_000))])
    data = PACK[suffix](many.encode())
    path = recorded.with_name(f"client.csv{suffix}")
    path.write_bytes(data)
    whole, _ = client.read(path)
    for at in random.integers(0, len(data), 60):
        flipped = bytearray(data)
        flipped[at] ^= 1 << random.integers(8)
        path.write_bytes(flipped)
        try:
            frame, truncated = client.read(path)
        except BadLog:
            continue
        # Some bits mean nothing, as the time in gzip's head does.
        assert truncated == 0
        pd.testing.assert_frame_equal(frame, whole)


def test_a_record_without_requests_is_empty(tmp_path):
    Journal(tmp_path / "client.csv").__exit__()
    frame, truncated = client.read(tmp_path / "client.csv")
    assert frame.empty and truncated == 0 and "total_ms" in frame


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (",ok,", ",fine,", ":2: outcome: 'fine' is none of ok, soap fault"),
        (",1500,", ",soon,", ":2: started_us: invalid literal"),
        (",321", "", ":2: 8 columns instead of 9"),
        ("client,number", "client;number", ":1: not a record of AAA clients"),
        (",514000,", ",1400,", ":2: ended_us = 1400 comes before"),
        ("2000,2100", "2000,1999", ":3: started_us = 1999 comes before"),
        ("0,1,2000", "1,0,2000", ":3: request 0 of client 1 is on record twice"),
    ],
)
def test_any_other_broken_line_is_named(recorded, old, new, problem):
    recorded.write_text(recorded.read_text().replace(old, new, 1))
    with pytest.raises(BadLog, match=problem):
        client.read(recorded)


def test_an_empty_file_is_no_record(tmp_path):
    (tmp_path / "client.csv").touch()
    with pytest.raises(BadLog, match=":1: not a record of AAA clients: it is empty"):
        client.read(tmp_path / "client.csv")
