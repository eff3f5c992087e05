"""Where episodes of an environment happen: robot, worlds, controller, and the sessions that step them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from andante.backends.fault import Fault
from andante.backends.mujoco_world import MujocoWorld
from andante.backends.world import Start, WorldConfig
from andante.control.guard import Guard
from andante.control.guard_settings import GuardSettings
from andante.env.errors import EnvError
from andante.kernels.lazy import compile_all
from andante.robots.robot import Robot
from andante.runs.build import load_declared
from andante.runs.controls.kind import ControlKind
from andante.runs.loop.actions import REACH, acting_controller, planner_beside
from andante.runs.loop.outcome import RunLimits
from andante.runs.scenario import FallRule, Scenario
from andante.runs.scenario_files import start_data
from andante.runs.session import Session
from andante.runs.task import scenario_of
from andante.search.experiment.trial import DrawnStrength
from andante.search.observers.spread import Spread, drawn, spread_named, spread_over, spreads


@dataclass(frozen=True)
class Setting:
    """What all episodes of an environment share."""

    robot: Robot
    """The robot."""
    world: WorldConfig
    """The world; ranges are drawn anew for each episode."""
    guard: GuardSettings
    """What the guard allows."""
    kind: ControlKind | None
    """The scenario's controller; None: there is no scenario."""
    tilt: float | None
    """Tilt of the torso at which an episode ends [rad]; None: at none."""
    name: str
    """For messages."""

    @classmethod
    def of(
        cls,
        robot: str | Path | Robot | None,
        scenario: str | Path | Scenario | None,
        start: str | None,
        world: WorldConfig | None,
    ) -> Setting:
        """The setting of a robot on the floor, or of a scenario.

        Raises:
            EnvError: There are both or neither.
            AndanteError: Something does not exist, does not fit or is not legal.
        """
        if (robot is None) == (scenario is None):
            given = "both" if robot is not None else "neither"
            raise EnvError("an environment is of a robot or of a scenario", value=given, remedy="give one of them")
        if scenario is not None:
            document = scenario_of(scenario, start=start)
            loaded = load_declared(document)
            chosen = document.world if world is None else _begun(world, start, loaded)
            lies = document.starts_lying or chosen.start.lying is not None
            tilt = None if lies else document.success.fall.tilt
            return cls(loaded, chosen, document.guard, document.controller, tilt, document.name)
        loaded = robot if isinstance(robot, Robot) else Robot.load(str(robot))
        chosen = _begun(world or WorldConfig(), start, loaded)
        tilt = None if chosen.start.lying is not None else FallRule().tilt
        return cls(loaded, chosen, GuardSettings(), None, tilt, loaded.name)


def _begun(world: WorldConfig, start: str | None, robot: Robot) -> WorldConfig:
    """A world in which the robot begins as a word says; None: as the world says.

    Raises:
        EnvError: The world says a start of its own.
        ScenarioError: There is no such start.
    """
    if start is None:
        return world
    if "start" in world.model_fields_set:
        raise EnvError("the world has a start, too", place="start", value=start, remedy="say it in one of both")
    return world.model_copy(update={"start": Start.model_validate(start_data(start, robot))})


class Episodes:
    """Sessions that begin anew for each episode, one per kind of floor that a spread draws.

    Args:
        setting: What all episodes share.
        action: Kind of action.
        period: Time of a step; None: the controller's, or the robot's motion cycle [s].
        reach: Largest sensible shift of a joint by a residual; None: 0.2 [rad].
        time_limit: Time of an episode [s].
        spread: From which harsher worlds each episode is drawn; None: as the world says.
        faults: What goes wrong.

    Raises:
        AndanteError: Something does not exist, does not fit or is not legal.
    """

    def __init__(
        self,
        setting: Setting,
        action: str,
        *,
        period: float | None,
        reach: float | None,
        time_limit: float,
        spread: str | Spread | None,
        faults: Sequence[Fault],
    ) -> None:
        if not 0.0 < time_limit <= 3600.0:
            raise EnvError("an episode lasts for some time", place="time_limit", value=time_limit, limit="0 to 3600 s")
        if period is not None and period > time_limit:
            limit = f"at most time_limit, {time_limit:g} s"
            raise EnvError("a step lasts longer than an episode", place="period", value=period, limit=limit)
        self._setting, self._limits = setting, RunLimits(time_limit, until_timeout=True)
        self._spread = spread_named(spread) if isinstance(spread, str) else spread
        if self._spread is not None and not isinstance(self._spread, Spread):
            raise EnvError("is no spread, and no name of one", place="spread", value=spread, legal=spreads())
        changes = {"faults": (*setting.world.faults, *faults), "impacts": False}
        self._world = setting.world.model_copy(update=changes)
        self._action, self._period, self._reach = action, period, REACH if reach is None else reach
        self._strength = DrawnStrength()
        self._made: dict[bool, Session] = {}
        compile_all()

    def begin(self, seed: int) -> Session:
        """A session at the start of an episode.

        Raises:
            AndanteError: The start is impossible.
        """
        carpet = False
        if self._spread is not None:
            self._strength.factor, carpet = drawn(self._spread, seed)
        session = self._made.get(carpet)
        if session is None:
            session = self._made[carpet] = self._session(carpet)
        session.restart(seed)
        return session

    def own(self, session: Session) -> bool:
        """Whether a session is one of these."""
        return session in self._made.values()

    def world_of(self, session: Session) -> WorldConfig:
        """The world of one of these sessions."""
        return self._config(session is self._made.get(True))

    def _config(self, carpet: bool) -> WorldConfig:
        return self._world if self._spread is None else spread_over(self._world, self._spread, carpet)

    def _session(self, carpet: bool) -> Session:
        setting, config = self._setting, self._config(carpet)
        controller = acting_controller(
            self._action, setting.robot, setting.kind, config, period=self._period, reach=self._reach
        )
        planner = None if setting.kind is None else planner_beside(controller, setting.kind, config)
        return Session(
            MujocoWorld(setting.robot, config),
            controller,
            Guard(setting.robot, controller.period, setting.guard),
            limits=self._limits,
            planner=planner,
            observers=() if self._spread is None else (self._strength,),
            physics_period=config.timestep,
            name=setting.name,
        )
