"""The samples of others' logs in ``data/raw/foreign``, some of each tool; its README says how each came about."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from perfstudies import paths

FOLDER = paths.RAW / "foreign"

NGINX = (
    '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent" '
    "$request_time"
)
APACHE = '%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i" %D'
TOMCAT = '%h %l %u %t "%r" %s %b "%{User-Agent}i" %D %T %F'
LOG4J = r"^(?<end_time>\S+ \S+) INFO .* - (?<operation>\w+) took (?<elapsed_ms>\d+) ms(?:: (?<error>.*))?$"

AXIS = r"^(?<end_time>\S+ \S+) FINE \S+ - AxisServer\.invoke2 .* invoke=(?<elapsed_ms>\d+) .*\.(?<operation>\w+)$"


@dataclass(frozen=True)
class Sample:
    """A sample.

    Attributes
    ----------
    tool, file : str
        Whose log it is, and where it lies in `FOLDER`.
    format, pattern : str, optional
        What a reader of it has to say; most are found by their content.
    """

    tool: str
    file: str
    format: str | None = None
    pattern: str | None = None

    @property
    def path(self) -> Path:
        """Where it is."""
        return FOLDER / self.file


SAMPLES = (
    Sample("JMeter 5.6.3", "jmeter/level-1/run-1.jtl"),
    Sample("JMeter 5.6.3", "jmeter/plain-xml.jtl"),
    Sample("Locust 2.47.0", "locust/run_stats.csv"),
    Sample("Locust 2.47.0", "locust/run_stats_history.csv"),
    Sample("locust-plugins 5.0.3", "locust/requests.csv"),
    Sample("k6 1.8.1", "k6/run.csv"),
    Sample("k6 1.8.1", "k6/run.json"),
    Sample("Gatling 3.9.5", "gatling/simulation.log"),
    Sample("Vegeta 12", "vegeta/run.csv"),
    Sample("Vegeta 12", "vegeta/run.json"),
    Sample("wrk2", "wrk2/latency.txt"),
    Sample("HdrHistogram 2.2.2", "hdrhistogram/latency.hgrm"),
    Sample("nginx 1.22.1", "nginx/access.log", "nginx", NGINX),
    Sample("Apache httpd 2.4.71", "apache/access.log", "apache", APACHE),
    Sample("Tomcat 10.1.34", "tomcat/access-10.log", "tomcat", TOMCAT),
    Sample("Tomcat 9.0.98", "tomcat/access-9.log", "tomcat-9", TOMCAT),
    Sample("Perf4J 0.9.16", "perf4j/watches.log"),
    Sample("Log4J 1.2.17", "log4j/client.log", "lines", LOG4J),
    Sample("Apache Axis 1.4", "axis/server.log", "lines", AXIS),
    Sample("the AAA study's program", "aaa/Total_Timelog"),
    Sample("the AAA study's program", "aaa/EJB_Timelog"),
)
