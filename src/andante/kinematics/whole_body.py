"""Whole-body inverse kinematics of any robot that is a tree of joints, with or without a floating base.

    ik = WholeBodyIk(robot)
    answer = ik.solve(start, [PositionTask("r_hand", target)], fixed=feet_fixed(robot))

Fixed frames are constraints: the answer keeps them in their places to 1e-8 m wherever they can be reached at all. Tasks
are reached as well as that and the joints' limits allow. What a target nobody can reach leaves is told: the residual of
each task and the limits that the answer rests on. Nothing is kept between calls; the same question has the same answer.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from andante.documents.quantities import Count, PositiveAngle, PositiveCount, PositiveLength
from andante.documents.settings import Settings
from andante.kinematics.tree_table import RobotTree, TreeFrame
from andante.kinematics.whole_body_goals import places_at
from andante.kinematics.whole_body_kernels import solve_whole_body
from andante.kinematics.whole_body_problem import (
    ComTask,
    Configuration,
    FixedFrame,
    IkProblem,
    PoseTask,
    PositionTask,
    PostureTask,
    Task,
    WholeBodyError,
)
from andante.kinematics.whole_body_tables import COM, GoalTable, MotionTable, goal_table, stacked
from andante.robots.robot import Robot
from andante.spatial.rotations import from_matrix, to_matrix

Array = NDArray[np.float64]
_STAY = 1e-8
"""Weight of the squared way from the start where no task says more [m^2/rad^2]."""
_STUCK = 1e-3
"""A search with a cap of motion that moves no joint so far is stuck, as a stretched limb is [rad]."""
Goal = PositionTask | PoseTask | ComTask
_ORIGIN, _SQUARE, _UNKNOWN = np.zeros(3), np.eye(3), np.full((3, 3), np.nan)
_NUDGES = (0.12, 0.35)
"""Shares of the way to the middle of the joints' ranges at which a search that got stuck starts again."""


class WholeBodySettings(Settings):
    """When whole-body inverse kinematics is content, and how long it tries."""

    position_tolerance: PositiveLength = 1e-4
    """A target's place is reached within this, along each axis [m]."""
    orientation_tolerance: PositiveAngle = 1e-3
    """An orientation is reached within this, about each axis [rad]."""
    passes: PositiveCount = 60
    """Most iterations of a search."""
    capped_passes: PositiveCount = 18
    """Most iterations of a search with a cap of motion: the next drag event goes on from there."""
    restarts: Count = 30
    """Most other starts of a search that does not reach all targets; with a cap of motion one at most,
    from a stretched limb."""


@dataclass(frozen=True)
class Residual:
    """What an answer leaves of a task or of a fixed frame."""

    name: str
    """The frame, or ``com``."""
    position: float
    """Distance from the target's place [m]."""
    orientation: float
    """Angle from the target's orientation [rad]; 0 where none was asked for."""
    reached: bool
    """Whether both are within the tolerances."""


@dataclass(frozen=True)
class ActiveLimit:
    """A joint that an answer has at the end of what it may do."""

    joint: str
    """The joint."""
    side: int
    """-1: it cannot go lower; +1: not higher."""
    limit: float
    """Where it is held [rad]."""
    capped: bool
    """Whether the largest motion of this question holds it, and not the joint's own limit."""


@dataclass(frozen=True, eq=False)
class IkAnswer:
    """The configuration found."""

    joints: Array
    """Joint positions, (nj,) [rad], all within their limits."""
    base_position: Array
    """Origin of the base in the world, (3,) [m]."""
    base_orientation: Array
    """Orientation of the base in the world, (4,) wxyz."""
    residuals: tuple[Residual, ...]
    """What is left of each task, posture tasks left out, in the order asked."""
    fixed: tuple[Residual, ...]
    """What is left of each fixed frame."""
    reached: bool
    """Whether all of these are within the tolerances."""
    active: tuple[ActiveLimit, ...]
    """Joints at a limit."""
    iterations: int
    """Iterations in all."""
    starts: int
    """Starts from which was searched."""

    @property
    def configuration(self) -> Configuration:
        """The answer as the start of another question."""
        return Configuration(self.joints, self.base_position, self.base_orientation)


