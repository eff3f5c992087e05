"""The keyframe engine on the tiny robot, against values worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from keyframe_run import ALL, RAW, UNHURRIED, Run, block, get_up_library, keyframe, library, window

from andante.control.controller import Controller
from andante.control.keyframes.configuration import KeyframeEngineSettings, MotionRequest
from andante.control.keyframes.engine import KeyframeEngine
from andante.control.keyframes.states import TRANSITIONS, EngineState


def test_engine_is_a_controller(tiny):
    engine = KeyframeEngine(tiny, library({}, {}))
    assert isinstance(engine, Controller)
    assert engine.state is EngineState.OFF
    assert not engine.done


@pytest.mark.parametrize(
    ("duration_ms", "ticks"), [(1, 1), (3, 1), (12, 1), (14, 1), (15, 2), (100, 9), (200, 17), (2000, 167)]
)
def test_keyframe_takes_the_ticks_of_the_reference(tiny, duration_ms, ticks):
    # floor((D - 3) / 12) + 1: 97/12 = 8.08, 197/12 = 16.4, 1997/12 = 166.4
    lib = library({"a": block(keyframe(duration_ms), keyframe(500))}, {"m": {"blocks": ["a"]}})
    run = Run(tiny, KeyframeEngine(tiny, lib, "m"))
    run.step()
    count = 1
    while run.engine.telemetry["keyframe"][0] == 0:
        run.step()
        count += 1
    assert count - 1 == ticks


def test_linear_keyframe_goes_from_the_measured_posture_to_the_target(tiny):
    lib = library({"a": block(keyframe(48, {"HeadYaw": 0.4}))}, {"m": {"blocks": ["a"]}})
    run = Run(tiny, KeyframeEngine(tiny, lib, "m", RAW), [0.2] + [0.0] * 8)
    # ratios 12/48, 24/48, 36/48, 1, then the last posture is held
    assert run.path(0, 6) == pytest.approx([0.25, 0.3, 0.35, 0.4, 0.4, 0.4])
    assert run.engine.done


@pytest.mark.parametrize(
    ("own", "of_block", "middle"),
    [
        ("default", "linear", 0.25),
        ("default", "sine_zero_to_max", math.sin(math.pi / 8)),
        ("sine_min_to_max", "sine_zero_to_max", 0.5 - 0.5 * math.cos(math.pi / 4)),
        ("linear", "sine_min_to_max", 0.25),
    ],
)
def test_own_interpolation_wins_unless_default(tiny, own, of_block, middle):
    frame = keyframe(480, {"HeadYaw": 1.0}, interpolation=own)
    for dialect in ("andante", "bhuman-2024"):
        lib = library({"a": block(frame, interpolation=of_block)}, {"m": {"blocks": ["a"]}}, dialect=dialect)
        assert Run(tiny, KeyframeEngine(tiny, lib, "m")).path(0, 10)[-1] == pytest.approx(middle)


def test_ignored_joints_stay_and_off_joints_go_limp(tiny):
    lib = library(
        {"a": block(keyframe(24, {"HeadYaw": 0.1}), keyframe(24, {"LKneePitch": "off", "RKneePitch": 0.1}))},
        {"m": {"blocks": ["a"]}},
    )
    run = Run(tiny, KeyframeEngine(tiny, lib, "m", RAW))
    run.step(2)
    left, right = tiny.index("LKneePitch"), tiny.index("RKneePitch")
    assert run.command.kp[left] == pytest.approx(40.0 * 0.8)
    run.step(1)
    assert run.command.kp[left] == 0.0
    assert run.command.kd[left] == 0.0
    assert run.command.kp[right] == pytest.approx(32.0)
    assert run.command.position[0] == pytest.approx(0.1)
    run.position[left] = 0.7  # pushed by hand while limp
    run.step()
    assert run.command.position[left] == pytest.approx(0.7)


def test_joint_that_was_off_starts_from_its_measurement(tiny):
    knee = tiny.index("LKneePitch")
    lib = library(
        {"a": block(keyframe(24, {"LKneePitch": "off"}), keyframe(24, {"LKneePitch": 0.0}))}, {"m": {"blocks": ["a"]}}
    )
    run = Run(tiny, KeyframeEngine(tiny, lib, "m", UNHURRIED))
    run.step(2)
    run.position[knee] = 0.4
    assert run.path(knee, 2) == pytest.approx([0.2, 0.0])


def test_stiffness_base_changes_and_persistence(tiny):
    changed = keyframe(12, stiffness=[{"joint": "HeadYaw", "stiffness": 0.9}])
    lib = library(
        {
            "a": block(changed, keyframe(12)),
            "b": block(keyframe(12), stiffness={"head": None, "left_leg": 0.1}),
            "c": block(keyframe(12), stiffness={"head": 0.2}),
        },
        {"m": {"blocks": ["a", "b", "c"]}},
    )
    run = Run(tiny, KeyframeEngine(tiny, lib, "m"))
    head, hip, follower = 0, tiny.index("LHipYawPitch"), tiny.index("RHipYawPitch")
    seen = []
    for _ in range(4):
        run.step()
        seen.append((run.command.kp[head] / 40, run.command.kp[hip] / 40, run.command.kp[follower] / 40))
    # the coupled right hip yaw pitch always has its leader's stiffness
    assert seen == [pytest.approx(row) for row in ((0.9, 0.8, 0.8), (0.9, 0.8, 0.8), (0.9, 0.1, 0.1), (0.2, 0.1, 0.1))]
    assert run.command.kd[head] == pytest.approx(0.2)


def test_follow_up_is_the_first_that_holds(tiny):
    lying_front = {"variable": "torso_pitch", "min": 0.5, "max": 35.0}
    lib = library(
        {name: block(keyframe(24)) for name in "abc"},
        {
            "start": {
                "blocks": ["a"],
                "follow_ups": [
                    {"motion": "front", "conditions": [lying_front]},
                    {"motion": "back", "conditions": [lying_front | {"negate": True}]},
                ],
            },
            "front": {"blocks": ["b"]},
            "back": {"blocks": ["c"]},
        },
    )
    for pitch, motion in ((1.2, "front"), (-1.2, "back")):
        run = Run(tiny, KeyframeEngine(tiny, lib, "start"))
        run.tilt(pitch)
        run.step(6)
        assert run.told("motion") == ["motion start", f"motion {motion}"]
        assert run.engine.done


def test_wait_holds_until_its_condition_or_its_time(tiny):
    wait = {"variable": "torso_pitch", "min": -0.2, "max": 0.2, "max_wait": 0.12}
    lib = library({"a": block(keyframe(12, waits=[wait]), keyframe(12))}, {"m": {"blocks": ["a"]}})
    run = Run(tiny, KeyframeEngine(tiny, lib, "m"))
    run.tilt(0.4)
    run.step(4)
    assert run.engine.state is EngineState.WAITING
    assert run.engine.telemetry["wait_time"][0] == pytest.approx(0.024)
    run.tilt(0.1)
    run.step()
    assert run.told("keyframe") == ["a[0]", "a[1]"]
    timed = Run(tiny, KeyframeEngine(tiny, lib, "m"))
    timed.tilt(0.4)
    timed.step(11)
    assert timed.engine.state is EngineState.WAITING
    timed.step()
    assert timed.told("wait") == ["wait given up: time is up"]


def test_window_moves_linearly_and_leaving_it_breaks_up(tiny):
    lib = library(
        {"a": block(keyframe(120, window=window(-0.5, 0.5), window_start=window(-1.0, 1.0)))}, {"m": {"blocks": ["a"]}}
    )
    run = Run(tiny, KeyframeEngine(tiny, lib, "m"))
    run.tilt(0.8)
    run.step(4)
    assert run.engine.telemetry["window"][1] == pytest.approx(0.8)  # 1 - 0.5 * 48/120
    run.tilt(0.76)
    run.step()
    assert run.engine.state is EngineState.BREAK_UP  # 0.75 at 60 ms
    assert run.command.kp[tiny.index("LKneePitch")] == pytest.approx(4.0)
    assert run.command.kp[0] == pytest.approx(20.0)
    run.step(3)
    assert run.command.kp[0] == pytest.approx(4.0)  # the head is soft after 30 ms
    run.step(82)
    assert run.engine.state is EngineState.RETRY
    assert not run.command.kp.any()
    run.tilt(0.0)
    run.step()
    assert run.engine.state is EngineState.WORKING
    assert run.engine.telemetry["tries"][0] == 1


def test_keep_members_leave_the_window_as_it_is(tiny):
    kept = {"pitch": {"min": "keep", "max": 0.3}, "roll": {"min": "keep", "max": "keep"}}
    lib = library(
        {"a": block(keyframe(12, window=window(-0.7, 0.5)), keyframe(12, window=kept))}, {"m": {"blocks": ["a"]}}
    )
    run = Run(tiny, KeyframeEngine(tiny, lib, "m"))
    run.step(2)
    assert run.engine.telemetry["window"] == pytest.approx([-0.7, 0.3, -1.0, 1.0])


def test_broken_motion_hands_over_to_a_get_up(tiny):
    run = Run(tiny, KeyframeEngine(tiny, get_up_library(), "sit"))
    run.tilt(1.3)
    run.step(90)
    assert run.told("motion") == ["motion sit", "motion recoverGeneric", "motion stand"]


def test_stop_brakes_smoothly_and_holds(tiny):
    lib = library({"a": block(keyframe(1200, {"HeadYaw": 1.2}))}, {"m": {"blocks": ["a"]}})
    run = Run(tiny, KeyframeEngine(tiny, lib, "m", KeyframeEngineSettings(stop_time=0.12)))
    before = run.path(0, 20)
    run.engine.request_stop()
    after = run.path(0, 15)
    # 1 rad/s falls linearly to 0 in 0.12 s: 0.06 rad on top of 0.24
    assert before[-1] == pytest.approx(0.24)
    assert after[-1] == pytest.approx(0.30)
    speed = np.diff([*before[-2:], *after]) / 0.012
    assert np.abs(np.diff(speed)).max() <= 1.0 / 10 + 1e-9
    assert run.engine.done


def test_stop_then_stand_and_requests_while_running(tiny):
    lib = library(
        {"a": block(keyframe(240, {"HeadYaw": 0.2})), "s": block(keyframe(24, {"HeadYaw": 0.0}))},
        {"m": {"blocks": ["a"]}, "stand": {"blocks": ["s"]}},
    )
    run = Run(tiny, KeyframeEngine(tiny, lib, "m"))
    run.step(3)
    run.engine.request_stop("stand")
    run.step(40)
    assert run.engine.motion == "stand"
    assert run.engine.done
    run.engine.request("m")
    assert not run.engine.done
    run.step(3)
    run.engine.request("stand")
    run.step(5)
    assert run.engine.motion == "m"  # begins only when m is over
    run.engine.request("stand", replace=True)
    run.step()
    assert run.engine.motion == "stand"


def test_several_requests_run_one_after_another(tiny):
    run = Run(tiny, KeyframeEngine(tiny, get_up_library(), ("sit", MotionRequest("stand", mirror=True), "sit")))
    run.step(4)
    assert not run.engine.done
    run.step(6)
    assert run.told("motion") == ["motion sit", "motion stand", "motion sit"]
    assert run.engine.done


def test_first_keyframe_is_stretched_to_the_speed_limit(tiny):
    lib = library({"a": block(keyframe(12, {"HeadYaw": 1.5}))}, {"m": {"blocks": ["a"]}})
    run = Run(tiny, KeyframeEngine(tiny, lib, "m", RAW))
    path = [0.0, *run.path(0, 26)]
    assert np.diff(path).max() / 0.012 <= 5.0 + 1e-9  # 1.5 rad at 5 rad/s take 0.3 s = 25 ticks
    assert path[25] == pytest.approx(1.5)


def test_mirror_exchanges_sides_and_signs(tiny):
    joints = {"HeadYaw": 0.3, "LShoulderRoll": 0.5, "LKneePitch": 0.7, "RShoulderPitch": "off"}
    lib = library({"a": block(keyframe(12, joints), stiffness=ALL | {"left_arm": 0.25})}, {"m": {"blocks": ["a"]}})
    run = Run(tiny, KeyframeEngine(tiny, lib, MotionRequest("m", mirror=True), UNHURRIED))
    command = run.step()
    assert command.position[0] == pytest.approx(-0.3)
    assert command.position[tiny.index("RShoulderRoll")] == pytest.approx(-0.5)
    assert command.position[tiny.index("RKneePitch")] == pytest.approx(0.7)
    assert command.kp[tiny.index("LShoulderPitch")] == 0.0
    assert command.kp[tiny.index("RShoulderRoll")] == pytest.approx(10.0)
    assert command.position[tiny.index("LKneePitch")] == 0.0


RULE = {
    "joint": "LKneePitch",
    "range": {"min": 0.1, "max": 0.3},
    "targets": [{"joint": "LShoulderPitch", "scale": 0.5}, {"joint": "LShoulderRoll", "scale": -1.0}],
}


def test_stuck_joint_moves_the_targets_of_others(tiny):
    lib = library({"a": block(keyframe(2400, {"LKneePitch": 0.0}, compensation=[RULE]))}, {"m": {"blocks": ["a"]}})
    knee, pitch, roll = (tiny.index(name) for name in ("LKneePitch", "LShoulderPitch", "LShoulderRoll"))
    engine = KeyframeEngine(tiny, lib, "m", KeyframeEngineSettings(delay_ticks=2))
    run = Run(tiny, engine)
    run.stuck[knee] = -0.2
    run.step(61)
    # request 0, measured -0.2: error 0.2 after the filter has settled, share (0.2 - 0.1) / (0.3 - 0.1) = 0.5;
    # targets +0.5 * 0.5 * 0.3 and -1 * 0.5 * 0.3, of which ratio 61/200 is travelled
    assert engine.telemetry["difference"][knee] == pytest.approx(0.2)
    assert engine.telemetry["compensation"][[pitch, roll]] == pytest.approx([0.075, -0.15])
    assert run.command.position[[pitch, roll]] == pytest.approx([0.075 * 61 / 200, -0.15 * 61 / 200])
    run.stuck[knee] = -1.0
    run.step(60)
    assert engine.telemetry["compensation"][pitch] == pytest.approx(0.15)  # clipped at the full amount


def swapped(robot, vector):
    """Mirror image of a joint vector, written out without the package's own mirroring."""
    out = np.empty(9)
    for index, name in enumerate(robot.joint_names):
        other = {"L": "R", "R": "L"}.get(name[0], name[0]) + name[1:]
        sign = -1.0 if "Roll" in name or ("Yaw" in name and "Hip" not in name) else 1.0
        out[robot.index(other)] = sign * vector[index]
    return out


