"""Hostile files: what a stranger's folder may hold. Each case names its files, how they are made, and the commands."""

# Hostile text is one long line each.
# ruff: noqa: E501
from __future__ import annotations

import gzip
import io
import json
import os
import struct
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

Make = Callable[[Path, str], object]
"""Makes a file of a name in a folder, and what else belongs to it."""

MOTION = "format: andante.motions\nversion: 1\nrobot: nao\nunits: {angle: deg, time: ms, length: mm}\n"
GOOD = (
    MOTION
    + "motions: {m: {blocks: [b]}}\nblocks:\n  b:\n    keyframes:\n      - {duration: 100, joints: {HeadYaw: 1}}\n"
)
MODEL = "<mujoco><worldbody><body><freejoint/><geom size='.1'/>{}</body></worldbody>{}</mujoco>"
CHECK, CONVERT = ("check", "{0}"), ("convert", "{0}", "{out}.csv")
RUN = ("run", "{0}", "--no-video", "--no-report", "--out", "{out}")
RUN_LIBRARY = ("run", "--library", "{0}", "--motion", "m", "--no-video", "--no-report", "--out", "{out}")
ROBOT = ("robots", "{0}")
CHECK_ROBOT = ("check", "{good}", "--robot", "{0}")
BOARD, PLAN = ("boards", "{0}"), ("plan", "--board", "{0}")
LIST, EXTRACT = ("oda", "list", "{0}"), ("oda", "extract", "{0}", "{out}")


@dataclass(frozen=True)
class Case:
    """One hostile file."""

    name: str
    """File, and what is put for ``{0}`` in the commands."""
    make: Make
    """Makes the file, and others that belong to it."""
    commands: tuple[tuple[str, ...], ...]
    """The commands that are given the file."""
    taken: bool = False
    """The file is only strange: a command may take it."""


def text(content: str) -> Make:
    """A text file."""
    return raw(content.encode("utf-8", errors="surrogatepass"))


def raw(content: bytes) -> Make:
    """A file of bytes."""
    return lambda folder, name: (folder / name).write_bytes(content)


def lazy(content: Callable[[], bytes | str]) -> Make:
    """A file that is large: its content is made when it is written."""

    def make(folder: Path, name: str) -> None:
        made = content()
        (folder / name).write_bytes(made if isinstance(made, bytes) else made.encode())

    return make


def model(inside: str = "", after: str = "") -> Make:
    """A MJCF with something more in it."""
    return text(MODEL.format(inside, after))


def keyframes(entry: str, count: int = 1) -> Make:
    """A motion library with keyframes."""
    head = MOTION + "motions: {m: {blocks: [b]}}\nblocks:\n  b:\n    keyframes:\n"
    return lazy(lambda: head + f"      - {entry}\n" * count)


def nothing(_folder: Path, _name: str) -> None:
    """No file."""


