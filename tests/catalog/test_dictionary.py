"""The data dictionary describes every column of every kind of file, and nothing that is not there."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from made.runs import make, record
from perfstudies.catalog import dictionary
from perfstudies.catalog.dictionary import Dictionary, Field, Kind
from perfstudies.catalog.dictionary_check import leaves, problems
from perfstudies.errors import BadLog, BadParameter, BadRecording
from perfstudies.load.rate.log import HEADER, ROW
from perfstudies.paths import RAW
from perfstudies.runs import recording, store
from perfstudies.runs.pack import pack_folder
from perfstudies.studies import EXPERIMENTS

UNITS = {
    "_per_s": "1/s", "_mbit_s": "Mbit/s", "_kbit_s": "kbit/s", "_ns": "ns", "_us": "µs", "_ms": "ms", "_s": "s",
    "_bytes": "bytes", "_mb": "MB",
}  # fmt: skip
"""By what a name ends in; the first that fits counts."""


@pytest.fixture(scope="module")
def known():
    return dictionary.load(RAW)


@pytest.fixture(scope="module")
def processed(tmp_path_factory):
    """What reading a run of every experiment leaves for analyses elsewhere."""
    folder = tmp_path_factory.mktemp("processed")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recording, "PROCESSED", folder)
        for key, experiment in EXPERIMENTS.items():
            recording.load(experiment, [next(store.runs(RAW / "reference" / key))])
    return folder


def test_every_column_is_described_and_every_description_has_a_column(known, processed):
    assert problems(known, RAW, processed) == []


def test_what_is_in_an_archive_is_described_as_what_is_in_a_folder(tmp_path):
    folder = tmp_path / "raw" / "reference" / "step" / "up"
    for block, name in enumerate("ab"):
        make(folder, name, block, {}, [record(1, {"filter": 10, "soap": 9, "si": 7})])
    every = Field("**", "any", "x", empty="x")
    client = Kind("client", "Calls", ("raw/reference/step/up/*/client.csv",), "csv", (every,))
    log = Kind("log", "A log", ("raw/reference/step/up/*/monitor.log",), "lines", (), pattern=".*")
    said = [problems(Dictionary((client, log), ()), tmp_path / "raw")]
    pack_folder(folder, store.runs(folder))
    said.append(problems(Dictionary((client, log), ()), tmp_path / "raw"))
    nowhere = [f"raw/reference/step/up/{name}/manifest.json: no kind of the dictionary has it" for name in "ab"]
    assert [sorted(one)[: len(nowhere)] for one in said] == [nowhere, nowhere]
    assert said[0] == said[1]


def test_the_page_is_made_from_the_dictionary(known):
    made = dictionary.page(known)
    assert dictionary.PAGE.read_text(encoding="utf-8") == made, "run: perfstudies verify --write"


def test_units_are_those_of_the_names(known):
    for field in [*known.settings, *(field for kind in known.kinds for field in kind.fields)]:
        last = "_" + field.name.replace("[]", "").rpartition(".")[2]
        unit = next((unit for suffix, unit in UNITS.items() if last.endswith(suffix)), None)
        assert unit in (None, field.unit), field.name


def test_kinds_have_names_of_their_own_and_so_have_their_columns(known):
    for names in ([kind.name for kind in known.kinds], *([f.name for f in kind.fields] for kind in known.kinds)):
        assert len(set(names)) == len(names)


def test_the_binary_log_is_described_in_the_order_of_its_bytes(known):
    kind = next(kind for kind in known.kinds if kind.name == "esb-requests")
    assert [field.name for field in kind.fields] == list(ROW.names)
    assert [int(field.description.rpartition(";")[2].split()[0]) for field in kind.fields] == [
        ROW[name].itemsize for name in ROW.names
    ]
    assert f"{HEADER.itemsize} bytes" in kind.title and f"{ROW.itemsize} bytes" in kind.title


COLUMNS = (Field("n", "integer", "Number"), Field("x", "number", "Value"))
CSV = Kind("table", "A table", ("raw/a/*.csv",), "csv", COLUMNS)


def found(tmp_path, text, *kinds, settings=(), name="a/one.csv"):
    path = tmp_path / "raw" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return problems(Dictionary(kinds, tuple(settings)), tmp_path / "raw")


def test_a_described_table_is_in_order(tmp_path):
    assert found(tmp_path, "n,x\n1,2.5\n", CSV) == []


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("n,x,y\n1,2,3\n", "y is not described in the kind table (its first value: '3')"),
        ("n,x\n1.5,2\n", "n is '1.5', which is no integer"),
        ("n,x\n1,\n", "x is empty, and the dictionary does not say what that means"),
        ("n\n1\n", "kind table: no file has x"),
    ],
)
def test_what_does_not_fit_is_named(tmp_path, text, problem):
    (said,) = found(tmp_path, text, CSV)
    assert problem in said


def test_a_file_of_no_kind_and_a_kind_without_a_file_are_named(tmp_path):
    assert found(tmp_path, "n,x\n1,2\n", CSV, name="b/one.csv") == [
        "raw/b/one.csv: no kind of the dictionary has it",
        "kind table: no file is of it",
    ]


def test_a_setting_is_looked_up_among_the_settings(tmp_path):
    kind = Kind("manifest", "A manifest", ("raw/*/manifest.json",), "json", (Field("setting.*", "string", "Level"),))
    text = json.dumps({"setting": {"http.threads": "10"}})
    assert found(tmp_path, text, kind, settings=[Field("http.threads", "string", "x")], name="a/manifest.json") == []
    (said,) = found(tmp_path, text, kind, name="a/manifest.json")
    assert "setting.http.threads is not described" in said


def test_a_factor_is_a_column_of_a_table_of_samples(tmp_path):
    kind = Kind("samples", "Samples", ("processed/*.parquet",), "parquet", (Field("n", "integer", "x"),), factors=True)
    pq.write_table(pa.table({"n": [1], "cache": ["none"]}), tmp_path / "up.parquet")
    setting = Field("cache", "string", "x")
    assert problems(Dictionary((kind,), (setting,)), tmp_path / "raw", tmp_path) == []
    assert len(problems(Dictionary((kind,), ()), tmp_path / "raw", tmp_path)) == 1


def test_a_line_that_does_not_fit_the_pattern_is_named(tmp_path):
    kind = Kind("log", "A log", ("raw/a/*.log",), "lines", (Field("ms", "integer", "x"),), pattern=r"(?P<ms>\d+);")
    assert found(tmp_path, "12;\n\n7;\n", kind, name="a/one.log") == []
    with pytest.raises(BadLog, match="one.log:2: not a line of the kind log"):
        found(tmp_path, "12;\n7\n", kind, name="a/one.log")


def test_names_with_points_are_told_from_paths():
    assert dict(leaves({"a": {"b.c": 1}, "d": [[2], {"e": 3}], "f": []})) == {
        "a\0b.c": [1], "d[][]": [2], "d[]\0e": [3], "f[]": [],
    }  # fmt: skip


def test_unknown_types_formats_and_files_are_refused(tmp_path):
    with pytest.raises(BadParameter, match="Did you mean 'integer'"):
        Field("n", "integers", "Number")
    with pytest.raises(BadParameter, match="format of table"):
        Kind("table", "A table", (), "tsv", ())
    with pytest.raises(BadRecording, match="dictionary.json is not a data dictionary"):
        dictionary.load(tmp_path)


def test_two_asterisks_are_any_path(tmp_path):
    kind = Kind("manifest", "A manifest", ("raw/*/m.json",), "json", (Field("given.**", "any", "What was given"),))
    assert found(tmp_path, json.dumps({"given": {"a": [{"b": 1}], "c": "x"}}), kind, name="a/m.json") == []
    (said, *_) = found(tmp_path, json.dumps({"gave": 1}), kind, name="a/m.json")
    assert "gave is not described" in said
