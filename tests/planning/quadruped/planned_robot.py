"""A robot whose state a test sets, its local planner, and solvers that only share the weight."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from andante.planning.nmpc.problem import NmpcSolution, NmpcStatus
from andante.planning.nmpc.settings import NmpcSettings
from andante.planning.quadruped.body_plan import BodyPlan
from andante.planning.quadruped.local_plan import LocalRequest
from andante.planning.quadruped.local_planner import LocalPlanner
from andante.planning.quadruped.settings import LocalSettings
from andante.spatial.gravity import GRAVITY

STEP, ROWS = 0.03, 15
ALL, NONE = np.ones(4, dtype=np.bool_), np.zeros(4, dtype=np.bool_)


class Growing:
    """In row k every foot carries 1 + k times its share of the weight; states are those that are asked for."""

    def __init__(self, body, grows=0.0):
        self.settings, self.weight, self.grows = NmpcSettings(states=ROWS), body.rigid.mass * GRAVITY, grows
        self.asked, self.fails = [], 0

    def solve(self, problem, guess=None):
        self.asked.append((problem, guess))
        forces = np.zeros_like(problem.feet)
        forces[:, :, 2] = 0.25 * self.weight * (1.0 + self.grows * np.arange(ROWS - 1))[:, None]
        status = NmpcStatus.SOLVED
        if self.fails:
            self.fails, status = self.fails - 1, NmpcStatus.INFEASIBLE
        return NmpcSolution(status, problem.reference, forces, 0.0, 1, 0.0, "")


class Robotic:
    """A planner, what its parts were asked, and a body whose state the test sets."""

    def __init__(self, body, grows=0.0, ground=None, **changes):
        self.body, self.solver, self.catching = body, Growing(body, grows), Growing(body)
        settings = LocalSettings().changed(**changes)
        self.fitted = settings.fitted(body)
        self.planner = LocalPlanner(body, self.solver, settings, ground, self.catching)
        self.feet = body.hips - body.com
        self.feet[:, 2] = body.radius
        self.state = np.zeros(12)
        self.state[:2] = self.feet[:, :2].mean(axis=0) + (body.com - body.hips.mean(axis=0))[:2]
        self.state[2] = body.height

    def request(self, time=0.0, twist=(0.0, 0.0, 0.0), contact=ALL, course=None, start=0.0):
        state, feet = self.state.copy(), self.feet.copy()
        return LocalRequest(time, state, feet, contact, np.array(twist), plan=course, plan_start=start)

    def plan(self, *args, **named):
        return self.planner.plan(self.request(*args, **named))

    def moved(self, x, y, yaw):
        """The robot elsewhere."""
        turn, way = Rotation.from_euler("z", yaw), np.array([x, y, 0.0])
        self.feet, self.state[:3] = turn.apply(self.feet) + way, turn.apply(self.state[:3]) + way
        self.state[5] += yaw
        return self


def course(body, kinds, **columns):
    """A body plan at standing height."""
    states = np.zeros((len(kinds), 12))
    states[:, 2] = body.height
    names = ("x", "y", "z", "roll", "pitch", "yaw", "vx", "vy", "vz")
    for name, values in columns.items():
        states[:, names.index(name)] = values
    return BodyPlan(STEP, states, np.zeros((len(kinds), 3)), np.array(kinds, dtype=np.int64))
