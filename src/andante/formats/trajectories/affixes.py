"""Columns whose names are those of joints with more before or behind: ``robot/HeadYaw``, ``HeadYaw_pos``,
``joint_pos.HeadYaw``, and speeds and torques beside the angles.

What is common to all columns of angles is taken off where a robot is known whose joints the rest are, no name by
itself. Names that are joints as they stand stay.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache

from andante.errors import AndanteError
from andante.formats.shared.single import joints_of, robot_with
from andante.formats.trajectories.columns import robot_asked
from andante.motions.library import UNKNOWN_ROBOT
from andante.robots.register import ROBOTS
from andante.robots.robot import Robot

_PARTED = re.compile(r"[^A-Za-z0-9]")
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_ANGLES = frozenset(("pos", "position", "positions", "q", "qpos", "angle", "angles", "rad", "deg", "degree", "degrees"))
"""Words for angles in what stands beside a joint's name."""
_OTHERS = frozenset(
    (
        *("vel", "velocity", "velocities", "speed", "dq", "qd", "qvel", "acc", "acceleration", "ddq", "qdd"),
        *("effort", "efforts", "torque", "torques", "tau", "current", "voltage", "temperature", "temp"),
    )
)
"""Words for what is no angle."""
_SEVERAL = 2
"""So many joints in columns of both are two topics."""
_MOST_TRIED = 20
"""So many ways to call angles are looked at, the most frequent first."""
_DEGREES = frozenset(("deg", "degree", "degrees"))


@dataclass(frozen=True)
class JointColumns:
    """What columns are taken for."""

    joints: dict[str, str]
    """Joint by the name of its column."""
    before: str
    """What stands before the joints' names."""
    behind: str
    """What stands behind them."""
    others: tuple[str, ...]
    """Columns of speeds, torques, other topics and the like, which are no angles."""
    robot: str
    """Whose joints they are."""

    @property
    def degrees(self) -> bool:
        """Whether the names say that angles are in degrees."""
        return bool(_said(self.before, self.behind) & _DEGREES)

    @property
    def told(self) -> str:
        """What was done, for people."""
        around = " and ".join(repr(each) for each in (self.before, self.behind) if each)
        parts = [f"{around} beside each name is taken off, for the rest are joints of {self.robot!r}"] if around else []
        if self.others:
            count = len(self.others) - 1
            what = f" and {count} more are no angles and" if count else " is no angle and"
            parts.append(f"{self.others[0]!r}{what} left out")
        return "; ".join(parts)


def joint_columns(names: Sequence[str], asked: str, stated: str = "") -> JointColumns | None:
    """Joints in the names of columns that are not joints as they stand; None where nothing common tells them.

    A robot that cannot be used here does not keep the file from being read; who plays it tells of it.

    Args:
        names: Names of the columns.
        asked: The robot asked for, by name or file; empty: none is.
        stated: The robot that the file names, of which only the name counts; empty: none. Without both, those that
            Andante knows are tried.
    """
    for joints, robot in _tried(names, asked, stated):
        if (found := _of(names, joints, robot)) is not None:
            return found
    return None


def several_topics(names: Sequence[str], asked: str, stated: str = "") -> str:
    """That angles of the same joints stand in columns of two topics, as what is and what was asked; empty: they do not.

    Args:
        names: Names of columns that `joint_columns` makes nothing of.
        asked: See there.
        stated: See there.
    """
    for joints, robot in _tried(names, asked, stated):
        angles = [group for around, group in _groups(names, joints).items() if not _said(*around) & _OTHERS]
        groups = sorted(angles, key=len, reverse=True)[:_MOST_TRIED]
        for number, first in enumerate(groups):
            for second in groups[number + 1 :]:
                both = sorted(set(first.values()) & set(second.values()))
                if len(both) < _SEVERAL:
                    continue
                one, two = (
                    next(name for name, joint in group.items() if joint == both[0]) for group in (first, second)
                )
                return (
                    f"{one!r} and {two!r} are both angles of {both[0]!r}, and {len(both)} joints of {robot!r} have two"
                )
    return ""


def _tried(names: Sequence[str], asked: str, stated: str) -> Iterator[tuple[Collection[str], str]]:
    """Joints and name of each robot whose joints the columns may be."""
    if not names:
        return
    named = asked or (stated if stated in ROBOTS else "")
    # Without a sign between, nothing stands beside a joint's name; the models of all robots take 250 MB and a second.
    if not named and (not any(map(_PARTED.search, names)) or robot_with(names) != UNKNOWN_ROBOT):
        return
    for each in (named,) if named else ("nao", *(each for each in ROBOTS if each != "nao")):
        with suppress(AndanteError):
            yield _joints_of(each)


def _joints_of(asked: str) -> tuple[Collection[str], str]:
    """Names of a robot's joints with its aliases, and its name; none where it is only a word.

    Raises:
        AndanteError: It cannot be loaded.
    """
    if asked in ROBOTS:
        return _joints_of_known(asked), asked
    robot = robot_asked(asked)
    return ((), asked) if robot is None else ({*robot.joint_names, *robot.aliases}, robot.name)


@cache
def _joints_of_known(name: str) -> frozenset[str]:
    return joints_of(name) | frozenset(Robot.load(name).aliases)


def _of(names: Sequence[str], joints: Collection[str], robot: str) -> JointColumns | None:
    groups = _groups(names, joints)
    angles = {around: group for around, group in groups.items() if not _said(*around) & _OTHERS}
    whole = [(around, group) for around, group in angles.items() if len(group) == len(names)]
    if whole:
        # A joint within another one's name, as Hip in LeftHip, leaves more beside it.
        around, group = min(whole, key=lambda each: len("".join(each[0])))
        return None if around == ("", "") else JointColumns(group, *around, (), robot)
    of_joints = {name for group in groups.values() for name in group}
    for around, group in sorted(angles.items(), key=lambda each: -len(each[1]))[:_MOST_TRIED]:
        others = tuple(name for name in names if name not in group)
        named = bool(_said(*around) & _ANGLES)
        if not others or not (named or around == ("", "")):
            continue
        # Where angles are called so, what is called otherwise and has no joint's name is of another topic.
        rest = [name for name in others if not named or name in of_joints or _is_like(name, *around)]
        if all(_is_other(name, group.values()) for name in rest):
            return JointColumns(group, *around, others, robot)
    return None


def _groups(names: Sequence[str], joints: Collection[str]) -> dict[tuple[str, str], dict[str, str]]:
    """Joint by the name of its column, by what stands before and behind it."""
    groups: dict[tuple[str, str], dict[str, str]] = {}
    for name in names:
        for joint in joints:
            for around in _around(name, joint):
                groups.setdefault(around, {})[name] = joint
    return groups


def _around(name: str, joint: str) -> Iterator[tuple[str, str]]:
    """What stands before and behind a joint's name, wherever it is in a column's."""
    at = name.find(joint)
    while at >= 0:
        yield name[:at], name[at + len(joint) :]
        at = name.find(joint, at + 1)


def _is_like(name: str, before: str, behind: str) -> bool:
    """Whether a column has the same beside its name."""
    return name.startswith(before) and name.endswith(behind)


def _is_other(name: str, joints: Collection[str]) -> bool:
    """Whether a column is of one of the joints, and by its name no angle."""
    around = [(name[:at], name[at + len(joint) :]) for joint in joints if (at := name.find(joint)) >= 0]
    return any(_said(*each) & _OTHERS for each in around)


def _said(before: str, behind: str) -> set[str]:
    return {word.lower() for word in (*_WORDS.findall(before), *_WORDS.findall(behind))}
