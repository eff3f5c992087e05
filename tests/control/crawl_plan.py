"""A plan made by hand for level ground: slow enough that statics carry it, no search and no trajectory needed."""

from __future__ import annotations

import numpy as np

from andante.control.estimation.estimator import BodyState
from andante.kinematics.com_ik import com_ik
from andante.kinematics.leg_table import LeggedBody
from andante.planning.plans import Footstep, FootstepPlan
from andante.planning.walk_plan import Swing, WalkPlan
from andante.robots.robot import Robot

PERIOD = 0.01
_ORDER = (3, 1, 2, 0)
_QUAD, _AIR, _LIFT, _HEIGHT = 25, 30, 0.025, 0.125


def littledog() -> LeggedBody:
    return LeggedBody.of(Robot.load("littledog"))


def still(position, feet, contact=(True,) * 4, velocity=(0.0, 0.0, 0.0), orientation=(1.0, 0.0, 0.0, 0.0)) -> BodyState:
    """What is estimated of a robot that is level, its centre of mass in its base, with its feet at these places."""
    return BodyState(
        time=0.0,
        position=np.array(position, dtype=float),
        orientation=np.array(orientation, dtype=float),
        rotation=np.eye(3),
        velocity=np.array(velocity, dtype=float),
        com=np.array(position, dtype=float),
        feet=np.array(feet, dtype=float),
        contact=np.array(contact, dtype=bool),
        slip=np.zeros(4),
        spread=0.0,
        blind=0.0,
    )


def smooth(share):
    return share**3 * (10.0 - 15.0 * share + 6.0 * share * share)


def level_walk(body: LeggedBody, steps: int = 8, stride: float = 0.08, ground: float = 0.0) -> WalkPlan:
    """Some crawl steps straight ahead from feet around the origin; ``ground`` is the height that is planned for."""
    radius = float(body.table.radius[0])
    feet = np.array([[0.095, 0.08], [0.095, -0.08], [-0.095, 0.08], [-0.095, -0.08]])
    feet = np.column_stack([feet, np.full(4, radius + ground)])
    start, centre = feet.copy(), np.array([0.0, 0.0, _HEIGHT + ground])
    rows, coms, swinging, swings, footsteps = [feet], [centre], [-1], [], []
    for number in range(steps):
        leg = _ORDER[number % 4]
        others = np.delete(feet, leg, axis=0)[:, :2].mean(axis=0)
        target = np.array([0.5 * (others[0] + feet[:, 0].mean()), 0.9 * others[1], _HEIGHT + ground])
        for k in range(1, _QUAD + 1):
            rows.append(feet)
            coms.append(centre + (target - centre) * smooth(k / _QUAD))
            swinging.append(-1)
        lift_off, begin, place = len(rows) - 1, feet[leg], feet[leg] + np.array([stride, 0.0, 0.0])
        for k in range(1, _AIR + 1):
            share = k / _AIR
            now = feet.copy()
            now[leg] = begin + (place - begin) * smooth(np.clip((share - 0.2) / 0.6, 0.0, 1.0))
            now[leg, 2] += _LIFT * smooth(min(share / 0.35, 1.0)) * smooth(min((1.0 - share) / 0.35, 1.0))
            rows.append(now)
            coms.append(target)
            swinging.append(leg)
        feet, centre = rows[-1], target
        swings.append(Swing(number, leg, lift_off, len(rows) - 1))
        footsteps.append(Footstep(leg, place, float(place[2]) + _LIFT))
    home = np.array([*feet[:, :2].mean(axis=0), _HEIGHT + ground])
    for k in range(1, 31):
        rows.append(feet)
        coms.append(centre + (home - centre) * smooth(k / 30))
        swinging.append(-1)
    com, places = np.array(coms), np.array(rows)
    poses = [com_ik(body, c, f) for c, f in zip(com, places, strict=True)]
    return WalkPlan(
        footsteps=FootstepPlan(start, tuple(footsteps)),
        period=PERIOD,
        swings=tuple(swings),
        com=com,
        zmp=com[:, :2].copy(),
        position=np.array([pose.position for pose in poses]),
        rpy=np.zeros_like(com),
        feet=places,
        angles=np.array([pose.angles for pose in poses]),
        swinging=np.array(swinging),
        margin=np.zeros(len(com)),
        slack=np.array([pose.slack for pose in poses]),
    )
