"""Fixtures of the studio's tests: a file, a studio of an empty folder, a browser, a terrain page without one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from served import Served, browser, served
from socket_clients import TerrainClient
from studio_text import TEXT


@pytest.fixture
def wave(tmp_path: Path) -> Path:
    """A file with the small library, in a folder of its own."""
    path = tmp_path / "wave.yaml"
    path.write_text(TEXT)
    return path


@pytest.fixture(scope="module")
def chromium() -> Iterator[object]:
    with browser() as found:
        yield found


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("workspace")) as running:
        yield running


@pytest.fixture(scope="module")
def terrain(studio: Served) -> Iterator[TerrainClient]:
    client = TerrainClient(studio)
    yield client
    client.close()
