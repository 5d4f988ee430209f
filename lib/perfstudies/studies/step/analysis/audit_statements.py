"""The STEP study's statements beside what can be said of their certainty, and where its sources do not fit together.

Every fact is marked as printed in the report, taken from the public tool chain, or inferred here.
"""

from __future__ import annotations

import pandas as pd

from perfstudies.published import published_table
from perfstudies.report.comparisons import p_text
from perfstudies.studies.step.analysis import audit_implied as implied
from perfstudies.studies.step.analysis.audit import READS, SERVICE, TIME
from perfstudies.studies.step.analysis.audit_failures import exceptions_alike, expected_exceptions

YES, NO, LEAD, OPEN = "yes", "no", "a lead against it", "cannot be told"


def contradictions() -> pd.DataFrame:
    """Return where the report does not agree with itself or with its tool chain, each fact under its source."""
    level, users, length = (published_table("step", number) for number in (8, 7, 4))
    monitor = published_table("step", 2).loc["Perf4J agg"]
    base_ms, info_ms = implied.whole_time_ms(), level[TIME]["Info"]
    relative = implied.by_web_layers(2, "Layer")["Relative time"]
    lengths = implied.by_length()
    per_passenger = implied.characters_a_passenger(lengths)
    rows = {
        "Two base times": (
            f"Table 1 adds up to {base_ms:.0f} ms, Table 8 has {info_ms:.0f} ms at info and the same at off. Layer is "
            "said to be the monitor of all experiments but that of the monitors.",
            "All logging runs used the Perf4J monitor, the default runs the Layer monitor.",
            f"A lead: the monitor may make the {100 * (info_ms / base_ms - 1):.0f} %. Table 2's shares imply "
            f"{100 * (relative['Perf4J raw'] - 1):.0f} and {100 * (relative['Perf4J agg'] - 1):.0f} % for Perf4J.",
        ),
        "Simulated mistakes": (
            f"12.5 % chance of input errors; {users.iloc[:, 0].min()} to {users.iloc[:, 0].max()} % of requests end "
            "as exceptions.",
            "Error probability 0.25 a request.",
            f"Only reservations end as exceptions: 0.25 gives {100 * expected_exceptions(0.25):.2f} % of all "
            "requests, "
            "0.125 gives "
            f"{100 * expected_exceptions(0.125):.2f} %. The report's number is that of the requests, not of the "
            "setting.",
        ),
        "Number of runs": (
            "At least 30 runs for each program variation (section 3.1).",
            "25 of 36 run files have 10 samples: several users, logging, and caches with several users.",
            "The files are newer than the report, so this is a lead, not a proof.",
        ),
        "Margins": (
            "Margins at 90, 95 or 99 %; only differences above the margin count. None is printed with a result.",
            "Normal quantiles 1.64, 1.96, 2.58 at 10 runs too.",
            "A reader cannot apply the rule. The two bandwidths (footnotes 8, 9) are all that has a margin.",
        ),
        "Where large messages fail": (
            f"Messages above 150 000 characters fail. Table 4's rows are averages of {length.index[-2]:,} and "
            f"{length.index[-1]:,}.",
            "Groups are uniform below 5,000 and 10,000.",
            "If a row averages all requests, half of them searches, its reservations are about twice as long: both "
            "rows "
            "have messages above the limit. Only the last is shorter than a straight line through the two before, by "
            f"{100 * implied.missing_length(lengths):.0f} %.",
        ),
        "Why the Service share falls": (
            f"Failing large messages explain the fall. But it falls from {length[SERVICE][5190]} to "
            f"{length[SERVICE][28348]} "
            f"and {length[SERVICE][142145]} %, and rises to {length[SERVICE][222281]} % in the last row.",
            "28348 characters come from groups below 1,000.",
            f"With {per_passenger:.0f} characters a passenger, groups below 1,000 stay within the limit, and the "
            "share has "
            "fallen with them already. Growing writes would explain it without failures.",
        ),
        "Time with several users": (
            f"Near the 1 second range from 1 user on; one user's requests take {base_ms:.0f} ms in Table 1.",
            "Runs with think times were planned, and are not shown.",
            "No time is printed, so the growth between the two is unknown.",
        ),
        "Merged Perf4J records": (
            f"Many have Hibernate above Service, which is impossible. The row is printed: {monitor[READS]} % reads.",
            "",
            "Whether such records count in the row is not said. The report itself rejects the row.",
        ),
        "Which code": (
            "A report of 2010.",
            "The tool chain's flights are dated 2012.",
            "What the tool chain says may have changed after the report.",
        ),
    }  # fmt: skip
    columns = ["Printed in the report", "From the public tool chain", "Our inference"]
    return pd.DataFrame.from_dict(rows, orient="index", columns=columns).rename_axis("What does not fit")


