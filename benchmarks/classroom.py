"""A class of scripted students at once, lessons 1 to 4 over HTTP and WebSocket: answers, errors, memory, isolation.

python benchmarks/classroom.py [--students 25] [--pace 2.0] [--attacks 1] [--trouble 1]

Each student opens the link, loads the page, and does every lesson as a person does: open, edit with pauses (--pace, the
mean [s]), drag, look at the checks, run in physics, prove, save. Beside them somebody uploads 1 GB and somebody runs a
motion without end. Answers of the page are told apart from results of physics, which are queued. Prints one JSON
object. The students are coroutines of this process, on the same machine as the server.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import hashlib
import json
import math
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

COMMAND = (sys.executable, "-c", "from andante.cli.app import main; main()")
PAGE = ("answer", "open", "edit", "drag", "checks", "load", "run answered")
"""Kinds of answers that are the page's; the others are results of physics."""
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


class Server:
    """A class that is served, in a process of its own."""

    def __init__(self, folder: Path, names: list[str]) -> None:
        (folder / "names.txt").write_text("\n".join(names) + "\n")
        arguments = ["studio", str(folder), "--class", "--students", str(folder / "names.txt"), "--no-browser"]
        self.process = subprocess.Popen([*COMMAND, *arguments], stdout=subprocess.PIPE, text=True)
        self.links: dict[str, tuple[str, str]] = {}
        self.folder = folder
        for line in self.process.stdout or ():
            if found := re.search(r"http://[^/]*:(\d+)/([a-z0-9-]+)/\?token=(\S+)", line):
                self.port = int(found[1])
                self.links[found[2]] = (found[2], found[3])
            if line.startswith("Ctrl-C"):
                break

    def memory(self) -> float:
        """Memory of all its processes, shared pages counted once [bytes]."""
        return sum(pss(pid) for pid in (self.process.pid, *below(self.process.pid)))

    def close(self) -> None:
        """End it as Ctrl-C does."""
        self.process.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(20)
        if self.process.poll() is None:
            self.process.kill()


def below(root: int) -> list[int]:
    """Processes that a process has begun, and those that these have."""
    parents = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError, ValueError, IndexError):
                parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
    found, left = [], [root]
    while left:
        parent = left.pop()
        children = [pid for pid, of in parents.items() if of == parent]
        found += children
        left += children
    return found


