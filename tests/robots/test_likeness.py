"""Whether angles mean the same on two robots: axes, signs and zeros, changed by hand one at a time."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from humanoids import mjcf_humanoid

from andante.motions.editing.binding import bind, unlike_note
from andante.robots.likeness import unlike_joints
from andante.robots.robot import Robot
from andante.runs.motion_libraries import bind_file, shipped_motions

TEXT = mjcf_humanoid()


def loaded(folder: Path, text: str = TEXT) -> Robot:
    path = folder / f"robot{len(list(folder.iterdir()))}.xml"
    path.write_text(text)
    return Robot.load(path)


def changed(joint: str, old: str, new: str) -> str:
    """The model with something of one joint's element changed."""
    found = re.search(rf'<joint name="{joint}"[^>]*>', TEXT)
    assert found is not None
    assert old in found[0]
    return TEXT.replace(found[0], found[0].replace(old, new))


def unlike(theirs: Robot, own: Robot) -> tuple[str, ...]:
    return unlike_joints(theirs, own, {name: name for name in own.joint_names})


def test_a_robot_is_like_itself_and_like_one_of_other_size_and_weight(tmp_path: Path) -> None:
    one = loaded(tmp_path)
    assert unlike(one, one) == ()
    assert unlike(one, loaded(tmp_path, TEXT.replace('mass="2"', 'mass="5"').replace('"0 0 -.13"', '"0 0 -.2"'))) == ()


@pytest.mark.parametrize(
    ("joint", "old", "new"),
    [
        ("Left_Hip_Yaw", 'axis="0 0 1"', 'axis="0 0 -1"'),
        ("Right_Knee", 'axis="0 1 0"', 'axis="0 -1 0"'),
        ("Left_Hip_Roll", 'axis="1 0 0"', 'axis="1 0 1"'),
        ("Waist", 'axis="0 0 1"', 'axis="1 0 0"'),
    ],
)
def test_an_axis_that_is_turned_or_has_the_other_sign_is_named_alone(
    joint: str, old: str, new: str, tmp_path: Path
) -> None:
    one, other = loaded(tmp_path), loaded(tmp_path, changed(joint, old, new))
    assert unlike(one, other) == unlike(other, one) == (joint,)


def test_a_slightly_turned_axis_is_the_same_joint(tmp_path: Path) -> None:
    # atan(0.3) are 17 degrees.
    assert unlike(loaded(tmp_path), loaded(tmp_path, changed("Left_Hip_Roll", '"1 0 0"', '"1 0 .3"'))) == ()


def test_a_joint_that_the_other_names_otherwise_is_compared_by_its_names(tmp_path: Path) -> None:
    one = loaded(tmp_path)
    assert unlike_joints(one, one, {"Left_Knee": "Left_Hip_Pitch"}) == ()
    assert unlike_joints(one, one, {"Left_Knee": "Left_Hip_Yaw", "Nothing": "Right_Knee"}) == ("Left_Hip_Yaw",)


def test_a_nao_s_arms_and_hips_are_not_a_booster_s() -> None:
    # A NAO's arm points ahead with all joints at 0, a Booster's to the side; the NAO's hip yaw pitch is oblique.
    bound = bind(shipped_motions("nao"), "k1")
    found = set(unlike_joints(Robot.load("nao"), bound.robot, bound.names))
    sides = {f"{side}_{part}" for side in ("Left", "Right") for part in ("Shoulder_Roll", "Elbow_Pitch", "Hip_Yaw")}
    assert sides <= found
    assert not any("Knee" in name or "Ankle" in name or "Hip_Pitch" in name or "ead" in name for name in found)
    assert "mean other postures: a k1 turns elsewhere about Left_Shoulder_Roll" in unlike_note("nao", bound)


@pytest.mark.slow
def test_the_boosters_are_alike() -> None:
    assert unlike_note("k1", bind(shipped_motions("k1"), "t1")) == ""


def test_a_robot_that_is_not_here_tells_nothing(tmp_path: Path) -> None:
    assert unlike_note("t9", bind(shipped_motions("nao"), "k1")) == ""


def test_a_file_for_another_sign_is_told_where_it_is_bound(tmp_path: Path) -> None:
    theirs = loaded(tmp_path)
    own = loaded(tmp_path, changed("Left_Knee", '"0 1 0"', '"0 -1 0"').replace('"walker"', '"mine"'))
    file = tmp_path / "motions.yaml"
    file.write_text(
        f"format: andante.motions\nversion: 1\nunits: {{angle: deg, time: s, length: m}}\nrobot: {theirs.path.name}\n"
        "motions: {go: {blocks: [go]}}\nblocks: {go: {keyframes: [{duration: 1, joints: {Left_Knee: 20}}]}}\n"
    )
    notes = bind_file(file, own).notes
    assert notes[-1] == "angles stay as they are and mean other postures: a mine turns elsewhere about Left_Knee"
