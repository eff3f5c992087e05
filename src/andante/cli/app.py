"""The `andante` command: parse, call, print. Heavy imports happen inside the commands."""

from __future__ import annotations

import atexit
import contextlib
import copy
import faulthandler
import gc
import sys
from collections.abc import Sequence
from functools import partial

import typer

from andante.cli import (
    bench,
    boards,
    doctor,
    hardware,
    hardware_fakes,
    judge,
    kick,
    listing,
    motion_files,
    oda,
    optimise,
    params,
    plugins,
    policy,
    reach,
    recorded,
    robots,
    run,
    schema,
    share,
    studio,
    walk,
)
from andante.cli.leaving import leave_soon
from andante.cli.output import Commands, Exit, command, interrupted, nothing_follows

_INTERRUPTED = 130

app = Commands(
    name="andante",
    help="From a motion idea to joint commands for legged robots.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=True,
    rich_markup_mode=None,
)

app.add("list")(listing.listing)
app.add("show")(listing.show)
app.add("run")(run.run)
app.add("compare")(recorded.compare)
app.add("check")(motion_files.check)
app.add("fix")(motion_files.fix)
app.add("convert")(motion_files.convert)
app.add("replay")(recorded.replay)
app.add("robots")(robots.robots)
app.add("judge")(judge.judge)
app.add("reach")(reach.reach)
app.add("boards")(boards.boards)
app.add("walk")(walk.walk)
app.add("plan")(walk.plan)
app.add("optimise")(optimise.optimise)
app.add("studio", json=False)(studio.studio)
app.add("share")(share.share)
app.add("params")(params.params)
app.add("plugins")(plugins.plugins)
app.add("doctor")(doctor.doctor)
app.add("schema", json=False)(schema.schema)
app.add_typer(bench.app, name="bench")
app.add_typer(oda.app, name="oda")
app.add_typer(kick.app, name="kick")
app.add_typer(policy.app, name="policy")
hardware.app.add("fake", json=False)(hardware_fakes.fake)
hardware.app.add("conformance")(hardware_fakes.conformance)
app.add_typer(hardware.app, name="hardware")


@app.callback(invoke_without_command=True)
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
        _answer()
        code = 0
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else int(error.code is not None)
        raise
    finally:
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


def _needed(asked: Sequence[str]) -> typer.Typer:
    """The app with the one command that is asked for: to make all others of their functions takes 0.04 s."""
    first = asked[0] if asked else ""
    commands = [each for each in app.registered_commands if each.name == first]
    groups = [each for each in app.registered_groups if each.name == first]
    if not (commands or groups):
        return app
    one = copy.copy(app)
    one.registered_commands, one.registered_groups = commands, groups
    return one
