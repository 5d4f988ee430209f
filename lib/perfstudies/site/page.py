"""Turn an executed notebook into one HTML page that needs nothing else: no script, no network.

The page is checked before anybody sees it. A reference that a browser would load, a script or a picture
without alternative text is refused instead of shipped.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

from nbconvert import HTMLExporter, TemplateExporter
from nbconvert.filters import Highlight2HTML
from nbformat import NotebookNode

from perfstudies.errors import PerfstudiesError
from perfstudies.report.answer import AGAIN, AT_TOP
from perfstudies.site.anchors import anchored
from perfstudies.site.folds import folded
from perfstudies.studies import experiment

TEMPLATES = Path(__file__).parent / "template"

_FETCHING = {"script", "iframe", "frame", "object", "embed", "applet", "base", "portal"}
_LOADED = {"src", "srcset", "poster", "data", "background", "action", "formaction", "xlink:href", "ping"}
# A link from one notebook to another; in the report it leads to the other's report.
_NOTEBOOK_LINK = re.compile(r"""(href="(?![a-z]+:|/)[^"#?]*)\.ipynb(?=["#])""", re.IGNORECASE)
_REGION = re.compile(r'(?=<div[^>]*role="region")(<div[^>]*aria-label=")([^"]*)(")')
_CSS_FETCH = re.compile(r"@import|url\(\s*['\"]?(?!data:)", re.IGNORECASE)


class BadPage(PerfstudiesError):
    """A page would load something, run a script, or show a picture without alternative text."""


def page_html(notebook: NotebookNode, study: str, name: str) -> str:
    """Render an executed notebook as a page.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
        As `perfstudies.notebooks.execute.execute` returns it.
    study, name : str
        Where the notebook belongs; the study may be empty. They make the links back to the index.

    Returns
    -------
    str
        The HTML; equal notebooks give equal pages.

    Raises
    ------
    BadPage
        If the page would reach out, or a picture has no alternative text.
    """
    where = f"{study}/{name}" if study else name
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            metadata = output.get("metadata", {})
            for kind in ("image/png", "image/jpeg", "image/svg+xml"):
                if kind in output.get("data", {}) and not str(metadata.get(kind, {}).get("alt", "")).strip():
                    raise BadPage(f"{where}: a picture has no alternative text; show it by figures.figure")
    title, question = heading(notebook)
    told = notebook.metadata.get("perfstudies", {})
    parameters = told.get("parameters", {})
    shown = {
        "title": title or name,
        "question": question,
        "home": "../index.html" if study else "index.html",
        "where": where,
        "answered": bool(answer_text(notebook)),
        "at_top": AT_TOP,
        "again": AGAIN,
        "parameters": parameters,
        "recorded": [one for one in told.get("requires", ()) if parameters.get("profile") not in experiment(one).sizes],
    }
    html = _rendered(folded(notebook), shown)
    html = _distinct_regions(_NOTEBOOK_LINK.sub(r"\1.html", html))
    check_page(html, where)
    return html if html.endswith("\n") else html + "\n"


@functools.cache
def _exporter() -> HTMLExporter:
    exporter = HTMLExporter(
        template_name=TEMPLATES.name,
        extra_template_basedirs=[str(TEMPLATES.parent)],
        exclude_anchor_links=True,
        embed_images=True,
    )
    exporter.register_filter("highlight_code", Highlight2HTML(pygments_lexer="ipython3"))
    exporter.register_filter("anchored", anchored)
    return exporter


def _rendered(notebook: NotebookNode, page: dict) -> str:
    # Not by HTMLExporter's own method: it would parse the page once more, for what the template has seen to.
    html, _ = TemplateExporter.from_notebook_node(_exporter(), notebook, resources={"page": page})
    return html


def _distinct_regions(html: str) -> str:
    """Number the regions that share a name with an earlier one: tables may have equal captions."""
    seen: Counter[str] = Counter()

    def numbered(match: re.Match) -> str:
        seen[match[2]] += 1
        again = f", {seen[match[2]]}" if seen[match[2]] > 1 else ""
        return f"{match[1]}{match[2]}{again}{match[3]}"

    return _REGION.sub(numbered, html)


def heading(notebook: NotebookNode) -> tuple[str, str]:
    """Return a notebook's first heading and the paragraph that follows it, as plain text."""
    texts = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    lines = "\n\n".join(texts).split("\n")
    at = next((at for at, line in enumerate(lines) if re.match(r"#{1,6}\s", line)), None)
    if at is None:
        return "", ""
    paragraph: list[str] = []
    for line in lines[at + 1 :]:
        if re.match(r"#{1,6}\s", line) or (not line.strip() and paragraph):
            break
        if line.strip():
            paragraph.append(line.strip())
    return _plain(lines[at].lstrip("#").strip()), _plain(" ".join(paragraph))


def answer_text(notebook: NotebookNode) -> str:
    """Return what a notebook answers at its top, *In short*, as plain text; empty if it has no place for it."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    answers = [one for one in outputs if one.get("metadata", {}).get("perfstudies", {}).get("answer") == AT_TOP]
    return "".join(answers[0].data.get("text/plain", "")) if answers else ""


def carried(notebook: NotebookNode, kind: str) -> list[dict]:
    """Return what an executed notebook's outputs carry of a kind, ``verdicts`` or ``results``, in their order."""
    return [
        dict(one)
        for cell in notebook.cells
        for output in cell.get("outputs", ())
        for one in output.get("metadata", {}).get("perfstudies", {}).get(kind, ())
    ]


def check_page(html: str, where: str) -> None:
    """Refuse a page that would load anything, run a script, or hide a picture from a screen reader.

    Raises
    ------
    BadPage
        With the page's name and what was found.
    """
    checker = _Checker()
    checker.feed(html)
    checker.close()
    if checker.problems:
        raise BadPage(f"{where}: " + "; ".join(dict.fromkeys(checker.problems)))


class _Checker(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.problems: list[str] = []
        self.in_style = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.in_style = tag == "style"
        given = {name: value or "" for name, value in attrs}
        if tag in _FETCHING:
            self.problems.append(f"<{tag}> is not allowed in a report")
        if tag == "link" and not given.get("href", "").startswith("data:"):
            self.problems.append(f"<link> loads {given.get('href')!r}")
        if tag == "meta" and given.get("http-equiv", "").lower() == "refresh":
            self.problems.append("<meta> leads away from the page")
        if tag == "img" and given.get("alt", "").strip() == "":
            self.problems.append("a picture has no alternative text")
        for name, value in given.items():
            target = re.sub(r"\s", "", value).lower()
            if name.startswith("on"):
                self.problems.append(f"<{tag} {name}> runs a script")
            elif name in _LOADED and not target.startswith("data:"):
                self.problems.append(f"<{tag} {name}> loads {value[:80]!r}")
            elif name == "href" and target.startswith(("javascript:", "vbscript:")):
                self.problems.append(f"<{tag} href> runs a script")
            elif name == "style" and _CSS_FETCH.search(value):
                self.problems.append(f"<{tag} style> loads something")

    def handle_endtag(self, tag: str) -> None:
        self.in_style = self.in_style and tag != "style"

    def handle_data(self, data: str) -> None:
        if self.in_style and _CSS_FETCH.search(data):
            self.problems.append("a style sheet loads something")


def _plain(markdown: str) -> str:
    """Take the signs of Markdown out of a line: links keep their words, emphasis and code their content."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", markdown)
    return re.sub(r"(\*\*|__|[*`])(.+?)\1", r"\2", text)
