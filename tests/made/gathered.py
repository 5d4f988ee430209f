"""Verdicts and executed notebooks that tests make."""

from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from perfstudies.site.gathered import Executed


def record(id, p_inside=1.0, p_outside=1.0, outcome="inconclusive", **other):
    return {
        "id": id, "study": "step", "where": "Table 1", "claim": "It is so.", "rule": "A ratio.", "published": "2",
        "unit": "ratio", "estimate": 1.5, "low": 1.2, "high": 1.8, "confidence": 0.95, "runs": "30",
        "p_inside": p_inside, "p_outside": p_outside, "outcome": outcome, "kind": "size", "untestable": "", "apart": "",
        "scale": "log", "note": "", "mean": 0.4, "error": 0.05, "region": [1, 2],
    } | other  # fmt: skip


def executed(study, name, *records, parameters=None):
    output = new_output("display_data", {"text/plain": "v"}, metadata={"perfstudies": {"verdicts": list(records)}})
    content = new_notebook(cells=[new_markdown_cell(f"# Title of {name}"), new_code_cell("x", outputs=[output])])
    if parameters:
        content.metadata["perfstudies"] = {"parameters": parameters}
    return Executed(study, name, content)
