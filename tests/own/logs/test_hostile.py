"""Logs, names and patterns that mean no good: a refusal by name, or a line that is set aside with its place."""

import gzip
import json
import lzma

import pytest

from made.bounded import bounded
from perfstudies.errors import BadLog, BadParameter, PerfstudiesError
from perfstudies.own.logs.observe import observe

JTL = "timeStamp,elapsed,label,success,Connect\n1700000000000,12,get,true,1\n"
XML = '<?xml version="1.0"?>\n<testResults version="1.2">\n<httpSample t="5" ts="1700000000000" s="true" lb="get"/>\n'
VEGETA = {"timestamp": "2026-11-22T20:01:47Z", "code": 200, "latency": 5e6, "method": "GET", "url": "http://a/b"}
STATS = (
    "Type,Name,Request Count,Failure Count,Median Response Time,Average Response Time,Min Response Time,"
    "Max Response Time,Average Content Size,Requests/s,Failures/s,50%,90%,99%\n"
)
HISTORY = (
    "Timestamp,User Count,Type,Name,Total Request Count,Total Failure Count,Total Median Response Time,"
    "Total Average Response Time,Total Max Response Time\n"
)
HDR = "Value   Percentile   TotalCount 1/(1-Percentile)\n1.0 0.5 1 2.0\n2.0 1.0 2 inf\n"
TOTAL = "#[Mean = 1.5, StdDeviation = 0.5]\n#[Max = 2.0, Total count = 2]\n"


def _vegeta(**more):
    return f"{json.dumps(VEGETA)}\n{json.dumps(VEGETA | more)}\n{json.dumps(VEGETA)}\n"


SET_ASIDE = {
    "year 99999": ("vegeta-json", _vegeta(timestamp="99999-11-22T20:01:47Z"), 2),
    "year 1": ("vegeta-json", _vegeta(timestamp="0001-01-01T00:00:00Z"), 2),
    "year -1": ("vegeta-json", _vegeta(timestamp="-0001-11-22T20:01:47Z"), 2),
    "the 31st of February": ("vegeta-json", _vegeta(timestamp="2026-02-31T20:01:47Z"), 2),
    "a number of 400 digits": ("vegeta-json", _vegeta(latency=10**400), 2),
    "1e308 ns": ("vegeta-json", _vegeta(latency=1e308), 2),
    "-1 ns": ("vegeta-json", _vegeta(latency=-1), 2),
    "NaN": ("vegeta-json", _vegeta(latency=float("nan")), 2),
    "a list in the place of a number": ("vegeta-json", _vegeta(latency=[5]), 2),
    "deep JSON": ("vegeta-json", _vegeta().replace("\n", "\n" + "[" * 200_000 + "\n", 1), 2),
    "deep JSON that ends": ("vegeta-json", _vegeta().replace("\n", "\n" + "[" * 9000 + "]" * 9000 + "\n", 1), 2),
    "half a surrogate": ("vegeta-json", _vegeta().replace("\n", '\n{"method": "\\ud800", "latency": "x"}\n', 1), 2),
    "1e23 ms": ("perf4j", "start[1] time[5] tag[a]\nstart[1] time[1e23] tag[a]\n", 2),
    "NaN ms": ("perf4j", "start[1] time[5] tag[a]\nstart[1] time[NaN] tag[a]\n", 2),
    "a start of 30 digits": ("perf4j", f"start[1] time[5] tag[a]\nstart[{'9' * 30}] time[5] tag[a]\n", 2),
    "a start of 400 digits": ("perf4j", f"start[1] time[5] tag[a]\nstart[{'9' * 400}] time[5] tag[a]\n", 2),
    "digits of another script": ("perf4j", "start[1] time[5] tag[a]\nstart[1] time[٣] tag[a]\n", 2),
    "NUL": ("jmeter-csv", JTL + "\0\0\0\n", 3),
    "a line end of old": ("jmeter-csv", JTL + "1700000000000,1\r2,get,true,1\n", 3),
    "a separator that no log has": ("timelog", "5;\n5\x1f;\n", 2),
    "XML: 1e308": ("jmeter-xml", XML + '<sample t="1e308" ts="1" s="true" lb="a"/>\n</testResults>\n', 4),
    "XML: NaN": ("jmeter-xml", XML + '<sample t="NaN" ts="1" s="true" lb="a"/>\n</testResults>\n', 4),
    "XML: deep": ("jmeter-xml", XML + "<sample>" * 100_000, None),
    "XML: an attribute of 20 MB": ("jmeter-xml", XML + f'<sample t="5" lb="{"x" * 20_000_000}"/>', None),
    "XML: NUL": ("jmeter-xml", XML + '<sample t="5" lb="\0"/>', None),
    "XML: an entity that is not there": ("jmeter-xml", XML + '<sample t="5" ts="1" s="true" lb="&x;"/>', None),
}  # fmt: skip


