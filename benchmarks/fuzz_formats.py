"""Feeds mutated files to every codec of the registry and counts crashes and hangs (0 wanted) and the memory used.

    python benchmarks/fuzz_formats.py --count 100000 --seed 1

A case is good when the file is read or refused with one of Andante's own errors, in time and in little memory. Some of
the files that are read are also written again. Every case depends only on seed and number: ``--only N`` repeats one,
``--start N`` goes on after a stop (which prints the counts so far).
"""

from __future__ import annotations

import argparse
import gzip
import io
import json
import math
import random
import re
import resource
import signal
import sys
import tempfile
import time
import traceback
import zipfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from andante.documents.problems import DocumentError
from andante.errors import AndanteError
from andante.formats.aibo.monet import parse_arcs, parse_commands
from andante.formats.aibo.monet_graph import check_monet, motion_names
from andante.formats.aibo.mtn import MtnLayout, read_mtn, write_mtn
from andante.formats.aibo.oda import new_entry, read_oda, write_oda
from andante.formats.aibo.oda_files import create_archive, extract, open_archive
from andante.formats.registry import FORMATS, read
from andante.formats.report import ReadReport
from andante.motions.keyframe import Block, Keyframe
from andante.motions.library import Motion, MotionLibrary
from andante.robots.register import ROBOTS

LIMIT_S = 10.0
"""A case that takes longer hangs [s]."""
MEMORY = 2 << 30
"""Address space that the process may take [bytes]."""
GROWTH = 256 << 20
"""A case that raises the peak of resident memory by more takes too much [bytes]."""
PROGRESS = 50_000
"""Cases between two lines of progress."""

_TOKENS = (
    b"nan", b"inf", b"-inf", b"1e999", b"-0", b"0", b"-1", b"99999999999999999999", b"1e-320", b"", b"#", b"{" * 60,
    b"[" * 60, b"(" * 60, b"<" * 30, b'"', b"'", b"\\", b"\0", b"\xff\xfe", b"\r", b"\xe2\x80\xa8", b"/*", b"//", b"=",
    b";", b",", b"&amp;", b"<!ENTITY a 'b'>", b"__import__", b"*", b"%s", b"../", b"true", b"null", b"~", b"|",
    b"&a *a", b"0x7fffffff", b"1_000", b"A" * 400,
)  # fmt: skip
_SIZES = (0, 1, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)
_NUMBER = re.compile(rb"[+-]?\d+\.?\d*(?:[eE][+-]?\d+)?")
_WORD = re.compile(rb"[A-Za-z_]\w*")

MONETCMD = b"""# null motion
0 1 0
monetagentMTN a_sleep#sleep_null -1
10 1 0
monetagentMTN a_stand#walk_start -1
# motion and sound
100 2 1
monetagentMTN a_stand#stand_kick -1
monetagentSOUND horn 0
"""
MONET = b"""monetagentNEUTRAL a_nt#sleep_standard 0
monetagentMTN a_sleep#stand_up -1
monetagentMTN a_stand#sit_down -1
"""
EKMOVES = b"""#ifndef EK
#define EK
const int COUNT = 2;
const double KICK_101_01[] = {
  5, // Tilt2
  0, -30, -5.5f, /* LeftFrontLegJ1 */ 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3e0
};
static const double EK_POS[16] = {5,0,-30,-5,1,2,3,1,2,3,1,2,3,1,2,.3};
#endif
"""
POS = b"""#POS
condensed ERS-7
outputs 0.1 0.2 0.3 0.1 0.2 0.3 0.1 0.2 0.3 0.1 0.2 0.3 0 0 0 0.5 0 -0.1
weights 1 1 1 1 1 1 1 1 1 1 1 1 0 0 0.5 1 1 1
verbose
Fr:rotor = 0.25 0.5
LED:botL~ 1
specialize ERS-2.*
NECK:roll 0.1
specialize
<sensors>
  Force\t1
</sensors>
#END
"""
MOT = b"""#MSq
degrees
setTime 0
LFr:rotor 10
advanceTime 500
radians
LFr:rotor\t0.5\t0.5
NECK:tilt -0.5 # up
delay 300
Bk:knee~~ 0.75
LED:botL~ 1
MOUTH~~~~ -0.1 0
#END
"""
MOVES = b"""andante moves 1
robot ers7
pose ready file=ready.pose
  LFJ1 10
  Tilt1 -20.5
pose a%20b
  LFJ1 -10
# comment
motion kick
  400 ready
  120.5 a%20b
"""
POSE = b"andante pose 1\nrobot ers7\npose ready\n  LFJ1 10\n  LFJ2 5\n"


