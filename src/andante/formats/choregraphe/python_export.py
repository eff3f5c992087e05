"""Choregraphe's exports to Python: lists of names, times and keys for `angleInterpolation` or `...Bezier`.

A key is an angle [rad], or [angle, handle, handle] with handles [kind, time, angle]: kind 3 (and 2) is Bezier, all else
is read as straight. Nothing is executed: only statements that fill the three lists are looked at, each parsed by itself
into its literals, so that the programs around them may be of Python 2. Lists that begin anew are another motion, named
as the function that they stand in.

Source: docs/sources/motion-formats.md, section 3.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from andante.formats.choregraphe.document import (
    CurveKey,
    Document,
    Handle,
    Track,
    curved_steps,
    decode_document,
    kept_document,
    key_of,
    robot_of,
)
from andante.formats.report import FormatError, Losses, ReadReport
from andante.formats.shared.curves import curves_of
from andante.formats.shared.numbers import LARGEST, LONGEST
from andante.formats.shared.single import OneTextCodec, free_name, name_of
from andante.formats.shared.text_file import TextFile
from andante.motions.extras import Kind
from andante.motions.keyframe import Block
from andante.motions.library import Motion, MotionLibrary

_JOINT = re.compile(r"[A-Za-z_][\w/]{0,80}")
"""Names of joints that are read."""
MAX_STATEMENT = 500_000
"""Longest statement that is read [characters]."""
_KIND: Kind = "choregraphe-python"
_BEZIER = (2, 3)
_LISTS = ("names", "times", "keys")
_STATEMENT = re.compile(
    r"^[ \t]*(?:self\.)?(names|times|keys)[ \t]*(?:=(?!=)|\+=|\.(?:append|extend)[ \t]*\()", re.MULTILINE
)
_FUNCTION = re.compile(r"^[ \t]*def[ \t]+(\w+)|^[ \t]*#[ \t]*motion:[ \t]*(\S[^\n]*)", re.MULTILINE)
_PLACES = re.compile(r"[\"'()\[\]{}#\n\\]")


class PythonExportCodec(OneTextCodec):
    """Reads and writes Choregraphe's Python."""

    name = "choregraphe-python"
    title = "Choregraphe export (Python)"
    suffixes = (".py",)
    signature = re.compile(
        rb"\A(?=[\s\S]*^[ \t]*(?:self\.)?names\b)(?=[\s\S]*^[ \t]*(?:self\.)?(?:times|keys)[ \t]*(?:=|\+=|\.append))",
        re.MULTILINE,
    )
    sure = 0.85
    many = True
    max_bytes = 4_000_000  # a syntax tree takes 40 times that

    def decode(self, text: str, path: Path, report: ReadReport) -> MotionLibrary:
        """The library of a file's text; `FormatError` where it breaks the format."""
        motions: dict[str, Motion] = {}
        blocks: dict[str, Block] = {}
        documents = []
        decoder = _Decoder(path, report, text)
        for draft in decoder.drafts():
            document = decoder.document(draft)
            name = free_name(draft.name or name_of(path), motions)
            motions[name], blocks[name] = decode_document(document, name, _KIND, report)
            documents.append(document)
        if not motions:
            report.warn("the file fills no lists of names, times and keys", path)
        return MotionLibrary(robot=robot_of(documents, report), motions=motions, blocks=blocks)

    def encode_file(self, library: MotionLibrary, losses: Losses) -> bytes:
        """The file of a library."""
        rows = ["# Choregraphe bezier export in Python."]
        for name in library.motions:
            rows += ["", f"# motion: {' '.join(name.split())}", "names = list()", "times = list()", "keys = list()"]
            for track in _document_of(library, name, losses).tracks:
                if not _JOINT.fullmatch(track.actuator):
                    raise FormatError("a joint's name cannot stand in the file", value=track.actuator)
                rows += ["", f"names.append({track.actuator!r})"]
                rows.append(f"times.append({[key.at for key in track.keys]!r})")
                rows.append(f"keys.append([{', '.join(_key_text(key) for key in track.keys)}])")
        return ("\n".join(rows) + "\n").encode()


