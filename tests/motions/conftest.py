from __future__ import annotations

import pytest
from walker import walker

from andante.robots.robot import Robot


@pytest.fixture(scope="session")
def robot() -> Robot:
    return walker()
