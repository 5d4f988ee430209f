"""The command ``perfstudies``, called in this process."""

import pytest

from perfstudies.cli.main import app


def perfstudies(*arguments):
    """Call the command and return its exit status."""
    with pytest.raises(SystemExit) as ended:
        app(arguments, prog_name="perfstudies")
    return ended.value.code
