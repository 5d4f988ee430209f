"""How one request in full is shown: the call, the message, the reply and the log lines, one below the other."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

from perfstudies.one_call import OneCall

MOST_CHARACTERS = 2400
"""Of each part that are shown; what is cut is counted."""


@dataclass(frozen=True)
class Shown:
    """A call that Jupyter shows; build it with `shown`."""

    call: OneCall

    def parts(self) -> dict[str, str]:
        """Return what is shown, by its heading."""
        one = self.call
        logs = {f"Raw log {name}": lines for name, lines in one.logs.items()}
        parts = {"The call": one.call, "The request": one.sent, "The reply": one.received, **logs}
        return {heading: _cut(text.strip("\n")) for heading, text in parts.items()}

    def to_html(self) -> str:
        """Return the parts as HTML; whatever a server or a log said is escaped."""
        shown = "\n".join(
            f"<h4>{escape(heading)}</h4>\n<pre>{escape(text)}</pre>" for heading, text in self.parts().items()
        )
        return f'<div class="one-call">\n<p>{escape(self.call.caption)}</p>\n{shown}\n</div>'

    def to_text(self) -> str:
        """Return the parts as plain text."""
        return "\n\n".join([self.call.caption, *(f"{heading}:\n{text}" for heading, text in self.parts().items())])

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/html": self.to_html(), "text/plain": self.to_text()}


def shown(call: OneCall) -> Shown:
    """Show one request in full."""
    return Shown(call)


def _cut(text: str) -> str:
    more = len(text) - MOST_CHARACTERS
    return f"{text[:MOST_CHARACTERS]}\n… and {more:,} characters more" if more > 0 else text
