"""Env: a session as an environment of gymnasium, the extra ``env``."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from andante.backends.backend import DivergenceError
from andante.backends.fault import Fault
from andante.backends.world import WorldConfig
from andante.env.arguments import is_whole, number_of, part_of, parts_of, weights_of
from andante.env.episode import Episodes, Setting
from andante.env.errors import EnvError
from andante.env.looks import Looks
from andante.env.observations import OBSERVATIONS, USUAL
from andante.env.pictures import EpisodePictures
from andante.env.rewards import REWARDS, USUAL_REWARD
from andante.env.terms import ObservationTerm, RewardTerm
from andante.robots.records import Vector
from andante.robots.robot import Robot
from andante.runs.loop.outcome import Ending
from andante.runs.loop.snapshot import OfOneProcess, Snapshot
from andante.runs.scenario import Scenario
from andante.runs.session import Session
from andante.search.observers.spread import Spread

try:
    from gymnasium import Env as _Gymnasium
    from gymnasium import spaces
except ModuleNotFoundError:
    _Gymnasium, spaces = object, None


_RENDER_MODES = ("rgb_array",)
_FLOAT = np.dtype(np.float64)


@dataclass(frozen=True)
class EnvSnapshot(OfOneProcess):
    """An episode between two steps; good for the environment that it was taken of."""

    session: Session
    """The session of the episode."""
    state: Snapshot
    """All that it has in memory."""
    action: Vector
    """The last action, (na,)."""
    world_seed: int
    """Seed of the episode's world."""

    @property
    def elsewhere(self) -> str:
        """See `OfOneProcess`."""
        world = f'reset(options={{"world_seed": {self.world_seed}}})'
        return f"keep the world's seed and the actions since reset, and do them again there after {world}"


