"""The leg lab's worlds: the exercise's figures to the digit, MuJoCo's ball and servos against what they should do."""

from __future__ import annotations

import builtins
import math

import numpy as np
import pytest

from andante.backends.backend import Backend, BackendError
from andante.backends.leglab.original_world import ANKLE_DEFECT, MissingPymunkError, OriginalWorld
from andante.backends.leglab.scene import SCENE
from andante.backends.leglab.servo_world import ServoWorld
from andante.motions.kicks.document import load_named
from andante.robots.robot import Robot
from andante.runs.kick.execute import run_kick

LEG = Robot.load("bootcamp-leg")


def command(**fields):
    made = LEG.command()
    for name, values in fields.items():
        made[name][:] = values
    return made


@pytest.fixture
def original() -> OriginalWorld:
    return OriginalWorld(LEG)


@pytest.fixture
def servo() -> ServoWorld:
    return ServoWorld(LEG)


@pytest.mark.parametrize(
    ("kick", "physics", "distance", "time"),
    [
        ("still", "original", 1.7000000, 0.688),
        ("plain", "original", 0.549204, 3.785),
        ("poses", "original", 0.4001, 2.574),
        ("poses", "corrected", 0.3689, 2.577),
    ],
)
def test_the_exercises_own_figures(kick, physics, distance, time):
    result = run_kick(load_named(kick), physics)
    assert result.distance == pytest.approx(distance, abs=1e-6 if physics == "original" and kick != "poses" else 5e-5)
    assert result.time == pytest.approx(time, abs=5e-4)


def test_masses_and_inertias_are_the_exercises(original):
    """Measured on the original: kilograms, kg m^2 about the centre of mass, centre of mass from the joint."""
    thigh, tibia, foot = original._parts
    assert [body.mass for body in (thigh, tibia, foot, original._ball)] == pytest.approx([0.4, 0.4, 0.2, 0.1])
    assert thigh.moment == pytest.approx(0.003333, abs=1e-6)
    assert tibia.moment == pytest.approx(0.003333, abs=1e-6)
    assert foot.moment == pytest.approx(0.00121860, abs=1e-8)
    assert tuple(foot.center_of_gravity) == pytest.approx((0.01999, -0.04083), abs=1e-5)
    assert original._ball.moment == pytest.approx(0.0005)


def test_the_ankle_defect_is_there_and_can_be_mended(original):
    assert original.read().position.tolist() == pytest.approx([0.0, 0.0, ANKLE_DEFECT])
    assert math.degrees(ANKLE_DEFECT) == pytest.approx(21.61)
    mended = OriginalWorld(LEG, "corrected")
    assert mended.read().position.tolist() == [0.0, 0.0, 0.0]
    np.testing.assert_array_equal(original.truth()["joints"], mended.truth()["joints"])


@pytest.mark.parametrize("kind", [OriginalWorld, ServoWorld])
def test_both_are_backends_and_begin_alike(kind):
    world = kind(LEG)
    assert isinstance(world, Backend)
    np.testing.assert_allclose(world.angles(), 0.0, atol=1e-12)
    np.testing.assert_allclose(world.ball_path[0], (0.0, *SCENE.ball_start), atol=1e-12)
    world.advance(0.1)
    assert world.time == pytest.approx(0.1)
    assert world.ball_path[-1, 0] == pytest.approx(0.1)
    # Free fall for a tenth of a second; the exercise's air holds it back a little.
    assert 1.0 - world.ball_path[-1, 2] == pytest.approx(0.5 * 9.81 * 0.01, rel=0.02)
    world.reset(0)
    assert world.time == 0.0
    assert len(world.ball_path) == 1


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"kp": 1.0}, "the original's motors know speeds only; got [1.0, 1.0, 1.0]; limit: kp and torque 0"),
        ({"velocity": math.nan}, "a command must be finite"),
    ],
)
def test_the_original_takes_speeds_only(original, fields, message):
    with pytest.raises(BackendError) as caught:
        original.write(command(**fields))
    assert str(caught.value).startswith(message)


def test_part_of_a_step_does_not_pass(original):
    with pytest.raises(BackendError) as caught:
        original.advance(0.00055)
    message = "advance: time passes in whole physics steps; got 0.00055; limit: a positive multiple of 0.001 s"
    assert str(caught.value) == message


def test_without_pymunk_it_says_what_to_install(monkeypatch):
    real = builtins.__import__

    def without(name, *rest, **more):
        if name == "pymunk":
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingPymunkError) as caught:
        OriginalWorld(LEG)
    assert str(caught.value) == (
        "the exercise's own physics needs the package pymunk; "
        'pip install "andante[leglab]", or use the physics "servos"'
    )
    ServoWorld(LEG).advance(0.01)


def test_servos_follow_a_step_within_their_torque(servo):
    # Away from ball and ground.
    posture = np.array([-0.8, 0.0, -0.5])
    servo.write(command(position=posture, kp=LEG.servo_kp, kd=LEG.servo_kd))
    peak = 0.0
    for _ in range(50):
        servo.advance(0.01)
        peak = max(peak, float(np.abs(servo.read().effort).max()))
        assert (servo.angles() > posture - 0.06).all(), "the servos must not ring"
    np.testing.assert_allclose(servo.angles(), posture, atol=0.05)
    assert peak == pytest.approx(2.3, abs=1e-6)


def test_the_ball_bounces_back_as_elastic_as_in_the_exercise(servo):
    """Without air the top after a bounce is e^2 of the height before, and both elasticities multiply."""
    for _ in range(120):
        servo.advance(0.01)
    z = servo.ball_path[:, 2] - SCENE.ground - SCENE.ball_radius
    kept = (SCENE.elasticity**2) ** 2
    landed = int(np.argmax(z < 0.01))
    assert z[landed:].max() / z[0] == pytest.approx(kept, rel=0.05)
    assert z.min() > -0.012, "the ball must not sink into the ground"


def test_the_balls_way_between_ticks_is_that_of_free_flight(servo):
    for _ in range(30):
        servo.advance(0.01)
    times, _, z = servo.ball_path.T
    np.testing.assert_allclose(z, 1.0 - 0.5 * 9.81 * times**2, atol=2e-3)
    assert len(times) == 301


def test_a_ball_past_the_ground_is_lost(servo):
    servo.data.qvel[-3] = 8.0
    for _ in range(80):
        servo.advance(0.01)
    assert servo.lost


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ((3.1, 0.5), "target.x: the target is outside the world; got 3.1; limit: 0 to 3 m"),
        ((1.0, -0.1), "target.z: the target is outside the world; got -0.1; limit: 0 to 1.588 m"),
        ((math.nan, 0.5), "target.x: the target is outside the world; got nan; limit: 0 to 3 m"),
    ],
)
def test_targets_outside_the_world_are_refused(target, message):
    with pytest.raises(BackendError) as caught:
        SCENE.check_target(target)
    assert str(caught.value) == message
