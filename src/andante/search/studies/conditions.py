"""Conditions of trials: the step of the physics, how much the seeds draw, how fast the motion is played."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from andante.errors import AndanteError
from andante.motions.library import MotionLibrary
from andante.runs.scenario import Scenario
from andante.runs.scenario_files import validated
from andante.search.experiment.document import Draw
from andante.search.experiment.trial import TrialSetup, changed_scenario, with_drawn

_LEAST: Mapping[str, float] = {"friction": 0.05, "servo_strength": 0.1}
"""Smallest value that a wider range may reach; 0 for others."""
_RANGES = ("friction", "servo_strength", "slope", "backlash")
_LARGEST = {"slope": 0.5, "backlash": 0.2}


@dataclass(frozen=True)
class Conditions:
    """How trials differ from those that the study states."""

    timestep: float | None = None
    """Physics step [s]; None: the scenario's."""
    steps: float = 1.0
    """Factor on the physics step."""
    harder: float = 1.0
    """Factor on all that seeds draw: widths of ranges and noise."""
    durations: float = 1.0
    """Factor on the durations of all keyframes."""
    changes: tuple[tuple[str, Any], ...] = ()
    """Other values of the scenario by path."""

    def told(self) -> dict[str, Any]:
        """All conditions as plain data; changes only where there are some."""
        return {name: value for name, value in vars(self).items() if name != "changes" or value}

    def setup(self, setup: TrialSetup) -> TrialSetup:
        """The trials under these conditions.

        Raises:
            AndanteError: They are not legal there.
        """
        own, scenario = isinstance(setup.base, Scenario), stated(setup)
        scenario = changed_scenario(scenario, self.changes) if self.changes else scenario
        data = scenario.model_dump()
        step = self.timestep if self.timestep is not None else scenario.world.timestep * self.steps
        data["world"]["timestep"] = step
        spread = setup.spread
        if self.harder != 1.0:
            _widen(data["world"], self.harder)
            spread = tuple(_legal(_wider_draw(draw, self.harder), draw, data) for draw in spread)
        base = validated(data)
        if own:
            return replace(setup, base=base, spread=spread)
        return replace(setup, changes=(*setup.changes, *self.changes, *_differing(scenario, base)), spread=spread)

    def motion(self, library: MotionLibrary) -> MotionLibrary:
        """The motions as they are played under these conditions."""
        if self.durations == 1.0:
            return library
        blocks = {
            name: block.but(
                keyframes=tuple(each.but(duration=each.duration * self.durations) for each in block.keyframes)
            )
            for name, block in library.blocks.items()
        }
        return library.but(blocks=blocks)


AS_STATED = Conditions()
"""As the study states them."""


def stated(setup: TrialSetup) -> Scenario:
    """The scenario of a setup before a seed draws anything.

    Raises:
        AndanteError: A value is not legal in it.
    """
    base = setup.base
    return base if isinstance(base, Scenario) else changed_scenario(base.scenario(), setup.changes)


def _differing(before: Scenario, after: Scenario) -> list[tuple[str, Any]]:
    """By path, what conditions change in a world, for a task whose scenario each seed makes anew."""
    one, two = before.world.model_dump(), after.world.model_dump()
    names = ("timestep", *_RANGES, "command_delay", "noise")
    found = [(f"world.{name}", two[name]) for name in names if one[name] != two[name]]
    if one["start"]["noise_scale"] != two["start"]["noise_scale"]:
        found.append(("world.start.noise_scale", two["start"]["noise_scale"]))
    return found


def _legal(wider: Draw, stated: Draw, data: Mapping[str, Any]) -> Draw:
    """A wider draw that ends where the stated one does where a scenario, plain data, has no farther value."""
    if wider.uniform is None or stated.uniform is None:
        return wider
    ends = []
    for end, own in zip(wider.uniform, stated.uniform, strict=True):
        try:
            validated(with_drawn(data, stated, end))
            ends.append(end)
        except AndanteError:
            ends.append(own)
    return wider.but(uniform=tuple(ends))


def _widen(world: dict[str, Any], factor: float) -> None:
    """Give everything that a seed draws a range so many times as wide, in a world's plain data."""
    for name in _RANGES:
        if isinstance(world[name], (list, tuple)):
            world[name] = _widened(world[name], factor, _LEAST.get(name, 0.0), _LARGEST.get(name))
    delay, noise = world["command_delay"], world["noise"]
    if isinstance(delay, (list, tuple)):
        low, high = _widened(delay, factor, 0.0, None)
        world["command_delay"] = (round(low), round(high))
    noise |= {name: value * factor for name, value in noise.items() if isinstance(value, float) and name != "imu_loss"}
    world["start"]["noise_scale"] *= factor


def _widened(pair: Any, factor: float, least: float, largest: float | None) -> tuple[float, float]:
    low, high = pair
    if low == 0.0:
        low, high = 0.0, high * factor
    elif low < 0.0:
        # What may have either sign has no smallest value.
        middle, half = 0.5 * (low + high), 0.5 * (high - low) * factor
        low, high = middle - half, middle + half
    else:
        middle, half = 0.5 * (low + high), 0.5 * (high - low) * factor
        low, high = max(middle - half, least), middle + half
    return low, high if largest is None else min(high, max(largest, pair[1]))


def _wider_draw(draw: Draw, factor: float) -> Draw:
    if draw.uniform is not None:
        least = _LEAST.get(draw.path.rpartition(".")[2], 0.0)
        return draw.but(uniform=_widened(draw.uniform, factor, least, None))
    if draw.normal is not None:
        return draw.but(normal=(draw.normal[0], draw.normal[1] * factor))
    return draw
