import pytest
from lxml import etree

from perfstudies.errors import BadParameter
from perfstudies.studies.esb.workload.messages import ROUTING, Messages, renamed, renamed_back, with_routing

SOAP = "http://schemas.xmlsoap.org/soap/envelope/"
ENVELOPE = (
    f'<s:Envelope xmlns:s="{SOAP}"><s:Body><e:echo xmlns:e="http://perfstudies/esb">'
    "<order><symbol>IBM</symbol></order><order><symbol>SUN</symbol></order><padding>..end</padding>"
    "</e:echo></s:Body></s:Envelope>"
).encode()


def test_the_routing_header_comes_before_the_body_and_changes_nothing_else():
    root = etree.fromstring(with_routing(ENVELOPE))
    header, body = root
    assert header.tag == f"{{{SOAP}}}Header"
    assert [(one.tag, one.text) for one in header] == [("{http://perfstudies/esb/routing}routing", ROUTING)]
    assert etree.tostring(body) == etree.tostring(etree.fromstring(ENVELOPE)[0])


def test_a_header_that_is_there_gets_one_more_entry():
    root = etree.fromstring(with_routing(ENVELOPE.replace(b"<s:Body>", b"<s:Header><a/></s:Header><s:Body>")))
    assert [one.tag for one in root[0]] == ["a", "{http://perfstudies/esb/routing}routing"]
    assert len(root) == 2


def test_an_echo_is_renamed_to_a_purchase_of_the_same_stocks():
    request = etree.fromstring(renamed(ENVELOPE.replace(b"<order>", b"<e:order>").replace(b"</order>", b"</e:order>")))
    (buy,) = request[0]
    assert buy.tag == "{http://perfstudies/esb}buy"
    assert [one.tag for one in buy] == ["{http://perfstudies/esb}stock"] * 2 + ["padding"]
    assert "".join(buy.itertext()) == "IBMSUN..end"


def test_the_transforming_proxy_s_reply_is_renamed_back():
    bought = renamed(ENVELOPE.replace(b"<order>", b"<e:order>").replace(b"</order>", b"</e:order>"))
    reply = etree.fromstring(renamed_back(bought.replace(b"e:buy", b"e:buyResponse")))
    (answer,) = reply[0]
    assert answer.tag == "{http://perfstudies/esb}echoResponse"
    assert [one.tag for one in answer] == ["{http://perfstudies/esb}order"] * 2 + ["padding"]


def test_no_message_is_made_for_an_unknown_proxy():
    messages = Messages.__new__(Messages)
    with pytest.raises(BadParameter, match="proxy = 'xsl'.*Did you mean 'xslt'"):
        messages.of("xsl", 780)
