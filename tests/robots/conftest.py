"""Small quadrupeds as text."""

from __future__ import annotations

import pytest
from quadrupeds import mjcf_quadruped, urdf_quadruped


@pytest.fixture
def mjcf() -> str:
    return mjcf_quadruped()


@pytest.fixture
def urdf() -> str:
    return urdf_quadruped()
