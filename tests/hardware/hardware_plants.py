"""Robots behind wires in this process, by a clock of their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from andante.backends.hardware.backend import HardwareBackend, LinkSettings
from andante.backends.hardware.loop import LoopLink
from andante.backends.hardware.plant import FakePlant
from andante.backends.world import WorldConfig
from andante.robots.robot import Robot
from andante.runs.hardware.fakes import FakeOrder, fake_plant, hardware_kind

SITTING = {"posture": "sit", "settle": {"duration": 1.0, "held": 1.0, "stiffness": 1.0}}


def looped(
    kind: str = "udp",
    robot: str = "nao",
    start: Mapping[str, Any] | None = None,
    arrives: Callable[[int], bool] | None = None,
    backend: Mapping[str, Any] | None = None,
    link: LinkSettings | None = None,
    hangs: bool = False,
    **fake: Any,
) -> tuple[HardwareBackend, FakePlant]:
    """A backend of a kind and the simulated robot behind it."""
    told = {"type": kind, "address": "127.0.0.1:9", **(backend or {})}
    world = WorldConfig.model_validate({"start": dict(start or {}), "fixed_base": hangs})
    plant, _ = fake_plant(FakeOrder(robot=robot, backend=told, world=world, fake=fake))
    model, ours = Robot.load(robot), hardware_kind(told)
    codec = ours.codec(model)
    made = HardwareBackend(model, LoopLink(codec, plant, arrives), ours.joint_map(model, codec), link)
    return made, plant


LYING_DOG = {
    "posture": {
        f"{leg}_{part}_joint": angle
        for leg in ("FL", "FR", "RL", "RR")
        for part, angle in (("thigh", 1.25), ("calf", -2.6))
    },
    "settle": {"duration": 1.0, "held": 1.0, "stiffness": 1.0},
}
HANGING = {"posture": {"Left_Shoulder_Roll": -1.3, "Right_Shoulder_Roll": 1.3}}
"""A Booster on a crane."""
