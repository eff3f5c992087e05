"""From one document to the next in headless chromium: what of the one before is still seen, and what stays where."""

from __future__ import annotations

import math

import pytest
from page_users import StudioUser
from served import Served
from studio_text import TEXT

pytestmark = pytest.mark.browser


@pytest.mark.slow
def test_another_document_forgets_the_run_of_the_one_before(chromium: object, studio: Served) -> None:
    (studio.folder / "first.yaml").write_text(TEXT)
    person = StudioUser(chromium, studio, "first.yaml")
    person.page.click("[data-tab=Run]")
    person.page.click(".transport >> text=Physics")
    person.wait("studio.store.run?.verdict", 120.0)
    seen = "[...document.querySelectorAll('.verdict, .overlay')].map((node) => node.textContent).join(' ')"
    assert "seed" in person.get(seen)
    robot = person.get("studio.view.robot.root.uuid")
    person.page.click("text=Open…")
    person.make("second.yaml", robot="nao")
    assert person.get("studio.store.source") == "motion"
    assert person.get(f"{seen}.trim()").startswith("Nothing has run yet.")
    # The robot is the same, and so is what draws it.
    assert person.get("studio.view.robot.root.uuid") == robot
    person.done()


@pytest.mark.slow
def test_the_picture_stays_where_it_is_when_a_drag_is_let_go(chromium: object, studio: Served) -> None:
    (studio.folder / "still.yaml").write_text(TEXT)
    person = StudioUser(chromium, studio, "still.yaml")
    person.choose(1)
    person.wait("!studio.store.preparing", 180.0)
    x, y = person.place("trunk")
    mouse = person.page.mouse
    mouse.move(x, y)
    mouse.down()
    for step in range(1, 9):
        mouse.move(x + 4 * step, y + 2 * step)
        person.page.wait_for_timeout(60)
    # The last answer has come, however slow this machine is.
    person.wait("!studio.store.slots.get('drag').busy")
    person.page.wait_for_timeout(400)
    held = person.place("trunk")
    assert math.dist(held, (x, y)) > 10.0
    mouse.up()
    person.wait("studio.view.drag === null")
    person.settled()
    person.page.wait_for_timeout(300)
    assert math.dist(person.place("trunk"), held) < 2.0
    person.page.click(".view-tools >> text=Fit")
    person.page.wait_for_timeout(100)
    assert person.get("studio.view.shift.length()") == 0.0
    person.done()


@pytest.mark.slow
def test_back_leads_to_the_document_before_and_what_cannot_be_saved_is_saved_elsewhere(
    chromium: object, studio: Served
) -> None:
    for name in ("one.yaml", "two.yaml"):
        (studio.folder / name).write_text(TEXT)
    person = StudioUser(chromium, studio, "one.yaml")
    page = person.page
    page.keyboard.press("Control+o")
    page.fill("[aria-label=Filter]", "two.yaml")
    page.click("dialog li button:has-text('two.yaml')")
    person.wait("studio.store.state.file === 'two.yaml'")
    page.go_back()
    person.wait("studio.store.state.file === 'one.yaml'")
    page.go_forward()
    person.wait("studio.store.state.file === 'two.yaml' && studio.text?.text.length")
    # A folder takes the file's place: what was edited is not shut in.
    person.choose(1)
    person.joint("HeadYaw", 12)
    person.wait("studio.store.flags.changed")
    (studio.folder / "two.yaml").unlink()
    (studio.folder / "two.yaml").mkdir()
    page.keyboard.press("Control+s")
    page.wait_for_selector("dialog [role=alert]:has-text('two.yaml: cannot be read: Is a directory')")
    page.fill("[aria-label='Another file']", "three.yaml")
    page.click("dialog >> text=Save as")
    person.wait("!document.querySelector('dialog')")
    assert (studio.folder / "three.yaml").read_text() == person.get("studio.text.text") != TEXT
    person.done()
