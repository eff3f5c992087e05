"""Families of hostile files over all formats: what nests, multiplies, lies about its size, never ends, or is no text."""

# Hostile text is one long line each.
# ruff: noqa: E501
from __future__ import annotations

import gzip
import json
import os
import struct
import zlib
from pathlib import Path

from hostile_case import (
    CHECK,
    CHECK_ARCHIVE,
    GOOD,
    LIST,
    MOTION,
    ON_BOARD,
    ON_MOTION,
    ON_ROBOT,
    RUN,
    Cases,
    Make,
    beside,
    lazy,
    text,
)
from hostile_containers import npy, npz, oda

CASES = Cases()
COMPARE = ("compare", "{0}", "{0}")
SHOW = ("show", "{0}")
KEYFRAMES = MOTION + "motions: {m: {blocks: [b]}}\nblocks:\n  b:\n    keyframes:\n"
CFG = "keyframeMotionEngine.cfg"
MAGIC = b"\x89MCAP0\r\n"


def run_of(metrics: bytes, log: bytes = MAGIC) -> Make:
    """A run's folder."""

    def make(folder: Path, name: str) -> None:
        (folder / name).mkdir()
        (folder / name / "metrics.json").write_bytes(metrics)
        (folder / name / "log.mcap").write_bytes(log)

    return make


def record(opcode: int, content: bytes) -> bytes:
    """A record of an MCAP file."""
    return struct.pack("<BQ", opcode, len(content)) + content


def chunk(size: int, data: bytes, kind: bytes = b"zstd") -> bytes:
    """A chunk that says to have so many bytes when unpacked."""
    head = struct.pack("<QQQI", 0, 0, size, 0) + struct.pack("<I", len(kind)) + kind
    return record(6, head + struct.pack("<Q", len(data)) + data)


def bomb(size: int, count: int = 1) -> bytes:
    """Chunks of zeros."""
    from zstandard import ZstdCompressor

    return MAGIC + chunk(size, ZstdCompressor().compress(bytes(size))) * count


def growing(folder: Path, name: str) -> None:
    """A file that says to be empty and never ends."""
    (folder / name).symlink_to("/proc/self/mountinfo" if os.path.exists("/proc/self/mountinfo") else "/dev/null")


# Text that is not closed, or nests.
CASES.add("an open quote of 5 MB", CFG, lazy(lambda: 'keyframeBlock = [{a = "' + "x" * 5_000_000), *ON_MOTION)
CASES.add("an open quote of escapes", CFG, lazy(lambda: 'keyframeBlock = [{a = "' + "\\n" * 2_500_000), *ON_MOTION)
CASES.add("half a million comment openings", CFG, lazy(lambda: "/*" * 500_000), *ON_MOTION)
CASES.add("a B-Human name of a megabyte", CFG, lazy(lambda: "a" * 1_000_000 + " = 1;"), *ON_MOTION, taken=True)
CASES.add("a value of a megabyte", CFG, lazy(lambda: "keyframeBlock = " + "a" * 1_000_000 + ";"), *ON_MOTION)
CASES.add(
    "an unknown attribute of a megabyte", CFG, lazy(lambda: "keyframeBlock = [{" + "b" * 10**6 + " = 1;}];"), CHECK
)
CASES.add("100,000 attributes", CFG, lazy(lambda: "".join(f"a{n} = {n};\n" for n in range(100_000))), CHECK, taken=True)
CASES.add("a JSON text that is not closed", "a.json", lazy(lambda: '{"keyframes": ["' + "x" * 5_000_000), *ON_MOTION)
CASES.add("JSON of escapes", "a.json", lazy(lambda: '{"keyframes": ["' + "\\u0041" * 800_000), *ON_MOTION)
CASES.add("JSON objects in objects", "a.json", lazy(lambda: '{"keyframes":' * 100_000), *ON_MOTION)
CASES.add("JSON of empty lists", "a.json", lazy(lambda: '{"keyframes": [' + "[]," * 3_000_000 + "[]]}"), CHECK)
CASES.add("JSON of a number of a million digits", "a.json", lazy(lambda: '{"keyframes": ' + "9" * 10**6 + "}"), CHECK)
CASES.add("an XML attribute of 8 MB", "a.xar", lazy(lambda: f"<ChoregrapheProject a='{'x' * 8_000_000}'/>"), CHECK)
CASES.add(
    "XML of 100,000 attributes",
    "a.xar",
    lazy(lambda: "<ChoregrapheProject " + " ".join(f"a{n}='1'" for n in range(100_000)) + "/>"),
    CHECK,
    taken=True,
)
CASES.add("nested XML", "a.xar", lazy(lambda: "<ChoregrapheProject>" + "<Box>" * 100_000), *ON_MOTION)
CASES.add(
    "an XML comment that is not closed", "a.xar", lazy(lambda: "<ChoregrapheProject><!-- " + "-" * 8_000_000), CHECK
)
CASES.add(
    "a Python list that is not closed",
    "a.py",
    lazy(lambda: "names = list()\ntimes = list()\nkeys = list()\ntimes.append([" + "1.0, " * 500_000),
    CHECK,
)
CASES.add(
    "a Python text that is not closed",
    "a.py",
    lazy(lambda: "names = list()\ntimes = list()\nkeys = list()\nnames.append('" + "x" * 3_000_000),
    CHECK,
)
CASES.add(
    "Python of minus signs",
    "a.py",
    lazy(lambda: "names = list()\ntimes = list()\nkeys = list()\nkeys.append(" + "-" * 50_000 + "1)"),
    CHECK,
)
CASES.add(
    "an EKMoves comment that is not closed", "a.h", lazy(lambda: "const double A[] = {/*" + "*" * 8_000_000), *ON_MOTION
)
CASES.add(
    "an EKMoves file of a million brackets", "a.h", lazy(lambda: "const double A[] = " + "{" * 1_000_000), *ON_MOTION
)

