"""What a model file may ask of MuJoCo: counted over the file and all that it includes, before anything is compiled.

A text of a hundred bytes can ask for gigabytes: copies of copies, grids, textures drawn by the compiler, user data,
files that are pipes or devices, pictures that unpack to a thousand times their size. MuJoCo does what it is asked, so
the asking is counted first.
"""

from __future__ import annotations

import math
import os
import stat
import struct
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from xml.parsers import expat

from andante.documents.files import check_text, read_head, read_text
from andante.documents.problems import DocumentError
from andante.robots.other_files import ROOTS as OTHER_ROOTS
from andante.robots.parts import RobotError

MAX_DEPTH = 400
"""Deepest nesting of elements that is read; MuJoCo itself gives up at 500."""
MAX_ELEMENTS = 15_000
"""Most elements of a model, copies and included files counted; large robots have 4,000, and MuJoCo goes through all of
them for each."""
MAX_KIND: Mapping[str, int] = MappingProxyType({"body": 2000, "link": 2000, "joint": 1000, "freejoint": 1000})
"""Most elements of one kind: the time and memory of dynamics go with their square."""
MAX_TEXT = 6_000_000
"""Largest model text, with all that it includes [bytes]; that of a large scene has 0.7 million."""
MAX_CELLS = 4_000_000
"""Most cells of all height fields."""
MAX_PIXELS = 25_000_000
"""Most pixels of all textures, drawn or read; five of 2048 x 2048."""
MAX_FILE = 40_000_000
"""Largest mesh, texture or height field file [bytes]."""
MAX_FILES = 150_000_000
"""Most bytes of all such files."""
MAX_INCLUDES = 200
"""Most included files."""
MAX_COPIES = 5000
"""Largest number of copies, grid rows or grid columns that one element may ask for."""

_ROOTS = ("mujoco", "robot")
_KINDS = {"mujoco": "MJCF", "robot": "URDF", "sdf": "SDF"}
_COUNTED = ("replicate", "composite", "flexcomp")
_LIMITS: Mapping[str, float] = MappingProxyType(
    {
        **dict.fromkeys(("count", "nrow", "ncol"), MAX_COPIES),
        **dict.fromkeys(("nuserdata", "njmax", "nconmax"), 1e6),
        **dict.fromkeys(("actdim", "dim", "num", "nsample", "sdf_initpoints"), 1e4),
        **dict.fromkeys((f"{kind}iterations" for kind in ("", "ls_", "noslip_", "ccd_", "sdf_")), 1e4),
        **dict.fromkeys(("inttotal", "interval"), 100.0),
        "nkey": 1000,
        "nstack": 1e8,
    }
)
"""Largest number of attributes with which a short text fills the memory or the day."""
_USER = 100.0
"""Largest number of user data per element (``nuser_body`` and the like)."""
_MEMORY = 2**31
"""Largest arena (``size memory``) [bytes]."""
_SUFFIXES = {"K": 10, "M": 20, "G": 30, "T": 40, "P": 50, "E": 60}
_FILES = {"mesh": "meshdir", "hfield": "meshdir", "texture": "texturedir", "skin": "meshdir", "flexcomp": "meshdir"}
_PNG = b"\x89PNG\r\n\x1a\n"


def look_at_model(text: str, *, place: str, folder: Path | None = None, also: Sequence[str] = ()) -> str:
    """Name of the root element of MJCF or URDF text, after a look at the whole model.

    Args:
        text: The model.
        place: Its file, for messages.
        folder: Where the files that it names are looked up; None: they are not.
        also: Other root elements that the caller reads.

    Raises:
        RobotError: Control characters, no XML, a document type declaration (entities can make a small file expand to
            gigabytes), nested too deeply, too much asked for, a named file that is no file, or another root element.
    """
    return _Look(folder, (*_ROOTS, *also)).document(text, place)


