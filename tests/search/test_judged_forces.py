"""Forces by which a judge's run is explained: those of the contacts, added up by the bodies that they press."""

from __future__ import annotations

import numpy as np

from andante.backends.mujoco_world import MujocoWorld, WorldConfig
from andante.robots.robot import Robot
from andante.search.judging.explain import _TrialCourses


def test_each_body_has_the_sum_of_its_contacts_forces():
    robot = Robot.load("nao")
    world = MujocoWorld(robot, WorldConfig())
    world.reset(3)
    courses, most = _TrialCourses(world), 0

    def compare() -> None:
        nonlocal most
        contacts = list(world.contact_forces())
        wanted = np.zeros(world.model.nbody)
        for one, other, force in contacts:
            wanted[one] += np.linalg.norm(force)
            wanted[other] += np.linalg.norm(force)
        courses._feel()
        np.testing.assert_array_equal(courses._forces, wanted)
        most = max(most, len(contacts))

    world.on_solved = compare
    # Without stiffness it falls and lies on many of its shapes.
    for _ in range(120):
        world.write(robot.held(robot.posture("stand"), 0.0))
        world.advance(robot.tick)
    assert most > 4
    assert courses._forces.max() > 1.0