def statements(found: pd.DataFrame, failures: pd.DataFrame, largest_cv: float) -> pd.DataFrame:
    """Return the report's statements, whether a margin supports each, and why.

    Parameters
    ----------
    found : DataFrame
        From `perfstudies.studies.step.analysis.audit.break_even`.
    failures : DataFrame
        From `perfstudies.studies.step.analysis.audit_failures.failures`.
    largest_cv : float
        The variation between runs, in percent, that nobody would believe of runs of one setting: a difference that
        stands even then is supported. Below it the answer would need the margins that were not printed.
    """
    kinds, lengths = implied.kinds_of_requests()["ms_high"], implied.by_length()
    relative = implied.by_web_layers(5, "Local DB")["Relative time"]
    slow = implied.by_web_layers(2, "Layer")["Relative time"]
    alike = exceptions_alike(failures)

    def of(*ids: str) -> tuple[str, str]:
        most = found.loc[list(ids), "t"].min()
        answer = YES if most > largest_cv else OPEN
        return answer, f"Stands if runs vary by less than {most:.3g} %."

    shares_only = "Shares are printed, no times."
    rows = [
        ("Section 3.1", "Every variation ran at least 30 times.", LEAD, "Ten samples in 25 of 36 files (tool chain)."),
        ("Table 1", "Service is the largest slice.", *of("largest")),
        ("Table 2", "Raw Perf4J hides Hibernate, merged records overstate it.", *of("raw", "agg")),
        ("Table 2", "Without wrapping, the engine slice is lost.", *of("unwrapped")),
        (
            "Table 2", "Event and Layer cost less than Perf4J.", OPEN,
            f"{shares_only} They imply {slow['Perf4J raw']:.2f} and {slow['Perf4J agg']:.2f} times Layer (inference).",
        ),
        ("Table 3", "Searches write nothing, reservations do.", *of("searches")),
        (
            "Table 3", "A rolled back transaction saves time.", OPEN,
            f"{shares_only} They imply {kinds['Faults']:.0f} ms for a fault, {kinds['Reservations']:.0f} ms for a "
            "reservation (inference); "
            "that the rollback saves it is not shown: faults also reserve nothing.",
        ),
        (
            "Table 4", "Request time and XML handling grow faster than linear.", OPEN,
            f"{shares_only} Linear growth of XML handling implies {lengths['least_ms'].iloc[-1] / 1000:.0f} s a "
            "request or more "
            "in the last row (inference).",
        ),
        ("Table 4", "Writes grow from below 1 % to over a third.", *of("writes")),
        (
            "Table 4", "Failing messages explain the falling Service share.", NO,
            f"It falls to {published_table('step', 4)[SERVICE][28348]} % with groups whose messages are within "
            "the limit "
            f"(stands if runs vary by less than {found['t']['fall']:.3g} %), and rises where messages fail.",
        ),
        ("Figure 12", "Messages above 150 000 characters fail.", OPEN, "The outcomes are in the picture alone."),
        (
            "Table 5", "On a local database neither cache helps.", OPEN,
            f"{shares_only} They imply {relative['Local DB, w r-only cache']:.2f} and "
            f"{relative['Local DB, w r-w cache']:.2f} times "
            "(inference).",
        ),
        (
            "Table 5", "Over 100 Mbit/s it is only marginally worse.", OPEN,
            f"{shares_only} They imply {relative['100 Mbit LAN DB']:.2f} times (inference). The runs' number is "
            "unknown.",
        ),
        (
            "Table 5", "Over 10 Mbit/s requests take about three times as long, and a read-only cache helps.", OPEN,
            f"{shares_only} They imply {relative['10 Mbit LAN DB']:.2f} times, and "
            f"{relative['10 Mbit LAN DB, w r-only cache']:.2f} "
            "with the cache (inference). The runs' number is unknown.",
        ),
        ("Table 6", "Request time stays in the same order of magnitude.", OPEN, shares_only),
        (
            "Table 7", "Application exceptions stay the same.", OPEN,
            f"They rise with the users (trend: p {p_text(alike.p_trend)}), if requests are independent. The load "
            "expects "
            f"{100 * expected_exceptions(0.25):.2f} %, so its few seeds at one user may be all of it (inference).",
        ),
        ("Table 7", "System errors increase from 1 to 4 users.", *of("failures")),
        ("Table 7", "They still increase from 8 to 16 users.", *of("last-failures")),
        (
            "Table 8", "Off to info take the same time.", OPEN,
            f"The widest gap shows only if runs vary by less than {found['t']['quiet']:.2g} %; that none shows "
            "is no proof of sameness.",
        ),
        ("Table 8", "Debug and trace cost enormously more.", *of("debug", "trace")),
    ]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["Where", "Statement", "Supported by a margin?", "Why"])
    return frame.set_index("Where")
