"""Bad MJCF and URDF files: each is refused with its place and what would be right, and leaves nothing behind."""

from __future__ import annotations

import os
import re

import numpy as np
import pytest
from bare_files import MESH, NO_LIMITS, load, refusal, with_visual
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from quadrupeds import mjcf_quadruped, stl_box, urdf_quadruped

from andante.robots.parts import RobotError
from andante.robots.robot import Robot

CHAIN = 3 * '<body><geom size=".1"/><joint/>' + 3 * "</body>"
"""Three hinges, as many as a leg has."""
XACRO = "the file is for xacro: run it first, `xacro FILE > robot.urdf`"
ONE_BASE = "limit: exactly one body below the world that carries hinge joints"
WHERE = "package:// and model:// paths are looked up in the folders above the file, others beside it"
FINITE = "limit: a finite number of at least 0"
NUMBERS = ("nan", "inf", "-1", "0", "1e999", "1e-320", "9" * 40, "", "x", "1 2", "-0.0", "1e18")
WORDS = ("", "FL_hip", "trunk", "world", "ball", "slide", "mesh", "plane", "free", "\u00e9", "a b", "x" * 300)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "quad.urdf:1:1: cannot be read as XML: no element found"),
        ("{}", "quad.urdf:1:1: cannot be read as XML: not well-formed (invalid token)"),
        (
            "<html/>",
            "quad.urdf:1:1: is neither MJCF, URDF nor SDF; got 'html'; limit: root element <mujoco>, <robot> or <sdf>",
        ),
        (
            "<!-- <robot> --><x/>",
            "quad.urdf:1:17: is neither MJCF, URDF nor SDF; got 'x'; limit: root element <mujoco>, <robot> or <sdf>",
        ),
        ("<robot>\n<link>", "quad.urdf:2:7: cannot be read as XML: no element found"),
        ("<robot name='r'/>", "quad.urdf: a URDF needs exactly one root link; got []"),
        (b"\x7fELF\x02\xff", "quad.urdf: is no UTF-8 text (byte 5 is 0xff); is this really a text document?"),
        (
            b"<robot>\0</robot>",
            "quad.urdf:1:8: holds a control character and is no text",
        ),
        (
            '<!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]><robot>&b;</robot>',
            "quad.urdf:1:13: document type declarations are refused",
        ),
        ("<mujoco>" + "<a>" * 100_000, "quad.urdf:1:1206: is nested too deeply; limit: 400 levels"),
        ("<mujoco><worldbody/></mujoco>", f"quad.urdf: the base cannot be guessed; got []; {ONE_BASE}"),
    ],
)
def test_what_is_no_robot_is_refused_with_its_place(tmp_path, text, message):
    assert refusal(tmp_path, text).startswith(message)


def test_a_huge_file_is_refused_before_it_is_read(tmp_path):
    path = tmp_path / "quad.urdf"
    with path.open("wb") as file:
        file.truncate(100_000_000)
    with pytest.raises(RobotError, match=r"quad\.urdf: is too large; got 100000000; limit: 20000000 bytes"):
        Robot.load(path)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('effort="20"', 'effort="much"', "joint 'FL_HAA': limit: effort is no number; got 'much'"),
        ('velocity="30"', 'velocity="nan"', f"joint 'FL_HAA': limit: velocity is out of range; got 'nan'; {FINITE}"),
        ('effort="20"', 'effort="-1"', f"joint 'FL_HAA': limit: effort is out of range; got '-1'; {FINITE}"),
        ('mass value="6.0"', 'mass value="heavy"', "link 'trunk': value is no number; got 'heavy'"),
        ("</robot>", '<link name="lost"/></robot>', "a URDF needs exactly one root link; got ['trunk', 'lost']"),
        (
            'lower="-1.5"',
            'lower="1.5"',
            "joint 'FL_HAA': limit: lower is above upper; got 1.5; limit: at most upper, 1.25",
        ),
        ('joint name="FR_HAA"', 'joint name="FL_HAA"', "two joints have one name; got 'FL_HAA'"),
        (
            '<robot name="quad">',
            '<robot name="quad" xmlns:xacro="http://ros.org/wiki/xacro"><xacro:arm parent="trunk"/>',
            f"this is no URDF yet; got 'xacro:arm'; {XACRO}",
        ),
        ('xyz="0 0.05 0"', 'xyz="0 ${w} 0"', f"origin: xyz: this is no URDF yet; got '0 ${{w}} 0'; {XACRO}"),
        (
            'link name="FL_hip"',
            'link name="$(arg leg)_hip"',
            f"link: name: this is no URDF yet; got '$(arg leg)_hip'; {XACRO}",
        ),
    ],
)
def test_what_is_wrong_in_a_urdf_is_named(tmp_path, urdf, old, new, message):
    assert refusal(tmp_path, urdf.replace(old, new, 1)) == f"quad.urdf: {message}"


