"""FinishedRun: a run that is over, with everything by which it is measured, judged, told and drawn."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import mujoco
import numpy as np
from numpy.typing import NDArray

from andante.motions.library import PostureKind
from andante.robots.records import Vector
from andante.runs.backends.kind import EVIDENCE
from andante.runs.build import Parts, picture_model
from andante.runs.evaluation.balance import FootTrack, balance_of, foot_tracks
from andante.runs.evaluation.falls import tilt_of
from andante.runs.evaluation.observed import measures_no_orientation
from andante.runs.evaluation.standing import Standing
from andante.runs.evaluation.touches import Touches, touches_of
from andante.runs.logs.log import ChannelRows, Log
from andante.runs.loop.outcome import Outcome
from andante.runs.loop.tick import Observer
from andante.runs.scenario import FallRule, Scenario
from andante.runs.tasks.asking import Tasks
from andante.spatial.rotations import to_matrix

_STEEP = math.radians(30.0)
"""Feet that lie in a steeper plane do not stand on ground [rad]."""
_LEVEL_FEET = 4
"""A robot on so many feet keeps its trunk level where it sits or lies; one on two may lie on any side."""
_SITS, _LIES = (math.radians(75.0), math.radians(45.0)), (math.radians(50.0), math.radians(45.0))
"""Largest tilt and roll of a robot that sits, and of one that lies on its belly [rad]."""


@dataclass(frozen=True, eq=False)
class FinishedRun:
    """A run that is over."""

    scenario: Scenario
    """What was run."""
    parts: Parts
    """What it was run with."""
    log: Log
    """What was recorded."""
    outcome: Outcome
    """What the session told."""
    kept: Mapping[str, tuple[Observer, ...]] = field(default_factory=dict)
    """What `TaskKind.keepers` kept for pictures, by the task's type; without a report nothing."""

    @cached_property
    def drawn_model(self) -> mujoco.MjModel:
        """The model of the world for pictures: with visual meshes, where the robot has any.

        Raises:
            RobotError: The file of these meshes cannot be read any more.
        """
        robot, scenario = self.parts.robot, self.scenario
        if robot.visuals is None:
            return self.parts.model
        return picture_model(robot, scenario.world, scenario.seed, drawn=True)

    @cached_property
    def tasks(self) -> Tasks:
        """The tasks of the run."""
        return Tasks(self.scenario)

    @cached_property
    def truth(self) -> ChannelRows | None:
        """Ground truth; None where there is none, or no row of it."""
        truth = self.log.channels.get("truth")
        return truth if truth is not None and len(truth.rows) else None

    @cached_property
    def unwatched(self) -> bool:
        """Whether nothing tells a fall: no ground truth, and a robot, or its fake, that measures no orientation."""
        return self.truth is None and self.scenario.moved.source in EVIDENCE[1:] and measures_no_orientation(self.log)

    @cached_property
    def tracks(self) -> list[FootTrack]:
        """Where each foot was, and what it carried, at each row of the ground truth.

        Raises:
            LogError: There is no ground truth.
        """
        truth = self.log.rows("truth")
        return foot_tracks(truth, self.parts.robot, self.parts.model, np.arange(len(truth.rows)))

    @cached_property
    def touches(self) -> Touches:
        """What of the robot but its feet touched the ground.

        Raises:
            LogError: There is no ground truth.
        """
        return touches_of(self.log.rows("truth"), self.parts.robot, self.parts.model)

    def why_not(self, kind: PostureKind) -> tuple[str, str]:
        """Why the robot does not sit or lie at the end (empty where it does), and how it is."""
        success, truth = self.scenario.success, self.log.rows("truth")
        rows = truth.times >= truth.times[-1] - success.upright.hold - 1e-9
        tilts, heights = self.posture
        tilt, height = float(tilt_of(truth)[rows].max()), float(truth["base_height"][rows, 0].mean())
        roll = float(np.abs(truth["roll"][rows, 0]).max())
        how = f"base {height:.3f} m high, torso tilted {math.degrees(tilt):.1f} deg"
        limits = {PostureKind.SIT: _SITS, PostureKind.LIE: _LIES}
        level = kind is PostureKind.SIT or len(self.parts.robot.feet) >= _LEVEL_FEET
        if kind in limits and level:
            most, aside = limits[kind]
            if tilt > most:
                return f"the torso tilted {math.degrees(tilt):.1f} deg (limit {math.degrees(most):.0f} deg)", how
            if roll > aside:
                return f"it lay on its side, rolled {math.degrees(roll):.1f} deg", how
        standing = self.parts.standing_height
        reference = float(truth["base_height"][0, 0]) if standing is None else standing
        if Standing.by(success.upright, reference).holds(
            math.cos(float(tilts[rows].max())), float(heights[rows].min())
        ):
            return f"it stood, {how}", how
        return "", how

    @property
    def fall_rule(self) -> FallRule:
        """What counts as a fall; what motions say may touch the ground does not."""
        rule = self.scenario.success.fall
        return rule.but(contact=False) if "*" in self.parts.asked.may_touch else rule

    @cached_property
    def touching(self) -> NDArray[np.bool_] | None:
        """When something touched the ground that may not, (n,); None: whatever is no foot may not.

        Where a foot is a ball at the end of its shank, the truth's count takes the shank for the foot; a motion that
        rests on its shanks is then told by the places of the contacts.
        """
        asked, rule = self.parts.asked, self.fall_rule
        robot, model, allowed = self.parts.robot, self.parts.model, asked.may_touch
        shanks = asked.ends is not None and any(foot.radius > 0.0 for foot in robot.feet)
        if not rule.contact or not (allowed or shanks):
            return None
        bodies = set(allowed)
        for name in allowed:
            bodies |= {model.body(int(model.joint(joint).bodyid[0])).name for joint in robot.groups.get(name, ())}
        found = np.zeros(len(self.touches.times), np.bool_)
        for name, holds in self.touches.bodies.items():
            if name not in bodies:
                found |= holds
        return found

    @cached_property
    def posture(self) -> tuple[Vector, Vector]:
        """Tilt of the torso [rad] and height of the base [m], (n,) each, against what the robot stands on.

        That is the plane through its feet, for three or more of them, where it is no steeper than `_STEEP`; else the
        vertical and the ground below the base.
        """
        truth, feet = self.log.rows("truth"), self.parts.robot.feet
        tilts, heights = tilt_of(truth), truth["base_height"][:, 0].copy()
        if len(feet) < 3 or truth["qpos"].shape[1] < 7:
            return tilts, heights
        soles = np.array([track.position for track in self.tracks]).swapaxes(0, 1)
        soles[:, :, 2] -= [foot.radius for foot in feet]
        middle = soles.mean(axis=1)
        normals = np.linalg.svd(soles - middle[:, None])[2][:, 2]
        normals *= np.where(normals[:, 2:] < 0.0, -1.0, 1.0)
        up = to_matrix(truth["qpos"][:, 3:7])[:, :, 2]
        flat = normals[:, 2] >= math.cos(_STEEP)
        own = np.arccos(np.clip((up * normals).sum(axis=1), -1.0, 1.0))
        over = ((truth["qpos"][:, :3] - middle) * normals).sum(axis=1)
        return np.where(flat, np.minimum(own, tilts), tilts), np.where(flat, over, heights)

    @cached_property
    def balance(self) -> tuple[float, ChannelRows] | None:
        """Slip [m] and balance over time; None without feet or ground truth."""
        if self.truth is None or not self.parts.robot.feet:
            return None
        return balance_of(self.truth, self.parts.robot, self.tracks, threshold=self.parts.threshold)