def png(width: int, height: int, rows: int = 0, *, body: bytes | None = None) -> bytes:
    """A grey PNG that says to be so large; ``rows`` of it are there, packed."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    data = zlib.compress(bytes((width + 1) * rows), 9) if body is None else body
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def npy(shape: str, data: bytes = b"", kind: str = "<f8") -> bytes:
    """A numpy file with a header of one's own."""
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    header += b" " * (63 - (10 + len(header)) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data


def npz(member: bytes, name: str = "heights.npy") -> bytes:
    """A zip of one member."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, member)
    return stream.getvalue()


def encrypted(raw_zip: bytes) -> bytes:
    """The zip with the flag of encryption set in both headers."""
    changed = bytearray(raw_zip)
    changed[6] |= 1
    changed[raw_zip.index(b"PK\x01\x02") + 8] |= 1
    return bytes(changed)


def oda(entries: list[tuple[bytes, bytes, int, int]], tail: bytes = b"") -> bytes:
    """An ODA table of (kind, name, offset, size), then bytes."""
    head = b"ODAR" + struct.pack("<III", 0x30000, len(entries), 144) + bytes(48)
    rows = (struct.pack("<4s128sIII", kind, name, offset, size, 0) for kind, name, offset, size in entries)
    return head + b"".join(rows) + tail


def fifo(folder: Path, name: str) -> None:
    """A pipe that nobody writes to."""
    (folder / name).parent.mkdir(exist_ok=True)
    os.mkfifo(folder / name)


def link(target: str) -> Make:
    """A link."""
    return lambda folder, name: (folder / name).symlink_to(target)


def beside(make: Make, others: dict[str, Make]) -> Make:
    """A file and others by their names."""

    def every(folder: Path, name: str) -> None:
        for other, maker in {name: make, **others}.items():
            maker(folder, other)

    return every


def loop(folder: Path, name: str) -> None:
    """A folder with a link to itself that is named like a motion."""
    (folder / name).mkdir()
    (folder / name / "a.mtn").symlink_to(".")


def directory(folder: Path, name: str) -> None:
    """A folder."""
    (folder / name).mkdir()


def _texture(**attributes: str) -> str:
    inside = " ".join(f'{name}="{value}"' for name, value in attributes.items())
    return f"<asset><texture name='t' {inside}/></asset>"


def _deep(depth: int) -> str:
    inside = "<geom size='.1'/>"
    for _ in range(depth):
        inside = f"<replicate count='100' offset='1 0 0'>{inside}</replicate>"
    return inside


def _zeros(count: int) -> bytes:
    return npz(npy(f"({count}, {count})", bytes(8 * count * count)))


def _cases() -> dict[str, Case]:
    cases: dict[str, Case] = {}

    def add(title: str, name: str, make: Make, *commands: tuple[str, ...], taken: bool = False) -> None:
        cases[title] = Case(name, make, commands, taken)

    motion, robot, board = (CHECK, CONVERT), (ROBOT, CHECK_ROBOT), (BOARD, PLAN)
    # --- YAML
    add("19 MB of YAML", "a.yaml", lazy(lambda: MOTION + "note: |\n" + "  x\n" * 4_700_000), *motion, taken=True)
    add("a million short lines", "a.yaml", lazy(lambda: MOTION + "blocks:\n" + "- 1\n" * 1_000_000), *motion)
    add("a million flow items", "a.yaml", lazy(lambda: MOTION + "blocks: [" + "1," * 1_000_000 + "1]"), *motion)
    add("a million keys", "a.yaml", lazy(lambda: MOTION + "".join(f"k{n}: 1\n" for n in range(1_000_000))), *motion)
    add("a key that stands 100,000 times", "a.yaml", lazy(lambda: MOTION + "note: 1\n" * 100_000), *motion)
    add("unknown fields by the thousand", "a.yaml", keyframes("{duration: 100, jonits: {HeadYaw: 1}}", 50_000), *motion)
    add("wrong values by the thousand", "a.yaml", keyframes("{duration: -1, joints: {HeadYaw: x}}", 50_000), *motion)
    add("nested lists", "a.yaml", text(MOTION + "note: " + "[" * 100_000), *motion)
    add("nested mappings", "a.yaml", text(MOTION + "note: " + "{a: " * 100_000), *motion)
    add("nested blocks", "a.yaml", lazy(lambda: MOTION + "".join(" " * n + "a:\n" for n in range(3000))), *motion)
    add("nested dashes", "a.yaml", text(MOTION + "note:\n  " + "- " * 100_000), *motion)
    laughs = "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9) if n else '1'}]\n" for n in range(12))
    add("billion laughs in YAML", "a.yaml", text(MOTION + laughs), *motion)
    add("merge keys", "a.yaml", text(MOTION + "a: &a {b: 1}\nc: {<<: *a}\n"), *motion)
    add("a tag that runs code", "a.yaml", text(MOTION + "note: !!python/object/apply:os.system ['touch x']\n"), *motion)
    add("a duration of 290 digits", "a.yaml", keyframes(f"{{duration: {'9' * 290}, joints: {{HeadYaw: 1}}}}"), *motion)
    add("a duration of 290 digits to run", "a.yaml", keyframes(f"{{duration: {'9' * 290}}}"), RUN_LIBRARY)
    add("a duration of 1e308", "a.yaml", keyframes("{duration: 1e308, joints: {HeadYaw: 1}}"), *motion, taken=True)
    add("a duration of 1e-300", "a.yaml", keyframes("{duration: 1e-300, joints: {HeadYaw: 1}}"), *motion, taken=True)
    add("hours of keyframes", "a.yaml", keyframes("{duration: 59000, joints: {HeadYaw: 1}}", 400), *motion, taken=True)
    add("an angle of 1e308", "a.yaml", keyframes("{duration: 100, joints: {HeadYaw: 1e308}}"), *motion, taken=True)
    add("an angle that is not a number", "a.yaml", keyframes("{duration: 100, joints: {HeadYaw: .nan}}"), *motion)
    add("a number of 5,000 digits", "a.yaml", keyframes(f"{{duration: {'1' * 5000}}}"), *motion)
    add("a number of 5,000 hexadecimal digits", "a.yaml", keyframes(f"{{duration: 0x{'f' * 5000}}}"), *motion)
    add(
        "a name of a megabyte", "a.yaml", lazy(lambda: GOOD.replace("[b]", f"[{'b' * 1_000_000}]")), *motion, taken=True
    )
    add("a robot of a megabyte", "a.yaml", lazy(lambda: GOOD.replace("nao", "n" * 1_000_000)), *motion, taken=True)
    add("a robot that is a path", "a.yaml", text(GOOD.replace("nao", "/dev/zero")), CHECK, RUN_LIBRARY)
    add("a NUL in a text", "a.yaml", text(GOOD.replace("HeadYaw", "Head\0Yaw")), *motion)
    add("an escaped NUL in a name", "a.yaml", text(GOOD.replace("HeadYaw", '"Head\\0Yaw"')), *motion, taken=True)
    add("half a character", "a.yaml", text(GOOD.replace("nao", '"\\ud800"')), *motion)
    add("half a character as bytes", "a.yaml", raw(GOOD.encode() + b"note: \xed\xa0\x80\n"), *motion)
    add("a mark in front", "a.yaml", raw(b"\xef\xbb\xbf" + GOOD.encode()), *motion, taken=True)
    add("three marks in front", "a.yaml", raw(b"\xef\xbb\xbf" * 3 + GOOD.encode()), *motion)
    add("UTF-16", "a.yaml", raw(GOOD.encode("utf-16")), *motion)
    add("UTF-32", "a.yaml", raw(GOOD.encode("utf-32")), *motion)
    add("a line of 10 MB", "a.yaml", lazy(lambda: MOTION + "note: " + "x" * 10_000_000), *motion, taken=True)
    add("a quote that is not closed", "a.yaml", lazy(lambda: MOTION + 'note: "' + "x\n" * 1_000_000), *motion)
    add("spaces only", "a.yaml", lazy(lambda: " " * 10_000_000), *motion)
    add("line ends only", "a.yaml", lazy(lambda: "\n" * 10_000_000), *motion)
    add(
        "a motion that follows itself",
        "a.yaml",
        text(GOOD.replace("[b]}", "[], follow_ups: [{motion: m}]}")),
        *motion,
        taken=True,
    )
    many = "motions: {" + ", ".join(f"m{n}: {{blocks: [b]}}" for n in range(500)) + "}\n"
    add(
        "five hundred motions", "a.yaml", text(GOOD.replace("motions: {m: {blocks: [b]}}\n", many)), *motion, taken=True
    )
    add(
        "a block 2,000 times in a motion",
        "a.yaml",
        text(GOOD.replace("[b]", "[" + "b, " * 2000 + "b]")),
        *motion,
        taken=True,
    )
    add("a scenario that includes itself", "a.yaml", text("format: andante.scenario\nversion: 1\nrobot: a.yaml\n"), RUN)
    # --- files that are none
    add("a pipe", "a.yaml", fifo, *motion, RUN, RUN_LIBRARY, *robot)
    add("a pipe as an archive", "a.oda", fifo, *motion, LIST, EXTRACT)
    add("a pipe as a model", "a.xml", fifo, *robot, *motion)
    add("a pipe as terrain", "a.npy", fifo, *board)
    add("a device without end", "a.yaml", link("/dev/zero"), *motion, RUN, RUN_LIBRARY, *robot)
    add("a device as a model", "a.xml", link("/dev/zero"), *robot)
    add("a device as terrain", "a.png", link("/dev/zero"), *board)
    add("a link to itself", "a.yaml", link("a.yaml"), *motion, RUN, *robot)
    add(
        "a folder of links to itself",
        "a",
        loop,
        *motion,
    )
    add("a folder named like a file", "a.yaml", directory, *motion, RUN, *robot)
    add(
        "a path of 5,000 characters",
        "x" * 5000 + ".yaml",
        nothing,
        *motion,
        RUN,
        RUN_LIBRARY,
        *robot,
        *board,
        LIST,
        EXTRACT,
    )
    add("a path with a NUL", "a\0b.yaml", nothing, *motion, RUN, RUN_LIBRARY, *robot, *board, LIST)
    add("an empty path", "", nothing, *motion)
    add("a target of 5,000 characters", "a.yaml", text(GOOD), ("convert", "{0}", "y" * 5000 + ".csv"))
    add("a target with a NUL", "a.yaml", text(GOOD), ("convert", "{0}", "y\0.csv"))
    add(
        "a target that is a device",
        "a.yaml",
        text(GOOD),
        ("convert", "{0}", "/dev/full"),
        ("convert", "{0}", "/dev/zero", "--to", "csv"),
    )
    add("an empty file", "a.yaml", raw(b""), *motion, RUN, *robot)
    # --- MJCF and URDF
    add("nested replicate", "a.xml", model(_deep(4)), *robot)
    add("deeply nested replicate", "a.xml", model(_deep(40)), *robot)
    add("replicate by the million", "a.xml", model("<replicate count='1000000'><geom size='.1'/></replicate>"), *robot)
    add(
        "a count inside an include",
        "a.xml",
        beside(
            model("<include file='b.xml'/>"),
            {"b.xml": text("<mujoco><replicate count='100000'><geom size='.1'/></replicate></mujoco>")},
        ),
        *robot,
    )
    add(
        "replicate over an include",
        "a.xml",
        beside(
            model("<replicate count='4000'><include file='b.xml'/></replicate>"),
            {"b.xml": text("<mujoco>" + "<geom size='.1'/>" * 4000 + "</mujoco>")},
        ),
        *robot,
    )
    add("an include of itself", "a.xml", model("<include file='a.xml'/>"), *robot)
    add("an include of a pipe", "a.xml", beside(model("<include file='b.xml'/>"), {"b.xml": fifo}), *robot)
    add("an include of a device", "a.xml", model("<include file='/dev/zero'/>"), *robot)
    add(
        "a texture of 30000 x 30000",
        "a.xml",
        model("", _texture(builtin="checker", width="30000", height="30000")),
        *robot,
    )
    add(
        "fifty textures of 4000 x 4000",
        "a.xml",
        model(
            "",
            "".join(_texture(builtin="flat", width="4000", height="4000").replace("'t'", f"'t{n}'") for n in range(50)),
        ),
        *robot,
    )
    add(
        "a cube texture of 10000",
        "a.xml",
        model("", _texture(type="cube", builtin="flat", width="10000", height="10000")),
        *robot,
    )
    add(
        "a texture file of 30000 x 30000",
        "a.xml",
        beside(model("", _texture(type="2d", file="b.png")), {"b.png": raw(png(30000, 30000, 10))}),
        *robot,
    )
    add(
        "a texture that is a pipe",
        "a.xml",
        beside(model("", _texture(type="2d", file="b.png")), {"b.png": fifo}),
        *robot,
    )
    add(
        "a mesh that is a pipe",
        "a.xml",
        beside(
            model("<geom type='mesh' mesh='b'/>", "<asset><mesh name='b' file='b.stl'/></asset>"),
            {"b.stl": fifo},
        ),
        *robot,
    )
    add(
        "a mesh that is a device",
        "a.xml",
        model("<geom type='mesh' mesh='b'/>", "<asset><mesh name='b' file='/dev/zero'/></asset>"),
        *robot,
    )
    add(
        "a mesh in a pipe of meshdir",
        "a.xml",
        beside(
            model(
                "<geom type='mesh' mesh='b'/>", "<compiler meshdir='m'/><asset><mesh name='b' file='b.stl'/></asset>"
            ),
            {"m/b.stl": fifo},
        ),
        *robot,
    )
    add(
        "a mesh that lies about its facets",
        "a.xml",
        beside(
            model("<geom type='mesh' mesh='b'/>", "<asset><mesh name='b' file='b.stl'/></asset>"),
            {"b.stl": raw(bytes(80) + struct.pack("<I", 2**32 - 1) + bytes(500))},
        ),
        *robot,
    )
    for size in ("nuser_body", "nuser_geom", "nuser_jnt", "nuserdata", "njmax", "nkey"):
        add(f"size {size} of 1e8", "a.xml", model("", f"<size {size}='100000000'/>"), *robot)
    add("an arena of a terabyte", "a.xml", model("", "<size memory='1T'/>"), *robot)
    add(
        "a height field of 5000 x 5000",
        "a.xml",
        model("", "<asset><hfield name='h' nrow='5000' ncol='5000' size='1 1 1 1'/></asset>"),
        *robot,
    )
    add("a numeric of 5e8 numbers", "a.xml", model("", "<custom><numeric name='n' size='500000000'/></custom>"), *robot)
    add(
        "an actuator of 1e9 states",
        "a.xml",
        model(
            "<joint name='j' range='-1 1' limited='true'/>",
            "<actuator><general joint='j' dyntype='user' actdim='1000000000'/></actuator>",
        ),
        *robot,
    )
    add("a sensor of 1e9 numbers", "a.xml", model("", "<sensor><user dim='1000000000'/></sensor>"), *robot)
    add(
        "a composite of a million",
        "a.xml",
        model("<composite type='cable' count='1000000 1 1' size='1'><geom type='capsule' size='.01'/></composite>"),
        *robot,
    )
    add(
        "a flex grid of 1e9",
        "a.xml",
        model("<flexcomp name='f' type='grid' count='1000 1000 1000' spacing='1 1 1'/>"),
        *robot,
    )
    add(
        "a flex grid of 125,000",
        "a.xml",
        model("<flexcomp name='f' type='grid' count='50 50 50' spacing='1 1 1'/>"),
        *robot,
    )
    add("200,000 geoms", "a.xml", model("<geom size='.1'/>" * 200_000), *robot)
    add("nested bodies", "a.xml", model("<body>" * 10_000), *robot)
    add("closed nested bodies", "a.xml", model("<body><geom size='.1'/>" * 390 + "</body>" * 390), *robot)
    add("an arm of 390 links", "a.xml", model("<body><joint name='j'/>" + "<geom size='.1'/>" + "</body>"), *robot)
    add(
        "entities",
        "a.xml",
        text(
            "<!DOCTYPE m ["
            + "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10 if n else "x" * 10}">' for n in range(12))
            + "]><mujoco>&a11;</mujoco>"
        ),
        *robot,
        *motion,
    )
    add(
        "an external entity",
        "a.xml",
        text('<!DOCTYPE m [<!ENTITY x SYSTEM "file:///etc/passwd">]><mujoco model="&x;"/>'),
        *robot,
        *motion,
    )
    add("a model in a model in itself", "a.xml", model("", "<asset><model name='m' file='a.xml'/></asset>"), *robot)
    add("nan in a model", "a.xml", model("<joint axis='0 0 nan' range='-1 1'/>"), *robot)
    add("a URDF with entities", "a.urdf", text('<!DOCTYPE r [<!ENTITY a "b">]><robot name="&a;"/>'), *robot)
    add(
        "a URDF that is its own parent",
        "a.urdf",
        text(
            '<robot name="r"><link name="a"/><joint name="j" type="revolute"><parent link="a"/><child link="a"/></joint></robot>'
        ),
        *robot,
    )
    add(
        "a URDF with 100,000 links",
        "a.urdf",
        lazy(lambda: '<robot name="r">' + "".join(f'<link name="l{n}"/>' for n in range(100_000)) + "</robot>"),
        *robot,
    )
    add(
        "a URDF whose mesh is a device",
        "a.urdf",
        text(
            '<robot name="r"><link name="a"><collision><geometry><mesh filename="/dev/zero"/></geometry></collision></link></robot>'
        ),
        *robot,
    )
    add(
        "a pack whose model is a device",
        "a.yaml",
        text("format: andante.robot\nversion: 1\nname: a\ntitle: a\nmodel: /dev/zero\n"),
        *robot,
    )
    # --- terrain
    add("an array header of 1e6 x 1e6", "a.npy", raw(npy("(1000000, 1000000)")), *board)
    add("an array header of negative size", "a.npy", raw(npy("(-5, 5)")), *board)
    add("an array header of 300 digits", "a.npy", raw(npy(f"({'9' * 300}, 5)")), *board)
    add("an array header that is code", "a.npy", raw(npy("(1, 1)").replace(b"'shape'", b"exit(1)")), *board)
    add(
        "an array header of 65,000 brackets",
        "a.npy",
        raw(b"\x93NUMPY\x01\x00" + struct.pack("<H", 65_000) + b"(" * 65_000),
        *board,
    )
    add("an array of texts", "a.npy", raw(npy("(2, 2)", bytes(400_000_0), "<U250000")), *board)
    add(
        "an array of records",
        "a.npy",
        lazy(lambda: npy("(2,)", bytes(32)).replace(b"'<f8'", b"[('a','<f8'),('b','<f8')]")),
        *board,
    )
    add(
        "5 MB that inflate to gigabytes",
        "a.npz",
        lazy(lambda: npz(npy("(20000, 20000)", bytes(300_000_000)))),
        *board,
    )
    add("a map of 3000 x 3000", "a.npz", lazy(lambda: _zeros(3000)), *board)
    add(
        "corrupt deflate",
        "a.npz",
        raw(npz(npy("(30, 30)", os.urandom(7200))).replace(b"\x93NUMPY", b"\x00" * 6)[:200] + b"\xff" * 4000),
        *board,
    )
    add(
        "deflate with a changed byte",
        "a.npz",
        lazy(
            lambda: (lambda made: made[:600] + bytes([made[600] ^ 255]) + made[601:])(
                npz(npy("(60, 60)", np.random.default_rng(1).bytes(28_800)))
            )
        ),
        *board,
    )
    add("an encrypted zip", "a.npz", raw(encrypted(npz(npy("(3, 3)", bytes(72))))), *board)
    add("an encrypted zip of a motion", "a.npz", raw(encrypted(npz(npy("(3,)", bytes(24)), "time.npy"))), *motion)
    add(
        "a zip that lies about its size",
        "a.npz",
        raw(
            (lambda made: made.replace(struct.pack("<I", 200), struct.pack("<I", 2**31)))(npz(npy("(3, 3)", bytes(72))))
        ),
        *board,
        taken=True,
    )
    add("a zip with 70,000 members", "a.npz", lazy(lambda: _many_members(70_000)), *board, *motion)
    add("a zip in a zip", "a.npz", raw(npz(npz(b"x"))), *board)
    add("a zip whose names go up", "a.npz", raw(npz(npy("(3, 3)", bytes(72)), "../../heights.npy")), *board)
    add("a PNG of 30000 x 30000", "a.png", raw(png(30000, 30000, 5)), *board)
    add("a PNG of 2 billion x 2 billion", "a.png", raw(png(2**31 - 1, 2**31 - 1)), *board)
    add(
        "a PNG that inflates too far",
        "a.png",
        lazy(lambda: png(10, 10, body=zlib.compress(bytes(300_000_000), 9))),
        *board,
        taken=True,
    )
    add("a PNG without data", "a.png", raw(png(100, 100)), *board)
    add("a PNG with a huge chunk", "a.png", raw(b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 2**31 - 1) + b"IHDR"), *board)
    add("a TIFF", "a.tif", raw(b"II*\x00\x08\x00\x00\x00" + b"\xff" * 100), *board)
    add("a TIFF named PNG", "a.png", raw(b"II*\x00\x08\x00\x00\x00" + b"\xff" * 100), *board)
    add("a PGM of 99999 x 99999", "a.pgm", raw(b"P5 99999 99999 255\n" + bytes(100)), *board)
    add("a PGM of 5,000 digits", "a.pgm", raw(b"P5 " + b"9" * 5000 + b" 1 255\n" + bytes(100)), *board)
    add("a PGM of 20 MB of comments", "a.pgm", lazy(lambda: b"P2 " + b"#\n" * 10_000_000), *board)
    add("an STL that lies about its facets", "a.stl", raw(bytes(80) + struct.pack("<I", 2**31) + bytes(5000)), *board)
    add("an STL of a point", "a.stl", raw(bytes(80) + struct.pack("<I", 100) + bytes(5000)), *board)
    add("an STL that is a kilometre wide", "a.stl", raw(b"vertex 0 0 0\nvertex 1000 0 0\nvertex 0 1000 0\n"), *board)
    add("two million vertices", "a.stl", lazy(lambda: b"vertex 0 0 0\n" * 1_800_000), *board)
    add("an OBJ whose face has a million corners", "a.obj", lazy(lambda: b"v 0 0 0\nf " + b"1 " * 1_000_000), *board)
    add("an OBJ of wrong corners", "a.obj", raw(b"v 0 0 0\nf 1 -9999999999999999999999 1\n"), *board)
    add("points a kilometre apart at 1 mm", "a.xyz", raw(b"0 0 0\n0.001 0 0\n0 0.001 0\n1000 1000 0\n"), *board)
    add(
        "a million points",
        "a.csv",
        lazy(lambda: "".join(f"{n % 1100},{n // 1100},0\n" for n in range(1_100_000))),
        *board,
    )
    add("points of 1e308", "a.txt", raw(b"0 0 0\n1e308 0 0\n0 1e308 0\n-1e308 -1e308 0\n"), *board)
    add("points in one line of 20 MB", "a.txt", lazy(lambda: b"1 " * 10_000_000), *board)
    # --- motion files of others
    add("JSON nested", "a.json", text("[" * 100_000), *motion)
    add(
        "JSON of a million numbers",
        "a.json",
        lazy(lambda: '{"keyframes": [' + "1," * 1_000_000 + "1]}"),
        CHECK,
        ("convert", "{0}", "{out}.csv", "--from", "bitbots"),
    )
    add(
        "JSON of equal names",
        "a.json",
        lazy(lambda: '{"keyframes": [{' + '"a":1,' * 100_000 + '"a":1}]}'),
        ("convert", "{0}", "{out}.csv", "--from", "bitbots"),
    )
    add("JSON with half a character", "a.json", text('{"keyframes": [], "name": "\\ud800"}'), *motion, taken=True)
    add(
        "XML of a timeline without end",
        "a.xar",
        text("<ChoregrapheProject><Box><Timeline fps='1e-300' size='1e300'/></Box></ChoregrapheProject>"),
        *motion,
        taken=True,
    )
    add(
        "XML of a million elements",
        "a.xar",
        lazy(lambda: "<ChoregrapheProject>" + "<a/>" * 900_000 + "</ChoregrapheProject>"),
        *motion,
    )
    add(
        "a CSV of a million lines",
        "a.csv",
        lazy(lambda: "time,HeadYaw\n" + "".join(f"{n},0\n" for n in range(1_000_000))),
        *motion,
        taken=True,
    )
    add("a CSV of a million columns", "a.csv", lazy(lambda: "time" + ",a" * 1_000_000 + "\n"), *motion)
    add("a CSV with an open quote", "a.csv", lazy(lambda: 'time,a\n1,"' + "x\n" * 3_000_000), *motion)
    add("B-Human brackets", "keyframeMotionEngine.cfg", text("keyframeBlock = [" + "{a = [" * 50_000), *motion)
    add(
        "B-Human comments",
        "keyframeMotionEngine.cfg",
        lazy(lambda: "keyframeBlock = [" + "// x\n" * 1_000_000),
        *motion,
    )
    add(
        "a comment that is not closed",
        "keyframeMotionEngine.cfg",
        lazy(lambda: "keyframeBlock = [ /*" + "*" * 8_000_000),
        *motion,
    )
    add(
        "Python that runs",
        "a.py",
        text("names = list()\ntimes = list()\nkeys = list()\nimport os\nnames.append(os.system('touch x'))\n"),
        *motion,
    )
    add(
        "Python nested",
        "a.py",
        text("names = list()\ntimes = list()\nkeys = list()\nkeys.append(" + "[" * 90_000 + ")"),
        *motion,
    )
    add("Webots backwards", "a.motion", text("#WEBOTS_MOTION,V1.0,HeadYaw\n99:99:999,a,1\n00:00:000,b,1\n"), *motion)
    add(
        "a .pos of a million lines",
        "a.pos",
        lazy(lambda: "! " + "0 " * 25 + "100\n" + "$ x\n" * 1_000_000),
        *motion,
        taken=True,
    )
    # --- AIBO
    add(
        "an archive of 4e9 entries",
        "a.oda",
        raw(b"ODAR" + struct.pack("<III", 0x30000, 2**32 - 1, 144) + bytes(48)),
        *motion,
        LIST,
        EXTRACT,
    )
    add(
        "an archive that is a bomb",
        "a.oda",
        lazy(lambda: gzip.compress(oda([], bytes(200_000_000)), 1)),
        *motion,
        LIST,
        EXTRACT,
    )
    add("a bomb in an archive", "a.oda", lazy(_bomb_inside), *motion, LIST, EXTRACT, taken=True)
    add(
        "an archive whose names go up",
        "a.oda",
        raw(oda([(b"WAVE", b"../../evil", 64 + 144, 4)], b"RIFF")),
        LIST,
        EXTRACT,
        taken=True,
    )
    add(
        "an archive of equal names",
        "a.oda",
        lazy(lambda: oda([(b"WAVE", b"a", 64 + 144 * 2000, 4)] * 2000, b"RIFF")),
        LIST,
        EXTRACT,
        taken=True,
    )
    add("an archive of overlaps", "a.oda", lazy(_overlaps), *motion, LIST, EXTRACT, taken=True)
    add(
        "steering codes in names",
        "a.oda",
        raw(oda([(b"WAVE", b"\x1b[2J\x1b]0;x\x07", 64 + 144, 4)], b"RIFF")),
        LIST,
        EXTRACT,
        taken=True,
    )
    add("a motion of 65,535 keys that ends", "a.mtn", raw(_mtn(65_535)), *motion)
    add("a Tekkotsu file that loads itself", "a.mot", text("#MSq\nload a.mot\n#END\n"), *motion)
    add(
        "a Tekkotsu file of a million lines",
        "a.mot",
        lazy(lambda: "#MSq\n" + "delay 1\n" * 1_000_000 + "#END\n"),
        *motion,
        taken=True,
    )
    add(
        "an EKMoves file of a million numbers",
        "a.h",
        lazy(lambda: "const double A[] = {" + "1, " * 1_000_000 + "1};"),
        *motion,
    )
    return cases


def _many_members(count: int) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for number in range(count):
            archive.writestr(zipfile.ZipInfo(f"a{number}"), b"")
    return stream.getvalue()


def _bomb_inside() -> bytes:
    bomb = gzip.compress(b"OMTN" + bytes(100_000_000), 1)
    return oda([(b"OMTN", b"bomb", 64 + 144, len(bomb))], bomb)


def _overlaps() -> bytes:
    start = 64 + 144 * 5000
    rows = [(b"OMTN", f"k{number}".encode(), start + number, 200_000) for number in range(5000)]
    return oda(rows, bytes(300_000))


def _mtn(keys: int) -> bytes:
    head = b"OMTN" + struct.pack("<IIIHHHHI", 0, 24, 4, 1, 2, keys, 16, 0)
    return (
        head
        + struct.pack("<II", 1, 12)
        + b"\x01a\x00\x00"
        + struct.pack("<IIH", 2, 13, 1)
        + b"\x02bc"
        + json.dumps([]).encode()
    )


CASES = _cases()
"""The cases by what is hostile about them."""
