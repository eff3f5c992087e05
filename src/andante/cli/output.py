"""How every command talks: text for people, one JSON object for programs, one message and an exit code for errors."""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable
from enum import IntEnum
from typing import Any, NoReturn, ParamSpec

import typer

from andante.errors import AndanteError

P = ParamSpec("P")


class Exit(IntEnum):
    """Exit codes of all commands."""

    GOOD = 0
    """Done; verdict or check passed."""
    FAILED = 1
    """The verdict or a check failed."""
    BAD_INPUT = 2
    """The input cannot be used; one message says why."""


def command(function: Callable[P, None]) -> Callable[P, None]:
    """Turn expected errors of a command into one message on standard error and exit code 2."""

    @functools.wraps(function)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> None:
        as_json = bool(kwargs.get("as_json", False))
        try:
            function(*args, **kwargs)
        except AndanteError as error:
            refuse(str(error), as_json)
        except KeyboardInterrupt:
            refuse("interrupted", as_json)
        except OSError as error:
            place = f"{error.filename}: " if error.filename else ""
            refuse(f"{place}{error.strerror or error}", as_json)

    return wrapped


def refuse(message: str, as_json: bool) -> NoReturn:
    """Say why the input cannot be used and leave with exit code 2."""
    if as_json:
        emit({"error": message})
    print(f"andante: {message}", file=sys.stderr)
    raise typer.Exit(Exit.BAD_INPUT)


def emit(data: dict[str, Any]) -> None:
    """Print one JSON object on standard output."""
    print(json.dumps(data, indent=2, allow_nan=False, default=str))
