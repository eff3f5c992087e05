"""What a motion library is compiled to: keyframes, blocks and motions as arrays in a robot's joint order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from andante.control.keyframes.conditions import Check, Group
from andante.motions.library import EndRequest
from andante.motions.settings import BalanceParameters
from andante.robots.records import Vector

Window = tuple[float, float, float, float]
"""Pitch min, pitch max, roll min, roll max [rad]; NaN keeps the value in force."""


@dataclass(frozen=True, slots=True)
class BalanceJoint:
    """A joint that takes part in balancing."""

    joint: int
    """Index of the joint."""
    scale: float
    """Factor on the balancer's output, its sign fitting the side."""
    sign: str
    """Which sign of the output is used."""


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

    block: str | None
    """Block to insert."""
    motion: str | None
    """Motion that replaces the current one."""
    init_stiffness: bool
    """Apply the inserted block's stiffness at once."""
    drop_rest: bool
    """Drop the rest of the current block."""
    pre: Group | None
    """Looked at once at the keyframe's end."""
    early: Group | None
    """Looked at before the keyframe, at every tick and while waiting."""
    max_block_loops: int
    """How often the block may be inserted; -1 unlimited."""
    max_motion_loops: int
    """How often the motion may be started; -1 unlimited."""


@dataclass(frozen=True, slots=True)
class CompiledKeyframe:
    """A keyframe as arrays in the robot's joint order."""

    block: str
    """Name of its block."""
    index: int
    """Place in the block."""
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
    forbid_wait_break: bool
    """The wait may not be given up early."""
    phase: str
    """Name of the balance parameters."""
    balance: BalanceParameters | None
    """Balance parameters; None: all gains 0."""
    com_goal: tuple[float, float]
    """Wanted centre of mass relative to the support centre [m]."""
    start_from_measured_com: bool
    """Begin the goal's way at the measured centre of mass."""
    balance_pitch: tuple[BalanceJoint, ...]
    """Joints that balance fore and aft."""
    balance_roll: tuple[BalanceJoint, ...]
    """Joints that balance sideways."""
    balance_joints: NDArray[np.bool_]
    """Joints that balance at all, (nj,)."""
    compensation: tuple[CompensationRule, ...]
    """Stuck-joint rules."""
    reduce_factor: float
    """Share of the previous keyframe's compensation removed per tick."""

    @property
    def balanced(self) -> bool:
        """Whether the balancer is on."""
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
class CompiledMotion:
    """A motion with its follow-ups."""

    name: str
    """Name."""
    number: int
    """Place among the library's motions, for the telemetry."""
    blocks: tuple[str, ...]
    """Blocks in order."""
    balance_out: bool
    """Keep balancing at the end until the robot is still."""
    follow_ups: tuple[tuple[str, Group], ...]
    """Motions that may follow with their conditions."""
    end_request: EndRequest
    """What holds after the end."""
