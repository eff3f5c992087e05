"""What batch kernels need of a robot's legs and masses, as plain arrays, and the description that holds it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from andante.kinematics.forward import Kinematics, KinematicsError
from andante.kinematics.roll_pitch_leg import RollPitchLeg, roll_pitch_legs
from andante.robots.records import Vector
from andante.robots.robot import Robot
from andante.robots.tree import upwards
from andante.spatial.arrays import Array, Array1, Array2, Array3

_OF_LEGS = ("hip", "offset", "lateral", "lengths", "stretched", "bend", "signs", "radius")
_TURN = 2.0 * math.pi
_SKEW = 1e-5
"""By how much the products of a rotation's rows may be off."""


class StanceError(KinematicsError):
    """A stance that is no stance: wrong shapes, values that are not finite, or feet that no joint angles reach."""


class LegTable(NamedTuple):
    """Legs by row, in the order of the robot's feet; every vector is in base axes at zero angles [m]."""

    hip: Array2
    """A point on the roll axis, (nl, 3)."""
    offset: Array2
    """Hip to pitch axis, (nl, 3)."""
    upper: Array2
    """Pitch axis to knee axis, (nl, 3)."""
    lower: Array2
    """Knee axis to the foot's centre, (nl, 3)."""
    lateral: Array1
    """Distance of the plane in which the leg bends from the roll axis, signed along y, (nl,)."""
    lengths: Array2
    """Lengths of upper and lower link in that plane, (nl, 2)."""
    stretched: Array1
    """Turn of the lower link from zero angles to the stretched leg, (nl,) [rad]."""
    along: Array2
    """The lower link turned to the stretched leg, x and z, (nl, 2)."""
    across: Array2
    """The same, a quarter turn to the side to which the knee bends, (nl, 2)."""
    bend: Array1
    """Branch of the knee, +1 or -1, (nl,)."""
    signs: Array2
    """Senses of the three joints, (nl, 3)."""
    limits: Array3
    """Least and largest turn of roll and pitch and least and largest bend of the knee, (nl, 3, 2) [rad]."""
    wedges: Array3
    """Cosine and sine of the middle, and cosine of the half width, of the limits of roll and pitch, (nl, 2, 3)."""
    reach2: Array2
    """Least and largest squared distance from pitch axis to foot in the leg's plane, (nl, 2) [m^2]."""
    radius: Array1
    """Radius of the ball foot, (nl,)."""
    mass: Array2
    """Masses of hip, upper and lower link, (nl, 3) [kg]."""
    centre: Array3
    """Their centres of mass from roll axis, pitch axis and knee axis, (nl, 3, 3)."""
    trunk_mass: float
    """Mass of all that no leg moves [kg]."""
    trunk_centre: Array1
    """Its centre of mass in the base's frame, (3,)."""
    total_mass: float
    """Mass of the robot [kg]."""


@dataclass(frozen=True, eq=False)
class LeggedBody:
    """A robot on three-joint legs, ready for stance kinematics: CoM, its inverse, reachability."""

    robot: Robot
    """The robot."""
    legs: tuple[RollPitchLeg, ...]
    """Its legs in the order of its feet."""
    table: LegTable
    """The same for batch kernels."""
    others: Vector
    """Angles at which the joints of no leg are held, (nj,) [rad]; entries of the legs' joints are 0."""

    @staticmethod
    def of(robot: Robot, others: Mapping[str, float] | None = None) -> LeggedBody:
        """Read legs and masses from a robot's model.

        Args:
            robot: The robot; legs roll, pitch and bend (see `roll_pitch_legs`).
            others: Angles of joints outside the legs (head, arm) [rad]; 0 where absent.

        Raises:
            LegGeometryError: A leg is not of this kind.
            UnknownJointError: ``others`` names no joint of the robot.
        """
        legs = roll_pitch_legs(robot)
        held = np.zeros(len(robot.joints))
        for name, angle in (others or {}).items():
            held[robot.index(name)] = angle
        held[[index for leg in legs for index in leg.indices]] = 0.0
        held.flags.writeable = False
        return LeggedBody(robot, legs, _table(robot, legs, held), held)

    @property
    def leg_length(self) -> float:
        """Mean over the legs of pitch axis to ground with the leg stretched [m]; terrain scales with it."""
        return float(np.mean([leg.length for leg in self.legs]))

    def reserved(self, bend: float) -> LeggedBody:
        """The same with knees that stay bent by at least so much [rad], for who plans what must be mended later.

        A leg that is nearly stretched has angle left but no length: 0.2 rad from there it is 0.5 % longer at most.

        Raises:
            StanceError: The bend is below zero, or more than half of what a knee has.
        """
        limits = self.table.limits.copy()
        most = float(0.5 * limits[:, 2].sum(axis=1).min())
        if not 0.0 <= bend <= most:
            raise StanceError("knees cannot stay bent so much", value=bend, limit=f"0 to {most:.3g} rad")
        limits[:, 2, 0] = np.maximum(limits[:, 2, 0], bend)
        upper, lower = self.table.lengths.T
        longest = upper**2 + lower**2 + 2.0 * upper * lower * np.cos(limits[:, 2, 0])
        reach2 = np.stack([self.table.reach2[:, 0], longest], axis=-1)
        return replace(self, table=self.table._replace(limits=limits, reach2=np.ascontiguousarray(reach2)))

    def index(self, foot: str) -> int:
        """Row of a leg by its foot's name.

        Raises:
            StanceError: There is no such foot.
        """
        names = [leg.name for leg in self.legs]
        if foot not in names:
            raise StanceError(f"robot {self.robot.name!r} has no such foot", value=foot, legal=names)
        return names.index(foot)

    def joints(self, angles: Array) -> Vector:
        """Joint array (..., nj) [rad] of leg angles (..., nl, 3) in the order of roll, pitch, knee."""
        values = np.asarray(angles, dtype=np.float64)
        array = np.broadcast_to(self.others, (*values.shape[:-2], len(self.others))).copy()
        for row, leg in enumerate(self.legs):
            array[..., list(leg.indices)] = values[..., row, :]
        return array

    def angles(self, joints: Vector) -> Array:
        """Leg angles (..., nl, 3) [rad] of a joint array (..., nj)."""
        values = np.asarray(joints, dtype=np.float64)
        return values[..., [list(leg.indices) for leg in self.legs]]