class Hang(BaseException):
    """A case took too long; no handler of the code under test catches it."""


def libraries() -> list[MotionLibrary]:
    """Small libraries for every shipped robot and for the joints of the AIBO."""
    from andante.formats.aibo.names import NAMES
    from andante.formats.bhuman.names import JOINTS

    found = []
    named = {"nao": JOINTS, "ers7": NAMES}
    for robot in sorted({*ROBOTS, *named}):
        joints = named.get(robot)
        if joints is None:
            continue
        keyframes = tuple(
            Keyframe(
                duration=0.016 if not index else 0.16,
                joints={joint: round(0.05 * math.sin(index + place), 6) for place, joint in enumerate(joints)},
            )
            for index in range(3)
        )
        block = Block(keyframes=keyframes)
        found += [
            MotionLibrary(
                robot=robot,
                motions={name: Motion(blocks=(name,)) for name in names},
                blocks=dict.fromkeys(names, block),
            )
            for names in (("stand",), ("stand", "sit"))
        ]
        single = Block(keyframes=keyframes[:1])
        found.append(MotionLibrary(robot=robot, motions={"one": Motion(blocks=("one",))}, blocks={"one": single}))
    return found


def seeds(folder: Path) -> list[tuple[str, bytes]]:
    """Good files: what every codec writes of the libraries, and hand-made ones with the quirks."""
    found: list[tuple[str, bytes]] = [
        ("monetcmd", MONETCMD),
        ("monet", MONET),
        ("ekmoves", EKMOVES),
        ("tekkotsu-pos", POS),
        ("tekkotsu-mot", MOT),
        ("moves", MOVES),
        ("pose", POSE),
    ]
    for number, library in enumerate(libraries()):
        for name, codec in FORMATS.items():
            target = folder / f"{name}-{number}{codec.suffixes[0] if codec.suffixes else ''}"
            try:
                written = codec.write(library, target)
            except AndanteError:
                continue
            found += [(name, path.read_bytes()) for path in written if path.stat().st_size < 200_000]
    mtn = next(raw for name, raw in found if name == "mtn")
    archives = [
        ("oda", write_oda(read_oda(raw, "seed").with_entry(new_entry("horn", b"RIFF....WAVE", ".wav"))))
        for name, raw in found
        if name == "oda"
    ]
    short = write_mtn(replace(read_mtn(mtn, "seed"), layout=MtnLayout(short=True), frame_ms=0, design="DRX-700"))
    found += [("mtn", short), ("mtn", mtn + b"tail")]
    path = folder / "kick.mtn"
    path.write_bytes(mtn)
    packed = [("oda", write_oda(create_archive([path], gzip=way))) for way in ("whole", "payload")]
    return found + archives + packed


def mutate(raw: bytes, others: list[tuple[str, bytes]], rng: random.Random) -> bytes:
    """A file with one to six mutations."""
    if raw.startswith(b"\x1f\x8b") and rng.random() < 0.7:
        return gzip.compress(mutate(gzip.decompress(raw), others, rng), 1, mtime=0)
    if raw.startswith(b"PK") and rng.random() < 0.8:
        return mutate_zip(raw, others, rng)
    data = bytearray(raw)
    lowest = 10 if rng.random() < 0.4 else 0
    for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
        at = rng.randrange(len(data) + 1)
        kind = rng.randrange(lowest, 14)
        if kind == 0 and data:
            data[at % len(data)] ^= 1 << rng.randrange(8)
        elif kind == 1 and data:
            data[at % len(data)] = rng.randrange(256)
        elif kind == 2:
            del data[at:]
        elif kind == 3:
            del data[at : at + rng.choice((1, 2, 4, 16, 64, 256))]
        elif kind == 4:
            data[at:at] = rng.choice(_TOKENS)
        elif kind == 5:
            length = rng.choice((1, 4, 16, 64, 256))
            data[at:at] = data[at : at + length] * rng.choice((1, 2, 20))
        elif kind == 6:
            other = rng.choice(others)[1]
            start = rng.randrange(len(other) + 1)
            data[at : at + rng.choice((0, 8, 64))] = other[start : start + rng.choice((4, 32, 256, 2000))]
        elif kind == 7 and len(data) >= 4:
            value = rng.choice(
                (0, 1, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, len(data), rng.getrandbits(32))
            )
            at = min(at, len(data) - 4)
            data[at : at + 4] = value.to_bytes(4, "little")
        elif kind in (7, 8, 9):
            found = list((_WORD if kind == 9 else _NUMBER).finditer(data))
            if found:
                match = rng.choice(found)
                data[match.start() : match.end()] = rng.choice(_TOKENS)
        else:
            data = bytearray(mild(bytes(data), kind, rng))
    return bytes(data[:400_000])


