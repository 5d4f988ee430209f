"""What measured, as entities of an RO-Crate: machines, the systems under test, databases, languages and packages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from rocrate.model import Entity

HOMES = {
    "H2": "https://www.h2database.com/", "Java": "https://openjdk.org/", "Linux": "https://www.kernel.org/",
    "MariaDB": "https://mariadb.org/", "Python": "https://www.python.org/", "lxml": "https://lxml.de/",
    "numpy": "https://numpy.org/", "pandas": "https://pandas.pydata.org/", "scipy": "https://scipy.org/",
    "requests": "https://requests.readthedocs.io/", "statsmodels": "https://www.statsmodels.org/",
    "zeep": "https://docs.python-zeep.org/",
}  # fmt: skip
"""Pages of software whose versions manifests name; the specification wants one of each SoftwareApplication."""

Add = Callable[..., Entity]
"""Takes an entity's id, type and properties and returns it; one that is there already stays."""


def instruments(add: Add, manifests: Iterable[Mapping]) -> list[Entity]:
    """Return what runs were measured with, each once: machines and packages, systems under test, Java and databases."""
    manifests = list(manifests)
    found = {one["@id"]: one for one in hosts(add, manifests)}
    for system in (manifest["system"] for manifest in manifests):
        build = system["build"]
        used = add(
            f"#system-{system['name']}-{build[:12]}", "CreativeWork", name=f"System under test: {system['name']}",
            description="Java; in the folder systems of the repository. Its version is a checksum of the build.",
            version=build, softwareRequirements=sorted(system["libraries"]),
        )  # fmt: skip
        # Engines of one build have libraries of their own.
        used["softwareRequirements"] = sorted({*used["softwareRequirements"], *system["libraries"]})
        found[used["@id"]] = used
        for name in filter(None, (f"Java {system['java']}", system.get("database"))):
            one = _software(add, *(name.split(" ", 1) if " " in name else (name, _version(system, name))))
            found[one["@id"]] = one
    return [found[id] for id in sorted(found)]


def hosts(add: Add, manifests: Iterable[Mapping]) -> list[Entity]:
    """Return the machines of runs, their operating systems, and Python with its packages, each once."""
    found = {}
    for host in (one["host"] for one in manifests):
        memory = f"{host['memory_bytes']} bytes of memory"
        name = f"{host['cpu']}, {host['cores']} processors, {memory}, {host['machine']}"
        packages = {"Python": host["python"], **host["packages"], **dict([host["system"].split(" ", 1)])}
        machine = add(f"#host-{slug(name)}", "IndividualProduct", name=name)
        for one in (machine, *(_software(add, *package) for package in packages.items())):
            found[one["@id"]] = one
    return [found[id] for id in sorted(found)]


def slug(name: str) -> str:
    """Return a name as a part of an id."""
    return re.sub(r"[^a-z0-9.]+", "-", name.lower()).strip("-.")


def _version(system: Mapping, database: str) -> str:
    """Return the version of a database that is one of the system's libraries, whose file's name ends in it."""
    jar = next(one for one in system["libraries"] if one.startswith(f"{database.lower()}-"))
    return jar.removesuffix(".jar").rpartition("-")[2]


def _software(add: Add, name: str, version: str) -> Entity:
    # The specification wants an address of each SoftwareApplication.
    kind = "SoftwareApplication" if name in HOMES else "CreativeWork"
    return add(
        f"#software-{slug(f'{name} {version}')}", kind, name=name, version=version, softwareVersion=version,
        url=HOMES.get(name),
    )  # fmt: skip