def checked_stance(body: LeggedBody, feet: Array, rotation: Array | None) -> tuple[Array, Array]:
    """Feet (nl, 3) and rotation (3, 3) as contiguous arrays; the rotation is none where it is None.

    Raises:
        StanceError: Wrong shape, not finite, or no rotation.
    """
    count = len(body.legs)
    places = np.ascontiguousarray(feet, dtype=np.float64)
    if places.shape != (count, 3) or not math.isfinite(sum(places.ravel().tolist())):
        raise StanceError(
            "a stance has one finite place per foot",
            value=places.tolist(),
            limit=f"({count}, 3), feet {', '.join(leg.name for leg in body.legs)}",
        )
    if rotation is None:
        return places, np.eye(3)
    turn = np.ascontiguousarray(rotation, dtype=np.float64)
    if turn.shape != (3, 3) or not _orthonormal(turn.ravel().tolist()):
        raise StanceError("the body's orientation must be a rotation matrix", value=turn.tolist())
    return places, turn


def _orthonormal(m: list[float]) -> bool:
    """Whether the rows of a matrix (9,) have length 1 and stand across each other; plain numbers are fast."""
    a, b, c, d, e, f, g, h, i = m
    return (
        abs(a * a + b * b + c * c - 1.0) <= _SKEW
        and abs(d * d + e * e + f * f - 1.0) <= _SKEW
        and abs(g * g + h * h + i * i - 1.0) <= _SKEW
        and abs(a * d + b * e + c * f) <= _SKEW
        and abs(a * g + b * h + c * i) <= _SKEW
        and abs(d * g + e * h + f * i) <= _SKEW
    )


def _table(robot: Robot, legs: tuple[RollPitchLeg, ...], held: Vector) -> LegTable:
    mass, centre, trunk_mass, trunk_centre = _masses(robot, legs, held)
    own = {name: np.array([getattr(leg, name) for leg in legs]) for name in _OF_LEGS}
    lengths, stretched, bend, signs = own["lengths"], own["stretched"], own["bend"], own["signs"]
    lower = np.array([leg.lower_link for leg in legs])
    c, s = np.cos(stretched), np.sin(stretched)
    along = np.stack([c * lower[:, 0] + s * lower[:, 2], c * lower[:, 2] - s * lower[:, 0]], axis=-1)
    limits = np.empty((len(legs), 3, 2))
    for row, leg in enumerate(legs):
        for joint in (0, 1):
            limits[row, joint] = sorted(signs[row, joint] * np.array([leg.lower[joint], leg.upper[joint]]))
        limits[row, 2] = leg.bends
    middle, half = limits[:, :2].mean(axis=2), 0.5 * np.diff(limits[:, :2], axis=2)[..., 0]
    # A range of a full turn or more excludes no direction.
    width = np.where(half >= math.pi, -2.0, np.cos(np.minimum(half, math.pi)))
    # The distance falls from the stretched to the folded leg.
    span = lengths[:, :1] ** 2 + lengths[:, 1:] ** 2 + 2.0 * lengths[:, :1] * lengths[:, 1:] * np.cos(limits[:, 2])
    return LegTable(
        **own,
        upper=np.array([leg.upper_link for leg in legs]),
        lower=lower,
        along=along,
        across=np.stack([along[:, 1], -along[:, 0]], axis=-1) * bend[:, None],
        limits=limits,
        wedges=np.stack([np.cos(middle), np.sin(middle), width], axis=-1),
        reach2=np.ascontiguousarray(span[:, ::-1]),
        mass=mass,
        centre=centre,
        trunk_mass=trunk_mass,
        trunk_centre=trunk_centre,
        total_mass=float(trunk_mass + mass.sum()),
    )


def _masses(robot: Robot, legs: tuple[RollPitchLeg, ...], held: Vector) -> tuple[Array, Array, float, Array]:
    """Masses and centres of the legs' links and of the rest; bodies without an own joint belong to their parent."""
    kinematics = Kinematics(robot)
    kinematics.update(held)
    model, data = robot.model, kinematics.data
    owner: dict[int, tuple[int, int]] = {}
    for row, leg in enumerate(legs):
        for link, joint in enumerate(leg.joints):
            owner[int(model.joint(joint).bodyid[0])] = (row, link)
    base = kinematics.base
    weight = np.zeros((len(legs), 3))
    moment = np.zeros((len(legs), 3, 3))
    trunk, trunk_moment = 0.0, np.zeros(3)
    for number in range(1, model.nbody):
        ancestor = next((body for body in upwards(model, number) if body in owner or body == base), None)
        if ancestor is None:
            continue
        mass, place = float(model.body_mass[number]), data.xipos[number]
        if ancestor in owner:
            weight[owner[ancestor]] += mass
            moment[owner[ancestor]] += mass * place
        else:
            trunk += mass
            trunk_moment += mass * place
    anchors = np.array([np.cumsum([leg.hip, leg.offset, leg.upper_link], axis=0) for leg in legs])
    centre = moment / np.maximum(weight, 1e-12)[..., None] - np.where(weight[..., None] > 0.0, anchors, 0.0)
    return weight, centre, trunk, trunk_moment / max(trunk, 1e-12)