class Env(_Gymnasium):  # type: ignore[misc]
    """Episodes of a robot in a world, stepped by actions; the guard, the robot's limits and its latency are in force.

    Observations are float64 arrays of readings, in the order of ``observations``; `terms` tells name, unit and labels.
    A reward is the weighted sum of ``rewards``. An episode is over (terminated) when the robot has tilted too far, was
    stopped, or the physics diverged, and cut off (truncated) at ``time_limit``. Nothing is recorded.

    Args:
        robot: Robot by name or path; give this or ``scenario``.
        scenario: A scenario, its name or file, or ``LIBRARY/MOTION``; its robot, world, guard and, for a twist or a
            residual, its controller.
        action: ``targets`` [rad] or ``torques`` [N m] of the motors, the ``twist`` [m/s, m/s, rad/s] of a steered
            controller, or a ``residual`` [rad] on the joint targets of a controller.
        observations: Names of observation terms, in order, or terms of your own.
        rewards: Weights of reward terms, by their names or by terms of your own.
        world: The world in place of the scenario's or a level floor, or its fields: ``{"friction": 0.4}``.
        start: How the robot begins: lying on its ``front``, ``back``, ``left``, ``right``, or in a posture.
        spread: Harsher worlds by the name of a spread of the benches: ``standard``, ``noisy``, ``wide``.
        faults: What goes wrong, or the fields of each.
        period: Time of a step; None: the robot's motion cycle, or the period of the scenario's controller [s].
        reach: Largest shift of a joint by a residual; None: 0.2 [rad].
        time_limit: Time of an episode [s].
        tilt: Tilt of the torso, by ground truth, at which an episode is over [rad]; None: none; not given: as the
            scenario says, or 60 deg; none where the robot begins lying.
        render_mode: ``rgb_array`` for pictures by `render`; None: none.
        size: Width and height of pictures [px].

    Raises:
        EnvError: gymnasium is not installed, or there is no such term.
        AndanteError: Something does not exist, does not fit or is not legal.
    """

    # `gymnasium.make` looks at the class before there is an environment, and warned of a way of drawing that works.
    metadata: ClassVar[dict[str, Any]] = {"render_modes": list(_RENDER_MODES)}

    def __init__(
        self,
        robot: str | Path | Robot | None = None,
        *,
        scenario: str | Path | Scenario | None = None,
        action: str = "targets",
        observations: Sequence[str | ObservationTerm] = USUAL,
        rewards: Mapping[str | RewardTerm, float] | None = None,
        world: WorldConfig | Mapping[str, Any] | None = None,
        start: str | None = None,
        spread: str | Spread | None = None,
        faults: Sequence[Fault | Mapping[str, Any]] = (),
        period: float | None = None,
        reach: float | None = None,
        time_limit: float = 20.0,
        tilt: float | str | None = "usual",
        render_mode: str | None = None,
        size: tuple[int, int] = (480, 360),
    ) -> None:
        asked = {name: value for name, value in locals().items() if name not in ("self", "__class__")}
        if spaces is None:
            raise EnvError("gymnasium is not installed", remedy="pip install 'andante[env]'")
        if render_mode is not None and render_mode not in _RENDER_MODES:
            raise EnvError("no such way of drawing", place="render_mode", value=render_mode, legal=_RENDER_MODES)
        self.render_mode, self._pictures = render_mode, EpisodePictures(size)
        self._asked = asked
        setting = Setting.of(robot, scenario, start, None if world is None else part_of(WorldConfig, "world", world))
        self._cos_tilt = _cos_of(setting.tilt if tilt == "usual" else tilt)
        self._episodes = Episodes(
            setting,
            action,
            period=None if period is None else number_of("period", period, "> 0 s"),
            reach=_reach_of(action, reach),
            time_limit=number_of("time_limit", time_limit, "0 to 3600 s"),
            spread=spread,
            faults=parts_of(Fault, "faults", faults),
        )
        self._session = self._episodes.begin(0)
        self._world_seed = 0
        self._begun = self._over = False
        weights = weights_of(USUAL_REWARD if rewards is None else rewards)
        self._looks = looks = Looks(self._session, observations, weights)
        self.terms = looks.terms
        """Name, unit and labels of each part of an observation, in order."""
        self.actions = looks.actions
        """Names, units and bounds of the numbers of an action."""
        self.metadata = {  # type: ignore[misc]
            **type(self).metadata,
            "render_fps": max(round(1.0 / self._session.controller.period), 1),
        }
        self._action: Vector = np.zeros(self.actions.size)
        endless = np.full(looks.size, math.inf)
        self.observation_space = spaces.Box(-endless, endless, dtype=np.float64)
        self.action_space = spaces.Box(self.actions.low, self.actions.high, dtype=np.float64)
        self._own = frozenset((*vars(self), "_own"))

    @property
    def session(self) -> Session:
        """The session of the present episode."""
        return self._session

    @staticmethod
    def register_observation(term: ObservationTerm) -> ObservationTerm:
        """Let environments name an observation term of yours.

        Raises:
            EnvError: It is none.
            PluginError: Another term has this name.
        """
        return OBSERVATIONS.register(getattr(term, "name", ""), term)

    @staticmethod
    def register_reward(term: RewardTerm) -> RewardTerm:
        """Let environments name a reward term of yours.

        Raises:
            EnvError: It is none.
            PluginError: Another term has this name.
        """
        return REWARDS.register(getattr(term, "name", ""), term)

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Vector, dict[str, Any]]:
        """Begin an episode.

        Args:
            seed: Decides this episode and all that follow without one; nothing else is random.
            options: ``{"snapshot": EnvSnapshot}`` goes on from where it was taken, ``{"world_seed": 3}`` begins in the
                world of this seed.

        Raises:
            EnvError: There is no such option, or the snapshot is of another environment.
            AndanteError: The start is impossible.
        """
        if seed is not None and not is_whole(seed, 0):
            raise EnvError("a seed is a whole number", place="seed", value=seed, limit="at least 0")
        if not isinstance(options or {}, Mapping):
            raise EnvError("options are a mapping", place="options", value=options, legal=_OPTIONS)
        super().reset(seed=None if seed is None else int(seed))
        asked = dict(options or {})
        snapshot, world_seed = asked.pop("snapshot", None), asked.pop("world_seed", None)
        if asked:
            raise EnvError("there is no such option", place="options", value=next(iter(asked)), legal=_OPTIONS)
        if snapshot is not None:
            self._restore(snapshot)
        else:
            chosen = self.np_random.integers(2**32) if world_seed is None else world_seed
            if not is_whole(chosen, 0, 2**32 - 1):
                what, limit = "a world's seed is a whole number", "0 to 2^32 - 1"
                raise EnvError(what, place="options.world_seed", value=world_seed, limit=limit)
            self._world_seed = int(chosen)
            self._session = self._episodes.begin(self._world_seed)
            self._action = np.zeros(self.actions.size)
        self._begun, self._over = True, False
        self._looks.turn_to(self._session, self._action, self._action)
        return self._looks.observation(), {"world_seed": self._world_seed}

    def step(self, action: ArrayLike) -> tuple[Vector, float, bool, bool, dict[str, Any]]:
        """Do one action for a period: the observation after it, its reward, terminated, truncated, and details.

        Raises:
            EnvError: No episode goes on.
            ControlError: The action has another shape or is not finite; nothing has been changed.
        """
        session, looks = self._session, self._looks
        if not self._begun or self._over:
            raise EnvError("no episode goes on", value=session.name, remedy="call reset first")
        info: dict[str, Any] = {"world_seed": self._world_seed}
        try:
            # The controller refuses what is no action before anything happens; nothing at all is none either.
            plain = type(action) is np.ndarray and action.dtype is _FLOAT
            tick = session.step(self.actions.checked(action) if action is None else action)
        except DivergenceError as error:
            self._over = True
            return looks.observation(), 0.0, True, False, {**info, "ending": str(error)}
        asked: Vector = action.copy() if plain else np.array(action, dtype=np.float64)  # type: ignore[union-attr]
        before, self._action = self._action, asked
        looks.turn_to(session, asked, before, tick.command)
        reward, info["rewards"] = looks.reward()
        fallen = self._cos_tilt is not None and looks.upright() < self._cos_tilt
        ending = session.ending
        if ending is None and not fallen and not session.stopped:
            return looks.observation(), reward, False, False, info
        # A controller that is done goes on: such an episode ends by its time, too.
        late = ending in (Ending.TIMEOUT, Ending.DONE)
        terminated = fallen or bool(session.stopped) or not late
        self._over = True
        why = session.stopped or ("" if ending is None or fallen else str(Ending.TIMEOUT if late else ending))
        info["ending"] = why or "the torso tilted too far"
        return looks.observation(), reward, terminated, not terminated, info

    def render(self) -> NDArray[np.uint8] | None:
        """A picture of the episode as it is now, (height, width, 3), by a camera that follows the robot.

        None where the environment was made without ``render_mode``.

        Raises:
            EnvError: No episode was begun.
            GraphicsError: There is no library for drawing without a screen.
        """
        if self.render_mode is None:
            return None
        if not self._begun:
            raise EnvError("there is nothing to draw yet", value=self._session.name, remedy="call reset first")
        config = self._episodes.world_of(self._session)
        return self._pictures.of(self._session, config, self._world_seed)

    def snapshot(self) -> EnvSnapshot:
        """Keep the episode as it is now, for ``reset(options={"snapshot": ...})``.

        Raises:
            EnvError: No episode goes on.
        """
        if not self._begun or self._over:
            raise EnvError("no episode goes on", value=self._session.name, remedy="call reset first")
        return EnvSnapshot(self._session, self._session.snapshot(), self._action, self._world_seed)

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy and a pickle are made anew with the same arguments, and begin with `reset`."""
        more = {name: value for name, value in vars(self).items() if name not in self._own or name in _SPACES}
        return _made_anew, (type(self), self._asked), more

    def close(self) -> None:
        """Let go of everything."""
        self._over = True
        self._pictures.close()
        self._session.close()

    def _restore(self, snapshot: object) -> None:
        if not isinstance(snapshot, EnvSnapshot) or not self._episodes.own(snapshot.session):
            raise EnvError(
                "an episode goes on from a snapshot of the same environment",
                place="options.snapshot",
                value=type(snapshot).__name__,
            )
        self._session = snapshot.session
        self._session.restore(snapshot.state)
        self._action, self._world_seed = snapshot.action, snapshot.world_seed


_OPTIONS = ("snapshot", "world_seed")
_SPACES = ("observation_space", "action_space")
_TILTS = "above 0, at most pi rad"


def _made_anew(kind: type[Env], asked: dict[str, Any]) -> Env:
    made: Env = kind.__new__(kind)
    # What a class of somebody else takes is not known; what it added comes back as state.
    Env.__init__(made, **asked)
    return made


def _cos_of(tilt: float | str | None) -> float | None:
    if tilt is None:
        return None
    angle = number_of("tilt", tilt, _TILTS)
    if not 0.0 < angle <= math.pi:
        raise EnvError("a tilt is an angle", place="tilt", value=tilt, limit=_TILTS)
    return math.cos(angle)


def _reach_of(action: str, reach: object) -> float | None:
    if reach is None:
        return None
    if action != "residual":
        raise EnvError("only a residual has a reach", place="reach", value=reach, remedy="leave it out")
    return number_of("reach", reach, "> 0 rad")
