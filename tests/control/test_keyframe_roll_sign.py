"""Which way the balancer's sideways correction turns the ankles, shown by a NAO that is pushed, in simulation."""

from __future__ import annotations

import math

import pytest

from andante.backends.mujoco_world import MujocoWorld
from andante.backends.world import Push, Start, WorldConfig
from andante.control.keyframes.configuration import KeyframeEngineSettings
from andante.control.keyframes.engine import KeyframeEngine
from andante.motions.keyframe import JointScale
from andante.runs.motion_libraries import load_motions

ANKLES = ("LAnkleRoll", "RAnkleRoll")
STEADY, END = 2.0, 2.5


def lean(nao, scale, force):
    """Mean sideways lean to the left and turn of the ankles while a force to the left lasts [deg]."""
    library = load_motions("nao")
    frame = library.blocks["stand"].keyframes[-1]
    targets = tuple(JointScale(joint=name, scale=scale) for name in ANKLES)
    frame = frame.model_copy(
        update={"duration": 10.0, "balance_pitch": (), "balance_roll": targets, "com_goal": (0.0, 0.0), "waits": ()}
    )
    block = library.blocks["stand"].model_copy(update={"keyframes": (frame,)})
    library = library.model_copy(update={"blocks": {**library.blocks, "stand": block}})
    posture = {name: angle for name, angle in frame.joints.items() if isinstance(angle, float)}
    push = Push(time=1.0, duration=2.0, force=(0.0, force, 0.0), body=nao.base_body)
    world = MujocoWorld(
        nao, WorldConfig(timestep=0.003, start=Start(posture=posture, clearance=0.001), command_delay=3, pushes=(push,))
    )
    world.reset(0)
    engine = KeyframeEngine(nao, library, "stand", KeyframeEngineSettings(break_up=False))
    leans, turns = [], []
    while world.time < END:
        sensors = world.read()
        world.write(engine.step(sensors))
        world.advance(engine.period)
        if world.time > STEADY:
            leans.append(-float(engine.telemetry["torso"][1]))
            turns.append(float(engine.telemetry["balance"][1]) * scale)
    return math.degrees(sum(leans) / len(leans)), math.degrees(sum(turns) / len(turns))


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_negative_scale_at_the_ankle_rolls_pushes_back(nao, side):
    free, _ = lean(nao, 0.0, 10.0 * side)
    back, turn = lean(nao, -4.0, 10.0 * side)
    along, _ = lean(nao, 4.0, 10.0 * side)
    assert free * side > 0.1
    assert turn * side < 0.0
    assert 0.0 < back * side < free * side < along * side


def test_the_own_get_ups_push_back():
    library = load_motions("nao")
    scales = [
        entry.scale
        for block in library.blocks.values()
        for frame in block.keyframes
        for entry in frame.balance_roll
        if entry.joint in ANKLES
    ]
    assert scales
    assert max(scales) < 0.0
