"""Keyframe and Block: a target posture, the way to it, and what may happen on the way."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from andante.documents.part import Part
from andante.documents.quantities import Angle, Duration, Length, Number, Stiffness
from andante.motions.capture_point import CapturePointBalance
from andante.motions.conditions import ConditionGroup, WaitCondition
from andante.motions.extras import Extras
from andante.motions.parts import NO_WINDOW, AngleRange, TorsoWindow

MOST_JOINTS = 1_000
"""Most joints of a keyframe."""
LONGEST = 1e9
"""Longest duration of a keyframe [s], 32 years: beyond it clocks of microseconds lose their counts."""


class Interpolation(StrEnum):
    """How a keyframe goes from its start to its target; r is the share of its duration that has passed."""

    DEFAULT = "default"
    """The block's interpolation (a keyframe), linear (a block)."""
    LINEAR = "linear"
    """u = r."""
    SINE_MIN_TO_MAX = "sine_min_to_max"
    """u = 0.5 sin(pi r - pi/2) + 0.5: slow at both ends."""
    SINE_ZERO_TO_MAX = "sine_zero_to_max"
    """u = sin(pi r / 2): fast at the start, slow at the end."""


class JointScale(Part):
    """A joint and the factor with which a correction is put on it."""

    joint: str
    """Joint name."""
    scale: Number
    """Factor."""
    sign: Literal["default", "only_positive", "only_negative", "absolute_positive", "absolute_negative"] = "default"
    """Which sign of the correction is used (dialect 2025, balance only)."""


class JointCompensation(Part):
    """When ``joint`` lags behind its request, its error moves the targets of other joints."""

    joint: str
    """The joint whose error is looked at (a dummy where ``hip_pitch_difference`` is set)."""
    hip_pitch_difference: bool = False
    """Use measured left minus right hip pitch instead of the joint's error."""
    range: AngleRange
    """Errors that give correction 0 (min) to full (max) [rad]."""
    targets: tuple[JointScale, ...] = ()
    """Joints that are moved by scale * range.max at full correction."""
    predict: bool = False
    """Predict the error linearly to make up for the delay."""


class JointStiffness(Part):
    """A joint's stiffness from here until the block's end."""

    joint: str
    """Joint name."""
    stiffness: Stiffness
    """0 (off) to 1."""


class LimbPose(Part):
    """A limb's end pose in the torso frame, solved to joint angles by inverse kinematics."""

    position: tuple[Length, Length, Length] | None = None
    """Position of the sole or hand [m]; None keeps it."""
    rotation: tuple[Angle, Angle, Angle] | None = None
    """Rotation vector [rad]; None keeps it."""


JointTarget = Angle | Literal["off", "ignore"]
"""A joint's target: an angle [rad]; off = no stiffness; ignore = leave the joint to whoever commanded it."""


class Branch(Part):
    """A conditional way out of a keyframe: insert a block or replace the motion."""

    block: str | None = None
    """Block to insert; not used where ``motion`` is given."""
    motion: str | None = None
    """Motion that replaces the current one."""
    init_stiffness: bool = True
    """Apply the inserted block's base stiffness at once."""
    remove_current_block: bool = False
    """Drop the rest of the current block instead of resuming it."""
    pre: ConditionGroup = ConditionGroup()
    """Looked at once, when the next keyframe is set up; only where it has conditions."""
    early: ConditionGroup | None = None
    """Looked at before the keyframe starts, at every tick and while waiting; None: never."""
    unused_early: ConditionGroup | None = None
    """Early conditions that are written down but switched off."""
    max_block_loops: int = Field(default=-1, ge=-1)
    """How often the block may be inserted; -1 unlimited."""
    max_motion_loops: int = Field(default=-1, ge=-1)
    """How often the motion may be started; -1 unlimited."""

    @property
    def target(self) -> tuple[str, str] | None:
        """("motion" or "block", name): what replaces the motion or is inserted; None where it names neither."""
        if self.motion is not None:
            return "motion", self.motion
        return None if self.block is None else ("block", self.block)

    @property
    def most_loops(self) -> int:
        """How often it may be taken; -1 unlimited."""
        return self.max_block_loops if self.motion is None else self.max_motion_loops


