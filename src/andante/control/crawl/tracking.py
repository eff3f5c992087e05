"""Tracking: from wanted body and feet to joint commands that are within all limits by construction.

Nothing is clamped joint by joint in a way that would tear the feet from their places: a body pose out of reach is
approached only as far as all standing feet reach, and a step of the joints that is too long is shortened for all
standing legs alike, so that they keep standing; a swinging leg is shortened on its own. A leg whose place is out of
reach, because a foot has slipped or noise has it elsewhere, goes on as planned: those angles are within all limits.
"""

from __future__ import annotations

import numpy as np

from andante.kernels import entry
from andante.kinematics.leg_forward import leg_places
from andante.kinematics.leg_kernels import leg_ik
from andante.kinematics.leg_table import LeggedBody, LegTable
from andante.planning.feasibility.body_shape import BodyShape
from andante.planning.feasibility.trunk import avoid_trunk
from andante.spatial.arrays import Array, Array1, Array2, Flags
from andante.spatial.rotation_kernels import conjugate, exp, log, multiply, to_matrix

_HALVINGS = 7
_PULLS = (0.001, 0.002, 0.004, 0.008, 0.016)
"""Shares of the way to a foot out of reach by which the body may come nearer to it in a tick."""
_KEEP = 0.01
"""Distance that the shank of a swinging leg keeps from the trunk, as share of the leg's length."""
_LEAST_SLACK = 0.003
"""Angle that stays free to every joint limit [rad]."""
_SHARES = (1.0, 0.75, 0.5, 0.25, 0.0)
"""How much of what the body is off its way is tried to make up for by a swinging leg, until its place is in reach."""


@entry
def reach_feet(table: LegTable, position: Array1, rotation: Array2, feet: Array2, angles: Array2, room: Array1) -> None:
    """Joint angles for feet under a body.

    Args:
        table: The robot.
        position: Origin of the base, (3,) [m].
        rotation: Rotation of the base, (3, 3).
        feet: Centres of the feet, (nl, 3) [m].
        angles: Gets the angles, (nl, 3) [rad].
        room: Gets the smallest angle left to a limit of each leg, (nl,) [rad]; -1 where the leg is too short.
    """
    for leg in range(len(feet)):
        room[leg] = leg_ik(table, leg, position, rotation, feet[leg], angles[leg])


