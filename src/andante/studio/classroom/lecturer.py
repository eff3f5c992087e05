"""The lecturer's page: who is where, told as it happens."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from fastapi import FastAPI, WebSocket
from starlette.websockets import WebSocketDisconnect

from andante.studio.classroom.classroom import Classroom
from andante.studio.page_app import page_app

PAGE = "lecturer.html"
_APART = 0.4
"""Shortest time between two messages [s]."""
_AT_LEAST = 5.0
"""Longest time between them [s]."""
_MOST = 8
"""Lecturer's pages at once."""


def lecturer_app(classroom: Classroom) -> FastAPI:
    """The web application of the lecturer's page."""
    access = classroom.access(classroom.roster.lecturer)
    app = page_app(access, PAGE)

    @app.websocket("/socket")
    async def talk(socket: WebSocket) -> None:
        known = access.knows(socket) and len(classroom.listeners) < _MOST
        await (socket.accept() if known else socket.close(1008))
        if known:
            await _tell(classroom, socket)

    return app


async def _tell(classroom: Classroom, socket: WebSocket) -> None:
    """Tell a page of the class until it is gone."""
    news = asyncio.Event()
    classroom.listeners.append(news)
    listening = asyncio.create_task(_until_gone(socket))
    try:
        with suppress(WebSocketDisconnect, RuntimeError, OSError):
            while not listening.done():
                news.clear()
                await socket.send_json(classroom.view())
                with suppress(TimeoutError):
                    async with asyncio.timeout(_AT_LEAST):
                        await news.wait()
                await asyncio.sleep(_APART)
    finally:
        listening.cancel()
        classroom.listeners.remove(news)


async def _until_gone(socket: WebSocket) -> None:
    with suppress(WebSocketDisconnect, RuntimeError):
        while (await socket.receive())["type"] != "websocket.disconnect":
            pass
