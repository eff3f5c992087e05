"""Fixtures of the robots' tests."""

from __future__ import annotations

import pytest

from andante.robots.robot import Robot


@pytest.fixture(scope="session")
def ers7() -> Robot:
    """The shipped AIBO."""
    return Robot.load("ers7")