class _Look:
    """The counters of one model."""

    def __init__(self, folder: Path | None, roots: Sequence[str]) -> None:
        self.folder, self.roots = folder, roots
        self.elements = self.cells = self.pixels = 0.0
        self.text = self.bytes = self.includes = 0
        self.kinds = dict.fromkeys(MAX_KIND, 0.0)
        self.folders: dict[str, set[str]] = {"meshdir": {""}, "texturedir": {""}}
        self.named: list[tuple[str, str, str]] = []
        self.seen: set[Path] = set()

    def document(self, text: str, place: str) -> str:
        root = self.read(text, place, 1.0, 0)
        for kind, name, where in self.named:
            self.file(kind, name, where)
        return root

    def read(self, text: str, place: str, copies: float, level: int) -> str:
        """Count a text's elements, each ``copies`` times; returns its root."""
        self.text += len(text)
        if self.text > MAX_TEXT:
            raise RobotError("the model is too large", place=place, value=self.text, limit=f"{MAX_TEXT} bytes of text")
        try:
            check_text(text, place=place)
        except DocumentError as error:
            raise RobotError(str(error)) from error
        parser = expat.ParserCreate()
        factors = [copies]
        names: list[str] = []

        def where() -> str:
            return f"{place}:{parser.CurrentLineNumber}:{parser.CurrentColumnNumber + 1}"

        def start(name: str, attributes: dict[str, str]) -> None:
            if not names and level == 0 and name not in self.roots:
                kinds = [_KINDS[root] for root in self.roots if root in _KINDS]
                raise RobotError(
                    f"is neither {listed(kinds, 'nor')}",
                    place=where(),
                    value=name,
                    limit=f"root element {listed([f'<{root}>' for root in self.roots], 'or')}",
                    remedy=OTHER_ROOTS.get(name, ""),
                )
            names.append(name)
            if len(factors) > MAX_DEPTH:
                raise RobotError("is nested too deeply", place=where(), limit=f"{MAX_DEPTH} levels")
            factors.append(factors[-1] * self.element(name, attributes, factors[-1], where))
            if name in ("include", "model") and attributes.get("file"):
                self.include(attributes["file"], Path(place).parent, factors[-1], level, where())

        def end(_name: str) -> None:
            factors.pop()

        def doctype(*_: object) -> None:
            raise RobotError("document type declarations are refused", place=where())

        parser.StartElementHandler = start
        parser.EndElementHandler = end
        parser.StartDoctypeDeclHandler = doctype
        try:
            parser.Parse(text, True)
        except (expat.ExpatError, LookupError, ValueError) as error:
            reason = expat.ErrorString(error.code) if isinstance(error, expat.ExpatError) else str(error)
            raise RobotError(f"cannot be read as XML: {reason}", place=where()) from error
        return names[0]

    def element(self, name: str, attributes: dict[str, str], copies: float, where: Callable[[], str]) -> float:
        """Count one element; returns how often what is inside of it is made."""
        for key, text in attributes.items():
            limit = _USER if key.startswith("nuser_") else _LIMITS.get(key)
            if key == "size" and name == "numeric":
                limit = 1e5
            if key == "params" and name == "mesh":
                limit = 500.0
            if limit is not None and _largest(text) > limit:
                raise RobotError(f"<{name}> asks for too much: {key}", place=where(), value=text, limit=f"{limit:g}")
            if key == "memory" and name == "size" and _bytes(text) > _MEMORY:
                raise RobotError("<size> asks for too much: memory", place=where(), value=text, limit="2G")
        inside = _product(attributes.get("count", "1")) if name in _COUNTED else 1.0
        self.elements += copies * inside
        if self.elements > MAX_ELEMENTS:
            raise RobotError(
                f"<{name}> asks for too many elements, copies counted", place=where(), limit=f"{MAX_ELEMENTS} in all"
            )
        if name in self.kinds:
            self.kinds[name] += copies * inside
            if self.kinds[name] > MAX_KIND[name]:
                raise RobotError(
                    f"there are too many <{name}> elements, copies counted", place=where(), limit=f"{MAX_KIND[name]}"
                )
        if name == "hfield":
            self.lay(_product(f"{attributes.get('nrow', 0)} {attributes.get('ncol', 0)}"), where())
        if name == "texture" and "builtin" in attributes:
            wide, high = _largest(attributes.get("width", "0")), _largest(attributes.get("height", "0"))
            self.paint(wide * max(high, wide) * 6 if attributes.get("type") != "2d" else wide * high, where())
        if name == "compiler":
            for key, kinds in (("meshdir", ("meshdir",)), ("texturedir", ("texturedir",)), ("assetdir", self.folders)):
                for kind in kinds:
                    self.folders[kind].add(attributes.get(key, ""))
        if name in _FILES:
            for key, text in attributes.items():
                if key.startswith("file") and text:
                    self.named.append((name, text, where()))
        return inside if name == "replicate" else 1.0

    def lay(self, cells: float, where: str) -> None:
        """Count cells of height fields."""
        self.cells += cells
        if self.cells > MAX_CELLS:
            raise RobotError("the height fields are too large", place=where, limit=f"{MAX_CELLS} cells")

    def paint(self, pixels: float, where: str) -> None:
        """Count pixels of a texture."""
        self.pixels += pixels
        if self.pixels > MAX_PIXELS:
            raise RobotError("the textures are too large", place=where, limit=f"{MAX_PIXELS} pixels in all")

    def include(self, name: str, beside: Path, copies: float, level: int, where: str) -> None:
        """Count what a file brings in; one that is not there is left to MuJoCo to name."""
        if self.folder is None:
            return
        self.includes += 1
        if self.includes > MAX_INCLUDES or level >= MAX_DEPTH // 20:
            raise RobotError("too many files are included", place=where, value=name, limit=f"{MAX_INCLUDES}")
        for candidate in dict.fromkeys((self.folder / name, beside / name)):
            if os.path.exists(candidate):
                try:
                    text = read_text(candidate)
                except DocumentError as error:
                    raise RobotError(str(error)) from error
                self.read(text, str(candidate), copies, level + 1)
                return

    def file(self, kind: str, name: str, where: str) -> None:
        """Look at a file that the model names; one that is not there is left to MuJoCo to name."""
        if self.folder is None:
            return
        folders = [self.folder / each for each in sorted(self.folders[_FILES[kind]])]
        for candidate in [folder / part for folder in folders for part in (name, Path(name).name)]:
            if candidate in self.seen or not os.path.exists(candidate):
                continue
            self.seen.add(candidate)
            status = candidate.stat()
            if not stat.S_ISREG(status.st_mode):
                raise RobotError("is not a file", place=str(candidate), remedy=f"named by {where}")
            self.bytes += status.st_size
            if status.st_size > MAX_FILE or self.bytes > MAX_FILES:
                raise RobotError(
                    f"the {kind} is too large",
                    place=str(candidate),
                    value=status.st_size,
                    limit=f"{MAX_FILE} bytes, {MAX_FILES} in all",
                )
            if kind in ("texture", "hfield"):
                self.picture(kind, candidate)

    def picture(self, kind: str, path: Path) -> None:
        """Count the pixels of a PNG, or the cells of MuJoCo's own height field file, by its header."""
        try:
            head = read_head(path, 24)
        except DocumentError as error:
            raise RobotError(str(error)) from error
        if head.startswith(_PNG) and len(head) == 24:
            wide, high = struct.unpack(">II", head[16:24])
            self.paint(float(wide) * high, str(path))
        elif kind == "hfield" and len(head) >= 8:
            rows, columns = struct.unpack("<ii", head[:8])
            self.lay(max(0.0, float(rows) * columns), str(path))


def listed(names: Sequence[str], word: str) -> str:
    """Names in a row, with a word before the last one."""
    return f"{', '.join(names[:-1])} {word} {names[-1]}" if len(names) > 1 else names[0]


def _numbers(text: str) -> list[float]:
    try:
        values = [float(word) for word in text.split()]
    except ValueError:
        return []  # what is no number is left to MuJoCo to refuse
    return [math.inf if math.isnan(value) else value for value in values]


def _largest(text: str) -> float:
    return max(_numbers(text), default=0.0)


def _product(text: str) -> float:
    return math.prod(max(1.0, value) for value in _numbers(text))


def _bytes(text: str) -> float:
    text = text.strip().upper()
    shift = _SUFFIXES.get(text[-1:], 0)
    return _largest(text.rstrip("KMGTPE")) * 2.0**shift
