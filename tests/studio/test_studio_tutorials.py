"""The tutorials of `docs/studio.md` in headless chromium, by mouse and keys alone, to their ends."""

from __future__ import annotations

import json
import re

import pytest
from page_users import StudioUser
from served import Served

from andante.motions.checks import check_library
from andante.motions.storage import load_library
from andante.robots.robot import Robot
from andante.runs.motion_libraries import library_path

pytestmark = pytest.mark.browser


class Hand(StudioUser):
    """A person with a mouse, who looks at what the page says."""

    def __init__(self, chromium: object, studio: Served, file: str = "") -> None:
        super().__init__(chromium, studio, file, timeout=240.0)

    def label(self) -> str:
        return self.get("document.querySelector('.overlay').textContent")

    def rest(self) -> None:
        """Wait until what was dragged has arrived, and its edit."""
        self.wait("studio.view.drag === null")
        self.settled()
        self.page.wait_for_timeout(300)

    def drag(self, name: str, way: tuple[float, float], steps: int = 12) -> None:
        """Take a handle somewhere [px]."""
        x, y = self.place(name)
        mouse = self.page.mouse
        mouse.move(x, y)
        mouse.down()
        for step in range(1, steps + 1):
            mouse.move(x + way[0] * step / steps, y + way[1] * step / steps)
            self.page.wait_for_timeout(40)
        mouse.up()
        self.rest()

    def shift(self, foot: str, inside: float) -> None:
        """Drag the centre of mass to the right until the page says that it is well inside a sole [mm]."""
        x, y = self.place("centre of mass")
        mouse = self.page.mouse
        mouse.move(x, y)
        mouse.down()
        for step in range(1, 80):
            mouse.move(x + 2 * step, y)
            self.page.wait_for_timeout(120)
            # A person looks at what the last move gave, however slow the machine is.
            self.wait("!studio.store.slots.get('drag')?.busy")
            found = re.search(rf"CoM (\d+) mm inside the {foot} sole", self.label())
            if found and float(found[1]) >= inside:
                break
        else:
            raise AssertionError(f"never over the {foot} sole: {self.label()}")
        mouse.up()
        self.rest()

    def key(self, number: int) -> None:
        """Store the posture as the next keyframe."""
        self.press("i")
        self.wait(f"studio.store.places().length === {number} && studio.store.chosen.length === 1")
        self.page.wait_for_timeout(200)

    def duration(self, number: int, milliseconds: int) -> None:
        self.choose(number)
        self.page.click("[data-tab=Keyframe]")
        box = self.page.locator("[aria-label=Duration]")
        box.fill(str(milliseconds))
        box.press("Tab")
        self.wait(f"Math.abs(studio.store.keyframe(studio.store.chosen[0]).duration - {milliseconds / 1000}) < 1e-6")

    def tell(self, button: str) -> None:
        self.page.click(f".view-tools >> text={button}")
        self.page.wait_for_timeout(150)

    def millimetre(self) -> float:
        """How long a millimetre is where the robot stands [px]."""
        return self.get(
            "studio.view.node.clientHeight / (2 * Math.tan(studio.view.camera.fov * Math.PI / 360)"
            " * studio.view.camera.position.distanceTo(studio.view.controls.target)) / 1000"
        )


@pytest.mark.slow
def test_ten_minutes_a_kick(chromium: object, studio: Served) -> None:
    """From nothing to a kick that stands on five floors, by dragging alone."""
    person = Hand(chromium, studio)
    page = person.page
    person.make("kick.yaml", robot="nao")
    person.wait("!studio.store.preparing")
    person.tell("Front")
    person.key(1)
    person.key(2)
    person.shift("left", 30)
    person.tell("Hold CoM")
    person.tell("Side")
    unit = person.millimetre()
    person.key(3)
    person.drag("right", (-60 * unit, -40 * unit))
    person.key(4)
    person.drag("right", (130 * unit, 5 * unit))
    person.choose(2)
    person.press("Control+c")
    person.choose(4)
    person.press("Control+v")
    person.wait("studio.store.places().length === 5 && studio.store.chosen.length === 1")
    page.wait_for_timeout(200)
    person.key(6)
    page.click("[data-tab=Postures]")
    page.click("[aria-label='Take stand']")
    person.settled()
    for number, milliseconds in enumerate((500, 1000, 600, 300, 1000, 1000), 1):
        person.duration(number, milliseconds)
    person.check()
    page.click("text=Prove in physics")
    person.wait("/5 runs in physics: (stands|fails)/.test(document.querySelector('.findings').textContent)")
    assert "stands" in person.get("document.querySelector('.findings').textContent")
    page.click(".transport >> text=Physics")
    person.wait("studio.store.run?.verdict")
    assert person.get("studio.store.run.verdict") == "pass"
    # The run is still shown; a click on a keyframe is the way back to the handles.
    assert person.get("studio.store.source") == "run"
    person.choose(4)
    assert person.get("studio.store.source") == "motion"
    person.save()
    library = load_library(studio.folder / "kick.yaml")
    nao = Robot.load("nao")
    assert not [finding for finding in check_library(library, nao) if finding.severity == "error"]
    person.done()


@pytest.mark.slow
def test_a_get_up_made_faster(chromium: object, studio: Served) -> None:
    """From a copy of the shipped library, in physics from lying on the back, before and after."""
    person = Hand(chromium, studio)
    page = person.page
    person.make("mine.yaml", begin_with="nao")
    page.select_option("[aria-label='Motion or block']", "m:get_up_back")
    page.select_option("[aria-label=Begin]", "back")
    times = []
    for run in (1, 2):
        page.click(".transport >> text=Physics")
        person.wait(f"studio.store.run?.number === {run} && studio.store.run.verdict")
        told = person.get("document.querySelector('.verdict').textContent")
        assert "get_up_back, seed 0: PASS" in told
        assert "stands at the end" in told
        times.append(float(re.search(r"done after (\d+\.\d+) s", told)[1]))
        if run == 2:
            break
        keyframes = person.get("studio.store.places().length")
        duration = person.get("studio.store.duration")
        person.press("a")
        person.wait(f"studio.store.chosen.length === {keyframes} && studio.store.source === 'motion'")
        page.click("[data-tab=Keyframe]")
        box = page.locator("[aria-label='Times in per cent']")
        box.fill("90")
        box.press("Tab")
        person.wait(f"Math.abs(studio.store.duration - {0.9 * duration}) < 0.01")
        person.settled()
    assert times[1] < times[0] - 0.3
    # One step takes the faster times back, in both blocks.
    person.press("Control+z")
    person.wait(f"Math.abs(studio.store.duration - {duration}) < 1e-9")
    person.wait(f"studio.text.text === {json.dumps(library_path('nao').read_text())}")
    person.done()
