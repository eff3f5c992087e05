"""Joints that turn with others: gearboxes and screws of SDF, and chains of URDF's mimics."""

from __future__ import annotations

import re

import pytest
from bare_files import load, refusal
from quadrupeds import urdf_quadruped
from test_sdf_robots import head, joint, link, sdf

TAIL = head() + link("tail", 0.3, "-0.3 0 0.5 0 0 0") + joint("tail_joint", "trunk", "tail", "0 0 -1")


def gearbox(child: str = "tail", body: str = "trunk", axis: str = "0 0 1", axis2: str = "0 0 1") -> str:
    axes = f"<axis><xyz>{axis}</xyz></axis><axis2><xyz>{axis2}</xyz></axis2>"
    named = f"<gearbox_reference_body>{body}</gearbox_reference_body><gearbox_ratio>2.5</gearbox_ratio>"
    more = f"<parent>head</parent><child>{child}</child>{named if body else ''}{axes}"
    return f"<joint name='gear' type='gearbox'>{more}</joint>"


@pytest.mark.parametrize(("axis2", "factor"), [("0 0 1", 2.5), ("0 0 -1", -2.5)])
def test_a_gearbox_couples_the_joints_of_its_two_links(tmp_path, axis2, factor):
    robot = load(tmp_path, sdf(TAIL + gearbox(axis2=axis2)), "quad.sdf")
    # The tail turns about -z: -2.5 times the head's angle about the gearbox's axes is 2.5 times about theirs.
    assert robot.model.eq_data[0][:2] == pytest.approx([0.0, factor])
    assert f"tail_joint ({factor:g} x neck +0)" in robot.sources["mimic joints"]
    assert "a gearbox, so that one joint follows another: gear" in robot.sources["sdf"]
    assert not robot.doubts


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (gearbox(axis="0 1 1"), "an axis of the gearbox is not that of joint 'neck'; got 'cosine 0.707'"),
        (gearbox(child="FL_calf"), "no hinge joins a link of the gearbox with its body; got 'FL_calf on trunk'"),
        (gearbox(body=""), "<gearbox_reference_body> is missing"),
        (gearbox() + gearbox().replace("'gear'", "'other'"), "turns with another one already; got 'tail_joint'"),
    ],
)
def test_a_gearbox_that_cannot_be_meant_is_refused(tmp_path, text, message):
    assert message in refusal(tmp_path, sdf(TAIL + text), "quad.sdf")


def test_a_screw_that_carries_nothing_is_held(tmp_path):
    robot = load(tmp_path, sdf(head(kind="screw")), "quad.sdf")
    assert "neck" not in robot.joint_names
    assert "a screw, which slides here and does not turn, joint neck" in robot.sources["sdf"]
    assert "neck (slide of head)" in robot.sources["other joints"]


def following(pairs: dict[str, tuple[str, float, float]]) -> str:
    text = urdf_quadruped()
    for name, (leader, factor, offset) in pairs.items():
        mimic = f'<mimic joint="{leader}" multiplier="{factor}" offset="{offset}"/></joint>'
        text = re.sub(rf'(<joint name="{name}".*?)</joint>', rf"\1{mimic}", text, count=1, flags=re.DOTALL)
    return text


def test_a_chain_of_mimics_follows_the_joint_at_its_end(tmp_path):
    chain = {"FR_HAA": ("FL_HAA", 1, 0), "RL_HAA": ("FR_HAA", 1, 0), "RR_HAA": ("RL_HAA", -2, 0.1)}
    robot = load(tmp_path, following(chain), "quad.urdf")
    assert {each.name: each.follows for each in robot.joints if each.follows} == {
        "FR_HAA": "FL_HAA",
        "RL_HAA": "FL_HAA",
    }
    assert robot.sources["mimic joints"].endswith("RR_HAA (-2 x FL_HAA +0.1)")


@pytest.mark.parametrize("first", ["FL_HAA", "FR_HAA"])
def test_mimics_in_a_circle_are_refused(tmp_path, first):
    circle = {"FR_HAA": (first, 1, 0), "FL_HAA": ("FR_HAA", 1, 0)}
    assert "joints follow each other in a circle" in refusal(tmp_path, following(circle))
