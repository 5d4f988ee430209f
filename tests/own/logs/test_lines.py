"""What is no request in others' logs: set aside, counted and shown, whatever the format."""

import gzip
import lzma
import zlib

import numpy as np
import polars as pl
import pytest

from perfstudies.errors import BadLog, BadParameter
from perfstudies.own.logs import files, formats
from perfstudies.own.logs.observe import observe, read
from perfstudies.own.logs.requests import BROKEN, CUT, NEGATIVE, NO_OUTCOME, NO_START, NO_TIME, OTHER, TOO_LONG, WIDTH
from perfstudies.own.logs.samples import FOLDER, SAMPLES

JTL = "timeStamp,elapsed,label,success,Connect\n"
GOOD = "1700000000000,12,get,true,1\n"


def _write(path, text):
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def _aside(path, **options):
    found = observe({"it": path}, **options)
    return found, found.set_aside[["line", "problem"]].values.tolist()


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("1700000000000,x,get,true,1", NO_TIME),
        ("1700000000000,,get,true,1", NO_TIME),
        ("1700000000000,-3,get,true,1", NEGATIVE),
        ("1700000000000,nan,get,true,1", NO_TIME),
        ("1700000000000,inf,get,true,1", NO_TIME),
        ("1700000000000,1e308,get,true,1", TOO_LONG),
        ("1700000000000,1e23,get,true,1", TOO_LONG),
        ("1e308,5,get,true,1", NO_START),
        ("1700000000000,5,get,yes,1", NO_OUTCOME),
        ("yesterday,5,get,true,1", NO_START),
        ("1700000000000,5,get,true", WIDTH),
        ("1700000000000,5,get,true,1,7", WIDTH),
        ("java.lang.OutOfMemoryError: Java heap space", WIDTH),
    ],
)
def test_a_bad_line_of_jmeters_is_set_aside_with_its_place(tmp_path, line, problem):
    path = _write(tmp_path / "a.jtl", f"{JTL}{GOOD}{line}\n{GOOD}")
    found, aside = _aside(path)
    assert (found.runs["requests"].tolist(), aside, found.set_aside_lines) == ([2], [[3, problem]], 1)
    assert found.set_aside[["file", "text"]].values.tolist() == [[str(path), line]]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_the_aaa_studys_lines_are_read_whatever_their_end(tmp_path, end, pack):
    path = _write(tmp_path / f"Total_Timelog{'.gz' * (pack is gzip.compress)}", pack(f"512;{end}0;{end}".encode()))
    assert read(path).collect()["elapsed_ms"].to_list() == [512, 0] and formats.detect(path).name == "timelog"


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("498\n", OTHER),  # cut before its semicolon
        ("49", CUT),
        ("49;", CUT),
        ("\n", OTHER),
        ("-1;\n", NEGATIVE),
        ("client,number\n", OTHER),
        ("512;498;\n", NO_TIME),
    ],
)
def test_what_is_no_line_of_the_aaa_studys_is_set_aside(tmp_path, line, problem):
    found, aside = _aside(_write(tmp_path / "Total_Timelog", f"512;\n{line}"), format="timelog")
    assert (found.runs["requests"].tolist(), aside) == ([1], [[2, problem]])


def test_a_record_over_several_lines_is_one_and_the_lines_after_it_keep_their_numbers(tmp_path):
    many = '1700000000000,12,"get\nall, of ""it""",false,1\n'
    found, aside = _aside(_write(tmp_path / "a.jtl", JTL + many + GOOD + "1,x,get,true,1\n"))
    assert found.runs[["requests", "errors"]].values.tolist() == [[2, 1]]
    assert set(found.operations["operation"]) == {"get", 'get\nall, of "it"'}
    assert aside == [[5, NO_TIME]]
    assert found.set_aside["text"][0] == "1,x,get,true,1"


