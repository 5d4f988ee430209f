"""Metadata of the recorded data as an RO-Crate: what was measured, when, where, by what, after which publication.

The root of the crate is ``data/raw``; its parts are a folder a study and an archive or a folder an experiment, not the
files in those, which ``registry.txt`` lists. All is told from the manifests of runs, ``CITATION.cff`` and the data
dictionary, nothing from the clock: the same data give the same bytes. The version of RO-Crate is the one whose context
comes with the library, so that the metadata can be validated without a network.
Source: RO-Crate Metadata Specification, https://w3id.org/ro/crate/1.3.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path

import yaml
from rocrate.model import ContextEntity, Entity
from rocrate.rocrate import ROCrate

from perfstudies.catalog import dictionary
from perfstudies.catalog.crate_instruments import hosts, instruments, slug
from perfstudies.catalog.dictionary import Dictionary
from perfstudies.paths import ROOT
from perfstudies.runs import archive, registry, store
from perfstudies.runs.archive import SUFFIX, Archive
from perfstudies.studies import EXPERIMENTS, STUDIES, simulations

NAME = "ro-crate-metadata.json"
VERSION = "1.3"
LICENSES = {"MIT": "https://spdx.org/licenses/MIT"}
"""In the order of the references in ``CITATION.cff``."""
TABLES = ("csv", "lines", "binary")
"""Formats of measured columns."""


def write(raw: Path) -> Path:
    """Write the metadata of a folder ``data/raw`` into it, and return their path."""
    path = raw / NAME
    path.write_text(text(raw), encoding="utf-8")
    return path


def text(raw: Path) -> str:
    """Return the metadata of a folder ``data/raw`` as JSON."""
    told = _Crate(raw).crate.metadata.generate()
    first = {NAME: 0, "./": 1}
    told["@graph"].sort(key=lambda entity: (first.get(entity["@id"], 2), entity["@id"]))
    return json.dumps(told, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


class _Crate:
    """The crate while it is being put together."""

    def __init__(self, raw: Path):
        self.raw, self.crate = raw, ROCrate(version=VERSION)
        self.actions: list[Entity] = []
        self.known: Dictionary = dictionary.load(raw)
        self.citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
        self.articles = dict(zip(STUDIES, map(self._article, self.citation["references"]), strict=True))
        self._published()
        last = max(self._reference())
        self._others()
        self._root(last)

    def _add(self, id: str, type: str, **properties: object) -> Entity:
        """Return an entity of the graph; one that is there already stays."""
        found = self.crate.get(id)
        return found or self.crate.add(ContextEntity(self.crate, id, {"@type": type, **_told(properties)}))

    def _root(self, last: str) -> None:
        root, license = self.crate.root_dataset, self.citation["license"]
        about = self._add(
            LICENSES[license], "CreativeWork", name=f"{license} licence", url=LICENSES[license],
            description="The text is in the file LICENSE of the repository.",
        )  # fmt: skip
        authors = [
            self._add(f"#author-{slug(one['name'])}", "Organization", name=one["name"])
            for one in self.citation["authors"]
        ]
        root["name"] = f"Recorded data of {self.citation['title']}"
        root["description"] = (
            "Raw logs of measured runs, each with a manifest of its settings, seeds, host, versions and checksums; "
            f"tables that models made; and what the studies printed. {dictionary.NAME} says what every column means."
        )
        root["version"] = self.citation["version"]
        root["license"] = about
        root["author"] = root["publisher"] = _one(authors)
        root["datePublished"] = last[:10]
        root["citation"] = list(self.articles.values())
        root["mentions"] = _one(self.actions)
        root["keywords"] = "performance, middleware, reproducibility, SOAP, CORBA, ESB"
        for name, said, kind in (
            ("README.md", "What the folders hold", "text/markdown"),
            (dictionary.NAME, "Data dictionary: every column, its meaning, type and unit", "application/json"),
            (registry.NAME, "Checksums of all files, for sha256sum --check", "text/plain"),
        ):
            self._file(name, name=said, description=said, encodingFormat=kind)

    def _article(self, told: Mapping) -> Entity:
        authors = [
            self._add(f"#author-{slug(name)}", "Person", name=name)
            for one in told["authors"]
            if (name := one.get("name") or f"{one['given-names']} {one['family-names']}")
        ]
        year = str(told.get("year") or told.get("date-published") or "") or None
        # The specification wants an address, and the studies have no registered one.
        address = uuid.uuid5(uuid.NAMESPACE_URL, told["title"]).urn
        return self._add(
            address, "ScholarlyArticle", name=told["title"], author=_one(authors), datePublished=year,
            publisher=told.get("institution", {}).get("name"), description=told.get("notes"),
        )  # fmt: skip

    def _dataset(self, path: str, **properties: object) -> Entity:
        return self.crate.add_dataset(dest_path=path, properties=_told(properties))

    def _file(self, path: str, **properties: object) -> Entity:
        return self.crate.add_file(dest_path=path, properties=_told(properties))

    def _published(self) -> None:
        for study in STUDIES:
            article = self.articles[study]
            self._dataset(
                f"published/{study}/", name=f"What the study printed: {article['name']}", citation=article,
                description="Tables as printed, and statements of the text; README.md in the folder names the source.",
            )  # fmt: skip

    def _reference(self) -> list[str]:
        """Add the studies' runs and tables; return when the last run of each experiment began."""
        starts = []
        for study in STUDIES:
            parts = []
            top = self.raw / "reference" / study
            for name in sorted({path.name.removesuffix(SUFFIX) for path in top.glob("*")}):
                key, folder = f"{study}/{name}", top / name
                if key in simulations():
                    parts.append(self._simulated(key, folder))
                elif manifests := [run.manifest for run in store.runs(folder)]:
                    parts.append(self._experiment(key, folder, manifests))
                    starts.append(max(one["started"] for one in manifests))
            self._dataset(
                f"reference/{study}/", name=f"Measured again: {self.articles[study]['name']}",
                description="One archive an experiment, in it one folder a run.", hasPart=parts,
                citation=self.articles[study],
            )  # fmt: skip
        return starts

    def _experiment(self, key: str, folder: Path, manifests: list[dict]) -> Entity:
        declared, packed = EXPERIMENTS[key], archive.place(folder)
        starts = sorted(one["started"] for one in manifests)
        varied = "; ".join(f"{factor.name}: {', '.join(factor.levels)}" for factor in declared.factors)
        logs = {f"{folder}/{one['run']}/{name}" for one in manifests for name in one["files"]}
        add = partial(self._file, encodingFormat="application/x-xz") if packed.exists() else self._dataset
        found = add(
            f"reference/{key}{SUFFIX if packed.exists() else '/'}", name=declared.title,
            temporalCoverage=f"{starts[0]}/{starts[-1]}", dateCreated=starts[-1],
            description=f"Load: {declared.load}. Varied: {varied}.", size=f"{len(manifests)} runs",
            contentSize=_bytes(packed if packed.exists() else folder), variableMeasured=self._variables(logs),
        )  # fmt: skip
        tools = instruments(self._add, manifests)
        self._action("Measuring", key, found, tools, startTime=starts[0], endTime=starts[-1])
        return found

    def _action(self, what: str, key: str, result: Entity, used: list[Entity], **when: str) -> None:
        name = f"{what} {key}"
        action = self._add(f"#{slug(name)}", "CreateAction", name=name, instrument=used, result=result, **when)
        self.actions.append(action)

    def _simulated(self, key: str, folder: Path) -> Entity:
        manifest = store.read_manifest(folder)
        found = self._dataset(
            f"reference/{key}/", name=simulations()[key].question,
            description="A table that a model made, not a measurement.", contentSize=_bytes(folder),
            variableMeasured=self._variables(map(str, folder.glob("*"))),
        )  # fmt: skip
        self._action("Simulating", key, found, hosts(self._add, [manifest or {}]))
        return found

    def _variables(self, files: Iterable[str]) -> list[Entity]:
        """Return the columns of files as the dictionary describes them."""
        below = sorted(Path(file).relative_to(self.raw.parent).as_posix() for file in files)
        kinds = dict.fromkeys(kind for file in below if (kind := self.known.kind_of(file)))
        return [
            self._add(
                f"#{kind.name}-{slug(field.name)}", "PropertyValue", name=field.name, unitText=field.unit or None,
                description=f"{field.description}. ({kind.title})", propertyID=f"{kind.name}/{field.name}",
                subjectOf={"@id": dictionary.NAME},
            )
            for kind in kinds if kind.format in TABLES for field in kind.fields
        ]  # fmt: skip

    def _others(self) -> None:
        """Add what is neither published nor of one of the studies, by the first line of its page."""
        known = {"live", "published", "reference"}
        folders = [path for path in self.raw.glob("*") if path.name not in known]
        folders += [path for path in (self.raw / "reference").glob("*") if path.name not in STUDIES]
        for folder in sorted(path for path in folders if path.is_dir()):
            page = next(path for one in (folder, *folder.parents) if (path := one / "README.md").exists())
            own = page.parent == folder
            title = page.read_text(encoding="utf-8").splitlines()[0].lstrip("# ") if own else folder.name
            manifests = [
                manifest
                for path in sorted(folder.rglob(store.MANIFEST))
                if (manifest := store.read_manifest(path.parent)) and "started" in manifest
            ]
            for path in sorted(folder.rglob(f"*{SUFFIX}")):
                manifests += Archive(path).manifests.values()
            starts = sorted(one["started"] for one in manifests)
            name = folder.relative_to(self.raw).as_posix()
            found = self._dataset(
                f"{name}/", name=title, contentSize=_bytes(folder),
                description=f"{page.relative_to(self.raw).as_posix()} says more.",
                temporalCoverage=f"{starts[0]}/{starts[-1]}" if starts else None,
            )  # fmt: skip
            if starts:
                when = {"startTime": starts[0], "endTime": starts[-1]}
                self._action("Measuring", folder.name, found, hosts(self._add, manifests), **when)


def _one(values: list) -> object:
    """Return the only one of some values as such, as the specification wants it."""
    return values[0] if len(values) == 1 else values


def _told(properties: Mapping[str, object]) -> dict[str, object]:
    """Leave out what is not known, and refer to entities by their names."""

    def plain(value: object) -> object:
        if isinstance(value, list):
            return [plain(one) for one in value]
        return {"@id": value["@id"]} if isinstance(value, Entity) else value

    return {name: plain(value) for name, value in properties.items() if value not in (None, [], "")}


def _bytes(top: Path) -> str:
    return str(sum(path.stat().st_size for path in (top, *top.rglob("*")) if path.is_file()))
