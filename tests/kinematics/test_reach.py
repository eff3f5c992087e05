"""Reachable volumes against the legs' full inverse kinematics, by hand, and as surface and picture."""

from __future__ import annotations

import numpy as np
import pytest
from packaged_robots import packaged_robot

from andante.kinematics.leg_table import LeggedBody, StanceError
from andante.kinematics.reach import (
    REACHABLE,
    Limit,
    Stance,
    edge_limits,
    limit_of,
    reach_codes,
    reach_mesh,
    reach_volume,
)
from andante.kinematics.reach_page import reach_page, reach_scene
from andante.kinematics.reach_plot import LIMIT_COLOURS, reach_picture, silhouette
from andante.kinematics.three_joint_leg import LegReachError
from andante.pictures.style import foot_colour
from andante.spatial.rotations import to_matrix
from headless_browser import BROWSER_PATH
from stances import BODY, HOME, random_stance


def solves(body: LeggedBody, stance: Stance, position: np.ndarray) -> bool:
    """Whether the leg's own inverse kinematics, joint angles and all, finds every foot."""
    try:
        for leg, foot, carries in zip(body.legs, stance.feet, stance.carries, strict=True):
            if carries:
                leg.solve(stance.rotation.T @ (foot - position))
    except LegReachError:
        return False
    return True


def limits_at(stance: Stance, position: list[float]) -> tuple[Limit, ...]:
    """What keeps the body from a position, asked of each foot alone."""
    alone = (
        Stance(stance.feet, stance.rotation, foot) for foot in np.eye(4, dtype=bool) if (foot & stance.carries).any()
    )
    codes = (int(reach_codes(BODY, each, [position])[0]) for each in alone)
    return tuple(limit_of(BODY, code) for code in codes if code != REACHABLE)


def agrees(body: LeggedBody, stance: Stance, positions: np.ndarray) -> int:
    found = reach_codes(body, stance, positions) == REACHABLE
    assert [solves(body, stance, each) for each in positions] == found.tolist()
    return int(found.sum())


def test_the_closed_form_agrees_with_full_inverse_kinematics():
    rng, inside = np.random.default_rng(1), 0
    for _ in range(20):
        feet, com, orientation = random_stance(rng)
        stance = Stance.of(BODY, feet, to_matrix(orientation))
        inside += agrees(BODY, stance, com + rng.uniform(-0.1, 0.1, (100, 3)))
    assert inside > 200


@pytest.mark.parametrize("name", ["solo12", "go2", "anymal_c"])
def test_it_agrees_for_other_quadrupeds(name):
    body, rng = LeggedBody.of(packaged_robot(name)), np.random.default_rng(2)
    size = body.leg_length
    feet = np.array([leg.hip for leg in body.legs]) * [1, 1, 0]
    feet[:, 1] += [leg.lateral for leg in body.legs]
    stance = Stance.of(body, feet)
    assert agrees(body, stance, rng.uniform(-1, 1, (1000, 3)) * [size, size, 0.5 * size] + [0, 0, 0.6 * size]) > 30


def test_the_volume_at_the_home_stance_is_the_published_one():
    # 2081 to 2086 cm3 above z = 3 cm, |x| <= 13.75 cm, |y| <= 8 cm, z <= 17 cm (a grid counts half cells at the rim).
    volume = reach_volume(BODY, Stance.of(BODY, HOME), 0.0025)
    above = volume.positions()[volume.positions()[:, 2] > 0.029]
    assert len(above) * (volume.spacing * 100.0) ** 3 == pytest.approx(2083.5, rel=0.01)
    np.testing.assert_allclose(np.abs(above).max(axis=0), [0.1375, 0.08, 0.17], atol=0.0026)


def test_a_grid_holds_what_single_positions_say():
    stance = Stance.of(BODY, HOME, without=("FR",))
    volume = reach_volume(BODY, stance, 0.01)
    nodes = np.argwhere(np.ones_like(volume.mask)) * volume.spacing + volume.origin
    assert (reach_codes(BODY, stance, nodes) == volume.codes.ravel()).all()
    # Nothing is cut off by the box that was looked at.
    for axis in range(3):
        rim = np.take(volume.mask, [0, -1], axis=axis)
        assert not rim.any()


