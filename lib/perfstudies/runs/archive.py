"""An experiment's runs in one file: ``<experiment>.tar.xz``, packed as a whole, with a folder a run in it.

The manifests of all runs come first, so that runs are counted and told apart without unpacking a log; then the logs, as
they were written, run by run. Packed like this a log can only be reached through all that precede it. So an archive is
gone through once, in its order, and one run at a time is unpacked into a temporary folder. Whoever goes back starts
from the beginning. What a member must be follows from the manifests: anything else is refused.
"""

from __future__ import annotations

import hashlib
import lzma
import shutil
import tarfile
import weakref
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from itertools import zip_longest
from pathlib import Path
from typing import IO, Any

from perfstudies.errors import BadRecording, PerfstudiesError
from perfstudies.files import made_temporary
from perfstudies.runs import manifest, registry
from perfstudies.runs.manifest import MANIFEST

SUFFIX = ".tar.xz"
PIECE_BYTES = 1 << 20
_END = b"YZ"
"""Of every file of this format: one that was cut has it by chance at most."""

Manifests = dict[str, dict[str, Any]]


def place(folder: Path) -> Path:
    """Return where the archive of an experiment is whose runs would be in a folder."""
    return folder.with_name(f"{folder.name}{SUFFIX}")


class Archive:
    """An experiment's archive.

    Attributes
    ----------
    path : Path
        Where it is.
    sha256 : str
        Of its bytes, in hexadecimal.
    manifests : dict of str to dict
        By run, in the order of their names.

    Raises
    ------
    BadRecording
        If it differs from the registry's checksum, is cut, or is not such an archive.
    """

    def __init__(self, path: Path):
        self.path = path
        with _opened(path) as (_, self.sha256):
            pass
        self.manifests = _manifests(path, self.sha256)
        self._logs: Iterator[tuple[str, str, IO[bytes]]] | None = None
        self._passed: set[str] = set()
        self._unpacked: str | None = None
        self._folder: Path | None = None

    def file(self, run: str, name: str) -> Path:
        """Return one of a run's logs, unpacked and compared with its checksum.

        It stays until a log of another run is asked for.

        Raises
        ------
        BadRecording
            If the archive was cut or altered, or a log differs from its checksum; with archive, run and file.
        """
        if run != self._unpacked:
            try:
                self._unpack(run)
            except BaseException:
                self._logs, self._unpacked = None, None
                raise
        return self._home() / run / name

    def require_whole(self) -> None:
        """Go through the whole archive; raise `BadRecording` as `file` does."""
        for run in self.manifests:
            self._unpack(run)

    def _unpack(self, run: str) -> None:
        if self._logs is None or run in self._passed:
            self._logs, self._passed = _logs(self.path, self.sha256, self.manifests), set()
        shutil.rmtree(self._home() / (self._unpacked or run), ignore_errors=True)
        self._unpacked = None
        (self._home() / run).mkdir(parents=True)
        for owner in [one for one in self.manifests if one not in self._passed and one <= run]:
            for name, told in sorted(self.manifests[owner]["files"].items()):
                _, _, content = next(self._logs)
                if owner == run:
                    _copy(content, self._home() / run / name, told, self.path / run / name, self.path)
            self._passed.add(owner)
        if len(self._passed) == len(self.manifests):
            next(self._logs, None)  # compares the end with what is due, and the whole with the format's own checksum
        self._unpacked = run

    def _home(self) -> Path:
        """Return the temporary folder, named as the archive is, so that a path in it tells where a log is from."""
        if self._folder is None:
            top = made_temporary("archive")
            weakref.finalize(self, shutil.rmtree, top, ignore_errors=True)
            self._folder = top / self.path.name
        return self._folder


def _manifests(path: Path, sha256: str) -> Manifests:
    found: Manifests = {}
    with closing(_members(path, sha256)) as members:
        for name, content in members:
            run, _, base = name.partition("/")
            if base != MANIFEST:
                break
            if found and run <= max(found):
                raise _refusal(path, f"the manifest of {run} is there twice, or out of order")
            with _refusing(path):
                text = content.read()
            found[run] = manifest.parse(text, path / name)
    if not found:
        raise _refusal(path, "it holds no run")
    return found


def _logs(path: Path, sha256: str, manifests: Manifests) -> Iterator[tuple[str, str, IO[bytes]]]:
    """Yield run, name and content of each log; `BadRecording` if another member stands where one is due, or none."""
    due = [(run, MANIFEST) for run in manifests]
    with _refusing(path):
        due += [(run, name) for run, told in manifests.items() for name in sorted(told["files"])]
    with closing(_members(path, sha256)) as members:
        for at, (member, expected) in enumerate(zip_longest(members, due)):
            name, content = member or ("its end", None)
            if expected is None or name != "/".join(expected):
                wanted = "its end" if expected is None else "/".join(expected)
                raise _refusal(path, f"{name} stands where {wanted} is due")
            if at >= len(manifests):
                yield *expected, content


def _members(path: Path, sha256: str) -> Generator[tuple[str, IO[bytes]]]:
    """Yield name and content of each member: an ordinary file in one folder."""
    with _opened(path, sha256) as (raw, _), _refusing(path), lzma.open(raw) as packed:
        with tarfile.open(fileobj=packed, mode="r|", bufsize=PIECE_BYTES) as tar:
            for member in tar:
                run, slash, base = member.name.partition("/")
                strange = not slash or {"", ".", ".."} & {run, base} or {"/", "\\", "\0"} & {*run, *base}
                if strange or member.type not in (tarfile.REGTYPE, tarfile.AREGTYPE):
                    raise _refusal(path, f"{member.name!r} is no file of a run")
                content = tar.extractfile(member)
                assert content is not None, "an ordinary file has content"
                yield member.name, content
        while packed.read(PIECE_BYTES):
            pass


@contextmanager
def _opened(path: Path, sha256: str | None = None) -> Iterator[tuple[IO[bytes], str]]:
    """Open an archive, compare it with its checksum in the registry, and with the one it had before."""
    with open(path, "rb") as raw:
        found = hashlib.file_digest(raw, "sha256").hexdigest()
        registry.require_listed(path, found)
        raw.seek(-min(len(_END), raw.tell()), 2)
        if raw.read() != _END or (sha256 or found) != found:
            raise _refusal(path, "its end is missing, or it changed while it was read")
        raw.seek(0)
        yield raw, found


def _copy(content: IO[bytes], target: Path, told: Mapping[str, Any], place: Path, archive: Path) -> None:
    found, size = hashlib.sha256(), 0
    with open(target, "wb") as file:
        while True:
            with _refusing(archive):
                piece = content.read(PIECE_BYTES)
            if not piece:
                break
            found.update(piece)
            size += len(piece)
            file.write(piece)
    if (size, found.hexdigest()) != (told["bytes"], told["sha256"]):
        raise BadRecording(
            f"{place} differs from the checksum in its manifest: a raw log is never edited. "
            "Restore it from the repository, or measure the run again."
        )


@contextmanager
def _refusing(path: Path) -> Iterator[None]:
    try:
        yield
    except PerfstudiesError:
        raise
    except Exception as error:  # tarfile raises whatever a broken header leads it to
        raise _refusal(path, f"{type(error).__name__}: {error}") from error


def _refusal(path: Path, problem: str) -> BadRecording:
    return BadRecording(f"{path} is cut, altered or no archive of runs: {problem}. Restore it from the repository")