# YAML.
CASES.add(
    "100,000 unknown joints",
    "a.yaml",
    lazy(
        lambda: (
            KEYFRAMES
            + "      - duration: 100\n        joints:\n"
            + "".join(f"          J{n}: 1\n" for n in range(90_000))
        )
    ),
    CHECK,
    taken=True,
)
CASES.add(
    "100,000 unknown fields",
    "a.yaml",
    lazy(lambda: MOTION + "".join(f"field{n}: 1\n" for n in range(90_000))),
    *ON_MOTION,
)
CASES.add(
    "50,000 wrong keyframes",
    "a.yaml",
    lazy(lambda: KEYFRAMES + "      - {duration: x, joints: {HeadYaw: y}}\n" * 50_000),
    *ON_MOTION,
)
CASES.add(
    "50,000 keyframes of NaN",
    "a.yaml",
    lazy(lambda: KEYFRAMES + "      - {duration: .nan, joints: {HeadYaw: .inf}}\n" * 50_000),
    *ON_MOTION,
)
CASES.add(
    "a block of every name",
    "a.yaml",
    lazy(lambda: MOTION + "motions: {m: {blocks: [" + ", ".join(f"b{n}" for n in range(100_000)) + "]}}\nblocks: {}\n"),
    CHECK,
    taken=True,
)
CASES.add(
    "a hundred thousand anchors",
    "a.yaml",
    lazy(lambda: MOTION + "".join(f"a{n}: &a{n} 1\n" for n in range(100_000))),
    *ON_MOTION,
)
CASES.add("a mapping key of a megabyte", "a.yaml", lazy(lambda: MOTION + "k" * 1_000_000 + ": 1\n"), *ON_MOTION)
CASES.add(
    "a key of a megabyte in quotes twice", "a.yaml", lazy(lambda: ('"' + "k" * 400_000 + '": 1\n') * 2), *ON_MOTION
)
CASES.add(
    "block scalars without end",
    "a.yaml",
    lazy(lambda: MOTION + "note: |\n" + "  x\n" * 1_500_000),
    *ON_MOTION,
    taken=True,
)
CASES.add(
    "indented deeper each line",
    "a.yaml",
    lazy(lambda: "".join(" " * n + "a:\n" for n in range(3000))),
    *ON_MOTION,
    RUN,
    *ON_ROBOT,
)
CASES.add("YAML of tabs", "a.yaml", lazy(lambda: "\t" * 5_000_000), *ON_MOTION)
CASES.add(
    "YAML in UTF-16", "a.yaml", lambda folder, name: (folder / name).write_bytes(GOOD.encode("utf-16")), *ON_MOTION, RUN
)
CASES.add(
    "YAML behind two marks of order",
    "a.yaml",
    lambda folder, name: (folder / name).write_bytes(b"\xef\xbb\xbf" * 2 + GOOD.encode()),
    CHECK,
    taken=True,
)
CASES.add(
    "a scenario of wrong fields",
    "a.yaml",
    lazy(
        lambda: (
            "format: andante.scenario\nversion: 1\nname: a\ncontroller: {type: keyframes}\n"
            + "".join(f"f{n}: 1\n" for n in range(60_000))
        )
    ),
    RUN,
    CHECK,
)
CASES.add(
    "a pack of 50,000 joints",
    "a.yaml",
    lazy(
        lambda: (
            "format: andante.robot\nversion: 1\nname: a\ntitle: a\nmodel: a.xml\njoints:\n"
            + "".join(f"  j{n}: {{servo: s, speed: 1, effort: 1}}\n" for n in range(50_000))
        )
    ),
    *ON_ROBOT,
)

