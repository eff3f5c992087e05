"""Height maps, holes, layers and survey errors: values worked out by hand, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.documents.settings import SettingsError
from andante.terrain.elevation_map import ElevationMap
from andante.terrain.height_map import HeightMap, TerrainError
from andante.terrain.holes import fill
from andante.terrain.layers import Layers, LayerSettings
from andante.terrain.planes import plane_fit
from andante.terrain.survey import SurveyErrors, survey

SLOPES = st.floats(-0.4, 0.4)


def ground(function, size=(61, 41), spacing=0.005) -> HeightMap:
    x, y = np.meshgrid(np.arange(size[0]) * spacing, np.arange(size[1]) * spacing, indexing="ij")
    return HeightMap(function(x, y) + 0.0 * x, (0.0, 0.0), spacing)


def layers(heights: HeightMap) -> Layers:
    return Layers.of(ElevationMap.of(heights))


def test_heights_between_nodes_are_bilinear():
    small = HeightMap(np.array([[0.0, 1.0], [2.0, 5.0]]), (10.0, -1.0), 0.5)
    assert small.extent == (10.0, 10.5, -1.0, -0.5)
    assert small.at((10.25, -0.75)) == pytest.approx(2.0)
    assert small.at([(10.0, -1.0), (10.5, -1.0), (10.0, -0.5), (10.5, -0.5)]).tolist() == [0.0, 2.0, 1.0, 5.0]
    assert small.nearest((99.0, 99.0)) == 5.0
    with pytest.raises(ValueError, match="read-only"):
        small.heights[0, 0] = 1.0


def test_a_place_off_the_map_is_refused_with_the_map():
    with pytest.raises(TerrainError, match=r"this place is off the map; got \[0.5, 0.1\]; limit: x 0.000 to 0.300, y"):
        ground(lambda x, y: x).at([(0.1, 0.1), (0.5, 0.1)])


def test_holes_are_found_and_named_and_mended():
    heights = np.zeros((5, 4))
    heights[3, 1], heights[4, 3], heights[0, 0] = np.nan, np.inf, -1.0
    with pytest.raises(TerrainError) as caught:
        HeightMap(heights, (1.0, 2.0), 0.1)
    assert str(caught.value).startswith(
        "node (3, 1) at x 1.300 m, y 2.100 m: the height map has 2 holes of 20 nodes "
        "(a height that is missing or not finite); got nan; mend them with andante.terrain.holes.fill"
    )
    for how, expected in (("nearest", 0.0), ("lowest", -1.0)):
        mended, count = fill(heights, how)
        assert count == 2
        assert mended[3, 1] == expected
        HeightMap(mended, (1.0, 2.0), 0.1)
    with pytest.raises(TerrainError, match="holes only"):
        fill(np.full((3, 3), np.nan))


@pytest.mark.parametrize(
    ("heights", "spacing", "message"),
    [
        (np.zeros((1, 5)), 0.1, "a height map is a grid"),
        (np.zeros(5), 0.1, "a height map is a grid"),
        (np.zeros((3, 3)), 0.0, "spacing of a height map must be above zero"),
        (np.zeros((3, 3)), math.nan, "spacing of a height map must be above zero"),
    ],
)
def test_what_is_no_map_is_refused(heights, spacing, message):
    with pytest.raises(TerrainError, match=message):
        HeightMap(heights, (0.0, 0.0), spacing)


@given(SLOPES, SLOPES, st.floats(-5.0, 5.0))
@settings(max_examples=40, deadline=None)
def test_a_plane_has_its_slope_no_roughness_and_no_curvature(a, b, c):
    found = layers(ground(lambda x, y: a * x + b * y + c))
    inner = (slice(12, -12), slice(12, -12))
    np.testing.assert_allclose(found.slope_x[inner], a, atol=1e-9)
    np.testing.assert_allclose(found.slope_y[inner], b, atol=1e-9)
    np.testing.assert_allclose(found.slope[inner], math.atan(math.hypot(a, b)), atol=1e-9)
    assert found.roughness[inner].max() < 1e-7
    assert np.abs(found.curvature[inner]).max() < 1e-6
    assert np.isinf(found.edge_distance).all() == (max(abs(a), abs(b)) * 0.005 < 0.010 + 0.005 * math.tan(0.436))


def test_roughness_is_the_deviation_from_the_fitted_plane():
    rng = np.random.default_rng(1)
    rough = ground(lambda x, y: 0.2 * x - 0.1 * y + rng.normal(0.0, 0.003, x.shape))
    rise_x, _, deviation = plane_fit(rough, 0.015)
    # Least squares by hand in the window of 7 x 7 nodes around one node.
    i, j = 30, 20
    window = rough.heights[i - 3 : i + 4, j - 3 : j + 4]
    x, y = np.meshgrid(np.arange(-3, 4) * 0.005, np.arange(-3, 4) * 0.005, indexing="ij")
    design = np.stack([x.ravel(), y.ravel(), np.ones(49)], axis=-1)
    solution, rest, *_ = np.linalg.lstsq(design, window.ravel(), rcond=None)
    assert rise_x[i, j] == pytest.approx(solution[0])
    assert deviation[i, j] == pytest.approx(math.sqrt(rest[0] / 49))


def test_a_bowl_is_hollow_and_a_dome_is_not():
    bowl = layers(ground(lambda x, y: 2.0 * ((x - 0.15) ** 2 + (y - 0.1) ** 2)))
    # The Laplacian of 2 r^2 is 8.
    assert bowl.curvature[30, 20] == pytest.approx(8.0, rel=1e-3)
    dome = layers(ground(lambda x, y: -2.0 * ((x - 0.15) ** 2 + (y - 0.1) ** 2)))
    assert dome.curvature[30, 20] == pytest.approx(-8.0, rel=1e-3)


def test_a_step_is_an_edge_and_no_foothold():
    step = layers(ground(lambda x, y: np.where(x >= 0.15, 0.05, 0.0)))
    # Nodes 29 and 30 are its two sides; node 36 is 30 mm behind the upper one.
    assert step.edge_distance[[29, 30, 36], 20] == pytest.approx([0.0, 0.0, 0.03])
    assert (step.traversability[28:32] == 0.0).all()
    assert step.traversability[10, 20] == pytest.approx(1.0)
    assert step.traversability[50, 20] == pytest.approx(1.0)
    # A higher step stays an edge, a flatter rule than the step does not find one.
    assert np.isinf(Layers.of(step.map, LayerSettings(edge=0.06)).edge_distance).all()


def test_rules_scale_and_are_checked():
    rules = LayerSettings().scaled(2.0)
    assert (rules.radius, rules.clearance) == (0.024, 0.03)
    assert rules.slope == LayerSettings().slope
    with pytest.raises(SettingsError, match=r"layers\.radius: is not legal; got 0\.0; limit: above 0"):
        LayerSettings(radius=0.0)


def test_a_survey_without_errors_is_the_ground():
    rough = ground(lambda x, y: np.sin(20 * x) * np.cos(30 * y) * 0.03)
    np.testing.assert_allclose(survey(ElevationMap.of(rough), SurveyErrors(), 3).heights, rough.heights, atol=1e-15)


def test_noise_has_the_size_that_was_asked_for_and_the_seed_decides():
    flat = ground(lambda x, y: 0.0 * x, (201, 201))
    for errors in (SurveyErrors(noise=0.005), SurveyErrors(noise=0.005, correlation=0.02)):
        one, again, other = (survey(ElevationMap.of(flat), errors, seed).heights for seed in (1, 1, 2))
        assert one.std() == pytest.approx(0.005, rel=0.05)
        assert (one == again).all()
        assert not (one == other).all()
    white = survey(ElevationMap.of(flat), SurveyErrors(noise=0.005), 1).heights
    smooth = survey(ElevationMap.of(flat), SurveyErrors(noise=0.005, correlation=0.02), 1).heights
    assert np.abs(np.diff(smooth, axis=0)).mean() < 0.3 * np.abs(np.diff(white, axis=0)).mean()


@pytest.mark.slow
def test_registration_moves_a_slope_and_drift_grows_along_x():
    slope = ground(lambda x, y: 0.5 * x, (401, 41))
    shifts = [
        survey(ElevationMap.of(slope), SurveyErrors(registration=0.004), seed).heights[200, 20] - 0.5
        for seed in range(300)
    ]
    # A shift along x by s changes the height by half of it.
    assert np.std(shifts) == pytest.approx(0.002, rel=0.15)
    level = ElevationMap.of(ground(lambda x, y: 0.0 * x, (401, 41)))
    drift = np.array([survey(level, SurveyErrors(drift=0.02), seed).heights[:, 20] for seed in range(300)])
    assert (drift[:, 0] == 0.0).all()
    # Two metres of tilt at 2 %.
    assert drift[:, -1].std() == pytest.approx(0.04, rel=0.15)
    assert drift[:, 200].std() == pytest.approx(0.5 * drift[:, -1].std())


def test_errors_below_zero_are_refused():
    with pytest.raises(SettingsError, match=r"survey\.noise: is not legal; got -0\.001; limit: at least 0"):
        SurveyErrors(noise=-0.001)
