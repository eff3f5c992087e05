"""PolicyContract: what must be known of a learned policy before it may move a robot, as a document.

Every fact is either said in the document, read from the file of another format that it names, or missing. A missing
fact is refused by its name; none has a default, because a policy that gets another rate or another scale than it was
trained with moves the robot in a way that nobody has seen.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Literal

import numpy as np
from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from andante.control.controller import ControlError
from andante.documents.part import Part
from andante.documents.quantities import (
    Angle,
    Duration,
    NonNegative,
    NonNegativeTime,
    Number,
    Positive,
    PositiveCount,
    Seconds,
    Share,
)
from andante.robots.records import Vector


def _ordered(bounds: tuple[float, float]) -> tuple[float, float]:
    if bounds[0] > bounds[1]:
        raise PydanticCustomError("order", "the lowest stands first")
    return bounds


Bounds = Annotated[tuple[Number, Number], AfterValidator(_ordered)]
"""Lowest and highest."""
Clip = Literal["none"] | Bounds
"""Bounds to which numbers are cut, or that there are none."""
Several = Annotated[tuple[Number, ...], Field(max_length=1000)]
PerJoint = Number | Several
"""One number for all joints, or one for each in the order of ``joints``."""
ByPattern = PerJoint | Annotated[dict[str, Number], Field(min_length=1, max_length=1000)]
"""The same, or numbers by regular expressions, of which one fits the whole name of each joint."""
Clips = Clip | Annotated[tuple[Bounds, ...], Field(min_length=1, max_length=1000)]
"""Bounds for all joints, or for each."""
Angles = (
    Angle
    | Annotated[tuple[Angle, ...], Field(max_length=1000)]
    | Annotated[dict[str, Angle], Field(min_length=1, max_length=1000)]
)
"""The same for angles [rad]; scales, offsets and gains are in SI whatever units a document has."""
Ranges = (
    Literal["limits"]
    | Annotated[tuple[tuple[Angle, Angle], ...], Field(max_length=1000)]
    | Annotated[dict[str, tuple[Angle, Angle]], Field(min_length=1, max_length=1000)]
)
"""The robot's limits, or lowest and highest angle of each joint, also by patterns [rad]."""
Gains = (
    NonNegative
    | Annotated[tuple[NonNegative, ...], Field(max_length=1000)]
    | Annotated[dict[str, NonNegative], Field(min_length=1, max_length=1000)]
)
"""The same, none below zero."""


class PolicyError(ControlError):
    """A policy cannot be used as asked: a fact is missing or wrong, or its network does not fit."""


class Source(Part):
    """Where facts of another format stand."""

    format: str
    """Name of the format, see `andante policy terms`."""
    file: str
    """The file, seen from this document."""
    model: str | None = None
    """The network's file, where the format does not name it, seen from this document."""


class FrameStack(Part):
    """Whole observations of several calls, one after the other, as a network sees them that has no memory."""

    frames: Annotated[int, Field(ge=1, le=1000)]
    """How many, the last one included."""
    order: Literal["oldest-first", "newest-first"]
    """Which stands first."""
    before: Literal["first", "zeros"]
    """What stands for those before the first call: the first observation, or zeros."""


class Tensor(Part):
    """An input or an output of the network."""

    name: str
    """Its name in the network."""
    size: PositiveCount
    """How many numbers it has."""
    stack: FrameStack | None = None
    """Of an input: it gets the observations of several calls; None: the last one."""
    state: str | None = None
    """Of an input: the output that it gets back at the next call, and zeros at the first; None: it gets what is seen.
    Networks with a memory (LSTM, GRU) have such inputs."""
    terms: Annotated[tuple[Annotated[int, Field(ge=0)], ...], Field(min_length=1, max_length=200)] | None = None
    """Of an input: numbers of the observations that it gets, from 0; None: all."""


class TargetFilter(Part):
    """A low pass on target angles: what is sent keeps a share of what was sent before."""

    keep: Annotated[Share, Field(lt=1.0)]
    """Share of the old target that is kept."""
    every: Literal["call"] | Annotated[Seconds, Field(gt=0.0, le=10.0)]
    """How often that is done: at each call, or after so long [s]; between, targets go on evenly in that measure."""


class PolicyAction(Part):
    """What the network's numbers mean: ``value = offset + scale * clip(number)`` for each joint."""

    kind: Literal["position", "torque", "speed"] | None = None
    """Position: value is a target angle [rad] that the servos follow with the gains; torque: it is a torque [N m];
    speed: it is a speed [rad/s], by which the target angle moves until the next call, evenly from tick to tick. Such a
    target begins where the joint is measured and stays within ``range``."""
    scale: ByPattern | None = None
    """Factor on the numbers."""
    offset: Literal["default", "measured"] | PerJoint | None = None
    """What is added; ``default``: the default posture; ``measured``: where the joint is at the call."""
    clip: Clips | None = None
    """Bounds of the network's numbers."""
    low_pass: TargetFilter | None = None
    """How target angles are smoothed; None: they are not."""
    range: Ranges | None = None
    """Lowest and highest target of each joint [rad]; ``limits``: those of the robot. Needed for the kind speed; target
    angles without it are cut by the guard alone."""


