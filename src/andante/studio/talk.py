"""The conversation with one page over its socket."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from contextlib import suppress

from fastapi import WebSocket
from starlette.websockets import WebSocketDisconnect, WebSocketState

from andante.studio.connected_page import Page


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
