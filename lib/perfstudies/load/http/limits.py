"""The limit of open files, which many connections reach first: raised as far as allowed, and checked before a run."""

from __future__ import annotations

import errno
import resource

from perfstudies.errors import BadParameter

RESERVE = 200  # what a process opens beside its connections
ADVICE = {
    errno.EMFILE: "raise the limit of open files (ulimit -n)",
    errno.ENFILE: "raise the system's limit of open files (fs.file-max)",
    errno.EADDRNOTAVAIL: "use more source addresses or fewer connections: no local port is free",
    errno.ENOBUFS: "use fewer connections: the kernel has no room for more",
    errno.ENOMEM: "use fewer connections: the kernel has no room for more",
}
"""What to do when a client has run out of something, by the system's error."""


def require_open_files(connections: int, who: str) -> None:
    """Raise this process's soft limit of open files as far as connections need it.

    Parameters
    ----------
    connections : int
        How many connections have to be open at a time.
    who : str
        Who opens them, for the message.

    Raises
    ------
    BadParameter
        If the hard limit is lower; it says what to do.
    """
    needed = connections + RESERVE
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < needed:
        raise BadParameter(
            f"{who} needs {needed} open files, and this machine allows a process {hard} (ulimit -Hn). Raise the hard "
            "limit (nofile in /etc/security/limits.conf, or ulimit -n as root) and log in again, or send fewer "
            "requests at once."
        )
    if soft != resource.RLIM_INFINITY and soft < needed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))