class TermFacts(Part):
    """How the values of a term are made ready: ``clip(scale * (value - offset))``, late by ``delay``."""

    frame: Literal["imu", "base"] | None = None
    """Axes of vectors."""
    scale: PerJoint | None = None
    """Factor on the values."""
    offset: Literal["default"] | PerJoint | None = None
    """What is taken off before; ``default``: the default posture, of joint angles only."""
    clip: Clips | None = None
    """Bounds after scaling, of all values or of each."""
    delay: Annotated[Seconds, Field(ge=0.0, le=10.0)] | None = None
    """Age of the values [s]."""
    history: Annotated[int, Field(ge=1, le=1000)] | None = None
    """How many observations of this term the network sees at once."""
    order: Literal["oldest-first", "newest-first"] | None = None
    """Order of those; needed where there are several."""
    before: Literal["first", "zeros"] | None = None
    """What stands for observations before the first call: zeros, as buffers of legged_gym's kind begin, or the first
    one, as those of Isaac Lab; None: the first."""
    interleaved: bool | None = None
    """Whether all ages of the first number come first, then those of the second; otherwise all numbers of an age stand
    together."""


class ObservedTerm(TermFacts):
    """One part of what the network sees."""

    name: str
    """A term, see `andante policy terms`."""
    joints: Annotated[tuple[str, ...], Field(min_length=1, max_length=1000)] | None = None
    """Joints of a term of joints, in this order; None: the policy's own."""
    over: Annotated[Seconds, Field(gt=0.0, le=10.0)] | None = None
    """The network sees how fast the values have changed over this time, in their unit per second, in place of them;
    None: the values [s]."""
    site: str | None = None
    """Site or body of the robot's model that a term of heights looks at."""
    above: Annotated[tuple[str, ...], Field(min_length=1, max_length=100)] | None = None
    """Sites or bodies over whose mean height counts; None: over the robot's feet."""
    pick: Annotated[tuple[Annotated[int, Field(ge=0)], ...], Field(min_length=1, max_length=1000)] | None = None
    """Which of its values the network sees, from 0; None: all."""
    waves: Annotated[tuple[Literal["cos", "sin", "phase"], ...], Field(min_length=1, max_length=100)] | None = None
    """What is seen of the gait's phase: its cosine, its sine, or itself from 0 to 1; None: cosine, then sine."""
    ahead: Several | None = None
    """How far ahead of the gait's phase each of the waves is, in cycles; None: not at all."""
    values: Annotated[Several, Field(min_length=1)] | None = None
    """Numbers of a constant."""
    if_negative: Number | None = None
    """What stands for values below zero, before offset and scale; None: they stand as they are."""


class AxisCommand(Part):
    """What may be asked along one axis."""

    range: Bounds
    """Lowest and highest speed that was trained [m/s], [rad/s]."""
    acceleration: Positive | None = None
    """How fast it may change [1/s of its unit]; None: at once."""
    slow: NonNegative = 0.0
    """Speeds up to this count as slow when the robot is to stand."""


class PolicyCommands(Part):
    """What may be asked of the policy; more is cut to it."""

    forward: AxisCommand
    """Along the body's x axis."""
    lateral: AxisCommand
    """To the left."""
    turn: AxisCommand
    """To the left about the vertical."""
    stand_after: NonNegativeTime | None = None
    """The policy knows standing: zeros for command and phase. It stands after so long of slow walking [s]; None: it
    does not know it."""


class GaitClock(Part):
    """Clock of the gait phase."""

    frequency: Positive
    """Steps of the cycle per second [1/s]."""
    output: Annotated[int, Field(ge=0)] | None = None
    """Which of the network's numbers changes the frequency; None: none does."""
    most: NonNegative = 0.0
    """By how much at most [1/s]."""
    standing: Number | None = None
    """Phase that is seen while the policy is told to stand; None: zeros in place of cosine and sine."""


class Follower(Part):
    """A joint that moves with one that the network drives: with its gains, to ``factor`` times its angle."""

    of: str
    """The joint that it follows."""
    factor: Number = 1.0
    """1: to the same angle; -1: to the opposite one, where the robot's axes are mirrored."""


