"""Requests as the Event monitor and Perf4J log them, made by hand; in both, service takes 60 or 70 of 100 ms."""

SOAP = "name=searchFlights,request_logical_length=61,response_logical_length=85,outcome=ok"


def event_request(thread: int, arrived: int) -> str:
    """Return a request of 100 ms: loads from 30 to 50 within each other, a write of 5, two services of 40 and 30."""
    visits = [
        ("hibernate.load", 40, 10, ""),
        ("hibernate.load", 30, 20, ""),
        ("si", 15, 40, "name=One"),
        ("hibernate.write", 60, 5, ""),
        ("si", 55, 30, "name=Two"),
        ("wsi", 14, 72, ""),
        ("soap", 10, 80, SOAP),
        ("filter", 5, 100, f"arrived_ns={arrived}"),
    ]
    return "".join(
        f"thread[{thread}] tag[{tag}] start[{(arrived * 1000 + start) * 10**6}] elapsed[{elapsed * 10**6}] "
        f"context[{context}]\n"
        for tag, start, elapsed, context in visits
    )


def perf4j_request(at: int) -> str:
    """Return a request of 100 ms: loads of 12 and 6 ms, 12 together, then five of 0 ms from 25 to 27; no write."""
    loads = [(14, 6), (10, 12), (25, 0), (25, 0), (25, 0), (26, 0), (27, 0)]
    visits = [("hibernate.load", start, time, "") for start, time in loads] + [
        ("si", 5, 60, "name=One"),
        ("wsi", 4, 70, ""),
        ("soap", 3, 80, SOAP),
        ("filter", 0, 100, f"arrived_ns={at}"),
    ]
    return "".join(
        f"start[{1279756475000 + at + start}] time[{time}] tag[{tag}]" + (f" message[{context}]\n" if context else "\n")
        for tag, start, time, context in visits
    )