@pytest.mark.parametrize("label", ["get", '"get\nall"'])
def test_a_bad_line_far_down_is_found(tmp_path, label):
    good = f"1700000000000,12,{label},true,1\n"
    wrong = "1700000000000,oops,get,true,1\n"
    content = JTL + good * 90_000 + wrong + good * 40_000 + wrong
    found, aside = _aside(_write(tmp_path / "a.jtl", content))
    at = 2 + 90_000 * good.count("\n")
    assert aside == [[at, NO_TIME], [at + 1 + 40_000 * good.count("\n"), NO_TIME]]
    assert found.set_aside["text"].tolist() == [wrong.strip()] * 2


def test_a_last_line_without_its_end_is_set_aside_even_if_it_looks_whole(tmp_path):
    path = _write(tmp_path / "access.log", '[22/Nov/2026:20:01:47 +0000] "GET / HTTP/1.1" 200 1.25\n' * 2)
    pattern = '[$time_local] "$request" $status $request_time'
    whole, _ = _aside(path, format="nginx", pattern=pattern)
    assert whole.runs["max_ms"].tolist() == [1250.0]
    _write(path, path.read_bytes()[:-3])  # now its time reads 1.
    cut, aside = _aside(path, format="nginx", pattern=pattern)
    assert (cut.runs["requests"].tolist(), aside) == ([1], [[2, CUT]])


def _form(sample):
    return formats.detect(sample.path) if sample.format is None else formats.FORMATS[sample.format]


@pytest.mark.parametrize("sample", [one for one in SAMPLES if _form(one).requests], ids=lambda sample: sample.file)
def test_a_cut_sample_loses_only_its_last_line(tmp_path, sample):
    path = _write(tmp_path / "cut", sample.path.read_bytes().rstrip()[:-1])
    before, after = (observe({"it": one}, sample.format, sample.pattern) for one in (sample.path, path))
    lost = before.runs["requests"][0] - after.runs["requests"][0]
    # What is cut in the last line of these is a measurement or an event of another kind.
    if _form(sample).name in ("k6-csv", "k6-json", "gatling", "jmeter-xml"):
        assert lost == 0
    else:
        assert after.set_aside["problem"].iloc[-1] in (CUT, OTHER)
        assert lost in (0, 1)


@pytest.mark.parametrize(("suffix", "pack"), [(".gz", gzip.compress), (".xz", lzma.compress)])
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.file)
def test_a_packed_log_is_read_as_the_plain_one(tmp_path, sample, suffix, pack):
    path = _write(tmp_path / (sample.path.name + suffix), pack(sample.path.read_bytes()))
    plain, packed = (observe({"it": one}, sample.format, sample.pattern) for one in (sample.path, path))
    assert plain.runs.drop(columns="run").equals(packed.runs.drop(columns="run"))
    assert plain.set_aside.drop(columns="file").equals(packed.set_aside.drop(columns="file"))


