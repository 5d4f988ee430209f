"""The RO-Crate metadata of the recorded data: current, valid, and about what is there."""

import io
import json
from pathlib import Path

import pytest
import rocrate
from requests import ConnectionError, Response
from requests.adapters import HTTPAdapter
from rocrate_validator import services
from rocrate_validator.models import Severity, ValidationSettings
from rocrate_validator.utils.http import HttpRequester

from perfstudies import crate, dictionary, store
from perfstudies.paths import RAW
from perfstudies.studies import EXPERIMENTS
from perfstudies.studies.corba_simulations import SIMULATIONS

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


def failures(folder, severity=Severity.REQUIRED):
    """Validate without a network; return what does not hold."""
    settings = ValidationSettings(
        rocrate_uri=str(folder), profile_identifier=f"ro-crate-{crate.VERSION}", requirement_severity=severity,
        no_cache=True,
    )  # fmt: skip
    answers = OnlyTheContext()
    for scheme in ("https://", "http://"):
        HttpRequester().session.mount(scheme, answers)
    issues = services.validate(settings).get_issues()
    assert answers.served
    return [f"{one.check.identifier}: {one.message}" for one in issues]


def test_metadata_are_those_of_the_recorded_data():
    stored = (RAW / crate.NAME).read_text(encoding="utf-8")
    assert stored == crate.text(RAW), "run: python -m perfstudies.verify --write"


def test_metadata_are_valid():
    assert failures(RAW) == []


def test_what_is_not_valid_is_found(tmp_path):
    told = json.loads((RAW / crate.NAME).read_text(encoding="utf-8"))
    del next(one for one in told["@graph"] if one["@id"] == "./")["license"]
    (tmp_path / crate.NAME).write_text(json.dumps(told))
    assert any("license" in one for one in failures(tmp_path))


def test_every_experiment_and_every_table_has_an_entity_and_what_made_it(graph):
    made = {one["result"]["@id"]: one for one in graph.values() if one["@type"] == "CreateAction"}
    assert set(made) >= {f"reference/{key}/" for key in (*EXPERIMENTS, *SIMULATIONS)}
    for id, action in made.items():
        assert graph[id]["@type"] == "Dataset" and (RAW / id).is_dir()
        assert all(one["@id"] in graph for one in action["instrument"])


def test_an_experiment_says_how_many_runs_it_has_and_when_they_were_measured(graph):
    manifests = [json.loads(path.read_text()) for path in (RAW / "reference/corba/looks").glob("*/manifest.json")]
    told = graph["reference/corba/looks/"]
    assert told["size"] == f"{len(manifests)} runs"
    starts = sorted(one["started"] for one in manifests)
    assert told["temporalCoverage"] == f"{starts[0]}/{starts[-1]}"


def test_measured_variables_are_the_columns_of_the_dictionary(graph):
    measured = [graph[one["@id"]]["propertyID"] for one in graph["reference/corba/looks/"]["variableMeasured"]]
    kinds = {kind.name: kind for kind in dictionary.load(RAW).kinds}
    assert measured == [f"{k}/{field.name}" for k in ("corba-client", "corba-server") for field in kinds[k].fields]


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