def mutate_zip(raw: bytes, others: list[tuple[str, bytes]], rng: random.Random) -> bytes:
    """A zip file with one mutated member, its checksums right again."""
    with zipfile.ZipFile(io.BytesIO(raw)) as whole:
        members = {name: whole.read(name) for name in whole.namelist()}
    name = rng.choice(list(members))
    members[name] = mutate(members[name], others, rng)
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as whole:
        for member, content in members.items():
            whole.writestr(zipfile.ZipInfo(member), content)
    return target.getvalue()


def mild(data: bytes, kind: int, rng: random.Random) -> bytes:
    """A text with another number, an own word elsewhere, or a line doubled, dropped or moved: often still legal."""
    if kind in (10, 11):
        found = list((_NUMBER if kind == 10 else _WORD).finditer(data))
        if not found:
            return data
        match, other = rng.choice(found), rng.choice(found).group()
        if kind == 10 and rng.random() < 0.5:
            other = str(rng.choice((rng.randrange(-3, 4), rng.uniform(-200, 200), rng.randrange(10**6)))).encode()
        return data[: match.start()] + other + data[match.end() :]
    lines = data.split(b"\n")
    at = rng.randrange(len(lines))
    line = lines[at]
    if kind == 12 or rng.random() < 0.5:
        del lines[at]
    if kind == 13:
        lines.insert(rng.randrange(len(lines) + 1), line)
    return b"\n".join(lines)


def try_codec(name: str | None, path: Path, raw: bytes, folder: Path, again: bool, report: ReadReport) -> None:
    """Read a file, and write what was read where ``again`` says so."""
    if name in ("monetcmd", "monet"):
        text = raw.decode("latin-1")
        if name == "monetcmd":
            commands = parse_commands(text, str(path))
            check_monet(commands, parse_arcs(MONET.decode()), motions=("a", None), sounds=())
        else:
            parse_arcs(text, str(path))
        return
    if name == "oda" and again:
        archive = open_archive(path)
        motion_names(archive, str(path))
        extract(archive, path, Path(tempfile.mkdtemp(dir=folder)))
        write_oda(archive)
    library = read(path, name, report=report)
    [str(warning) for warning in report.warnings]
    if again:
        codec = FORMATS[report.format]
        codec.losses(library)
        codec.write(library, folder / f"again{codec.suffixes[0] if codec.suffixes else ''}")


def watched(work: Callable[[], None]) -> str:
    """Run a case; return ``read``, ``refused``, ``hang``, ``memory`` or the traceback of a crash."""
    before = peak_bytes()
    signal.setitimer(signal.ITIMER_REAL, LIMIT_S)
    try:
        work()
    except AndanteError as error:
        result = "refused" if str(error) else "crash: an error without a message"
    except Hang:
        return "hang"
    except BaseException as error:
        if isinstance(error, (KeyboardInterrupt, SystemExit)):
            raise
        return "crash: " + "".join(traceback.format_exception(error)[-6:])
    else:
        result = "read"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
    grown = peak_bytes() - before
    return f"memory: {grown >> 20} MB" if grown > GROWTH else result