def test_a_foot_in_the_air_gives_the_body_more_room():
    four = reach_volume(BODY, Stance.of(BODY, HOME))
    standing = Stance.of(BODY, HOME, without=("HL",))
    assert reach_volume(BODY, standing).volume > four.volume
    assert (reach_codes(BODY, standing, four.positions()) == REACHABLE).all()


def test_what_limits_a_position_is_named():
    stance = Stance.of(BODY, HOME)
    assert limits_at(stance, [0.0, 0.0, 0.13]) == ()
    # Too high: all legs are too short. Too far left: the left feet come too far under the body.
    assert limits_at(stance, [0.0, 0.0, 0.2]) == tuple(
        Limit(foot, f"{foot}_knee", True) for foot in ("FL", "FR", "HL", "HR")
    )
    assert Limit("FL", "FL_roll", False) in limits_at(stance, [0.0, 0.11, 0.1])
    shares = edge_limits(BODY, stance, reach_volume(BODY, stance))
    assert sum(shares.values()) == pytest.approx(1.0)
    # The stance is its own mirror image, and so is what limits it.
    for limit, share in shares.items():
        other = limit.foot[0] + ("R" if limit.foot[1] == "L" else "L")
        assert shares[Limit(other, limit.joint.replace(limit.foot, other), limit.too_far)] == pytest.approx(share)
    assert {limit.joint.split("_")[1] for limit in shares} == {"roll", "pitch", "knee"}


def test_the_surface_is_closed_and_holds_the_volume():
    stance = Stance.of(BODY, HOME)
    volume = reach_volume(BODY, stance)
    mesh = reach_mesh(BODY, stance, volume)
    a, b, c = (mesh.vertices[mesh.triangles[:, k]] for k in range(3))
    inside = float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum()) / 6.0
    assert inside == pytest.approx(reach_volume(BODY, stance, 0.002).volume, rel=0.01)
    edges = np.concatenate([mesh.triangles[:, [k, (k + 1) % 3]] for k in range(3)])
    # Every directed edge has its opposite as often, so the surface has no rim.
    forth = {tuple(edge): 0 for edge in edges.tolist()}
    for one, other in edges.tolist():
        forth[(one, other)] += 1
    assert all(forth.get((other, one), 0) == count for (one, other), count in forth.items())
    assert (mesh.codes > 0).all()


@pytest.mark.parametrize("along", [0, 1, 2])
def test_silhouettes_hold_the_whole_volume_and_its_limits(along):
    volume = reach_volume(BODY, Stance.of(BODY, HOME))
    view = silhouette(volume, along)
    assert view.depth.sum() * volume.spacing**2 == pytest.approx(volume.volume)
    right, up = (axis for axis in range(3) if axis != along)
    low, high = volume.positions().min(axis=0), volume.positions().max(axis=0)
    # One node more on each side, and half a node to the edge of its pixel.
    room = 1.5 * volume.spacing
    edges = (low[right] - room, high[right] + room, low[up] - room, high[up] + room)
    assert view.extent == pytest.approx(edges)
    assert set(np.unique(view.limits)) <= {-1, 0, 1, 2, 3}
    assert not (view.limits[view.depth > 0.0] >= 0).any()
    assert (view.limits >= 0).sum() > 20


