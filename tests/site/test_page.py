"""Every page in a real browser: it loads nothing, complains of nothing, and can be read by everybody.

The pages are made from the outputs that the notebooks store. The browser is the system's Chromium; where there is none
these tests are skipped.
"""

import shutil

import nbformat
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

from perfstudies.files import place
from perfstudies.site import index
from perfstudies.site.page import page_html

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
NARROW = {"width": 390, "height": 800}
WIDE = {"width": 1265, "height": 900}
"""A window of 1280 pixels without its scroll bar."""

# Tables of the main line that scroll in their box.
TOO_WIDE = """() => [...document.querySelectorAll("main table")]
    .map(table => [table, table.closest(".scroll") || table])
    .filter(([table, box]) => !table.closest("details") && box.scrollWidth > box.clientWidth + 1)
    .map(([table]) => table.innerText.slice(0, 80))"""


@pytest.fixture(scope="module")
def site(repository, tmp_path_factory):
    """A folder of all reports and their index."""
    folder = tmp_path_factory.mktemp("site")
    for path in sorted((repository / "notebooks").rglob("*.ipynb")):
        if ".ipynb_checkpoints" in path.parts:
            continue
        study, name = place(path)
        notebook = nbformat.read(path, as_version=4)
        notebook.metadata["perfstudies"] = {"parameters": {"source": "reference", "profile": "quick"}}
        report, executed = folder / "reports" / study / f"{name}.html", folder / "executed" / study / path.name
        for one, text in ((report, page_html(notebook, study, name)), (executed, nbformat.writes(notebook))):
            one.parent.mkdir(parents=True, exist_ok=True)
            one.write_text(text, encoding="utf-8")
    out = folder / "reports" / "index.html"
    assert index.write(folder / "executed", out) > 0
    return folder / "reports"


@pytest.fixture(scope="module")
def browser():
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        pytest.skip("no Chromium on the PATH; `make test` installs it for root on Debian and Ubuntu")
    with sync_playwright() as playwright:
        # The sandbox needs rights that containers lack; what is opened are our own files.
        started = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="module")
def opening(browser, site):
    """How a page of the site is opened; whatever it says or asks for is kept in ``page.problems``."""

    def opened(name, viewport=WIDE):
        page = browser.new_context(viewport=viewport, offline=True).new_page()
        page.problems = []
        address = (site / name).as_uri()
        page.on("console", lambda message: page.problems.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: page.problems.append(f"error: {error}"))
        page.on(
            "request",
            lambda request: (
                request.url.startswith(("data:", address)) or page.problems.append(f"asks for {request.url}")
            ),
        )
        page.goto(address)
        return page

    return opened


@pytest.fixture
def open_page(opening):
    """Open a page for one test alone."""
    opened = []
    yield lambda *said: opened.append(opening(*said)) or opened[-1]
    for page in opened:
        page.context.close()


@pytest.fixture(scope="module")
def page(opening, name):
    """The page of a name, loaded in a narrow window, for all tests that change nothing in it."""
    opened = opening(name, NARROW)
    yield opened
    opened.context.close()


def names(repository):
    notebooks = sorted((repository / "notebooks").rglob("*.ipynb"))
    return ["index.html", *("/".join(filter(None, place(path))) + ".html" for path in notebooks)]


def pytest_generate_tests(metafunc):
    if "name" in metafunc.fixturenames:
        from conftest import ROOT

        metafunc.parametrize("name", names(ROOT), scope="module")


def test_a_page_loads_nothing_complains_of_nothing_and_fits_a_narrow_screen(page):
    page.set_viewport_size(NARROW)
    assert page.problems == []
    # What is wider than the screen scrolls in a box of its own.
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]


def test_a_page_can_be_read_by_everybody(page):
    page.set_viewport_size(WIDE)
    # axe's own rules, contrast and alternative texts among them, at WCAG 2.1 AA and its best practices.
    found = Axe().run(page).response["violations"]
    assert [(one["id"], [node["target"] for node in one["nodes"][:3]]) for one in found] == []
    assert page.problems == []


def test_a_page_at_a_desk_answers_at_its_top_fits_its_tables_and_has_distinct_anchors(page):
    page.set_viewport_size(WIDE)
    page.evaluate("window.scrollTo(0, 0)")
    assert page.evaluate(TOO_WIDE) == []
    answers = page.locator(".in-short")
    assert answers.count() <= 1
    if answers.count():
        box = answers.bounding_box()
        assert box["y"] + box["height"] <= 700
    ids = page.eval_on_selector_all("[id]", "found => found.map(one => one.id)")
    assert len(ids) == len(set(ids))
    links = page.eval_on_selector_all("a[href^='#']", "found => found.map(one => one.getAttribute('href').slice(1))")
    assert set(links) <= set(ids)


