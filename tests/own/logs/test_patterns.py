"""Access logs by their servers' own formats, and lines by regular expressions."""

import pytest

from perfstudies.errors import BadParameter
from perfstudies.own.logs import access
from perfstudies.own.logs.access_pattern import layout
from perfstudies.own.logs.observe import observe, read
from perfstudies.own.logs.samples import APACHE, NGINX, SAMPLES, TOMCAT

AT = "[22/Nov/2026:20:01:47 +0000]"
AT_S = 1795377707


def _one(tmp_path, line, pattern, format):
    path = tmp_path / "log"
    path.write_text(f"{line}\n")
    return read(path, format, pattern).collect().row(0, named=True)


@pytest.mark.parametrize(
    ("format", "pattern", "line", "elapsed_ms", "start_s"),
    [
        ("apache", '%t "%r" %>s %D', f'{AT} "GET /a HTTP/1.1" 200 2500', 2.5, AT_S),
        ("apache", '%t "%r" %>s %T', f'{AT} "GET /a HTTP/1.1" 200 3', 3000, AT_S),
        ("apache", '%t "%r" %>s %T %{ms}T', f'{AT} "GET /a HTTP/1.1" 200 3 2900', 2900, AT_S),
        ("apache", '%{end:msec}t %m %U%q %>s %{us}T', "1795377707000 GET /a?b 200 500000", 500, AT_S - 0.5),
        ("apache", '%{%Y-%m-%d %H:%M:%S}t|%m|%U|%s|%D', "2026-11-22 20:01:47|GET|/a|200|1000", 1, AT_S),
        ("tomcat", '%t "%r" %s %D %F', f'{AT} "GET /a HTTP/1.1" 200 2500 1', 2.5, AT_S - 0.0025),
        ("tomcat-9", "%t %m %U %s %D", f"{AT} GET /a 200 2500", 2500, AT_S - 2.5),
        ("tomcat-9", '%t "%r" %s %T', f'{AT} "GET /a HTTP/1.1" 200 0.250', 250, AT_S - 0.25),
        ("tomcat-9", '%{begin:msec}t "%r" %s %D', '1795377707000 "GET /a HTTP/1.1" 200 250', 250, AT_S),
        ("tomcat", '%t "%r" %s %F', f'{AT} "GET /a HTTP/1.1" 200 40', 40, AT_S - 0.04),
        ("nginx", '$msec $status "$request" ${request_time}', '1795377707.500 200 "GET /a HTTP/1.1" 0.5', 500, AT_S),
        ("nginx", "$time_iso8601 $request_method $uri $status rt=$request_time ms",
         "2026-11-22T21:01:47+01:00 GET /a 200 rt=0.010 ms", 10, AT_S - 0.01),
    ],
)  # fmt: skip
def test_units_and_moments_are_those_of_the_server(tmp_path, format, pattern, line, elapsed_ms, start_s):
    row = _one(tmp_path, line, pattern, format)
    assert row["problem"] is None
    assert row["elapsed_ms"] == pytest.approx(elapsed_ms)
    assert row["start_s"] == pytest.approx(start_s)
    assert (row["operation"], row["ok"]) == ("GET /a", True)


@pytest.mark.parametrize(
    ("pattern", "format"),
    [
        (r'%h %l %u %t \"%r\" %>s %b \"%{Referer}i\" \"%{User-Agent}i\" %D', "apache"),
        ("'$remote_addr - $remote_user [$time_local] \"$request\" '\n  '$status $body_bytes_sent \"$http_referer\" "
         "\"$http_user_agent\" $request_time'", "nginx"),
        ("%h %l %u %t &quot;%r&quot; %s %b &quot;%{User-Agent}i&quot; %D %T %F", "tomcat"),
    ],
)  # fmt: skip
def test_a_format_may_be_pasted_as_its_configuration_has_it(pattern, format):
    plain = {"apache": APACHE, "nginx": NGINX, "tomcat": TOMCAT}[format]
    assert layout(pattern, format) == layout(plain, format)


