"""The command ``perfstudies`` as a whole: how it tells errors, its exit statuses, its version."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from perfstudies import __version__
from perfstudies.errors import BadParameter, PerfstudiesError
from perfstudies.files import FULL

FAILED, WRONG_USAGE, INTERRUPTED = 1, 2, 130
"""Exit statuses; 0 means that all went well."""


def fail(*problems: object, status: int = FAILED) -> NoReturn:
    """Say what was wrong, and end with a status."""
    for problem in problems:
        print(f"error: {problem}", file=sys.stderr)
    raise typer.Exit(status)


def end_with(verdict: Callable[[], int]) -> NoReturn:
    """End with a comparison's status: 1 is a verdict there, and what cannot be compared is wrong usage."""
    try:
        status = verdict()
    except (PerfstudiesError, OSError) as error:
        fail(_of_the_system(error) if isinstance(error, OSError) else error, status=WRONG_USAGE)
    except KeyboardInterrupt:
        fail("interrupted; nothing is kept", status=INTERRUPTED)
    except Exception:  # a mistake of this program is no verdict either
        traceback.print_exc()
        raise typer.Exit(WRONG_USAGE) from None
    raise typer.Exit(status)


def _of_the_system(error: OSError) -> str:
    what = f"{error.filename2 or error.filename or 'the disk'}: {error.strerror or error}"
    return f"{what}. Make room; the same command goes on" if error.errno in FULL else what


class Commands(TyperGroup):
    """The commands, which all tell errors in one way."""

    def invoke(self, ctx: Any) -> Any:
        """Carry out a command; end with its status."""
        try:
            return super().invoke(ctx)
        except BadParameter as error:
            fail(error, status=WRONG_USAGE)
        except PerfstudiesError as error:
            fail(error)
        except OSError as error:
            fail(_of_the_system(error))
        except KeyboardInterrupt:
            print("\nInterrupted. What has finished is kept; the same command goes on.", file=sys.stderr)
            raise typer.Exit(INTERRUPTED) from None


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=f"Exit status: {FAILED} if something failed, {WRONG_USAGE} for wrong usage, {INTERRUPTED} after Ctrl-C.",
)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"perfstudies {__version__}")
        raise typer.Exit


@app.callback()
def perfstudies(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Measure published studies of middleware performance again on real software, and report what still holds."""
