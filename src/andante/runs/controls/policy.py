"""PolicyControl: the part of a scenario that lets a learned policy move the robot."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Self

from pydantic import Field

from andante.backends.world import WorldConfig
from andante.control.controller import Controller
from andante.robots.robot import Robot
from andante.runs.controls.steering import SteeredControl
from andante.runs.policies.files import anchored_policy, policy_path


class PolicyControl(SteeredControl):
    """A learned policy, by its contract."""

    type: Literal["policy"]
    """Kind of controller."""
    policy: str = Field(min_length=1)
    """Contract of the policy: a shipped name, or the path of a document `andante.policy`, seen from the scenario's
    file."""

    ground_truth: bool = False
    """Whether the policy may see what no robot measures, as its contract says it does. Only a simulation can allow it,
    and verdict, report and bench say so."""

    @property
    def sees_truth(self) -> bool:
        """Whether the policy sees what no robot measures, and may.

        Raises:
            AndanteError: The contract cannot be read.
        """
        from andante.control.policies.files import load_policy

        return self.ground_truth and bool(load_policy(policy_path(self.policy)).contract.ground_truth)

    def look_for_files(self) -> None:
        """See that the contract is there.

        Raises:
            AndanteError: It is not.
        """
        policy_path(self.policy)

    def anchored(self, folder: Path) -> Self:
        """The same with the contract's path made absolute where it exists in ``folder``."""
        return self.model_copy(update={"policy": anchored_policy(self.policy, folder)})

    def controller(self, robot: Robot, world: WorldConfig) -> Controller:
        """The policy.

        Raises:
            AndanteError: The contract cannot be read, says too little, or does not fit the robot.
        """
        from andante.control.policies.binding import bind
        from andante.control.policies.controller import PolicyController
        from andante.control.policies.files import load_policy

        file = load_policy(policy_path(self.policy))
        steering = self.followed()
        made = PolicyController(
            bind(file.contract, robot, file.network, str(file.path), truth=self.ground_truth), steering
        )
        self.allow(steering, made.largest, "the policy")
        return made
