"""`andante studio`: design motions in the browser."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Annotated

import typer

from andante.cli.output import Switch, command, refuse

_NEEDED = ("fastapi", "uvicorn", "websockets")


@command
def studio(
    file: Annotated[Path | None, typer.Argument()] = None,
    robot: str = "",
    host: str = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535)] = 0,
    foxglove: Annotated[int | None, typer.Option(min=1, max=65535)] = None,
    browser: Switch = True,
) -> None:
    """Design motions in the browser: pose, timeline, text, physics, checks.

    Args:
        file: Motion file of any known format, or the workspace folder; default: here.
        robot: Robot of files that do not name theirs.
        host: Address to listen on; anything but this computer's own is reachable.
        port: Port; 0 takes any that is free.
        foxglove: Stream runs to Foxglove on this port of this computer.
        browser: Open the page.
    """
    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        refuse(f"the studio needs {', '.join(missing)}: install it with pip install 'andante[studio]'", False)
    if foxglove is not None and importlib.util.find_spec("foxglove") is None:
        refuse("a stream to Foxglove needs foxglove-sdk: install it with pip install 'andante[foxglove]'", False)
    from andante.robots.register import ROBOTS
    from andante.robots.robot import Robot
    from andante.studio.access import Access
    from andante.studio.document import OpenDocument
    from andante.studio.known_address import KnownAddress, keep_address, known_address
    from andante.studio.server import Studio, open_socket, serve
    from andante.studio.workspace import Workspace

    place = Path.cwd() if file is None else file
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
        if browser:
            import webbrowser

            webbrowser.open(access.url)

    serve(Studio(workspace, access, first, robot, foxglove), listener, ready)
