"""Rules of goals, windows and the balancer that span keyframes (reference 2.2 and 2.7), worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from keyframe_run import UNHURRIED, Run, block, keyframe, library, window

from andante.control.keyframes.balancer import AxisGains, ComBalancer, axis_output
from andante.control.keyframes.engine import KeyframeEngine
from andante.control.keyframes.features import Body
from andante.control.keyframes.posture import PosturePlayer
from andante.control.keyframes.program import Program
from andante.control.keyframes.states import EngineState
from andante.motions.settings import GainPair


def phase(back, front):
    """Gains 4 + scaling (P) and 1 + scaling (D), scaling = (error / end of the range)^2."""
    return {
        "max_scaling": {"pitch": {"min": 9, "max": 9}, "roll": {"min": 9, "max": 9}},
        "exponent": {"pitch": {"min": 2, "max": 2}, "roll": {"min": 2, "max": 2}},
        **{f"p_{axis}": {"base": 4, "max_additional": 9} for axis in ("pitch", "roll")},
        **{f"d_{axis}": {"base": 1, "max_additional": 9} for axis in ("pitch", "roll")},
        "com_range": {"pitch": {"min": back, "max": front}, "roll": {"min": back, "max": front}},
    }


PHASES = {"near": phase(-0.05, 0.02), "far": phase(-0.05, 0.06), "stand_static": phase(-0.05, 0.02)}
KNEES = [{"joint": "LKneePitch", "scale": 1.0}]


def frames(tiny, *written):
    lib = library({"a": block(*written)}, {"m": {"blocks": ["a"]}}, balance=PHASES)
    return Program(lib, tiny).blocks["a"].keyframes


def balanced(goal=(0.0, 0.0), phase="near", duration=120, **more):
    return keyframe(duration, phase=phase, com_goal=goal, balance_pitch=KNEES, **more)


@pytest.mark.parametrize(
    ("error", "change", "proportional", "derivative"),
    [
        # (40 / 20)^2 = 4, capped at 3; of it P may add 3 (at most 5) and D 1 (at most 1)
        (40.0, 3.0, 40.0 * (4.0 + 3.0), 250.0 * (1.0 + 1.0)),
        # (100 / 50)^2 = 4, capped at 1 on the negative side
        (-100.0, -3.0, -100.0 * (4.0 + 1.0), -250.0 * (1.0 + 1.0)),
        (10.0, 3.0, 10.0 * (4.0 + 0.25), 250.0 * (1.0 + 0.25)),
    ],
)
def test_caps_belong_to_the_side_of_the_error_and_each_gain_has_its_own_limit(error, change, proportional, derivative):
    gains = AxisGains(GainPair(base=4, max_additional=5), GainPair(base=1, max_additional=1), (1, 3), (2, 2), (-50, 20))
    output, found = axis_output(error, change, 0.0, gains, 0.012, damped=False)
    assert found == pytest.approx(derivative)
    assert output == pytest.approx(0.012 * (proportional + derivative))


def test_goal_and_scale_move_from_the_last_keyframes_to_the_next(tiny):
    first, second = frames(tiny, balanced((0.010, 0.0)), balanced((0.012, 0.0), "far"))
    balancer = ComBalancer(9, 0.012, damped=False)
    balancer.start(first, (0.0, 0.0))
    balancer.update(0, 1.0, 120_000, (0.010, 0.0), settle=False)
    # the goal's speed, 10 mm in ten ticks, through the filter: 0.25; nothing else moved: 0.4 * -0.25 deg
    assert balancer.axes[0].output == pytest.approx(-0.1)
    balancer.start(second, None)
    balancer.update(12_000, 0.25, 120_000, (0.0115, 0.0), settle=False)
    # goal 10 + 2 * 0.25 mm; 20 mm on the way to 60 mm: 30 mm; goal's speed 0.75 * 0.25 + 0.25 * 0.2 = 0.2375
    assert balancer.error[0] == pytest.approx(0.001)
    scaling = (1.0 / 30.0) ** 2
    raw = 0.012 * ((4.0 + scaling) + 0.02) + (1.5 - 0.2375) * (1.0 + scaling)
    assert balancer.axes[0].output == pytest.approx(-0.1 + 0.4 * (raw + 0.1))


def test_a_goal_may_start_at_the_measured_centre_of_mass(tiny):
    first, second = frames(tiny, balanced((0.010, 0.004)), balanced((0.012, -0.004), "far"))
    balancer = ComBalancer(9, 0.012, damped=False)
    balancer.start(first, (0.0, 0.0))
    balancer.update(0, 1.0, 120_000, (0.010, 0.0), settle=False)
    balancer.start(second, (0.020, 0.008))
    balancer.update(12_000, 0.25, 120_000, (0.020, 0.008), settle=False)
    # goals 20 - 8 * 0.25 = 18 mm and 8 - 12 * 0.25 = 5 mm
    assert balancer.error == pytest.approx((0.002, 0.003))


def com_error(nao, tick, **frame):
    lib = library({"a": block(balanced(duration=1200, **frame))}, {"m": {"blocks": ["a"]}}, balance=PHASES)
    engine = KeyframeEngine(nao, lib.model_copy(update={"robot": "nao"}), "m")
    run = Run(nao, engine)
    run.step(1)
    run.position[:] = 0.0
    for _ in range(tick - 1):
        run.step()
        run.position[:] = 0.0
    return engine.telemetry["com_error"].copy()


def test_the_engine_measures_where_the_goal_starts_and_moves_it_evenly(nao):
    plain = com_error(nao, 25)
    # ratio 25 * 12 / 1200 = 0.25, whatever the curve of the joints
    goal = com_error(nao, 25, goal=(0.1, 0.02), interpolation="sine_zero_to_max")
    assert plain - goal == pytest.approx([0.025, 0.005])
    # from where it is to 0: a quarter of the way is the error
    assert com_error(nao, 25, start_from_measured_com=True) == pytest.approx(0.25 * plain)


def test_the_window_moves_evenly_whatever_the_curve_and_begins_where_it_was(tiny):
    eased = {"interpolation": "sine_zero_to_max"}
    lib = library(
        {
            "a": block(
                keyframe(480, window=window(-0.5, 0.5), window_start=window(-1.0, 1.0), **eased),
                keyframe(480, window=window(-0.1, 0.3), **eased),
            )
        },
        {"m": {"blocks": ["a"]}},
    )
    run = Run(tiny, KeyframeEngine(tiny, lib, "m"))
    run.step(10)
    assert run.engine.telemetry["window"][:2] == pytest.approx([-0.875, 0.875])
    run.step(50)
    # halfway from +-0.5, where the first keyframe ended
    assert run.engine.telemetry["window"][:2] == pytest.approx([-0.3, 0.4])


def test_without_a_window_nothing_breaks_up(tiny):
    lib = library({"a": block(keyframe(480))}, {"m": {"blocks": ["a"]}})
    run = Run(tiny, KeyframeEngine(tiny, lib, "m"))
    run.tilt(math.pi)
    run.step(39)
    assert run.engine.state == "working"


def test_standing_still_shrinks_the_integral_too(tiny):
    near, still = frames(tiny, balanced(), balanced(phase="stand_static"))
    balancer = ComBalancer(9, 0.012, damped=False)
    balancer.start(near, None)
    balancer.update(0, 1.0, 120_000, (0.2, 0.0), settle=False)
    balancer.start(still, None)
    balancer.update(12_000, 1.0, 120_000, (0.2, 0.0), settle=False)
    assert balancer.axes[0].integral == pytest.approx(200.0 - 84.0)


@pytest.mark.parametrize(("pause", "integral"), [(24_000, 20.0), (24_001, 10.0)])
def test_the_balancer_begins_anew_after_more_than_24_ms(tiny, pause, integral):
    balancer = ComBalancer(9, 0.012, damped=False)
    balancer.start(frames(tiny, balanced())[0], None)
    balancer.update(0, 1.0, 120_000, (0.01, 0.0), settle=False)
    balancer.update(pause, 1.0, 120_000, (0.01, 0.0), settle=False)
    assert balancer.axes[0].integral == pytest.approx(integral)


def test_balance_ends_at_the_limits_and_starts_leave_it_out(tiny):
    knee, head = tiny.index("LKneePitch"), tiny.index("HeadYaw")
    player, measured = PosturePlayer(tiny), np.zeros(9)
    both = frames(
        tiny,
        balanced(duration=12, joints={"LKneePitch": 1.95, "HeadYaw": 2.3}),
        balanced(duration=12, joints={"LKneePitch": 0.0}),
    )
    compiled = Program(library({"a": block()}, {}), tiny).blocks["a"]
    player.begin(both[0], compiled, measured)
    player.play(1.0, None, None)
    correction = np.zeros(9)
    correction[knee] = 0.1
    player.finish(measured, correction)
    # the knee ends at its limit of 2 rad; the head, which does not balance, may be asked for more than it can
    assert player.output[[knee, head]] == pytest.approx([2.0, 2.3])
    player.begin(both[1], None, measured)
    assert player.start[knee] == pytest.approx(1.95)  # still balancing: the balancer's share comes on top again


@pytest.mark.parametrize("first_corner_missing", [False, True])
def test_the_mirror_image_has_the_mirrored_offset(nao, first_corner_missing):
    body = Body(nao, (0.07, -0.04, 0.04), first_corner_missing)
    posture = np.zeros(26)
    for name, angle in (("LHipRoll", 0.2), ("LHipPitch", -0.4), ("RKneePitch", 0.5), ("RShoulderRoll", -0.7)):
        posture[nao.index(name)] = angle
    mirrored = np.zeros(26)
    for index, name in enumerate(nao.joint_names):
        other = {"L": "R", "R": "L"}.get(name[0], name[0]) + name[1:]
        turned = "Roll" in name or ("Yaw" in name and "Hip" not in name)
        mirrored[nao.index(other)] = -posture[index] if turned else posture[index]
    roll = 0.1
    body.update(posture, (0.0, math.sin(roll), math.cos(roll)))
    x, y = body.com_offset()
    body.update(mirrored, (0.0, -math.sin(roll), math.cos(roll)))
    other_x, other_y = body.com_offset(mirror=True)
    assert abs(y) > 0.05
    assert other_y == pytest.approx(-y, abs=6e-4)  # the published centre of mass is 0.2 mm off the middle
    assert other_x == pytest.approx(x, abs=6e-4)


def test_waiting_goes_on_balancing(nao):
    hopeless = {"variable": "torso_pitch", "min": 1.0, "max": 2.0, "max_wait": 5.0}
    frame = keyframe(
        12, {"LKneePitch": 0.5}, phase="near", balance_pitch=KNEES, waits=[hopeless], forbid_wait_break=True
    )
    lib = library({"a": block(frame)}, {"m": {"blocks": ["a"]}}, balance=PHASES).model_copy(update={"robot": "nao"})
    run = Run(nao, KeyframeEngine(nao, lib, "m", UNHURRIED))
    knee, expected = nao.index("LKneePitch"), 0.0
    for tick in range(1, 41):
        run.position[:] = 0.0
        run.step()
        # Nothing moves, so the D part is 0; the sum of the errors grows on while it waits.
        error = run.engine.telemetry["com_error"][0] * 1e3
        assert abs(error) > 1.0
        scaling = min((error / (50.0 if error < 0.0 else 20.0)) ** 2, 9.0)
        wanted = 0.012 * (error * (4.0 + scaling) + 0.02 * tick * error)
        expected += max(-1.0, min(1.0, 0.4 * (wanted - expected)))
        assert run.command.position[knee] == pytest.approx(0.5 + math.radians(expected), abs=1e-12)
    assert run.engine.state is EngineState.WAITING
