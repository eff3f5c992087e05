"""Players of kicks: speeds computed once per keyframe, straight lines between postures, durations cut or kept."""

from __future__ import annotations

import math

import numpy as np
import pytest

from andante.control.controller import ControlError, Controller
from andante.control.kick.player import PositionPlayer, RatePlayer, whole_frames
from andante.motions.kicks.postures import PosedKeyframe
from andante.robots.robot import Robot

LEG = Robot.load("bootcamp-leg")


def keyframe(duration, *angles, index=0):
    return PosedKeyframe(index, duration, np.array(angles, float), (), ())


def sensors(time, *angles):
    made = LEG.sensors()
    made.vector[0] = time
    made.position[:] = angles
    return made


def test_speeds_are_means_clipped_and_held_over_the_keyframe():
    player = RatePlayer(LEG, [keyframe(0.35, 0.7, -0.35, -9.0), keyframe(0.1, 0.0, 0.0, 0.0, index=1)], 0.1)
    assert isinstance(player, Controller)
    # 0.35 s is cut to three frames, yet the speed is that for 0.35 s; measurements in between change nothing.
    for frame, angles in enumerate([(0.0, 0.0, 0.0), (0.5, 0.5, 0.5), (0.5, 0.5, 0.5)]):
        command = player.step(sensors(0.1 * frame, *angles))
        np.testing.assert_allclose(command.velocity, (2.0, -1.0, -math.pi))
        assert not command.kp.any()
    np.testing.assert_allclose(player.step(sensors(0.3, 0.1, 0.2, 0.3)).velocity, (-1.0, -2.0, -3.0))
    assert not player.done
    np.testing.assert_array_equal(player.step(sensors(0.4, 0.1, 0.2, 0.3)).velocity, 0.0)
    assert player.done
    assert [event.data["keyframe"] for event in player.take_events()] == [0, 1]


def test_positions_go_straight_from_the_measured_start_and_hold_the_end():
    player = PositionPlayer(LEG, [keyframe(0.04, 0.4, 0.0, -0.8), keyframe(0.025, 0.0, 0.0, 0.0, index=1)], 0.01)
    found = [player.step(sensors(0.01 * tick, 0.2, 0.0, 0.0)).position.copy() for tick in range(9)]
    np.testing.assert_allclose(
        [row[0] for row in found], [0.25, 0.30, 0.35, 0.40, 0.24, 0.08, 0.0, 0.0, 0.0], atol=1e-12
    )
    assert player.done


def test_reset_gives_the_same_commands_again():
    for kind, period in ((RatePlayer, 0.1), (PositionPlayer, 0.01)):
        player = kind(LEG, [keyframe(0.2, 0.4, 0.1, -0.8)], period)
        runs = []
        for _ in range(2):
            player.reset()
            runs.append([player.step(sensors(period * i, 0.1, 0.2, -0.3)).vector.tobytes() for i in range(30)])
        assert runs[0] == runs[1]


@pytest.mark.parametrize(("duration", "frames"), [(0.3, 3), (0.7, 7), (0.7000000000000001, 7), (1.05, 10), (0.1, 1)])
def test_durations_are_cut_to_whole_frames(duration, frames):
    assert whole_frames(duration, 0.1) == frames


@pytest.mark.parametrize("duration", [0.0999, 0.0, -1.0, math.nan])
def test_a_keyframe_below_one_frame_is_refused(duration):
    with pytest.raises(ControlError) as caught:
        RatePlayer(LEG, [keyframe(0.2, 0, 0, 0), keyframe(duration, 0, 0, 0, index=1)], 0.1)
    assert str(caught.value) == (
        f"keyframes[1].duration: the keyframe is shorter than a frame; got {duration!r}; limit: >= 0.1 s"
    )
