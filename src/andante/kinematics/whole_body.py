"""Whole-body inverse kinematics of any robot that is a tree of joints, with or without a floating base.

    ik = WholeBodyIk(robot)
    answer = ik.solve(start, [PositionTask("r_hand", target)], fixed=feet_fixed(robot))

Fixed frames are constraints: the answer keeps them in their places to 1e-8 m wherever they can be reached at all. Tasks
are reached as well as that and the joints' limits allow. What a target nobody can reach leaves is told: the residual of
each task and the limits that the answer rests on. Nothing is kept between calls; the same question has the same answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from andante.documents.quantities import Count, PositiveCount, PositiveLength
from andante.documents.settings import Settings
from andante.kinematics.tree_table import RobotTree, TreeFrame
from andante.kinematics.whole_body_goals import places_at
from andante.kinematics.whole_body_problem import (
    ComTask,
    Configuration,
    FixedFrame,
    IkAnswer,
    IkProblem,
    PoseTask,
    PositionTask,
    PostureTask,
    Task,
    WholeBodyError,
    active_limits,
    residuals,
)
from andante.kinematics.whole_body_search import Search
from andante.kinematics.whole_body_tables import COM, GoalTable, MotionTable, goal_table
from andante.robots.robot import Robot
from andante.spatial.arrays import Array, Index
from andante.spatial.rotations import from_matrix, to_matrix

_STAY = 1e-8
"""Weight of the squared way from the start where no task says more [m^2/rad^2]."""
Goal = PositionTask | PoseTask | ComTask
_ORIGIN, _SQUARE, _UNKNOWN = np.zeros(3), np.eye(3), np.full((3, 3), np.nan)
_ORIENTATION_TOLERANCE = 1e-3
"""An orientation is reached within this, about each axis [rad]."""
_CAPPED_PASSES = 18
"""Most iterations of a search with a cap of motion: the next drag event goes on from there."""


class WholeBodySettings(Settings):
    """When whole-body inverse kinematics is content, and how long it tries."""

    position_tolerance: PositiveLength = 1e-4
    """A target's place is reached within this, along each axis [m]."""
    passes: PositiveCount = 60
    """Most iterations of a search."""
    restarts: Count = 30
    """Most other starts of a search that does not reach all targets; with a cap of motion one at most,
    from a stretched limb."""


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
        self._leaders = robot.leaders
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
        tasks, fixed = self._goals(goals), self._places(problem)
        near, turn_near = settings.position_tolerance, _ORIENTATION_TOLERANCE
        passes = settings.passes if problem.most_motion is None else min(settings.passes, _CAPPED_PASSES)
        search = Search(self.tree, motion, tasks, fixed, self.base_of(start), near, turn_near, passes)
        first = np.clip(start.joints, low, high)[self._leaders]
        search.run(first)
        if problem.most_motion is None:
            search.start_again(first, low, high, settings.restarts)
        else:
            search.start_again_if_stuck(first, low, high)
        best = search.best
        names = ["com" if isinstance(task, ComTask) else task.frame for task in goals]
        left = residuals(names, tasks, best.errors, near, turn_near)
        stayed = residuals([each.frame for each in problem.fixed], fixed, best.held, near, turn_near)
        return IkAnswer(
            joints=best.joints[self._leaders],
            base_position=best.position,
            base_orientation=best.orientation,
            residuals=left,
            fixed=stayed,
            reached=all(each.reached for each in (*left, *stayed)),
            active=active_limits(self.robot.joint_names, motion, best.side, (low, high, own_low, own_high)),
            iterations=search.iterations,
            starts=search.starts,
        )

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

    def _laid_out(self, locked: set[int]) -> tuple[Index, Index, Index]:
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
