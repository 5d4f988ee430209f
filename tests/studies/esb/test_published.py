import numpy as np

from perfstudies.studies.esb.base import ROUTE_LABELS
from perfstudies.studies.esb.findings import THROUGHPUT_FINDINGS
from perfstudies.studies.esb.published import LIST_LABELS, published_lists


def test_the_lists_are_the_posts():
    said = published_lists()
    assert said.index.tolist() == [1000, 500, 250, 100, 50]
    assert said["direct"].tolist() == [13140.52, 13747.96, 13004.18, 13297.51, 13039.79]
    assert said["synapse"].tolist() == [1179.16, 1360.03, 1471.56, 1532.91, 1526.42]
    assert said["synapse-tuned"].tolist() == [5562.29, 5628.08, 5679.52, 5609.53, 5159.77]
    assert said["camel"].tolist() == [4591.54, 3797.29, 2826.34, 1516.03, 1140.33]
    assert said["camel-zero-copy"].tolist() == [4602.64, 3774.64, 2644.13, 1538.64, 1123.28]
    assert [ROUTE_LABELS[route] for route in said] == list(LIST_LABELS)


def test_what_findings_print_as_published_follows_from_the_lists():
    said, printed = published_lists(), {one.id: one.published for one in THROUGHPUT_FINDINGS}
    exponents = {route: np.polyfit(np.log(said.index), np.log(said[route]), 1)[0] for route in said}
    assert printed["E1"] == f"{exponents['direct']:.3f}"
    assert printed["E5"] == f"{exponents['camel']:.2f}"
    assert printed["E5-four"] == f"{said.at[1000, 'camel'] / said.at[50, 'camel']:.2f}"
    relayed = said.drop(columns="direct").div(said["direct"], axis="index")
    assert printed["E7"] == f"{relayed.max(axis=None):.2f}"