def test_prismatic_joints_are_named(tmp_path, urdf):
    assert refusal(tmp_path, urdf.replace('type="revolute"', 'type="prismatic"', 1)) == (
        "quad.urdf: joint 'FL_HAA': only hinge joints are supported; got \"slide of body 'FL_hip'\"; take the joint"
        " out, or put hinges in its place; a linear drive goes by itself where its chain hangs on one body, ends at"
        " another, and holds nothing"
    )


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "package://elsewhere/box.stl",
            f"mesh: the mesh file cannot be found; got 'package://elsewhere/box.stl'; {WHERE}",
        ),
        ("box.ply", "mesh: this mesh format is not read; got 'box.ply'; legal: .stl, .obj, .msh, .dae"),
        ("", "mesh: a mesh needs a file name"),
        ("x" * 5000 + ".stl", None),
    ],
)
def test_meshes_that_cannot_be_used_are_named(tmp_path, name, message):
    (tmp_path / "box.ply").write_text("ply")
    found = refusal(tmp_path, urdf_quadruped(shape=MESH.format(name)))
    assert message is None or found == f"quad.urdf: {message}"


def test_files_that_git_has_not_fetched_are_told(tmp_path, mjcf):
    for name in ("box.stl", "shell.stl"):
        (tmp_path / name).write_text("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a21\nsize 12345\n")
    told = "is Git LFS's pointer to a file, not the file; run git lfs pull"
    for text, name, mesh in (
        (urdf_quadruped(shape=MESH.format("box.stl")), "quad.urdf", "box.stl"),
        (with_visual(mjcf, collides=True), "quad.xml", "shell.stl"),
    ):
        (tmp_path / name).write_text(text)
        with pytest.raises(RobotError) as caught:
            Robot.load(tmp_path / name)
        assert str(caught.value) == f"{tmp_path / mesh}: {told}"
    seen = tmp_path / "seen.xml"
    seen.write_text(with_visual(mjcf))
    assert Robot.load(seen).sources["shapes"].endswith(": shell")


@pytest.mark.parametrize("content", [b"", b"solid nothing", stl_box()[:200], os.urandom(300)])
def test_broken_meshes_are_refused(tmp_path, content):
    (tmp_path / "box.stl").write_bytes(content)
    assert "the model cannot be compiled" in refusal(tmp_path, urdf_quadruped(shape=MESH.format("box.stl")))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "<freejoint/>",
            '<joint name="slider" type="slide"/>',
            "the root body hangs on a joint; a legged robot needs a free base; got 'trunk'; take its joints against the"
            " world out, or put a free joint in their place (URDF: floating)",
        ),
        ('name="FL_hip" axis="1 0 0"', 'name="FL_hip" type="ball"', None),
        (
            "</worldbody>",
            '<body name="b"><freejoint/><geom size="1"/>' + CHAIN + "</body></worldbody>",
            f"the base cannot be guessed; got ['trunk', 'b']; {ONE_BASE}, or one of them that is free;"
            " leave one robot in the file: of several nobody can tell which is meant",
        ),
        ('mass="6"', 'mass="-6"', None),
        ('mass="6"', 'mass="nan"', None),
        ("</worldbody>", '<geom type="mesh" mesh="m"/></worldbody><asset><mesh name="m" file="no.stl"/></asset>', None),
    ],
)
def test_what_is_wrong_in_an_mjcf_is_named(tmp_path, mjcf, old, new, message):
    text = re.sub("<keyframe>.*</keyframe>", "", mjcf).replace(old, new, 1)
    found = refusal(tmp_path, text, "quad.xml")
    assert found == f"quad.xml: {message}" if message else found.startswith("quad.xml: ")


