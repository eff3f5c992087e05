"""The conversation with one page over its socket; with a terrain page, whose process does what it asks."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from contextlib import suppress
from functools import partial
from typing import Any

from fastapi import WebSocket
from starlette.websockets import WebSocketDisconnect, WebSocketState

from andante.errors import AndanteError
from andante.studio.connected_page import Page
from andante.studio.live_process import serve
from andante.studio.messages import read_message, request_of
from andante.studio.processes import TalkingProcess
from andante.studio.terrain_messages import TERRAIN
from andante.studio.terrain_process import TerrainProcess
from andante.studio.view import finite, pose_message
from andante.studio.workspace import Workspace


class Talk(ABC):
    """What a page says is answered, and what waits for it is sent.

    Args:
        number: Number of the page.
        socket: The accepted socket.
    """

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
                self._answer(text if text is not None else message.get("bytes", b""))
        except (WebSocketDisconnect, RuntimeError):
            return
        finally:
            sender.cancel()
            await self._left()

    @abstractmethod
    def _answer(self, text: str | bytes) -> None:
        """Do what the page says."""

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
    """One page, one process.

    Args:
        number: Number of the page.
        workspace: The folder in which runs are kept, and out of which no terrain file is read.
        socket: The accepted socket.
    """

    def __init__(self, number: int, workspace: Workspace, socket: WebSocket) -> None:
        super().__init__(number, socket)
        runs = workspace.folder / "runs" / "studio" / f"terrain-{number}"
        made = partial(TerrainProcess, workspace=workspace, runs=runs)
        self._process = TalkingProcess(partial(serve, made), "andante-studio-terrain", self._heard)

    def _answer(self, text: str | bytes) -> None:
        try:
            self._process.send(read_message(text, TERRAIN))
        except AndanteError as error:
            self._page.send({"type": "refused", "request": request_of(text), "text": str(error)})

    async def _left(self) -> None:
        await asyncio.to_thread(self._process.stop)

    def _heard(self, kind: str, data: Any) -> None:
        if kind == "pose":
            *_, rows = data
            # Values of plotted variables are not skipped.
            (self._page.queue if rows else self._page.pose)(pose_message(*data))
        else:
            self._page.send(finite(data))