@dataclass
class _Draft:
    """The three lists of one motion while they are filled."""

    name: str
    line: int
    lists: dict[str, list[Any]] = field(default_factory=lambda: {name: [] for name in _LISTS})
    lines: dict[str, list[int]] = field(default_factory=lambda: {name: [] for name in _LISTS})


class _Decoder(TextFile):
    """One file being read."""

    def __init__(self, path: Path, report: ReadReport, text: str) -> None:
        super().__init__(path, report)
        self.text = text

    def document(self, draft: _Draft) -> Document:
        """The curves of one motion."""
        names, times, keys = (draft.lists[name] for name in _LISTS)
        if not len(names) == len(times) == len(keys):
            lengths = f"{len(names)} names, {len(times)} times, {len(keys)} keys"
            raise self.error("the lists differ in length", draft.line, inside=draft.name, value=lengths)
        tracks: dict[str, Track] = {}
        for name, moments, points, *lines in zip(names, times, keys, *draft.lines.values(), strict=True):
            name_line, times_line, line = lines
            if not isinstance(name, str) or not _JOINT.fullmatch(name):
                raise self.error("a joint's name is needed", name_line, value=name)
            if name in tracks:
                raise self.error("the joint stands twice", name_line, value=name)
            if not isinstance(moments, list):
                moments, points = [moments], [points]
            if not isinstance(points, list) or len(points) != len(moments):
                count = len(points) if isinstance(points, list) else 0
                raise self.error(f"{count} keys stand against {len(moments)} times", line, inside=name)
            tracks[name] = self._track(name, moments, points, times_line, line)
        return Document(tracks=tuple(tracks.values()))

    def _track(self, name: str, times: list[Any], keys: list[Any], times_line: int, line: int) -> Track:
        made: list[CurveKey] = []
        for time, key in zip(times, keys, strict=True):
            at = self._finite(time, "a time [s]", times_line, name, 0.0)
            if at > LONGEST or (made and at <= made[-1].at):
                raise self.error("times must increase", times_line, inside=name, value=at)
            if not isinstance(key, list):
                made.append(CurveKey(at=at, value=self._finite(key, "an angle [rad]", line, name)))
                continue
            if not 1 <= len(key) <= 3:
                raise self.error("a key is [angle, handle, handle]", line, inside=name, value=len(key))
            left, right = [*(self._handle(item, line, name) for item in key[1:]), None, None][:2]
            made.append(
                CurveKey(at=at, value=self._finite(key[0], "an angle [rad]", line, name), left=left, right=right)
            )
        return Track(actuator=name, keys=tuple(made))

    def _handle(self, value: Any, line: int, inside: str) -> Handle:
        if not isinstance(value, list) or len(value) != 3:
            raise self.error("a handle is [kind, time, angle]", line, inside=inside, value=value)
        code, time, angle = (self._finite(item, "a number", line, inside) for item in value)
        if code not in (0.0, 1.0, 2.0, 3.0):
            raise self.error("the kind is unknown", line, inside=inside, value=code, legal=tuple("0123"))
        kind = "bezier" if code in _BEZIER else "constant" if code == 0.0 else "linear"
        return Handle.model_validate({"kind": kind, "code": int(code), "time": time, "value": angle})

    def _finite(self, value: Any, what: str, line: int, inside: str, low: float = -LARGEST) -> float:
        if not isinstance(value, (int, float)) or not low <= value <= LARGEST:
            raise self.error(f"{what} is needed", line, inside=inside, value=value)
        return float(value)

    def drafts(self) -> Iterator[_Draft]:
        """The motions' lists in the order of the file."""
        draft: _Draft | None = None
        titles = deque((match.start(), match[1] or match[2].rstrip(" \t")) for match in _FUNCTION.finditer(self.text))
        at = 0
        title = ""
        line, counted = 1, 0
        while (match := _STATEMENT.search(self.text, at)) is not None:
            line, counted = line + self.text.count("\n", counted, match.start()), match.start()
            while titles and titles[0][0] <= match.start():
                title = titles.popleft()[1]
            statement = self._statement(match.start(), line)
            at = match.start() + max(len(statement), 1)
            target, way, values = self._values(statement.strip(), line)
            if target not in _LISTS:
                raise self.error("the list is unknown", line, value=target, legal=_LISTS)
            if draft is None or (way == "=" and (draft.lists[target] or draft.name != title)):
                if draft is not None and any(draft.lists.values()):
                    yield draft
                draft = _Draft(title, line)
            draft.lists[target] += values
            draft.lines[target] += [line] * len(values)
        if draft is not None and any(draft.lists.values()):
            yield draft

    def _statement(self, start: int, line: int) -> str:
        """The statement that begins at ``start``: up to the line's end outside of all brackets."""
        depth = 0
        at = start
        while (match := _PLACES.search(self.text, at)) is not None and match.start() - start <= MAX_STATEMENT:
            sign, at = match.group(), match.end()
            if sign in "([{":
                depth += 1
            elif sign in ")]}":
                depth -= 1
            elif sign == "\\":
                at += 1
            elif sign == "#":
                newline = self.text.find("\n", at)
                at = len(self.text) if newline < 0 else newline
            elif sign in "\"'":
                end = re.compile(rf"(?:[^\\\n{sign}]|\\.)*+").match(self.text, at)
                at = (end.end() if end else at) + 1
            elif depth <= 0:
                return self.text[start : match.start()]
        if depth > 0 or len(self.text) - start > MAX_STATEMENT:
            raise self.error("the statement does not end", line, limit=f"{MAX_STATEMENT}")
        return self.text[start:]

    def _values(self, statement: str, line: int) -> tuple[str, str, list[Any]]:
        """The list that a statement fills, how, and the new members."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(statement.rstrip(";"))
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            column = getattr(error, "offset", None)
            at = line + (getattr(error, "lineno", None) or 1) - 1
            raise self.error(f"this is no Python: {error}", at, column) from error
        if len(tree.body) != 1:
            raise self.error("one statement is expected here", line, value=statement[:60])
        node = tree.body[0]
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            return _target(node.targets[0]), "=", self._list(node.value, line)
        if isinstance(node, ast.AugAssign):
            return _target(node.target), "+=", self._list(node.value, line)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and len(node.value.args) == 1:
            function, members = node.value.func, node.value.args[0]
            if isinstance(function, ast.Attribute):
                value = self._literal(members, line)
                values = self._list(members, line) if function.attr == "extend" else [value]
                return _target(function.value), "append", values
        raise self.error("the lists are filled by literals only", line, value=statement[:60])

    def _list(self, node: ast.expr, line: int) -> list[Any]:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "list" and not node.args:
            return []
        value = self._literal(node, line)
        if not isinstance(value, list):
            raise self.error("a list is expected here", line, value=value)
        return value

    def _literal(self, node: ast.expr, line: int) -> Any:
        try:
            return _plain(ast.literal_eval(node))
        except (ValueError, TypeError, RecursionError, MemoryError, SyntaxError) as error:
            what = "only literal numbers, texts and lists are read, nothing is executed"
            raise self.error(what, line + node.lineno - 1, node.col_offset + 1) from error


def _target(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _plain(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise ValueError(value)
    return value


def _document_of(library: MotionLibrary, name: str, losses: Losses) -> Document:
    """The lists as they were read where they still hold, else straight curves (sines as Bezier curves)."""
    document = kept_document(library, name, (_KIND, "xar"), losses)
    if document is not None and document.fps is None:
        return document
    steps = curved_steps(library, name, losses)
    tracks = []
    for curve in curves_of(steps, losses):
        keys = tuple(key_of(knot, knot.time, 1.0, float, code=3) for knot in curve.knots)
        tracks.append(Track(actuator=curve.joint, keys=keys))
    return Document(tracks=tuple(tracks))


def _key_text(key: CurveKey) -> str:
    if key.left is None and key.right is None:
        return repr(key.value)
    handles = [key.left or Handle(kind="linear", code=1, time=0.0, value=0.0)]
    if key.right is not None:
        handles.append(key.right)
    return f"[{key.value!r}, {', '.join(_handle_text(handle) for handle in handles)}]"


def _handle_text(handle: Handle) -> str:
    code = {"bezier": 3, "constant": 0}.get(handle.kind, 1) if handle.code is None else handle.code
    return f"[{code}, {handle.time!r}, {handle.value!r}]"
