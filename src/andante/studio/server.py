"""The studio's web server: its own page, one WebSocket per page, nothing else.

Loopback by default. A request without the token of this start, from another origin, or under another host's name is
refused before anything is read; messages are bounded and validated.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import multiprocessing
import os
import signal
import socket
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from fastapi import FastAPI, WebSocket
from fastapi.responses import PlainTextResponse, Response

from andante.errors import AndanteError, ProcessTerminated
from andante.robots.register import PACK_FILE, ROBOTS
from andante.robots.robot import Robot
from andante.runs.motion_libraries import shipped_libraries
from andante.studio import messages as asked
from andante.studio.access import Access
from andante.studio.connected_page import answered
from andante.studio.document import OpenDocument, new_library
from andante.studio.dragging import Moves
from andante.studio.errors import StudioError
from andante.studio.experiments.kept import LARGEST_PAGE, PAGE, result_path
from andante.studio.experiments.talk import Experiments, ExperimentTalk
from andante.studio.forms import part_forms
from andante.studio.lessons import lesson_scene, play_kick
from andante.studio.message import MAX_MESSAGE
from andante.studio.motion_files import motion_files, open_suffixes
from andante.studio.page_app import page_app, pyodide_ready
from andante.studio.processes import Helper
from andante.studio.reading import LARGE, read_large, ready, robot_of
from andante.studio.robot_files import robot_files, robot_path
from andante.studio.robot_form import pack_files, robot_told
from andante.studio.room import Room
from andante.studio.shared_helpers import Helpers
from andante.studio.shelf import Shelf
from andante.studio.supervised import HelperLimits
from andante.studio.talk import Talk, TerrainTalk
from andante.studio.view import field_notes
from andante.studio.workspace import Workspace

_USUAL = "nao"
"""Robot whose drags are prepared first where nobody names another; all robots share the compiled code."""
THREADS = 48
"""Threads of the server."""


class Studio:
    """Open documents and the pages that look at them.

    Attributes:
        most_pages: Pages that may be open at once.
        most_rooms: Documents that may be.

    Args:
        workspace: The folder that pages may open files of.
        access: Who may talk to the studio.
        first: Name of the file that pages open first; empty: none.
        robot: The robot of files that name none.
        foxglove: Port on which runs are streamed to Foxglove; None: they are not.
        helpers: The processes; None: its own, begun at their first use.
    """

    def __init__(
        self,
        workspace: Workspace,
        access: Access,
        first: str = "",
        robot: str = "",
        foxglove: int | None = None,
        helpers: Helpers | None = None,
    ) -> None:
        self.most_pages, self.most_rooms = 16, 20
        self.workspace, self.access, self.first, self.robot = workspace, access, first, robot
        self._foxglove = foxglove
        self.rooms: dict[Path, Room] = {}
        self.pages = 0
        self._number = 0
        self.named: Mapping[str, str] = {Robot.load(robot).name: robot} if robot else {}
        """Files of robots that documents call by their names."""
        self.shelf = Shelf(workspace, self.rooms, self.room)
        self._numbers: dict[Path, int] = {}
        """Each document's own, whichever others are open: two of one name keep their runs apart."""
        self._opening: dict[Path, asyncio.Lock] = {}
        self.helpers = helpers or Helpers(
            Helper("checks", "the helper that checks", self._lost, HelperLimits(nice=5)),
            Helper("proofs", "the helper that proves in physics", self._lost, HelperLimits(seconds=1800.0, memory=8e9)),
            Helper("reading", "the helper that reads large files", self._lost),
            tuple(
                Helper(f"trial-{number}", "the helper that tries motions", self._lost, HelperLimits(nice=10))
                for number in (1, 2)
            ),
            Moves(self._tell, self._lost),
        )
        """The processes."""
        self.experiments = Experiments(workspace, self.helpers.reading, robot)
        """What the pages of experiments share."""

    def begin(self) -> None:
        """Prepare what takes long, before a page asks for it."""
        # Threads that wait for a helper must not be all there are.
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(THREADS, "andante-studio"))
        for helper in (self.helpers.checks, self.helpers.proofs, self.helpers.reading, *self.helpers.trials):
            helper.listen()
        self.helpers.moves.prepare(self.robot or _USUAL)
        self._warm = asyncio.create_task(self._prepare_reading())

    async def _prepare_reading(self) -> None:
        """Begin the process that reads large files where there is one: its begin takes longer than the reading."""
        if await asyncio.to_thread(self.workspace.has_larger, LARGE, open_suffixes()):
            with contextlib.suppress(AndanteError):
                await self.helpers.reading.ask(ready)

    def _tell(self, data: dict[str, Any]) -> None:
        for room in self.rooms.values():
            room.tell(data)

    def _lost(self, text: str) -> None:
        """A process has ended by itself."""
        self._tell({"type": "helper", "text": text})

    def greeting(self) -> dict[str, Any]:
        """What every new page is told first."""
        return {
            "first": self.first,
            "robots": list(ROBOTS),
            "robot": self.robot,
            "libraries": list(shipped_libraries()),
            "workspace": self.workspace.folder.name,
            "fields": field_notes(),
            "forms": part_forms(),
        }

    def permit(self, message: Any, room: Room | None) -> None:
        """Refuse what pages may not ask of this studio.

        Args:
            message: What a page asks.
            room: The document that it looks at; None: none.

        Raises:
            StudioError: It may not.
        """

    def noted(self, room: Room, told: Mapping[str, Any]) -> None:
        """All pages of a document were told something."""

    def talk(self, socket: WebSocket) -> Talk:
        """The conversation with one page for motions."""
        return StudioTalk(self, socket)

    def talk_of_terrain(self, socket: WebSocket) -> Talk:
        """The conversation with one terrain page."""
        return TerrainTalk(self.number(), self.workspace, socket, self.robot)

    def talk_of_experiments(self, socket: WebSocket) -> Talk:
        """The conversation with one page of experiments."""
        return ExperimentTalk(self.number(), self.experiments, socket)

    def number(self) -> int:
        """A number for one more page."""
        self._number += 1
        return self._number

    def place(self, name: str) -> Path:
        """The file of a name that a page asks for: of a document that is open the one that was opened.

        A link or a folder that has taken its name since then does not hide the edits that were not saved.

        Raises:
            WorkspaceError: It lies outside the workspace, or is no name of a file.
        """
        known = self.workspace.folder / name
        return known if known in self.rooms else self.workspace.path(name)

    async def room(self, path: Path, robot: str = "", like: Room | None = None, *, anew: bool = False) -> Room:
        """The room of a file, opened at its first use.

        Args:
            path: The file.
            robot: Its robot, where it names none.
            like: Another room, which has a robot loaded already.
            anew: Read it again; no page looks at it.

        Raises:
            AndanteError: It cannot be opened.
        """
        # Who opens the same file meanwhile waits for it; who opens another does not.
        async with self._opening.setdefault(path, asyncio.Lock()):
            if anew and path in self.rooms:
                await self.rooms.pop(path).end()
            if path not in self.rooms:
                if len(self.rooms) >= self.most_rooms:
                    await self._close_one()
                name, disk = self.workspace.name(path), self.workspace.disk
                reader = partial(read_large, self.helpers.reading)
                document = await asyncio.to_thread(OpenDocument, path, name, robot or self.robot, disk, reader)
                runs = (
                    self.workspace.folder
                    / "runs"
                    / "studio"
                    / f"{path.stem}-{self._numbers.setdefault(path, len(self._numbers) + 1)}"
                )
                room = Room(document, self.helpers, runs, disk, self.named, self._foxglove, self.noted)
                await room.begin(None if like is None else like.loaded)
                self.rooms[path] = room
            return self.rooms[path]

    async def close(self) -> None:
        """Close all documents and end all processes."""
        # What a helper is at must not hold up the end; documents end with what is being written.
        self.helpers.end()
        # All hear of it before any is waited for: how many are open does not count.
        ends = [room.end() for room in self.rooms.values()]
        await asyncio.gather(asyncio.to_thread(self.experiments.desk.end), *ends)
        self.rooms.clear()

    async def _close_one(self) -> None:
        """Close a document that nobody looks at and nobody has changed.

        Raises:
            StudioError: There is none.
        """
        for path, room in self.rooms.items():
            if not room.pages and not room.document.changed:
                del self.rooms[path]
                await room.end()
                return
        raise StudioError("too many documents are open", limit=f"{self.most_rooms}", remedy="save and close some")


