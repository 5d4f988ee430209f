"""The ESB study's claims on throughput, tuning and the hop, with the regions that decide.

Regions follow from the study's own numbers, or from a stated convention; a rule that is younger than its data says so.
"""

from __future__ import annotations

from math import inf, log

from perfstudies.studies.esb.base import claim

SAME = 1.1
"""Rates that differ by less than 10 % either way count as the same: the study's own for one system differ by 6 %."""
ABOUT = 1.5
"""A factor that the study calls "around" counts within one and a half times either way."""
SPAN = 1000 / 50
GROWS = log(SAME) / log(SPAN)
"""Exponent of a rate that grows by 10 % from the lowest to the highest concurrency; less counts as no growth."""

LISTS = '"ESB performance", lists'
RELAY = "Synapse 2.1's NHTTP with a relay"
"""What the post's engine was inside, and what the findings on it are judged on; with today's libraries it is the
pass-through of Synapse 3.0."""
NOT_TO_BE_HAD = "UltraESB is not to be had; what Camel, which stands beside it, does says nothing about it."
STAND_IN = "Measured on Camel, which stands for UltraESB."

THROUGHPUT_FINDINGS = (
    claim(
        "E1", f"{LISTS}, first", "The back end alone gives about 13,000 messages a second whatever the concurrency.",
        "Exponent of messages a second over concurrency, each client sending its share of as many messages, within a "
        "block; within 10 % over the whole range.",
        "0.006", -GROWS, GROWS, "", kind="direction",
    ),
    claim(
        "E2", f"{LISTS}, second", "An ESB that is not tuned makes it around 8 times slower.",
        f"Messages a second direct over those through {RELAY} with its default threads, geometric mean over levels of "
        "concurrency, within a block (9.4 by the post's lists); around is one and a half times either way.",
        "around 8", 8 / ABOUT, 8 * ABOUT, "ratio", scale="log",
    ),
    claim(
        "E3", f"{LISTS}, third", "More threads make the ESB around 4 times faster.",
        f"Messages a second through {RELAY} with more threads over those with its default threads, likewise.",
        "around 4", 4 / ABOUT, 4 * ABOUT, "ratio", scale="log",
    ),
    claim(
        "E3-half", f"{LISTS}, third", "Tuned, it still gives at most half of what the back end gives alone.",
        f"Messages a second through {RELAY} with more threads over those direct, likewise.",
        "half", -inf, 0.5, "ratio", kind="direction", scale="log",
    ),
    claim(
        "E4", f"{LISTS}, second", "The ESB that is not tuned gets slower as concurrency grows.",
        f"Exponent of messages a second through {RELAY} over concurrency, each client sending its share of as many "
        "messages, within a block; 10 % over the range is the least that counts.",
        "-0.08", -inf, -GROWS, "", kind="direction",
    ),
    claim(
        "E5", f"{LISTS}, fourth", "A second engine does the opposite: it gets faster as concurrency grows.",
        "Exponent of messages a second through Camel, which stands for an engine that cannot be had.",
        "0.49", GROWS, inf, "", kind="direction", untestable=NOT_TO_BE_HAD,
    ),
    claim(
        "E5-four", f"{LISTS}, fourth", "It is four times as fast at 1,000 clients as at 50.",
        "Messages a second through Camel at 1,000 clients over those at 50, within a block.",
        "4.03", 4 / ABOUT, 4 * ABOUT, "ratio", scale="log", untestable=NOT_TO_BE_HAD,
    ),
    claim(
        "E5-load", f"{LISTS}, fourth", "With the second engine the load keeps growing throughout a test.",
        "Threads that run or are ready, in the last third of a run through Camel over those in its first third; "
        "geometric mean of a block's runs.",
        "kept increasing", SAME, inf, "ratio", kind="direction", scale="log", untestable=NOT_TO_BE_HAD,
    ),
    claim(
        "E6", f"{LISTS}, fifth", "Zero copy makes hardly a difference.",
        "Messages a second through Camel, streaming over caching, geometric mean over levels of concurrency.",
        "0.99", 1 / SAME, SAME, "ratio", kind="direction", scale="log", apart=STAND_IN,
    ),
    claim(
        "E7", '"ESB performance", end', "A hop through an ESB always costs throughput.",
        "The largest share of the back end's own rate that any engine at any level of concurrency gives in a block.",
        "0.44", -inf, 1, "ratio", kind="direction", scale="log",
    ),
)  # fmt: skip

BOUNDS_FINDINGS = (
    claim(
        "E7-least", '"ESB performance", end', "A hop always costs: even one that only passes bytes on.",
        "Messages a second through a TCP relay over those direct, geometric mean over levels of concurrency.",
        "none given", -inf, 1, "ratio", kind="direction", scale="log",
    ),
)  # fmt: skip

MECHANISM_FINDINGS = (
    claim(
        "E7-io", '"ESB performance", end', "The cause is input and output.",
        f"Of the processor time a message that {RELAY} takes more than direct, the share spent in the kernel, "
        "where sockets are read and written; at least half counts as the cause. Threads as they come.",
        "the cause", 50, inf, "%", kind="mechanism",
    ),
    claim(
        "E7-waiting", '"ESB performance", end', "What limits it is input and output, not the processor.",
        f"Share of the processors' time that is idle while messages pass through {RELAY}, all concurrencies; a system "
        "that waits leaves at least a tenth.",
        "an I/O issue", 10, inf, "%", kind="mechanism", scale="percent",
    ),
)  # fmt: skip

OPEN_FILES_FINDINGS = (
    claim(
        "E8", '"ESB performance", third list', "With more threads the limit of open files breaks the ESB.",
        "Share of messages that fail at 1,000 clients with more threads and at most 1,024 open files; one in ten "
        "thousand counts.",
        "an exception", 0.01, inf, "%", kind="mechanism", scale="percent",
    ),
    claim(
        "E8-default", '"ESB performance", second list', "With its default threads it lives with that limit.",
        "The same with default threads; at most one in ten thousand counts as none.",
        "no exception", -inf, 0.01, "%", kind="mechanism", scale="percent",
    ),
    claim(
        "E8-raised", '"ESB performance", third list', "Raising the limit mends it.",
        "The same with more threads and 20,000 open files.",
        "fixed", -inf, 0.01, "%", kind="mechanism", scale="percent",
    ),
)  # fmt: skip

ALL_THROUGHPUT_FINDINGS = (*THROUGHPUT_FINDINGS, *BOUNDS_FINDINGS, *MECHANISM_FINDINGS, *OPEN_FILES_FINDINGS)
"""What report 01 judges together."""
