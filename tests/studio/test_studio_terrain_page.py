"""The terrain page in headless chromium, used as a person would: footsteps clicked and walked, steering by keys."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from served import Served, browser, served

from andante.runs.log import Log
from andante.runs.replay import replay_log

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def chromium() -> Iterator[object]:
    with browser() as found:
        yield found


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("workspace")) as running:
        yield running


class Person:
    """A terrain page and the hands on it."""

    def __init__(self, chromium: object, studio: Served) -> None:
        self.errors: list[str] = []
        self.page = chromium.new_page(viewport={"width": 1280, "height": 800})
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", lambda text: self.errors.append(text.text) if text.type == "error" else None)
        self.page.goto(f"http://127.0.0.1:{studio.port}/terrain.html?token={studio.token}")
        self.wait("terrain.state.board && !terrain.state.busy")

    def wait(self, condition: str, seconds: float = 120.0) -> None:
        end = time.monotonic() + seconds
        while not self.get(f"Boolean({condition})"):
            assert time.monotonic() < end, f"in vain: {condition}; {self.get('document.body.innerText')[:800]}"
            time.sleep(0.05)

    def get(self, expression: str):
        return self.page.evaluate(expression)

    def choose(self, label: str, value: str) -> None:
        self.page.select_option(f'[aria-label="{label}"]', value)
        self.page.wait_for_timeout(100)
        self.wait("!terrain.state.busy")

    def click_ground(self, x: float, y: float) -> None:
        u, v = self.get(f"terrain.view.onPage({x}, {y}, terrain.view.height({x}, {y}))")
        self.page.locator(".scene canvas").click(position={"x": u, "y": v})
        self.page.wait_for_timeout(100)
        self.wait("!terrain.state.busy")

    def done(self) -> None:
        self.page.close()
        assert not self.errors


def test_footsteps_are_clicked_and_walked(chromium: object, studio: Served) -> None:
    """One that is out of reach is refused and shows the nearest; that one is taken, checked and walked."""
    person = Person(chromium, studio)
    page = person.page
    page.fill("[aria-label=Seed]", "2")
    page.press("[aria-label=Seed]", "Tab")
    page.wait_for_timeout(100)
    person.wait("!terrain.state.busy")
    page.click("text=Plan")
    person.wait("terrain.state.plan?.whole")
    page.click(".views >> text=Top")
    page.wait_for_timeout(200)
    x, y, _ = person.get("terrain.state.footsteps.steps[6].place")
    person.click_ground(x, y)
    assert person.get("terrain.state.chosen") == 6
    person.click_ground(x + 0.4, y)
    person.wait("terrain.state.refusal", 20.0)
    assert "is refused" in page.inner_text(".told")
    near = person.get("terrain.state.refusal.nearest")
    person.click_ground(near[0], near[1])
    person.wait("terrain.state.footsteps.clicked", 20.0)
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


def test_a_trot_is_steered_by_keys_and_replay_agrees(chromium: object, studio: Served) -> None:
    person = Person(chromium, studio)
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
