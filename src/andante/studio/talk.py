"""The conversation with one page over its socket; with a terrain page, whose process does what it asks."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from contextlib import suppress
from functools import partial
from typing import Any

from fastapi import WebSocket
from pydantic import TypeAdapter
from starlette.websockets import WebSocketDisconnect, WebSocketState

from andante.errors import AndanteError
from andante.studio.connected_page import Page
from andante.studio.error_messages import refusal
from andante.studio.live_process import serve
from andante.studio.message import read_message, request_of
from andante.studio.processes import TalkingProcess
from andante.studio.terrain_messages import TERRAIN, Plain
from andante.studio.terrain_process import TerrainProcess
from andante.studio.view import finite, lanes_message, pose_message
from andante.studio.workspace import Workspace

_BOARDS = ("board", "open_board", "level_board")
_CHANGES = ("draw", "undo", "redo", "take", "foothold", "keep", "plan", "plots")
_MOST_CHANGES = 2000
"""Most changes of a board that are done again."""


class Talk(ABC):
    """What a page says is answered, and what waits for it is sent.

    Args:
        number: Number of the page.
        socket: The accepted socket.
    """

    messages: TypeAdapter[Any]
    """What may be asked."""

    def __init__(self, number: int, socket: WebSocket) -> None:
        self._page, self._socket = Page(number), socket

    async def run(self) -> None:
        """Answer until the page is gone."""
        sender = asyncio.create_task(self._send())
        try:
            while True:
                message = await self._socket.receive()
                if message["type"] == "websocket.disconnect":
                    return
                text = message.get("text")
                await self._answer(text if text is not None else message.get("bytes", b""))
        except (WebSocketDisconnect, RuntimeError):
            return
        finally:
            sender.cancel()
            await self._left()

    async def _answer(self, text: str | bytes) -> None:
        try:
            message = read_message(text, self.messages)
        except AndanteError as error:
            self._page.send(refusal(error, request_of(text)))
        else:
            await self._obey(message)

    async def _obey(self, message: Any) -> None:
        """Do what the page asks for, and answer it."""
        try:
            answer = await self._do(message)
        except Exception as error:  # noqa: BLE001 - whatever it is, the page that waits is told
            self._page.send(refusal(error, message.request))
        else:
            if answer is not None:
                self._page.send({"type": message.do, "request": message.request, **finite(answer)})

    @abstractmethod
    async def _do(self, message: Any) -> dict[str, Any] | None:
        """Do what the page asks for; the answer, or None where it comes by another way."""

    @abstractmethod
    async def _left(self) -> None:
        """The page is gone."""

    async def _send(self) -> None:
        page, socket = self._page, self._socket
        with suppress(WebSocketDisconnect, RuntimeError, OSError):
            while not page.lost:
                for message in await page.next():
                    if isinstance(message, str):
                        await socket.send_text(message)
                    else:
                        await socket.send_bytes(message)
        if socket.client_state is WebSocketState.CONNECTED:
            with suppress(RuntimeError):
                await socket.close(1013)


class TerrainTalk(Talk):
    """One page, one process. Where that ends by itself another is begun, with the board as the page sees it.

    Args:
        number: Number of the page.
        workspace: The folder in which runs are kept, and out of which no terrain file is read.
        socket: The accepted socket.
    """

    messages = TERRAIN

    def __init__(self, number: int, workspace: Workspace, socket: WebSocket, robot: str = "") -> None:
        super().__init__(number, socket)
        runs = workspace.folder / "runs" / "studio" / f"terrain-{number}"
        made = partial(TerrainProcess, workspace=workspace, runs=runs, robot=robot)
        self._process = TalkingProcess(
            partial(serve, made), "studio-terrain", "the terrain's process", self._heard, self._lost
        )
        self._asked: list[int] = []
        """Requests without an answer yet."""
        self._made: list[Any] = []
        """What has made the board as it is, and its footsteps."""
        self._silent = 0
        """So many of these are being done again; what they say the page has heard."""

    async def _do(self, message: Any) -> None:
        if message.request:
            self._asked.append(message.request)
        if message.do in _BOARDS:
            self._made = [message]
        elif message.do in _CHANGES and len(self._made) < _MOST_CHANGES:
            self._made.append(message)
        self._process.send(message)

    async def _left(self) -> None:
        await asyncio.to_thread(self._process.stop)

    def _heard(self, kind: str, data: Any) -> None:
        if kind == "pose":
            *_, rows = data
            # Values of plotted variables are not skipped.
            (self._page.queue if rows else self._page.pose)(pose_message(*data))
        elif kind == "lanes":
            self._page.queue(lanes_message(*data))
        elif data["type"] == "again":
            self._silent = 0
        elif not self._silent:
            if data.get("request") in self._asked:
                self._asked.remove(data["request"])
            self._page.send(finite(data))

    def _lost(self, text: str) -> None:
        """The process has ended by itself: who waits is told, and the board is made again."""
        asked, self._asked = self._asked, []
        # What was being done when it ended, the first time or again, is not done a third time.
        made = [] if self._silent else [each for each in self._made if each.request not in asked]
        if self._silent or (self._made and not made):
            text = f"{text}; the board is lost with it: choose or make it anew"
        self._made, self._silent = made, len(made)
        for request in asked:
            self._page.send({"type": "refused", "request": request, "text": text})
        self._page.send({"type": "broken", "request": 0, "text": text})
        for each in made:
            self._process.send(each.model_copy(update={"request": 0}))
        if made:
            self._process.send(Plain(do="again"))
