"""StartState and EndState: how the robot is as a walk begins and ends: at rest, or in motion within a longer walk."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from andante.kinematics.com_ik import stance_com
from andante.kinematics.leg_table import StanceError
from andante.planning.course import KnownCourse, PlanningError
from andante.planning.walk_plan import WalkPlan
from andante.spatial.arrays import Array, Index
from andante.spatial.rotations import from_matrix, to_rpy


@dataclass(frozen=True, eq=False)
class StartState:
    """Body and feet at the first sample."""

    com: Array
    """Centre of mass, (3,) [m]."""
    velocity: Array
    """Its velocity, (3,) [m/s]."""
    rpy: Array
    """Roll, pitch and yaw of the base, (3,) [rad]."""
    turning: Array
    """Their rates, (3,) [rad/s]."""
    feet: Array
    """Centres of the feet, (nl, 3) [m]."""
    position: Array
    """Origin of the base, or near it, (3,) [m]."""
    zmp: Array
    """Zero moment point, (2,) [m]."""
    swinging: bool = False
    """Whether the first step's foot is in the air already."""

    def __post_init__(self) -> None:
        shapes = {"com": (3,), "velocity": (3,), "rpy": (3,), "turning": (3,), "position": (3,), "zmp": (2,)}
        for name, shape in {**shapes, "feet": (len(self.feet), 3)}.items():
            values = np.array(getattr(self, name), dtype=np.float64)
            if values.shape != shape or not np.isfinite(values).all():
                raise PlanningError(
                    f"the start's {name} must be finite numbers", value=values.tolist(), limit=f"shape {shape}"
                )
            object.__setattr__(self, name, values)

    @staticmethod
    def resting(course: KnownCourse) -> StartState:
        """The robot stands where the course has it.

        Raises:
            PlanningError: Its feet are out of reach of its body there.
        """
        try:
            pose = stance_com(course.body, course.position, course.feet, course.rotation)
        except StanceError as error:
            raise PlanningError(f"the robot cannot stand at the start: {error}", place="start") from error
        rest = np.zeros(3)
        rpy = np.array(to_rpy(from_matrix(course.rotation)))
        return StartState(pose.com, rest, rpy, rest, course.feet, course.position, pose.com[:2])


@dataclass(frozen=True, eq=False)
class EndState:
    """The last m samples of a walk that goes on as another does, into which it blends."""

    com: Array
    """Centre of mass, (m, 3) [m]."""
    rpy: Array
    """Roll, pitch and yaw of the base, (m, 3) [rad]."""
    zmp: Array
    """Zero moment point, (m, 2) [m]."""


@dataclass(frozen=True, eq=False)
class Timing:
    """Timing that a draft starts with instead of a guess."""

    swings: Index
    """Lengths of the swings, (n,) [samples]."""
    four_foot_times: Index
    """Lengths of the times before, between and after them, (n + 1,) [samples]."""
    laws: Array
    """Time laws of the swings, (n, m)."""
    aims: Array
    """How far past the poses the body is aimed, (n, 2, 6) [m, rad]."""
    fixed: int = 0
    """How many of the last steps stay as they are."""
    joining: bool = True
    """Whether the steps were timed for good before; else some of them are made otherwise."""

    @staticmethod
    def of(plan: WalkPlan) -> Timing:
        """That of a walk of which some steps are to be made otherwise.

        Raises:
            PlanningError: The plan does not know what it was made of.
        """
        if plan.warm_start is None:
            raise PlanningError("the plan does not know what it was made of")
        lifts, lands = np.array([(swing.lift_off, swing.touchdown) for swing in plan.swings]).T
        four_foot_times = np.append(lifts, len(plan.com) - 1) - np.concatenate([[0], lands])
        return Timing(lands - lifts, four_foot_times, plan.warm_start.laws, plan.warm_start.aims, joining=False)