def make_app(studio: Studio) -> FastAPI:
    """The web application."""

    @asynccontextmanager
    async def living(_: FastAPI) -> AsyncIterator[None]:
        studio.begin()
        yield
        await studio.close()

    access = studio.access
    app = page_app(access, "index.html", living)

    def talking(begun: Callable[[WebSocket], Talk]) -> Callable[[WebSocket], Awaitable[None]]:
        async def talk(socket: WebSocket) -> None:
            known = access.knows(socket) and studio.pages < studio.most_pages
            await (socket.accept() if known else socket.close(1008))
            if known:
                studio.pages += 1
                try:
                    await begun(socket).run()
                finally:
                    studio.pages -= 1

        return talk

    app.add_api_websocket_route("/socket", talking(studio.talk))
    app.add_api_websocket_route("/terrain", talking(studio.talk_of_terrain))
    app.add_api_websocket_route("/experiments", talking(studio.talk_of_experiments))

    @app.get("/experiment/page")
    async def experiment_page(result: str = "") -> Response:
        try:
            path = result_path(studio.workspace, result) / PAGE
            raw = await asyncio.to_thread(studio.workspace.disk.read, path, LARGEST_PAGE)
        except AndanteError as error:
            return PlainTextResponse(str(error), 404)
        if raw is None:
            return PlainTextResponse("there is no such page, or no more", 404)
        # Whoever wrote it: it is looked at and may do nothing.
        policy = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"
        return Response(raw, media_type="text/html; charset=utf-8", headers={"Content-Security-Policy": policy})

    return app


