"""The client and the server that exchange messages reliably or not, each a process that a run may kill.

The Java side is in ``systems/esb/reliable``; settings are its properties. A process is the server or the client of one
run after another, on databases of that run, and may be told to end itself at a message and a place, as a kill would.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from perfstudies.errors import SystemFailed
from perfstudies.servers.java import build_checksum, jvm, libraries
from perfstudies.servers.process import Process, serve

NAME = "esb-reliable"
PLACES = {"server": ("committed", "received", "updated"), "client": ("committed", "updated", "sent")}
"""Where each side can be killed: when it has its message and has not begun, when its transaction is open, when it has
committed and nobody has been told, and when the client's call has returned."""
NOWHERE = "nowhere"
QUICK_START = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
"""Options of a JVM that does little before it is killed."""
CLASSES = "classes.jsa"
HALTED = 137
"""The exit status of a process that was killed at its place."""


@dataclass
class Party:
    """A running process.

    Attributes
    ----------
    process : Process
    folder : Path
        Its own, for its settings and its console log.
    """

    process: Process
    folder: Path
    broken: bool = False

    @property
    def halted(self) -> bool:
        """Whether it has ended where it was to be killed."""
        return self.process.popen.poll() == HALTED

    def open(self, settings: Mapping[str, str], timeout_s: float = 60) -> str:
        """Make it a server or a client; return the address at which it answers.

        Parameters
        ----------
        settings : mapping
            Properties that differ from the defaults of the Java side; ``role`` is ``server`` or ``client``.

        Raises
        ------
        SystemFailed
            If it refuses them, or does not answer.
        """
        path = self.folder / "run.properties"
        path.write_text("".join(f"{key}={value}\n" for key, value in settings.items()), encoding="utf-8")
        return self.process.told(f"open {path}", "OPENED", timeout_s)

    def number(self, line: str, answer: str, timeout_s: float = 30) -> tuple[int, ...]:
        """Send a line and return the numbers that follow an expected word in its answer.

        Raises
        ------
        SystemFailed
            If it answers otherwise, or not.
        """
        return tuple(int(number) for number in self.process.told(line, answer, timeout_s).split())

    def close(self) -> None:
        """End what it is, in order: its database is closed then."""
        self.process.command("close", "CLOSED")

    def count(self, folder: Path) -> None:
        """Read both databases of a folder, which nobody must have open, into a file there of what was applied."""
        self.process.command(f"count {folder.resolve()}", "COUNTED")


def build() -> str:
    """Return a checksum of the system under test."""
    return build_checksum(NAME, (NAME, "launch"))


def quick_start(folder: Path) -> tuple[str, ...]:
    """Return the options of a JVM that starts in half the time, with an archive of its classes in a folder.

    It is for runs in which processes are killed and nobody looks at their times: a compiler that soon has enough.
    """
    archive = (folder / CLASSES).resolve()
    with start(folder / "classes", (*QUICK_START, f"-XX:ArchiveClassesAtExit={archive}")) as party:
        both = {"work.dir": str(party.folder), "delivery": "transactional"}
        address = party.open({"role": "server", **both})
        party.open({"role": "client", **both, "server": address, "record": str(party.folder / "calls.csv")})
        party.close()
    return (*QUICK_START, f"-XX:SharedArchiveFile={archive}")


@contextmanager
def start(folder: Path, options: tuple[str, ...] = ()) -> Iterator[Party]:
    """Start a process with a folder of its own; stop it at the end, if it has not been killed at its place.

    Parameters
    ----------
    folder : Path
        Where its settings, logs and temporary files go; made if missing.
    options : tuple of str
        Of the JVM.

    Raises
    ------
    SystemFailed
        If it does not start or stop, or dies elsewhere.
    """
    folder.mkdir(parents=True, exist_ok=True)
    folder = folder.resolve()
    config = folder / "esb-reliable.properties"
    config.write_text("role=none\n", encoding="utf-8")
    command = [*jvm(), *options, f"-Djava.io.tmpdir={folder}", "-jar", str(libraries(NAME)[f"{NAME}.jar"])]
    party = None
    try:
        command += ["serve", "--config", str(config)]
        with serve("reliable messaging", command, folder / "console.log") as process:
            party = Party(process, folder)
            try:
                yield party
            except BaseException:
                party.broken = True
                raise
    except SystemFailed:
        # Ending it in order is not to be had of a process that was killed on purpose.
        if party is None or party.broken or not party.halted:
            raise
