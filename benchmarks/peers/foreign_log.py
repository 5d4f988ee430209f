"""Makes logs of others of any length for the benchmark of their readers, equal for equal seeds."""

from pathlib import Path

import numpy as np
import polars as pl

BATCH = 200_000
START_S = 1_700_000_000
RATE_PER_S = 500
HEADING = (
    "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,failureMessage,bytes,sentBytes,"
    "grpThreads,allThreads,URL,Latency,IdleTime,Connect\n"
)

_AT_MS = (pl.col("at_s") * 1000).cast(pl.Int64)
_MS = pl.col("ms").cast(pl.Int64)
_NS = (pl.col("ms") * 1e6).cast(pl.Int64)
_GOOD = pl.col("status") == 200

JMETER = pl.format(
    "{},{},GET item {},{},OK,users 1-{},text,{},,{},120,8,8,http://127.0.0.1:8080/item/{},{},0,1",
    _AT_MS, _MS, "item", "status", "user", pl.when(_GOOD).then(pl.lit("true")).otherwise(pl.lit("false")), "bytes",
    "item", _MS,
)  # fmt: skip
ACCESS = pl.format(
    '127.0.0.{} - - [{}] "GET /item/{}?page=1 HTTP/1.1" {} {} "http://127.0.0.1/start" '
    '"Mozilla/5.0 (X11; Linux x86_64)" {}',
    "user", pl.from_epoch(pl.col("at_s").cast(pl.Int64)).dt.strftime("%d/%b/%Y:%H:%M:%S +0000"), "item", "status",
    "bytes", (pl.col("ms") / 1000).round(3),
)  # fmt: skip
GATLING = pl.format(
    "REQUEST\t\tGET item {}\t{}\t{}\t{}\t ",
    "item", _AT_MS, _AT_MS + _MS, pl.when(_GOOD).then(pl.lit("OK")).otherwise(pl.lit("KO")),
)  # fmt: skip
K6 = pl.format(
    "http_req_duration,{},{},,,,true,,GET,item {},HTTP/1.1,default,,{},,,http://127.0.0.1/item/{},,",
    pl.col("at_s").cast(pl.Int64), pl.col("ms").round(6), "item", "status", "item",
)  # fmt: skip
VEGETA = pl.format(
    "{},{},{},0,{},,,,{},GET,http://127.0.0.1/item/{},Q29ubmVjdGlvbjoga2VlcC1hbGl2ZQ0K",
    _AT_MS * 1_000_000, "status", _NS, "bytes", "user", "item",
)  # fmt: skip
VEGETA_JSON = pl.format(
    '{{"attack":"","seq":{},"code":{},"timestamp":"{}","latency":{},"bytes_out":0,"bytes_in":{},"error":"",'
    '"body":null,"method":"GET","url":"http://127.0.0.1/item/{}","headers":null}}',
    "user", "status", pl.from_epoch(_AT_MS, time_unit="ms").dt.strftime("%Y-%m-%dT%H:%M:%S%.3fZ"), _NS, "bytes", "item",
)  # fmt: skip
PERF4J = pl.format("start[{}] time[{}] tag[item {}] message[status {}]", _AT_MS, _MS, "item", "status")

KINDS = {
    "jmeter-csv": (HEADING, JMETER),
    "nginx": ("", ACCESS),
    "gatling": ("RUN\tReader\treader\t1700000000000\t \t3.9.5\n", GATLING),
    "k6-csv": (
        "metric_name,timestamp,metric_value,check,error,error_code,expected_response,group,method,name,proto,scenario,"
        "service,status,subproto,tls_version,url,extra_tags,metadata\n",
        K6,
    ),
    "vegeta-csv": ("", VEGETA),
    "vegeta-json": ("", VEGETA_JSON),
    "perf4j": ("", PERF4J),
}


def write(kind: str, lines: int, path: Path, seed: int = 1) -> None:
    """Write a log of so many requests, in memory that does not grow with them."""
    heading, form = KINDS[kind]
    draw = np.random.default_rng(seed)
    with Path(path).open("wb") as file:
        file.write(heading.encode())
        for first in range(0, lines, BATCH):
            count = min(BATCH, lines - first)
            made = pl.DataFrame(
                {
                    "at_s": START_S + (first + np.arange(count)) / RATE_PER_S,
                    "ms": draw.lognormal(3, 1, count),
                    "status": np.where(draw.random(count) < 0.01, 500, 200),
                    "item": draw.integers(0, 20, count),
                    "user": draw.integers(1, 9, count),
                    "bytes": draw.integers(100, 9000, count),
                }
            )
            made.select(form.alias("line")).write_csv(file, include_header=False, quote_style="never")
