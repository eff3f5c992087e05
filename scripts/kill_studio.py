"""Kills a studio's server at random moments of editing (kill -9) and looks at what is there after the next start.

    python scripts/kill_studio.py [--moments 30] [--seed 0] [--per-second 20]

A page without a browser edits, undoes, redoes and saves. After the kill the document must be whole, as last saved, and
the next server must bring back every edit that was acknowledged more than a second before. Needs the extra `studio`.
Prints one line per defect and counts; exit code 1 where there is one.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from andante.errors import AndanteError
from andante.formats.registry import read

CODE = "from andante.cli.app import main; main()"
TEXT = """\
# A nod that is edited all the time.
format: andante.motions
version: 1
units: {angle: deg, time: ms, length: mm}
robot: nao
motions:
  nod: {blocks: [nod]}
blocks:
  nod:
    keyframes:
      - {duration: 500, joints: {HeadPitch: 10}}  # down
      - {duration: 500, joints: {HeadPitch: 0}}
"""


class Server:
    """A studio in a process of its own, with one page."""

    def __init__(self, path: Path) -> None:
        command = [sys.executable, "-c", CODE, "studio", str(path), "--no-browser"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
        found = None
        for line in self.process.stdout or ():
            found = re.search(r"http://[\d.]+:(\d+)/\S*token=([^\s&]+)", line)
            if found:
                break
        if found is None:
            raise SystemExit("the studio did not start")
        port, token = found[1], found[2]
        address = f"ws://127.0.0.1:{port}/socket?token={token}"
        self.socket = connect(address, origin=f"http://127.0.0.1:{port}", max_size=None, open_timeout=30).__enter__()
        self.text, self.revision = "", 0
        self.page = self._wait(lambda data: data["type"] == "hello")["page"]
        self._number = 0

    def _wait(self, wanted: Any) -> dict[str, Any]:
        while True:
            message = self.socket.recv(timeout=60)
            if isinstance(message, str):
                data = json.loads(message)
                if data["type"] == "edited":
                    self.text = spliced(self.text, data["splices"])
                    self.revision = data["revision"]
                if wanted(data):
                    return dict(data)

    def open(self, name: str) -> dict[str, Any]:
        """The document's state."""
        self.socket.send(json.dumps({"do": "open", "file": name}))
        state = self._wait(lambda data: data["type"] == "state")
        self.text, self.revision = state["text"], state["revision"]
        return state

    def ask(self, **message: Any) -> dict[str, Any]:
        """The answer to one message."""
        self._number += 1
        self.socket.send(json.dumps({**message, "request": self._number}))
        return self._wait(lambda data: data.get("request") == self._number and data.get("page", self.page) == self.page)

    def kill(self) -> None:
        """End it without a word, with the processes that it began."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def spliced(text: str, splices: list[list[Any]]) -> str:
    """A text after the splices of one edit, all of which count from the text before."""
    for at, end, inserted in reversed(splices):
        text = text[:at] + inserted + text[end:]
    return text


class Editor(threading.Thread):
    """Edits until the server is gone."""

    def __init__(self, server: Server, rng: random.Random, pause: float) -> None:
        super().__init__(daemon=True)
        self.server, self.rng, self.pause = server, rng, pause
        self.texts = [(time.monotonic(), server.text)]
        self.saved = {server.text}
        self.wrong: list[str] = []

    def run(self) -> None:
        """Edit on."""
        try:
            while True:
                self.once()
                time.sleep(self.pause * self.rng.uniform(0.2, 1.8))
        except (ConnectionClosed, OSError):
            return

    def once(self) -> None:
        """One edit, undo, redo or save."""
        server, rng = self.server, self.rng
        kind = rng.choices(("set", "undo", "redo", "save"), (8, 2, 1, 0.5))[0]
        message: dict[str, Any] = {"do": kind}
        if kind == "set":
            fields = {"joints": {"HeadPitch": round(rng.uniform(-0.3, 0.3), 4)}, "duration": rng.randrange(20, 90) / 50}
            message |= {"block": "nod", "fields": {str(rng.randrange(2)): fields}, "revision": server.revision}
        if kind == "save":
            # It may be done and not acknowledged.
            self.saved.add(server.text)
        answer = server.ask(**message)
        if answer["type"] not in ("edited", "done", "saved"):
            self.wrong.append(f"{kind}: {answer}")
        self.texts.append((time.monotonic(), server.text))


def moment(folder: Path, rng: random.Random, pause: float) -> tuple[int, float, list[str]]:
    """Edits before one kill, the age of the newest one that was lost [s], and what was wrong."""
    path = folder / "nod.yaml"
    path.write_text(TEXT)
    server = Server(path)
    server.open("nod.yaml")
    editor = Editor(server, rng, pause)
    editor.start()
    time.sleep(rng.uniform(0.2, 4.0))
    killed = time.monotonic()
    server.kill()
    editor.join(30)
    wrong = list(editor.wrong)
    left = path.read_text()
    if left not in editor.saved:
        wrong.append("the document is none that was saved")
    try:
        read(path)
    except AndanteError as error:
        wrong.append(f"the document cannot be read: {error}")
    after = Server(path)
    try:
        found = after.open("nod.yaml")["text"]
    finally:
        after.kill()
    known = [index for index, (_, text) in enumerate(editor.texts) if text == found]
    # The edit under way may be there and not acknowledged: then nothing is lost.
    lost = 0.0 if not known else max((killed - when for when, _ in editor.texts[known[-1] + 1 :]), default=0.0)
    if not known and found == TEXT:
        wrong.append("every edit is lost")
    if lost > 1.0:
        wrong.append(f"an edit of {lost:.2f} s before is lost")
    return len(editor.texts) - 1, lost, wrong


def main() -> None:
    """Kill, look, count."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--moments", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--per-second", type=float, default=20.0)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    total, oldest, defects = 0, 0.0, 0
    for number in range(options.moments):
        with tempfile.TemporaryDirectory() as folder:
            count, lost, wrong = moment(Path(folder), rng, 1.0 / options.per_second)
        total, oldest, defects = total + count, max(oldest, lost), defects + len(wrong)
        for what in wrong:
            print(f"moment {number}: {what}", flush=True)
    print(f"{options.moments} kills, {total} edits, oldest lost {oldest:.2f} s before its kill, {defects} defects")
    sys.exit(1 if defects else 0)


if __name__ == "__main__":
    main()
