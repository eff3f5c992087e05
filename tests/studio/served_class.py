"""A class in a process of its own, as a lecturer starts it, and students' pages without a browser."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from served import COMMAND


class ServedClass:
    """A running `andante studio --class`."""

    def __init__(self, folder: Path, names: str, *options: str) -> None:
        self.folder = folder
        (folder / "names.txt").write_text(names)
        command = [*COMMAND, "studio", str(folder), "--class", "--students", str(folder / "names.txt"), "--no-browser"]
        self.process = subprocess.Popen(
            [*command, *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
        )
        self.lines: list[str] = []
        self.links: dict[str, str] = {}
        """Whole links by the part of the address that is somebody's."""
        for line in self.process.stdout:
            self.lines.append(line)
            if found := re.search(r"http://\S+:(\d+)/([a-z0-9-]+)/\?token=\S+", line):
                self.port = int(found[1])
                self.links[found[2]] = found[0]
            if line.startswith("Ctrl-C"):
                break
        assert self.links, "".join(self.lines)
        threading.Thread(target=lambda: self.lines.extend(self.process.stdout), daemon=True).start()

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def token(self, slug: str) -> str:
        return self.links[slug].partition("token=")[2]

    def get(self, path: str, slug: str = "", headers: dict[str, str] | None = None, body: bytes | None = None):
        """Status and text of an answer; ``slug``: whose token is used."""
        if slug:
            path += f"{'&' if '?' in path else '?'}token={self.token(slug)}"
        request = urllib.request.Request(self.origin + path, data=body, headers=headers or {})
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, answer.read().decode(errors="replace")
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode(errors="replace")

    def connect(self, slug: str, token_of: str = "", path: str = "socket", origin: str = "", cookie: str = ""):
        """An open socket to somebody's studio with somebody's token."""
        from websockets.sync.client import connect

        token = "" if cookie else f"?token={self.token(token_of or slug)}"
        address = f"ws://127.0.0.1:{self.port}/{slug}/{path}{token}"
        headers = {"Cookie": cookie} if cookie else None
        made = connect(
            address, origin=origin or self.origin, additional_headers=headers, max_size=None, open_timeout=60
        )
        return made.__enter__()

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.kill()

    def kill(self) -> None:
        """End it without a word, with all that it began."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


@contextmanager
def served_class(folder: Path, names: str, *options: str) -> Iterator[ServedClass]:
    """A class of some students."""
    for name in ("fastapi", "uvicorn", "websockets"):
        pytest.importorskip(name, reason=f"needs {name} (pip install 'andante[studio]')")
    running = ServedClass(folder, names, *options)
    try:
        yield running
    finally:
        running.close()


class StudentClient:
    """A student's page without a browser."""

    def __init__(self, running: ServedClass, slug: str, path: str = "socket", timeout: float = 60.0) -> None:
        self.timeout, self.number = timeout, 0
        self.socket = running.connect(slug, path=path)
        self.hello = self.wait("hello")

    def receive(self) -> dict:
        while True:
            message = self.socket.recv(timeout=self.timeout)
            if isinstance(message, str):
                return json.loads(message)

    def wait(self, *kinds: str, **fields: object) -> dict:
        """The next message of some kinds whose fields have some values."""
        while True:
            data = self.receive()
            if data["type"] in kinds and all(data.get(name) == value for name, value in fields.items()):
                return data

    def send(self, **message: object) -> None:
        self.socket.send(json.dumps({"request": 0, **message}))

    def ask(self, **message: object) -> dict:
        """The answer to a message."""
        self.number += 1
        self.send(**message, request=self.number)
        while True:
            data = self.receive()
            if data.get("request") == self.number:
                return data

    def open(self, lesson: str) -> None:
        """Open a lesson."""
        state = self.ask(do="lesson", lesson=lesson)
        assert state["type"] == "state", state
        self.text, self.revision = state["text"], state["revision"]

    def edit(self, old: str, new: str) -> dict:
        """Write something in place of something else."""
        at = self.text.index(old)
        answer = self.ask(do="text", revision=self.revision, changes=[[at, at + len(old), new]])
        if answer["type"] == "edited":
            self.text = self.text[:at] + new + self.text[at + len(old) :]
            self.revision = answer["revision"]
        return answer

    def close(self) -> None:
        self.socket.close()
