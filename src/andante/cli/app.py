"""The `andante` command: parse, call, print. Heavy imports happen inside the commands."""

from __future__ import annotations

import atexit
import copy
import gc
import sys
from collections.abc import Sequence

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
from andante.cli.output import plain_command

app = typer.Typer(
    name="andante",
    help="From a motion idea to joint commands for legged robots.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=True,
    rich_markup_mode=None,
)

app.command("list")(listing.listing)
app.command("show")(listing.show)
app.command("run")(run.run)
app.command("compare")(recorded.compare)
app.command("check")(motion_files.check)
app.command("fix")(motion_files.fix)
app.command("convert")(motion_files.convert)
app.command("replay")(recorded.replay)
app.command("robots")(robots.robots)
app.command("judge")(judge.judge)
app.command("reach")(reach.reach)
app.command("boards")(boards.boards)
app.command("walk")(walk.walk)
app.command("plan")(walk.plan)
app.command("optimise")(optimise.optimise)
app.command("studio")(studio.studio)
app.command("share")(share.share)
app.command("params")(params.params)
app.command("plugins")(plugins.plugins)
app.command("doctor")(doctor.doctor)
app.command("schema")(schema.schema)
app.add_typer(bench.app, name="bench")
app.add_typer(oda.app, name="oda")
app.add_typer(kick.app, name="kick")
app.add_typer(policy.app, name="policy")
hardware.app.command("fake")(hardware_fakes.fake)
hardware.app.command("conformance")(hardware_fakes.conformance)
app.add_typer(hardware.app, name="hardware")


@app.callback(invoke_without_command=True)
@plain_command
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
    _needed(sys.argv[1:])()


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
