"""The robot pack: a YAML document beside a MJCF file that says what the MJCF cannot.

The MJCF holds bodies, joints with their position limits, collision shapes and sites. The pack holds everything else:
speeds, efforts, servos, groups, mirror, feet, buttons, postures, the motion cycle, and where each number comes from.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from andante.documents.part import Part
from andante.documents.quantities import Angle, AngularVelocity, Duration, Length, NonNegative, Positive


class ServoClass(Part):
    """A kind of servo, used by several joints; see `andante.robots.parts.Servo`."""

    kp: NonNegative
    """Position gain at full stiffness [N m/rad]."""
    kd: NonNegative = 0.0
    """Velocity gain at full stiffness [N m s/rad]."""
    max_torque: Positive
    """Torque limit at full stiffness [N m]."""
    damping: NonNegative
    """Viscous friction, always present [N m s/rad]."""
    friction: NonNegative
    """Dry friction [N m]."""
    armature: NonNegative
    """Rotor inertia at the joint [kg m^2]."""
    derivative_of_error: bool = False
    """Whether the velocity gain acts on the change of the position error instead of the joint's speed."""
    stiffness_limits_torque: bool = True
    """Whether a low stiffness also lowers the torque limit."""
    torque_speed: tuple[AngularVelocity, AngularVelocity] | None = None
    """Corner speed and no-load speed: the driving torque is full up to the corner and falls to 0 at the no-load speed
    [rad/s]; null: no such limit."""

    @model_validator(mode="after")
    def _curve_falls(self) -> Self:
        if self.torque_speed is not None and not 0.0 <= self.torque_speed[0] < self.torque_speed[1]:
            corner, no_load = self.torque_speed
            raise ValueError(f"a torque-speed limit needs 0 <= corner < no-load speed, got {corner:g} and {no_load:g}")
        return self


class PackJoint(Part):
    """What the pack says of one joint; its position limits are in the MJCF as a rule."""

    speed: Annotated[AngularVelocity, Field(gt=0.0)]
    """Speed limit [rad/s]."""
    effort: Positive
    """Torque limit as published [N m]."""
    servo: str
    """Name of the servo class."""
    follows: str | None = None
    """Joint whose motor moves this one too."""
    range: tuple[Angle, Angle] | None = None
    """Position limits where the MJCF has none or others hold [rad]; the MJCF's are then the mechanical stops."""
    max_acceleration: Annotated[AngularVelocity, Field(gt=0.0)] | None = None
    """Limit of the command's acceleration where it is not that of all joints [rad/s^2]."""
    locator: str = ""
    """The joint's address in the robot's own system (OPEN-R primitive locator); empty: none."""

    @model_validator(mode="after")
    def _range_rises(self) -> Self:
        if self.range is not None and not self.range[0] < self.range[1]:
            raise ValueError(f"a range needs lower < upper, got {self.range[0]:g} and {self.range[1]:g}")
        return self


class Cell(Part):
    """A pressure cell under a sole."""

    name: str
    """Name of the cell."""
    x: Length
    """Place in the sole's frame, forward [m]."""
    y: Length
    """Place in the sole's frame, left [m]."""


class PackFoot(Part):
    """A foot; see `andante.robots.parts.Foot`."""

    name: str
    """Name of the foot."""
    body: str
    """MJCF body."""
    site: str
    """MJCF site at the sole's origin."""
    outline: tuple[tuple[Length, Length], ...] = ()
    """Convex outline, counter-clockwise [m]."""
    cells: tuple[Cell, ...] = ()
    """Pressure cells."""
    radius: Annotated[Length, Field(ge=0.0)] = 0.0
    """Radius of a ball foot [m]."""

    @model_validator(mode="after")
    def _outline_is_convex(self) -> Self:
        at = self.outline
        turns = [
            (bx - ax) * (cy - by) - (by - ay) * (cx - bx)
            for (ax, ay), (bx, by), (cx, cy) in zip(at, at[1:] + at[:1], at[2:] + at[:2], strict=True)
        ]
        if at and not (len(at) >= 3 and min(turns) >= 0.0 and max(turns) > 0.0):
            raise ValueError("an outline needs three or more corners of a convex polygon, counter-clockwise")
        return self


class PackMirror(Part):
    """Left-right exchange."""

    pairs: tuple[tuple[str, str], ...]
    """Joints that change places."""
    negate: tuple[str, ...]
    """Joints whose angle changes its sign."""


