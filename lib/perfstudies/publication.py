"""A study as it was published."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Publication:
    """One of the studies as it was published.

    Attributes
    ----------
    study : str
        How the lab calls it.
    name, title, authors, published : str
        What the page's readers call it, its title, who wrote it, and where and when it appeared.
    about : str
        What it measured, in a sentence.
    """

    study: str
    name: str
    title: str
    authors: str
    published: str
    about: str