@pytest.mark.parametrize(("form", "text", "line"), SET_ASIDE.values(), ids=SET_ASIDE)
@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress], ids=["plain", "gz", "xz"])
def test_a_hostile_line_is_set_aside_with_its_place(tmp_path, form, text, line, pack):
    path = tmp_path / f"some.log{ {gzip.compress: '.gz', lzma.compress: '.xz'}.get(pack, '') }"
    path.write_bytes(pack(text.encode()))
    with bounded():
        found = observe({"it": path}, format=form)
    assert found.runs["requests"][0] >= 1 and found.runs["max_ms"][0] <= 12
    assert found.set_aside_lines if line is None else found.set_aside["line"].tolist() == [line]


REFUSED = {
    "XML in an encoding that there is not": ("jmeter-xml", XML.replace("?>", ' encoding="klingon"?>', 1)),
    "XML with a bomb": (
        "jmeter-xml", XML.replace("<test", '<!DOCTYPE t [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>\n<test', 1),
    ),
    "a heading with a line end of old": (None, "timeStamp,elapsed\rsuccess,label\n1,2,true\n"),
    "totals without a column": ("locust-stats", STATS.replace(",99%", "") + ",Aggregated,1,0,1,1,1,1,1,1,0,1,1\n"),
    "totals of 1e308": ("locust-stats", STATS + ",Aggregated,1e308,0,1,1,1,1,1,1,0,1,1,1\n"),
    "totals of inf": ("locust-stats", STATS + ",Aggregated,inf,0,1,1,1,1,1,1,0,1,1,1\n"),
    "totals with a quote": ("locust-stats", STATS + ',Aggregated,"1\r2"x\r,0,1,1,1,1,1,1,0,1,1,1\n'),
    "running totals of 1e308": ("locust-history", HISTORY + "1e308,1,,Aggregated,5,0,1,1,1\n"),
    "running totals of NaN": ("locust-history", HISTORY + "nan,1,,Aggregated,nan,0,1,1,1\n"),
    "percentiles of 400 digits": ("hdr", HDR.replace("2.0 1.0", "9" * 400 + " 1.0") + TOTAL),
    "percentiles with two points": ("hdr", HDR.replace("2.0 1.0", "2.0.0 1.0") + TOTAL),
    "percentiles that stop at a half": ("hdr", HDR.replace("2.0 1.0 2 inf\n", "") + TOTAL),
    "a total of 400 digits": ("hdr", HDR + TOTAL.replace("count = 2", "count = " + "9" * 400)),
    "binary": (None, "\0\1\2\3" * 100),
}  # fmt: skip


@pytest.mark.parametrize(("form", "text"), REFUSED.values(), ids=REFUSED)
def test_a_hostile_log_is_refused_by_its_name(tmp_path, form, text):
    path = tmp_path / "some.log"
    path.write_bytes(text.encode())
    with bounded(), pytest.raises(BadLog) as refused:
        observe({"it": path}, format=form)
    assert refused.value.path == path and len(str(refused.value)) < 1000 + len(str(path))


@pytest.mark.parametrize(
    "name",
    ["a\0b", "a" * 300, "a" * 5000, "\ud800", "\udcff", "**x", "[", "~nobody-of-this-name/x", "", "/", "\n", "*/" * 40],
)
def test_a_name_that_no_file_has_is_refused(tmp_path, name):
    with bounded(), pytest.raises(BadParameter):
        observe({"it": name}, root=tmp_path)


@pytest.mark.parametrize(
    "pattern",
    [
        "(?<elapsed_ms>", "(?<elapsed_ms>a{1000}{1000}{1000})", "(?<elapsed_ms>\\d+)(?=x)", "(?<e>x)", "*", "\0",
        "(?<elapsed_ms>\\d+)" * 2, "(" * 5000, "(?<elapsed_ms>\\1)",
    ],
    ids=lambda pattern: ascii(pattern)[:20],
)  # fmt: skip
def test_a_hostile_pattern_is_refused(tmp_path, pattern):
    (tmp_path / "a.log").write_text("took 5 ms\n")
    with bounded(), pytest.raises(PerfstudiesError):
        observe({"it": tmp_path / "a.log"}, format="lines", pattern=pattern)
