"""Which cells are folded together, and under which heading."""

from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from perfstudies.site.folds import folded

DETAILS = {"tags": ["details"]}


def folds(*cells):
    """The folds of a notebook: each its summary and the sources in it."""
    found = []
    for cell in folded(new_notebook(cells=list(cells))).cells:
        fold = cell.metadata.get("fold", {})
        if "summary" in fold:
            found.append((fold["summary"], []))
        if "details" in cell.metadata.get("tags", ()):
            found[-1][1].append(cell.source)
        if fold.get("last"):
            found.append(("", []))
    return [one for one in found if one[0]]


def markdown(source):
    return new_markdown_cell(source, metadata=DETAILS)


def code(source):
    return new_code_cell(source, metadata=DETAILS)


def test_neighbours_are_one_fold_under_the_first_heading_which_is_not_repeated():
    found = folds(
        new_markdown_cell("## Main"),
        markdown("## Details: margins\n\nWords."),
        code("a"),
        code("b"),
        new_code_cell("c"),
    )
    assert found == [("## Details: margins", ["\nWords.", "a", "b"])]


def test_a_fold_without_a_heading_is_called_details():
    assert folds(code("a"), markdown("Words, # no heading")) == [("Details", ["a", "Words, # no heading"])]


def test_a_heading_further_down_names_the_fold_if_it_is_the_first():
    assert folds(code("a"), markdown("### Why\nWords."), code("b")) == [("### Why", ["a", "Words.", "b"])]


def test_a_heading_as_high_begins_another_fold_and_a_lower_one_does_not():
    found = folds(markdown("## One"), code("a"), markdown("### Part"), code("b"), markdown("## Two"), code("c"))
    assert found == [("## One", ["", "a", "### Part", "b"]), ("## Two", ["", "c"])]


def test_what_stands_between_parts_two_folds():
    assert folds(code("a"), new_code_cell("x"), code("b")) == [("Details", ["a"]), ("Details", ["b"])]


def test_the_notebook_itself_stays_as_it_is():
    cell = markdown("## One\nWords.")
    folded(new_notebook(cells=[cell]))
    assert cell.source == "## One\nWords." and "fold" not in cell.metadata
