"""Touches: which of a robot's links touch the ground, worked out anew from the recorded state.

The truth counts contacts by body, and a shank is often the same body as its foot. A contact is the foot's own within a
little more than its ball's radius.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from itertools import takewhile

import mujoco
import numpy as np
from numpy.typing import NDArray

from andante.robots.records import Vector
from andante.robots.robot import Robot
from andante.robots.tree import upwards
from andante.runs.logs.log import ChannelRows

Holds = NDArray[np.bool_]
_BALL, _NEAR = 1.3, 0.002
"""A contact is the foot's own within this many radii, and this far more [m], from the ball's centre."""


class Link(StrEnum):
    """What a body is to the leg that it belongs to."""

    FOOT = "foot"
    CALF = "calf"
    """What the joint next to the foot moves."""
    THIGH = "thigh"
    """What is between that and the trunk: upper links and hips."""
    TRUNK = "trunk"
    """All the rest: base, head, arms, tail."""


@dataclass(frozen=True, eq=False)
class Touches:
    """What touched the ground, by body; feet that touch as feet do are left out."""

    times: Vector
    """Moments, (n,) [s]."""
    bodies: dict[str, Holds]
    """By body that ever touched, when, (n,) each."""
    links: dict[str, Link]
    """What each of those bodies is."""
    places: Vector
    """Where the base was, (n, 2) [m]."""

    @property
    def period(self) -> float:
        """Time between two moments [s]."""
        return float(np.median(np.diff(self.times))) if len(self.times) > 1 else 0.0

    def when(self, link: Link) -> Holds:
        """When any body of a kind touched, (n,)."""
        found = np.zeros(len(self.times), np.bool_)
        for name, holds in self.bodies.items():
            if self.links[name] is link:
                found |= holds
        return found

    def time(self, link: Link) -> float:
        """How long bodies of a kind touched in all [s]."""
        return round(self.period * int(self.when(link).sum()), 6)

    def first(self, link: Link) -> tuple[float, str, tuple[float, float]] | None:
        """When a body of a kind touched first [s], which, and where the base was [m]; None: none did."""
        found = [(int(np.argmax(holds)), name) for name, holds in self.bodies.items() if self.links[name] is link]
        if not found:
            return None
        row, name = min(found)
        return float(self.times[row]), name, (float(self.places[row, 0]), float(self.places[row, 1]))


def links_of(robot: Robot, model: mujoco.MjModel) -> dict[int, Link]:
    """What each body of the robot is, by the body's number in the model."""
    root = model.body_rootid[model.body(robot.base_body).id]
    found = {body: Link.TRUNK for body in range(1, model.nbody) if model.body_rootid[body] == root}
    base = int(model.body(robot.base_body).id)
    for foot in robot.feet:
        chain = list(takewhile(lambda body: body != base, upwards(model, int(model.body(foot.body).id))))
        if not (foot.radius > 0.0 or not foot.outline):
            found[int(model.body(foot.body).id)], chain = Link.FOOT, chain[1:]
        jointed = [body for body in chain if model.body_jntnum[body] > 0]
        calf = jointed[0] if jointed else None
        for body in chain:
            found[body] = Link.CALF if calf is None or body >= calf else Link.THIGH
    return found


def touches_of(truth: ChannelRows, robot: Robot, model: mujoco.MjModel) -> Touches:
    """What touched the ground at each row of a truth.

    Args:
        truth: The recorded truth.
        robot: The robot.
        model: The world's model, as the run had it.
    """
    data, links = mujoco.MjData(model), links_of(robot, model)
    root = model.body_rootid[model.body(robot.base_body).id]
    balls = {
        int(model.body(foot.body).id): (model.site(foot.site).id, _BALL * foot.radius + _NEAR)
        for foot in robot.feet
        if foot.radius > 0.0 or not foot.outline
    }
    own = model.body_rootid[model.geom_bodyid] == root
    ground = model.body_weldid[model.geom_bodyid] == 0
    count = len(truth.rows)
    found: dict[int, Holds] = {}
    for row in range(count):
        data.qpos[:] = truth["qpos"][row]
        mujoco.mj_kinematics(model, data)
        mujoco.mj_collision(model, data)
        for (one, other), place, apart in zip(data.contact.geom, data.contact.pos, data.contact.dist, strict=True):
            if apart > 0.0 or not ((own[one] and ground[other]) or (own[other] and ground[one])):
                continue
            body = int(model.geom_bodyid[one if own[one] else other])
            site, reach = balls.get(body, (0, -1.0))
            if links[body] is not Link.FOOT and float(np.linalg.norm(place - data.site_xpos[site])) > reach:
                found.setdefault(body, np.zeros(count, np.bool_))[row] = True
    named = {body: model.body(body).name for body in sorted(found)}
    return Touches(
        truth.times,
        {name: found[body] for body, name in named.items()},
        {name: links[body] for body, name in named.items()},
        truth["qpos"][:, :2],
    )
