"""The web application of a class: to whose studio a request goes, and what is refused before it gets there."""

from __future__ import annotations

import asyncio
import contextlib
import re
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import parse_qs

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from andante.errors import AndanteError
from andante.studio.classroom.class_access import ClassAccess
from andante.studio.classroom.classroom import Classroom
from andante.studio.classroom.lecturer import lecturer_app
from andante.studio.classroom.quota import MEGABYTE
from andante.studio.classroom.roster import LECTURER
from andante.studio.classroom.student import StudentStudio, uploaded_text
from andante.studio.page_app import guarded
from andante.studio.server import make_app

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
_STRANGER = "this is no link of the class: open the one that you were given"
_PATH = re.compile(r"/([a-z0-9-]+)(/.*)?", re.DOTALL)
_LOOK = re.compile(r"/look/([a-z0-9-]+)(/.*)?", re.DOTALL)
_ALONE = {
    **dict.fromkeys(("/terrain", "/terrain.html"), "the terrain page is not part of a class"),
    **dict.fromkeys(("/experiments", "/experiments.html"), "the page of experiments is not part of a class"),
}
"""What takes a computer of one's own, and what is said to who asks for it."""
_MESSAGES, _MESSAGES_AT_ONCE = 40.0, 200.0
"""Messages that a member may send in the long run [1/s], and at once."""
_REQUESTS, _REQUESTS_AT_ONCE = 20.0, 120.0
_DRAINED = 3.0
"""So long the rest of a refused upload is read, so that the refusal arrives [s]."""


class Rate:
    """How much somebody may still ask for: a bucket that fills up evenly.

    Args:
        rate: Things a second.
        most: Things at once.
    """

    def __init__(self, rate: float, most: float) -> None:
        self._rate, self._most, self._left, self._at = rate, most, most, time.monotonic()

    def take(self) -> float:
        """Take one; gives how long to wait before it [s]."""
        now = time.monotonic()
        self._left = min(self._most, self._left + (now - self._at) * self._rate) - 1.0
        self._at = now
        return max(-self._left / self._rate, 0.0)