class StudioTalk(Talk):
    """The conversation with one page for motions.

    Args:
        studio: The studio.
        socket: The accepted socket.
    """

    messages = asked.MESSAGES

    def __init__(self, studio: Studio, socket: WebSocket) -> None:
        super().__init__(studio.number(), socket)
        self._studio = studio
        self._room: Room | None = None
        self._kicking: asyncio.Task[None] | None = None
        self._page.send({"type": "hello", "page": self._page.number, **studio.greeting()})

    async def _left(self) -> None:
        if self._room is not None:
            self._room.leave(self._page)

    async def _do(self, message: Any) -> dict[str, Any] | None:
        self._studio.permit(message, self._room)
        return await self._permitted(message)

    async def _permitted(self, message: Any) -> dict[str, Any] | None:
        """Do what pages may ask of this studio."""
        studio, page = self._studio, self._page
        if isinstance(message, asked.Files):
            listing = await asyncio.to_thread(motion_files, studio.workspace, message.part)
            return {"files": listing.names, "note": listing.note}
        if isinstance(message, asked.Robots):
            found = await asyncio.to_thread(robot_files, studio.workspace, studio.robot, message.part)
            return {"robots": [vars(each) for each in found.robots], "note": found.note}
        if isinstance(message, asked.LookAtRobot):
            source = await asyncio.to_thread(robot_path, studio.workspace, message.robot, studio.robot)
            told = await studio.helpers.reading.ask(robot_told, source)
            return {"type": "robot_told", "robot": message.robot, **told}
        if isinstance(message, asked.WritePack):
            return {"type": "pack", "robot": await self._write_pack(message)}
        if isinstance(message, asked.LessonScene):
            return {"python": pyodide_ready(), **await asyncio.to_thread(lesson_scene)}
        if isinstance(message, asked.Open | asked.New):
            await self._open(message)
        elif isinstance(message, asked.LessonKick):
            if self._kicking is not None and not self._kicking.done():
                raise StudioError("the kick before is still being played")
            kick = answered(page, message.request, "lesson_kick", studio.helpers.proofs.ask, play_kick, message)
            self._kicking = asyncio.create_task(kick)
        elif self._room is None:
            raise StudioError("no document is open")
        elif isinstance(message, asked.SaveAs):
            return await self._room.save_as(message, studio.workspace.path(message.file))
        elif isinstance(message, asked.Postures):
            return await asyncio.to_thread(studio.shelf.view, self._room)
        elif isinstance(message, asked.ChangePostures):
            await studio.shelf.change(self._room, page, message)
        else:
            return await self._room.ask(page, message)
        return None

    async def _write_pack(self, message: asked.WritePack) -> str:
        """Write a pack into a new folder of the workspace; what documents call the robot then."""
        workspace = self._studio.workspace
        folder = workspace.path(message.folder)
        if folder.exists():
            raise StudioError("a pack is written into a new folder, and this one is there", value=message.folder)
        source = await asyncio.to_thread(robot_path, workspace, message.robot, self._studio.robot)
        files = await self._studio.helpers.reading.ask(pack_files, source, message)

        def write() -> None:
            for name, raw in files.items():
                place = folder / name
                workspace.disk.folders(place.parent)
                workspace.disk.write(place, raw, new=True)

        await asyncio.to_thread(write)
        return workspace.name(folder / PACK_FILE)

    async def _open(self, message: asked.Open | asked.New) -> None:
        studio, page = self._studio, self._page
        path = studio.place(message.file)
        if message.robot:
            robot = await asyncio.to_thread(robot_path, studio.workspace, message.robot, studio.robot)
            # What comes from a file is tried in a process first.
            await asyncio.to_thread(robot_of, robot, studio.helpers.reading)
            if Path(robot).is_relative_to(studio.workspace.folder) and isinstance(message, asked.New):
                robot = os.path.relpath(robot, path.parent)
            message = message.model_copy(update={"robot": robot})
        if isinstance(message, asked.New):
            if path.suffix.lower() not in (".yaml", ".yml"):
                raise StudioError("a new document needs a name that ends in .yaml", value=message.file)
            await asyncio.to_thread(new_library, path, message.robot, message.copy_of, studio.workspace.disk)
        room = await studio.room(path, message.robot)
        if isinstance(message, asked.Open) and message.anew:
            await room.reread(over_edits=True)
        else:
            with contextlib.suppress(AndanteError):
                await room.reread()
        if self._room is not None:
            self._room.leave(page)
        self._room = room
        await room.enter(page, message.request)


