"""The conversation with one terrain page: what it asks goes to a process of its own, whose answers come back."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

from fastapi import WebSocket

from andante.errors import AndanteError
from andante.studio.live_process import serve
from andante.studio.messages import read_message, request_of
from andante.studio.processes import TalkingProcess, finite
from andante.studio.talk import Talk
from andante.studio.terrain_messages import TERRAIN
from andante.studio.terrain_process import TerrainProcess
from andante.studio.view import pose_message
from andante.studio.workspace import Workspace


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