def test_mirrored_motion_with_mirrored_sensors_is_the_mirror_image(tiny):
    moves = {"LShoulderRoll": 0.4, "RShoulderPitch": -0.3, "LKneePitch": 0.0, "HeadYaw": 0.2}
    skew = {"pitch": {"min": -9.0, "max": 9.0}, "roll": {"min": -0.9, "max": 0.3}}
    blocks = {
        "a": block(
            keyframe(120, moves, compensation=[RULE], window=skew),
            keyframe(
                120,
                {"LShoulderRoll": -0.1},
                branches=[
                    {
                        "block": "b",
                        "early": {"conditions": [{"variable": "left_shoulder_roll", "min": 0.1, "max": 9.0}]},
                    }
                ],
            ),
        ),
        "b": block(keyframe(60, {"RKneePitch": 0.3})),
    }
    lib = library(blocks, {"m": {"blocks": ["a"]}})
    rng = np.random.default_rng(5)
    plain, mirrored = (KeyframeEngine(tiny, lib, MotionRequest("m", mirror=mirror)) for mirror in (False, True))
    names = set()
    for tick in range(60):
        left, right = tiny.sensors(), tiny.sensors()
        for sensors in (left, right):
            sensors.vector[0] = 0.012 * tick
            sensors.health[:] = 1.0
        left.position[:] = rng.normal(0.1, 0.15, 9)
        left.position[5] = left.position[3]
        roll = rng.normal(0.0, 0.05)
        left.orientation[:] = (math.cos(roll), math.sin(roll), 0.0, 0.0)
        right.position[:] = swapped(tiny, left.position)
        right.orientation[:] = (math.cos(roll), -math.sin(roll), 0.0, 0.0)
        a, b = plain.step(left), mirrored.step(right)
        assert swapped(tiny, a.position) == pytest.approx(b.position, abs=1e-12)
        assert plain.telemetry["window"][[2, 3]] == pytest.approx(-mirrored.telemetry["window"][[3, 2]])
        assert plain.telemetry["block"] == mirrored.telemetry["block"]
        names.add(float(plain.telemetry["block"][0]))
    assert 1.0 in names or np.any(plain.telemetry["compensation"] != 0.0) or plain.done


def test_reset_and_the_same_sensors_give_the_same_bytes(tiny):
    engine = KeyframeEngine(tiny, get_up_library(), "sit")
    runs = []
    for _ in range(2):
        engine.reset()
        rng = np.random.default_rng(3)
        rows = []
        for tick in range(400):
            sensors = tiny.sensors(rng.normal(0.0, 0.4, tiny.sensors_layout.size))
            sensors.vector[0] = tick * 0.012
            sensors.health[:] = 1.0
            rows.append(engine.step(sensors).vector.tobytes() + engine.telemetry.vector.tobytes())
        runs.append(rows)
    assert runs[0] == runs[1]


def test_every_state_can_be_left_and_reached():
    reached = {target for targets in TRANSITIONS.values() for target in targets}
    assert set(TRANSITIONS) == set(EngineState)
    assert reached == set(EngineState)
    assert all(TRANSITIONS.values())
