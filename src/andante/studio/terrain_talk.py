"""The conversation with one terrain page: what it asks goes to a process of its own, whose answers come back."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import Any

from fastapi import WebSocket
from starlette.websockets import WebSocketDisconnect, WebSocketState

from andante.errors import AndanteError
from andante.studio.connected_page import Page
from andante.studio.messages import read_message, request_of
from andante.studio.processes import TalkingProcess, finite
from andante.studio.terrain_messages import TERRAIN
from andante.studio.terrain_process import Places, serve
from andante.studio.view import pose_message


class TerrainTalk:
    """One page, one process.

    Args:
        number: Number of the page.
        workspace: The folder in which runs are kept, and out of which no terrain file is read.
        socket: The accepted socket.
    """

    def __init__(self, number: int, workspace: Path, socket: WebSocket) -> None:
        self._socket, self._page = socket, Page(number)
        self._process = TalkingProcess(serve, "andante-studio-terrain", self._heard)
        self._places = Places(workspace, workspace / "runs" / "studio" / f"terrain-{number}")

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
            await asyncio.to_thread(self._process.stop)

    def _answer(self, text: str | bytes) -> None:
        try:
            message = read_message(text, TERRAIN)
            self._process.send(message.do, (message, self._places))
        except AndanteError as error:
            self._page.send({"type": "refused", "request": request_of(text), "text": str(error)})

    def _heard(self, kind: str, data: Any) -> None:
        if kind == "pose":
            number, time, pose, rows = data
            # Values of plotted variables are not skipped.
            (self._page.queue if rows else self._page.pose)(pose_message(number, time, pose, rows))
        else:
            self._page.send(finite(data))

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
