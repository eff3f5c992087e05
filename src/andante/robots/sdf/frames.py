"""Where the frames of an SDF are: each hangs on another one, by name, in any order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from andante.robots.parts import RobotError
from andante.robots.sdf.elements import inverse
from andante.spatial.arrays import Array

MODEL = "__model__"
"""SDF's own name for the frame of the model in which something stands."""
_LEGAL = 40
"""Most names that a message tells."""


def scoped(scope: str, name: str) -> str:
    """A name in a nested model as it is called from the outermost one."""
    return f"{scope}::{name}" if scope else name


class FrameName(NamedTuple):
    """A frame as something inside a model calls it."""

    scope: str
    """The nested model in which it is called so; empty: the outermost."""
    name: str
    """Its name there; empty: none."""


NOTHING = FrameName("", "")


class _Frame(NamedTuple):
    """What `SdfFrames.add` was told of a frame."""

    on: FrameName
    pose: Array
    attached: FrameName | None
    placing: FrameName
    place: str


@dataclass
class SdfFrames:
    """All frames of the outermost model by their scoped names; its own is the root."""

    _frames: dict[str, _Frame] = field(default_factory=dict)
    _links: dict[str, str] = field(default_factory=dict)
    _found: dict[str, Array] = field(default_factory=dict)
    _steps: dict[str, Array] = field(default_factory=dict)

    def add(
        self,
        name: str,
        pose: Array,
        *,
        on: FrameName,
        attached: FrameName | None,
        place: str,
        placing: FrameName = NOTHING,
    ) -> None:
        """Add a frame.

        Args:
            name: Its scoped name.
            pose: Its transform (4, 4) against the frame on which it hangs [m].
            on: That frame; nothing: it is the root.
            attached: The frame with which it moves; None: it is a link's.
            place: Where it stands, for messages.
            placing: The frame inside of this model that the pose places; nothing: the model's own.

        Raises:
            RobotError: There is one of this name.
        """
        if name in self._frames:
            raise RobotError("two links, joints, frames or models have one name", place=place, value=name)
        self._frames[name] = _Frame(on, pose, attached, placing, place)

    def has(self, name: str) -> bool:
        """Whether there is a frame of this scoped name."""
        return name in self._frames

    def known(self, reference: FrameName, place: str) -> str:
        """The scoped name of a frame.

        Raises:
            RobotError: There is none.
        """
        name = scoped(*reference)
        for found in (name, scoped(name, MODEL)):
            if found in self._frames:
                return found
        inside = f"{reference.scope}::" if reference.scope else ""
        legal = sorted(each.removeprefix(inside) for each in self._frames if each.startswith(inside))[:_LEGAL]
        raise RobotError("there is no such link, joint, frame or model", place=place, value=reference.name, legal=legal)

    def link(self, name: str, place: str) -> str:
        """Scoped name of the link with which a frame moves.

        Raises:
            RobotError: It moves with none, or with itself in a circle.
        """
        steps: list[str] = []
        while name not in self._links and (attached := self._frames[name].attached) is not None:
            steps.append(name)
            if len(steps) > len(self._frames):
                raise RobotError("frames are attached to each other in a circle", place=place, value=steps[0])
            name = self.known(attached, self._frames[name].place) if attached.name else self._first(attached.scope)
            if not name:
                raise RobotError("is attached to no link", place=place, value=steps[0])
        found = self._links.get(name, name)
        self._links.update(dict.fromkeys(steps, found))
        return found

    def _first(self, scope: str) -> str:
        """The first link of a model, else the frame of the first model in it; empty: it has neither."""
        inside = f"{scope}::" if scope else ""
        own = [(name, name.removeprefix(inside)) for name in self._frames if name.startswith(inside)]
        links = (name for name, short in own if "::" not in short and self._frames[name].attached is None)
        models = (name for name, short in own if short.count("::") == 1 and short.endswith(f"::{MODEL}"))
        return next(links, next(models, ""))

    def check(self) -> None:
        """Find all frames.

        Raises:
            RobotError: One hangs on none that is there, or they hang on each other in a circle.
        """
        for name in self._frames:
            self.pose(name)

    def pose(self, name: str) -> Array:
        """The transform (4, 4) of a frame against the outermost model's [m].

        Raises:
            RobotError: Frames hang on none that is there, or on each other in a circle.
        """
        steps = self._way(name, self._found)
        below = steps[-1] if steps else name
        found = np.eye(4) if below not in self._found else self._found[below]
        for step in reversed(steps):
            if step not in self._found:
                self._found[step] = found @ self._step(step)
            found = self._found[step]
        return self._found[name]

    def _way(self, name: str, until: Iterable[str]) -> list[str]:
        """The frames from one to the first of ``until``, with it, or to the root."""
        steps = [name]
        while steps[-1] not in until:
            on, place = self._frames[steps[-1]].on, self._frames[steps[-1]].place
            if not on.name:
                break
            if len(steps) > len(self._frames):
                raise RobotError("frames hang on each other in a circle", place=place, value=name)
            steps.append(self.known(on, place))
        return steps

    def _step(self, name: str) -> Array:
        """The transform of a frame against the one on which it hangs."""
        if name not in self._steps:
            self._steps[name] = self._new_step(name)
        return self._steps[name]

    def _new_step(self, name: str) -> Array:
        _, pose, _, placing, place = self._frames[name]
        if not placing.name:
            return pose
        steps = self._way(self.known(placing, place), (name,))
        if steps[-1] != name:
            raise RobotError("the placement frame does not hang on its own model", place=place, value=placing.name)
        inside = np.eye(4)
        for step in steps[:-1]:
            inside = self._step(step) @ inside
        return pose @ inverse(inside)