@pytest.mark.parametrize(
    "source, profile, left_out",
    [
        ("live", "quick", "step/cache-causes, step/near-cache, step/cache-over-100mbit, step/slow-server"),
        ("live", "standard", ""),
        ("reference", "quick", ""),
    ],
)
def test_a_live_page_names_what_its_profile_does_not_measure(repository, source, profile, left_out):
    path = repository / "notebooks" / "step" / "05-caches-and-networks.ipynb"
    notebook = nbformat.read(path, as_version=4)
    notebook.metadata["perfstudies"]["parameters"] = {"source": source, "profile": profile}
    page = page_html(notebook, "step", path.stem)
    said = f"The profile quick does not measure {left_out}: what is shown of them, in the answer too, is recorded, and"
    assert (said in page) if left_out else ("what is shown of them" not in page)


def test_the_contents_follow_the_reader_beside_the_text_and_are_folded_on_a_narrow_screen(open_page):
    page = open_page("step/01-time-breakdown.html")
    headings = page.eval_on_selector_all("main h2", "found => found.map(one => one.innerText)")
    listed = page.locator(".sections .beside a")
    assert listed.all_inner_texts() == headings and len(headings) > 3
    page.evaluate("window.scrollTo(0, document.body.scrollHeight / 2)")
    assert listed.first.bounding_box()["y"] >= 0 and page.locator("main h1").bounding_box()["y"] < 0
    narrow = open_page("step/01-time-breakdown.html", NARROW)
    assert narrow.locator(".sections a").filter(visible=True).count() == 0
    narrow.click(".sections summary")
    assert narrow.locator(".sections a").filter(visible=True).count() == len(headings)


def test_details_are_folded_under_their_heading_and_print_as_a_note(open_page):
    page = open_page("step/01-time-breakdown.html")
    fold = page.locator("details.more").first
    inside = fold.locator(":scope > :not(summary)").filter(visible=True)
    assert inside.count() == 0 and fold.locator("summary h2").is_visible()
    page.emulate_media(media="print")
    assert fold.locator("summary").is_visible() and inside.count() == 0
    page.emulate_media(media="screen")
    fold.locator("summary").first.click()
    assert inside.count() > 1 and fold.locator("h2").count() == 1


def test_the_index_leads_to_every_report_and_every_link_leads_somewhere(open_page, site, repository):
    page = open_page("index.html")
    links = page.eval_on_selector_all("a[href]", "links => links.map(link => link.getAttribute('href'))")
    assert {link for link in links if not link.startswith("#")} == set(names(repository)) - {"index.html"}
    for link in links:
        if link.startswith("#"):
            assert page.locator(link).count() == 1


def test_every_finding_leads_to_its_row_in_a_report(open_page, site):
    page = open_page("findings.html")
    links = page.eval_on_selector_all("tr[data-study] a", "links => links.map(link => link.getAttribute('href'))")
    assert len(links) == page.locator("tr[data-study]").count() > 100
    for link in links:
        report, _, row = link.partition("#")
        assert f'<tr id="{row}">' in (site / report).read_text(encoding="utf-8"), link


def test_findings_are_filtered_by_study_and_by_verdict(open_page):
    page = open_page("findings.html")
    shown = page.locator("tr[data-study]:visible")
    every = shown.count()
    page.check("#study-esb")
    of_study = shown.count()
    assert set(shown.evaluate_all("rows => rows.map(row => row.dataset.study)")) == {"esb"}
    page.check("#outcome-not-reproduced")
    assert set(shown.evaluate_all("rows => rows.map(row => row.dataset.study + row.dataset.outcome)")) == {
        "esbnot reproduced"
    }
    assert 0 < shown.count() < of_study < every
    page.check("#study-all")
    page.check("#outcome-all")
    assert shown.count() == every
    page.check("#kind-direction")
    page.check("#counted-claim")
    kinds = shown.evaluate_all("rows => rows.map(row => row.dataset.kind + row.dataset.counted)")
    assert set(kinds) == {"directionclaim"} and len(kinds) < every


def test_findings_are_filtered_with_the_keyboard_alone(open_page):
    page = open_page("findings.html")
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.name") == "study":
            break
    page.keyboard.press("ArrowRight")
    studies = page.locator("tr[data-study]:visible").evaluate_all("rows => rows.map(row => row.dataset.study)")
    assert set(studies) == {"step"}


def test_the_first_stop_of_the_keyboard_skips_to_the_content(open_page):
    for name in ("index.html", "step/01-time-breakdown.html"):
        page = open_page(name)
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.getAttribute('href')") == "#content"
        assert page.locator(".skip").bounding_box()["x"] >= 0


def test_code_is_shown_on_demand(open_page):
    page = open_page("corba/02-live-orb.html")
    assert page.locator(".code").first.is_hidden()
    page.check("#show-code")
    assert page.locator(".code").first.is_visible()


def test_pages_print(open_page, tmp_path):
    for name in ("index.html", "findings.html", "corba/02-live-orb.html"):
        page = open_page(name)
        document = page.pdf()
        assert document.startswith(b"%PDF") and len(document) > 20_000
        page.emulate_media(media="print")
        assert page.locator(".bar, .filters").filter(visible=True).count() == 0
