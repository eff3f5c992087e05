"""Fixtures that every room's tests share."""

from __future__ import annotations

import gc
import os
from collections.abc import Generator, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from andante.robots.parts import MissingModelError
from andante.search import copies
from cost_watch import watch_costs
from property_examples import settle_examples
from run_order import pages_first
from skip_list import watch_skips

REPOSITORY = Path(__file__).resolve().parents[1]


def pytest_configure(config: pytest.Config) -> None:
    """Let no test be skipped for a reason that is not in the list, and none be dear unseen."""
    watch_skips(config)
    watch_costs(config)
    if hasattr(config, "workerinput"):
        # The one that hears the other side of pytest-xdist holds nothing that a copy needs.
        copies.spared = 1
    gc.disable()


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name whole files by their size: archives hold the time of now, and workers have to collect the same names."""
    return f"{argname} of {len(val)} bytes" if isinstance(val, bytes) and len(val) > 40 else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give property tests as many examples as this run is to try, and begin with what waits most."""
    settle_examples(items)
    pages_first(items)


def pytest_collection_finish() -> None:
    """Look for garbage from now on, but not among the modules and tests, which stay."""
    gc.freeze()
    gc.set_threshold(20_000)
    gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, None, None]:
    """Skip what loads a Booster where the package that has its model was not fetched."""
    yield from _with_boosters()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """The same for what a test does itself."""
    yield from _with_boosters()


def _with_boosters() -> Generator[None, None, None]:
    try:
        return (yield)
    except MissingModelError:
        if find_spec("rcsssmj") is not None:
            raise
        pytest.skip("needs the package rcsssmj (make robots, or pip install --no-deps rcsssmj)")


@pytest.fixture(scope="session")
def bhuman_folder() -> Path:
    """The folder with the two real keyframe configuration files, from ANDANTE_BHUMAN_CFG."""
    default = REPOSITORY.parent / "shared" / "data" / "bhuman"
    folder = Path(os.environ.get("ANDANTE_BHUMAN_CFG", default))
    if not (folder / "keyframeMotionEngine.cfg").is_file():
        pytest.skip(f"needs B-Human's files of 2024 in {folder}, or in ANDANTE_BHUMAN_CFG (CONTRIBUTING.md)")
    return folder


@pytest.fixture
def registers_as_before() -> Iterator[None]:
    """What a page registers is forgotten again: another test of this process may read the same page."""
    from andante.plugins.kinds import KINDS, register_of

    registers = {kind: register_of(kind) for kind in KINDS}
    before = {kind: set(register.names) for kind, register in registers.items()}
    yield
    for kind, register in registers.items():
        for name in set(register.names) - before[kind]:
            register.unregister(name)


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
