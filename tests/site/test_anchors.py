"""Ids of headings, and that no two things have the same."""

import re

from perfstudies.site.anchors import Section, anchored


def ids(html):
    return re.findall(r' id="([^"]*)"', html)


def test_headings_get_ids_from_their_words_and_the_second_level_is_listed():
    found = anchored("<h1>A title</h1><h2>What is <code>inside</code> Service?</h2><h3>Part &amp; part</h3>")
    assert ids(found.html) == ["a-title", "what-is-inside-service", "part-part"]
    assert found.sections == (Section("what-is-inside-service", "What is inside Service?"),)


def test_a_heading_keeps_its_id():
    found = anchored('<h2 class="x" id="own">Title</h2>')
    assert found.html == '<h2 class="x" id="own">Title</h2>' and found.sections[0].id == "own"


def test_no_two_things_have_one_id():
    found = anchored('<tr id="s1"></tr><h2>S1</h2><div id="s1"></div><div id="s1-2"></div><h2>S1</h2>')
    assert ids(found.html)[0] == "s1" and len(set(ids(found.html))) == 5
    assert [section.id for section in found.sections] == [ids(found.html)[1], ids(found.html)[4]]


def test_headings_without_letters_have_an_anchor_too():
    assert anchored("<h2>…</h2><h2>—</h2>").sections == (Section("section", "…"), Section("section-2", "—"))
