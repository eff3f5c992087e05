"""What the suite `getup` can be asked: one engine, or one of two tables with their own variants of it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from andante.backends.fault import Fault
from andante.control.keyframes.configuration import KeyframeEngineSettings
from andante.search.errors import SearchError
from andante.search.suite import Count, SeededOptions, names_of
from andante.search.suites.getup_spread import LYING, StartName, spread_named
from andante.search.suites.getup_trial import Setup, robot_for

ABOUT = ("library", "spread", "first_seed", "seeds", "tries", "fault")
"""What the JSON object says of the options."""
PARTS = ("compensation", "balance", "waits", "branches", "break_up", "pauses")
"""Parts of the engine that can be left out."""

_FAULTS: tuple[Literal["stuck", "dead"], ...] = ("stuck", "dead")
"""Kinds that need no number."""


class GetUpOptions(SeededOptions):
    """What the suite can be asked."""

    subject = "library"
    conditions = ("spread", "fault", "faults", "ablate", "at", "lasting", "tries")

    library: str = "nao"
    """Motion library: a shipped name or a file or folder."""
    start: str = "front,back"
    """How the robot lies: front, back, left, right, with commas."""
    spread: str = "standard"
    """How harsh the world is: none, standard, noisy, wide."""
    compensation: bool = True
    """Stuck-joint compensation."""
    balance: bool = True
    """Balancer."""
    waits: bool = True
    """Waiting for conditions."""
    branches: bool = True
    """Branches."""
    break_up: bool = True
    """Break-up when the torso leaves its window."""
    pauses: bool = True
    """Pauses of a keyframe while the hip yaw pitch lags."""
    fault: tuple[str, ...] = ()
    """What is broken all the time: stuck or dead, a colon, a joint or a group of joints, as dead:left_arm; repeat."""
    faults: bool = False
    """The fault table: the hip yaw pitch locks or runs dry, four engines."""
    ablate: bool = False
    """What waits, balance, compensation, branches and pauses are worth each."""
    at: tuple[str, ...] = ()
    """With --faults or --ablate: where the joint locks, as start:block[keyframe]; repeat."""
    lasting: tuple[Annotated[float, Field(ge=0.01)], ...] = ()
    """With --faults or --ablate: for how long [s]; repeat."""
    tries: Count = 3
    """Tries before a trial counts as failed."""
    asked: float | None = None
    """First-try share (--faults: share in every cell) below which the exit code is 1."""
    picture: Annotated[Path | None, Field(exclude=True)] = None
    """Write a picture of where tries fail (PNG, SVG)."""

    @property
    def starts(self) -> tuple[StartName, ...]:
        """How the robot lies, start by start.

        Raises:
            SearchError: An unknown or repeated start.
        """
        return names_of(self.start, LYING, "--start")

    @property
    def engine(self) -> KeyframeEngineSettings:
        """The engine with the parts that were asked for."""
        return KeyframeEngineSettings(**self.about(*PARTS))

    @property
    def setup(self) -> Setup:
        """The setup of the first start.

        Raises:
            SearchError: Options that do not go together, or a name that is not known.
        """
        table = self.faults or self.ablate
        if self.faults and self.ablate:
            raise SearchError("--faults and --ablate are two tables", remedy="ask for one at a time")
        if table and (self.engine != KeyframeEngineSettings() or self.picture is not None):
            remedy = "leave the others out"
            raise SearchError("a table has its own variants of the engine, and no picture", remedy=remedy)
        if (self.at or self.lasting) and not table:
            raise SearchError("--at and --lasting belong to a table", remedy="add --faults or --ablate")
        if self.fault and table:
            raise SearchError("a table has its own faults", remedy="leave --fault out")
        broken = tuple(read_fault(text) for text in self.fault)
        return Setup(self.library, self.starts[0], spread_named(self.spread), self.engine, broken, tries=self.tries)


def read_fault(text: str) -> Fault:
    """The fault that ``kind:joint`` or ``kind:group`` names; it lasts from the begin to the end.

    Raises:
        SearchError: The text is none, or the NAO has no such joint or group.
    """
    robot = robot_for("nao")
    kind, _, name = text.partition(":")
    if kind not in _FAULTS:
        remedy = "such as dead:left_arm or stuck:LKneePitch"
        raise SearchError("no such kind of fault", place="--fault", value=text, legal=_FAULTS, remedy=remedy)
    joints = robot.groups.get(name, (name,))
    if not set(joints) <= set(robot.joint_names):
        legal = (*robot.groups, *robot.joint_names)
        raise SearchError("no such joint or group of joints", place="--fault", value=name, legal=legal)
    return Fault(type=kind, joints=tuple(joints), start=0.0)