class Tracking:
    """Joint commands of one robot; remembers the last one.

    Args:
        body: The robot.
        period: Time between two commands [s].
        speed_share: Share of the joints' speed limits that commands may use.
    """

    def __init__(self, body: LeggedBody, period: float, speed_share: float) -> None:
        self.body, self.period = body, period
        indices = np.array([leg.indices for leg in body.legs])
        self._fastest = body.robot.max_velocity[indices]
        self.limit(speed_share)
        shape = BodyShape.of(body)
        self._trunk, self._shank = shape.trunk, shape.lower
        self._keep = _KEEP * body.leg_length
        self._low, self._high = body.robot.lower[indices], body.robot.upper[indices]

    def limit(self, speed_share: float) -> None:
        """Use this share of the joints' speed limits."""
        self._step = self._fastest * speed_share * self.period

    def begin(self, angles: Array, position: Array, orientation: Array) -> None:
        """Start from measured angles (nl, 3) [rad] under a body pose."""
        self.angles: Array = np.clip(angles, self._low, self._high)
        self.position, self.orientation = position.copy(), orientation.copy()
        self.short = 1.0
        """Share of the wanted body pose that was in reach at the last step."""
        self.slowed = 1.0
        """Share of the wanted step of the standing legs that their speed limits allowed."""
        self.missed = np.zeros(len(angles), dtype=np.bool_)
        """Feet that were out of reach of their place at the last step and went on as planned or stayed, (nl,)."""
        self.clamped = np.zeros(len(angles), dtype=np.bool_)
        """Legs that stayed at the last step because no angles within limits reach the place of their foot, (nl,)."""

    def follow(
        self,
        position: Array,
        orientation: Array,
        feet: Array,
        standing: Flags,
        swing_position: Array,
        swing_orientation: Array,
        planned: Array | None = None,
    ) -> Array:
        """The next joint angles, (nl, 3) [rad].

        Args:
            position: Where the base shall be, (3,) [m].
            orientation: How it shall be turned, (4,).
            feet: Where the feet shall be, (nl, 3) [m].
            standing: Which of them stand, (nl,).
            swing_position: Where the base will be as far as known, for the feet that swing, (3,) [m].
            swing_orientation: How it will be turned, (4,).
            planned: Angles that a plan has for the legs, which one takes whose place is out of reach, (nl, 3) [rad];
                None: it stays as it is.
        """
        self.missed[:] = self.clamped[:] = False
        wanted = self._stand(position, orientation, feet, standing, planned)
        self._swing(swing_position, swing_orientation, feet, standing, wanted, planned)
        change = wanted - self.angles
        excess = np.abs(change) / self._step
        most = float(excess[standing].max(initial=0.0))
        self.slowed = 1.0 if most <= 1.0 else 1.0 / most
        scale = np.ones(len(feet))
        scale[standing] = self.slowed
        for leg in np.flatnonzero(~standing):
            scale[leg] = 1.0 / max(1.0, float(excess[leg].max()))
        self.angles = self.angles + change * scale[:, None]
        return self.angles

    def com(self) -> Array:
        """Centre of mass of the robot as it is commanded to stand, (3,) [m]."""
        held, com = np.empty_like(self.angles), np.empty(3)
        leg_places(self.body.table, self.angles, held, com)
        return np.asarray(self.position + to_matrix(self.orientation) @ com)

    def within_reach(self, feet: Array) -> Array:
        """Places (nl, 3) [m] nearest to those asked for on the straight way from where each foot is commanded to be."""
        table, rotation = self.body.table, to_matrix(self.orientation)
        held, angles, room = np.empty_like(feet), np.empty_like(feet), np.empty(len(feet))
        leg_places(table, self.angles, held, np.empty(3))
        start = self.position + held @ rotation.T
        share, step = np.zeros(len(feet)), 1.0
        for _ in range(_HALVINGS):
            tried = np.minimum(share + step, 1.0)
            reach_feet(table, self.position, rotation, start + tried[:, None] * (feet - start), angles, room)
            share = np.where(room >= _LEAST_SLACK, tried, share)
            step *= 0.5
        return np.asarray(start + share[:, None] * (feet - start))

    def _stand(
        self,
        position: Array,
        orientation: Array,
        feet: Array,
        standing: Flags,
        planned: Array | None,
    ) -> Array:
        """Angles with the body as near to its pose as all standing feet reach; as planned or as they are where none
        does.
        """
        angles, room = np.empty_like(feet), np.empty(len(feet))
        table = self.body.table

        def fits(share: float, aside: Array) -> bool:
            place = self.position + share * (position - self.position) + aside
            turn = multiply(self.orientation, exp(share * way))
            reach_feet(table, place, to_matrix(turn), feet, angles, room)
            return bool((room[standing] >= _LEAST_SLACK).all())

        way, aside = log(multiply(conjugate(self.orientation), orientation)), np.zeros(3)
        self.short = 1.0
        if not fits(1.0, aside):
            low, high = 0.0, 1.0
            for _ in range(_HALVINGS):
                middle = 0.5 * (low + high)
                low, high = (middle, high) if fits(middle, aside) else (low, middle)
            self.short = low
            if not fits(low, aside):
                # Not even as it is: the body gives way to the foot that has come out of reach.
                worst = int(np.argmin(np.where(standing, room, np.inf)))
                pull = feet[worst] - self.position
                for part in _PULLS:
                    aside = part * pull
                    if fits(0.0, aside):
                        break
                else:
                    if planned is None:
                        self.clamped[:] = standing & bool((room[standing] < 0.0).any())
                        return self.angles.copy()
                    fits(0.0, np.zeros(3))
                    self.missed[:] = standing & (room < _LEAST_SLACK)
                    angles[self.missed] = planned[self.missed]
                    return angles
        self.position = self.position + self.short * (position - self.position) + aside
        self.orientation = multiply(self.orientation, exp(self.short * way))
        return angles

    def _swing(
        self,
        position: Array,
        orientation: Array,
        feet: Array,
        standing: Flags,
        wanted: Array,
        planned: Array | None,
    ) -> None:
        """Angles of the legs that swing.

        Where a place is out of reach of the body as it will be, it is as seen from the body as it shall be, on which
        plans keep their distance from limits; where it is out of reach of that too, the leg goes as planned, and
        without a plan stays as it is for now.
        """
        table, swinging = self.body.table, ~standing
        angles, room = np.empty_like(feet), np.empty(len(feet))
        way = log(multiply(conjugate(self.orientation), orientation))
        missed = swinging.copy()
        for share in _SHARES:
            if not missed.any():
                break
            place = self.position + share * (position - self.position)
            turn = to_matrix(multiply(self.orientation, exp(share * way)))
            reach_feet(table, place, turn, feet, angles, room)
            for leg in np.flatnonzero(missed & (room >= _LEAST_SLACK)):
                # What a reflex or a body off its way adds to the plan may fold the leg into the trunk.
                avoid_trunk(
                    table,
                    self._trunk,
                    self._shank,
                    int(leg),
                    place,
                    turn,
                    feet[leg],
                    self._keep,
                    _LEAST_SLACK,
                    angles[leg],
                )
                wanted[leg] = angles[leg]
                missed[leg] = False
        self.missed |= missed
        if planned is None:
            self.clamped |= missed
        wanted[missed] = (self.angles if planned is None else planned)[missed]
