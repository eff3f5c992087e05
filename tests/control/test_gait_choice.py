"""Trot where it is smooth, crawl where it is not, and the change in between."""

from __future__ import annotations

import numpy as np
import pytest
from gait_runs import DOG, walk

from andante.backends.terrain import TerrainChoice
from andante.backends.world import Start, WorldConfig
from andante.control.controller import ControlError
from andante.control.events import EventKind
from andante.control.gait_choice.selector import ChoiceRules, GaitSelector, Section, choose_sections
from andante.control.gait_choice.settings import GaitChoiceSettings
from andante.documents.settings import SettingsError
from andante.terrain.elevation_map import ElevationMap


def lane(heights) -> ElevationMap:
    """A map of 3 m by 0.6 m, in 5 mm, of heights by x."""
    x = np.arange(601) * 0.005
    return ElevationMap(np.tile(heights(x)[:, None], (1, 121)), (0.0, -0.3), 0.005)


def gaits(ground: ElevationMap, length: float = 2.6) -> list[tuple[str, float, float]]:
    return [(s.gait, s.start, s.end) for s in choose_sections(ground, (0.2, 0.0), (0.2 + length, 0.0))]


def test_level_ground_is_trotted_from_end_to_end():
    assert gaits(lane(np.zeros_like)) == [("trot", 0.0, pytest.approx(2.6))]


def test_a_step_is_crawled_over_with_room_before_and_after():
    found = gaits(lane(lambda x: np.where(x < 1.5, 0.0, 0.02)))
    assert [gait for gait, _, _ in found] == ["trot", "crawl", "trot"]
    # The step is 1.3 m along the way; the window sees it 4 cm off, and 18 cm are kept on both sides.
    assert found[1][1:] == pytest.approx((1.3 - 0.22, 1.3 + 0.22), abs=0.02)
    assert found[0][2] == found[1][1]


def test_a_small_step_and_a_gentle_slope_are_trotted_and_a_steep_slope_is_not():
    assert [g for g, _, _ in gaits(lane(lambda x: np.where(x < 1.5, 0.0, 0.002)))] == ["trot"]
    assert [g for g, _, _ in gaits(lane(lambda x: 0.05 * x))] == ["trot"]
    assert [g for g, _, _ in gaits(lane(lambda x: 0.2 * x))] == ["crawl"]


def test_a_short_smooth_part_is_not_worth_a_change():
    found = gaits(lane(lambda x: np.where((x > 1.0) & (x < 1.6), 0.02, 0.0)))
    assert [gait for gait, _, _ in found] == ["trot", "crawl", "trot"]


def test_rules_scale_and_places_off_the_map_are_named():
    assert ChoiceRules().scaled(2.0).ahead == pytest.approx(0.36)
    with pytest.raises(ControlError, match="the goal is off the map"):
        choose_sections(lane(np.zeros_like), (0.2, 0.0), (9.0, 0.0))
    with pytest.raises(ControlError, match="one place"):
        choose_sections(lane(np.zeros_like), (0.2, 0.0), (0.2, 0.0))


@pytest.mark.slow
def test_it_changes_its_gait_while_it_stands():
    sections = (Section(0.0, 0.35, "trot", 0.0), Section(0.35, 0.5, "crawl", 0.01), Section(0.5, 0.8, "trot", 0.0))
    seen = []
    selector = GaitSelector(DOG, sections, GaitChoiceSettings(speed=0.3))
    board = TerrainChoice(board="flat")
    world = WorldConfig(terrain=board, start=Start(x=0.2, posture="stand"))
    result = walk(selector, 15.0, world, each=lambda time, c: seen.append(c.gait))
    assert result.done
    changes = [event.text for event in result.events if event.kind is EventKind.GAIT]
    assert changes == ["changes from trot to crawl", "changes from crawl to trot"]
    places = [event.data["way"] for event in result.events if event.kind is EventKind.GAIT]
    assert places == pytest.approx([0.35, 0.55], abs=0.1)
    assert result.way[0] == pytest.approx(0.8, abs=0.12)


def test_ways_that_are_none_are_named():
    with pytest.raises(ControlError, match="at least one section"):
        GaitSelector(DOG, ())
    with pytest.raises(ControlError, match="sections follow one another"):
        GaitSelector(DOG, (Section(0.0, 0.5, "trot", 0.0), Section(0.6, 1.0, "crawl", 0.0)))
    with pytest.raises(SettingsError, match=r"gait choice\.speed: is not legal; got 0\.0; limit: above 0"):
        GaitChoiceSettings(speed=0.0)
