"""What a motion library is compiled to: keyframes, blocks and motions as arrays in a robot's joint order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from andante.control.keyframes.capture_point import CaptureRule
from andante.control.keyframes.conditions import Check, JoinedConditions
from andante.motions.keyframe import Branch, JointScale, Keyframe
from andante.motions.library import Motion
from andante.motions.settings import BalanceParameters
from andante.robots.records import Vector

Window = tuple[float, float, float, float]
"""Pitch min, pitch max, roll min, roll max [rad]; NaN keeps the value in force."""


BalanceJoint = tuple[int, JointScale]
"""Index of a joint that takes part in balancing, and its part; the sign of its factor fits the side."""


@dataclass(frozen=True, slots=True)
class CompensationRule:
    """When a joint's error moves other joints' targets."""

    joint: int
    """Joint whose error is looked at; -1: measured left minus right hip pitch."""
    low: float
    """Error of correction 0 [rad]."""
    high: float
    """Error of full correction [rad]."""
    targets: tuple[tuple[int, float], ...]
    """Joints that are moved, each with its change at full correction [rad]."""
    predict: bool
    """Use the predicted error."""


@dataclass(frozen=True, slots=True)
class CompiledBranch:
    """A conditional way out of a keyframe."""

    written: Branch
    """Its document: where it leads, and how often."""
    pre: JoinedConditions | None
    """Looked at once at the keyframe's end."""
    early: JoinedConditions | None
    """Looked at before the keyframe, at every tick and while waiting."""


@dataclass(frozen=True, slots=True)
class CompiledKeyframe:
    """A keyframe as arrays in the robot's joint order."""

    block: str
    """Name of its block."""
    index: int
    """Place in the block."""
    written: Keyframe
    """Its document, mirrored where the program is."""
    duration: int
    """Duration [us]."""
    target: Vector
    """Target positions, (nj,) [rad]; 0 where not ``moves``."""
    moves: NDArray[np.bool_]
    """Joints with an angle, (nj,)."""
    off: NDArray[np.bool_]
    """Joints without stiffness in this keyframe, (nj,)."""
    curve: Callable[[float], float]
    """Interpolation."""
    peak: float
    """Largest slope of the interpolation."""
    stiffness_joints: NDArray[np.intp]
    """Joints whose stiffness changes here until the block's end."""
    stiffness: Vector
    """Their stiffness."""
    window: Window
    """Break-up window at the end."""
    window_start: Window | None
    """Break-up window at the start."""
    waits: tuple[Check, ...]
    """Conditions awaited at the end."""
    branches: tuple[CompiledBranch, ...]
    """Conditional ways out."""
    balance: BalanceParameters | None
    """Balance parameters; None: all gains 0."""
    balance_pitch: tuple[BalanceJoint, ...]
    """Joints that balance fore and aft."""
    balance_roll: tuple[BalanceJoint, ...]
    """Joints that balance sideways."""
    capture: CaptureRule | None
    """Balance by the capture point; None: off."""
    balance_joints: NDArray[np.bool_]
    """Joints that balance at all, (nj,)."""
    compensation: tuple[CompensationRule, ...]
    """Stuck-joint rules."""

    @property
    def balanced(self) -> bool:
        """Whether the balancer of the centre of mass is on."""
        return bool(self.balance_pitch or self.balance_roll)


@dataclass(frozen=True, slots=True)
class CompiledBlock:
    """A block with its stiffness per joint."""

    name: str
    """Name."""
    number: int
    """Place among the library's blocks, for the telemetry."""
    stiffness: Vector
    """Base stiffness, (nj,); NaN leaves it unchanged."""
    keyframes: tuple[CompiledKeyframe, ...]
    """The keyframes."""


@dataclass(frozen=True, slots=True)
class CompiledFollowUp:
    """What may follow a motion."""

    motions: tuple[str, ...]
    """A motion and its alternatives."""
    mirror: bool
    """Left and right are exchanged from there on."""
    conditions: JoinedConditions
    """When it follows."""


@dataclass(frozen=True, slots=True)
class CompiledMotion:
    """A motion with its follow-ups."""

    name: str
    """Name."""
    number: int
    """Place among the library's motions, for the telemetry."""
    written: Motion
    """Its document: blocks, and what holds at the end."""
    follow_ups: tuple[CompiledFollowUp, ...]
    """Motions that may follow."""
