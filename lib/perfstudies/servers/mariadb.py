"""MariaDB, the descendant of the study's MySQL: a private server on a data folder of its own.

Everything is MariaDB's default, read from no option file, its durability above all: each commit is flushed to
disk. What differs is in `INITIAL` (how large its files are, so that copying them costs little) and `OPTIONS`.
"""

from __future__ import annotations

import os
import platform
import socket
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from perfstudies.errors import MissingTool, SystemFailed
from perfstudies.files import temporary
from perfstudies.servers import programs
from perfstudies.servers.link import Link
from perfstudies.servers.process import Process, supervised, tail

DATABASE = USER = PASSWORD = "flight"
LOG = "mariadb.log"
NAMESPACE_PORT = 3306  # in a namespace of its own every port is free
READY = b"ready for connections"

# The redo log is 10 MB, as the two files of MySQL 5.1 were (the default is 96 MB), and it and the undo logs, in the
# system's tablespace as they were then, are all that the data folder has besides the data.
INITIAL = ["--innodb-log-file-size=10M", "--innodb-undo-tablespaces=0"]
# No Unix socket, and no search for the client's name: there is no name server in the namespace.
OPTIONS = [*INITIAL, "--socket=", "--skip-name-resolve"]
LAZY_DISK = ("--innodb-flush-log-at-trx-commit=0",)
"""What it is told besides if it need not have a commit on its disk before it answers."""

# The only account may use its database and nothing else of the machine; there is no administrator.
ACCOUNT = f"""
DELETE FROM mysql.global_priv;
DELETE FROM mysql.proxies_priv;
CREATE DATABASE {DATABASE} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
FLUSH PRIVILEGES;
CREATE USER {USER}@'%' IDENTIFIED BY '{PASSWORD}';
GRANT ALL ON {DATABASE}.* TO {USER}@'%';
"""

PROGRAMS = ("mariadbd", "mariadb-install-db", "mariadb", "setpriv")


def unavailable() -> str:
    """Return why MariaDB cannot be started here and what to do about it; empty if it can."""
    if platform.system() != "Linux":
        return "runs on MariaDB need Linux: its server is made to end with the lab by setpriv."
    if missing := programs.lacking(PROGRAMS):
        return (
            f"runs on MariaDB need {missing}: install the packages mariadb-server-core, mariadb-client-core and "
            "util-linux (names of Debian and Ubuntu), or call `make setup` as root there."
        )
    return ""


def _as_user() -> list[str]:
    # MariaDB refuses to run as root unless told to.
    return ["--user=root"] if os.geteuid() == 0 else []


def initialise(folder: Path) -> None:
    """Make a data folder with an empty database and its account.

    Parameters
    ----------
    folder : Path
        Where; must not exist or be empty.

    Raises
    ------
    MissingTool
        If MariaDB is not installed.
    SystemFailed
        If it cannot be made; with the end of what was said.
    """
    if problem := unavailable():
        raise MissingTool(problem)
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise SystemFailed(f"MariaDB's data folder {folder} is not empty")
    log, account = folder.with_name(f"{folder.name}.log"), folder.with_name(f"{folder.name}.sql")
    account.write_text(ACCOUNT, encoding="utf-8")
    command = [programs.path_of("mariadb-install-db"), "--no-defaults", *_as_user(), f"--datadir={folder.resolve()}"]
    # This way of authentication needs no plugin that a distribution may lack; the account is deleted anyway.
    command += ["--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve"]
    command += [f"--extra-file={account.resolve()}", *INITIAL]
    # Two that are made at the same time would take each other's temporary tables from the machine's own folder.
    with open(log, "wb") as said, temporary("mariadb") as tables:
        command.append(f"--tmpdir={tables}")
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.STDOUT)
    # What went wrong stands above a long farewell.
    wrong = [line for line in log.read_text("utf-8", errors="replace").splitlines() if "ERROR" in line]
    problem = "\n".join(wrong[:10]) or tail(log)
    log.unlink()
    account.unlink()
    if done.returncode != 0:
        raise SystemFailed(f"making MariaDB's data folder {folder} failed with status {done.returncode}:\n{problem}")