class WholeBodyIk:
    """Solver for one robot. It keeps nothing between questions and may be shared between threads.

    Args:
        robot: The robot; hinges and slides, coupled joints too. Joints outside its pack stay where the model has them.
        settings: When to stop.

    Raises:
        KinematicsError: The model lacks what the robot names.
    """

    def __init__(self, robot: Robot, settings: WholeBodySettings | None = None) -> None:
        self.robot = robot
        self.settings = settings or WholeBodySettings()
        self.tree = RobotTree.of(robot)
        leaders = [robot.index(joint.follows) if joint.follows else n for n, joint in enumerate(robot.joints)]
        self._leaders = np.array(leaders, dtype=np.intp)
        self._low, self._high = robot.lower.copy(), robot.upper.copy()
        # What a motor may do is what all the joints may that it moves.
        np.maximum.at(self._low, self._leaders, robot.lower)
        np.minimum.at(self._high, self._leaders, robot.upper)
        self._frames: dict[str, TreeFrame] = {}
        self._size = self._reach()
        self._layout = self._laid_out(set())

    def solve(
        self,
        start: Configuration,
        tasks: Iterable[Task],
        *,
        fixed: Iterable[FixedFrame] = (),
        locked: Iterable[str] = (),
        most_motion: float | None = None,
    ) -> IkAnswer:
        """The configuration near a start that fulfils tasks best.

        Args:
            start: Where the search begins; joints beyond a limit are taken to it first.
            tasks: What is asked for.
            fixed: Frames that stay in their places; by default those of the start.
            locked: Joints that keep their angles.
            most_motion: Largest change of any joint from the start [rad], for a drag that must not jump; limits go
                before it.

        Raises:
            WholeBodyError: A shape that does not fit the robot, a task given twice, or nothing to do.
            KinematicsError: The robot has no such site or body.
            UnknownJointError: It has no such joint.
        """
        return self.answer(IkProblem(start, tuple(tasks), tuple(fixed), frozenset(locked), most_motion))

    def answer(self, problem: IkProblem) -> IkAnswer:
        """As `solve`, of a question put together before."""
        start, settings = problem.start, self.settings
        if start.joints.shape != self._low.shape:
            raise WholeBodyError(
                f"joint positions do not fit robot {self.robot.name!r}",
                value=start.joints.shape,
                limit=f"({len(self._low)},)",
            )
        low, high, own_low, own_high = self._range(problem)
        motion = self._motion(problem, low, high)
        goals: list[Goal] = [task for task in problem.tasks if not isinstance(task, PostureTask)]
        tasks = self._goals(goals)
        fixed = self._places(problem)
        first = np.clip(start.joints, low, high)[self._leaders]
        passes = settings.passes if problem.most_motion is None else min(settings.passes, settings.capped_passes)
        search = _Search(self, motion, tasks, fixed, start, passes)
        search.run(first)
        if problem.most_motion is None:
            search.start_again(first, low, high)
        elif not search.reached and search.moved(first) < _STUCK:
            search.run(_towards_middle(motion, first, low, high, _NUDGES[-1]))
        return search.answer(goals, problem.fixed, (low, high, own_low, own_high))

    # What is asked, for the kernel ---------------------------------------------------------------------------------

    def frame(self, name: str) -> TreeFrame:
        """Where a site or body lies in the tree.

        Raises:
            KinematicsError: The robot has no such site or body.
        """
        found = self._frames.get(name)
        if found is None:
            found = self._frames.setdefault(name, self.tree.frame(name))
        return found

    def _reach(self) -> float:
        table = self.tree.table
        far = np.zeros(len(table.parent))
        for row in range(1, len(far)):
            far[row] = far[table.parent[row]] + float(np.linalg.norm(table.offset[row]))
        return max(0.5 * float(far.max()), 1e-3)

    def _range(self, problem: IkProblem) -> tuple[Array, Array, Array, Array]:
        """Least and largest joint positions of this question, and the joints' own limits, (nj,) each [rad]."""
        own_low, own_high = self._low, self._high
        if problem.most_motion is None:
            return own_low, own_high, own_low, own_high
        joints = problem.start.joints[self._leaders]
        low = np.clip(joints - problem.most_motion, own_low, own_high)
        high = np.clip(joints + problem.most_motion, own_low, own_high)
        return low, high, own_low, own_high

    def _motion(self, problem: IkProblem, low: Array, high: Array) -> MotionTable:
        layout = self._layout
        if problem.locked:
            layout = self._laid_out({int(self._leaders[self.robot.index(name)]) for name in problem.locked})
        column, joint, used = layout
        first = len(joint) - len(used)
        wanted, hold = problem.start.joints[self._leaders], np.full(len(joint), _STAY)
        postures = [task for task in problem.tasks if isinstance(task, PostureTask)]
        if len(postures) > 1:
            raise WholeBodyError("there is more than one posture task", value=len(postures), limit="one")
        for task in postures:
            if task.joints.shape != low.shape or np.shape(task.weight) not in ((), low.shape):
                raise WholeBodyError(
                    f"a posture task does not fit robot {self.robot.name!r}",
                    value=(task.joints.shape, np.shape(task.weight)),
                    limit=f"({len(low)},), and as many weights or one",
                )
            wanted = task.joints[self._leaders]
            hold[first:] = np.maximum(np.broadcast_to(task.weight, low.shape), 1e-12)[used]
        bounds = np.full((3, len(joint)), np.inf)
        bounds[0, :first], bounds[2, :first] = -np.inf, 0.0
        bounds[0, first:], bounds[1, first:], bounds[2, first:] = low[used], high[used], wanted[used]
        return MotionTable(self.tree.floating, self._size, column, joint, bounds[0], bounds[1], bounds[2], hold)

    def _laid_out(self, locked: set[int]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Variable of each link (nl,), joint of each variable (n,), and the joints that move."""
        first = 6 if self.tree.floating else 0
        joints = self.tree.table.joint.tolist()
        used = sorted(set(joints[1:]) - locked)
        variable = {joint: first + n for n, joint in enumerate(used)}
        column = np.array([variable.get(joint, -1) for joint in joints], dtype=np.int64)
        return column, np.array([-1] * first + used, dtype=np.int64), np.array(used, dtype=np.int64)

    def _goals(self, tasks: Sequence[Goal]) -> GoalTable:
        goals = []
        for task in tasks:
            if isinstance(task, ComTask):
                weight = [task.weight * float(each) for each in task.axes] + [0.0] * 3
                goals.append((COM, 3, _ORIGIN, _SQUARE, task.target, _SQUARE, weight))
            elif isinstance(task, PoseTask):
                frame = self.frame(task.frame)
                turn = task.turn_length**2 * (task.weight or 1.0)
                weight = [task.weight] * 3 + [turn] * 3
                goals.append(
                    (frame.link, 6, frame.place, frame.rotation, task.target, to_matrix(task.orientation), weight)
                )
            else:
                frame = self.frame(task.frame)
                weight = [task.weight] * 3 + [0.0] * 3
                goals.append((frame.link, 3, frame.place, frame.rotation, task.target, _SQUARE, weight))
        return goal_table(goals)

    def _places(self, problem: IkProblem) -> GoalTable:
        """The fixed frames' rows, their places those of the start where no others are given."""
        goals = []
        for each in problem.fixed:
            frame = self.frame(each.frame)
            place = _UNKNOWN[0] if each.position is None else each.position
            turn = _UNKNOWN if each.orientation is None else to_matrix(each.orientation)
            rows = 3 if each.turns else 6
            goals.append((frame.link, rows, frame.place, frame.rotation, place, turn, [1.0] * 3 + [self._size**2] * 3))
        table = goal_table(goals)
        position, orientation = self.base_of(problem.start)
        places_at(self.tree.table, problem.start.joints[self._leaders], position, orientation, table)
        return table

    def base_of(self, configuration: Configuration) -> tuple[Array, Array]:
        """Position (3,) [m] and orientation (4,) wxyz of the base; the model's where it is fixed to the world."""
        if not self.tree.floating:
            return self.tree.base_position.copy(), from_matrix(self.tree.base_rotation)
        return configuration.base_position.copy(), configuration.base_orientation.copy()


class _Found(NamedTuple):
    merit: tuple[float, float]
    joints: Array
    position: Array
    orientation: Array
    errors: Array
    held: Array
    side: NDArray[np.int64]


class _Search:
    """The best configuration of some starts."""

    def __init__(
        self,
        ik: WholeBodyIk,
        motion: MotionTable,
        tasks: GoalTable,
        fixed: GoalTable,
        start: Configuration,
        passes: int,
    ) -> None:
        self._ik, self._motion, self._tasks, self._fixed = ik, motion, tasks, fixed
        self._base = ik.base_of(start)
        self._best: _Found | None = None
        self.reached = False
        self._near = ik.settings.position_tolerance
        self._turn_near = ik.settings.orientation_tolerance
        self._passes, self._iterations = passes, 0
        self._count = 0

    def run(self, joints: Array) -> None:
        """Search from joint positions (nj,) [rad], the base as at the start; keep what is better than before."""
        joints, position, orientation = joints.copy(), self._base[0].copy(), self._base[1].copy()
        if not self._kept_from(joints, position, orientation):
            # The fixed frames are not in their places and linear steps do not bring them there: search for that alone.
            self._solve(self._fixed, _NOTHING, joints, position, orientation)
            self._kept_from(joints, position, orientation)

    def start_again(self, first: Array, low: Array, high: Array) -> None:
        """Search from elsewhere until all is reached: away from stretched limbs, then over the joints' whole ranges.

        The latter gives the fixed frames free at first, as tasks among the others: so a leg can change to another
        branch. Joints of limbs that have found their places stay in the next try, the others are thrown anew.
        """
        tries = self._ik.settings.restarts
        for share in _NUDGES[:tries]:
            if self.reached:
                return
            self.run(_towards_middle(self._motion, first, low, high, share))
        bounded = np.isfinite(low) & np.isfinite(high)
        floor, span = np.where(bounded, low, first), np.where(bounded, high - low, 0.0)
        pace = kronecker(len(first))
        both = stacked(self._fixed, self._tasks, 1.0)
        chains = [self._chain(link) for link in both.link.tolist()]
        again = self._chain(COM)
        joints, position, orientation = first.copy(), self._base[0].copy(), self._base[1].copy()
        for number in range(1, tries - len(_NUDGES) + 1):
            if self.reached:
                return
            thrown = floor + span * np.remainder(0.5 + number * pace, 1.0)
            joints[again] = thrown[again]
            errors, *_ = self._solve(both, _NOTHING, joints, position, orientation)
            done = within(both, errors, 10.0 * self._near, 10.0 * self._turn_near)
            found = joints.copy(), position.copy(), orientation.copy()
            self._kept_from(*found)
            settled = np.zeros(len(first), dtype=np.bool_)
            again = np.zeros(len(first), dtype=np.bool_)
            for good, chain in zip(done, chains, strict=True):
                (settled if good else again)[chain] = True
            again &= ~settled
            if not again.any():
                again = self._chain(COM)

    def moved(self, first: Array) -> float:
        """Largest change of a joint from ``first`` in the best answer [rad]."""
        return 0.0 if self._best is None else float(np.abs(self._best.joints - first).max())

    def _chain(self, link: int) -> NDArray[np.bool_]:
        """Entries of the joint array that move a link and may move; all that may for the centre of mass."""
        table, motion = self._ik.tree.table, self._motion
        mask = np.zeros(len(self._ik.robot.joints), dtype=np.bool_)
        rows = list(range(1, len(table.parent))) if link == COM else []
        while link > 0:
            rows.append(link)
            link = int(table.parent[link])
        for row in rows:
            if motion.column[row] >= 0:
                mask[table.joint[row]] = True
        return mask

    def _kept_from(self, joints: Array, position: Array, orientation: Array) -> bool:
        """Search with the fixed frames as constraints, and note what was found; whether they are in their places."""
        self._count += 1
        errors, held, side, cost, kept = self._solve(self._tasks, self._fixed, joints, position, orientation)
        merit = (0.0 if kept else float(np.abs(held).max()), cost)
        if self._best is None or merit < self._best.merit:
            found = joints.copy(), position.copy(), orientation.copy()
            self._best = _Found(merit, *found, errors, held, side)
            self.reached = kept and all(within(self._tasks, errors, self._near, self._turn_near))
        return kept

    def _solve(
        self, tasks: GoalTable, fixed: GoalTable, joints: Array, position: Array, orientation: Array
    ) -> tuple[Array, Array, NDArray[np.int64], float, bool]:
        errors, held = np.zeros(int(tasks.rows.sum())), np.zeros(int(fixed.rows.sum()))
        side = np.zeros(len(self._motion.joint), dtype=np.int64)
        passes, cost, kept = solve_whole_body(
            self._ik.tree.table,
            self._motion,
            tasks,
            fixed,
            joints,
            position,
            orientation,
            0.1 * self._near,
            0.1 * self._turn_near,
            self._passes,
            errors,
            held,
            side,
        )
        self._iterations += passes
        return errors, held, side, cost, kept

    def answer(
        self,
        tasks: Sequence[Goal],
        fixed: Sequence[FixedFrame],
        ranges: tuple[Array, Array, Array, Array],
    ) -> IkAnswer:
        """The best as it is told."""
        if self._best is None:
            raise WholeBodyError("an answer comes after a search")
        _, joints, position, orientation, errors, held, side = self._best
        low, high, own_low, own_high = ranges
        leaders = self._ik._leaders
        joints = joints[leaders]
        names = self._ik.robot.joint_names
        active = []
        for variable, way in enumerate(side.tolist()):
            if way:
                joint = int(self._motion.joint[variable])
                limit, own = (low, own_low) if way < 0 else (high, own_high)
                active.append(ActiveLimit(names[joint], way, float(limit[joint]), bool(limit[joint] != own[joint])))
        near, turn = self._near, self._turn_near
        told = residuals(
            ["com" if isinstance(task, ComTask) else task.frame for task in tasks], self._tasks, errors, near, turn
        )
        stayed = residuals([each.frame for each in fixed], self._fixed, held, near, turn)
        return IkAnswer(
            joints=joints,
            base_position=position,
            base_orientation=orientation,
            residuals=told,
            fixed=stayed,
            reached=all(each.reached for each in (*told, *stayed)),
            active=tuple(active),
            iterations=self._iterations,
            starts=self._count,
        )


def within(goals: GoalTable, errors: Array, near: float, turn_near: float) -> list[bool]:
    """Whether each goal's errors are within the tolerances [m], [rad]; axes without weight do not count."""
    return [
        all(abs(error) <= near for error in place) and all(abs(error) <= turn_near for error in turn)
        for place, turn in _parts(goals, errors)
    ]


def residuals(
    names: Sequence[str], goals: GoalTable, errors: Array, near: float, turn_near: float
) -> tuple[Residual, ...]:
    """What is left of each goal."""
    reached = within(goals, errors, near, turn_near)
    return tuple(
        Residual(name, math.hypot(*place), math.hypot(*turn), good)
        for name, (place, turn), good in zip(names, _parts(goals, errors), reached, strict=True)
    )


def _parts(goals: GoalTable, errors: Array) -> Iterator[tuple[list[float], list[float]]]:
    """Errors of place and orientation of each goal, 0 along axes without weight."""
    values, row = errors.tolist(), 0
    for rows, weight in zip(goals.rows.tolist(), goals.weight.tolist(), strict=True):
        part = [each if share > 0.0 else 0.0 for each, share in zip(values[row : row + rows], weight, strict=False)]
        yield part[:3], part[3:]
        row += rows


def kronecker(size: int) -> Array:
    """Steps, (size,), whose multiples modulo 1 fill a box evenly, a sequence of Kronecker's with the powers of 1 / r.

    r is the root of r^(size + 1) = r + 1 (Roberts, The Unreasonable Effectiveness of Quasirandom Sequences, 2018).
    """
    root = 2.0
    for _ in range(60):
        root = float((1.0 + root) ** (1.0 / (size + 1)))
    return np.asarray(np.power(root, -np.arange(1.0, size + 1)))


def _towards_middle(motion: MotionTable, first: Array, low: Array, high: Array, share: float) -> Array:
    """Joint positions (nj,) [rad] a share of the way from ``first`` to the middle of the ranges of those that move."""
    joints = first.copy()
    moving = motion.joint[motion.joint >= 0]
    bounded = moving[np.isfinite(low[moving]) & np.isfinite(high[moving])]
    joints[bounded] += share * (0.5 * (low[bounded] + high[bounded]) - first[bounded])
    return joints


_NOTHING = goal_table([])