# Rows.
CASES.add("a CSV of a million errors", "a.csv", lazy(lambda: "time,HeadYaw\n" + "x,y\n" * 1_000_000), *ON_MOTION)
CASES.add(
    "a CSV of NaN", "a.csv", lazy(lambda: "time,HeadYaw\n" + "".join(f"{n},nan\n" for n in range(200_000))), *ON_MOTION
)
CASES.add("a CSV of one line of 15 MB", "a.csv", lazy(lambda: "time,HeadYaw\n0," + "1" * 15_000_000), *ON_MOTION)
CASES.add("a CSV of quotes", "a.csv", lazy(lambda: "time,HeadYaw\n" + '""' * 5_000_000), *ON_MOTION)
CASES.add(
    "Webots of a million joints", "a.motion", lazy(lambda: "#WEBOTS_MOTION,V1.0" + ",a" * 1_000_000 + "\n"), *ON_MOTION
)
CASES.add(
    "Webots of a million wrong poses",
    "a.motion",
    lazy(lambda: "#WEBOTS_MOTION,V1.0,HeadYaw\n" + "00:00:000,x,y\n" * 700_000),
    *ON_MOTION,
)
CASES.add(
    "a .pos of unknown names",
    "a.pos",
    lazy(lambda: "#POS\n" + "".join(f"condensed x{n} 1\n" for n in range(300_000))),
    *ON_MOTION,
    taken=True,
)
CASES.add(
    "a Tekkotsu file of unknown words",
    "a.mot",
    lazy(lambda: "#MSq\n" + "".join(f"w{n} 1\n" for n in range(300_000)) + "#END\n"),
    *ON_MOTION,
    taken=True,
)

# Bytes.
CASES.add("a zip of a thousand members", "a.npz", lazy(lambda: _many(1000)), *ON_MOTION, *ON_BOARD)
CASES.add("a numpy array of negative size", "a.npy", lazy(lambda: npy("(-5, 5)")), *ON_BOARD)
CASES.add(
    "a numpy header of a megabyte",
    "a.npy",
    lazy(lambda: b"\x93NUMPY\x02\x00" + struct.pack("<I", 1_000_000) + b"(" * 1_000_000),
    *ON_BOARD,
)
CASES.add(
    "a numpy array of objects",
    "a.npz",
    lazy(lambda: npz(npy("(2, 2)", b"cos\nsystem\n(S'x'\ntR.", "|O"), "time.npy")),
    *ON_MOTION,
    *ON_BOARD,
)
CASES.add(
    "a zip in which a member is a bomb",
    "a.npz",
    lazy(lambda: npz(npy("(30000, 30000)", bytes(200_000_000)), "time.npy")),
    *ON_MOTION,
)
CASES.add(
    "an archive packed ten times",
    "a.oda",
    lazy(
        lambda: __import__("functools").reduce(
            lambda raw, _: gzip.compress(raw, 9), range(10), oda([], bytes(1_000_000))
        )
    ),
    *ON_MOTION,
    LIST,
)
CASES.add(
    "an archive of 100,000 entries",
    "a.oda",
    lazy(lambda: oda([(b"OMTN", f"m{n}".encode(), 64, 0) for n in range(100_000)])),
    *ON_MOTION,
    LIST,
    CHECK_ARCHIVE,
)
CASES.add(
    "an archive of 20,000 entries",
    "a.oda",
    lazy(lambda: oda([(b"OMTN", f"m{n}".encode(), 64, 0) for n in range(20_000)])),
    *ON_MOTION,
    LIST,
    CHECK_ARCHIVE,
    taken=True,
)
CASES.add(
    "a motion of a thousand million keyframes",
    "a.mtn",
    lazy(lambda: b"OMTN" + struct.pack("<IIIHHHHI", 0, 24, 4, 2**16 - 1, 2**16 - 1, 2**16 - 1, 16, 0) + bytes(1000)),
    *ON_MOTION,
)
CASES.add("gzip of garbage", "a.oda", lazy(lambda: gzip.compress(b"x")[:12] + os.urandom(1000)), *ON_MOTION, LIST)
CASES.add("zlib without gzip", "a.oda", lazy(lambda: zlib.compress(bytes(10_000_000))), *ON_MOTION, LIST)