def open_socket(host: str, port: int, rather: Iterable[int] = ()) -> socket.socket:
    """A listening socket; port 0 takes any that is free, one of ``rather`` first.

    Raises:
        StudioError: The address is not free.
    """
    for known in rather if port == 0 else ():
        with contextlib.suppress(StudioError):
            return open_socket(host, known)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
    except (OSError, OverflowError) as error:
        listener.close()
        what = error.strerror if isinstance(error, OSError) else str(error)
        place = f"{host}:{port}"
        raise StudioError(f"the address is not free: {what}", value=place, remedy="--port 0 takes any") from None
    return listener


def serve(studio: Studio, listener: socket.socket, ready: Callable[[], None] | None = None) -> None:
    """Serve a studio until Ctrl-C or SIGTERM; processes that still work for pages are ended."""
    serve_application(make_app(studio), listener, ready)


def serve_application(application: Any, listener: socket.socket, ready: Callable[[], None] | None = None) -> None:
    """Serve until Ctrl-C or SIGTERM; processes that still work for pages are ended.

    Args:
        application: The web application (ASGI).
        listener: The socket.
        ready: Called once pages are answered.
    """
    import uvicorn

    config = uvicorn.Config(
        application,
        http="h11",
        h11_max_incomplete_event_size=32_768,
        ws="websockets-sansio",
        ws_max_size=MAX_MESSAGE,
        # Poses and trajectories go to a browser of the same machine or room: packing them costs more than sending them.
        ws_per_message_deflate=False,
        log_level="warning",
        server_header=False,
        timeout_graceful_shutdown=2,
    )
    server = uvicorn.Server(config)

    async def run() -> None:
        async def tell() -> None:
            while not server.started:
                await asyncio.sleep(0.01)
            if ready is not None:
                ready()

        teller = asyncio.create_task(tell())
        try:
            await server.serve(sockets=[listener])
        finally:
            teller.cancel()

    if threading.current_thread() is not threading.main_thread():
        asyncio.run(run())
        return

    def terminate(*_: object) -> None:
        # Uvicorn closes, then raises the signal again: by default that would leave semaphores of the processes behind.
        raise ProcessTerminated(128 + signal.SIGTERM)

    # What is loaded stays: looking through it again at every collection would hold edits up by 0.1 s.
    gc.collect()
    gc.freeze()
    before = signal.signal(signal.SIGTERM, terminate)
    try:
        asyncio.run(run())
    finally:
        signal.signal(signal.SIGTERM, before)
        for process in multiprocessing.active_children():
            process.kill()
