"""The numbers that a search may change: found by their paths, with their ranges, as a point of the unit box."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any, Literal

import numpy as np
from pydantic import BaseModel

from andante.documents.fields import Step, field_name, kinds_at, legal_fields, meant
from andante.documents.parameters import UNIT, dimension_at
from andante.documents.paths import parse_path, read_value, value_at
from andante.errors import nearest_name
from andante.motions.editing.mirror import mirror_posture, partner_joint
from andante.motions.library import MotionLibrary
from andante.robots.records import Vector
from andante.robots.robot import Robot
from andante.runs.scenario import Scenario
from andante.search.errors import SearchError
from andante.search.studies.document import ParameterRange, Value

Document = Literal["motion", "scenario"]
_MODELS: Mapping[Document, type[BaseModel]] = {"motion": MotionLibrary, "scenario": Scenario}
_SEVERAL = re.compile(r"\[(\d+(?:,\d+)+)\]")
"""Several items of a list: ``[2,3]``."""
_MOTION_PARTS = ("motions", "blocks", "balance", "settings")
"""What a path into the motion file begins with."""
ALIKE = 0.01
"""A start this little beyond a joint's limit was rounded, or mirrored from a side with another limit [rad]."""
_ONCE = "set it once for all candidates, with set"
_LONGER = "how long a run may last cannot be searched: a slow motion would be given time, not become better", _ONCE
_FIXED: Mapping[str, tuple[str, str]] = {
    "seed": ("each trial has its own, by the study's seeds", ""),
    "success": (
        "what a run is judged by cannot be searched: the judge would become milder, not the motion better",
        _ONCE,
    ),
    "timeout": _LONGER,
    "settle": _LONGER,
    "world.timestep": (
        "the physics step cannot be searched: the verdict halves it",
        f"{_ONCE}; candidates may have a coarser one, screen",
    ),
    "recording": ("no trial is recorded, so that it changes nothing", "leave it out"),
    "version": ("is the document's own", "leave it out"),
}
"""Parts of a scenario of which no number may change, with why, and what to do."""
_GIVEN = ("world", "limits", "guard", "backend")
"""Parts of a scenario that are no part of a motion: where they change, better is easier."""
_INSIDE = 1e-6
"""By so much of a range a start may lie outside it."""
_DIGITS = 6
"""Digits that found numbers are rounded to, in SI."""
_STEPS = 3
"""Digits of a range at least."""


@dataclass(frozen=True)
class NumberPlace:
    """Where a parameter's number stands, and what holds there."""

    document: Document
    """In which document."""
    path: tuple[Step, ...]
    """Where."""
    start: float
    """Its value at the start, SI."""
    sign: float = 1.0
    """-1 where it changes the other way, as a mirror says."""
    lower: float = -math.inf
    """Smallest legal value: a joint's limit."""
    upper: float = math.inf
    """Largest legal value."""
    whole: bool = False
    """Whether only whole numbers stand there."""

    @property
    def name(self) -> str:
        """The path as people write it."""
        return field_name(self.path)


@dataclass(frozen=True)
class SearchedNumber:
    """One number of the search."""

    places: tuple[NumberPlace, ...]
    """Where it stands; the first gives it its name."""
    kind: Literal["range", "around", "factor"]
    """How it changes what stands there."""
    low: float
    """Lowest value, shift or factor."""
    high: float
    """Highest value, shift or factor."""
    unit: str = ""
    """Unit, SI."""

    @property
    def name(self) -> str:
        """Path of the first place."""
        return self.places[0].name

    @property
    def start(self) -> float:
        """Coordinate of the start, 0 to 1."""
        if self.kind == "factor":
            return math.log(1.0 / self.low) / math.log(self.high / self.low)
        begin = self.places[0].start if self.kind == "range" else 0.0
        return (begin - self.low) / (self.high - self.low)

    @property
    def _digits(self) -> int:
        """Digits after the point: more than `_DIGITS` where these would leave a small range few values."""
        scale = max(abs(place.start) for place in self.places) if self.kind == "factor" else 1.0
        wide = min(scale * (self.high - self.low), 1.0)
        return max(_DIGITS, _STEPS - math.floor(math.log10(wide)) if wide > 0.0 else _DIGITS)

    @property
    def moves(self) -> bool:
        """Whether its range may be shifted: joints' targets, which their limits hold, and durations, by factors."""
        joint = math.isfinite(self.places[0].lower)
        return (self.kind == "around" and joint) or (self.kind == "factor" and self.places[0].path[-1] == "duration")

    @property
    def ends(self) -> tuple[float, float]:
        """Lowest and highest value of the first place."""
        return self.values(0.0)[0], self.values(1.0)[0]

    def values(self, coordinate: float) -> tuple[float, ...]:
        """What stands at each place for a coordinate from 0 to 1."""
        found = []
        for place in self.places:
            if self.kind == "factor":
                value = place.start * self.low * (self.high / self.low) ** coordinate
            else:
                change = self.low + coordinate * (self.high - self.low)
                # What mirrors keeps its own start, also where the two sides differ there.
                base = place.start - place.sign * self.places[0].start if self.kind == "range" else place.start
                value = base + place.sign * change
            value = min(max(value, place.lower), place.upper)
            found.append(round(value) if place.whole else round(value, self._digits))
        return tuple(found)


