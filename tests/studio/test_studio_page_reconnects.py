"""Pages that stay open while their studio is stopped, hangs, or is begun anew: what they show is what there is."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from page_users import PageUser, StudioUser, TerrainUser
from served import Served
from studio_text import TEXT

pytestmark = [pytest.mark.browser, pytest.mark.slow]


class Restarted:
    """A studio that can be ended and begun anew at its address."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.now = folder, Served(folder)

    def again(self) -> None:
        address = self.now.url
        self.now.kill()
        self.now = Served(self.folder)
        assert self.now.url == address


@pytest.fixture
def restarted(tmp_path: Path) -> Iterator[Restarted]:
    folder = tmp_path / "workspace"
    folder.mkdir()
    (folder / "wave.yaml").write_text(TEXT)
    studio = Restarted(folder)
    yield studio
    studio.now.close()


def test_strokes_and_footsteps_come_back_with_the_studio(chromium: object, restarted: Restarted) -> None:
    person = TerrainUser(chromium, restarted.now)
    page = person.page
    page.click("text=Draw the board")
    page.click("text=New level board")
    person.wait("terrain.state.board.name === 'drawn' && !terrain.state.busy")
    page.click(".views >> text=Top")
    page.click(".draw >> text=Box")
    box = page.locator(".scene canvas").bounding_box()
    ends = [person.get(f"terrain.view.onPage({x}, {y}, 0)") for x, y in ((0.9, -0.2), (1.1, 0.2))]
    page.mouse.move(box["x"] + ends[0][0], box["y"] + ends[0][1])
    page.mouse.down()
    page.mouse.move(box["x"] + ends[1][0], box["y"] + ends[1][1], steps=4)
    page.mouse.up()
    person.wait("!terrain.draw.strokes.length && terrain.view.height(1.0, 0.0) > 0.02")
    # Once the hand rests the robot is set on it.
    person.wait("!terrain.draw.untaken && !terrain.state.busy")
    page.click("button:text-is('Plan')")
    person.wait("terrain.state.plan && !terrain.state.busy")
    page.click("button:text-is('Drop last')")
    person.wait("terrain.state.footsteps.clicked && !terrain.state.busy")
    steps = person.get("terrain.state.footsteps.steps.map(({ foot, place }) => [foot, place])")
    height = person.get("terrain.view.height(1.0, 0.0)")
    restarted.again()
    person.wait("document.querySelector('.link').textContent.includes('gone')")
    person.wait("document.querySelector('.link').textContent === '' && !terrain.state.busy")
    person.wait(f"terrain.view.height(1.0, 0.0) === {height} && !terrain.draw.untaken")
    assert person.get("terrain.draw.unsaved")
    person.wait(f"terrain.state.footsteps.clicked && terrain.state.footsteps.steps.length === {len(steps)}")
    assert person.get("terrain.state.footsteps.steps.map(({ foot, place }) => [foot, place])") == steps
    page.close()


def test_what_the_page_of_lessons_says_is_so_again_when_the_studio_is_back(
    chromium: object, restarted: Restarted
) -> None:
    person = PageUser(chromium.new_page(), 60.0, console=False)
    person.page.goto(restarted.now.url.replace("/?", "/lessons.html?"))
    run = "document.querySelector('button.run')"
    person.wait(f"lessons.leg && {run}.disabled === !lessons.leg.python")
    before = person.page.inner_text(".verdict")
    restarted.again()
    person.wait("document.querySelector('.verdict').textContent.includes('The server is gone')")
    assert person.get(f"{run}.disabled")
    person.wait(f"document.querySelector('.verdict').textContent === {before!r}")
    person.page.close()


def test_a_studio_that_hangs_for_a_while_loses_nothing(chromium: object, restarted: Restarted) -> None:
    """As on a laptop that sleeps: it is stopped, and goes on later."""
    person = StudioUser(chromium, restarted.now, "wave.yaml")
    person.choose(1)
    group = restarted.now.process.pid
    os.killpg(group, signal.SIGSTOP)
    person.joint("HeadPitch", 7)
    person.page.click(".cm-content")
    person.page.keyboard.press("Control+End")
    person.page.keyboard.type("# asleep")
    person.press("Control+s")
    person.page.wait_for_timeout(1500)
    assert person.get("studio.store.sending")
    assert not person.get("Boolean(document.querySelector('dialog'))")
    os.killpg(group, signal.SIGCONT)
    person.page.wait_for_selector("dialog .diff")
    person.page.keyboard.press("Enter")
    person.wait("!document.querySelector('dialog') && !studio.store.flags.changed")
    saved = (restarted.folder / "wave.yaml").read_text()
    assert saved.endswith("# the end\n# asleep")
    assert "HeadPitch: 7" in saved
    person.done()
