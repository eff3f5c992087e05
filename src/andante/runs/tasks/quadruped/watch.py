"""QuadrupedWatch: sees a run of a dynamic quadruped from ground truth, with nothing recorded to a file."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from andante.backends.backend import Backend
from andante.backends.mujoco_world import MujocoWorld
from andante.control.controller import ControlEvent
from andante.control.events import EventKind
from andante.control.quadruped.controller import QuadrupedController
from andante.robots.records import Record, Vector
from andante.robots.tree import upwards
from andante.runs.errors import RunError
from andante.runs.evaluation.touches import Holds, Link
from andante.runs.loop.tick import Observer, Tick
from andante.runs.tasks.quadruped.trace import PlanFigures, PlanKeeper, QuadrupedTrace

_GRAZE = 1.25
"""A leg touches with its foot within so many radii of the foot's centre."""
_TOLD = (
    *(EventKind.HELP, EventKind.DRIVE, EventKind.UNSOLVED, EventKind.UNSAFE_FOOTHOLD),
    *(EventKind.ESTIMATE, EventKind.LATE),
)


class QuadrupedWatch(Observer):
    """Collects ground truth, telemetry, touches and plans of every tick.

    Args:
        world: The world of the run.
        controller: Its controller.
        friction: Friction coefficient of the plans.
        bounds: Least and largest vertical force of a standing foot [N].

    Raises:
        RunError: The robot's legs are no legs of three joints.
    """

    def __init__(
        self, world: MujocoWorld, controller: QuadrupedController, friction: float, bounds: tuple[float, float]
    ) -> None:
        self._world = world
        self._keeper = PlanKeeper(controller, friction, bounds)
        self._part = _parts(world)
        robot, model = world.robot, world.model
        self._sites = np.array([model.site(foot.site).id for foot in robot.feet])
        self._radius = np.array([foot.radius for foot in robot.feet])
        self._leg = {int(model.body(foot.body).id): leg for leg, foot in enumerate(robot.feet)}
        for body in range(1, model.nbody):
            # A calf belongs to the foot that hangs on it.
            for leg, foot in enumerate(robot.feet):
                if body in upwards(model, int(model.body(foot.body).id)) and self._part[body] is Link.CALF:
                    self._leg[body] = leg
        self._forget()

    def _forget(self) -> None:
        self._truth: list[Vector] = []
        self._telemetry: list[Vector] = []
        self._moments: list[float] = []
        self._layouts: tuple[Record, Record] | None = None
        self._touch: list[tuple[Link, ...]] = []
        self._itself: list[bool] = []
        self.lowest = np.inf
        """Lowest point of a foot over the floor's plane, or over height 0 of a terrain [m]."""
        self.events: list[ControlEvent] = []
        """What controller and planner told of their troubles."""

    def begin(self, backend: Backend) -> None:
        """Forget everything."""
        self._forget()
        self._keeper.begin(backend)

    def see(self, tick: Tick) -> None:
        """Keep what is true and what is told now."""
        truth, telemetry = tick.truth, tick.telemetry
        if truth is None or telemetry is None:
            raise RunError("a quadruped is watched where there are ground truth and telemetry", value=repr(tick))
        self._layouts = self._layouts or (truth, telemetry)
        self._moments.append(tick.time)
        self._truth.append(truth.vector)
        self._telemetry.append(telemetry.vector)
        self._touch.append(self._touches(bool(truth["other_contacts"][0] > 0.0)))
        contact = self._world.data.contact
        pairs = self._world.model.geom_bodyid[contact.geom]
        self._itself.append(bool(((pairs > 0).all(axis=1) & (contact.dist <= 0.0)).any()))
        self._look_down()
        self._keeper.see(tick)
        self.events += [event for event in tick.events if event.kind in _TOLD]

    @property
    def trace(self) -> QuadrupedTrace:
        """What has been seen.

        Raises:
            TraceError: Less than two ticks.
        """
        if self._layouts is None:
            raise RunError("nothing has been seen")
        truth, telemetry = (each.layout for each in self._layouts)
        return QuadrupedTrace.of(
            np.array(self._moments), (truth, np.array(self._truth)), (telemetry, np.array(self._telemetry))
        )

    @property
    def plans(self) -> list[PlanFigures]:
        """Figures of every plan that was used."""
        return self._keeper.figures

    @property
    def touches(self) -> dict[Link, Holds]:
        """When each part but the feet touches the ground, (n,) each."""
        return {link: self._when(link) for link in Link if link is not Link.FOOT}

    @property
    def grounded(self) -> Holds:
        """When a foot touches the ground, (n,)."""
        return self._when(Link.FOOT)

    def _when(self, link: Link) -> Holds:
        return np.array([link in touch for touch in self._touch], dtype=np.bool_)

    @property
    def itself(self) -> Holds:
        """When the robot touches itself, (n,)."""
        return np.array(self._itself, dtype=np.bool_)

    def _touches(self, others: bool) -> tuple[Link, ...]:
        """Which parts touch the ground; only feet can where the world counts no others."""
        model, data = self._world.model, self._world.data
        contact = data.contact
        bodies = model.geom_bodyid[contact.geom]
        # A model with a margin presses before its shapes meet: what carries a foot is a contact that gives a force.
        rows = np.flatnonzero((bodies == 0).any(axis=1) & (contact.efc_address >= 0))
        if not others:
            return (Link.FOOT,) if len(rows) else ()
        found = set()
        for row in rows:
            body = int(bodies[row].max())
            part = self._part[body]
            leg = self._leg.get(body)
            if leg is not None:
                away = contact.pos[row] - data.site_xpos[self._sites[leg]]
                part = Link.FOOT if float(away @ away) <= (_GRAZE * self._radius[leg]) ** 2 else Link.CALF
            if part is Link.FOOT or contact.dist[row] <= 0.0:
                found.add(part)
        return tuple(found)

    def _look_down(self) -> None:
        """Follow the lowest foot."""
        world = self._world
        feet = world.data.site_xpos[self._sites]
        heights = feet[:, 2] - self._radius
        if world.config.terrain is None:
            slope = world.model.geom("andante_floor")
            normal = world.data.geom_xmat[slope.id].reshape(3, 3)[:, 2]
            heights = feet @ normal - self._radius
        self.lowest = min(self.lowest, float(heights.min()))


def _parts(world: MujocoWorld) -> Sequence[Link]:
    """What each body of the model is, by the joint on which it hangs."""
    from andante.kinematics.leg_table import LeggedBody

    model, names = world.model, world.robot.joint_names
    kinds = {}
    for leg in LeggedBody.of(world.robot).legs:
        for joint, part in zip(leg.indices, (Link.THIGH, Link.THIGH, Link.CALF), strict=True):
            kinds[int(model.joint(names[joint]).bodyid[0])] = part
    return [
        next((kinds[above] for above in upwards(model, body) if above in kinds), Link.TRUNK)
        for body in range(model.nbody)
    ]