@dataclass(frozen=True, eq=False)
class Space:
    """All numbers of a search."""

    parameters: tuple[SearchedNumber, ...]
    """The numbers."""

    @property
    def start(self) -> Vector:
        """The point of the start, (n,)."""
        return np.array([parameter.start for parameter in self.parameters])

    @property
    def given(self) -> tuple[str, ...]:
        """Paths of the numbers that belong to world, robot or guard, not to what moves the robot."""
        places = [place for number in self.parameters for place in number.places]
        return tuple(place.name for place in places if place.document == "scenario" and place.path[0] in _GIVEN)

    def motion(self, library: MotionLibrary, point: Sequence[float]) -> MotionLibrary:
        """A library with the values of a point, which are not checked."""
        made: MotionLibrary = _filled(library, dict(self._at(point, "motion")))
        return made

    def changes(self, point: Sequence[float]) -> tuple[tuple[str, float], ...]:
        """The values of a point in the scenario, by path."""
        return tuple((field_name(path), value) for path, value in self._at(point, "scenario"))

    def _at(self, point: Sequence[float], document: Document) -> Iterator[tuple[tuple[Step, ...], float]]:
        for parameter, coordinate in zip(self.parameters, point, strict=True):
            for place, value in zip(parameter.places, parameter.values(float(coordinate)), strict=True):
                if place.document == document:
                    yield place.path, value


def fitting_names(names: Sequence[str], patterns: Sequence[str]) -> list[int]:
    """Places of the names that fit one of some patterns with ``*``; of all where there is no pattern."""
    literal = [pattern.replace("[", "[[]") for pattern in patterns]
    return [at for at, name in enumerate(names) if not literal or any(fnmatchcase(name, each) for each in literal)]


def space_of(
    ranges: Sequence[ParameterRange],
    library: MotionLibrary | None,
    scenario: Scenario,
    robot: Robot,
    place: str = "parameters",
) -> Space:
    """The numbers that ranges name.

    Args:
        ranges: What may change.
        library: The motions at the start; None: there are none.
        scenario: The scenario at the start.
        robot: The robot, for limits and mirror.
        place: What messages begin with.

    Raises:
        SearchError: A path fits nothing, leads to no number or is named twice, a range is empty, or the start lies
            outside it or breaks a joint's limit.
    """
    data: dict[Document, Any] = {"scenario": scenario.model_dump()}
    if library is not None:
        data["motion"] = library.model_dump()
    found: list[SearchedNumber] = []
    for number, asked in enumerate(ranges):
        found += _parameters(asked, data, robot, f"{place}[{number}]")
    taken: dict[tuple[Document, tuple[Step, ...]], str] = {}
    for parameter in found:
        for each in parameter.places:
            key = each.document, each.path
            if key in taken:
                remedy = "leave one of them out; of mirrored joints the path of one side is enough"
                raise SearchError("two parameters change the same number", place=place, value=each.name, remedy=remedy)
            taken[key] = parameter.name
    return Space(tuple(found))


