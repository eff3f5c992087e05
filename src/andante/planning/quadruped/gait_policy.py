"""GaitPolicy: which gait is walked when, chosen in a scenario by its name.

class BySpeed(andante.extend.GaitPolicy):
    def choose(self, moment):
        return "walk" if abs(moment.asked[0]) < 0.3 else "trot"

andante.register("gaits", "by-speed", BySpeed)
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar

from andante.documents.choice import Choice
from andante.documents.settings import Settings
from andante.errors import AndanteError
from andante.planning.quadruped.gait import Gait, gait_of, of_size
from andante.plugins.answers import answer_of, subclass_of
from andante.plugins.errors import PluginError
from andante.plugins.register import Register
from andante.spatial.arrays import Array


@dataclass(frozen=True, eq=False)
class GaitMoment:
    """When a gait is asked for, and how the robot moves."""

    time: float
    """Time of the run [s]."""
    asked: Array
    """What is asked: forward and to the left [m/s], turn to the left [rad/s], (3,)."""
    state: Array
    """Position of the centre of mass [m], roll, pitch, yaw [rad], its velocity in the world [m/s], angular velocity in
    body axes [rad/s], as estimated, (12,)."""


class GaitPolicy(Settings, ABC):
    """Chooses the gait, a hundred times a second. Its fields are set by scenarios: ``gait: {type: by-speed}``.

    A policy keeps nothing from moment to moment. Another gait begins where the feet of the old one change.
    """

    place: ClassVar[str] = "gait"

    @abstractmethod
    def choose(self, moment: GaitMoment) -> str | Gait:
        """A gait by name, whose period fits the robot's legs, or a `Gait` as it is."""


GAIT_POLICIES: Register[type[GaitPolicy]] = Register("gaits", "gait policy", subclass_of(GaitPolicy, "gait policies"))
"""Gait policies by name."""
GAIT_CHOICE = Choice(GAIT_POLICIES)


def choose_gait(policy: GaitPolicy, moment: GaitMoment, size: float, step: float) -> Gait:
    """The gait by a policy.

    Args:
        policy: The policy.
        moment: When, and how the robot moves.
        size: How many times as long the legs are as Go2's.
        step: Length of an interval of the plan [s].

    Raises:
        PluginError: The policy raised, or what it gave is no gait for this plan; names the policy.
    """
    who = GAIT_CHOICE.told(policy)
    # A policy that writes into what it is shown changes nothing.
    own = replace(moment, asked=moment.asked.copy(), state=moment.state.copy())
    chosen = answer_of(who, lambda: policy.choose(own))
    if not isinstance(chosen, str | Gait):
        raise PluginError("gave no gait", place=who, value=chosen, limit="a name or a Gait")
    try:
        gait = of_size(gait_of(chosen), size, step) if isinstance(chosen, str) else chosen
        gait.steps(step)
    except AndanteError as error:
        raise PluginError(f"gave a gait that cannot be walked: {error}", place=who) from error
    return gait