class TrackedMotion(Part):
    """A motion that the network itself has: told the number of a frame, it gives this frame beside the action.

    At each call it gets the number of calls before, and terms of the motion are those of this frame.
    """

    frame: str
    """Input that gets the number of the frame."""
    joint_position: str
    """Output with angles of the policy's joints [rad]."""
    joint_velocity: str
    """Output with their speeds [rad/s]."""
    body_orientation: str | None = None
    """Output with the turns of bodies, a quaternion each (w first)."""
    bodies: Annotated[tuple[str, ...], Field(min_length=1, max_length=1000)] | None = None
    """Bodies of the motion, in the order of that output."""
    anchor: str | None = None
    """Which of them the robot's own is compared with; a body of the robot, too."""


class OtherJoints(Part):
    """Joints that the policy does not drive."""

    posture: str | None = None
    """Named posture of the robot in which they are held; None: ``angles`` say all."""
    angles: dict[str, Angle] = Field(default_factory=dict)
    """Their angles, in place of the posture's."""
    stiffness: Share
    """Share of the servos' gains with which they are held."""


class PolicyContract(Part):
    """A learned policy: its network and everything that its network was trained with."""

    format: Literal["andante.policy"] = "andante.policy"
    """Names the kind of document."""
    version: Literal[1] = 1
    """Version of this schema."""
    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,80}$")]
    """Short name."""
    reads: Source | None = None
    """File of another format that has some of the facts; what this document says beside is told as assumed."""
    robot: str | None = None
    """Name of the robot that it was trained for."""
    model: str | None = None
    """The network's file, ONNX, seen from this document."""
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")] | None = None
    """Digest of that file."""
    inputs: Annotated[tuple[Tensor, ...], Field(min_length=1, max_length=100)] | None = None
    """What the network gets."""
    outputs: tuple[Tensor, ...] | None = None
    """What the network gives; the first is the action."""
    rate: Annotated[Number, Field(ge=1.0)] | None = None
    """Calls per second [1/s], not the time between two calls."""
    physics_step: Duration | None = None
    """Step of the physics in training [s]."""
    joints: Annotated[tuple[str, ...], Field(min_length=1, max_length=1000)] | None = None
    """Joints that it drives, in the network's order."""
    followers: dict[str, Follower] = Field(default_factory=dict)
    """Joints that move with those, as the other side of a robot that moves both sides alike."""
    joints_digest: Annotated[str, Field(pattern="^[0-9a-f]{64}$")] | None = None
    """Digest of these joints' names and limits in this order; see `andante policy inspect --write`. None: nobody
    vouches for the order."""
    default_posture: Angles | None = None
    """Angles that actions and observations are relative to, in that order [rad]."""
    action: PolicyAction = PolicyAction()
    """What the network's numbers mean."""
    kp: Gains | None = None
    """Position gains [N m/rad]."""
    kd: Gains | None = None
    """Velocity gains [N m s/rad]."""
    torque_limits: Gains | None = None
    """Largest torques in training [N m]."""
    observations: Annotated[tuple[ObservedTerm, ...], Field(min_length=1, max_length=200)] | None = None
    """What the network sees, in order."""
    every_term: TermFacts = TermFacts()
    """Said of all terms that do not say it themselves."""
    commands: PolicyCommands | None = None
    """What may be asked; needed where a term is the command."""
    gait: GaitClock | None = None
    """Clock of the gait phase; needed where a term is the phase."""
    motion: TrackedMotion | None = None
    """The motion that it tracks; needed where a term is of a motion."""
    others: OtherJoints | None = None
    """How the other joints are held; needed where the robot has more joints."""
    start: str | None = None
    """Named posture of the robot in which it may begin, or ``default``: the default posture."""
    requires: tuple[str, ...] = ()
    """What it needs beside, for people."""
    licence: str | None = None
    """Under which licence the network is."""
    ground_truth: bool | None = None
    """Whether it sees what no robot measures; such a policy runs in simulation only, where the run allows it, and all
    that comes of it says so."""
    assumed: tuple[str, ...] = ()
    """Facts that nobody published, each with who said it."""
    note: str = ""
    """Free text for people."""


_ALWAYS = (
    *("robot", "model", "sha256", "inputs", "outputs", "rate", "physics_step", "joints", "default_posture"),
    *("kp", "kd", "torque_limits", "observations", "start", "licence", "ground_truth"),
)
ONE_EACH = "a list has another length than there are joints"
"""What is wrong with a list that has not one entry for each joint."""
OF_VALUES = "a list has another length than the term has values"
"""The same of a list that has not one entry for each value of a term."""
_OF_TERMS = ("scale", "offset", "clip", "delay", "history")
VECTORS = frozenset(
    {"gravity", "gyro", "accelerometer", "base_velocity", "tilt_angles", "euler_angles", "orientation", "rotation"}
)
"""Terms whose values have axes."""
JOINT_TERMS = frozenset({"joint_position", "joint_velocity", "joint_effort"})
"""Terms with a value per joint."""
HEIGHTS = frozenset({"site_height", "true_site_height"})
"""Terms of the height of a site."""