def _parameters(asked: ParameterRange, data: Mapping[Document, Any], robot: Robot, where: str) -> list[SearchedNumber]:
    steps = parse_path(_SEVERAL.sub(r".'{\1}'", asked.path.replace("[*]", ".*")), where)
    document: Document = "motion" if steps[0] in _MOTION_PARTS else "scenario"
    where = f"{where} {asked.path}"
    if document not in data:
        raise SearchError("there is no motion file that this could be of", place=where, remedy="give library")
    paths = list(_matches(document, data[document], steps, where))
    for path in paths:
        fixed = _FIXED.get(str(path[0])) or _FIXED.get(field_name(path))
        if document == "scenario" and fixed is not None:
            what, remedy = fixed
            raise SearchError(what, place=where, value=field_name(path), remedy=remedy)
    numbers = [_place(document, data[document], path, robot, where) for path in paths]
    pairs = [
        (each, *_other_side(each, data[document], robot, where)) if asked.mirrored else (each,) for each in numbers
    ]
    if asked.together:
        pairs = [tuple(place for pair in pairs for place in pair)]
    return [_ranged(asked, places, document, data[document], where) for places in pairs]


def _ranged(
    asked: ParameterRange, places: Sequence[NumberPlace], document: Document, data: Any, where: str
) -> SearchedNumber:
    model, first = _MODELS[document], places[0]
    unit = UNIT.get(dimension_at(model, first.path, data), "")
    if asked.factor is not None:
        if any(each.start == 0.0 for each in places):
            zero = next(each for each in places if each.start == 0.0)
            raise SearchError("a factor changes no 0", place=where, value=zero.name, remedy="give around or range")
        found = SearchedNumber(tuple(places), "factor", *asked.factor, unit)
    else:
        kind: Literal["range", "around"] = "range" if asked.range is not None else "around"
        low, high = (_number(model, data, first.path, end, where) for end in asked.range or asked.around or ())
        if not low < high:
            raise SearchError("the lower end of a range stands first", place=where, value=[low, high])
        if len(places) == 1 or not asked.together:
            base = 0.0 if kind == "range" else first.start
            asked_low, asked_high = low, high
            low, high = max(low, first.lower - base), min(high, first.upper - base)
            if not low < high:
                limit = f"{first.lower:g} to {first.upper:g} {unit}"
                raise SearchError("nothing of this range is within the joint's limits", place=where, limit=limit)
            begin = first.start - base
            beyond = max(low - begin, begin - high) > _INSIDE * (high - low)
            if beyond and asked_low <= begin <= asked_high:
                # A start that was rounded beyond a limit (ALIKE) begins there; what it is given ends at the limit.
                low, high = min(low, begin), max(high, begin)
        found = SearchedNumber(tuple(places), kind, low, high, unit)
    if found.values(0.0) == found.values(1.0):
        what = "all of this range is one whole number" if first.whole else "all of this range is one value"
        raise SearchError(what, place=where, value=first.start, remedy="give a wider one")
    if not -_INSIDE <= found.start <= 1.0 + _INSIDE:
        low, high = found.ends
        raise SearchError(
            "the start lies outside the range", place=where, value=first.start, limit=f"{low:g} to {high:g}"
        )
    return found


def _number(model: type[BaseModel], data: Any, path: Sequence[Step], value: Value, where: str) -> float:
    found = read_value(model, data, path, value, where) if isinstance(value, str) else value
    if isinstance(found, bool) or not isinstance(found, (int, float)) or not math.isfinite(found):
        raise SearchError("is no finite number", place=where, value=value)
    return float(found)


