"""The RO-Crate metadata of the recorded data: current, valid, and about what is there."""

import io
import json
import shutil
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest
import rocrate
from requests import ConnectionError, Response
from requests.adapters import HTTPAdapter
from rocrate_validator import services
from rocrate_validator.models import Severity, ValidationSettings
from rocrate_validator.utils.http import HttpRequester

from perfstudies.catalog import crate, dictionary
from perfstudies.paths import RAW
from perfstudies.runs import store
from perfstudies.runs.archive import SUFFIX
from perfstudies.runs.pack import pack
from perfstudies.studies import EXPERIMENTS
from perfstudies.studies.corba.simulations import SIMULATIONS

CONTEXT = Path(rocrate.__file__).parent / "data" / "ro-crate.jsonld"


@pytest.fixture(scope="module")
def graph():
    return {one["@id"]: one for one in json.loads((RAW / crate.NAME).read_text(encoding="utf-8"))["@graph"]}


class OnlyTheContext(HTTPAdapter):
    """Answers with the context that comes with the library; everything else is refused."""

    def __init__(self):
        super().__init__()
        self.served = []

    def send(self, request, **options):
        if request.url != f"https://w3id.org/ro/crate/{crate.VERSION}/context":
            raise ConnectionError(f"{request.url}: no network here")
        self.served.append(request.url)
        response = Response()
        response.status_code, response.request, response.url = 200, request, request.url
        response.headers["Content-Type"] = "application/ld+json"
        response.raw = io.BytesIO(CONTEXT.read_bytes())
        return response


SPARQL = import_module("rdflib.plugins.sparql.processor")
"""Of the library that the validator asks."""
PARSE, TRANSLATE = SPARQL.parseQuery, SPARQL.translateQuery


@cache
def prepared(query, base, namespaces):
    """Prepare a query once: the validator has the same few parsed for each entity anew, most of its time."""
    return TRANSLATE(PARSE(query), base, dict(namespaces))


def failures(folder, severity=Severity.REQUIRED):
    """Validate without a network; return what does not hold."""
    settings = ValidationSettings(
        rocrate_uri=str(folder), profile_identifier=f"ro-crate-{crate.VERSION}", requirement_severity=severity,
        no_cache=True,
    )  # fmt: skip
    answers = OnlyTheContext()
    for scheme in ("https://", "http://"):
        HttpRequester().session.mount(scheme, answers)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SPARQL, "parseQuery", str)
        patch.setattr(SPARQL, "translateQuery", lambda text, base, names: prepared(text, base, (*names.items(),)))
        issues = services.validate(settings).get_issues()
    assert answers.served
    return [f"{one.check.identifier}: {one.message}" for one in issues]


def looks(graph):
    """Return the entity of an experiment, in an archive or not."""
    return graph.get("reference/corba/looks/") or graph[f"reference/corba/looks{SUFFIX}"]


def test_metadata_are_those_of_the_recorded_data():
    stored = (RAW / crate.NAME).read_text(encoding="utf-8")
    assert stored == crate.text(RAW), "run: perfstudies verify --write"


def test_metadata_are_valid():
    assert failures(RAW) == []


def test_what_is_not_valid_is_found(tmp_path):
    told = json.loads((RAW / crate.NAME).read_text(encoding="utf-8"))
    # Of all that is described the root alone: who validates the whole graph waits half a minute.
    told["@graph"] = [one for one in told["@graph"] if one["@id"] in ("./", crate.NAME)]
    root = next(one for one in told["@graph"] if one["@id"] == "./")
    del root["license"], root["hasPart"]
    (tmp_path / crate.NAME).write_text(json.dumps(told))
    assert any("license" in one for one in failures(tmp_path))


def test_every_experiment_and_every_table_has_an_entity_and_what_made_it(graph):
    made = {one["result"]["@id"]: one for one in graph.values() if one["@type"] == "CreateAction"}
    keys = {id.removeprefix("reference/").removesuffix("/").removesuffix(SUFFIX) for id in made}
    assert keys >= {*EXPERIMENTS, *SIMULATIONS}
    for id, action in made.items():
        assert graph[id]["@type"] == ("File" if id.endswith(SUFFIX) else "Dataset")
        assert (RAW / id).is_dir() or graph[id]["contentSize"] == str((RAW / id).stat().st_size)
        assert all(one["@id"] in graph for one in action["instrument"])


def test_an_experiment_says_how_many_runs_it_has_and_when_they_were_measured(graph):
    manifests = [run.manifest for run in store.runs(RAW / "reference/corba/looks")]
    told = looks(graph)
    assert told["size"] == f"{len(manifests)} runs"
    starts = sorted(one["started"] for one in manifests)
    assert told["temporalCoverage"] == f"{starts[0]}/{starts[-1]}"


def test_measured_variables_are_the_columns_of_the_dictionary(graph):
    measured = [graph[one["@id"]]["propertyID"] for one in looks(graph)["variableMeasured"]]
    kinds = {kind.name: kind for kind in dictionary.load(RAW).kinds}
    assert measured == [f"{k}/{field.name}" for k in ("corba-client", "corba-server") for field in kinds[k].fields]


def test_an_experiment_in_an_archive_is_a_file_with_the_same_variables(graph, tmp_path, monkeypatch):
    raw = tmp_path / "raw"
    (raw / "reference").mkdir(parents=True)
    shutil.copy(RAW / dictionary.NAME, raw)
    pack(list(store.runs(RAW / "reference/corba/looks"))[:2], raw / f"reference/corba/looks{SUFFIX}")
    monkeypatch.setattr(crate, "simulations", dict)
    told = {one["@id"]: one for one in json.loads(crate.text(raw))["@graph"]}
    one = told[f"reference/corba/looks{SUFFIX}"]
    assert one["variableMeasured"] == looks(graph)["variableMeasured"]
    assert (one["@type"], one["size"]) == ("File", "2 runs")
    assert told["reference/corba/"]["hasPart"] == [{"@id": one["@id"]}]


def test_a_folder_of_another_kind_is_told_by_its_page_and_its_manifests(tmp_path, monkeypatch):
    (tmp_path / "own" / "run-1").mkdir(parents=True)
    (tmp_path / "own" / "README.md").write_text("# A service of ours\n\nMeasured.\n")
    host = {"cpu": "x", "cores": 2, "memory_bytes": 1, "machine": "arm", "python": "3", "packages": {}}
    host["system"] = "Linux 6"
    store.write_manifest(tmp_path / "own" / "run-1", {"started": "2026-01-01T00:00:00+00:00", "host": host})
    monkeypatch.setattr(crate._Crate, "_reference", lambda self: ["2026-01-01"])
    monkeypatch.setattr(dictionary, "load", lambda raw: None)
    told = {one["@id"]: one for one in json.loads(crate.text(tmp_path))["@graph"]}
    assert told["own/"]["name"] == "A service of ours"
    assert told["own/"]["temporalCoverage"] == "2026-01-01T00:00:00+00:00/2026-01-01T00:00:00+00:00"
    assert {"@id": "#software-linux-6"} in told["#measuring-own"]["instrument"]
    assert told["./"]["mentions"] == {"@id": "#measuring-own"}
