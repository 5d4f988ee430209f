"""Pages are printed by a real browser, the same bytes each time, and failures say what to do."""

import re
import shutil
from pathlib import Path

import pytest

from perfstudies.errors import MissingTool
from perfstudies.site import pdf

STYLE = Path(pdf.__file__).with_name("template") / "page.css"
PAGE = "<!doctype html><meta charset=utf-8><title>A page</title><h1>Öne</h1><p style='break-before: page'>Two"


@pytest.fixture
def page(tmp_path):
    path = tmp_path / "a page.html"
    path.write_text(PAGE, encoding="utf-8")
    return path


@pytest.mark.skipif(not any(map(shutil.which, pdf.BROWSERS)), reason="no Chromium on the PATH")
def test_a_page_is_printed_alike_twice_and_without_a_date(page, tmp_path):
    first, second = (pdf.write(page, tmp_path / "out" / f"{name}.pdf").read_bytes() for name in "ab")
    assert first == second and first.startswith(b"%PDF-")
    assert len(re.findall(rb"/Type\s*/Page\b", first)) == 2
    assert set(re.findall(rb"Date \(D:(\d+)", first)) == {b"0" * 14}


@pytest.mark.skipif(not any(map(shutil.which, pdf.BROWSERS)), reason="no Chromium on the PATH")
def test_a_report_is_printed_on_a4(tmp_path):
    path = tmp_path / "report.html"
    path.write_text(f"<!doctype html><style>{STYLE.read_text()}</style><title>A report</title>One", encoding="utf-8")
    width, height = re.search(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", pdf.pdf(path)).groups()
    assert (round(float(width)), round(float(height))) == (595, 842)


def test_dates_are_taken_out_at_equal_length():
    content = b"<</CreationDate (D:20261123142338+00'00') /ModDate (D:20261123142338Z)>> (D:20261123142338)"
    undated = pdf.undated(content)
    assert len(undated) == len(content)
    assert undated.startswith(b"<</CreationDate (D:00000000000000+00'00') /ModDate (D:00000000000000Z)")
    assert undated.endswith(b"(D:20261123142338)"), "what is no date of the file stays"


def test_a_page_that_is_not_there_is_not_printed(tmp_path):
    with pytest.raises(pdf.NotPrinted, match="render it first"):
        pdf.pdf(tmp_path / "none.html")


def test_without_a_browser_it_says_what_is_missing(page, monkeypatch):
    monkeypatch.setattr(pdf.shutil, "which", lambda program: None)
    with pytest.raises(MissingTool, match="chromium"):
        pdf.pdf(page)


def test_a_browser_that_fails_tells_its_last_line(page, tmp_path, monkeypatch):
    program = tmp_path / "chromium"
    program.write_text("#!/bin/sh\necho before >&2\necho 'no display' >&2\nexit 3\n")
    program.chmod(0o755)
    monkeypatch.setattr(pdf.shutil, "which", lambda name: str(program))
    with pytest.raises(pdf.NotPrinted, match="ended with 3: no display"):
        pdf.pdf(page)