def test_wheels_of_a_robot_without_legs_are_named(tmp_path):
    wheels = "".join(
        f'<body pos="{x} {y} 0"><joint name="wheel{x}{y}" axis="0 1 0"/><geom size=".05"/></body>'
        for x in (-0.2, 0.2)
        for y in (-0.1, 0.1)
    )
    text = f'<mujoco><worldbody><body><freejoint/><geom size=".1"/>{wheels}</body></worldbody></mujoco>'
    assert refusal(tmp_path, text, "rover.xml") == f"rover.xml: joint 'wheel-0.2-0.1': {NO_LIMITS}"


def test_numbers_that_are_not_finite_are_refused_and_leave_no_file(tmp_path, monkeypatch, mjcf):
    monkeypatch.chdir(tmp_path)
    message = "quad.xml: the model holds a number that is not finite; got 'site_pos'; limit: finite numbers"
    assert refusal(tmp_path, mjcf.replace('pos="0.01 0 0"', 'pos="nan 0 0"'), "quad.xml") == message
    assert [file.name for file in tmp_path.iterdir()] == ["quad.xml"]


def test_truncated_files_are_refused(tmp_path, mjcf, urdf):
    for text in (mjcf, urdf):
        for size in range(0, len(text) - 1, 97):
            refusal(tmp_path, text[:size])


def tried(folder, text):
    """Load; anything but success or a RobotError fails the test."""
    try:
        robot = load(folder, text)
    except RobotError:
        return
    assert np.isfinite([*robot.lower, *robot.upper, *robot.max_effort]).all()
    assert robot.spec().compile().njnt >= len(robot.joints)


@pytest.mark.slow
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_mutated_files_load_or_are_refused(tmp_path, data):
    text = data.draw(st.sampled_from([mjcf_quadruped(), urdf_quadruped()]))
    quotes = [at for at, character in enumerate(text) if character == '"']
    for _ in range(data.draw(st.integers(1, 3))):
        kind = data.draw(st.sampled_from(["value", "cut", "repeat", "byte"]))
        if kind == "value":
            at = 2 * data.draw(st.integers(0, len(quotes) // 2 - 1))
            new = data.draw(st.sampled_from(NUMBERS + WORDS))
            text = text[: quotes[at] + 1] + new + text[quotes[at + 1] :]
        else:
            start = data.draw(st.integers(0, len(text) - 1))
            length = data.draw(st.integers(1, 200))
            part = text[start : start + length]
            new = {"cut": "", "repeat": part * 2, "byte": chr(data.draw(st.integers(1, 300))) + part[1:]}[kind]
            text = text[:start] + new + text[start + length :]
        quotes = [at for at, character in enumerate(text) if character == '"']
        if len(quotes) < 2:
            break
    tried(tmp_path, text)


def test_a_missing_mesh_that_collides_or_weighs_is_refused(tmp_path, mjcf):
    assert "shell.stl" in refusal(tmp_path, with_visual(mjcf, collides=True), "quad.xml")
    weightless = with_visual(mjcf).replace('<inertial pos="0 0 0" mass="6" diaginertia="0.05 0.1 0.1"/>', "")
    assert "shell.stl" in refusal(tmp_path, weightless, "quad.xml")


def test_inertias_out_of_all_proportion_are_refused(tmp_path, urdf):
    heavy = urdf.replace('<mass value="0.2"/>', '<mass value="1e18"/>', 1)
    assert "FL_HAA': the links are out of all proportion to the motors, which cannot move them" in refusal(
        tmp_path, heavy
    )