def complete_terms(contract: PolicyContract) -> tuple[ObservedTerm, ...]:
    """The terms, each with what is said of all."""
    every = contract.every_term
    names = (*_OF_TERMS, "frame", "order", "before", "interleaved")
    return tuple(
        term.model_copy(update={name: getattr(every, name) for name in names if getattr(term, name) is None})
        for term in contract.observations or ()
    )


def missing_facts(contract: PolicyContract) -> list[str]:
    """Names of the facts that are not said, in the order of the document."""
    missing = [name for name in _ALWAYS if getattr(contract, name) is None]
    action = contract.action
    missing += [f"action.{name}" for name in ("kind", "scale", "offset", "clip") if getattr(action, name) is None]
    if action.kind == "speed" and action.range is None:
        missing.append("action.range")
    terms = complete_terms(contract)
    for number, term in enumerate(terms):
        needed = {
            "site": term.name in HEIGHTS,
            **dict.fromkeys(_OF_TERMS, True),
            "frame": term.name in VECTORS,
            "order": (term.history or 1) > 1,
            "values": term.name == "constant",
        }
        missing += [f"observations[{number}].{name}" for name in needed if needed[name] and getattr(term, name) is None]
    # What a second input is can be one of three things, and the network does not tell which.
    clock = None if contract.motion is None else contract.motion.frame
    missing += [
        f"inputs[{number}].state (or stack, or terms)"
        for number, tensor in enumerate(contract.inputs or ())
        if number and tensor.name != clock and tensor.state is None and tensor.stack is None and tensor.terms is None
    ]
    seen = {term.name for term in terms}
    facts = [("commands", "command"), ("gait", "gait_phase"), ("motion", "motion_joints")]
    if contract.motion is None:
        facts.append(("motion", "motion_orientation"))
    elif "motion_orientation" in seen:
        named = ("body_orientation", "bodies", "anchor")
        missing += [f"motion.{name}" for name in named if getattr(contract.motion, name) is None]
    return missing + [name for name, term in facts if getattr(contract, name) is None and term in seen]


def refuse_missing(contract: PolicyContract, place: str) -> None:
    """Refuse a contract that does not say everything.

    Raises:
        PolicyError: Names what is missing.
    """
    missing = missing_facts(contract)
    if missing:
        raise PolicyError(
            f"the contract does not say {', '.join(missing)}",
            place=place,
            limit="every fact is said; none has a default",
            remedy="write it into the document, or ask who trained the policy",
        )


def per_joint(value: ByPattern, count: int, place: str, what: str = ONE_EACH) -> tuple[float, ...]:
    """One number for each of so many joints, or values of a term.

    Raises:
        PolicyError: There are not as many numbers; says ``what``. Or patterns stand for them, see `resolved`.
    """
    if isinstance(value, dict):
        raise PolicyError("patterns say nothing without the names of the joints", place=place, value=sorted(value))
    if not isinstance(value, tuple):
        return (float(value),) * count
    refuse_length(len(value), count, place, what)
    return tuple(map(float, value))


def numbers_of(value: object, count: int, place: str, what: str = ONE_EACH) -> Vector:
    """`per_joint` of a fact of a contract that is complete, as an array, (n,); zeros for a word such as ``measured``.

    Raises:
        PolicyError: As `per_joint`.
    """
    return np.array(per_joint(value if isinstance(value, (tuple, int, float)) else 0.0, count, place, what))


def bounds_of(clip: Clips | None, count: int, place: str, what: str = ONE_EACH) -> tuple[Vector, Vector]:
    """Lowest and highest numbers, (n,) each; infinite where nothing is cut.

    Raises:
        PolicyError: There are not as many pairs; says ``what``.
    """
    pairs = clip if isinstance(clip, tuple) else (-np.inf, np.inf)
    each = pairs if isinstance(pairs[0], tuple) else (pairs,) * count
    refuse_length(len(each), count, place, what)
    bounds = np.array(each, dtype=np.float64)
    return bounds[:, 0], bounds[:, 1]


def refuse_length(found: int, count: int, place: str, what: str = ONE_EACH) -> None:
    """Refuse a list that does not have one entry for each.

    Raises:
        PolicyError: Says ``what``.
    """
    if found != count:
        raise PolicyError(what, place=place, value=found, limit=str(count))


def refuse_beyond(numbers: Iterable[int], count: int, place: str, what: str) -> None:
    """Refuse numbers of entries, from 0, that are not there.

    Raises:
        PolicyError: Says ``what`` of the first.
    """
    for number in numbers:
        if number >= count:
            raise PolicyError(what, place=place, value=number, limit=f"0 to {count - 1}")