# Runs.
CASES.add("metrics nested", "run", run_of(b"[" * 100_000), COMPARE, SHOW)
CASES.add("metrics of objects nested", "run", run_of(b'{"metrics":' * 100_000), COMPARE, SHOW)
CASES.add("metrics of empty lists", "run", run_of(b'{"metrics": [' + b"[]," * 4_000_000 + b"1]}"), COMPARE, SHOW)
CASES.add("metrics that are no table", "run", run_of(json.dumps({"metrics": [1]}).encode()), COMPARE, SHOW)
CASES.add("metrics of a million digits", "run", run_of(b'{"metrics": {"a": ' + b"1" * 1_000_000 + b"}}"), COMPARE, SHOW)
CASES.add("metrics in UTF-16", "run", run_of('{"metrics": {}}'.encode("utf-16")), COMPARE, SHOW)
CASES.add("a log that is a bomb", "a.mcap", lazy(lambda: bomb(60_000_000, 20)), SHOW, ("replay", "{0}"), taken=True)
CASES.add("a log whose chunk says a terabyte", "a.mcap", lazy(lambda: MAGIC + chunk(2**40, b"x")), SHOW, taken=True)
CASES.add(
    "a log of a record of 2^63", "a.mcap", lazy(lambda: MAGIC + struct.pack("<BQ", 6, 2**63) + b"x"), SHOW, taken=True
)
CASES.add("a log of a million records", "a.mcap", lazy(lambda: MAGIC + record(15 + 1, b"") * 900_000), SHOW, taken=True)
CASES.add("a file of the system that says 0", "a.yaml", growing, *ON_MOTION, RUN)

# Models.
CASES.add(
    "a model of 15 MB of comment", "a.xml", lazy(lambda: f"<mujoco><!--{'x' * 15_000_000}--></mujoco>"), *ON_ROBOT
)
CASES.add(
    "49,000 geoms",
    "a.xml",
    lazy(lambda: "<mujoco><worldbody>" + "<geom size='.1'/>" * 49_000 + "</worldbody></mujoco>"),
    *ON_ROBOT,
)
CASES.add(
    "12,000 bodies in a row",
    "a.xml",
    lazy(lambda: "<mujoco><worldbody>" + "<body><joint/><geom size='.1'/></body>" * 12_000 + "</worldbody></mujoco>"),
    *ON_ROBOT,
)
CASES.add("an attribute of 5 MB", "a.xml", lazy(lambda: f"<mujoco model='{'x' * 5_000_000}'/>"), *ON_ROBOT)
CASES.add(
    "an unknown element of a megabyte", "a.xml", lazy(lambda: f"<mujoco><{'x' * 1_000_000}/></mujoco>"), *ON_ROBOT
)
CASES.add(
    "a URDF of 12,000 joints",
    "a.urdf",
    lazy(
        lambda: (
            '<robot name="r">'
            + "".join(
                f'<link name="l{n}"/><joint name="j{n}" type="fixed"><parent link="l0"/><child link="l{n}"/></joint>'
                for n in range(6_000)
            )
            + "</robot>"
        )
    ),
    *ON_ROBOT,
)
CASES.add(
    "a URDF of a name of a megabyte",
    "a.urdf",
    lazy(lambda: f'<robot name="r"><link name="{"x" * 1_000_000}"/><link name="b"/></robot>'),
    *ON_ROBOT,
)
CASES.add(
    "a model of names that are all one",
    "a.xml",
    lazy(lambda: "<mujoco><worldbody>" + "<geom name='a' size='.1'/>" * 10_000 + "</worldbody></mujoco>"),
    *ON_ROBOT,
)


def _many(count: int) -> bytes:
    import io
    import zipfile

    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for number in range(count):
            archive.writestr(f"a{number}.npy", npy("(2,)", bytes(16)))
    return stream.getvalue()


CASES.add("a PGM of comments", "a.pgm", text("P2\n" + "#\n" * 30_000 + "2 2 255\n0 0 0 0\n"), *ON_BOARD, taken=True)
CASES.add("a PGM of blanks", "a.pgm", text("P2" + " " * 60_000 + "x"), *ON_BOARD)
CASES.add(
    "a scenario beside a folder of its name", "a.yaml", beside(text(GOOD), {"b.yaml": text(GOOD)}), CHECK, taken=True
)
