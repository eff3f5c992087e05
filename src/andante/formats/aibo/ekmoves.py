"""EKMoves.h: poses as arrays of 16 angles in a C header, as in the reference's seed.

``const double NAME[] = {16 numbers};`` in degrees, in the order of `EK_ORDER`: tilt2, pan, tilt1, mouth, then the legs.
Comments that name a value's joint are compared with its place, since the two tilts are easily swapped. Other
declarations and preprocessor lines are skipped, with a remark; nothing is ever run.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple, Unpack

from andante.documents.problems import Details
from andante.errors import shorten
from andante.formats.aibo.names import BY_NUMBER, EK_ORDER, AiboJoint
from andante.formats.report import FormatError, ReadReport
from andante.formats.shared.numbers import number_text

COUNT = len(EK_ORDER)
"""Values of an array."""
MAX_POSES = 20_000
"""Most arrays that are read from one file."""

_TOKEN = re.compile(
    r"(?P<blank>[ \t\r\n]+)"
    r"|(?P<comment>//[^\n]*|/\*.*?\*/)"
    r"|(?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?P<suffix>[A-Za-z_]\w*)?)"
    r"|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<string>\"[^\"\n]*\")"
    r"|(?P<other>.)",
    re.DOTALL,
)
_NOT_NUMBERS = {"nan", "inf", "infinity", "NAN", "INFINITY", "NaN", "Infinity", "HUGE_VAL"}
_LABELS = {joint.label.lower(): index for index, joint in enumerate(EK_ORDER)}
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True)
class EkPose:
    """One array."""

    name: str
    """Name of the array, as KICK_101_01."""
    degrees: tuple[float, ...]
    """The 16 angles in the order of the file [deg]."""
    line: int = 0
    """Line of the array in the file, from 1; 0 for one that was not read."""


class _Token(NamedTuple):
    kind: str
    text: str
    line: int
    column: int


def _tokens(text: str, file: str) -> Iterator[_Token]:
    line, start = 1, 0
    for match in _TOKEN.finditer(text):
        kind, word, begin = match.lastgroup, match.group(), match.start()
        if kind == "suffix":
            kind = "number"
        elif kind == "other" and text.startswith("/*", begin):
            raise FormatError("the comment is not closed", file=file, line=line, column=begin - start + 1)
        if kind != "blank":
            yield _Token(str(kind), word, line, begin - start + 1)
        if "\n" in word:
            line += word.count("\n")
            start = begin + word.rfind("\n") + 1


MAX_WORDS = 500_000
"""Most words and signs that are read; 10,000 poses have 0.4 million."""


class _Parser:
    def __init__(self, text: str, file: str, report: ReadReport) -> None:
        self.file = file
        self.report = report
        self.tokens = list(islice(_tokens(text, file), MAX_WORDS + 1))
        if len(self.tokens) > MAX_WORDS:
            last = self.tokens[-1]
            raise self.error("the file has too many words", last, limit=f"{MAX_WORDS}")
        self.tokens += [_Token("end", "the end of the file", text.count("\n") + 1, 1)]
        self.at = 0
        self.poses: dict[str, EkPose] = {}

    def error(self, what: str, token: _Token, inside: str = "", **more: Unpack[Details]) -> FormatError:
        return FormatError(what, file=self.file, line=token.line, column=token.column, inside=inside, **more)

    def peek(self) -> _Token:
        """The next token that is no comment."""
        while self.tokens[self.at].kind == "comment":
            self.at += 1
        return self.tokens[self.at]

    def take(self) -> _Token:
        token = self.peek()
        if token.kind != "end":
            self.at += 1
        return token

    def parse(self) -> tuple[EkPose, ...]:
        while (token := self.take()).kind != "end":
            if token.text == "#":
                self._skip_line(token)
            elif token.text == "double" and self.peek().kind == "name":
                self._declaration()
            elif token.text not in ("const", "static", "constexpr", "extern", "inline", ";", "}"):
                self._skip_statement(token)
        return tuple(self.poses.values())

    def _skip_line(self, token: _Token) -> None:
        line = token.line
        while self.peek().line == line and self.peek().kind != "end":
            line += self.take().text == "\\"

    def _skip_statement(self, token: _Token) -> None:
        text = f"a declaration that is no array of angles is not kept ({shorten(token.text, 40)!r})"
        self.report.warn(text, self.file, token.line)
        depth = int(token.text == "{")
        while self.peek().kind != "end":
            text = self.peek().text
            if text in ("double", "const", "#") and depth == 0:
                return
            self.take()
            depth += (text == "{") - (text == "}")
            if (text == ";" and depth <= 0) or (text == "{" and token.text == "namespace"):
                return

    def _declaration(self) -> None:
        name = self.take()
        if self.peek().text != "[":
            self._skip_statement(name)
            return
        self.take()
        size = self.take()
        if size.text != "]":
            if size.text != str(COUNT):
                raise self.error(f"the array does not have {COUNT} values", size, name.text, value=size.text)
            self._expect("]", name.text)
        if self.peek().text == ";":
            self._skip_statement(name)
            return
        self._expect("=", name.text)
        self._expect("{", name.text)
        if name.text in self.poses:
            first = self.poses[name.text].line
            raise self.error(f"the array stands in line {first} already", name, value=name.text)
        if len(self.poses) >= MAX_POSES:
            raise self.error("there are too many arrays", name, limit=str(MAX_POSES))
        self.poses[name.text] = self._array(name)

    def _expect(self, text: str, inside: str) -> None:
        token = self.take()
        if token.text != text:
            raise self.error(f"{text!r} is missing", token, inside, value=token.text)

    def _array(self, name: _Token) -> EkPose:
        first = self.at
        values: list[float] = []
        places: list[_Token] = []
        while True:
            token = self.take()
            if token.text == "}":
                break
            if token.kind == "end":
                raise self.error(f"the array ends without '}}', {len(values)} of {COUNT} values", token, name.text)
            values.append(self._value(token, name, len(values)))
            places.append(token)
            following = self.peek()
            if following.text == ",":
                self.take()
            elif following.text != "}":
                self._missing_comma(following, name, len(values))
        self._expect(";", name.text)
        if len(values) != COUNT:
            raise self.error(f"the array has {len(values)} of {COUNT} values", name, name.text)
        self._compare_labels(name, places, self.tokens[first : self.at])
        self._compare_tilts(name, values)
        return EkPose(name.text, tuple(values), name.line)

    def _value(self, token: _Token, name: _Token, count: int) -> float:
        which = f"value {count + 1} of {COUNT}"
        if token.text == "#":
            raise self.error(f"{which} is a placeholder with '#', no number", token, name.text)
        if token.kind != "number":
            what = "is not finite" if token.text in _NOT_NUMBERS else "is no plain number"
            if token.text in "+-" and self.peek().text in _NOT_NUMBERS:
                what, token = "is not finite", self.peek()
            raise self.error(f"{which} {what}", token, name.text, value=token.text)
        text = token.text[:-1] if token.text[-1] in "fFlL" else token.text
        try:
            value = float(text)
        except ValueError:
            raise self.error(f"{which} is no plain number", token, name.text, value=token.text) from None
        if not math.isfinite(value):
            raise self.error(f"{which} is not finite", token, name.text, value=token.text)
        return value

    def _missing_comma(self, token: _Token, name: _Token, count: int) -> None:
        if token.kind == "number" or token.text in "+-#":
            raise self.error(f"a comma is missing after value {count} of {COUNT}", token, name.text, value=token.text)
        if token.kind == "end":
            raise self.error(f"the array ends without '}}', {count} of {COUNT} values", token, name.text)
        raise self.error(f"',' or '}}' is needed after value {count} of {COUNT}", token, name.text, value=token.text)

    def _compare_labels(self, name: _Token, places: list[_Token], tokens: list[_Token]) -> None:
        """Comments that name joints must name those of the places; they may stand before or after their values."""
        labels = [(token, _label(token.text)) for token in tokens if token.kind == "comment"]
        known = [(token, label) for token, label in labels if label is not None]
        spots = [(place.line, place.column) for place in places]
        for token, label in known:
            earlier = sum(spot < (token.line, token.column) for spot in spots)
            if label not in (earlier - 1, earlier):
                break
        else:
            return
        leads = (known[0][0].line, known[0][0].column) < spots[0]
        place = min(max(earlier if leads else earlier - 1, 0), COUNT - 1)
        order = ", ".join(joint.label for joint in EK_ORDER[:4])
        raise self.error(
            f"the comment names another joint than value {place + 1} is",
            token,
            name.text,
            value=token.text.strip("/* \t#,\n"),
            limit=f"{EK_ORDER[place].label}; the order begins with {order}",
        )

    def _compare_tilts(self, name: _Token, values: list[float]) -> None:
        second, first = BY_NUMBER[13], BY_NUMBER[11]
        if not (_legal(second, values[0]) and _legal(first, values[2])) and (
            _legal(second, values[2]) and _legal(first, values[0])
        ):
            self.report.warn(
                f"the tilts look swapped: Tilt2 {values[0]:g} and Tilt1 {values[2]:g} deg are legal only the other way "
                "round (Tilt2 stands first here)",
                self.file,
                name.line,
                inside=name.text,
            )


def _label(comment: str) -> int | None:
    return _LABELS.get(comment.strip("/*# \t\r\n,:").lower())


def _legal(joint: AiboJoint, value: float) -> bool:
    return joint.lower <= value <= joint.upper


def parse_ekmoves(text: str, file: str = "", report: ReadReport | None = None) -> tuple[EkPose, ...]:
    """Parse the arrays of a header.

    Raises:
        FormatError: An array breaks the format; the message has line and column.
    """
    return _Parser(text, file, report or ReadReport()).parse()


def ekmoves_text(poses: tuple[EkPose, ...]) -> str:
    """Return a header with these arrays, every value on a line with its joint.

    Raises:
        FormatError: A name is no C identifier, stands twice, or a pose has not 16 finite values.
    """
    seen: set[str] = set()
    parts = ["// Angles in degrees. The order begins with Tilt2, Pan, Tilt1, Mouth."]
    for pose in poses:
        if _IDENTIFIER.fullmatch(pose.name) is None:
            raise FormatError("the name is no C identifier", value=pose.name, limit="letters, digits and _")
        if pose.name in seen:
            raise FormatError("two arrays would have the same name", value=pose.name)
        seen.add(pose.name)
        if len(pose.degrees) != COUNT or not all(math.isfinite(value) for value in pose.degrees):
            raise FormatError(f"a pose needs {COUNT} finite values", inside=pose.name, value=pose.degrees)
        rows = [
            f"    {number_text(value)}{',' if index < COUNT - 1 else ''} // {joint.label}"
            for index, (value, joint) in enumerate(zip(pose.degrees, EK_ORDER, strict=True))
        ]
        parts.append("\n".join([f"const double {pose.name}[] = {{", *rows, "};"]))
    return "\n\n".join(parts) + "\n"
