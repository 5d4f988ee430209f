"""The STEP study's measure of a message: its XML logical length, in characters."""

from __future__ import annotations

from lxml.etree import QName, _Element


def logical_length(root: _Element) -> int:
    """Return the sum of the lengths of all tag names, attribute names and text nodes (section 3.11).

    Prefixes, declarations of namespaces and white space between elements do not count: as the server's
    monitor has it.
    """
    total = 0
    for node in root.iter():
        if isinstance(node.tag, str):
            total += len(QName(node).localname) + sum(len(QName(name).localname) for name in node.attrib)
            total += _text_length(node.text)
        total += _text_length(node.tail)
    return total


def _text_length(text: str | None) -> int:
    return len(text) if text and not text.isspace() else 0