@pytest.mark.slow
def test_pictures_show_volume_feet_and_limits():
    stance = Stance.of(BODY, HOME, without=("HR",))
    volume = reach_volume(BODY, stance)
    figure = reach_picture(BODY, stance, volume)
    views = figure.axes[:3]
    for axes, (right, up) in zip(views, ((0, 1), (0, 2), (1, 2)), strict=True):
        assert (axes.get_xlabel(), axes.get_ylabel()) == (f"{'xyz'[right]} [cm]", f"{'xyz'[up]} [cm]")
        for row, line in enumerate(axes.get_lines()):
            assert line.get_xydata()[0] == pytest.approx(100.0 * HOME[row, [right, up]])
            assert line.get_color() == foot_colour(row)
            # The foot in the air is a ring.
            assert (line.get_markerfacecolor() == "none") == (row == 3)
    assert figure.axes[3].get_ylabel() == "depth along the line of sight [cm]"
    assert [text.get_text() for text in figure.legends[0].get_texts()] == list(LIMIT_COLOURS)
    assert f"{volume.volume * 1e6:.0f} cm³" in figure.get_suptitle()


def test_a_stance_out_of_reach_is_drawn_too():
    stance = Stance.of(BODY, HOME + np.eye(4, 3, 0) * [1.0, 0.0, 0.0])
    volume = reach_volume(BODY, stance)
    assert volume.volume == 0.0
    assert "0 cm³" in reach_picture(BODY, stance, volume).get_suptitle()
    assert "0 cm³" in reach_scene(BODY, stance, volume)["title"]


def test_the_scene_shows_surface_limits_and_feet_in_their_colours():
    stance = Stance.of(BODY, HOME)
    volume = reach_volume(BODY, stance)
    scene = reach_scene(BODY, stance, volume)
    mesh = reach_mesh(BODY, stance, volume)
    assert np.array(scene["vertices"]) == pytest.approx(100.0 * mesh.vertices, abs=0.0051)
    assert scene["triangles"] == mesh.triangles.tolist()
    names = [limit["name"] for limit in scene["limits"]]
    assert names == list(LIMIT_COLOURS)
    # The topmost triangle lies where legs are too short.
    top = int(mesh.vertices[mesh.triangles].mean(axis=1)[:, 2].argmax())
    assert names[scene["causes"][top]] == "leg too short"
    assert [(foot["name"], foot["colour"]) for foot in scene["feet"]] == [
        (leg.name, foot_colour(row)) for row, leg in enumerate(BODY.legs)
    ]
    assert "_knee (too short) 12 %" in scene["summary"]


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.skipif(not BROWSER_PATH, reason="needs chromium (apt install chromium)")
def test_the_page_turns_in_a_browser_without_a_network(tmp_path):
    from playwright.sync_api import sync_playwright

    stance = Stance.of(BODY, HOME)
    (tmp_path / "reach.html").write_text(reach_page(BODY, stance, reach_volume(BODY, stance)), encoding="utf-8")
    errors = []
    shown = "() => document.getElementById('scene').toDataURL()"
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=BROWSER_PATH, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.route("http*://**", lambda route: route.abort())
        page.goto((tmp_path / "reach.html").as_uri())
        assert page.inner_text("h1").startswith("LittleDog: where the base can be")
        assert page.locator("#legend li").all_inner_texts()[-1] == "foot HR"
        before = page.evaluate(shown)
        # The surface covers the middle; elsewhere the canvas is clear.
        opacity = "c => c.getContext('2d').getImageData(c.width / 2, c.height / 2, 1, 1).data[3]"
        assert page.locator("#scene").evaluate(opacity) == 255
        page.focus("#scene")
        page.keyboard.press("ArrowLeft")
        assert page.evaluate(shown) != before
        browser.close()
    assert errors == []


def test_bad_questions_are_refused():
    stance = Stance.of(BODY, HOME)
    with pytest.raises(StanceError, match="needs at least one foot"):
        Stance.of(BODY, HOME, without=("FL", "FR", "HL", "HR"))
    with pytest.raises(StanceError, match="spacing of a grid must be above zero"):
        reach_volume(BODY, stance, 0.0)
    with pytest.raises(StanceError, match="the grid is too large"):
        reach_volume(BODY, stance, 1e-5)
    with pytest.raises(StanceError, match="rows of three numbers"):
        reach_codes(BODY, stance, [0.0, 0.0, 0.1])
