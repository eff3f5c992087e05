"""A rich library to every format: what is written, what is told to be lost, what comes back; limits and clipping."""

from __future__ import annotations

import json
import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.formats.registry import FORMATS, convert, read, write
from andante.formats.report import FormatError, Losses
from andante.formats.shared.curves import Curve, Knot, curves_of, sample
from andante.formats.shared.numbers import degrees, number_text, radians
from andante.formats.shared.steps import Holds, steps_of
from andante.motions.conditions import Variable, WaitCondition
from andante.motions.interpolation import sine_min_to_max, sine_zero_to_max
from andante.motions.keyframe import Block, Interpolation, JointStiffness, Keyframe
from andante.motions.library import Motion, MotionLibrary

ENDINGS = {
    "hulks": ".json",
    "hulks-motion2": ".motion2",
    "bitbots": ".json",
    "runswift": ".pos",
    "webots": ".motion",
    "naodevils": ".kfm",
    "xar": ".xar",
    "choregraphe-python": ".py",
    "mujoco": ".xml",
    "csv": ".csv",
    "npz": ".npz",
}
RICH = MotionLibrary(
    robot="nao",
    dialect="bhuman-2024",
    note="about",
    motions={"nod": Motion(blocks=("a", "b"), balance_out=True, note="people")},
    blocks={
        "a": Block(
            base_stiffness={"head": 0.5, "tail": 0.1},
            keyframes=(
                Keyframe(duration=0.4, joints={"HeadYaw": 0.25, "LHand": 0.5}, phase="sit", note="first"),
                Keyframe(
                    duration=0.2,
                    joints={"HeadYaw": -0.25, "HeadPitch": 0.125, "RHipYawPitch": 0.5, "LHipYawPitch": 0.25},
                    interpolation=Interpolation.SINE_MIN_TO_MAX,
                    stiffness=(JointStiffness(joint="HeadPitch", stiffness=0.25),),
                    waits=(WaitCondition(variable=Variable.WAIT_TIME, min=0.0, max=1.0),),
                ),
            ),
        ),
        "b": Block(keyframes=(Keyframe(duration=0.1, joints={"HeadYaw": "off", "Tail": 1.0}),)),
        "c": Block(),
    },
)


@pytest.mark.parametrize("name", ENDINGS)
def test_what_a_format_cannot_hold_is_told(name, tmp_path: Path):
    losses = FORMATS[name].losses(RICH)
    text = "\n".join(losses)
    assert "note: is not held" in losses
    assert "dialect: is not held" in losses
    assert "blocks.c: belongs to no motion and is not held" in losses
    assert "motions.nod.balance_out: is not held" in losses
    assert "blocks.a.keyframes[0].phase: is not held" in text
    if name == "hulks":
        assert "blocks.a: only waits for a still torso (torso_pitch_fluctuation from 0) are held" in losses
        assert "motions.nod.blocks: become one list of keyframes" not in losses
    else:
        assert "blocks.a.keyframes[1].waits: is not held" in losses
        assert "motions.nod.blocks: become one list of keyframes" in losses
    holds_stiffness = name in ("hulks", "hulks-motion2", "runswift", "naodevils", "csv", "npz")
    assert ("blocks.a.base_stiffness: joint group 'tail' is unknown and not held" in losses) is holds_stiffness
    assert ("joints that are off are not held" not in text) is (holds_stiffness or name == "npz")
    (written,) = write(RICH, tmp_path / f"nod{ENDINGS[name]}", name)
    back = read(written, name, robot="nao")
    assert FORMATS[name].losses(back) == []


@pytest.mark.parametrize("name", ENDINGS)
def test_what_is_written_reads_as_the_same_way(name, tmp_path: Path):
    """Angles of the named joints at the end of each keyframe, whatever the format makes of the rest."""
    (written,) = write(RICH, tmp_path / f"nod{ENDINGS[name]}", name)
    back = read(written, name, robot="nao")
    found: dict[float, dict[str, float]] = {}
    (motion,) = back.motions
    for step in steps_of(back, motion, Losses(), Holds(stiffness=True, off=True, ways=tuple(Interpolation))):
        found[round(step.end, 6)] = dict(step.held)
    for time, expected in ((0.4, {"HeadYaw": 0.25, "LHand": 0.5}), (0.6, {"HeadYaw": -0.25, "HeadPitch": 0.125})):
        held = found[time]
        for joint, angle in expected.items():
            assert held[joint] == pytest.approx(angle, abs=1e-12), (time, joint)


