"""One scripted student of a class: a page without a browser, and who uses it, lesson by lesson."""

from __future__ import annotations

import asyncio
import json
import random
import re
import sys
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable

from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

LONGEST = 300.0
"""So long nobody waits for anything [s]."""
Edit = tuple[str, str]
EDITS: dict[str, list[Edit]] = {
    "lesson-1": [
        ("RShoulderPitch: -40", "RShoulderPitch: -60"),
        ("      - duration: 400\n", "      # and in,\n      - duration: 400\n"),
        ("RShoulderRoll: -40, RElbowRoll: 20}", "RShoulderRoll: -50, RElbowRoll: 20}"),
        (
            "RElbowRoll: 20}\n",
            "RElbowRoll: 20}\n      - {duration: 400, joints: {RShoulderRoll: -20, RElbowRoll: 60}}\n",
        ),
        ("RElbowRoll: 60}}\n", "RElbowRoll: 60}}\n      - {duration: 400, joints: {RShoulderRoll: -50}}\n"),
        ("RShoulderRoll: -50}}\n", "RShoulderRoll: -50}}\n      - {duration: 400, joints: {RShoulderRoll: -20}}\n"),
        ("# The arm goes up.", "# The arm goes up, slowly."),
        ("duration: 800", "duration: 820"),
    ],
    "lesson-2": [
        ("HeadPitch: 45", "HeadPitch: 25"),
        ("LHipPitch: -80", "LHipPitch: -50"),
        ("RHipPitch: -80", "RHipPitch: -50"),
        ("LHipPitch: -50", "LHipPitch: -35"),
        ("RHipPitch: -50", "RHipPitch: -35"),
        ("too far.", "far enough."),
        ("duration: 500", "duration: 520"),
    ],
    "lesson-3": [
        ("duration: 450", "duration: 405"),
        ("duration: 200", "duration: 180"),
        ("duration: 213", "duration: 192"),
        ("duration: 295", "duration: 266"),
        ("duration: 336", "duration: 302"),
        ("duration: 191", "duration: 172"),
        ("duration: 182", "duration: 164"),
        ("duration: 479", "duration: 431"),
    ],
    "lesson-4": [
        ("LFJ2: 48", "LFJ2: 55"),
        ("RFJ2: 48", "RFJ2: 55"),
        ("LFJ2: 55", "LFJ2: 60"),
        ("RFJ2: 55", "RFJ2: 60"),
        ("duration: 720", "duration: 800"),
        ("duration: 800", "duration: 1040"),
        ("hold the goal", "hold the goal longer"),
    ],
}
"""What each lesson's student changes, one edit after the other."""


