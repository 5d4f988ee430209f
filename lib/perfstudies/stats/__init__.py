"""Statistics over runs: summaries, intervals, ANOVA, equivalence, warm-up and verdicts.

The run is the unit everywhere: requests of one run share its JVM, its compiled code and its
database, so they are never pooled over runs as if they were independent. Definitions and sources
are collected in ``docs/MATH.md``.
"""
