"""A place for installed packages that every register looks at."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from andante.plugins.kinds import KINDS, register_of


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of installed packages; what lies in it is found until the test ends."""
    folder = tmp_path / "packages"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    for kind in KINDS:
        register_of(kind).reread()
    yield folder
    monkeypatch.undo()
    for kind in KINDS:
        register_of(kind).reread()
