"""Operations of an OpenAPI document: asked by their names, with what it says must be there."""

import json
from collections import Counter
from urllib.parse import parse_qs, urlsplit

import pytest

from made import http_peer
from perfstudies.errors import BadParameter
from perfstudies.own.service import measuring, openapi, reading
from perfstudies.own.service.declaration import as_properties, comparison
from perfstudies.own.service.json_schema import Drawing
from perfstudies.permit import LOOPBACK

DOCUMENT = """
openapi: 3.0.3
info: {title: Orders, version: "1"}
paths:
  /orders/{order-id}:
    parameters:
      - {$ref: "#/components/parameters/Id"}
    get:
      operationId: getOrder
      parameters:
        - {name: full, in: query, required: true, schema: {type: boolean}}
        - {name: page, in: query, schema: {type: integer}}
        - {name: X-Trace, in: header, required: true, schema: {type: string, format: uuid}}
  /orders:
    post:
      operationId: createOrder
      requestBody:
        content:
          application/json:
            schema: {$ref: "#/components/schemas/Order"}
    get: {summary: has no name}
components:
  parameters:
    Id: {name: order-id, in: path, required: true, schema: {type: integer, minimum: 1, maximum: 9}}
  schemas:
    Order:
      type: object
      required: [number, customer]
      properties:
        number: {type: integer, readOnly: true}
        customer: {type: string, minLength: 1}
        count: {type: integer, minimum: 0, exclusiveMinimum: true, maximum: 5}
        note: {type: string, nullable: true}
"""


@pytest.fixture
def document(tmp_path):
    path = tmp_path / "orders.yaml"
    path.write_text(DOCUMENT)
    return str(path)


def _measured(folder, target, requests=40):
    with http_peer.running() as peer:
        wanted = comparison("made", {"url": f"{peer.address}/v1/"} | target, {"requests": requests}, None, 1)
        (run,) = measuring.measure(wanted, LOOPBACK, folder, show_progress=False)
        return run, peer.seen


def test_operations_are_asked_as_the_document_says(document, tmp_path):
    operations = {"getOrder": {"weight": 3}, "new": {"operation_id": "createOrder", "headers": {"X-Why": "a test"}}}
    run, seen = _measured(tmp_path / "runs", {"openapi": document, "operations": operations})
    assert run.manifest["workload"]["outcomes"]["ok"] == 40
    counts = Counter(reading.records(run)["operation"].to_list())
    assert set(counts) == {"getOrder", "new"} and counts["getOrder"] > counts["new"] > 0
    for method, path, headers, body in seen:
        parts = urlsplit(path)
        if method == "GET":
            assert parts.path.startswith("/v1/orders/") and int(parts.path.rsplit("/", 1)[1]) in range(1, 10)
            assert parse_qs(parts.query).keys() == {"full"} and parse_qs(parts.query)["full"][0] in ("true", "false")
            assert len(headers["X-Trace"]) == 36 and body == b""
        else:
            order = json.loads(body)
            assert (method, path, headers["X-Why"]) == ("POST", "/v1/orders", "a test")
            assert headers["Content-Type"] == "application/json"
            # Only answers have its number; nothing is not a count.
            assert set(order) == {"customer", "count", "note"} and order["count"] in range(1, 6)
    assert len({body for method, *_, body in seen if method == "POST"}) > 3


def test_each_run_draws_the_same_and_values_of_ones_own_go_first(document, tmp_path):
    values = tmp_path / "values.csv"
    values.write_text("order_id\n77\n")
    target = {"openapi": document, "operations": {"getOrder": {}}, "values": str(values)}
    (_, one), (_, two) = (_measured(tmp_path / name, target, 12) for name in "ab")
    assert [path for _, path, *_ in one] == [path for _, path, *_ in two]
    assert {urlsplit(path).path for _, path, *_ in one} == {"/v1/orders/77"}


def test_bodies_of_a_schema_of_ones_own_are_sent(tmp_path):
    schema = tmp_path / "order.json"
    schema.write_text(json.dumps({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}))
    _, seen = _measured(tmp_path / "runs", {"method": "POST", "body_schema": str(schema)}, 30)
    assert all(list(json.loads(body)) == ["n"] for *_, body in seen) and len({body for *_, body in seen}) > 20


