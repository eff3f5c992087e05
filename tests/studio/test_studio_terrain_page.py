"""The terrain page in headless chromium, used as a person would: footsteps clicked and walked, steering by keys."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from page_users import TerrainUser
from served import Served

from andante.runs.logs.log import Log
from andante.runs.logs.replay import replay_log

pytestmark = pytest.mark.browser


@pytest.mark.slow
def test_footsteps_are_clicked_and_walked(chromium: object, studio: Served) -> None:
    """One that is out of reach is refused and shows the nearest; that one is taken, checked and walked."""
    person = TerrainUser(chromium, studio)
    page = person.page
    page.fill("[aria-label=Seed]", "2")
    page.press("[aria-label=Seed]", "Tab")
    person.answered()
    # Walks take their time, so the lane is short.
    page.click("text=Parameters")
    page.fill("[data-value=length]", "1.2")
    page.press("[data-value=length]", "Tab")
    person.answered()
    page.click("text=Plan")
    person.wait("terrain.state.plan?.whole")
    page.click(".views >> text=Top")
    person.wait("!terrain.view.dirty")
    places = np.array([step["place"] for step in person.get("terrain.state.footsteps.steps")])
    apart = np.linalg.norm(places[:, None] - places, axis=2) + np.eye(len(places))
    # One that no other foot's place covers, as hind feet step where fore feet stood.
    number = int(np.flatnonzero(apart.min(axis=1)[4:] > 0.02)[0]) + 4
    x, y, _ = places[number].tolist()
    person.click_ground(x, y)
    assert person.get("terrain.state.chosen") == number
    person.click_ground(x + 0.4, y)
    person.wait("terrain.state.refusal")
    assert "is refused" in page.inner_text(".told")
    near = person.get("terrain.state.refusal.nearest")
    person.click_ground(near[0], near[1])
    person.wait("terrain.state.footsteps.clicked")
    page.click("text=Check")
    person.wait("terrain.state.plan?.way")
    page.click("button.walk")
    person.wait("terrain.state.walking")
    person.wait("terrain.state.verdict")
    assert person.get("terrain.state.verdict.verdict") == "pass", page.inner_text(".verdict")
    assert person.get("terrain.state.poses") > 30
    folder = Path(person.get("terrain.state.verdict.folder"))
    assert "footsteps" in (folder / "scenario.yaml").read_text()
    assert replay_log(folder).identical
    person.done()


@pytest.mark.slow
def test_a_trot_is_steered_by_keys_and_replay_agrees(chromium: object, studio: Served) -> None:
    person = TerrainUser(chromium, studio)
    page = person.page
    person.choose("Board", "floor")
    person.choose("Way of walking", "trot")
    page.click("button.walk")
    person.wait("terrain.state.walking")
    page.keyboard.down("w")
    person.wait("terrain.state.asked.startsWith('+0.') && !terrain.state.asked.startsWith('+0.00')")
    page.keyboard.down("ArrowLeft")
    page.wait_for_timeout(1500)
    page.keyboard.up("w")
    page.keyboard.up("ArrowLeft")
    page.wait_for_timeout(300)
    page.keyboard.press("q")
    person.wait("terrain.state.verdict")
    assert person.get("terrain.state.verdict.verdict") == "pass", page.inner_text(".verdict")
    folder = Path(person.get("terrain.state.verdict.folder"))
    steered = [event.data for event in Log.open(folder / "log.mcap").events if str(event.kind) == "steer"]
    assert any(data.get("forward", 0.0) > 0.0 for data in steered)
    assert any(data.get("turn", 0.0) > 0.0 for data in steered)
    assert replay_log(folder).identical
    person.done()
