"""`andante studio`: design motions in the browser."""

from __future__ import annotations

import importlib.util
import os
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from andante.cli.output import Switch, refuse

_NEEDED = ("fastapi", "uvicorn", "websockets")
_EVERYWHERE = ("0.0.0.0", "::")


def studio(
    file: Annotated[Path | None, typer.Argument()] = None,
    robot: str = "",
    host: str = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535)] = 0,
    foxglove: Annotated[int | None, typer.Option(min=1, max=65535)] = None,
    browser: Switch = True,
    as_class: Annotated[bool, typer.Option("--class")] = False,
    students: Path | None = None,
    lessons: Path | None = None,
    address: str = "",
) -> None:
    """Design motions in the browser: pose, timeline, text, physics, checks.

    Args:
        file: Motion file of any known format, or the workspace folder; default: here.
        robot: Robot of files that do not name theirs.
        host: Address to listen on; 0.0.0.0 is the whole network, for a class only.
        port: Port; 0 takes any that is free.
        foxglove: Stream runs to Foxglove on this port of this computer.
        browser: Open the page.
        as_class: Hold a class in the folder: a link and a workspace for each student, a page for the lecturer.
        students: Names of the students, one a line; default: those of the last time.
        lessons: Folder with lessons of your own; default: those that come with Andante.
        address: Address that students open, where it is another, such as https://class.example.org behind TLS.
    """
    if not hasattr(os, "O_NOFOLLOW"):
        refuse("the studio writes files by calls that this system lacks: use Linux, macOS, or in Windows WSL")
    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        refuse(f"the studio needs {', '.join(missing)}: install it with pip install 'andante[studio]'")
    if foxglove is not None and importlib.util.find_spec("foxglove") is None:
        refuse("a stream to Foxglove needs foxglove-sdk: install it with pip install 'andante[foxglove]'")
    place = Path.cwd() if file is None else file

    def opened(link: str) -> None:
        if browser:
            import webbrowser

            webbrowser.open(link)

    if as_class:
        from andante.studio.classroom.classroom import ClassLimits
        from andante.studio.classroom.holding import hold_class

        tell = partial(print, flush=True)
        hold_class(place, students, lessons, (host, port, address), robot, ClassLimits(), tell, opened)
        return
    given = {"--students": students is not None, "--lessons": lessons is not None, "--address": bool(address)}
    if only := [name for name, is_given in given.items() if is_given]:
        refuse(f"{', '.join(only)} belongs to a class: add --class")
    if host in _EVERYWHERE:
        refuse(
            f"--host {host} opens the studio to the whole network, with one link for everybody: hold a class"
            " (--class --students FILE), where each student has a name and a link",
        )
    # Helpers that are copies have the linear algebra of this process, and leave the other cores to one another.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from andante.robots.register import ROBOTS
    from andante.robots.robot import Robot
    from andante.studio.access import Access
    from andante.studio.copied import copy_from_here
    from andante.studio.document import OpenDocument
    from andante.studio.known_address import KnownAddress, keep_address, known_address
    from andante.studio.server import Studio, open_socket, serve
    from andante.studio.workspace import Workspace

    copy_from_here()
    if robot:
        Robot.load(robot)
        if robot not in ROBOTS:
            # Seen from the folder in which the command is given, not from that of a document.
            robot = str(Path(robot).absolute())
    workspace = Workspace(place if place.is_dir() else place.parent)
    first = ""
    if not place.is_dir():
        path = workspace.path(place.name)
        first = workspace.name(path)
        # A file that cannot be opened is told here, where it was named.
        document = OpenDocument(path, first, robot)
        document.close()
        # So is what an earlier studio has left behind and cannot be done again: the next opening finds it put aside.
        for remark in document.remarks if document.own else ():
            print(remark)
    before = known_address(workspace.folder, host)
    listener = open_socket(host, port, () if before is None else (before.port,))
    here = listener.getsockname()[1]
    mine = before is not None and here == before.port
    access = Access(host, here, before.token if before is not None and mine else "")
    if before is None or mine or port:
        keep_address(workspace.folder, host, KnownAddress(here, access.token))

    def ready() -> None:
        print(f"The studio is at {access.url}", flush=True)
        if foxglove is not None:
            print(f"Foxglove sees each run at ws://127.0.0.1:{foxglove}", flush=True)
        print("Ctrl-C ends it.", flush=True)
        opened(access.url)

    serve(Studio(workspace, access, first, robot, foxglove), listener, ready)