def pss(pid: int) -> float:
    """Memory of a process, its share of what it shares [bytes]."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
        return 1024.0 * int(text.split("\nPss:")[1].split()[0])
    return 0.0


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

    def __init__(self, server: Server, slug: str, times: Times, pace: float, seed: int) -> None:
        self.slug, self.token = server.links[slug]
        self.port, self.times, self.pace = server.port, times, pace
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

    async def work(self, attacks: bool, others: list[Student]) -> dict[str, int]:
        """A whole morning."""
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
                if attacks:
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


def page_files() -> list[str]:
    """What the page loads, under the names that browsers keep."""
    from andante.studio.assets import Assets
    from andante.studio.page_app import PAGE as BUILT

    assets = Assets(BUILT)
    names = re.findall(r'"\./[^"/]+/([^"/]+)"', assets.whole("index.html").decode())
    return [f"{assets.version}/{name}" for name in dict.fromkeys(names)]


async def attack(me: Student, others: list[Student]) -> dict[str, int]:
    """Try to reach another's files in every way there is; gives how often that was tried, and reached anything."""
    found = {"tried": 0, "reached": 0}
    other = me.random.choice([each for each in others if each.slug != me.slug])
    port, mine = me.port, f"token={me.token}"
    base = Path(os.environ["CLASS_FOLDER"]) / "students"
    secret, theirs = other.slug, base / other.slug / "lesson-1.yaml"
    for name, target in (("link.yaml", theirs), ("linked", theirs.parent)):
        with contextlib.suppress(FileExistsError):
            (base / me.slug / name).symlink_to(target)
    requests = [
        ("GET", f"/{secret}/?{mine}", "", b""),
        ("GET", f"/{secret}/", me.cookie, b""),
        ("GET", f"/{secret}/download?file=lesson-1.yaml&{mine}", "", b""),
        ("GET", f"/{secret}/download?file=lesson-1.yaml", me.cookie, b""),
        ("GET", f"/{me.slug}/../{secret}/download?file=lesson-1.yaml&{mine}", "", b""),
        ("GET", f"/{me.slug}/%2e%2e/{secret}/download?file=lesson-1.yaml&{mine}", "", b""),
        ("GET", f"/{me.slug}/download?file=../{secret}/lesson-1.yaml&{mine}", "", b""),
        ("GET", f"/{me.slug}/download?file=..%2f{secret}%2flesson-1.yaml&{mine}", "", b""),
        ("GET", f"/{me.slug}/download?file={theirs}&{mine}", "", b""),
        ("GET", f"/{me.slug}/download?file=link.yaml&{mine}", "", b""),
        ("GET", f"/{me.slug}/download?file=linked/lesson-1.yaml&{mine}", "", b""),
        ("GET", f"/{me.slug}/download?file=../../class.json&{mine}", "", b""),
        ("GET", f"/{me.slug}/download?file=.lesson-1.yaml.studio&{mine}", "", b""),
        ("POST", f"/{me.slug}/upload?file=../{secret}/evil.yaml&{mine}", "", b"format: andante.motions"),
        ("POST", f"/{me.slug}/upload?file=linked/evil.yaml&{mine}", "", b"format: andante.motions"),
        ("GET", f"/lecturer/?{mine}", "", b""),
        ("GET", f"/lecturer/look/{secret}/?{mine}", "", b""),
        ("GET", f"/{secret}/?token={me.token[:-1]}x", "", b""),
    ]
    for method, path, cookie, body in requests:
        found["tried"] += 1
        status, _, _ = await get(port, path, cookie, method, body)
        found["reached"] += status < 400
    doors = [
        (me.address(secret), me.origin()),
        (me.address("lecturer"), me.origin()),
        (me.address("lecturer", path=f"look/{secret}/socket"), me.origin()),
        (me.address(), "http://evil.example"),
        (me.address(token="x" * 32), me.origin()),
    ]
    for address, origin in doors:
        found["tried"] += 1
        try:
            async with connect(address, origin=origin, open_timeout=30):
                found["reached"] += 1
        except (OSError, WebSocketException, TimeoutError):
            pass
    for message in (
        {"do": "open", "file": f"../{secret}/lesson-1.yaml"},
        {"do": "open", "file": str(theirs)},
        {"do": "open", "file": "link.yaml"},
        {"do": "new", "file": f"../{secret}/evil.yaml", "robot": "nao"},
        {"do": "new", "file": "linked/evil.yaml", "robot": "nao"},
        {"do": "look_at_robot", "robot": str(theirs)},
    ):
        found["tried"] += 1
        before = len(me.times.errors)
        data = await me.ask("refused", **message)
        found["reached"] += data["type"] != "refused"
        del me.times.errors[before:]
    return found


async def trouble(server: Server, slug: str, times: Times) -> dict[str, object]:
    """Who uploads 1 GB, and runs a motion that never ends."""
    slug, token = server.links[slug]
    size = 1_000_000_000
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    head = f"POST /{slug}/upload?file=big.yaml&token={token} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
    writer.write(f"{head}Content-Length: {size}\r\n\r\n".encode())
    began, sent, told = time.perf_counter(), 0, b""
    answer = asyncio.create_task(reader.read(4000))
    block = b"x" * 1_000_000
    with contextlib.suppress(OSError):
        while sent < size and not answer.done():
            writer.write(block)
            await writer.drain()
            sent += len(block)
    with contextlib.suppress(OSError, TimeoutError):
        told = await asyncio.wait_for(answer, 20)
    writer.close()
    found: dict[str, object] = {
        "upload told": told.partition(b"\r\n\r\n")[2].decode(),
        "upload told after [s]": round(time.perf_counter() - began, 2),
    }
    student = Student(server, slug, Times(), 1.0, 0)
    async with connect(student.address(), origin=student.origin(), max_size=None, ping_timeout=None) as student.socket:
        listening = asyncio.create_task(student.listen())
        await student.ask("open", do="lesson", lesson="lesson-1")
        await student.edit("blocks: [wave]\n", "blocks: [wave]\n    follow_ups: [{motion: wave}]\n")
        began = time.perf_counter()
        await student.socket.send(json.dumps({"do": "play", "motion": "wave", "request": 0}))
        last = await student.hear("verdict", "broken", "refused")
        found["endless run"] = last.get("text") or last["type"]
        found["endless run ended after [s]"] = round(time.perf_counter() - began, 1)
        listening.cancel()
    times.errors += [f"trouble: {error}" for error in student.times.errors]
    return found


