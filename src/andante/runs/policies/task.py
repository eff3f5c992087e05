"""A run of a learned policy, from a few words."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from andante.control.policies.files import load_policy
from andante.control.steering import Heading
from andante.robots.robot import Robot
from andante.runs.errors import ScenarioError
from andante.runs.policies.check import start_posture
from andante.runs.policies.files import policy_path, shipped_policies
from andante.runs.scenario import Scenario
from andante.runs.scenario_files import validated

_STANDS = 1.0
"""Time that the robot stands before it walks [s]."""


def policy_scenario(
    policy: str | Path,
    robot: str | None = None,
    heading: Heading | None = None,
    time: float = 10.0,
    seed: int = 0,
    tick: float | None = None,
    *,
    live: bool = False,
) -> Scenario:
    """The scenario of a policy that walks for a time on the level floor, and stands before and after it.

    Args:
        policy: A shipped policy, or the path of its contract.
        robot: Robot by name or file; None: the contract's.
        heading: How fast it shall go; None: it stands.
        time: For how long it walks, or stands [s].
        seed: Seed of everything random.
        tick: Motion cycle that the run declares [s]; None: the robot's.
        live: It is steered while it walks, for ``time``.

    Raises:
        AndanteError: The policy cannot be read, or does not fit the robot.
    """
    file = load_policy(policy_path(policy))
    named = robot or file.contract.robot
    if named is None:
        raise ScenarioError("the contract does not say robot", place=str(policy), remedy="give --robot")
    loaded = Robot.load(named)
    if tick is not None:
        loaded = loaded.at(tick)
    named_file = str(policy) if str(policy) in shipped_policies() else str(policy_path(policy).resolve())
    asked = heading or Heading()
    ends = {"time": _STANDS + time, **asdict(Heading())}
    # Who is only to stand has to stand for as long as others walk.
    steering = [ends] if asked.still else [{"time": _STANDS, **asdict(asked)}, ends]
    driven: dict[str, object] = {"live": {}} if live else {"steering": steering}
    data: dict[str, object] = {
        "format": "andante.scenario",
        "version": 1,
        "name": file.contract.name,
        "robot": named,
        "controller": {"type": "policy", "policy": named_file, **driven},
        "world": {"start": {"posture": start_posture(file, loaded)}},
        "seed": seed,
        "timeout": _STANDS + time + 10.0,
        "success": {"no_fall": True},
    }
    if tick is not None:
        data["limits"] = {"tick": tick}
    return validated(data)
