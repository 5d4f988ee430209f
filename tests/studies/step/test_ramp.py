import pytest
from lxml import etree

from perfstudies.studies.step.ramp import logical_length


@pytest.mark.parametrize(
    "xml, length",
    [
        ("<name>Ann</name>", 4 + 3),
        ("<p:name xmlns:p='urn:long:namespace'>Ann</p:name>", 4 + 3),  # neither prefix nor declaration
        ("<a bc='defg'/>", 1 + 2),  # an attribute's name counts, its value does not
        ("<a p:bc='x' xmlns:p='urn:p'/>", 1 + 2),
        ("<a>\n  <b>x y</b>\n</a>", 1 + 1 + 3),  # white space between elements does not count, that within text does
        ("<a>x<b/>yz</a>", 1 + 1 + 1 + 2),
        ("<a><!-- note --><?target data?>x</a>", 1 + 1),
        ("<a>&#233;&amp;</a>", 1 + 2),  # characters, not bytes
    ],
)
def test_what_counts_is_names_and_text(xml, length):
    assert logical_length(etree.fromstring(xml)) == length
