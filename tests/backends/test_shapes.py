"""Stretched shapes: sizes as asked, masses as they were, and contacts as of a robot built that way."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from pydantic import ValidationError

from andante.backends.backend import BackendError
from andante.backends.model_builder import build_model
from andante.backends.mujoco_world import MujocoWorld
from andante.backends.shapes import ShapeVariation
from andante.backends.world import Start, Stretch, WorldConfig
from andante.robots.robot import Robot

HANDS = Stretch(geoms=("left_hand", "right_hand"), axis="x", factor=1.05)
WAIST = Stretch(geoms=("waist",), axis="x", factor=0.9)
PARTS = tuple(f"{side}_sole_{part}" for side in ("left", "right") for part in ("wide", "middle", "long"))
SOLES = tuple(Stretch(geoms=PARTS, axis=a, factor=f) for a, f in (("x", 1.1), ("y", 0.95)))


def varied(nao: Robot, *stretches: Stretch) -> tuple[object, object]:
    """The NAO's model before and after."""
    config = WorldConfig(stretches=stretches)
    model = build_model(nao, config)
    ShapeVariation(nao, config, model).apply([stretch.factor for stretch in stretches])
    return build_model(nao, WorldConfig()), model


def extents(model, name: str) -> np.ndarray:
    """Lowest and highest corner of a box geom in its body's frame, (2, 3)."""
    geom = model.geom(name)
    return np.array([geom.pos - geom.size, geom.pos + geom.size])


def test_a_longer_hand(nao: Robot) -> None:
    before, after = varied(nao, HANDS)
    # The capsule reaches from -15 to 95 mm (10..70 mm, radius 25 mm): its tip comes to 95 * 1.05 mm.
    for side in ("left", "right"):
        hand = after.geom(f"{side}_hand")
        assert hand.size[:2] == pytest.approx([0.025, 0.055 * 1.05 - 0.025])
        assert hand.pos[0] + hand.size[0] + hand.size[1] == pytest.approx(0.095 * 1.05)
        assert hand.pos[0] - hand.size[0] - hand.size[1] == pytest.approx(-0.015 * 1.05)
    assert after.geom("left_forearm").size == pytest.approx(before.geom("left_forearm").size)


def test_a_thinner_waist(nao: Robot) -> None:
    _, after = varied(nao, WAIST)
    assert after.geom("waist").size == pytest.approx([0.034 * 0.9, 0.045, 0.0445])
    assert after.geom("waist").pos == pytest.approx([0.004 * 0.9, 0.0, -0.0155])


def test_longer_and_narrower_soles(nao: Robot) -> None:
    before, after = varied(nao, *SOLES)
    for name in PARTS:
        old, new = extents(before, name), extents(after, name)
        for extreme in (np.min, np.max):
            assert extreme(new, axis=0) == pytest.approx(extreme(old, axis=0) * (1.1, 0.95, 1.0), abs=1e-6)


def test_about_stays(nao: Robot) -> None:
    _, after = varied(nao, Stretch(geoms=("waist",), axis="x", factor=1.2, about=-0.03))
    waist = after.geom("waist")
    assert waist.pos[0] - waist.size[0] == pytest.approx(-0.03)
    assert 2.0 * waist.size[0] == pytest.approx(0.068 * 1.2)


def test_masses_and_inertias_stay(nao: Robot) -> None:
    before, after = varied(nao, HANDS, WAIST, *SOLES)
    for name in ("body_mass", "body_inertia", "body_ipos", "body_iquat", "body_subtreemass"):
        assert (getattr(before, name) == getattr(after, name)).all(), name


def test_contacts_are_those_of_a_robot_built_that_way(nao: Robot) -> None:
    chest = 'name="chest" class="shell" type="box" size="0.048 '
    assert chest in nao.mjcf
    built = dataclasses.replace(nao, mjcf=nao.mjcf.replace(chest, chest.replace("0.048", "0.06")))
    thick = Stretch(geoms=("chest",), axis="x", factor=1.25)
    start = Start(lying="supine", noise_scale=0.0)
    worlds = [
        MujocoWorld(nao, WorldConfig(start=start, stretches=(thick,))),
        MujocoWorld(built, WorldConfig(start=start)),
        MujocoWorld(nao, WorldConfig(start=start)),
    ]
    states = [world.truth().vector for world in worlds]
    assert states[0] == pytest.approx(states[1], abs=1e-6)
    assert np.abs(states[0] - states[2]).max() > 1e-3


def test_drawn_by_the_seed_and_gone_with_the_next(nao: Robot) -> None:
    config = WorldConfig(stretches=(WAIST.model_copy(update={"factor": (0.95, 1.05)}),))
    world = MujocoWorld(nao, config)
    drawn = []
    for seed in (*range(20), 0):
        world.reset(seed)
        drawn.append(float(world.model.geom("waist").size[0]) / 0.034)
    assert drawn[0] == drawn[-1]
    assert 0.95 <= min(drawn) < 0.97
    assert 1.03 < max(drawn) <= 1.05


def test_a_robot_on_stretched_soles_stands(nao: Robot) -> None:
    world = MujocoWorld(nao, WorldConfig(stretches=SOLES))
    world.advance(1.2)
    assert world.read().contact.all()
    assert abs(world.truth()["pitch"][0]) < math.radians(4.0)


@pytest.mark.parametrize(
    ("geom", "message"),
    [
        ("left_han", "a shape that this robot lacks; got 'left_han'; did you mean 'left_hand'"),
        ("left_thigh", "'left_thigh'.*along x: the capsule lies along another axis"),
        ("skull", "only boxes, meshes and capsules"),
        ("chest_light", "only boxes"),
    ],
)
def test_refused_for_a_robot(nao: Robot, geom: str, message: str) -> None:
    with pytest.raises(BackendError, match=message):
        MujocoWorld(nao, WorldConfig(stretches=(Stretch(geoms=(geom,), axis="x", factor=1.1),)))


@pytest.mark.parametrize("fields", [{"factor": 3.0}, {"factor": (1.1, 0.9)}, {"geoms": ()}, {"axis": "w"}])
def test_refuses(fields: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Stretch.model_validate({"geoms": ("a",), "axis": "x", "factor": 1.0, **fields})
