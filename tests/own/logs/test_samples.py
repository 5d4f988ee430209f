"""Every sample of others' logs, against a parser of its own that is written the long way."""

import csv
import json
import re
import statistics
import xml.etree.ElementTree as ElementTree
from datetime import datetime

import pytest

from perfstudies.errors import BadLog
from perfstudies.own.logs import formats
from perfstudies.own.logs.observe import observe
from perfstudies.own.logs.samples import APACHE, FOLDER, LOG4J, NGINX, SAMPLES, TOMCAT


def _csv(name):
    with (FOLDER / name).open(newline="") as file:
        return list(csv.DictReader(file))


def _lines(name):
    return (FOLDER / name).read_text().splitlines()


def _jmeter(name):
    return [(float(row["elapsed"]), row["success"] == "true", row["label"]) for row in _csv(name) if row["elapsed"]]


def _jmeter_xml(name):
    root = ElementTree.parse(FOLDER / name).getroot()
    return [(float(one.get("t")), one.get("s") == "true", one.get("lb")) for one in root]


def _k6_csv(name):
    rows = [row for row in _csv(name) if row["metric_name"] == "http_req_duration"]
    return [(float(r["metric_value"]), r["status"] == "200", f"{r['method']} {r['name']}") for r in rows]


def _k6_json(name):
    found = [json.loads(line) for line in _lines(name)]
    data = [one["data"] for one in found if one["metric"] == "http_req_duration" and one["type"] == "Point"]
    return [
        (one["value"], one["tags"]["status"] == "200", f"{one['tags']['method']} {one['tags']['name']}") for one in data
    ]


def _gatling(name):
    rows = [line.split("\t") for line in _lines(name) if line.startswith("REQUEST")]
    return [(float(row[4]) - float(row[3]), row[5] == "OK", row[2]) for row in rows]


def _vegeta_csv(name):
    with (FOLDER / name).open(newline="") as file:
        rows = list(csv.reader(file))
    return [(int(r[2]) / 1e6, r[1] == "200", f"{r[9]} {r[10].removeprefix('http://127.0.0.1:18080')}") for r in rows]


def _vegeta_json(name):
    found = [json.loads(line) for line in _lines(name)]
    return [
        (one["latency"] / 1e6, one["code"] == 200, f"GET {one['url'].removeprefix('http://127.0.0.1:18080')}")
        for one in found
    ]


def _access(place, to_ms):
    def parse(name):
        form = re.compile(r'.*?"(\w+) (/[^ ?]*)[^"]*" (\d+) (?:"(?:\\"|[^"])*"|[^" ]+| )*')
        rows = [form.fullmatch(line) for line in _lines(name)]
        words = [line.split(" ") for line in _lines(name)]
        return [
            (float(word[place]) * to_ms, row[3] < "400", f"{row[1]} {row[2]}")
            for row, word in zip(rows, words, strict=True)
        ]

    return parse


def _perf4j(name):
    rows = [re.findall(r"\[([^\]]*)\]", line) for line in _lines(name)]
    return [(float(row[1]), row[2].endswith("success"), row[2].split(".")[0]) for row in rows]


def _log4j(name):
    rows = [line.split(" - ")[1].split(" ") for line in _lines(name) if " took " in line]
    return [(float(row[2]), "status" not in row, row[0]) for row in rows]


def _axis(name):
    rows = [line.split(" ") for line in _lines(name)]
    parts = [dict(word.split("=") for word in row if "=" in word) for row in rows]
    return [(float(part["invoke"]), True, row[-1].split(".")[1]) for part, row in zip(parts, rows, strict=True)]


def _timelog(name):
    return [(float(line.rstrip(";")), True, "answer") for line in _lines(name)]


PARSERS = {
    "jmeter/level-1/run-1.jtl": _jmeter,
    "jmeter/plain-xml.jtl": _jmeter_xml,
    "locust/requests.csv": _jmeter,
    "k6/run.csv": _k6_csv,
    "k6/run.json": _k6_json,
    "gatling/simulation.log": _gatling,
    "vegeta/run.csv": _vegeta_csv,
    "vegeta/run.json": _vegeta_json,
    "nginx/access.log": _access(-1, 1000),
    "apache/access.log": _access(-1, 0.001),
    "tomcat/access-10.log": _access(-3, 0.001),
    "tomcat/access-9.log": _access(-3, 1),
    "perf4j/watches.log": _perf4j,
    "log4j/client.log": _log4j,
    "axis/server.log": _axis,
    "aaa/Total_Timelog": _timelog,
    "aaa/EJB_Timelog": _timelog,
}
BY_FILE = {sample.file: sample for sample in SAMPLES}


@pytest.mark.parametrize("file", PARSERS)
def test_a_sample_is_read_as_another_parser_reads_it(file):
    expected = PARSERS[file](file)
    sample = BY_FILE[file]
    found = observe({"it": sample.path}, sample.format, sample.pattern)
    run = found.runs.iloc[0]
    good_ms = [time_ms for time_ms, ok, _ in expected if ok]
    assert (run["requests"], run["errors"]) == (len(expected), len(expected) - len(good_ms))
    assert run["mean_ms"] == pytest.approx(statistics.fmean(good_ms), rel=1e-9)
    assert run["max_ms"] == pytest.approx(max(good_ms))
    assert run["sd_ms"] == pytest.approx(statistics.stdev(good_ms), rel=1e-6)
    counts = found.operations.set_index("operation")["requests"].to_dict()
    names = [name for *_, name in expected]
    assert counts == {name: names.count(name) for name in set(names)}


