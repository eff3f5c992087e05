"""The posture under way: start, target and stiffness of every joint."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from andante.control.keyframes.compiled import CompiledBlock, CompiledKeyframe
from andante.robots.records import Vector
from andante.robots.robot import Robot


class PosturePlayer:
    """Interpolates from start to target and keeps what every joint was asked last.

    Args:
        robot: The robot.
    """

    def __init__(self, robot: Robot) -> None:
        nj = len(robot.joints)
        self.cap = 1.0
        """Largest stiffness that is commanded; 1 for all there is."""
        self._followers, self._leaders = robot.followers, robot.leaders[robot.followers]
        self._lower, self._upper, self._speed = robot.lower, robot.upper, robot.max_velocity
        self.start = np.zeros(nj)
        """Posture at the keyframe's start, (nj,) [rad]."""
        self.target = np.zeros(nj)
        """The keyframe's target, (nj,) [rad]."""
        self.request = np.zeros(nj)
        """Interpolated posture without the balancer's correction, (nj,) [rad]."""
        self.output = np.zeros(nj)
        """Posture that is commanded, (nj,) [rad]."""
        self.stiffness = np.zeros(nj)
        """Stiffness that holds until it is changed, (nj,)."""
        self.active_stiffness = np.zeros(nj)
        """Stiffness that is commanded, (nj,); 0 for joints that the keyframe switches off."""
        self._off: NDArray[np.bool_] = np.ones(nj, dtype=bool)
        self._any_off = True
        self._balanced: NDArray[np.bool_] = np.zeros(nj, dtype=bool)

    def reset(self) -> None:
        """All joints off."""
        for array in (self.start, self.target, self.request, self.output, self.stiffness):
            array[:] = 0.0
        self.relax()

    def relax(self) -> None:
        """Switch all joints off."""
        self.stiffness[:] = 0.0
        self._balanced = np.zeros(len(self.stiffness), dtype=bool)
        self._activate(self.stiffness)

    def begin(self, keyframe: CompiledKeyframe, block: CompiledBlock | None, measured: Vector) -> None:
        """A keyframe begins.

        Args:
            keyframe: The keyframe.
            block: Its block, where the block's base stiffness is due.
            measured: Measured posture, (nj,) [rad]: the start of joints that were off.
        """
        self.start[:] = self.request
        # A joint that balanced and no longer does keeps the balancer's share, or it would jump.
        carried = self._balanced & ~keyframe.balance_joints
        self.start[carried] = self.output[carried]
        self.start[self._off] = measured[self._off]
        self._balanced = keyframe.balance_joints
        np.copyto(self.target, self.start)
        np.copyto(self.target, keyframe.target, where=keyframe.moves)
        if block is not None:
            np.copyto(self.stiffness, block.stiffness, where=~np.isnan(block.stiffness))
        self.stiffness[keyframe.stiffness_joints] = keyframe.stiffness
        self._activate(np.where(keyframe.off, 0.0, self.stiffness))

    def needed_time(self, keyframe: CompiledKeyframe) -> float:
        """Time that the way to the target takes at the joints' speed limits [s]."""
        way = np.abs(self.target - self.start) / self._speed
        way[self._off] = 0.0
        return float(way.max(initial=0.0)) * keyframe.peak

    def play(self, share: float, start_change: Vector | None, correction: Vector | None) -> None:
        """Interpolate: ``share`` of the way from the (changed) start to the (corrected) target."""
        begin = self.start if start_change is None else self.start + start_change
        way = self.target - begin
        if correction is not None:
            way += correction
        self.request = begin + way * share

    def hold(self, posture: Vector) -> None:
        """Ask for a posture as it is, (nj,) [rad]."""
        self.request = posture.copy()

    def set_stiffness(self, stiffness: Vector) -> None:
        """Set all joints' stiffness, (nj,)."""
        self.stiffness[:] = stiffness
        self._activate(stiffness)

    def finish(self, measured: Vector, balance: Vector | None) -> None:
        """Make the output: request plus balance within the joints' limits; off and coupled joints set right.

        Off joints take their measured position, so that the next keyframe starts where they are.
        """
        self.output[:] = self.request
        if balance is not None:
            balanced = np.minimum(np.maximum(self.request + balance, self._lower), self._upper)
            np.copyto(self.output, balanced, where=self._balanced)
        if self._any_off:
            self.request[self._off] = measured[self._off]
            self.output[self._off] = measured[self._off]
        self.output[self._followers] = self.output[self._leaders]

    def shift(self, joint: int, change: float) -> None:
        """Change one joint of the finished output within its limits [rad]; an off joint stays as it is."""
        if not self._off[joint]:
            value = float(self.output[joint]) + change
            self.output[joint] = max(float(self._lower[joint]), min(float(self._upper[joint]), value))

    def _activate(self, stiffness: Vector) -> None:
        np.minimum(stiffness, self.cap, out=self.active_stiffness)
        self.active_stiffness[self._followers] = self.active_stiffness[self._leaders]
        self._off = self.active_stiffness <= 0.0
        self._any_off = bool(self._off.any())