@pytest.mark.parametrize("sample", [one for one in SAMPLES if one.format and one.format != "lines"], ids=str)
def test_cutting_lines_up_gives_what_the_whole_expression_gives(sample, monkeypatch):
    quick = read(sample.path, sample.format, sample.pattern).collect()
    monkeypatch.setattr(access, "cutting", lambda form: None)
    slow = read(sample.path, sample.format, sample.pattern).collect()
    assert quick.equals(slow) and quick["problem"].null_count() == quick.height > 100


def test_an_escaped_quote_or_a_request_of_rubbish_is_still_read(tmp_path):
    pattern = '%t "%r" %>s "%{User-Agent}i" %D'
    for request, operation in (("GET /a HTTP/1.1", "GET /a"), (r"\x16\x03", r"\x16\x03"), ("-", "-")):
        for agent in ("plain", r"the \"best\" one", r"odd \" one", r"back\\slash"):
            row = _one(tmp_path, f'{AT} "{request}" 400 "{agent}" 1000', pattern, "apache")
            assert (row["problem"], row["operation"], row["ok"], row["elapsed_ms"]) == (None, operation, False, 1.0)


@pytest.mark.parametrize(
    "line",
    [
        f'{AT} "GET /a HTTP/1.1" 200 1000 surplus', f'{AT} "GET /a HTTP/1.1" 200', f'{AT} GET /a HTTP/1.1 200 1000',
        f'x {AT} "GET /a HTTP/1.1" 200 1000', f'{AT} "GET /a HTTP/1.1" 200 -', 'Nov "GET /a HTTP/1.1" 200 1000', "oops",
    ],
)  # fmt: skip
def test_a_line_of_another_form_is_set_aside(tmp_path, line):
    assert _one(tmp_path, line, '%t "%r" %>s %D', "apache")["problem"] is not None


@pytest.mark.parametrize(
    ("pattern", "format", "said"),
    [
        ('%h %l %u %t "%r" %>s %b', "apache", r"has no time that a request took; apache has .*%D"),
        ("$remote_addr $status", "nginx", r"nginx has \$request_time"),
        ("combined", "tomcat", "has no time that a request took"),
    ],
)
def test_a_format_without_times_taken_is_refused(pattern, format, said):
    with pytest.raises(BadParameter, match=said):
        layout(pattern, format)


def test_a_regular_expression_names_its_groups(tmp_path):
    path = tmp_path / "axis.log"
    path.write_text(
        "2026-11-22 20:01:47,500 DEBUG HTTPSender searchFlights 1250 us\n"
        "2026-11-22 20:01:48,500 DEBUG HTTPSender bookFlight 250 us fault Server.userException\n"
        "2026-11-22 20:01:48,600 INFO starting\n"
    )
    pattern = r"^(?<end_time>\S+ \S+) DEBUG HTTPSender (?<operation>\w+) (?<elapsed_us>\d+) us(?: fault (?<error>.+))?$"
    found = observe({"it": path}, "lines", pattern)
    run = found.runs.iloc[0]
    assert (run["requests"], run["errors"], run["mean_ms"], found.set_aside["line"].tolist()) == (2, 1, 1.25, [3])
    assert run["start_s"] == pytest.approx(AT_S + 0.5 - 0.00125)


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        (r"took (?<elapsed>\d+)", "Did you mean 'elapsed_s'|Did you mean 'elapsed_ms'"),
        (r"took (\d+) ms", "needs one group that holds the time"),
        (r"took (?<elapsed_ms>\d+", "is no regular expression"),
        (r"(?<elapsed_ms>\d+) (?<elapsed_s>\d+)", "needs one group"),
    ],
)
def test_a_pattern_that_says_too_little_is_refused(tmp_path, pattern, said):
    path = tmp_path / "log"
    path.write_text("took 5 ms\n")
    with pytest.raises(BadParameter, match=said):
        observe({"it": path}, "lines", pattern)