def test_hulks_gets_all_joints_and_says_so(tmp_path: Path):
    losses = FORMATS["hulks"].losses(RICH)
    assert any(
        loss.endswith("the format needs all joints; LKneePitch is written as 0 (and at 2 more places)")
        for loss in losses
    )
    assert "the motion begins in its first keyframe's posture, which is commanded at once" in losses
    assert "blocks.b.keyframes[0]: joint 'Tail' has no place in the format" in losses
    write(RICH, tmp_path / "nod.json", "hulks")
    data = json.loads((tmp_path / "nod.json").read_text())
    assert [part["name"] for part in data["motion"]] == ["a", "b"]
    assert data["motion"][1]["keyframes"][0]["positions"]["stiffnesses"]["head"]["yaw"] == 0


def test_runswift_has_one_column_for_both_hip_yaw_pitches():
    losses = FORMATS["runswift"].losses(RICH)
    assert any("RHipYawPitch has no column; LHipYawPitch is written" in loss for loss in losses)


def test_webots_rounds_to_milliseconds(tmp_path: Path):
    library = MotionLibrary(
        robot="nao", blocks={"a": Block(keyframes=(Keyframe(duration=0.1005, joints={"HeadYaw": 0.1}),))}
    )
    assert FORMATS["webots"].losses(library) == ["blocks.a.keyframes[0]: times are written in whole milliseconds"]
    write(library, tmp_path / "a.motion")
    assert (tmp_path / "a.motion").read_text() == "#WEBOTS_MOTION,V1.0,HeadYaw\n00:00:100,Pose1,0.1\n"


def test_a_library_without_motions_cannot_be_written(tmp_path: Path):
    with pytest.raises(FormatError, match="the library has no motion to write"):
        write(MotionLibrary(robot="nao"), tmp_path / "a.motion")


def test_a_missing_block_is_named(tmp_path: Path):
    library = RICH.model_copy(update={"motions": {"nod": Motion(blocks=("z",))}})
    with pytest.raises(
        FormatError, match=r"motions.nod.blocks: the library has no such block; got 'z'; legal: a, b, c"
    ):
        write(library, tmp_path / "a.csv")


def bezier_oracle(a: Knot, b: Knot, time: float) -> float:
    """De Casteljau with bisection on the parameter."""
    assert a.right is not None
    assert b.left is not None
    xs = [a.time, a.time + a.right[0], b.time + b.left[0], b.time]
    ys = [a.value, a.value + a.right[1], b.value + b.left[1], b.value]

    def at(points: list[float], u: float) -> float:
        while len(points) > 1:
            points = [(1 - u) * p + u * q for p, q in pairwise(points)]
        return points[0]

    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if at(xs, middle) < time else (low, middle)
    return at(ys, low)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(st.data())
def test_keyframes_of_a_bezier_curve_stay_as_near_as_told(data):
    number = st.floats(-2.0, 2.0)
    share = st.floats(0.0, 1.0)
    length = data.draw(st.floats(0.2, 3.0))
    a = Knot(0.5, data.draw(number), None, (data.draw(share) * length, data.draw(number)))
    b = Knot(0.5 + length, data.draw(number), (-data.draw(share) * length, data.draw(number)), None)
    sampled = sample([Curve("HeadYaw", (a, b))])
    times = np.cumsum([keyframe.duration for keyframe in sampled.keyframes])
    angles = [keyframe.joints["HeadYaw"] for keyframe in sampled.keyframes]
    assert times[0] == pytest.approx(0.5)
    assert times[-1] == pytest.approx(0.5 + length)
    worst = max(abs(np.interp(t, times, angles) - bezier_oracle(a, b, t)) for t in np.linspace(0.5, 0.5 + length, 49))
    assert worst <= sampled.error + 0.02
    if np.diff(times).min(initial=1.0) > 0.021:  # Else keyframes are as close as they may be.
        assert worst <= math.radians(0.25) + 0.02


@pytest.mark.parametrize(
    ("way", "curve", "most"),
    [
        (Interpolation.LINEAR, lambda r: r, 1e-9),
        (Interpolation.SINE_MIN_TO_MAX, sine_min_to_max, 5e-4),
        (Interpolation.SINE_ZERO_TO_MAX, sine_zero_to_max, 5e-3),
    ],
)
def test_sine_ways_become_the_nearest_bezier_curves(way, curve, most):
    library = MotionLibrary(
        robot="nao",
        motions={"a": Motion(blocks=("a",))},
        blocks={
            "a": Block(
                keyframes=(
                    Keyframe(duration=1.0, joints={"HeadYaw": -0.5}),
                    Keyframe(duration=1.0, joints={"HeadPitch": 1.0}),
                    Keyframe(duration=0.8, joints={"HeadYaw": 0.5}, interpolation=way),
                )
            )
        },
    )
    steps = steps_of(library, "a", Losses(), Holds(ways=tuple(Interpolation)))
    (yaw, _) = curves_of(steps, Losses())
    # The joint rests while the others move.
    assert [knot.time for knot in yaw.knots] == pytest.approx([1.0, 2.0, 2.8])
    assert yaw.knots[1].value == -0.5
    from andante.formats.shared.curves import _polyline

    x, y = _polyline(yaw)
    for ratio in np.linspace(0.0, 1.0, 33):
        assert np.interp(2.0 + 0.8 * ratio, x, y) == pytest.approx(-0.5 + curve(ratio), abs=most)


