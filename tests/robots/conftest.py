"""Small quadrupeds as text, and the shipped AIBO."""

from __future__ import annotations

import pytest
from quadrupeds import mjcf_quadruped, urdf_quadruped

from andante.robots.robot import Robot


@pytest.fixture
def mjcf() -> str:
    return mjcf_quadruped()


@pytest.fixture
def urdf() -> str:
    return urdf_quadruped()


@pytest.fixture(scope="session")
def ers7() -> Robot:
    """The shipped AIBO."""
    return Robot.load("ers7")
