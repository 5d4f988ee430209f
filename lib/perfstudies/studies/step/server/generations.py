"""The generations of the Flight Web Service: one source, on today's libraries or on those of the study's day.

Those of 2009 have holes that nobody mends any more. They are for measuring on the loopback interface and for nothing
else.
"""

from __future__ import annotations

from dataclasses import dataclass

from perfstudies.errors import require_one_of
from perfstudies.servers import mariadb


@dataclass(frozen=True)
class Database:
    """How the service reaches a populated database."""

    url: str
    user: str = "sa"
    password: str = ""


RETENTION_S = 24 * 24 * 3600
"""How long H2 keeps what it no longer needs of its file; just below the most that it can be told.

H2 2.5.252 may free the last chunk that a copied file came with as soon as nothing in it is in use and it is older than
this (by default 45 s), and then cannot write: a request fails now and then, up to every third run of long messages.
"""


@dataclass(frozen=True)
class Generation:
    """What differs between the generations for the lab.

    Attributes
    ----------
    name : str
        What a setting's property ``generation`` says.
    system : str
        The built system.
    h2_suffix : str
        How the name of an H2 file ends, which no other generation's H2 can read.
    h2_options : str
        What H2 is told beside the file.
    mysql : str
        How an address of MariaDB begins for its driver.
    mysql_options : str
        How it ends.
    java_options : tuple of str
        What the JVM is told: old libraries reach into it.
    """

    name: str
    system: str
    h2_suffix: str
    h2_options: str
    mysql: str
    mysql_options: str = ""
    java_options: tuple[str, ...] = ()

    def url(self, database: Database | mariadb.Database) -> str:
        """Return a database's address as this generation's drivers know it."""
        if isinstance(database, mariadb.Database):
            return f"{self.mysql}{database.url.removeprefix('jdbc:mariadb:')}{self.mysql_options}"
        return database.url

    @property
    def fixes_tracing(self) -> bool:
        """Whether a process cannot change to the level trace, nor from it, once the service was deployed in it."""
        return self is OF_2009


TODAY = Generation(
    name="today",
    system="flight",
    h2_suffix=".mv.db",
    h2_options=f";RETENTION_TIME={RETENTION_S * 1000}",
    mysql="jdbc:mariadb:",
)
OF_2009 = Generation(
    name="2009",
    system="flight-2009",
    h2_suffix=".h2.db",
    # Rows are locked, not tables, as they are today without being told.
    h2_options=";MVCC=TRUE",
    mysql="jdbc:mysql:",
    # The driver does not know how today's servers call their character sets.
    mysql_options="?useUnicode=true&characterEncoding=UTF-8",
    java_options=(
        "--add-opens=java.base/java.lang=ALL-UNNAMED",
        "--add-exports=java.xml/com.sun.org.apache.xerces.internal.dom=ALL-UNNAMED",
    ),
)
GENERATIONS = {one.name: one for one in (TODAY, OF_2009)}


def named(name: str) -> Generation:
    """Return a generation.

    Raises
    ------
    BadParameter
        If there is none of that name.
    """
    require_one_of("generation", name, GENERATIONS)
    return GENERATIONS[name]