class ClassApp:
    """An ASGI application.

    Args:
        classroom: The class.
    """

    def __init__(self, classroom: Classroom) -> None:
        self._class = classroom
        self._apps: dict[str, Any] = {}
        self._looks: dict[str, Any] = {}
        self._lecturer: Any = None
        self._messages = defaultdict[str, Rate](lambda: Rate(_MESSAGES, _MESSAGES_AT_ONCE))
        self._requests = defaultdict[str, Rate](lambda: Rate(_REQUESTS, _REQUESTS_AT_ONCE))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] in ("http", "websocket"):
            await self._serve(scope, receive, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        try:
            await self._class.begin()
            self._lecturer = lecturer_app(self._class)
            self._apps = {slug: make_app(studio) for slug, studio in self._class.students.items()}
            self._looks = {slug: make_app(studio) for slug, studio in self._class.looks.items()}
        except AndanteError as error:
            await send({"type": "lifespan.startup.failed", "message": str(error)})
            return
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await self._class.close()
        await send({"type": "lifespan.shutdown.complete"})

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = _PATH.fullmatch(scope["path"])
        slug, rest = (found[1], found[2]) if found is not None else ("", None)
        roster = self._class.roster
        member = next((each for each in (roster.lecturer, *roster.students) if each.slug == slug), None)
        access = None if member is None else self._class.access(member)
        headers = Headers(scope=scope)
        query = {name: values[0] for name, values in parse_qs(scope["query_string"].decode("latin-1")).items()}
        host, cookies = headers.get("host"), headers.get("cookie")
        # Nobody learns from the answer whether a name belongs to the class.
        if access is None or not (access.host_known(host) and access.token_known(query, cookies)):
            await self._refuse(scope, receive, send, _STRANGER, 403)
        elif rest is None:
            question = scope["query_string"].decode("latin-1")
            await RedirectResponse(f"{access.path}{'?' if question else ''}{question}", 307)(scope, receive, send)
        elif scope["type"] == "http" and (wait := self._requests[slug].take()) > 0.0:
            text = f"too many requests from your link; try again in {wait:.1f} s"
            await self._refuse(scope, receive, send, text, 429)
        else:
            await self._hand_on(slug, access, rest, scope, receive, send)

    async def _hand_on(
        self, slug: str, access: ClassAccess, rest: str, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Give the request to whose it is, with the rest of its path."""
        if scope["type"] == "websocket":
            receive = self._paced(slug, receive)
        inner = {**scope, "path": rest, "raw_path": rest.encode(), "root_path": ""}
        if slug == LECTURER:
            look = _LOOK.fullmatch(rest)
            if look is not None and look[2] in _ALONE:
                await self._refuse(scope, receive, send, _ALONE[look[2]], 404)
            elif look is None:
                await self._lecturer(inner, receive, send)
            elif look[1] in self._looks and look[2] is not None:
                inner |= {"path": look[2], "raw_path": look[2].encode()}
                await self._looks[look[1]](inner, receive, send)
            else:
                await self._refuse(scope, receive, send, "there is no such student", 404)
            return
        student = self._class.students[slug]
        if rest in ("/upload", "/download"):
            origin = Headers(scope=scope).get("origin")
            if scope["type"] != "http" or (origin is not None and not access.origin_known(origin)):
                await self._refuse(scope, receive, send, "requests of other pages are refused", 403)
            elif scope["method"] != ("POST" if rest == "/upload" else "GET"):
                await self._refuse(scope, receive, send, "this is not how it is asked for", 405)
            elif rest == "/upload":
                await self._upload(student, scope, receive, send)
            else:
                await _download(student, scope, receive, send)
            return
        if rest in _ALONE:
            await self._refuse(scope, receive, send, _ALONE[rest], 404)
            return
        await self._apps[slug](inner, receive, send)

    async def _upload(self, student: StudentStudio, scope: Scope, receive: Receive, send: Send) -> None:
        """Take a document, written where none has its name."""
        limit = self._class.limits.upload * MEGABYTE
        name = (parse_qs(scope["query_string"].decode("latin-1")).get("file") or [""])[0]
        length = Headers(scope=scope).get("content-length", "")
        body = bytearray()
        size = int(length) if length.isdigit() and len(length) < 20 else 0
        more = True
        while more and size <= limit:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            body += message.get("body", b"")
            more = message.get("more_body", False)
            size = max(size, len(body))
        if size > limit:
            text = f"{name[:80]}: this file has {size / MEGABYTE:.0f} MB or more; one may have {limit // MEGABYTE} MB"
            await _refuse_upload(text, receive, send)
            return
        try:
            path = student.workspace.path(name)
            shown = student.workspace.name(path)
            text = await asyncio.to_thread(uploaded_text, shown, bytes(body))
            if path.exists():
                raise AndanteError("there is a file of this name", value=shown, remedy="give it another name")
            await asyncio.to_thread(student.workspace.disk.write, path, text.encode(), new=True)
        except AndanteError as error:
            await self._refuse(scope, receive, send, str(error), 422)
            return
        await guarded(PlainTextResponse(shown, 201))(scope, receive, send)

    async def _refuse(self, scope: Scope, receive: Receive, send: Send, text: str, status: int) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": text[:100]})
        else:
            await guarded(PlainTextResponse(text, status))(scope, receive, send)

    def _paced(self, slug: str, receive: Receive) -> Receive:
        """Let messages of one member's sockets in no faster than their rate; the others do not wait for it."""
        rate = self._messages[slug]

        async def paced() -> MutableMapping[str, Any]:
            message = await receive()
            if message["type"] == "websocket.receive" and (wait := rate.take()) > 0.0:
                await asyncio.sleep(wait)
            return message

        return paced


async def _download(student: StudentStudio, scope: Scope, receive: Receive, send: Send) -> None:
    """Give a student a file of their own."""
    name = (parse_qs(scope["query_string"].decode("latin-1")).get("file") or [""])[0]
    try:
        path = student.workspace.path(name)
        raw = await asyncio.to_thread(student.workspace.disk.read, path, student.quota.limit)
        if raw is None:
            raise AndanteError("there is no such file", value=name[:200])
    except AndanteError as error:
        await guarded(PlainTextResponse(str(error), 404))(scope, receive, send)
        return
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", path.name)
    response = Response(raw, media_type="application/octet-stream")
    response.headers["Content-Disposition"] = f'attachment; filename="{plain}"'
    await guarded(response)(scope, receive, send)


async def _refuse_upload(text: str, receive: Receive, send: Send) -> None:
    """Tell at once that a file is too large, and read on for a moment: a closed connection would swallow the answer."""
    raw = text.encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(raw)).encode())]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": raw, "more_body": True})
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_DRAINED):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect" or not message.get("more_body", False):
                    break
                # What is thrown away must not keep the others from being answered.
                await asyncio.sleep(0.002)
    await send({"type": "http.response.body", "body": b"", "more_body": False})