@pytest.mark.parametrize(("suffix", "pack"), [(".gz", gzip.compress), (".xz", lzma.compress)])
def test_a_cut_archive_yields_what_can_be_read_of_it(tmp_path, suffix, pack):
    content = JTL + "".join(f"17000000{at:05},{at % 97},get,true,{at}\n" for at in range(50_000))
    packed = pack(content.encode())
    found = observe({"it": _write(tmp_path / f"a.jtl{suffix}", packed[: len(packed) * 2 // 3])})
    requests = found.runs["requests"][0]
    assert 100 < requests < 50_000
    assert found.set_aside["problem"].tolist() == [CUT]
    assert found.sources[0].endswith(f"CUT: {requests:,} requests stand before that")


def test_an_archive_that_was_cut_between_two_lines_says_so(tmp_path):
    packer = zlib.compressobj(wbits=31)
    packed = packer.compress((JTL + GOOD * 3).encode()) + packer.flush(zlib.Z_SYNC_FLUSH)  # and no trailer
    found, aside = _aside(_write(tmp_path / "a.jtl.gz", packed))
    assert (found.runs["requests"].tolist(), aside) == ([3], [[5, CUT]])
    assert "CUT: 3 requests" in found.sources[0]


def test_a_cut_is_told_however_many_lines_were_set_aside_before_it(tmp_path):
    found, aside = _aside(_write(tmp_path / "a.jtl", JTL + GOOD + "x\n" * 150 + GOOD[:-1]))
    assert found.set_aside_lines == 151 and len(aside) == 100
    assert aside[-1] == [153, CUT] and "CUT: 1 requests" in found.sources[0]


def test_the_first_rows_are_no_more_than_asked_for():
    def make(size):
        yield from (pl.DataFrame({"line": [start, start + 1, start + 2]}) for start in (0, 3, 6))

    found = files.from_batches(make, {"line": pl.Int64})
    late = pl.col("line") > 3
    chosen = (found.head(2), found.head(5), found.filter(late).head(2), found.head(5).filter(late), found)
    assert [one.collect()["line"].to_list() for one in chosen] == [[0, 1], [*range(5)], [4, 5], [4], [*range(9)]]


def test_a_damaged_archive_of_jmeters_xml_is_refused(tmp_path):
    # Longer than the head by which a format is known: the checksum is met when the requests have been read.
    samples = '<httpSample t="12" ts="1700000000000" s="true" lb="get"/>\n' * 5000
    results = f'<?xml version="1.0"?>\n<testResults version="1.2">{samples}</testResults>'
    packed = bytearray(gzip.compress(results.encode()))
    packed[-6] ^= 1  # of its checksum
    with pytest.raises(BadLog, match="does not fit its checksum"):
        observe({"it": _write(tmp_path / "a.jtl.gz", bytes(packed))})


@pytest.mark.parametrize(("suffix", "pack"), [(".gz", gzip.compress), (".xz", lzma.compress)])
def test_a_damaged_archive_is_never_believed(tmp_path, suffix, pack):
    content = JTL + "".join(f"17000000{at:05},{at % 97},get,true,{at}\n" for at in range(20_000))
    packed = pack(content.encode())
    path = _write(tmp_path / f"a.jtl{suffix}", packed)
    whole = observe({"it": path}).runs
    random = np.random.default_rng(3)
    # Of gzip's head some bits mean nothing, such as its time; the last eight bytes are its checksum and length.
    for at in [*random.integers(40, len(packed), 12), len(packed) - 6]:
        flipped = bytearray(packed)
        flipped[at] ^= 1 << random.integers(8)
        try:
            found = observe({"it": _write(path, bytes(flipped))})
        except BadLog as error:
            assert str(error).startswith(f"{path}:"), error
        else:
            assert found.runs.equals(whole)


def test_that_an_archive_was_cut_is_left_to_who_reads_it(tmp_path):
    with pytest.raises(EOFError), files.refusing_damage(tmp_path / "log.gz"):
        raise EOFError


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.file)
def test_a_wrong_checksum_is_found_in_every_format(tmp_path, sample):
    packed = bytearray(gzip.compress(sample.path.read_bytes()))
    packed[-6] ^= 4
    with pytest.raises(BadLog, match="damaged"):
        observe({"it": _write(tmp_path / f"{sample.path.name}.gz", bytes(packed))}, sample.format, sample.pattern)


def test_lines_that_end_as_on_windows_and_bytes_that_are_no_text(tmp_path):
    content = JTL.replace("\n", "\r\n").encode() + b"1700000000000,12,g\xe9t,true,1\r\n" * 2
    found, aside = _aside(_write(tmp_path / "a.jtl", content))
    assert (found.runs["requests"].tolist(), aside) == ([2], [])
    lines = b"1700000000 took 5 ms \xff\r\n"
    found, _ = _aside(_write(tmp_path / "b.log", lines * 3), format="lines", pattern=r"took (?<elapsed_ms>\d+) ms")
    assert found.runs["requests"].tolist() == [3]


@pytest.mark.parametrize(
    "odd", [["{},{}"], ['{"a":[1', "2]}", '{"a":1},{"a":2}'], ['{"a":"{}', '{}"}', "{},{}", "{}"], ["[{}]", "{}"]]
)
def test_objects_that_share_lines_or_go_over_several_move_no_other(tmp_path, odd):
    lines = (FOLDER / "vegeta/run.json").read_text().splitlines()
    path = _write(tmp_path / "run.json", "\n".join([*lines[:3], *odd, *lines[3:], ""]))
    found, aside = _aside(path, format="vegeta-json")
    assert found.runs["requests"].tolist() == [len(lines)]
    assert [line for line, _ in aside] == list(range(4, 4 + len(odd)))


def test_a_line_of_json_that_is_none_costs_only_itself(tmp_path):
    lines = (FOLDER / "vegeta/run.json").read_text().splitlines(keepends=True)
    lines[5:5] = ["oops\n", '{"latency": "soon", "code": 200, "method": "GET"}\n', "[1, 2]\n"]
    found, aside = _aside(_write(tmp_path / "run.json", "".join(lines)), format="vegeta-json")
    assert found.runs["requests"].tolist() == [len(lines) - 3]
    assert [line for line, _ in aside] == [6, 7, 8]
    assert [problem for _, problem in aside] == [OTHER, NO_TIME, OTHER]


def test_foreign_lines_between_measurements_of_k6_are_noticed(tmp_path):
    rows = (FOLDER / "k6/run.csv").read_text().splitlines(keepends=True)
    _, aside = _aside(_write(tmp_path / "run.csv", "".join([*rows[:3], "panic: out of memory\n", *rows[3:]])))
    assert aside == [[4, OTHER]]
    rows = (FOLDER / "k6/run.json").read_text().splitlines(keepends=True)
    _, aside = _aside(_write(tmp_path / "run.json", "".join([*rows[:3], "panic: out of memory\n", *rows[3:]])))
    assert aside == [[4, OTHER]]


def test_only_the_first_hundred_are_shown_all_are_counted(tmp_path):
    path = _write(tmp_path / "a.jtl", JTL + GOOD + "no request\n" * 5_000)
    found, aside = _aside(path)
    assert (found.set_aside_lines, len(aside), aside[-1][0]) == (5_000, 100, 102)


def test_long_lines_are_shown_by_their_start(tmp_path):
    found, _ = _aside(_write(tmp_path / "a.jtl", JTL + GOOD + "<script>" * 1_000 + "\n"))
    assert found.set_aside["text"][0] == ("<script>" * 1_000)[: files.TEXT]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "it is empty"),
        ("\n\n", "it is empty"),
        ("once upon a time\n", "its format is not known; known are jmeter-csv, "),
        (b"\x89PNG\r\n\x1a\n\0\0", "its format is not known"),
        ('127.0.0.1 - - [22/Nov/2026:20:01:47 +0000] "GET / HTTP/1.1" 200 29\n', "it looks like an access log: give"),
        (JTL, "no request of JMeter's .jtl as CSV in it, 0 lines set aside"),
        (JTL + "x,x,x,x,x\n", "1 lines set aside; the first, line 2: its time is no number: 'x,x,x,x,x'"),
        ("timeStamp,elapsed,label\n1,2,a\n", "no column success"),
        ("RUN\tReader\treader\t1\t \t3.9.5\n", "without any request"),
    ],
)
def test_a_file_that_is_no_log_says_what_to_do(tmp_path, content, said):
    path = _write(tmp_path / "some.log", content)
    with pytest.raises(BadLog, match=said) as caught:
        observe({"it": path})
    assert caught.value.path == path


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"format": "jmeter"}, "Did you mean 'jmeter-xml'|Did you mean 'jmeter-csv'"),
        ({"format": "nginx"}, "needs a pattern: the log format of the server's configuration"),
        ({"format": "jmeter-csv", "pattern": "x"}, "takes no pattern"),
        ({"pattern": "x"}, "say whose it is by format"),
    ],
)
def test_format_and_pattern_have_to_fit(tmp_path, options, said):
    with pytest.raises(BadParameter, match=said):
        observe({"it": _write(tmp_path / "a.jtl", JTL + GOOD)}, **options)


