"""How closely files hold an angle and checks look at a motion."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from andante.documents.quantities import FixedTime

Tick = Annotated[FixedTime, Field(ge=1e-4, le=1.0)]
"""A period at which motions are looked at [s]: 0.1 ms to 1 s."""

ANGLE_TOLERANCE = 1e-4
"""Angles that differ by less are the same to every check [rad], 0.006 deg.

It covers the coarsest of the ways in which the formats hold an angle that was meant to be a limit. Sony's motions hold
whole microradians, of degrees that were turned with pi = 3.1416: 122 deg are stored as 2129306 instead of 2129302, and
360 deg would be off by 15 microradians. Aldebaran publishes the NAO's limits in radians with four decimals: 119.5 deg
are 2.0857 there, off by 31 microradians, at most by 50. Whole hundredths of a degree still differ."""
