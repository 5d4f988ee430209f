"""Values drawn from a JSON Schema: valid by an independent validator, the same for a seed, and never from elsewhere."""

import re
from datetime import datetime, timedelta

import faker.providers.date_time
import pytest
from jsonschema import Draft202012Validator

from perfstudies.errors import BadParameter
from perfstudies.own.service.json_schema import Drawing

ORDER = {
    "type": "object",
    "required": ["id", "lines"],
    "properties": {
        "id": {"type": "string", "pattern": "^[A-Z]{3}-[0-9]{4}$"},
        "when": {"type": "string", "format": "date-time"},
        "mail": {"type": "string", "format": "email"},
        "state": {"enum": ["new", "paid", None]},
        "lines": {"type": "array", "minItems": 2, "maxItems": 4, "items": {"$ref": "#/$defs/line"}},
        "tags": {"type": "array", "uniqueItems": True, "items": {"enum": ["a", "b", "c"]}},
        "gift": {"type": ["null", "boolean"]},
        "always": {"const": 7},
        "payer": {"oneOf": [{"$ref": "#/$defs/person"}, {"type": "null"}]},
    },
    "additionalProperties": False,
    "$defs": {
        "line": {
            "allOf": [
                {"type": "object", "required": ["count"], "properties": {"count": {"type": "integer", "minimum": 1}}},
                {"properties": {"price": {"type": "number", "exclusiveMinimum": 0, "maximum": 50, "multipleOf": 0.5}}},
            ]
        },
        "person": {
            "type": "object",
            "required": ["name"],
            "properties": {
                "name": {"type": "string", "minLength": 3, "maxLength": 5},
                "boss": {"$ref": "#/$defs/person"},
            },
        },
    },
}


def test_what_is_drawn_is_valid_and_has_what_a_service_sees():
    drawing, validator = Drawing(ORDER, "", "an order"), Draft202012Validator(ORDER)
    drawn = [drawing.draw(f"{number}") for number in range(50)]
    assert [error.message for value in drawn for error in validator.iter_errors(value)] == []
    assert all(set(value) == set(ORDER["properties"]) for value in drawn)
    assert all(re.fullmatch("[A-Z]{3}-[0-9]{4}", value["id"]) for value in drawn)
    assert len({value["id"] for value in drawn}) > 40
    assert {len(value["lines"]) for value in drawn} == {2, 3, 4}
    assert {value["state"] for value in drawn} == {"new", "paid", None}
    assert {value["payer"] is None for value in drawn} == {True, False}


def test_the_same_seed_draws_the_same_and_another_something_else():
    one, two, other = (Drawing(ORDER, "", "an order").draw(seed) for seed in ("1", "1", "2"))
    assert one == two != other


def test_the_same_seed_draws_the_same_another_day(monkeypatch):
    class Later(datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime.now(tz) + timedelta(days=400)

    drawings = [Drawing({"format": name}, "", "a moment") for name in ("date", "date-time", "time")]
    today = [one.draw("1") for one in drawings]
    monkeypatch.setattr(faker.providers.date_time, "datetime", Later)
    assert [one.draw("1") for one in drawings] == today


def test_a_part_that_contains_itself_ends_where_it_may():
    value = Drawing(ORDER, "/$defs/person", "a person").draw("1")
    depth = 0
    while value:
        value, depth = value.get("boss"), depth + 1
    assert 1 < depth < 10


def test_a_part_of_a_document_may_point_to_another_by_any_name():
    document = {"paths": {"/a~b": {"x": {"$ref": "#/parts/1"}}}, "parts": [{"const": 1}, {"const": "two"}]}
    assert Drawing(document, "/paths/~1a~0b/x", "x").draw("1") == "two"


def test_a_part_may_be_called_by_its_anchor():
    document = {"allOf": [{"$ref": "#two"}], "$defs": {"x": {"$anchor": "two", "const": "two"}}}
    assert Drawing(document, "", "x").draw("1") == "two"


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"$ref": "http://192.0.2.1/x.json"}, "leads out of the document"),
        ({"$ref": "file:///etc/passwd"}, "leads out of the document"),
        ({"$ref": "#/nowhere"}, "there is no '/nowhere'"),
        ({"$ref": "#/type/x", "type": "string"}, "there is no '/type/x'"),
        ({"$ref": "#nobody"}, "there is no 'nobody'"),
        ({"$ref": "#"}, "contains itself without an end"),
        ({"properties": {f"p{number}": {"$ref": "#"} for number in range(10)}}, "more than 10,000 values"),
        ({"properties": {"a": {"$ref": "#/$x"}}, "$x": {"type": "string", "pattern": "(?<x>a)"}}, "no value was found"),
        ({"type": "objekt"}, "objekt"),
        ({"type": "string", "pattern": "(?<year>[0-9]+)x"}, "is not a 'regex'"),
        ({"type": "array", "minItems": 10**9}, "too long"),
        ({"type": "string", "minLength": 10**9}, "give this argument"),
        ({"not": {}}, "no value was found"),
        ({"allOf": [{"const": 1}, {"const": 2}]}, "no value was found"),
    ],
)
def test_what_cannot_be_drawn_is_refused_with_what_to_do(schema, said):
    with pytest.raises(BadParameter, match=said):
        Drawing(schema, "", "the body").draw("1")
