"""An animator's hour: a robot that nobody named, from its file to a page and a GIF, by mouse and keys alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from page_users import StudioUser
from robot_models import quadruped
from served import Served

from andante.motions.storage import load_library

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def pull(person: StudioUser, name: str, way: tuple[float, float]) -> None:
    """Drag a handle of the picture until it has arrived."""
    x, y = person.place(name)
    before = person.get("studio.store.revision")
    mouse = person.page.mouse
    mouse.move(x, y)
    mouse.down()
    mouse.move(x + way[0], y + way[1], steps=5)
    mouse.up()
    person.wait(f"studio.view.drag === null && studio.store.revision > {before}", 180.0)
    person.settled()


def test_from_a_model_file_to_something_to_show(chromium: object, studio: Served) -> None:
    (studio.folder / "beast.xml").write_text(quadruped('limited="true" range="-1.6 1.6"'))
    person = StudioUser(chromium, studio)
    page = person.page
    # A new robot by its file.
    page.click("dialog button:has-text('New…')")
    page.fill("dialog input[aria-label='File name']", "beast.yaml")
    person.wait("document.querySelector('dialog option[value=\"beast.xml\"]')")
    page.select_option("dialog select[aria-label=Robot]", "beast.xml")
    page.click("text=Make it")
    person.wait("studio.store.state?.file === 'beast.yaml' && studio.text && studio.store.robot")
    person.wait("!studio.store.preparing", 300.0)
    # Three keys by handles.
    foot = person.get("studio.store.robot.handles.find(({ foot }) => foot).name")
    for number, way in enumerate([(0, -14), (12, -10), (-8, 4)], 1):
        person.get("(studio.store.choose([], false), studio.store.seek(1e9))")
        person.press("i")
        person.wait(f"studio.store.places().length === {number} && studio.store.chosen.length === 1")
        person.wait("studio.store.trajectory.revision === studio.store.revision && !studio.view.dirty")
        pull(person, foot, way)
    # A curve is edited.
    page.click(".views >> text=Curves")
    person.wait("studio.dock.curves.knots.length > 0 && studio.store.chosen.length === 1")
    joint = person.get("studio.store.robot.joints[studio.dock.curves.joints[0]].name")
    before = person.get(f"studio.store.keyframe(studio.store.chosen[0]).joints['{joint}']")
    page.locator("canvas[aria-label^=Curves]").press("+")
    person.wait(f"studio.store.keyframe(studio.store.chosen[0]).joints['{joint}'] > {before} + 0.01")
    # One keyframe is mirrored.
    person.settled()
    page.click(".pose >> text=Mirror")
    person.wait(f"studio.store.keyframe(studio.store.chosen[0]).joints['{joint}'] !== {before}")
    person.settled()
    # Checked.
    person.check()
    # Run, with a fault that begins meanwhile.
    page.check("text=may fall")
    page.click(".transport >> text=Physics")
    person.wait("studio.store.running === 'going'")
    page.click(".transport >> text=Pause")
    person.wait("studio.store.running === 'paused'")
    page.click(".faults >> text=Begin")
    person.wait("[...studio.store.faults.values()].includes(true)")
    page.click(".transport >> text=Play")
    person.wait("studio.store.run?.verdict")
    # Measured over commanded is read where both are drawn.
    index = person.get(f"studio.store.robot.joints.findIndex(({{ name }}) => name === '{joint}')")
    pair = f"['asked', 'measured'].map((what) => traces.at(row, traces.column(what, {index})))"
    rows = f"(({{ traces }}) => Array.from({{ length: traces.count }}, (_, row) => {pair}))(studio.store.run)"
    asked, measured = np.array(person.get(rows)).T
    assert np.ptp(asked) > 0.02
    assert np.abs(asked - measured).max() < 1.0
    assert person.get("document.querySelector('.curve-legend').textContent").count("measured") == 1
    # Shared.
    page.click("[data-tab=Run]")
    for text, ending in (("Page", "html"), ("GIF", "gif")):
        page.click(f".runs .tools button:text-is('{text}')")
        person.wait(f"document.querySelector('.runs').dataset.shared?.endsWith('{ending}')", 180.0)
        path: Path = studio.folder / person.get("document.querySelector('.runs').dataset.shared")
        assert 10_000 < path.stat().st_size < 6_000_000
    person.save()
    assert len(load_library(studio.folder / "beast.yaml").blocks["motion"].keyframes) == 3
    person.done()
