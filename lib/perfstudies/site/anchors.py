"""Anchors: every heading of a page can be linked to, no two things have one id, and the contents list the sections."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from html import unescape

_TAG_WITH_ID = re.compile(r"<(?P<tag>[a-z][a-z0-9]*)\b(?P<before>[^<>]*?) id=\"(?P<id>[^\"]*)\"", re.IGNORECASE)
_HEADING = re.compile(r"<(?P<tag>h[1-6])(?P<attributes>[^<>]*)>(?P<content>.*?)</(?P=tag)>", re.DOTALL)
_TAGS = re.compile(r"<[^<>]*>")


@dataclass(frozen=True)
class Section:
    """A section of the page: where it begins, and its heading as plain text."""

    id: str
    title: str


@dataclass(frozen=True)
class Anchored:
    """A part of a page whose headings have ids, and the sections of its second level."""

    html: str
    sections: tuple[Section, ...]


def anchored(html: str) -> Anchored:
    """Give every heading an id, and whatever has the id of something before it another one.

    Parameters
    ----------
    html : str
        The page's content. Headings that have an id keep it.
    """
    used: Counter[str] = Counter()

    def distinct(name: str) -> str:
        used[name] += 1
        # The number may make a name that is taken itself.
        return name if used[name] == 1 else distinct(f"{name}-{used[name]}")

    def kept(match: re.Match) -> str:
        return f'<{match["tag"]}{match["before"]} id="{distinct(match["id"])}"'

    html = _TAG_WITH_ID.sub(kept, html)
    sections: list[Section] = []

    def headed(match: re.Match) -> str:
        title = " ".join(unescape(_TAGS.sub("", match["content"])).split())
        own = re.search(r' id="([^"]*)"', match["attributes"])
        name = own[1] if own else distinct(slug(title))
        if match["tag"] == "h2":
            sections.append(Section(name, title))
        attributes = match["attributes"] if own else f'{match["attributes"]} id="{name}"'
        return f"<{match['tag']}{attributes}>{match['content']}</{match['tag']}>"

    return Anchored(_HEADING.sub(headed, html), tuple(sections))


def slug(text: str) -> str:
    """Return a text as the name of an anchor: ``What is inside Service?`` is ``what-is-inside-service``."""
    return re.sub(r"\W+", "-", text.lower()).strip("-")[:60].rstrip("-") or "section"