def test_a_path_that_is_wrong_says_what_to_do(tmp_path):
    with pytest.raises(BadParameter, match=r"logs\['new'\]: no file matches 'logs/\*.jtl'; give a path from"):
        observe({"new": "logs/*.jtl"}, root=tmp_path)
    with pytest.raises(BadParameter, match="logs is empty"):
        observe({})
    with pytest.raises(BadLog, match="there is no such file"):
        read(tmp_path / "none.jtl")


def test_a_file_is_a_run_and_patterns_name_several(tmp_path):
    for folder in ("old", "new"):
        (tmp_path / folder).mkdir()
        for run in (1, 2):
            _write(tmp_path / folder / f"run-{run}.jtl", JTL + GOOD * run)
    found = observe({"old": "old/*.jtl", "new": ["new/run-2.jtl", tmp_path / "new/run-1.jtl"]}, root=tmp_path)
    assert found.runs[["setting", "run", "requests"]].values.tolist() == [
        ["old", "run-1.jtl", 1], ["old", "run-2.jtl", 2], ["new", "run-2.jtl", 2], ["new", "run-1.jtl", 1],
    ]  # fmt: skip
    both = observe({"all": "*/run-1.jtl"}, root=tmp_path)
    assert both.runs["run"].tolist() == ["new/run-1.jtl", "old/run-1.jtl"]
    assert both.sources == ("new/run-1.jtl: JMeter's .jtl as CSV", "old/run-1.jtl: JMeter's .jtl as CSV")


