"""The built page as a web application: who may have it, what browsers keep, and Python for the lessons.

A request without the token, from another origin, or under another host's name is refused before anything is read.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.responses import FileResponse, PlainTextResponse

from andante.studio.access import Access
from andante.studio.assets import KEPT, TYPES, Assets

PAGE = Path(__file__).parent / "page"
"""The built page."""
PYODIDE = Path(__file__).parent / "pyodide"
"""Python for the browser, in which the lessons run what is written there; there once `make pyodide` has run."""
_PYODIDE_TYPES = {
    "pyodide.mjs": "text/javascript; charset=utf-8",
    "pyodide.asm.mjs": "text/javascript; charset=utf-8",
    "pyodide.asm.wasm": "application/wasm",
    "python_stdlib.zip": "application/zip",
    "pyodide-lock.json": "application/json",
}
LESSON_WORKER = "lessons_worker.js"
"""The script that runs a student's Python, in a worker that may load `PYODIDE` and nothing else."""
_ASSETS = Assets(PAGE)
"""The files, compressed once for all applications of a server."""
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:;"
        " connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""What every answer says besides."""


def pyodide_ready() -> bool:
    """Whether the lessons can run Python in the browser."""
    return all((PYODIDE / name).is_file() for name in _PYODIDE_TYPES)


def guarded(response: Response) -> Response:
    """An answer that says besides what every answer does."""
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    return response


def page_app(access: Access, first: str, lifespan: Any = None) -> FastAPI:
    """A web application that serves the page.

    Args:
        access: Who may have it.
        first: Name of the file that is shown first.
        lifespan: What begins and ends with it, see FastAPI.
    """
    app = FastAPI(lifespan=lifespan, docs_url=None, redoc_url=None, openapi_url=None)

    @app.middleware("http")
    async def guard(request: Request, call: Callable[[Request], Awaitable[Response]]) -> Response:
        if not access.host_known(request.headers.get("host")):
            return PlainTextResponse("this studio does not go by that name", 400)
        origin = request.headers.get("origin")
        if origin is not None and not access.origin_known(origin):
            return PlainTextResponse("requests of other pages are refused", 403)
        if not access.token_known(request.query_params, request.headers.get("cookie")):
            return PlainTextResponse("open the address that 'andante studio' has printed, with its token", 403)
        return guarded(await call(request))

    @app.get("/")
    async def page(request: Request) -> Response:
        if not _ASSETS.known(first):
            return PlainTextResponse("the page is not built; see docs/studio.md", 500)
        return await file(first, request)

    async def file(name: str, request: Request) -> Response:
        packed = "gzip" in request.headers.get("accept-encoding", "")
        raw = await asyncio.to_thread(_ASSETS.packed if packed else _ASSETS.whole, name)
        response = Response(raw, media_type=TYPES[Path(name).suffix], headers={"Vary": "Accept-Encoding"})
        if packed:
            response.headers["Content-Encoding"] = "gzip"
        if name.endswith(".html"):
            secure = request.url.scheme == "https"
            response.set_cookie(
                access.cookie, access.token, httponly=True, samesite="strict", path=access.path, secure=secure
            )
        if name == LESSON_WORKER:
            here = f"{request.url.scheme}://{request.headers['host']}{access.path}pyodide/"
            response.headers["Content-Security-Policy"] = (
                f"default-src 'none'; script-src {here} 'wasm-unsafe-eval'; connect-src {here}"
            )
        return response

    @app.get("/{name}")
    async def asset(name: str, request: Request) -> Response:
        return await file(name, request) if _ASSETS.known(name) else PlainTextResponse("there is no such file", 404)

    @app.get("/page-{version}/{name}")
    async def kept_asset(version: str, name: str, request: Request) -> Response:
        if f"page-{version}" != _ASSETS.version or not _ASSETS.known(name) or name.endswith(".html"):
            return PlainTextResponse("there is no such file", 404)
        response = await file(name, request)
        response.headers["Cache-Control"] = KEPT
        return response

    @app.get("/pyodide/{name}")
    async def pyodide(name: str, request: Request) -> Response:
        file = PYODIDE / name
        if name not in _PYODIDE_TYPES or not file.is_file():
            return PlainTextResponse("there is no such file; `make pyodide` fetches it", 404)
        status = file.stat()
        # Each run begins a worker that asks for all of them: the browser keeps them and asks whether they changed.
        kept = {"ETag": f'"{status.st_mtime_ns:x}-{status.st_size:x}"', "Cache-Control": "private, no-cache"}
        if request.headers.get("if-none-match") == kept["ETag"]:
            return Response(status_code=304, headers=kept)
        return FileResponse(file, media_type=_PYODIDE_TYPES[name], headers=kept)

    return app
