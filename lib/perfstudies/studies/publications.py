"""The four publications whose studies are run again."""

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


PUBLICATIONS = {
    one.study: one
    for one in (
        Publication(
            "step",
            "STEP",
            "Performance assessment of the STEP Framework",
            "Miguel L. Pardal",
            "Technical University of Lisbon, 2010",
            "Where the time of a web service's request goes, layer by layer: message size, caches, users, log levels.",
        ),
        Publication(
            "aaa",
            "AAA",
            "Generic AAA Architecture Performance testing",
            "Aziz Ait Messoud and Redouan Lahit",
            "University of Amsterdam, about 2005",
            "How an authorization server in an EJB container answers: patterns over time, pools, timers, overload.",
        ),
        Publication(
            "esb",
            "ESB",
            "ESB performance, with two older posts",
            "the author of a weblog",
            "2010 to 2012",
            "How many messages two service buses pass on, what a client's connections hide, and what queues lose.",
        ),
        Publication(
            "corba",
            "CORBA",
            "Performance of Middleware Based Architectures: A Quantitative Approach",
            "M. Harkema, B. M. M. Gijsen and R. D. van der Mei",
            "2004",
            "How an object broker's thread pool shares one processor, measured and predicted by models.",
        ),
    )
}
"""In the order of the pages."""
