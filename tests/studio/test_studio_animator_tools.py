"""What an animator takes hold of in the picture, and what the page keeps: turning handles, limbs, layout, save as."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from page_users import StudioUser
from served import Served
from studio_text import TEXT

from andante.formats.registry import read
from andante.motions.storage import load_library
from andante.robots.robot import Robot
from andante.studio.scene import robot_scene

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def person(chromium: object, studio: Served) -> Iterator[StudioUser]:
    (studio.folder / "tools.yaml").write_text(TEXT)
    user = StudioUser(chromium, studio, "tools.yaml", timeout=120.0)
    yield user
    user.done()


def test_first_steps_are_shown_once_and_the_layout_is_kept(person: StudioUser) -> None:
    page = person.page
    assert page.locator(".first-steps li").count() == 4
    assert page.locator(".first-steps li:visible").count() == 1
    page.click("[aria-label='First steps: the next step']")
    assert page.locator(".first-steps li").nth(1).is_visible()
    # Angles have their unit in the box.
    assert person.get("document.querySelector('.joint .angle').dataset.unit") == "°"
    page.click("header.top >> text=deg")
    assert person.get("document.querySelector('.joint .angle').dataset.unit") == "rad"
    page.click("header.top >> text=rad")
    page.click("[aria-label='Close the first steps']")
    assert page.locator(".first-steps").count() == 0
    page.click("[data-tab=Checks]")
    page.click(".views >> text=Curves")
    bar = page.locator(".splitter.left").bounding_box()
    page.mouse.move(bar["x"] + 3, bar["y"] + 200)
    page.mouse.down()
    page.mouse.move(400, bar["y"] + 200, steps=3)
    page.mouse.up()
    page.reload()
    person.wait("studio.store.trajectory && studio.text")
    assert page.locator(".first-steps").count() == 0
    assert page.locator("[data-tab=Checks]").get_attribute("aria-selected") == "true"
    assert not person.get("studio.dock.curves.node.hidden")
    assert person.get("getComputedStyle(document.documentElement).getPropertyValue('--left')") == "400px"
    page.locator(".splitter.left").dblclick()
    assert person.get("document.documentElement.style.getPropertyValue('--left')") == ""


def test_a_limb_that_is_clicked_is_found_in_lanes_and_curves(person: StudioUser) -> None:
    page = person.page
    page.click(".view-tools >> text=Front")
    page.wait_for_timeout(400)
    spot = """(() => { const { view, store } = studio;
    const body = store.robot.bodies.findIndex(({ joints }) =>
      joints.some(({ joint }) => store.robot.joints[joint].name === 'RShoulderRoll'));
    const box = view.node.getBoundingClientRect();
    const at = view.robot.bodies[body].localToWorld(view.camera.position.clone().set(0.04, 0, 0)).project(view.camera);
    return [box.x + (at.x + 1) / 2 * box.width, box.y + (1 - at.y) / 2 * box.height]; })()"""
    page.mouse.click(*person.get(spot))
    person.wait("studio.store.channelsShown.includes('RShoulderRoll')")
    assert set(person.get("studio.store.channelsShown")) == set(Robot.load("nao").groups["right_arm"])
    assert page.locator(".joint.picked").count() >= 1
    # A drag that turns the picture picks nothing.
    person.get("studio.store.channelsShown = []")
    box = page.locator(".view3d").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2 + 60, box["y"] + box["height"] / 2, steps=3)
    page.mouse.up()
    assert person.get("studio.store.channelsShown") == []


def test_between_the_buttons_the_picture_is_taken_hold_of(person: StudioUser) -> None:
    page = person.page
    page.click(".view-tools >> text=Fit")
    gap = """(() => { const box = document.querySelector('.view-tools').getBoundingClientRect();
    for (let y = box.top + 1; y < box.bottom; y += 2) for (let x = box.left + 1; x < box.right; x += 2)
      if (![...document.querySelectorAll('.view-tools button')].some((node) => { const b = node.getBoundingClientRect();
        return x > b.left - 2 && x < b.right + 2 && y > b.top - 1 && y < b.bottom + 1; })) return [x, y];
    return null; })()"""
    spot = person.get(gap)
    assert spot, "the buttons fill their box"
    x, y = spot
    assert person.get(f"document.elementFromPoint({x}, {y}).tagName") == "CANVAS"
    before = person.get("studio.view.camera.position.toArray()")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 40, y + 60, steps=4)
    page.mouse.up()
    assert np.linalg.norm(np.array(person.get("studio.view.camera.position.toArray()")) - before) > 0.05
    # The buttons themselves still take clicks.
    page.click(".view-tools >> text=Fit")


def test_a_hand_is_turned_in_its_place(person: StudioUser) -> None:
    page = person.page
    person.wait("!studio.store.preparing", 300.0)
    person.choose(1)
    page.wait_for_timeout(400)
    # The raised arm, which lies between the buttons' rows and the picture's middle.
    page.click(".view-tools >> text=Fit")
    page.click(".view-tools >> text=Front")
    page.wait_for_timeout(400)
    page.keyboard.press("t")
    before = person.get("Array.from(studio.store.posture())")
    place = "studio.view.handlePlace(studio.view.handles.find(({ handle }) => handle.name === 'right_arm').handle)"
    at = person.get(f"{place}.toArray()")
    for _ in range(5):
        # On a busy machine the picture may still be on its way to where it was asked to look.
        person.wait("!studio.view.dirty")
        x, y = person.place("right_arm")
        page.mouse.move(x, y)
        page.mouse.down()
        page.wait_for_timeout(200)
        if person.get("Boolean(studio.view.drag)"):
            break
        page.mouse.up()
    page.mouse.move(x + 30, y, steps=4)
    page.mouse.up()
    person.wait("studio.view.node.dataset.drag && !studio.view.drag")
    person.settled()
    after = person.get("Array.from(studio.store.posture())")
    names = Robot.load("nao").joint_names
    turned = {name for name, a, b in zip(names, before, after, strict=True) if abs(a - b) > 0.02}
    assert turned
    assert turned <= set(Robot.load("nao").groups["right_arm"])
    assert np.linalg.norm(np.array(person.get(f"{place}.toArray()")) - at) < 0.01
    page.keyboard.press("t")
    person.undo()
    person.wait(f"studio.text.text === {TEXT!r}")


def test_the_document_is_written_into_other_formats(person: StudioUser, studio: Served) -> None:
    page = person.page
    page.click("header.top >> text=Save")
    page.fill("[aria-label='Another file']", "copy.yaml")
    page.click("dialog >> text=Save as")
    person.wait("!document.querySelector('dialog')")
    assert (studio.folder / "copy.yaml").read_text() == TEXT
    page.click("header.top >> text=Save")
    page.fill("[aria-label='Another file']", "wave.csv")
    page.click("dialog >> text=Save as")
    person.wait("document.querySelector('dialog p.bad')?.textContent.includes('holds one motion')")
    page.click("dialog >> text=only wave")
    page.click("dialog >> text=Save as")
    person.wait("!document.querySelector('dialog')")
    assert len(read(studio.folder / "wave.csv", robot="nao").motions) == 1
    # A file that is there is replaced only by who says so; what no format writes is told with the legal endings.
    page.click("header.top >> text=Save")
    page.fill("[aria-label='Another file']", "copy.yaml")
    page.click("dialog >> text=Save as")
    person.wait("document.querySelector('dialog p.bad')?.textContent.includes('there is a file of this name')")
    page.fill("[aria-label='Another file']", "copy.doc")
    page.click("dialog >> text=Save as")
    person.wait("document.querySelector('dialog p.bad')?.textContent.includes('.csv')")
    page.fill("[aria-label='Another file']", "../outside.yaml")
    page.click("dialog >> text=Save as")
    person.wait("document.querySelector('dialog p.bad')?.textContent.includes('outside the workspace')")
    page.click("dialog header button")
    assert person.get("studio.store.state.file") == "tools.yaml"
    assert load_library(studio.folder / "copy.yaml").robot == "nao"


def test_what_touches_is_told_only_where_it_is_not_what_is_drawn() -> None:
    nao = robot_scene(Robot.load("nao"), collisions=True)
    assert all(body["shapes"] or not body.get("collisions") for body in nao["bodies"])
    plain = robot_scene(Robot.load("nao"))
    assert not any("collisions" in body for body in plain["bodies"])
    # Orientations of handles are those of their frames.
    assert all(np.linalg.norm(handle["rotation"]) == pytest.approx(1.0) for handle in plain["handles"])


def test_a_run_begins_in_a_posture_of_the_robot(person: StudioUser) -> None:
    page = person.page
    page.select_option("[aria-label=Begin]", "sit")
    page.select_option("[aria-label=Speed]", "4")
    page.click("text=may fall")
    page.click(".transport >> text=Physics")
    person.wait("studio.store.run?.verdict", 120.0)
    sitting = Robot.load("nao").posture("sit")
    first = person.get("Array.from(studio.store.run.traces.measured(0))")
    knee = Robot.load("nao").index("LKneePitch")
    assert first[knee] == pytest.approx(sitting[knee], abs=0.15)
    # Plots and their lanes say what is measured in what.
    page.click("[data-tab=Plots]")
    page.click(".views >> text=Plots")
    person.wait("[...document.querySelectorAll('.u-label')].some((each) => each.textContent === 'truth.com.z [m]')")
    units = person.get("studio.plots.recorded().flatMap(({ series }) => series.map(({ unit }) => unit))")
    assert units == ["m", "°", "°", "°", "°", "N m"]


def test_what_begins_on_the_floor_is_drawn_lying(person: StudioUser) -> None:
    page = person.page
    lowest = (
        "(() => { const { robot } = studio.view; robot.root.updateMatrixWorld(true); "
        "return robot.drawn.map((mesh) => { mesh.geometry.computeBoundingBox(); "
        "return Math.min(...Array.from({ length: mesh.geometry.getAttribute('position').count }, (_, i) => "
        "studio.view.camera.position.clone().fromBufferAttribute(mesh.geometry.getAttribute('position'), i)"
        ".applyMatrix4(mesh.matrixWorld).z)); }).reduce((a, b) => Math.min(a, b)); })()"
    )
    base = "studio.view.robot.bodies[studio.view.robot.robot.base]"
    height = f"{base}.position.z"
    up = f"studio.view.camera.position.clone().set(1, 0, 0).applyQuaternion({base}.quaternion).z"
    person.choose(1)
    person.wait("!studio.view.dirty")
    assert person.get(height) > 0.25
    page.select_option("[aria-label=Begin]", "back")
    person.wait("!studio.view.dirty")
    assert person.get(up) > 0.99
    assert person.get(height) < 0.15
    assert abs(person.get(lowest)) < 0.004
    assert "lies as it begins" in page.locator(".scene-legend").inner_text()
    # After a run it lies as it did there.
    page.select_option("[aria-label=Speed]", "4")
    page.click(".transport >> text=Physics")
    person.wait("studio.store.run?.start === 'back' && studio.store.run.verdict")
    person.choose(1)
    person.wait("!studio.view.dirty")
    assert person.get(up) > 0.8
    assert abs(person.get(lowest)) < 0.004
    assert "lies as in the last run" in page.locator(".scene-legend").inner_text()
    page.select_option("[aria-label=Begin]", "")
    person.wait("!studio.view.dirty")
    assert person.get(height) > 0.25