@dataclass(frozen=True)
class Database:
    """A running MariaDB.

    Attributes
    ----------
    process : Process
        Its process.
    link : Link
        The way to it.
    port : int
        Where it listens, at the link's address.
    version : str
        What it says it is.
    """

    process: Process
    link: Link
    port: int
    version: str
    user: str = USER
    password: str = PASSWORD

    @property
    def url(self) -> str:
        """Address of its database for JDBC."""
        return f"jdbc:mariadb://{self.link.host}:{self.port}/{DATABASE}"

    def query(self, statement: str) -> str:
        """Run SQL over the link and return its result, a line a row, columns separated by tabs."""
        command = [programs.path_of("mariadb"), "--no-defaults", "--batch", "--skip-column-names"]
        command += ["--connect-timeout=10", "--protocol=tcp", f"--host={self.link.host}", f"--port={self.port}"]
        command += [f"--user={USER}", DATABASE]
        # Not --password: every process could read it.
        environment = os.environ | {"MYSQL_PWD": PASSWORD}
        done = subprocess.run(command, input=statement, capture_output=True, text=True, env=environment)
        if done.returncode != 0:
            raise self.process.failure(f"did not answer {statement!r}: {done.stderr.strip()}")
        return done.stdout.rstrip("\n")

    def end_connections(self) -> int:
        """End all connections to it, one right after the other, as if the way to it failed; return how many."""
        listed = "SELECT id FROM information_schema.processlist WHERE id <> CONNECTION_ID()"
        connections = self.query(listed).split()
        for connection in connections:
            with suppress(SystemFailed):  # it may have ended meanwhile
                self.query(f"KILL {connection}")
        return len(connections)


class _Server(Process):
    """MariaDB's process: ready when its log says so, stopped by a signal."""

    def __init__(self, popen: subprocess.Popen, log: Path, link: Link):
        super().__init__("MariaDB", popen, log)
        self.link = link
        self._heard, self._ready, self._unwritten = threading.Event(), False, ""
        self._reader = threading.Thread(target=self._read, daemon=True)

    def _read(self) -> None:
        try:
            with open(self.log, "wb", buffering=0) as log:
                for line in self.popen.stdout:
                    log.write(line)
                    if READY in line:
                        self._ready = True
                        self._heard.set()
        except OSError as error:
            self._unwritten = f"; its log cannot be written: {error}"
        finally:
            self._heard.set()

    def wait_ready(self, timeout_s: float) -> None:
        self.link.connect(self.popen)
        self._reader.start()
        if not self._heard.wait(timeout_s):
            raise self.failure(f"was not ready after {timeout_s:g} s")
        if not self._ready:
            raise self.failure("was not ready") if self._unwritten else self.output_ended("was not ready")

    def failure(self, problem: str) -> SystemFailed:
        return super().failure(problem + self._unwritten)

    def stop(self, timeout_s: float) -> None:
        self.popen.terminate()
        self.wait_stopped(timeout_s)

    def close(self) -> None:
        if self._reader.is_alive():
            self._reader.join()
        super().close()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        return unused.getsockname()[1]


@contextmanager
def start(
    folder: Path,
    link: str = "local",
    start_timeout_s: float = 60,
    stop_timeout_s: float = 60,
    options: Sequence[str] = (),
) -> Iterator[Database]:
    """Start MariaDB on a data folder and stop it in order at the end, so that the folder can be copied.

    It ends with the thread that calls this, whatever ends that. Its log is in the data folder.

    Parameters
    ----------
    folder : Path
        What `initialise` made, or a copy.
    link : str
        How it is reached: one of `perfstudies.servers.link.LINKS`.
    start_timeout_s, stop_timeout_s : float
        How long it may take to be ready and to stop.
    options : sequence of str
        What it is told beside `OPTIONS`.

    Raises
    ------
    MissingTool
        If MariaDB is not installed or the link cannot be had.
    SystemFailed
        If it does not start, dies, or does not stop; with the end of its log.
    """
    if problem := unavailable():
        raise MissingTool(problem)
    way = Link.choose(link)
    port = _free_port() if link == "local" else NAMESPACE_PORT
    server = [programs.path_of("mariadbd"), "--no-defaults", *_as_user(), f"--datadir={folder.resolve()}", *OPTIONS]
    server += [f"--port={port}", f"--bind-address={way.host}", *options]
    # The kernel ends it when the lab is killed, whose copy of the data nobody needs then. It is not asked to end in
    # order: asked so while it starts, MariaDB may go on for ever.
    command = [programs.path_of("setpriv"), "--pdeathsig", "KILL", *way.wrap(server)]
    popen = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    )
    process = _Server(popen, folder / LOG, way)
    try:
        with supervised(process, start_timeout_s, stop_timeout_s):
            database = Database(process, way, port, version="")
            yield replace(database, version=database.query("SELECT version()"))
    finally:
        way.remove()
