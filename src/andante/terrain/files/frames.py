"""Where the frames of a recording lie in each other: what its transforms say (tf2_msgs/TFMessage, tf/tfMessage).

The message: tf2_msgs/msg/TFMessage.msg of github.com/ros2/geometry2. Names of frames that are level and fixed in the
world: REP 105 (ros.org/reps/rep-0105.html).
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field

import numpy as np

from andante.documents.recordings.message_reader import MessageReader
from andante.spatial import rotations
from andante.spatial.arrays import Array

FIXED = ("map", "world", "odom")
"""Frames that are fixed in the world and have z up, in the order in which one looks for them."""
_MOST_TRANSFORMS = 2000
"""Most transforms of a message."""
_MOST_FRAMES, _MOST_ABOVE, _MOST_FIXED = 2000, 100, 20
"""Most frames, most on the way up from one, and most of one name that are looked at; robots have some hundreds."""
_FARTHEST = 500_000_000
"""How far from the nearest transform a time may be where none lies on the other side of it [ns]."""


@dataclass(frozen=True, eq=False)
class FramePose:
    """Where a frame lies in another."""

    place: Array
    """Its origin there, (3,) [m]."""
    turn: Array
    """Its orientation there, a quaternion wxyz, (4,)."""

    def then(self, outer: FramePose) -> FramePose:
        """Where it lies in a third frame, in which the second lies at ``outer``."""
        return FramePose(outer.moved(self.place[None])[0], rotations.multiply(outer.turn, self.turn))

    def inverse(self) -> FramePose:
        """Where the other frame lies in this one."""
        back = rotations.conjugate(self.turn)
        return FramePose(-(rotations.to_matrix(back) @ self.place), back)

    def moved(self, points: Array) -> Array:
        """Points (n, 3) of the frame as the other one has them [m]."""
        return np.asarray(points @ rotations.to_matrix(self.turn).T + self.place)


@dataclass(frozen=True, eq=False)
class FoundFrame:
    """Where a frame lies in one that was looked for."""

    frame: str
    """The frame that was looked for."""
    pose: FramePose
    """The frame's pose in it."""
    away: int
    """How far the farthest transform that counts is from the time, where none lies on the other side of it [ns]."""


@dataclass
class _Link:
    """What was told of a frame: its parent, and its poses in it by time [ns]."""

    parent: str
    static: bool
    poses: dict[int, FramePose] = field(default_factory=dict)

    def at(self, moment: int) -> tuple[FramePose, int]:
        """Its pose at a time, and how far from it the nearest one is where none lies on the other side."""
        times = sorted(self.poses)
        if self.static or moment == 0:
            return self.poses[times[-1]], 0
        after = bisect_left(times, moment)
        if after == len(times) or times[after] == moment or after == 0:
            nearest = times[min(after, len(times) - 1)]
            return self.poses[nearest], abs(nearest - moment)
        first, second = self.poses[times[after - 1]], self.poses[times[after]]
        share = (moment - times[after - 1]) / (times[after] - times[after - 1])
        way = rotations.log(rotations.multiply(rotations.conjugate(first.turn), second.turn))
        turn = rotations.multiply(first.turn, rotations.exp(share * way))
        return FramePose(first.place + share * (second.place - first.place), turn), 0


class Frames:
    """The frames of a recording. Each has one parent, as in tf2."""

    def __init__(self) -> None:
        self._links: dict[str, _Link] = {}

    @property
    def names(self) -> list[str]:
        """All frames that transforms name."""
        return sorted({*self._links, *(link.parent for link in self._links.values())})

    def take(self, content: bytes, ros1: bool, *, static: bool) -> None:
        """What a message says. A transform that is no turn or not finite does not count, as in tf2.

        Args:
            content: The message.
            ros1: Whether it is one of ROS 1.
            static: Whether it holds for all times.

        Raises:
            ValueError: It is cut short, or there are more frames than are kept.
        """
        stream = MessageReader(content, ros1)
        for _ in range(stream.size(_MOST_TRANSFORMS)):
            seconds, nanoseconds, parent = stream.header()
            child = _plain(stream.text())
            numbers = stream.array("f8", 7).astype(np.float64)
            x, y, z, w = numbers[3:]
            turn = np.array([w, x, y, z])
            length = float(np.linalg.norm(turn))
            if not np.isfinite(numbers).all() or abs(length - 1.0) > 0.1 or child == _plain(parent):
                continue
            link = self._links.get(child)
            if link is None and len(self._links) == _MOST_FRAMES:
                raise ValueError(f"more than {_MOST_FRAMES} frames")
            if link is None or (link.parent, link.static) != (_plain(parent), static):
                link = self._links[child] = _Link(_plain(parent), static)
            link.poses[1_000_000_000 * seconds + nanoseconds] = FramePose(numbers[:3], turn / length)

    def placed(self, frame: str, moment: int, target: str | None = None) -> FoundFrame | None:
        """Where a frame lies in another at a time.

        Args:
            frame: The frame.
            moment: The time [ns]; 0: the latest.
            target: The other frame; None: a `FIXED` one (its name, or the last part of it) if transforms lead there,
                else the farthest that they lead to.

        Returns:
            None: No transforms of that time lead there, or the frame itself is a fixed one.
        """
        frame = _plain(frame)
        if target is not None:
            return self._between(frame, _plain(target), moment)
        if frame.rpartition("/")[2] in FIXED:
            return None
        fixed = [each for name in FIXED for each in self.names if each.rpartition("/")[2] == name]
        for other in (*fixed[:_MOST_FIXED], *reversed(self._above(frame)[1:])):
            found = self._between(frame, other, moment)
            if found is not None:
                return found
        return None

    def _above(self, frame: str) -> list[str]:
        """A frame, its parent, that one's, and so on."""
        chain = [frame]
        while (link := self._links.get(chain[-1])) is not None and link.parent not in chain:
            if len(chain) == _MOST_ABOVE:
                break
            chain.append(link.parent)
        return chain

    def _between(self, frame: str, other: str, moment: int) -> FoundFrame | None:
        mine, others = self._above(frame), self._above(other)
        common = next((each for each in mine if each in others), None)
        if common is None or frame == other:
            return None
        up, first = self._up(mine[: mine.index(common)], moment)
        down, second = self._up(others[: others.index(common)], moment)
        away = max(first, second)
        return None if away > _FARTHEST else FoundFrame(other, up.then(down.inverse()), away)

    def _up(self, chain: list[str], moment: int) -> tuple[FramePose, int]:
        """The pose of a chain's first frame in the parent of its last."""
        pose, away = FramePose(np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])), 0
        for name in chain:
            outer, far = self._links[name].at(moment)
            pose, away = pose.then(outer), max(away, far)
        return pose, away


def _plain(name: str) -> str:
    """A frame's name without the stroke that ROS 1 put before it."""
    return name.removeprefix("/")
