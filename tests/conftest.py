"""Fixtures that every room's tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# A busy machine is no defect: no example of a property test is judged by its time.
settings.register_profile("andante", deadline=None)
settings.load_profile("andante")

REPOSITORY = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def bhuman_folder() -> Path:
    """The folder with the two real keyframe configuration files, from ANDANTE_BHUMAN_CFG."""
    default = REPOSITORY.parent / "shared" / "data" / "bhuman"
    folder = Path(os.environ.get("ANDANTE_BHUMAN_CFG", default))
    if not (folder / "keyframeMotionEngine.cfg").is_file():
        pytest.skip(f"needs B-Human's files of 2024 in {folder}, or in ANDANTE_BHUMAN_CFG (CONTRIBUTING.md)")
    return folder


@pytest.fixture
def offscreen() -> None:
    """An offscreen OpenGL to draw with; `test_a_library_is_chosen_by_itself` fails where one is there and not found."""
    from andante.robots.graphics import GraphicsError, offscreen_backend

    try:
        offscreen_backend()
    except GraphicsError as error:
        pytest.skip(f"needs offscreen OpenGL: {error}")


@pytest.fixture(scope="session")
def nao():
    """The shipped NAO."""
    from andante.robots.robot import Robot

    return Robot.load("nao")
