"""Course: what a planner knows of where it shall walk: the robot, a map of the ground, where it stands, the goal."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from andante.errors import AndanteError
from andante.kinematics.leg_table import LeggedBody, checked_stance
from andante.kinematics.reference_leg import REFERENCE_LEG
from andante.spatial.arrays import Array
from andante.terrain.elevation_map import ElevationMap
from andante.terrain.height_map import HeightMap
from andante.terrain.layers import Layers, LayerSettings
from andante.terrain.map_noise import denoised, even_holes, filled_across, height_noise

_NOISE = (0.25e-3, 2.5e-3)
"""Noise of a height that plans are kept steady against, for LittleDog [m]. Boards show less, below 0.14 mm; a
millimetre either way shows as 0.6 mm and more. What shows as more than these is rough ground, or is too rough a map."""
_FINE = 0.015
"""Largest spacing of a map on which noise is told from ground, for LittleDog [m]."""
_AROUND_GOAL = 0.16
"""How far from its place under a robot that stands at the goal a foot may be, with where the robot may stop, for
LittleDog [m]."""
_TURNS = 24
"""Headings in which it is looked at."""
_MEANT = 0.02
"""How far all feet may stand above, or all below, what the map has under them, and how much that may differ among them
to be an error of the whole map, for LittleDog [m]. Errors of 10 mm that differ by place are no such case."""
_WIDER = 2.0
"""Places without a height whose rims lie in a plane are filled on such maps up to so many times the width of those
that are bridged on every map."""


class PlanningError(AndanteError):
    """A course that no plan can be made for as asked: something is off the map, or numbers make no sense."""


class NoPlanError(PlanningError):
    """There is no way to the goal within the robot's limits, or none was found; names reason and place."""


