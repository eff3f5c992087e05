"""The same gaits on a robot six times as heavy with other legs, where its package is installed."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from gait_runs import STANDING, assert_within_limits, walk

from andante.backends.world import WorldConfig
from andante.control.legs.four_legs import four_legged, nominal_stance, size_of
from andante.control.reactive_crawl.crawl import ReactiveCrawl
from andante.control.steering import SteeringScript
from andante.control.trot.trot import Trot
from andante.robots.robot import Robot
from kinematics.packaged_robots import packaged_robot


@pytest.fixture(scope="module")
def go2() -> Robot:
    robot = packaged_robot("go2")
    body = four_legged(robot)
    home = nominal_stance(body, 0.72, 0.9, 0.04 * size_of(body))
    angles = [leg.solve(place) for leg, place in zip(body.legs, home, strict=True)]
    stand = dict(zip(robot.joint_names, body.joints(angles).tolist(), strict=True))
    return replace(robot, postures={**robot.postures, "stand": stand})


@pytest.mark.slow
def test_go2_crawls(go2):
    result = walk(ReactiveCrawl(go2, SteeringScript.straight(0.09, 0.6)), 12.0, WorldConfig(start=STANDING), robot=go2)
    assert result.done
    assert result.way[0] == pytest.approx(0.6, abs=0.15)
    assert result.tilt < math.radians(8.0)
    assert_within_limits(result.commands, go2)


def test_go2_trots(go2):
    result = walk(Trot(go2, SteeringScript.straight(0.4, 1.0)), 8.0, WorldConfig(start=STANDING), robot=go2)
    assert result.done
    assert result.way[0] == pytest.approx(1.0, abs=0.15)
    assert result.tilt < math.radians(6.0)
    assert_within_limits(result.commands, go2)
