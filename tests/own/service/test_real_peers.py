"""Services of others' make: one by FastAPI, described by itself, and nginx that speaks TLS in front of it."""

import json
from collections import Counter

import pytest
import requests
import trustme
from peers import nginx

from made import fastapi_peer, nginx_peer
from perfstudies.errors import BadParameter, SystemFailed
from perfstudies.own.service import measuring, reading
from perfstudies.own.service.declaration import comparison
from perfstudies.permit import LOOPBACK

OPERATIONS = {"createOrder": {"weight": 3}, "getOrder": {"expect": [200, 404]}}


@pytest.fixture
def orders(tmp_path):
    """Address, the orders that the service holds, and its own description in a file."""
    with fastapi_peer.running() as (address, held):
        file = tmp_path / "openapi.json"
        file.write_text(json.dumps(requests.get(f"{address}/openapi.json", timeout=30).json()))
        yield address, held, str(file)


def _measured(folder, **target):
    wanted = comparison("made", target, {"requests": 80, "users": 2, "timeout_s": 20.0}, None, 1)
    (run,) = measuring.measure(wanted, LOOPBACK, folder, show_progress=False)
    return run


def test_a_service_takes_what_its_own_description_says(orders, tmp_path):
    address, held, description = orders
    run = _measured(tmp_path / "runs", url=address, openapi=description, operations=OPERATIONS)
    assert run.manifest["workload"]["outcomes"]["ok"] == 80
    sent = Counter(reading.records(run)["operation"].to_list())
    assert sent["createOrder"] == len(held) > sent["getOrder"] > 0
    assert len({order.reference for order in held.values()}) > 20
    assert {order.state for order in held.values()} == set(fastapi_peer.State)


def test_a_service_that_refuses_is_quoted(orders, tmp_path):
    address, held, _ = orders
    body = {"reference": "none"}
    with pytest.raises(SystemFailed, match="answered none of 80 requests without error: status 422:"):
        _measured(tmp_path / "runs", url=f"{address}/orders", method="POST", body=body)
    assert not held


@pytest.mark.skipif(nginx.program() is None, reason="there is no nginx")
def test_nginx_in_front_of_it_is_asked_over_tls(orders, tmp_path):
    address, held, description = orders
    authority = trustme.CA()
    (tmp_path / "nginx").mkdir()
    with nginx_peer.in_front(address, authority, tmp_path / "nginx") as secure:
        told = {"openapi": description, "operations": OPERATIONS, "ca_file": str(tmp_path / "nginx" / "ca.pem")}
        run = _measured(tmp_path / "runs", url=secure, **told)
        with pytest.raises(BadParameter, match="not trusted"):
            _measured(tmp_path / "other", url=secure, **told | {"ca_file": ""})
    assert run.manifest["workload"]["outcomes"]["ok"] == 80 and held
    assert (tmp_path / "nginx" / "access.log").read_text().count("HTTP/1.1") >= 80
