"""A bus of servos for the tests of this room."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from servo_buses import Bus, living


@pytest.fixture
def bus(tmp_path: Path) -> Iterator[Bus]:
    with living(str(tmp_path / "bus")) as made:
        yield made
