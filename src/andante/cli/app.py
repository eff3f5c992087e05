"""The `andante` command: parse, call, print. Heavy imports happen inside the commands.

The module of a command is imported where it is asked for, or all commands are: that of all takes 0.04 s.
"""

from __future__ import annotations

import atexit
import contextlib
import faulthandler
import gc
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, partial
from importlib import import_module
from typing import Any

import typer

from andante.cli.interrupts import forget_at_exit, heard, interrupted
from andante.cli.leaving import leave_soon
from andante.cli.output import Commands, Exit, command, nothing_follows

_INTERRUPTED = 130
_COMMANDS: Mapping[str, str] = {
    "list": "listing:listing",
    "show": "listing:show",
    "run": "run:run",
    "compare": "recorded:compare",
    "check": "motion_files:check",
    "fix": "motion_files:fix",
    "convert": "motion_files:convert",
    "replay": "recorded:replay",
    "robots": "robots:robots",
    "judge": "judge:judge",
    "reach": "reach:reach",
    "boards": "boards:boards",
    "walk": "walk:walk",
    "plan": "walk:plan",
    "optimise": "optimise:optimise",
    "studio": "studio:studio",
    "share": "share:share",
    "params": "params:params",
    "plugins": "plugins:plugins",
    "doctor": "doctor:doctor",
    "schema": "schema:schema",
}
"""Module and function of each command, in the order in which they are listed."""
_TEXT_ONLY = ("studio", "schema")
"""Commands that print no JSON object."""
_GROUPS: Mapping[str, str] = {
    "bench": "bench:app",
    "oda": "oda:app",
    "kick": "kick:app",
    "policy": "policy:app",
    "hardware": "hardware_fakes:app",
}
"""Module and app of each group of commands."""


@partial(command, with_json=False)
def _root(version: bool = False) -> None:
    """From a motion idea to joint commands for legged robots.

    Args:
        version: Print the version and leave.
    """
    if version:
        from andante.version import __version__

        print(f"andante {__version__}")
        raise typer.Exit
    from andante.robots.graphics import postpone

    postpone()


def main() -> None:
    """Entry point of the `andante` command."""
    # Imports and compiled code make hundreds of thousands of objects that stay: looking through them again and again
    # for garbage took a twentieth of a command's time. A command that runs kernels has a quarter of a million.
    gc.set_threshold(300_000)
    # The same at the end, where Python would look through all of them twice before the process may go.
    atexit.register(gc.freeze)
    # Whom a library of somebody's crashes would else learn of it by an exit code alone.
    with contextlib.suppress(OSError, ValueError, AttributeError):
        faulthandler.enable()
    nothing_follows()
    code = 1
    try:
        with heard(to_the_end=True):
            _answer()
        code = 0
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else int(error.code is not None)
        raise
    finally:
        forget_at_exit()
        leave_soon(code)


def _answer() -> None:
    try:
        _needed(sys.argv[1:])()
    except SystemExit as error:
        # Typer's own answer to Ctrl-C between commands, while one is imported or its options are read: it says nothing.
        if error.code != _INTERRUPTED:
            raise
        print("andante: interrupted", file=sys.stderr)
        raise SystemExit(Exit.BAD_INPUT) from None
    except BaseException as error:
        # Ctrl-C before a command begins, as while its options are made of a file, may come wrapped in whatever a
        # compiled library raises; all else is passed on as it is.
        if not interrupted(error):
            raise
        print("andante: interrupted", file=sys.stderr)
        raise SystemExit(Exit.BAD_INPUT) from None


def __getattr__(name: str) -> Commands:
    """The app with all commands, as ``app``."""
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _all()


@cache
def _all() -> Commands:
    return _made((*_COMMANDS, *_GROUPS))


def _needed(asked: Sequence[str]) -> Commands:
    """The app with the one command that is asked for."""
    first = asked[0] if asked else ""
    if first == "--version":
        return _made([])
    return _made([first]) if first in _COMMANDS or first in _GROUPS else _all()


def _made(names: Iterable[str]) -> Commands:
    """The app with these commands."""
    made = Commands(
        name="andante",
        help="From a motion idea to joint commands for legged robots.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        add_completion=True,
        rich_markup_mode=None,
    )
    made.callback(invoke_without_command=True)(_root)
    for name in names:
        if name in _COMMANDS:
            made.add(name, json=name not in _TEXT_ONLY)(_imported(_COMMANDS[name]))
        else:
            made.add_typer(_imported(_GROUPS[name]), name=name)
    return made


def _imported(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(import_module(f"{__package__}.{module}"), name)
