"""Processes of a running studio, killed or stopped at random moments, and what its pages are told."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

from served import Served
from socket_clients import StudioClient, TerrainClient

KINDS = ("checks", "proofs", "reading", "drags", "simulation", "terrain")
TOLD = 2.0
"""Longest time until a page says so [s]."""
WAITED = 30.0
"""How long a page is listened to at most; a machine at other work takes its time [s]."""
LARGE = 1500
"""Keyframes of a document that is read in a process."""


def named(studio: Served, name: str) -> list[int]:
    """Processes of a studio with a name, by what they were begun with."""
    return [pid for pid in children(studio.process.pid) if name in threads(pid)]


def children(pid: int) -> list[int]:
    """Processes that a process has begun, and those that they have."""
    found = []
    for each in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            for child in each.read_text().split():
                found += [int(child), *children(int(child))]
    return found


def threads(pid: int) -> str:
    """The name that a process has given itself."""
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


@dataclass
class Row:
    """What was seen of one kind of process."""

    moments: int = 0
    told: int = 0
    """Moments at which the page was told within 2 s."""
    works: int = 0
    longest: float = 0.0
    """Longest time until the page was told [s]."""
    busy: int = 0
    """Moments at which it was at work."""
    wrong: list[str] = field(default_factory=list)


class Kills:
    """A page that looks on while processes are killed."""

    def __init__(self, studio: Served, seed: int) -> None:
        self.studio, self.chance = studio, random.Random(seed)
        self.page = StudioClient(studio, timeout=120.0)
        self.state = self.page.ask(do="open", file="wave.yaml")
        self.terrain: TerrainClient | None = None
        large = [f"      - {{duration: 100, joints: {{HeadYaw: {n % 40}, HeadPitch: {n % 9}}}}}" for n in range(LARGE)]
        text = self.state["text"].partition("motions:")[0]
        text += "motions:\n  m:\n    blocks: [b]\nblocks:\n  b:\n    keyframes:\n" + "\n".join(large) + "\n"
        (studio.folder / "large.yaml").write_text(text * 1)

    def close(self) -> None:
        """Let go."""
        self.page.close()
        if self.terrain is not None:
            self.terrain.close()

    def many(self, kind: str, moments: int) -> dict[str, object]:
        """Kill one kind of process at so many moments."""
        row = Row()
        for _ in range(moments):
            self.once(kind, row)
        return asdict(row)

    def once(self, kind: str, row: Row) -> None:
        """Ask, kill at a random moment, look whether the page is told, ask again."""
        row.moments += 1
        work, good = getattr(self, f"_{kind}")
        if not named(self.studio, f"studio-{kind}"[:15]):
            good(work())
        busy = self.chance.random() < 0.6
        row.busy += busy
        if busy:
            self._begin(kind)
            time.sleep(self.chance.uniform(0.0, 0.3))
        else:
            self._settle()
        end = self.chance.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGSTOP])
        pids = named(self.studio, f"studio-{kind}"[:15])
        if not pids:
            row.wrong.append("no process")
            return
        began = time.monotonic()
        for pid in pids:
            os.kill(pid, end)
        told = self._told(kind, WAITED)
        spent = time.monotonic() - began
        row.longest = max(row.longest, spent)
        row.told += told and spent <= TOLD
        if not told:
            row.wrong.append(f"not told of {end.name}, {'busy' if busy else 'idle'}")
        try:
            good(work())
            row.works += 1
        except (AssertionError, TimeoutError, KeyError) as error:
            row.wrong.append(f"{end.name}: {error!r}"[:300])

    def _told(self, kind: str, seconds: float) -> bool:
        """Whether the page is told that a process has ended."""
        page = self.page if kind != "terrain" else self.terrain
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            try:
                message = page.socket.recv(timeout=left)
            except TimeoutError:
                return False
            if isinstance(message, str) and " has ended: it " in message:
                return True
        return False

    def _settle(self) -> None:
        """Hear everything that is said now."""
        for page in (self.page, self.terrain):
            while page is not None:
                try:
                    page.socket.recv(timeout=0.4)
                except TimeoutError:
                    break

    def _begin(self, kind: str) -> None:
        """Set a process to work, without waiting for it."""
        if kind == "checks":
            self._edit()
            time.sleep(0.35)
        elif kind == "proofs":
            self.page.send(do="prove", motion="wave", seeds=3, request=3)
        elif kind == "reading":
            self.page.send(do="open", file="large.yaml", request=3)
        elif kind == "drags":
            for _ in range(20):
                self.page.send(**self._drag_message(), request=3)
        elif kind == "simulation":
            self.page.send(do="play", motion="wave", request=3)
        else:
            self.terrain.socket.send(json_of(do="plan", search=True, request=777))

    # What is asked of each process, and what a good answer is -----------------------------------------------------

    def _edit(self) -> dict:
        """A comment more in the text, as often as it takes for the revision to be right."""
        state = self.state
        while True:
            answer = self.page.ask(do="text", revision=state["revision"], changes=[[0, 0, "# x\n"]])
            if "revision" in answer:
                state["revision"] = answer["revision"]
            if answer["type"] == "edited":
                return answer
            assert answer["type"] == "conflict", answer

    @property
    def _checks(self):
        def work():
            revision = self._edit()["revision"]
            return self.page.checks(revision)

        def good(answer):
            assert answer["state"] == "checked", answer

        return work, good

    @property
    def _proofs(self):
        def good(answer):
            assert answer["type"] == "proof", answer

        return lambda: self.page.ask(do="prove", motion="nod", seeds=1), good

    @property
    def _reading(self):
        def work():
            self.page.ask(do="open", file="large.yaml")
            self.page.send(do="show", motion="m", block="", request=0)
            while isinstance(message := self.page.socket.recv(timeout=60), str):
                if "unsampled" in message[:40]:
                    raise AssertionError(message)
            state = self.page.ask(do="open", file="wave.yaml")
            self.state = state
            return state

        def good(answer):
            assert answer["type"] == "state", answer

        return work, good

    def _drag_message(self) -> dict:
        robot = self.state["robot"]
        joints = robot["postures"]["stand"]
        handle = next(each for each in robot["handles"] if each["foot"])
        return {
            "do": "drag", "joints": joints, "base": [0, 0, 0.3, 1, 0, 0, 0], "frame": handle["frame"],
            "target": [0.02, 0.05, 0.02], "feet": [], "limb": handle["limb"],
        }  # fmt: skip

    @property
    def _drags(self):
        def good(answer):
            assert answer["type"] == "dragged", answer

        return lambda: self.page.ask(**self._drag_message()), good

    @property
    def _simulation(self):
        def work():
            self.page.send(do="play", motion="nod", speed=20.0, request=0)
            return self.page.wait("verdict", "broken", "refused")

        def good(answer):
            assert answer["type"] == "verdict", answer

        return work, good

    @property
    def _terrain(self):
        if self.terrain is None:
            self.terrain = TerrainClient(self.studio)
            self.terrain.ask(do="board", robot="littledog", board="rocks", difficulty=0.2, seed=1)

        def good(answer):
            assert answer["type"] == "footsteps", answer

        return lambda: self.terrain.ask(do="keep", count=0), good


def json_of(**message: object) -> str:
    """A message, encoded."""
    import json

    return json.dumps(message)
