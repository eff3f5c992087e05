"""URDF files that bring a free base as a chain of six virtual joints."""

from __future__ import annotations

import numpy as np
import pytest
from bare_files import load, refusal
from quadrupeds import urdf_joint, urdf_link, urdf_quadruped

AXES = {"x": "1 0 0", "y": "0 1 0", "z": "0 0 1", "roll": "1 0 0", "pitch": "0 1 0", "yaw": "0 0 1"}
WIDE = '<limit lower="-1000" upper="1000" effort="0" velocity="0"/>'
NO_BASE = "the root body hangs on a joint; a legged robot needs a free base; got"


def with_chain(names, *, root="world", mass=0.0, kind="revolute") -> str:
    """The quadruped below virtual joints against the world."""
    text, parent = f'<link name="{root}"/>', root
    for name in names:
        child = "trunk" if name == names[-1] else f"base_{name}"
        if child != "trunk":
            text += urdf_link(child, mass) if mass else f'<link name="{child}"/>'
        moves = "prismatic" if name in "xyz" else kind
        text += urdf_joint(f"base_{name}_joint", parent, child, "0 0 0", AXES[name], WIDE, moves)
        parent = child
    return urdf_quadruped().replace('<robot name="quad">', f'<robot name="quad">{text}')


@pytest.mark.parametrize("root", ["world", "odom"])
@pytest.mark.parametrize(
    ("names", "kind"), [(list(AXES), "revolute"), (["x", "y", "z", "yaw", "pitch", "roll"], "continuous")]
)
def test_a_chain_of_six_virtual_joints_is_a_free_base(tmp_path, root, names, kind):
    plain = load(tmp_path, urdf_quadruped(), "plain.urdf")
    robot = load(tmp_path, with_chain(names, root=root, kind=kind), "chain.urdf")
    assert robot.base_body == "trunk"
    assert robot.joint_names == plain.joint_names
    np.testing.assert_array_equal(robot.model.body_mass, plain.model.body_mass)
    joints = ", ".join(f"base_{name}_joint" for name in names)
    assert robot.sources["base"] == f"the joints {joints} against the world leave 'trunk' free: one free joint"
    # Links that are gone are told nothing of, such as an assumed mass.
    assert robot.sources.get("masses") == plain.sources.get("masses")


def test_the_weight_of_the_links_between_is_told_as_left_out(tmp_path):
    robot = load(tmp_path, with_chain(list(AXES), mass=0.001), "chain.urdf")
    assert robot.sources["base"].endswith("; the links between them, 5 g, are left out")
    assert robot.model.nq == 7 + 12


@pytest.mark.parametrize(
    "text",
    [
        with_chain(["x", "z", "pitch"]),
        # Links of 2.5 kg are no virtual ones.
        with_chain(list(AXES), mass=0.5),
        # Two joints about one axis leave no base free.
        with_chain(list(AXES)).replace('xyz="0 1 0"', 'xyz="1 0 0"', 2),
    ],
)
def test_other_joints_against_the_world_are_refused(tmp_path, text):
    assert NO_BASE in refusal(tmp_path, text)