def test_another_document_is_another_run(document, tmp_path):
    def told():
        operations = {"createOrder": {}}
        wanted = comparison("made", {"url": "http://127.0.0.1:1", "openapi": document, "operations": operations}, {})
        return as_properties(wanted.targets["service"], wanted.load)["openapi"]

    before = told()
    with open(document, "a") as file:
        file.write("# changed\n")
    assert told() != before


@pytest.mark.parametrize(
    ("operations", "said"),
    [
        ({}, "name which of .* are asked: getOrder, createOrder"),
        ({"getOrders": {}}, "getOrder"),
        ({"getOrder": {"operation_id": "x"}}, "getOrder"),
        ({"createOrder": {"body": "a", "body_schema": "b"}}, "two bodies"),
    ],
)
def test_what_it_does_not_have_is_told(document, operations, said):
    with pytest.raises(BadParameter, match=said):
        comparison("made", {"url": "http://127.0.0.1:1", "openapi": document, "operations": operations}, {})


SAID = """
openapi: 3.1.0
paths:
  /a/{id}/{1x}/{ид}:
    post:
      operationId: a
      parameters:
        - {name: id, in: path, required: true, schema: {type: integer}}
        - {name: 1x, in: path, required: true, schema: {const: one}}
        - {name: ид, in: path, required: true, schema: {const: two}}
        - {name: ab, in: query, required: true, schema: {const: three}}
        - {name: id, in: query, required: true, schema: {const: four}}
        - {name: sid, in: cookie, required: true, schema: {const: five}}
        - {name: page, in: cookie, schema: {const: five}}
      requestBody: {required: true, content: {TYPE: {schema: {const: {b: 1}}}}}
  /b:
    get: {operationId: b}
"""


def _said(folder, kind="application/json", **given):
    path = folder / "said.yaml"
    path.write_text(SAID.replace("TYPE", f'"{kind}"'), encoding="utf-8")
    return {"openapi": str(path), "operations": {"a": given}}


COOKIE = {"Cookie": "sid=1"}


@pytest.mark.parametrize("kind", ["application/json; charset=utf-8", "application/vnd.api+json", "Application/JSON"])
def test_whatever_is_json_is_sent_as_its_document_calls_it(tmp_path, kind):
    _, seen = _measured(tmp_path / "runs", _said(tmp_path, kind, headers=COOKIE), 3)
    for _, path, headers, body in seen:
        assert (headers["Content-Type"], json.loads(body), headers["Cookie"]) == (kind, {"b": 1}, "sid=1")
        number = int(urlsplit(path).path.split("/")[3])
        assert path == f"/v1/a/{number}/one/two?ab=three&id=four"


def test_what_must_be_sent_and_is_not_drawn_is_asked_for(tmp_path):
    form, cookie = "application/x-www-form-urlencoded", {"headers": COOKIE}
    with pytest.raises(BadParameter, match=f"operation a: its body is {form}; give body or body_file"):
        comparison("made", {"url": "http://127.0.0.1:1"} | _said(tmp_path, form, **cookie), {})
    with pytest.raises(BadParameter, match="operation a: it needs the cookie sid; give it as the header Cookie"):
        comparison("made", {"url": "http://127.0.0.1:1"} | _said(tmp_path), {})
    _, seen = _measured(tmp_path / "runs", _said(tmp_path, form, body="b=1", **cookie), 3)
    assert {body for *_, body in seen} == {b"b=1"}
    # Whoever asks only for another one need not care.
    _measured(tmp_path / "other", _said(tmp_path, form) | {"operations": {"b": {}}}, 3)


@pytest.mark.parametrize(("end", "indent"), [(".json", "  "), (".json", "\t"), (".yaml", "")])
def test_plain_values_are_those_of_json(tmp_path, end, indent):
    path = tmp_path / f"plain{end}"
    if end == ".json":
        told = [1e6, "12:30:00", "2024-01-01", "no", True, None, -1, 0.5]
        path.write_text(json.dumps({"openapi": "3.1.0", "paths": {"/a": {"get": {"operationId": "a"}}}, "x": told}))
        path.write_text(path.read_text().replace("{", "{\n" + indent).replace("1000000.0", "1e6"))
    else:
        told = "[1e6, 12:30:00, 2024-01-01, no, true, ~, -1, 0.5]"
        path.write_text(f"openapi: 3.1.0\npaths: {{/a: &a {{get: {{operationId: a}}}}, /b: {{<<: *a}}}}\nx: {told}")
    read = openapi.read(str(path))
    assert read.content["x"] == [1_000_000, "12:30:00", "2024-01-01", "no", True, None, -1, 0.5]
    assert list(read.operations) == ["a"]