class Keyframe(Part):
    """A target posture and how to get there."""

    duration: Annotated[Duration, Field(le=LONGEST)]
    """Time from the start posture to the target [s]."""
    joints: Annotated[dict[str, JointTarget], Field(max_length=MOST_JOINTS)] = Field(default_factory=dict)
    """Target per joint; a joint that is not named is ignored."""
    limbs: dict[str, LimbPose] | None = None
    """Cartesian targets per limb, in place of joint angles (None: none)."""
    interpolation: Interpolation = Interpolation.DEFAULT
    """How the way is travelled."""
    phase: str = "unknown"
    """Name of the balance parameters in force."""
    com_goal: tuple[Length, Length] = (0.0, 0.0)
    """Wanted centre of mass relative to the support centre, x forward, y left [m]."""
    start_from_measured_com: bool = False
    """Begin the goal's interpolation at the measured centre of mass."""
    forbid_wait_break: bool = False
    """The wait may not be given up early."""
    compensation: tuple[JointCompensation, ...] = ()
    """Stuck-joint compensation rules."""
    compensation_reduce_factor: Number | None = None
    """Share of the previous compensation removed per tick (dialects to 2024); None: no compensation group."""
    waits: tuple[WaitCondition, ...] = ()
    """Conditions awaited at the keyframe's end, all of them."""
    branches: tuple[Branch, ...] = ()
    """Conditional ways out, first match wins."""
    balance_pitch: tuple[JointScale, ...] = ()
    """Joints that balance fore and aft."""
    balance_roll: tuple[JointScale, ...] = ()
    """Joints that balance sideways. On a NAO an ankle roll pushes back with a negative scale."""
    stiffness: tuple[JointStiffness, ...] = ()
    """Single joints' stiffness, in force until the block's end."""
    window: TorsoWindow = NO_WINDOW
    """Break-up window at the keyframe's end."""
    window_start: TorsoWindow | None = None
    """Break-up window at the keyframe's start; None: the window in force."""
    note: str = ""
    """Free text for people."""
    extras: Extras = Field(default_factory=dict)
    """What only files of one format say, by format; kept to write such a file again."""

    def __repr__(self) -> str:
        told = [
            f"{joint} {value if isinstance(value, str) else f'{value:.3f}'}" for joint, value in self.joints.items()
        ]
        return f"<Keyframe of {self.duration:g} s: {', '.join(told) or 'moves nothing'}>"

    __str__ = __repr__


def angles_of(keyframe: Keyframe) -> dict[str, float]:
    """The targets of a keyframe that are angles, by joint [rad]; neither ``off`` nor ``ignore``."""
    return {joint: value for joint, value in keyframe.joints.items() if not isinstance(value, str)}


class Block(Part):
    """A reusable list of keyframes."""

    base_stiffness: dict[str, Stiffness | None] = Field(default_factory=dict)
    """Stiffness per joint group, set when the block is entered; None or absent: unchanged, and full in a motion none of
    whose blocks states any (`andante.motions.library.stiff_blocks`)."""
    keyframes: tuple[Keyframe, ...] = ()
    """The keyframes in order."""
    interpolation: Interpolation = Interpolation.LINEAR
    """For keyframes whose own interpolation is default."""
    capture_point: CapturePointBalance | None = None
    """Balances by the capture point while the block runs, and after it where the motion ends in it; None: not."""
    note: str = ""
    """Free text for people."""
    extras: Extras = Field(default_factory=dict)
    """What only files of one format say, by format; kept to write such a file again."""

    def __repr__(self) -> str:
        duration = sum(keyframe.duration for keyframe in self.keyframes)
        return f"<Block of {len(self.keyframes)} keyframes, {duration:g} s>"

    __str__ = __repr__
