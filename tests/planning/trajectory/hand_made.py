"""A course, stances made by hand, and the walk that becomes of them."""

from __future__ import annotations

from dataclasses import dataclass

from andante.planning.course import KnownCourse
from andante.planning.plans import StancePlan
from andante.planning.walk_plan import WalkPlan


@dataclass(frozen=True)
class HandMade:
    """A course with a plan."""

    course: KnownCourse
    stances: StancePlan
    plan: WalkPlan