async def get(port: int, path: str, cookie: str = "", method: str = "GET", body: bytes = b"") -> tuple[int, str, bytes]:
    """Status, head and body of an answer to a request whose path is sent as it is."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAccept-Encoding: gzip\r\nConnection: close\r\n"
        head += f"Cookie: {cookie}\r\n" if cookie else ""
        head += f"Content-Length: {len(body)}\r\n" if body else ""
        writer.write(head.encode() + b"\r\n" + body)
        raw = await reader.read()
    finally:
        writer.close()
    head, _, rest = raw.partition(b"\r\n\r\n")
    return int(head.split()[1]) if head else 0, head.decode("latin-1"), rest


class Times:
    """How long answers took [s], by kind, and what went wrong."""

    def __init__(self) -> None:
        self.seconds: dict[str, list[float]] = defaultdict(list)
        self.errors: list[str] = []
        self.queued: list[int] = []

    def add(self, kind: str, began: float) -> None:
        """Something was answered now."""
        self.seconds[kind].append(time.perf_counter() - began)


class Student:
    """A page without a browser, and who uses it."""

    def __init__(self, link: tuple[str, str], port: int, times: Times, pace: float, seed: int) -> None:
        self.slug, self.token = link
        self.port, self.times, self.pace = port, times, pace
        self.random = random.Random(seed)
        self.number, self.revision, self.text = 0, 0, ""
        self.waiting: dict[int, asyncio.Future[dict]] = {}
        self.heard: asyncio.Queue[dict] = asyncio.Queue()
        self.lessons: list[dict] = []

    async def think(self) -> None:
        """What a person does between two clicks."""
        await asyncio.sleep(self.random.expovariate(1.0 / self.pace) * 0.7 + 0.3 * self.pace)

    async def load(self) -> None:
        """The page with its scripts, compressed."""
        began = time.perf_counter()
        status, head, _ = await get(self.port, f"/{self.slug}/?token={self.token}")
        self.times.add("load", began)
        if status != 200:
            self.times.errors.append(f"{self.slug}: the page answers {status}")
        self.cookie = re.search(r"set-cookie: ([^;]+)", head, re.IGNORECASE)[1]
        page = await asyncio.to_thread(page_files)
        for path in page:
            began = time.perf_counter()
            status, _, _ = await get(self.port, f"/{self.slug}/{path}", self.cookie)
            self.times.add("load", began)
            if status != 200:
                self.times.errors.append(f"{self.slug}: {path} answers {status}")

    async def listen(self) -> None:
        """Hear what the server says."""
        async for message in self.socket:
            if isinstance(message, bytes):
                continue
            data = json.loads(message)
            kind = data["type"]
            if kind == "state":
                self.revision, self.text = data["revision"], data["text"]
            elif kind == "edited":
                self.revision = data["revision"]
            elif kind == "progress":
                self.lessons = data["lessons"]
            elif kind == "queued":
                self.times.queued.append(data["position"])
            request = data.get("request")
            if request and request in self.waiting:
                self.waiting.pop(request).set_result(data)
            await self.heard.put(data)

    async def ask(self, kind: str, **message: object) -> dict:
        """The answer, whose time counts."""
        self.number += 1
        request = self.number
        answer = self.waiting[request] = asyncio.get_running_loop().create_future()
        began = time.perf_counter()
        await self.socket.send(json.dumps({**message, "request": request}))
        data = await asyncio.wait_for(answer, LONGEST)
        self.times.add(kind, began)
        if data["type"] == "refused":
            self.times.errors.append(f"{self.slug}: {message['do']}: {data['text']}")
        return data

    async def hear(self, *kinds: str) -> dict:
        """The next message of some kinds."""
        while True:
            data = await asyncio.wait_for(self.heard.get(), LONGEST)
            if data["type"] in kinds:
                return data

    def forget(self) -> None:
        """What was heard before counts no more."""
        while not self.heard.empty():
            self.heard.get_nowait()

    async def edit(self, old: str, new: str) -> None:
        """Write something in place of something else."""
        at = self.text.index(old)
        changes = [[at, at + len(old), new]]
        await self.ask("edit", do="text", revision=self.revision, changes=changes)
        self.text = self.text[:at] + new + self.text[at + len(old) :]

    async def checked(self) -> None:
        """Wait for the checks of the text as it is."""
        began = time.perf_counter()
        while True:
            data = await self.hear("checks")
            if data["revision"] == self.revision and data["state"] in ("checked", "failed"):
                self.times.add("checks", began)
                if data["state"] == "failed":
                    self.times.errors.append(f"{self.slug}: checks: {data['text']}")
                return

    async def run(self, motion: str, start: str = "", fault: bool = False) -> None:
        """A run: answered at once, by its begin or a place in the queue; its result later."""
        self.forget()
        began = time.perf_counter()
        await self.socket.send(json.dumps({"do": "play", "motion": motion, "start": start, "request": 0}))
        first = await self.hear("queued", "started", "refused", "broken")
        self.times.add("run answered", began)
        while first["type"] == "queued":
            first = await self.hear("queued", "started", "refused", "broken")
        self.times.add("run begun", began)
        if first["type"] != "started":
            self.times.errors.append(f"{self.slug}: run: {first.get('text')}")
            return
        columns = ["sensors.position[0]", "truth.base_height"]
        await self.socket.send(json.dumps({"do": "plots", "columns": columns, "request": 0}))
        if fault:
            limp = {"type": "dead", "name": "dead", "joints": ["RElbowRoll"]}
            await self.socket.send(json.dumps({"do": "fault", "fault": limp, "request": 0}))
            await asyncio.sleep(4.0)
            await self.socket.send(json.dumps({"do": "stop", "request": 0}))
        last = await self.hear("verdict", "broken")
        self.times.add("run result", began)
        if last["type"] == "broken":
            self.times.errors.append(f"{self.slug}: run: {last['text']}")

    async def lesson(self, name: str) -> None:
        """One lesson, from its begin to its last step."""
        data = await self.ask("open", do="lesson", lesson=name)
        lesson = next(each for each in self.lessons if each["name"] == name)
        motion, start = lesson["motion"], lesson["begin"]
        joints = tuple(0.0 for _ in data["robot"]["joints"])
        await self.ask("answer", do="posture", joints=joints)
        await self.socket.send(json.dumps({"do": "show", "motion": motion, "request": 0}))
        await self.think()
        if name != "lesson-1":
            await self.run(motion, start)
        for number, (old, new) in enumerate(EDITS[name]):
            await self.edit(old, new)
            if number % 3 == 0:
                await self.ask("answer", do="posture", joints=joints)
            if number == 2:
                await self.drag(data, joints)
            await self.think()
        self.forget()
        await self.edit("format:", "# mine\nformat:")
        await self.checked()
        await self.think()
        await self.run(motion, start)
        if name == "lesson-3":
            await self.run(motion, start, fault=True)
        if name in ("lesson-2", "lesson-4"):
            self.forget()
            await self.ask("proof result", do="prove", motion=motion, seeds=5)
        await self.think()
        await self.ask("answer", do="diff")
        await self.ask("answer", do="save")

    async def drag(self, data: dict, joints: tuple[float, ...]) -> None:
        """A hand or foot is moved, as fast as it is answered, twelve times."""
        robot = data["robot"]
        handle = next((each for each in robot["handles"] if each.get("frame")), None)
        if handle is None:
            return
        for step in range(12):
            target = (0.1 + 0.004 * step, -0.1, 0.1)
            base = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
            await self.ask("drag", do="drag", joints=joints, base=base, frame=handle["frame"], target=target, feet=[])
            await asyncio.sleep(0.03)

    async def leg_lessons(self) -> None:
        """The exercises of the leg: the kick is physics, the programs run in the student's browser."""
        await self.ask("answer", do="lesson_scene")
        keyframes = [[0.9, -1.4, 0.0, -1.0], [0.3, 0.7, 0.2, -0.5]]
        await self.ask("kick result", do="lesson_kick", keyframes=keyframes)

    async def work(self, attack: Attack | None, others: list[Student]) -> dict[str, int]:
        """A whole morning; gives what an attack at its end found."""
        # People come within some seconds.
        await asyncio.sleep(self.random.uniform(0.0, 4.0))
        outcome: dict[str, int] = {}
        listening = asyncio.create_task(asyncio.sleep(0))
        try:
            await self.load()
            began = time.perf_counter()
            async with connect(self.address(), origin=self.origin(), max_size=None, ping_timeout=None) as self.socket:
                listening = asyncio.create_task(self.listen())
                await self.hear("hello")
                self.times.add("open", began)
                for name in EDITS:
                    await self.lesson(name)
                await self.leg_lessons()
                if attack is not None:
                    outcome = await attack(self, others)
                await asyncio.sleep(0.5)
            undone = [
                f"{each['name']}, step {number}"
                for each in self.lessons
                for number, step in enumerate(each["steps"], 1)
                if not step["done"]
            ]
            if undone:
                self.times.errors.append(f"{self.slug}: not done: {', '.join(undone)}")
        except (OSError, WebSocketException, TimeoutError, ValueError, KeyError) as error:
            self.times.errors.append(f"{self.slug}: {type(error).__name__}: {error}")
            print(self.times.errors[-1], file=sys.stderr)
        finally:
            listening.cancel()
        return outcome

    def address(self, slug: str = "", token: str = "", path: str = "socket") -> str:
        """The address of a socket."""
        return f"ws://127.0.0.1:{self.port}/{slug or self.slug}/{path}?token={token or self.token}"

    def origin(self) -> str:
        """Where the page comes from."""
        return f"http://127.0.0.1:{self.port}"


Attack = Callable[[Student, list[Student]], Awaitable[dict[str, int]]]
"""Tries to reach the files of others; gives how often that was tried, and reached anything."""


def page_files() -> list[str]:
    """What the page loads, under the names that browsers keep."""
    from andante.studio.assets import Assets
    from andante.studio.page_app import PAGE as BUILT

    assets = Assets(BUILT)
    names = re.findall(r'"\./[^"/]+/([^"/]+)"', assets.whole("index.html").decode())
    return [f"{assets.version}/{name}" for name in dict.fromkeys(names)]