def test_every_sample_of_single_requests_has_a_parser_here():
    aggregates = {"locust/run_stats.csv", "locust/run_stats_history.csv"}
    assert set(BY_FILE) == set(PARSERS) | aggregates | {"wrk2/latency.txt", "hdrhistogram/latency.hgrm"}


def test_the_same_run_in_two_formats_is_the_same():
    for one, other in (("k6/run.csv", "k6/run.json"), ("vegeta/run.csv", "vegeta/run.json")):
        left, right = (observe({"it": FOLDER / name}).runs.iloc[0] for name in (one, other))
        numbers = ["requests", "errors", "mean_ms", "sd_ms", "p50_ms", "p99_ms", "max_ms"]
        assert left[numbers].to_list() == pytest.approx(right[numbers].to_list())


def test_locusts_totals_are_those_that_it_printed():
    row = next(row for row in _csv("locust/run_stats.csv") if row["Name"] == "Aggregated")
    found = observe({"it": FOLDER / "locust/run_stats.csv"})
    run = found.runs.iloc[0]
    assert run[["requests", "errors", "p50_ms", "p99_ms"]].tolist() == [
        int(row["Request Count"]), int(row["Failure Count"]), float(row["50%"]), float(row["99%"])
    ]  # fmt: skip
    assert run["mean_ms"] == float(row["Average Response Time"])
    assert found.runs[["start_s", "sd_ms"]].isna().all(axis=None)
    assert found.operations["requests"].sum() == run["requests"]
    assert found.spread.empty and found.windows.empty


def test_locusts_history_becomes_windows_that_add_up():
    rows = _csv("locust/run_stats_history.csv")
    found = observe({"it": FOLDER / "locust/run_stats_history.csv"})
    last = rows[-1]
    assert found.runs["requests"].tolist() == [int(last["Total Request Count"])] == [found.windows["requests"].sum()]
    assert found.windows["errors"].sum() == int(last["Total Failure Count"])
    total_ms = (found.windows["requests"] * found.windows["mean_ms"].fillna(0)).sum()
    assert total_ms / found.windows["requests"].sum() == pytest.approx(float(last["Total Average Response Time"]))
    assert found.windows["p99_ms"].isna().all()


@pytest.mark.parametrize(
    ("file", "row"),
    [
        ("wrk2/latency.txt", [39_500, 0, 60_018 / 30, 6.602, 1.919, 6.671, 9.143, 11.207, 12.496]),
        ("hdrhistogram/latency.hgrm", None),
    ],
)
def test_percentiles_are_what_is_printed(file, row):
    found = observe({"it": FOLDER / file})
    run = found.runs.iloc[0]
    names = ["requests", "errors", "rate_per_s", "mean_ms", "sd_ms", "p50_ms", "p90_ms", "p99_ms", "max_ms"]
    if row is not None:
        assert run[names].tolist() == pytest.approx(row)
    text = (FOLDER / file).read_text()
    assert run["mean_ms"] == float(re.search(r"Mean +=\s*([\d.]+)", text)[1])
    assert found.spread["requests"].sum() == run["requests"] == int(re.search(r"Total count +=\s*(\d+)", text)[1])
    assert found.windows.empty and found.operations.empty


@pytest.mark.parametrize(
    ("file", "said"),
    [("vegeta/run.gob", "vegeta encode --to csv"), ("gatling/simulation-binary.log", "releases up to 3.9 write text")],
)
def test_binary_logs_are_refused_with_what_to_do(file, said):
    with pytest.raises(BadLog, match=said):
        observe({"it": FOLDER / file})


def test_formats_are_found_by_content():
    found = {sample.file: formats.detect(sample.path).name for sample in SAMPLES if sample.format is None}
    assert found == {
        "jmeter/level-1/run-1.jtl": "jmeter-csv", "jmeter/plain-xml.jtl": "jmeter-xml",
        "locust/run_stats.csv": "locust-stats", "locust/run_stats_history.csv": "locust-history",
        "locust/requests.csv": "jmeter-csv", "k6/run.csv": "k6-csv", "k6/run.json": "k6-json",
        "gatling/simulation.log": "gatling", "vegeta/run.csv": "vegeta-csv", "vegeta/run.json": "vegeta-json",
        "wrk2/latency.txt": "hdr", "hdrhistogram/latency.hgrm": "hdr", "perf4j/watches.log": "perf4j",
        "aaa/Total_Timelog": "timelog", "aaa/EJB_Timelog": "timelog",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("sample", "first", "at_end"),
    [
        (BY_FILE["apache/access.log"], "22/Nov/2026:20:01:47", False),
        (BY_FILE["nginx/access.log"], None, True),
    ],
)
def test_a_server_says_when_a_request_began_or_ended(sample, first, at_end):
    stamps = [re.search(r"\[([^ \]]+)", line)[1] for line in _lines(sample.file)]
    moments = [datetime.strptime(f"{stamp} +0000", "%d/%b/%Y:%H:%M:%S %z").timestamp() for stamp in stamps]
    run = observe({"it": sample.path}, sample.format, sample.pattern).runs.iloc[0]
    if first:
        assert stamps[0] == first and run["start_s"] == min(moments)
    else:
        assert at_end and min(moments) - 1 < run["start_s"] < min(moments)


def test_the_patterns_of_the_samples_are_those_of_their_readme():
    text = (FOLDER / "README.md").read_text()
    for pattern in (NGINX, APACHE, TOMCAT, LOG4J):
        assert pattern in text
