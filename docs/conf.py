"""The documentation's site: `make docs` builds it of these pages and of the library's docstrings."""

project = "perfstudies"
author = copyright = "The perfstudies authors"

extensions = ["myst_parser", "sphinx.ext.napoleon"]
source_suffix = {".md": "markdown"}
myst_heading_anchors = 3
# Pages are read in the repository too, where such links lead to files.
suppress_warnings = ["myst.xref_missing"]

html_theme = "furo"
html_title = "perfstudies"
html_show_copyright = False
html_show_sourcelink = False
html_copy_source = False
html_last_updated_fmt = None

napoleon_google_docstring = False
napoleon_use_ivar = True
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
autodoc_member_order = "bysource"

# The pages alone are there in seconds; the library's interface takes a minute: `sphinx -t pages` leaves it out.
if tags.has("pages"):  # noqa: F821, Sphinx gives it
    exclude_patterns = ["api.md"]
    suppress_warnings += ["toc.excluded"]
else:
    extensions += ["sphinx.ext.apidoc"]
    apidoc_modules = [
        {
            "path": "../lib/perfstudies",
            "destination": "api/",  # made anew by each build, and not in git
            "separate_modules": True,
            "module_first": True,
            "automodule_options": {"members"},
        }
    ]
    source_suffix[".rst"] = "restructuredtext"