def test_names_that_are_no_part_of_an_address_are_found(tmp_path):
    path = tmp_path / "odd.json"
    asked = {"operationId": "get", "parameters": [{"$ref": "#/components/parameters/an%20id"}, {"$ref": "#/x-more/1"}]}
    made = {"operationId": "new", "requestBody": {"content": {"application/json": {"schema": {"const": 7}}}}}
    content = {
        "openapi": "3.1.0",
        "paths": {"/a%20b/{id}": {"get": asked, "post": made}},
        "components": {"parameters": {"an id": {"name": "id", "in": "path", "schema": {"const": 1}}}},
        "x-more": [{}, {"name": "n", "in": "query", "required": True, "schema": {"const": 2}}],
    }
    path.write_text(json.dumps(content))
    operation = openapi.read(str(path)).operations["get"]
    assert operation.path == "/a%20b/${id}?n=${n}"
    assert {name: Drawing(content, at, name).draw("1") for name, at in operation.places.items()} == {"id": 1, "n": 2}
    body = openapi.read(str(path)).operations["new"].body
    assert Drawing(content, body, "the body").draw("1") == 7


def test_parts_that_say_nothing_are_as_good_as_left_out(tmp_path):
    path = tmp_path / "sparse.yaml"
    path.write_text(
        "openapi: 3.1.0\npaths: {/a: {parameters: , get: {operationId: a, parameters: }}}\n"
        "components: {schemas: {x: {required: true, properties: {y: {readOnly: true}}}}}"
    )
    assert openapi.read(str(path)).operations["a"].path == "/a"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: [", "neither JSON nor YAML"),
        ("[1]", "does not say its version"),
        ("swagger: '2.0'", "does not say its version"),
        ("openapi: 4.0.0", "says version 4.0.0"),
        ("openapi: 3.1.0", "has no paths"),
        (
            "openapi: 3.1.0\npaths: {/a: {get: {operationId: a, parameters: [{$ref: 'other.yaml#/p'}]}}}",
            "leads nowhere",
        ),
        ("openapi: 3.1.0\npaths: &a {x: *a}", "nested too deep"),
        ("openapi: 3.1.0\npaths: {/a: {get: {summary: a}}}", "no operation with an operationId"),
        ("openapi: 3.1.0\npaths: {1: {get: {operationId: a, parameters: [x]}}}", "/paths/1/get/parameters/0: 'x' has"),
        ("openapi: 3.1.0\npaths: {/a: {get: {operationId: a, parameters: 5}}}", "get/parameters/0: '5' has no names"),
        ("openapi: 3.1.0\npaths: {/a: {get: {operationId: a, parameters: [{in: path}]}}}", "parameter has no name"),
        ("openapi: 3.1.0\npaths: {/a: {put: {operationId: a, requestBody: x}}}", "put/requestBody: 'x' has no names"),
        (
            "openapi: 3.1.0\npaths: {/a: {put: {operationId: a, requestBody: {content: 1}}}}",
            "put/requestBody/content: '1' has no names",
        ),
        (f"openapi: 3.1.0\npaths: {{}}\nx: {'1' * 5000}", "neither JSON nor YAML"),
        ("openapi: 3.1.0\npaths: {a: !!python/object/apply:os.getcwd []}", "neither JSON nor YAML"),
    ],
)
def test_what_is_no_such_document_is_refused(tmp_path, text, said):
    path = tmp_path / "broken.yaml"
    path.write_text(text)
    with pytest.raises(BadParameter, match=said):
        openapi.read(str(path))


def test_aliases_of_aliases_are_not_followed_without_an_end(tmp_path):
    path = tmp_path / "bomb.yaml"
    levels = [f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 10)}]" for n in range(1, 10)]
    path.write_text("\n".join(["openapi: 3.1.0", "paths: {}", "l0: &l0 [x]", *levels]))
    with pytest.raises(BadParameter, match="more than 1,000,000 parts"):
        openapi.read(str(path))