@dataclass(frozen=True, eq=False)
class KnownCourse:
    """What a planner knows. The map is a survey of the ground, not the ground.

    Raises:
        PlanningError: Start or goal is off the map, or none of the feet stands on a known part of it.
        StanceError: Feet and rotation make no stance, or the reserve is more than knees have.
    """

    body: LeggedBody
    """The robot."""
    map: ElevationMap
    """What the planner knows of the ground."""
    feet: Array
    """Centres of the feet where the robot stands, (nl, 3) [m]."""
    position: Array
    """Origin of the base there, (3,) [m]."""
    rotation: Array
    """Rotation of the base there, (3, 3)."""
    goal: tuple[float, float]
    """Where the middle of the robot shall go [m]."""
    reserve: float = 0.45
    """Bend that plans leave to every knee [rad]: a stretched leg cannot mend where the body is."""

    def __post_init__(self) -> None:
        feet, rotation = checked_stance(self.body, self.feet, self.rotation)
        object.__setattr__(self, "body", self.body.reserved(self.reserve))
        object.__setattr__(self, "feet", feet)
        object.__setattr__(self, "rotation", rotation)
        object.__setattr__(self, "position", np.array(self.position, dtype=np.float64))
        for name, place in (("start", self.position[:2]), ("goal", self.goal)):
            if not self.map.covers(place).all():
                shown = [round(float(each), 3) for each in place]
                raise PlanningError(f"the {name} is off the map", value=shown, limit=self.map.extent_text)
        self._check_known()

    @property
    def scale(self) -> float:
        """The robot's size against LittleDog's; lengths that were found on LittleDog are multiplied by it."""
        return self.body.leg_length / REFERENCE_LEG

    @cached_property
    def noise(self) -> float:
        """Standard deviation of the noise that the map shows, where plans are kept steady against it [m]; else 0.

        See `andante.terrain.map_noise.height_noise`. It counts from 0.25 to 2.5 mm, on maps whose nodes are at most
        15 mm apart; lengths are for LittleDog and grow with the robot.
        """
        if self.map.spacing > _FINE * self.scale:
            return 0.0
        found, (least, most) = height_noise(self.map), _NOISE
        return found if least * self.scale <= found <= most * self.scale else 0.0

    @cached_property
    def layers(self) -> Layers:
        """What the ground is like around each node, for a foot of this robot's size.

        A noisy map is denoised first. Unknown places that are too small for a foot, and somewhat wider ones whose rims
        lie in a plane, are filled before that, so that plans depend little on which single nodes a file lacks; other
        unknown places stay unknown.
        """
        given = self._as_given
        if self.noise == 0.0:
            return given
        settings = given.settings
        wide = Layers.of(self.map, settings.changed(bridged=_WIDER * settings.bridged)).unknown
        holes = ~given.unknown | even_holes(self.map, wide, self.noise)
        return Layers.of(denoised(filled_across(self.map, holes, self.noise), self.noise), settings)

    @cached_property
    def _as_given(self) -> Layers:
        return Layers.of(self.map, LayerSettings().scaled(self.scale))

    @property
    def ground(self) -> HeightMap:
        """The heights of the map; a place without one has that of the nearest that has one."""
        return self.layers.ground

    def check_goal(self) -> None:
        """Refuse a goal around which the robot could not stand however it is turned: no search finds a way there.

        Raises:
            PlanningError: It is such a goal.
        """
        from scipy.ndimage import distance_transform_edt

        spacing, slack = self.map.spacing, _AROUND_GOAL * self.scale
        offsets = (self.feet - self.position) @ self.rotation
        reach = float(np.hypot(*offsets[:, :2].T).max()) + slack
        middle = (np.array(self.goal) - self.map.origin) / spacing
        unknown = self._as_given.unknown
        low = np.maximum(np.floor(middle - reach / spacing), 0).astype(np.int64)
        high = np.minimum(np.ceil(middle + reach / spacing) + 1, unknown.shape).astype(np.int64)
        part = unknown[low[0] : high[0], low[1] : high[1]]
        if not part.any():
            return
        away = distance_transform_edt(part) * spacing if not part.all() else np.full(part.shape, np.inf)
        turns = np.linspace(0.0, 2.0 * np.pi, _TURNS, endpoint=False)[:, None]
        x, y = offsets[:, 0], offsets[:, 1]
        feet = np.stack([x * np.cos(turns) - y * np.sin(turns), x * np.sin(turns) + y * np.cos(turns)], axis=-1)
        nodes = np.round(middle + feet / spacing).astype(np.int64) - low
        i, j = np.moveaxis(np.clip(nodes, 0, np.array(part.shape) - 1), -1, 0)
        if (away[i, j] <= slack).all(axis=1).any():
            return
        raise PlanningError(
            "nothing is known of the ground at the goal on which the robot could stand",
            place=f"x {self.goal[0]:.3f}, y {self.goal[1]:.3f} m",
            limit=self.map.nearest_known(self.goal),
            remedy="give another goal, or a map that knows the ground there",
        )

    def check_heights(self) -> None:
        """Refuse a map whose heights are off as a whole, by the feet that stand on the ground.

        Raises:
            PlanningError: All feet stand as far above, or all as far below, what the map has under them.
        """
        at = self.map.nodes(self.feet[:, :2])
        known = self.map.known[at]
        if known.sum() < 3:
            return
        off = (self.feet[:, 2] - self.body.table.radius - self.map.heights[at])[known]
        limit = _MEANT * self.scale
        if float(np.abs(off).min()) <= limit or float(np.ptp(off)) > limit:
            return
        middle, told = float(np.median(off)), [f"{1e3 * each:.0f} mm" for each in off]
        raise PlanningError(
            f"the map is {1e3 * abs(middle):.0f} mm too {'low' if middle > 0.0 else 'high'}: all feet stand "
            f"{'above' if middle > 0.0 else 'below'} what it has under them",
            place=f"x {self.position[0]:.3f}, y {self.position[1]:.3f} m", value=told,
            limit=f"{1e3 * limit:.0f} mm", remedy="survey it anew, or in the coordinates of the robot's pose",
        )  # fmt: skip

    def _check_known(self) -> None:
        """Refuse a start of which the map knows nothing.

        Raises:
            PlanningError: Nothing of the map is known, or nothing under any foot.
        """
        known = self.map.known
        if not known.any():
            raise PlanningError("nothing of the map is known", value=known.shape, limit="at least what feet stand on")
        if self._as_given.unknown[self.map.nodes(self.feet[:, :2])].all():
            raise PlanningError(
                f"the map knows no height under any foot ({known.mean():.0%} of it is known)",
                place=f"x {self.position[0]:.3f}, y {self.position[1]:.3f} m",
                limit=self.map.nearest_known((float(self.position[0]), float(self.position[1]))),
                remedy="survey the ground under the robot, or fill the map there",
            )
