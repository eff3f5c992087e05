"""FootholdRule: where a foot comes down that the gait wants to come down somewhere, chosen in a scenario by its name.

    class Lowest(FootholdRule):
        def choose(self, step):
            return min(step.places(0.05), key=lambda place: step.height(*place))

    andante.register("footholds", "lowest", Lowest)

The nominal foothold, which follows from gait, speed and balance, is the planner's own (`andante.planning.quadruped.
footholds`); a rule says where near it the foot stands. The shipped rule `NearestFoothold` is part of a compiled kernel.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from andante.documents.choice import Choice
from andante.documents.settings import Settings
from andante.plugins.answers import answer_of, finite_array, subclass_of
from andante.plugins.register import Register
from andante.robots.records import read_only
from andante.spatial.arrays import Array, Flags

if TYPE_CHECKING:
    from andante.planning.quadruped.footholds import LegsNow, PlannedFeet, StepRules
    from andante.planning.quadruped.ground import Ground


@dataclass(frozen=True, eq=False)
class FootholdStep:
    """One coming touch-down."""

    leg: int
    """Which leg, in the order FL, FR, HL, HR."""
    number: int
    """0 for the leg's next touch-down, 1 for the one after, and so on to the end of the horizon."""
    time: float
    """When the foot comes down [s]."""
    wanted: tuple[float, float]
    """Where it would come down on level ground, x and y [m]."""
    hip: tuple[float, float, float]
    """Where its hip is then [m]."""
    before: tuple[float, float] | None
    """Where the last plan, 10 ms ago, let it come down [m]; None: it did not say."""
    reach: float
    """Farthest from below the hip that the foot comes down [m]; places beyond are drawn in."""
    threshold: float
    """Least traversability at which the shipped rule stands."""
    ground: Ground
    """What is known of the ground, as grids: ``x``, ``y``, ``spacing`` [m], and arrays (nx, ny) that cannot be written:
    ``height``, ``smooth`` [m], ``slope_x``, ``slope_y``, ``traversability``."""

    _known: Ground = field(init=False, repr=False)

    def __post_init__(self) -> None:
        # Kernels read the grids as they are; a rule that would write into them writes into the planner's map.
        object.__setattr__(self, "_known", self.ground)
        ground = self.ground
        shown = ground._replace(
            height=read_only(ground.height),
            smooth=read_only(ground.smooth),
            slope_x=read_only(ground.slope_x),
            slope_y=read_only(ground.slope_y),
            traversability=read_only(ground.traversability),
        )
        object.__setattr__(self, "ground", shown)

    def height(self, x: float, y: float) -> float:
        """Height of the ground at a place [m]."""
        from andante.planning.quadruped.ground import ground_height

        return float(ground_height(self._known, x, y))

    def traversability(self, x: float, y: float) -> float:
        """How well a foot stands at a place: 0 not at all, to 1."""
        from andante.planning.quadruped.ground import ground_traversability

        return float(ground_traversability(self._known, x, y))

    def places(self, radius: float) -> list[tuple[float, float]]:
        """Nodes of the map's grid around `wanted` at which a foot stands and which the leg reaches, nearest first.

        Args:
            radius: Farthest from `wanted` [m].
        """
        x, y = self.wanted
        spacing = self.ground.spacing
        count = min(math.floor(radius / spacing), _MOST)
        near = [
            (x + i * spacing, y + j * spacing)
            for i in range(-count, count + 1)
            for j in range(-count, count + 1)
            if math.hypot(i, j) * spacing <= radius
        ]
        reached = [place for place in near if math.dist(place, self.hip[:2]) <= self.reach]
        stands = [place for place in reached if self.traversability(*place) > self.threshold]
        return sorted(stands, key=lambda place: math.dist(place, self.wanted))


_MOST = 50
"""So many nodes to each side are looked at."""


class FootholdRule(Settings, ABC):
    """Chooses where feet come down. Its fields are set by scenarios: ``foothold: {type: lowest, radius: 0.1}``.

    A rule keeps nothing from step to step: the same question gets the same answer.
    """

    place: ClassVar[str] = "foothold"

    @abstractmethod
    def choose(self, step: FootholdStep) -> tuple[float, float] | None:
        """Where the foot comes down, x and y [m]; None: there is no place to stand, and the wanted one is taken."""


class NearestFoothold(FootholdRule):
    """The nearest place where a foot can stand, with a preference for the one that was chosen before.

    Its numbers are those of the local planner: `LocalSettings.search`, `traversability`, `constancy`. Source:
    Quad-SDK's local footstep planner.
    """

    def choose(self, step: FootholdStep) -> tuple[float, float] | None:
        """The nearest place within the reach of the leg; the planner itself asks a kernel that weighs more."""
        return next(iter(step.places(step.reach)), None)


FOOTHOLDS: Register[type[FootholdRule]] = Register(
    "footholds",
    "foothold rule",
    subclass_of(FootholdRule, "foothold rules"),
    {"nearest": "planning.quadruped.foothold_rule:NearestFoothold"},
)
"""Foothold rules by name."""
FOOTHOLD_CHOICE = Choice(FOOTHOLDS)


def choose_footholds(
    rule: FootholdRule, ground: Ground, rules: StepRules, legs: LegsNow, planned: PlannedFeet
) -> tuple[Array, Flags]:
    """Where swings end by a rule, (4, MOST_SWINGS, 2) [m], and which legs find no place for the next one, (4,).

    Args:
        rule: The rule.
        ground: The ground.
        rules: Numbers of the planner.
        legs: The legs.
        planned: The feet by the planner's own rule.

    Raises:
        PluginError: The rule raised, or what it gave is no place; names the rule.
    """
    who = FOOTHOLD_CHOICE.told(rule)
    chosen, lost = np.full((*planned.wanted.shape[:2], 2), np.nan), np.zeros(4, dtype=np.bool_)
    for leg in range(4):
        for number in range(int(planned.counts[leg])):
            x, y, *hip = planned.wanted[leg, number].tolist()
            known = number == 0 and not math.isnan(legs.before[leg, 0])
            step = FootholdStep(
                leg=leg,
                number=number,
                time=float(planned.swings[leg, number, 1]),
                wanted=(x, y),
                hip=(hip[0], hip[1], hip[2]),
                before=(float(legs.before[leg, 0]), float(legs.before[leg, 1])) if known else None,
                reach=rules.reach,
                threshold=rules.threshold,
                ground=ground,
            )
            place = answer_of(who, lambda step=step: rule.choose(step))  # type: ignore[misc]
            lost[leg] |= place is None and number == 0
            found = (x, y) if place is None else finite_array(who, "place (x, y)", place, (2,), exact=True).tolist()
            away = math.hypot(found[0] - hip[0], found[1] - hip[1])
            if away > rules.reach:
                share = rules.reach / away
                found = hip[0] + share * (found[0] - hip[0]), hip[1] + share * (found[1] - hip[1])
            chosen[leg, number] = found
    return chosen, lost
