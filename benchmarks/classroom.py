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
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from classroom_student import Student, Times, get

COMMAND = (sys.executable, "-c", "from andante.cli.app import main; main()")
PAGE = ("answer", "open", "edit", "drag", "checks", "load", "run answered")
"""Kinds of answers that are the page's; the others are results of physics."""


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
    student = Student((slug, token), server.port, Times(), 1.0, 0)
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
    students = [Student(server.links[slug], server.port, times, options.pace, seed) for seed, slug in enumerate(slugs)]
    watching = asyncio.create_task(watch(server, memory))
    began = time.perf_counter()
    beside = asyncio.create_task(trouble(server, "trouble", times)) if options.trouble else None
    outcomes = await asyncio.gather(
        *(student.work(attack if options.attacks else None, students) for student in students)
    )
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
