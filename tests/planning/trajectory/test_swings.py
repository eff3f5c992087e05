"""Paths and time laws of swings."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.kernels import entry
from andante.kinematics.leg_table import LeggedBody
from andante.planning.feasibility.clearance import height_at
from andante.planning.feasibility.scene import Scene
from andante.planning.trajectory.swing_path import POINTS, swing_path
from andante.planning.trajectory.time_law import law_share, time_law, trapezoid_time
from andante.robots.robot import Robot
from andante.terrain.height_map import HeightMap

# Inner kernels, compiled for calls from Python.
swing_path = entry(swing_path.py_func)
time_law = entry(time_law.py_func)
trapezoid_time = entry(trapezoid_time.py_func)

BODY = LeggedBody.of(Robot.load("littledog"))
RADIUS = float(BODY.table.radius[0])


@pytest.fixture(scope="module")
def wall() -> Scene:
    """Level ground with a wall of 5 cm across x 0.40 to 0.44 m."""
    heights = np.zeros((161, 81))
    heights[80:89] = 0.05
    return Scene.of(BODY, HeightMap(heights, (0.0, -0.2), 0.005))


def _path(
    scene: Scene,
    start: tuple[float, float, float],
    end: tuple[float, float, float],
    wide: float = 0.0,
    back: float = 0.0,
    aside: tuple[float, float] = (0.0, 0.0),
) -> np.ndarray:
    path = np.empty((POINTS, 3))
    swing_path(scene, np.array(start), np.array(end), 0.02, wide, back, np.array(aside), path)
    return path


@pytest.mark.slow
def test_over_level_ground_a_foot_rises_by_its_lift(wall: Scene) -> None:
    path = _path(wall, (0.1, 0.0, RADIUS), (0.25, 0.02, RADIUS))
    assert path[:, 2].max() == pytest.approx(RADIUS + 0.02, abs=1e-6)
    assert path[0] == pytest.approx([0.1, 0.0, RADIUS])
    assert path[-1] == pytest.approx([0.25, 0.02, RADIUS])
    assert (np.diff(path[:, 0]) >= -1e-12).all()


def test_the_path_clears_a_wall_and_stays_in_its_plane(wall: Scene) -> None:
    path = _path(wall, (0.34, -0.05, RADIUS), (0.50, 0.05, RADIUS))
    over = path[(path[:, 0] > 0.37) & (path[:, 0] < 0.47)]
    ground = np.array([height_at(wall, wall.foot, x, y) for x, y, _ in over])
    assert (over[:, 2] > ground + 0.005).all()
    assert path[:, 2].max() < 0.05 + RADIUS + 0.03
    across = (path[:, :2] - path[0, :2]) @ np.array([0.1, -0.16])
    assert np.allclose(across, 0.0, atol=1e-12)


def test_a_wide_path_keeps_off_a_wall_from_farther(wall: Scene) -> None:
    near, far = (_path(wall, (0.34, 0.0, RADIUS), (0.50, 0.0, RADIUS), wide) for wide in (0.0, 0.03))

    def at(path: np.ndarray) -> float:
        return float(np.interp(0.365, path[:, 0], path[:, 2]))

    assert at(far) > at(near) + 0.005


@pytest.fixture(scope="module")
def step() -> Scene:
    """Level ground with a step of 10 cm up at x 0.40 m."""
    heights = np.zeros((161, 81))
    heights[80:] = 0.10
    return Scene.of(BODY, HeightMap(heights, (0.0, -0.2), 0.005))


def test_a_foot_keeps_back_from_an_edge_while_it_is_below_it(step: Scene) -> None:
    low, high = (0.37, 0.0, RADIUS), (0.46, 0.0, 0.10 + RADIUS)
    for start, end in ((low, high), (high, low)):
        plain, bent = _path(step, start, end), _path(step, start, end, back=0.02)
        assert (bent[0], bent[-1]) == (pytest.approx(list(start)), pytest.approx(list(end)))
        assert bent[:, 2] == pytest.approx(plain[:, 2])
        # Away from the step, most at half the height, by no more than was asked for.
        away = plain[:, 0] - bent[:, 0]
        assert away.min() >= -1e-12
        assert away.max() == pytest.approx(0.02, abs=5e-4)
        half = RADIUS + 0.5 * (plain[:, 2].max() - RADIUS)
        assert abs(bent[int(np.argmax(away)), 2] - half) < 0.012


def test_a_foot_does_not_keep_back_into_a_wall_behind_it(wall: Scene) -> None:
    # Behind x 0.45 m stands a wall of 5 cm; the way leads up away from it, onto a box that is 8 cm high.
    heights = np.zeros((161, 81))
    heights[80:89], heights[100:] = 0.05, 0.08
    trench = Scene.of(BODY, HeightMap(heights, (0.0, -0.2), 0.005))
    path = _path(trench, (0.465, 0.0, RADIUS), (0.53, 0.0, 0.08 + RADIUS), back=0.03)
    ground = np.array([height_at(trench, trench.foot, x, y) for x, y, _ in path])
    assert (path[1:-1, 2] >= ground[1:-1] - 1e-9).all()


def test_a_foot_swings_aside_and_comes_back(wall: Scene) -> None:
    path = _path(wall, (0.1, 0.0, RADIUS), (0.25, 0.0, RADIUS), aside=(0.0, 0.012))
    assert (path[0, 1], path[-1, 1]) == (0.0, 0.0)
    assert path[:, 1].max() == pytest.approx(0.012)
    assert int(np.argmax(path[:, 1])) == POINTS // 2


def test_a_foot_put_down_where_it_was_goes_up_and_down(wall: Scene) -> None:
    path = _path(wall, (0.2, 0.0, RADIUS), (0.2, 0.0, RADIUS))
    assert path[:, 2].max() > RADIUS + 0.015
    assert np.allclose(path[:, 0], 0.2)


@settings(deadline=None)  # the first example compiles
@given(st.floats(0.0, 1.0), st.floats(0.02, 0.5))
def test_the_trapezoid_is_inverted(time: float, ramp: float) -> None:
    # Way by hand: speed rises to top over the ramp, stays, and falls; the area is 1.
    top = 1.0 / (1.0 - ramp)
    if time < ramp:
        way = 0.5 * top * time**2 / ramp
    elif time > 1.0 - ramp:
        way = 1.0 - 0.5 * top * (1.0 - time) ** 2 / ramp
    else:
        way = top * (time - 0.5 * ramp)
    assert trapezoid_time(way, ramp) == pytest.approx(time, abs=1e-6)


def _rates(law: np.ndarray, path: np.ndarray, count: int) -> np.ndarray:
    from andante.kinematics.com_ik import stance_com

    angles = []
    feet = BODY_FEET.copy()
    for k in range(count + 1):
        at = law_share(law, k / count) * (POINTS - 1)
        n = min(int(at), POINTS - 2)
        feet[0] = path[n] + (at - n) * (path[n + 1] - path[n])
        angles.append(stance_com(BODY, BODY_PLACE, feet).angles[0])
    return np.abs(np.diff(angles, axis=0)).max(axis=1)


BODY_PLACE = np.array([0.2, 0.0, 0.125])
BODY_FEET = np.array([[0.295, 0.085, RADIUS], [0.295, -0.085, RADIUS], [0.105, 0.085, RADIUS], [0.105, -0.085, RADIUS]])


@pytest.mark.slow
def test_between_its_ramps_the_fastest_joint_is_equally_fast(wall: Scene) -> None:
    path = _path(wall, (0.22, 0.085, RADIUS), (0.36, 0.085, RADIUS))
    law = np.linspace(0.0, 1.0, POINTS)
    position, rpy = np.tile(BODY_PLACE, (21, 1)), np.zeros((21, 3))
    needed = time_law(BODY.table, np.full(3, 12.0), 0, path, position, rpy, 0, 20, 0.2, False, law)
    rates = _rates(law, path, 100)
    middle = rates[25:75]
    assert middle.max() / middle.min() < 1.15
    # The whole way of the fastest joint, at 12 rad/s, takes what it says.
    assert rates.sum() / 12.0 == pytest.approx(needed, rel=0.05)
    even = _rates(np.linspace(0.0, 1.0, POINTS), path, 100)
    assert even.max() > 1.3 * rates.max()


def test_a_foot_in_the_air_starts_at_full_speed(wall: Scene) -> None:
    path = _path(wall, (0.22, 0.085, RADIUS), (0.36, 0.085, RADIUS))
    position, rpy = np.tile(BODY_PLACE, (21, 1)), np.zeros((21, 3))
    laws = {}
    for air in (False, True):
        laws[air] = np.linspace(0.0, 1.0, POINTS)
        time_law(BODY.table, np.full(3, 12.0), 0, path, position, rpy, 0, 20, 0.25, air, laws[air])
    assert law_share(laws[True], 0.1) > 2.0 * law_share(laws[False], 0.1)
