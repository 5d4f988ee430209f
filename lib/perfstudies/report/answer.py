"""The answer at a notebook's top, said at its end: In short.

A notebook begins with the answer, and computes it in the cells below. So its first cell keeps a place, and its last
fills it; whoever opens the stored notebook or the report finds the sentences there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from IPython.display import DisplayHandle, display

from perfstudies.errors import BadParameter
from perfstudies.report.findings import OUTCOMES
from perfstudies.report.tables import MISSING
from perfstudies.stats.verdicts import DECIDED, INCONCLUSIVE, Verdict

AT_TOP, AGAIN = "at top", "again"
_ENDS = re.compile(r"(?<=[.?!]) (?=[A-Z])")
_HOLE = re.compile(rf"(?<!\w){MISSING}(?!\w)")
_BEFORE_UNIT = re.compile(r"(?<=[\d\]]) (?=%|(?:ms|MB|µs)\b)")
UNMEASURED = "These runs measured too little for an answer."
UNDECIDED = "These runs decide none of the findings below: the numbers are what they came to, and no more."


@dataclass(frozen=True)
class Answer:
    """The place at the top that waits for its sentences; made by `place`."""

    handle: DisplayHandle

    def say(self, *sentences: str, verdicts: Sequence[Verdict] = (), surprise: str = "") -> None:
        """Put the answer at the notebook's top, and show it here too, where tests compare it.

        Parameters
        ----------
        *sentences : str
            Two to four, with numbers and intervals that were computed: ``f"{shares['service_ms']:.1f} %"``. Empty ones,
            and those in which a dash stands for a number that was not measured, are left out. The first is set bold: it
            answers the notebook's question, the others tell more.
        verdicts : sequence of Verdict
            What `perfstudies.stats.verdicts.judge` returned; each becomes a chip that leads to its finding.
        surprise : str
            What was not to be expected, in a sentence. It is left out where the runs decide none of the verdicts.

        Raises
        ------
        BadParameter
            If there is no sentence.
        """
        sentences = tuple(filter(None, sentences))
        if not sentences:
            raise BadParameter("In short needs a sentence: say the answer to the notebook's question")
        sentences, surprise = _whole(" ".join(sentences)) or (UNMEASURED,), " ".join(_whole(surprise))
        tested = [verdict.outcome for verdict in verdicts if verdict.outcome in DECIDED]
        if tested and {*tested} == {INCONCLUSIVE}:
            sentences, surprise = (UNDECIDED, *sentences), ""
        shown = {"text/html": _html(sentences, verdicts, surprise), "text/plain": _text(sentences, verdicts, surprise)}
        self.handle.update(shown, raw=True, metadata={"perfstudies": {"answer": AT_TOP}})
        display(shown, raw=True, metadata={"perfstudies": {"answer": AGAIN}})


def place() -> Answer:
    """Keep the place of the answer; the cell that calls it has the tag ``nbval-ignore-output``."""
    waiting = "In short: the answer stands here when all cells below have run."
    handle = display(
        {"text/plain": waiting, "text/html": f'<section class="in-short"><p>{waiting}</p></section>'},
        raw=True,
        display_id="in-short",
        metadata={"perfstudies": {"answer": AT_TOP}},
    )
    return Answer(handle)


def _whole(text: str) -> tuple[str, ...]:
    """Return the sentences of a text in which no number is missing."""
    return tuple(one for one in _ENDS.split(text) if one and not _HOLE.search(one))


def _html(sentences: Sequence[str], verdicts: Sequence[Verdict], surprise: str) -> str:
    chips = "\n".join(_chip(verdict) for verdict in verdicts)
    first, *rest = (escape(sentence) for sentence in sentences)
    parts = [
        f"<p>{' '.join([f'<strong>{first}</strong>', *rest])}</p>",
        f'<p class="surprise"><strong>What surprised:</strong> {escape(surprise)}</p>' if surprise else "",
        f'<p class="chips">{chips}</p>' if chips else "",
    ]
    body = _BEFORE_UNIT.sub("\u00a0", "\n".join(part for part in parts if part))  # no line ends between them
    return f'<section class="in-short" aria-label="In short">\n<h2>In short</h2>\n{body}\n</section>'


def _chip(verdict: Verdict) -> str:
    sign, kind = OUTCOMES[verdict.outcome]
    finding = verdict.finding
    return (
        f'<a class="verdict {kind}" href="#{escape(finding.id)}" title="{escape(finding.claim)}">'
        f'<span aria-hidden="true">{sign}</span> {escape(finding.id)}'
        f'<span class="outcome"> {escape(verdict.outcome)}</span></a>'
    )


def _text(sentences: Sequence[str], verdicts: Sequence[Verdict], surprise: str) -> str:
    chips = ", ".join(f"{verdict.finding.id} {verdict.outcome}" for verdict in verdicts)
    parts = ["In short. " + " ".join(sentences), f"What surprised: {surprise}" if surprise else "", chips]
    return "\n".join(part for part in parts if part)