def _matches(document: Document, data: Any, steps: Sequence[Step], where: str) -> Iterator[tuple[Step, ...]]:
    """Paths that are there and fit a path with patterns.

    Raises:
        SearchError: Nothing fits.
    """
    ways: list[tuple[Step, ...]] = [()]
    for number, step in enumerate(steps):
        further: list[tuple[Step, ...]] = []
        there: dict[str, None] = {}
        for way in ways:
            inside = value_at(data, way) if way else data
            keys: list[Step] = (
                list(inside) if isinstance(inside, Mapping) else list(range(len(inside))) if _is_list(inside) else []
            )
            there |= dict.fromkeys(map(str, keys))
            pattern = str(step)
            chosen = pattern[1:-1].split(",") if pattern.startswith("{") else None
            further += [
                (*way, key)
                for key in keys
                if key == step or (fnmatchcase(str(key), pattern) if chosen is None else str(key) in chosen)
            ]
        absent = next((each for each in chosen or () if each not in there), None)
        if not further or absent is not None:
            above = field_name(steps[:number]) or f"the {document}"
            if ways[0] and value_at(data, ways[0]) is None:
                remedy = "give it a value at the start, with set"
                raise SearchError("is not given at the start", place=where, value=above, remedy=remedy)
            legal = tuple(there) or tuple(map(str, legal_fields(_MODELS[document], ways[0], data)))
            step = step if absent is None else absent
            guess = nearest_name(str(step), legal) or meant(_MODELS[document], (*ways[0], step), data) or ""
            what = f"the path fits nothing: {above} has no such part" if legal else f"{above} has no parts"
            raise SearchError(what, place=where, value=step, legal=legal, meant=guess)
        ways = further
    yield from ways


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple))


def _place(document: Document, data: Any, path: tuple[Step, ...], robot: Robot, where: str) -> NumberPlace:
    value = value_at(data, path)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        name = field_name(path)
        what, remedy = "is no number at the start", ""
        if value is None:
            what, remedy = "has no value at the start", "give it one, with set"
        elif isinstance(value, (list, tuple, Mapping)):
            keys: list[Step] = [*value] if isinstance(value, Mapping) else [*range(len(value))]
            legal = [field_name((*path, key)) for key in keys]
            raise SearchError(
                "is no number, it has parts", place=where, value=name, legal=legal, remedy="name one of them"
            )
        place = where if where.endswith(f" {name}") else f"{where}: {name}"
        raise SearchError(what, place=place, value=value, remedy=remedy)
    lower, upper = joint_limits(document, path, robot)
    if not lower - ALIKE <= value <= upper + ALIKE:
        limit = f"{lower:g} to {upper:g} rad"
        raise SearchError("the start already breaks a joint's limit", place=field_name(path), value=value, limit=limit)
    types = kinds_at(_MODELS[document], path, data)
    return NumberPlace(document, path, float(value), 1.0, lower, upper, int in types and float not in types)


def joint_limits(document: Document, path: Sequence[Step], robot: Robot) -> tuple[float, float]:
    """Limits of the joint whose target stands at a path; infinite elsewhere [rad]."""
    if document == "motion" and len(path) > 1 and path[-2] == "joints" and path[-1] in robot.joint_index:
        index = robot.joint_index[str(path[-1])]
        return float(robot.lower[index]), float(robot.upper[index])
    return -math.inf, math.inf


def _other_side(place: NumberPlace, data: Any, robot: Robot, where: str) -> tuple[NumberPlace, ...]:
    """The same joint on the other side, which must have a number as well."""
    joint = str(place.path[-1])
    if joint not in robot.joint_index:
        raise SearchError("only joints have another side", place=where, value=joint)
    other = partner_joint(robot, joint)
    if other == joint:
        return ()
    sign = float(mirror_posture(np.ones(len(robot.joints)), robot)[robot.index(other)])
    path = (*place.path[:-1], other)
    found = _place(place.document, data, path, robot, where)
    # What mirrors does so about its own start, so that motions that lean to one side keep that.
    return (replace(found, sign=sign),)


def _filled(part: Any, values: Mapping[tuple[Step, ...], float]) -> Any:
    """A part with other numbers deep inside, copied only where something changes."""
    if () in values:
        return values[()]
    below: dict[Step, dict[tuple[Step, ...], float]] = {}
    for path, value in values.items():
        below.setdefault(path[0], {})[path[1:]] = value
    if isinstance(part, BaseModel):
        return part.model_copy(
            update={str(step): _filled(getattr(part, str(step)), each) for step, each in below.items()}
        )
    if isinstance(part, Mapping):
        return {**part, **{step: _filled(part[step], each) for step, each in below.items()}}
    items = list(part)
    for step, each in below.items():
        items[int(step)] = _filled(items[int(step)], each)
    return tuple(items)