async def watch(server: Server, found: list[float]) -> None:
    """Look at the memory again and again."""
    while True:
        found.append(await asyncio.to_thread(server.memory))
        await asyncio.sleep(4.0)


def told(values: list[float]) -> dict[str, float]:
    """Count, median, 95th percentile and largest [s]."""
    ordered = sorted(values)
    at = max(math.ceil(0.95 * len(ordered)) - 1, 0)
    return {
        "count": len(ordered),
        "p50": round(statistics.median(ordered), 3),
        "p95": round(ordered[at], 3),
        "max": round(ordered[-1], 3),
    }


def contents(folder: Path, slug: str) -> str:
    """A checksum of the names in a student's folder that the student did not make."""
    names = sorted(path.name for path in (folder / "students" / slug).glob("evil*"))
    return hashlib.sha256(repr(names).encode()).hexdigest()


async def measure(server: Server, options: argparse.Namespace) -> dict[str, object]:
    """The whole class."""
    times, memory = Times(), []
    slugs = [slug for slug in server.links if slug not in ("lecturer", "trouble")]
    students = [Student(server, slug, times, options.pace, seed) for seed, slug in enumerate(slugs)]
    watching = asyncio.create_task(watch(server, memory))
    began = time.perf_counter()
    beside = asyncio.create_task(trouble(server, "trouble", times)) if options.trouble else None
    outcomes = await asyncio.gather(*(student.work(bool(options.attacks), students) for student in students))
    seconds = time.perf_counter() - began
    found: dict[str, object] = {"class took [s]": round(seconds, 1)}
    if beside is not None:
        try:
            found |= await asyncio.wait_for(beside, 60)
        except (TimeoutError, OSError, WebSocketException) as error:
            times.errors.append(f"trouble: {error!r}")
    watching.cancel()
    page = [value for kind in PAGE for value in times.seconds[kind]]
    evil = [slug for slug in slugs if contents(server.folder, slug) != contents(server.folder, "nobody")]
    return {
        "students": len(students),
        "errors": len(times.errors),
        "first errors": times.errors[:8],
        "answers of the page [s]": told(page),
        "by kind [s]": {kind: told(values) for kind, values in sorted(times.seconds.items()) if kind != "refused"},
        "places in the queue told": len(times.queued),
        "farthest place": max(times.queued, default=0),
        "memory of all processes, largest [GB]": round(max(memory) / 1e9, 3),
        "attempts to reach another's files": sum(each.get("tried", 0) for each in outcomes),
        "attempts that reached something": sum(each.get("reached", 0) for each in outcomes) + len(evil),
        **found,
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--students", type=int, default=25)
    parser.add_argument("--pace", type=float, default=2.0)
    parser.add_argument("--attacks", type=int, default=1)
    parser.add_argument("--trouble", type=int, default=1)
    options = parser.parse_args()
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="classroom-") as made:
        os.environ["CLASS_FOLDER"] = made
        server = Server(Path(made), [f"Student {number}" for number in range(1, options.students + 1)] + ["Trouble"])
        try:
            found = asyncio.run(measure(server, options))
        finally:
            server.close()
    print(json.dumps({"load before": round(load, 2), "load after": round(os.getloadavg()[0], 2), **found}, indent=2))
    sys.exit(1 if found["errors"] or found["attempts that reached something"] else 0)


if __name__ == "__main__":
    main()