class PackFloor(Part):
    """Joints whose least angle depends on another joint; see `andante.robots.coupling.FloorCoupling`."""

    joints: Annotated[tuple[tuple[str, str], ...], Field(min_length=1)]
    """Pairs of the joint that is limited and the joint that decides."""
    rows: Annotated[tuple[tuple[Angle, Angle, Angle], ...], Field(min_length=1)]
    """Driver from, driver to, least angle, by rising driver [rad]."""

    @model_validator(mode="after")
    def _rows_rise(self) -> Self:
        for start, end, _ in self.rows:
            if start > end:
                raise ValueError(f"a row needs from <= to, got {start:g} and {end:g}")
        for before, after in pairwise(self.rows):
            if after[0] < before[0]:
                raise ValueError(f"rows must rise, but {after[0]:g} comes after {before[0]:g}")
        return self


class PackSafeSets(Part):
    """Joints that are safe only in certain ranges together; see `andante.robots.coupling.SafeSets`."""

    name: str
    """What they keep safe."""
    any_of: Annotated[tuple[dict[str, tuple[Angle, Angle]], ...], Field(min_length=1)]
    """Ranges per joint; one of the sets must hold [rad]."""


class PackCouplings(Part):
    """Joint angles that exclude each other."""

    floors: tuple[PackFloor, ...] = ()
    """Least angles that depend on another joint."""
    safe_sets: tuple[PackSafeSets, ...] = ()
    """Sets of ranges of which one must hold."""


class PackElsewhere(Part):
    """Where a model comes from that its pack does not have beside it."""

    package: str
    """Python package that has it; it is not imported."""
    folder: str
    """Folder in the package from which the pack's ``model`` is a path."""
    fetch: str
    """What to do to get it, for messages."""


class PackSite(Part):
    """A place on the robot that the pack adds to the model."""

    body: str
    """MJCF body."""
    position: tuple[Length, Length, Length]
    """Place in the body's frame [m]."""


class RobotPack(Part):
    """A robot pack."""

    format: Literal["andante.robot"]
    """Names the kind of document."""
    version: Literal[1]
    """Version of this schema."""
    name: str
    """Short name."""
    title: str
    """Name for people."""
    model: str
    """MJCF file beside the pack, or its path in the folder of ``elsewhere``."""
    elsewhere: PackElsewhere | None = None
    """Where the model comes from that does not lie beside the pack: the folders named in the environment variable
    ANDANTE_MODELS, then a package; null: it lies there."""
    sites: dict[str, PackSite] = Field(default_factory=dict)
    """Sites that are added to a model from elsewhere, such as soles and IMU."""
    base_body: str
    """MJCF body with the free joint."""
    imu_site: str
    """MJCF site of the IMU."""
    tick: Duration
    """Period of the robot's motion cycle [s]."""
    delay_ticks: int = Field(ge=0, le=100)
    """Ticks from a command until the servos act on it; its effect shows one tick later in the measurements."""
    motion_capture: bool = False
    """Whether motion capture around the robot measures the pose of its base."""
    max_acceleration: Annotated[AngularVelocity, Field(gt=0.0)]
    """Limit of every joint command's acceleration [rad/s^2]."""
    servos: dict[str, ServoClass]
    """Servo classes by name."""
    joints: Annotated[dict[str, PackJoint], Field(min_length=1)]
    """Joints in the order of all joint arrays."""
    couplings: PackCouplings = PackCouplings()
    """Joint angles that exclude each other although each is legal alone."""
    groups: dict[str, tuple[str, ...]]
    """Joint groups by name."""
    mirror: PackMirror
    """Left-right exchange."""
    feet: tuple[PackFoot, ...]
    """Feet, left before right, front before hind."""
    buttons: tuple[str, ...] = ()
    """Buttons and touch sensors."""
    postures: dict[str, dict[str, Angle]]
    """Named postures; joints not named are 0 [rad]."""
    standing_height: Annotated[Length, Field(gt=0.0)] | None = None
    """Height of the base above the soles when it stands; null: that of the posture ``stand`` [m]."""
    gains: dict[str, dict[str, tuple[NonNegative, NonNegative]]] = Field(default_factory=dict)
    """Other gains by name of the set and joint or servo class: kp [N m/rad] and kd [N m s/rad]."""
    aliases: dict[str, str] = Field(default_factory=dict)
    """Own joints by the names that motion files of other programs have for them."""
    absent: tuple[str, ...] = ()
    """Joints that those files name and the robot has not."""
    sources: dict[str, str]
    """Where the numbers come from, by topic; assumptions are marked so."""