@settings(max_examples=200)
@given(st.floats(-1e6, 1e6))
def test_degrees_give_the_same_angle_again(value):
    angle = radians(value)
    assert radians(degrees(angle)) == angle
    assert float(number_text(value)) == value


BEYOND = MotionLibrary(
    robot="nao",
    motions={"a": Motion(blocks=("a",))},
    blocks={
        "a": Block(
            keyframes=(
                Keyframe(duration=1.0, joints={"HeadPitch": 1.0, "HeadYaw": 0.5}),
                Keyframe(duration=0.01, joints={"HeadPitch": 0.0, "HeadYaw": -3.0, "LHand": "off"}),
            )
        )
    },
)


def test_limits_are_told_and_clipped_on_request(tmp_path: Path):
    from andante.robots.robot import Robot

    robot = Robot.load("nao")
    pitch, yaw = (robot.joints[robot.index(name)] for name in ("HeadPitch", "HeadYaw"))
    write(BEYOND, tmp_path / "a.yaml")
    report = convert(tmp_path / "a.yaml", tmp_path / "a.motion")
    warnings = [str(warning) for warning in report.warnings]
    assert warnings[:2] == [
        f"blocks.a.keyframes[1]: 1 target of HeadYaw beyond its lower limit of {math.degrees(yaw.lower):.2f} deg, "
        f"by up to {math.degrees(yaw.lower + 3.0):.2f} deg",
        f"blocks.a.keyframes[0]: 1 target of HeadPitch beyond its upper limit of {math.degrees(pitch.upper):.2f} deg, "
        f"by up to {math.degrees(1.0 - pitch.upper):.2f} deg",
    ]
    assert f"HeadYaw faster than it can turn, by a factor of up to {3.5 / 0.01 / yaw.max_velocity:.2f}" in warnings[2]
    assert read(tmp_path / "a.motion").blocks["a"].keyframes[0].joints["HeadPitch"] == pytest.approx(1.0)
    report = convert(tmp_path / "a.yaml", tmp_path / "a.motion", clip=True)
    assert str(report.warnings[-1]) == "2 targets were brought inside the limits of 'nao'"
    first, second = read(tmp_path / "a.motion").blocks["a"].keyframes
    assert first.joints == {"HeadPitch": pitch.upper, "HeadYaw": pytest.approx(0.5)}
    assert second.joints == {"HeadPitch": 0.0, "HeadYaw": yaw.lower}


def test_an_unknown_robot_cannot_be_clipped(tmp_path: Path):
    write(BEYOND.model_copy(update={"robot": "op3"}), tmp_path / "a.yaml")
    told = [str(warning) for warning in convert(tmp_path / "a.yaml", tmp_path / "a.csv").warnings]
    assert told == ["the limits of robot 'op3' are unknown and not looked at"]
    told = [str(warning) for warning in convert(tmp_path / "a.csv", tmp_path / "c.csv", robot="noa").warnings]
    assert told == ["the limits of robot 'noa' are unknown and not looked at; did you mean 'nao'?"]
    with pytest.raises(FormatError, match="the limits of this robot are unknown; got 'op3'"):
        convert(tmp_path / "a.yaml", tmp_path / "b.csv", clip=True)
    assert not (tmp_path / "b.csv").exists()


def test_the_command_clips_and_takes_a_robot(tmp_path: Path, capsys):
    from andante.cli.motion_files import convert as command

    write(BEYOND, tmp_path / "a.yaml")
    command(str(tmp_path / "a.yaml"), tmp_path / "a.csv", clip=True)
    told = capsys.readouterr().out
    assert "warning: 2 targets were brought inside the limits of 'nao'" in told
    (tmp_path / "b.csv").write_text("time [s],x [rad]\n1,0.5\n")
    command(str(tmp_path / "b.csv"), tmp_path / "b.yaml", robot="op3")
    assert read(tmp_path / "b.yaml").robot == "op3"