def peak_bytes() -> int:
    """The process's peak of resident memory [bytes]."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


@dataclass
class Campaign:
    """Many cases and what came of them."""

    folder: Path
    """Folder for the cases' files."""
    seed: int
    """Seed of all cases."""
    good: list[tuple[str, bytes]]
    """Good files with the names of their formats."""
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Number of cases per codec that took them and result."""
    faults: dict[str, tuple[int, str]] = field(default_factory=dict)
    """First case and result per kind of fault."""
    slowest: tuple[float, int, str] = (0.0, -1, "")
    """Time [s], number and codec of the slowest case."""

    def case(self, number: int, *, show: bool = False) -> None:
        """Run a case."""
        rng = random.Random(f"{self.seed}-{number}")
        name, raw = rng.choice(self.good)
        mutant = mutate(raw, self.good, rng)
        draw = rng.random()
        reader = name if draw < 0.75 or name.startswith("monet") else None
        if draw > 0.95 and reader is None:
            reader = rng.choice(list(FORMATS))
        again = rng.random() < 0.4
        path = self.folder / f"case{rng.choice(('', '.mtn', '.ODA', '.yaml', '.cfg', '.json', '.pos', '.h'))}"
        path.write_bytes(mutant)
        report = ReadReport()
        started = time.perf_counter()
        result = watched(lambda: try_codec(reader, path, mutant, self.folder, again, report))
        taker = reader or report.format or "(no codec)"
        self.slowest = max(self.slowest, (time.perf_counter() - started, number, taker))
        self.counts[taker, result.split(":")[0]] += 1
        if result not in ("read", "refused"):
            self.faults.setdefault(f"{taker}: {result[-160:]}", (number, result))
            print(f"case {number}, {taker}: {result.splitlines()[-1]}", file=sys.stderr, flush=True)
        if show:
            print(mutant, "\n", name, reader, result)
        path.unlink()
        if again or number % 500 == 0:
            self._tidy()

    def _tidy(self) -> None:
        for entry in self.folder.iterdir():
            if entry.is_dir():
                for file in entry.iterdir():
                    file.unlink()
                entry.rmdir()

    @property
    def bad(self) -> int:
        """Number of cases that are neither read nor refused."""
        return sum(count for (_, result), count in self.counts.items() if result not in ("read", "refused"))

    def table(self) -> dict[str, dict[str, int]]:
        """Counts per codec and result."""
        names = sorted({name for name, _ in self.counts})
        return {
            name: {result: self.counts[name, result] for n, result in sorted(self.counts) if n == name}
            for name in names
        }


def main() -> int:
    """Run the cases and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000, help="number of the case to stop before")
    parser.add_argument("--start", type=int, default=0, help="number of the first case")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="repeat one case and print its file")
    parser.add_argument("--codec", help="only good files of this codec")
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))

    def alarm(*_: object) -> None:
        raise Hang

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGALRM, alarm)
    signal.signal(signal.SIGTERM, stop)
    base = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(prefix="andante-fuzz-", dir=base) as home:
        folder = Path(home)
        good = [seed for seed in seeds(folder) if options.codec in (None, seed[0])]
        check_seeds(good, folder)
        campaign = Campaign(folder, options.seed, good)
        before, begin = peak_bytes(), time.perf_counter()
        numbers = range(options.start, options.count) if options.only is None else (options.only,)
        reached = options.start
        try:
            for reached in numbers:
                campaign.case(reached, show=options.only is not None)
                if reached % PROGRESS == PROGRESS - 1:
                    passed = time.perf_counter() - begin
                    print(f"{reached + 1} cases, {passed:.0f} s, {campaign.bad} bad", file=sys.stderr, flush=True)
        except KeyboardInterrupt:
            print(f"stopped; go on with --start {reached}")
        total = time.perf_counter() - begin
    for number, result in campaign.faults.values():
        print(f"case {number}: {result}")
    print(json.dumps(campaign.table(), indent=1))
    taken, number, name = campaign.slowest
    print(
        f"{sum(campaign.counts.values())} cases in {total:.0f} s, seed {options.seed}: {campaign.bad} crashes, hangs "
        f"and memory faults; slowest {taken:.2f} s (case {number}, {name}); "
        f"memory {before >> 20} -> {peak_bytes() >> 20} MB"
    )
    return 1 if campaign.bad else 0


def check_seeds(good: list[tuple[str, bytes]], folder: Path) -> None:
    """Say which good files are refused, and how many there are."""
    for name, raw in good:
        path = folder / "good"
        path.write_bytes(raw)
        try:
            try_codec(name, path, raw, folder, again=False, report=ReadReport())
        except DocumentError as error:
            print(f"a good file of {name} is refused: {error}")
    print(f"{len(good)} good files of {len({name for name, _ in good})} formats")


if __name__ == "__main__":
    sys.exit(main())