def test_requests_and_aggregates_stand_beside_each_other():
    found = observe({"totals": FOLDER / "locust/run_stats.csv", "requests": FOLDER / "locust/requests.csv"})
    assert found.runs["setting"].tolist() == ["totals", "requests"]
    assert found.operations["setting"].unique().tolist() == ["totals", "requests"]


XML = '<?xml version="1.0"?>\n{}<testResults version="1.2">\n{}\n</testResults>\n'
PART = '<sample t="1" ts="1" s="true" lb="part"/>'
SAMPLE = f'<httpSample t="{{}}" ts="1700000000000" s="true" lb="get">{PART}</httpSample>'


def test_parts_of_a_sample_are_not_counted(tmp_path):
    found = observe({"it": _write(tmp_path / "a.jtl", XML.format("", SAMPLE.format(5)))})
    assert found.operations[["operation", "requests", "mean_ms"]].values.tolist() == [["get", 1, 5.0]]


def test_a_controller_s_record_after_its_samples_is_not_counted(tmp_path):
    message = "Number of samples in transaction : 2, number of failing samples : 0"
    heading = "timeStamp,elapsed,label,responseMessage,success\n"
    own = f'1700000000200,200,checkout,"{message}",true\n'
    for plain, count in ((100, 2), (None, 0)):
        samples = "".join(f"170000000{at}000,{plain},get,OK,true\n" for at in range(count))
        found = observe({"it": _write(tmp_path / "a.jtl", heading + samples + own)})
        wanted = ["get", 2, 100.0] if count else ["checkout", 1, 200.0]  # generated parents stand alone
        assert found.operations[["operation", "requests", "mean_ms"]].values.tolist() == [wanted]
    after = f'<sample t="200" ts="1700000000000" s="true" lb="checkout" rm="{message}"/>'
    around = after.replace("/>", f">{PART}</sample>")
    found = observe({"it": _write(tmp_path / "b.jtl", XML.format("", SAMPLE.format(5) + after + around))})
    assert found.operations[["operation", "requests"]].values.tolist() == [["checkout", 1], ["get", 1]]


@pytest.mark.parametrize(("text", "at_s"), [("20:01:47.123Z", 0), ("21:01:47,123+01:00", 0), ("20:01:47.123", 0)])
def test_times_of_day_may_have_a_zone(tmp_path, text, at_s):
    path = _write(tmp_path / "a.log", f"2026-11-22T{text} took 5 ms\n")
    pattern = r"^(?<end_time>\S+) took (?<elapsed_ms>\d+) ms$"
    (start_s,) = read(path, "lines", pattern).collect()["start_s"]
    assert start_s == pytest.approx(1795377707.123 - 0.005 + at_s)


