"""Execute a notebook by papermill with this very interpreter, in its own folder, reproducibly."""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Mapping
from pathlib import Path

import nbformat
import papermill
import zmq
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from nbformat import NotebookNode
from papermill.exceptions import PapermillExecutionError
from traitlets import default

from perfstudies.errors import BadParameter, PerfstudiesError
from perfstudies.files import temporary
from perfstudies.notebooks.clean import clean

# Starting a kernel takes a second, but many on a busy machine.
START_TIMEOUT_S = 180

# A socket's whole name has at most 107 bytes.
LONGEST_FOLDER = 90

# The kernel imports the package that renders, also where PYTHONPATH is relative to another folder.
LIBRARY = Path(__file__).resolve().parents[2]

# Whatever the shell holds, these give equal outputs: hash order, dates in files, the file name that a
# warning prints, and sums that do not depend on the number of processors.
ENVIRONMENT = {
    "PYTHONHASHSEED": "0",
    "SOURCE_DATE_EPOCH": "0",
    "IPYKERNEL_CELL_NAME": "cell",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "TZ": "UTC",
    "PYDEVD_DISABLE_FILE_VALIDATION": "1",
}


class NotebookFailed(PerfstudiesError):
    """A cell raised or the kernel died; `notebook` is the partly executed notebook with its traceback."""

    def __init__(self, message: str, notebook: NotebookNode):
        self.notebook = notebook
        super().__init__(message)


class OwnKernel(AsyncKernelManager):
    """Start the kernel in the interpreter that runs this code, whatever kernels are installed elsewhere.

    Attributes
    ----------
    folder : pathlib.Path or None
        Where the sockets are that it is talked to by. Without it these are ports, which are chosen before the kernel
        has them: another program may take one meanwhile.
    """

    folder: Path | None = None

    @default("transport")
    def _files_or_ports(self) -> str:
        return "ipc" if self.folder is not None and len(os.fsencode(self.folder)) < LONGEST_FOLDER else "tcp"

    @default("ip")
    def _file_or_address(self) -> str:
        return str(self.folder / "kernel") if self.folder is not None and self.transport == "ipc" else "127.0.0.1"

    @default("transport_encryption")
    def _encrypt_where_possible(self) -> str:
        # Others on this machine can read loopback traffic; the kernel warns of it otherwise.
        return "auto" if zmq.has("curve") else "disabled"

    @property
    def kernel_spec(self) -> KernelSpec:
        """The kernel to start: this interpreter."""
        library = [str(LIBRARY), *filter(None, [os.environ.get("PYTHONPATH")])]
        # The kernel is interrupted before it is stopped, and would say so on the terminal.
        quiet = "--IPKernelApp.log_level=50"
        return KernelSpec(
            argv=[sys.executable, "-m", "ipykernel_launcher", quiet, "-f", "{connection_file}"],
            display_name="Python 3",
            language="python",
            env=ENVIRONMENT | {"PYTHONPATH": os.pathsep.join(library)},
            metadata={"supported_encryption": "curve"},
        )


def parameters_of(path: Path) -> dict[str, object]:
    """Return a notebook's parameters and their defaults, as papermill finds them in the tagged cell."""
    try:
        found = papermill.inspect_notebook(_format_safe(path))
    except (ValueError, TypeError, KeyError, AttributeError, nbformat.ValidationError) as error:
        raise BadParameter(f"{path}: not a notebook: {str(error)[:200]}") from error
    return {name: _literal(parameter["default"]) for name, parameter in found.items()}


def check_parameters(path: Path, given: Mapping[str, object]) -> dict[str, object]:
    """Return all parameters of a notebook with the values that a run with `given` has.

    Raises
    ------
    BadParameter
        If the notebook lacks one of the given; papermill itself would only warn, and the run would go
        on with the defaults.
    """
    known = parameters_of(path)
    for name in given:
        if name not in known:
            if not known:
                raise BadParameter(f"{path}: has no cell tagged 'parameters', so {name!r} cannot be set")
            raise BadParameter(f"{path}: {BadParameter.choice('parameter', name, known)}")
    return {**known, **given}


def execute(
    path: Path, parameters: Mapping[str, object] | None = None, kernel: type[OwnKernel] = OwnKernel
) -> NotebookNode:
    """Execute a notebook in its own folder and return it cleaned; the file stays as it is.

    Parameters
    ----------
    path : pathlib.Path
        The notebook.
    parameters : mapping, optional
        Values that override those of the cell tagged ``parameters``.
    kernel : type
        The manager that starts the kernel.

    Returns
    -------
    nbformat.NotebookNode
        The executed notebook without anything that differs from one execution to the next; all its
        parameters are in ``metadata.perfstudies.parameters``.

    Raises
    ------
    BadParameter
        If the notebook does not know a parameter; nothing is executed then.
    NotebookFailed
        If a cell raised or the kernel died; the message names notebook, cell and exception.
    """
    path = Path(path).resolve()
    if not path.is_file():
        raise BadParameter(f"{path}: no such notebook")
    known, effective = parameters_of(path), check_parameters(path, parameters or {})
    # What is as the notebook has it needs no further cell that says so again.
    changed = {name: value for name, value in (parameters or {}).items() if repr(value) != repr(known[name])}
    original = nbformat.read(path, as_version=nbformat.NO_CONVERT)
    with temporary("notebook") as folder:
        output = folder / path.name
        try:
            papermill.execute_notebook(
                _format_safe(path),
                _format_safe(output),
                parameters=changed,
                kernel_name="python3",
                language="python",
                progress_bar=False,
                start_timeout=START_TIMEOUT_S,
                cwd=path.parent,
                kernel_manager_class=type(kernel.__name__, (kernel,), {"folder": folder}),
            )
        except PapermillExecutionError as error:
            partly = clean(nbformat.read(output, as_version=4))
            raise NotebookFailed(_failure(path, error), partly) from error
        except RuntimeError as error:  # the kernel did not start, or died
            partly = clean(nbformat.read(output, as_version=4)) if output.exists() else original
            raise NotebookFailed(f"{path}: the kernel failed: {error}", partly) from error
        executed = nbformat.read(output, as_version=4)
    if (original.nbformat, original.get("nbformat_minor", 0)) < (4, 5):
        executed.nbformat_minor = 4  # the ids that papermill made up on reading are random
    executed = clean(executed)
    executed.metadata.setdefault("perfstudies", NotebookNode())["parameters"] = effective
    return executed


def parse_value(text: str) -> object:
    """Read a command-line value: a number, True, False, None, a list or a dict as such, all else as a string."""
    value = _literal(text)
    return value if value is None or isinstance(value, bool | int | float | list | dict) else text


def _literal(text: str) -> object:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def _format_safe(path: Path) -> str:
    # papermill fills braces in a path with parameters.
    return str(path).replace("{", "{{").replace("}", "}}")


def _failure(path: Path, error: PapermillExecutionError) -> str:
    first_line = next((line for line in error.source.splitlines() if line.strip()), "")
    return f"{path}: cell [{error.exec_count}] ({first_line.strip()!r}) raised {error.ename}: {error.evalue}"