def test_failed_answers_of_wrk2_are_a_share_of_what_was_sent(tmp_path):
    said = (FOLDER / "wrk2" / "latency.txt").read_text()
    sent = "  60018 requests in 30.00s, 19.81MB read\n"
    for failed, errors in ((12_000, 7898), (60_018, 39_500)):
        told = said.replace(sent, f"{sent}  Non-2xx or 3xx responses: {failed}\n")
        path = _write(tmp_path / "wrk2.txt", told)
        assert observe({"it": path}).runs["errors"].tolist() == [errors]
    # What -U prints besides is the times as they were sent, and another distribution.
    begin, end = (said.index(one) for one in ("Detailed Percentile spectrum:", "-" * 58))
    second = said[begin:end].replace("#[Max     =       12", "#[Max     =        9")
    found = observe({"it": _write(tmp_path / "twice.txt", said[:end] + second + said[end:])}).runs
    assert found["requests"].tolist() == [39_500] and found["max_ms"].tolist() == [12.496]


def test_a_document_type_is_refused(tmp_path):
    secret = _write(tmp_path / "secret", "secret")
    entity = f'<!DOCTYPE testResults [<!ENTITY it SYSTEM "file://{secret}">]>\n'
    with pytest.raises(BadLog, match="a document type"):
        observe({"it": _write(tmp_path / "a.jtl", XML.format(entity, SAMPLE.format(5)))})


def test_xml_that_breaks_off_keeps_what_came_before(tmp_path):
    whole = XML.format("", "\n".join(SAMPLE.format(time_ms) for time_ms in (1, 2, "x", 4)))
    found, aside = _aside(_write(tmp_path / "a.jtl", whole[: whole.rindex("<httpSample") + 20]))
    assert found.runs["requests"].tolist() == [2]
    assert [problem for _, problem in aside] == [NO_TIME, BROKEN]
    assert aside[0][0] == 5


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize(
    ("content", "line", "problem"),
    [
        (b"512;\n" + b"1" * (files.LONGEST_LINE_BYTES + 2_000_000), 2, "longer than 16,777,216 bytes"),
        (b"512;\n" * 300_000 + b"\n" * 2_000_000, 209_716, "line ends in 1,048,576 bytes"),
    ],
    ids=["one long line", "blank lines"],
)
def test_what_is_no_log_is_refused_before_memory_is_full_of_it(tmp_path, content, line, problem, pack):
    path = _write(tmp_path / f"Total_Timelog{'.gz' * (pack is gzip.compress)}", pack(content))
    with pytest.raises(BadLog, match=problem) as refused:
        observe({"it": path}, format="timelog")
    assert f":{line}: " in str(refused.value)


def test_a_log_of_gatling_s_without_a_line_end_is_refused_before_memory_is_full_of_it(tmp_path):
    path = _write(
        tmp_path / "simulation.log.gz", gzip.compress(b"RUN\t" + b"\0" * (files.LONGEST_LINE_BYTES + 2_000_000))
    )
    with pytest.raises(BadLog, match="longer than 16,777,216 bytes"):
        observe({"it": path})


def test_a_packed_log_that_unpacks_to_too_much_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "UNPACKED_BYTES", 4_000_000)
    path = _write(tmp_path / "Total_Timelog.gz", gzip.compress(b"512;\n" * 1_000_000))
    with pytest.raises(BadLog, match="more than 4,000,000 bytes when it is unpacked"):
        observe({"it": path}, format="timelog")


def test_the_shortest_lines_of_a_log_are_read(tmp_path):
    path = _write(tmp_path / "Total_Timelog", b"5;\n" * 1_000_000)
    assert observe({"it": path}).runs["requests"].tolist() == [1_000_000]
