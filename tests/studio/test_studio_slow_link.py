"""A page whose messages take their time: undo and save speak of all that was done; what was refused is not shown."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from page_users import StudioUser
from served import Served
from socket_clients import StudioClient
from studio_text import TEXT

pytestmark = [pytest.mark.browser, pytest.mark.slow]
LATE = 250
"""Time that each message of a page is on its way [ms]."""
SLOW = f"""(() => {{
  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (data) {{
    setTimeout(() => this.readyState === 1 && send.call(this, data), {LATE});
  }};
}})()"""
SQUARE = "canvas[aria-label=Timeline]"
FIRST = "studio.store.library.blocks.lift.keyframes[0]"


@pytest.fixture
def slow(chromium: object, studio: Served, request: pytest.FixtureRequest) -> Iterator[StudioUser]:
    """A person at a page with a slow link, with the small library in a file of its own."""
    file = re.sub(r"\W", "-", request.node.name) + ".yaml"
    (studio.folder / file).write_text(TEXT)
    person = StudioUser(chromium, studio, file)
    person.get(SLOW)
    yield person
    person.page.close()


def on_disk(studio: Served, person: StudioUser) -> str:
    return Path(studio.folder, person.get("studio.store.state.file")).read_text()


def type_at_end(person: StudioUser, text: str) -> None:
    person.page.click(".cm-content")
    person.page.keyboard.press("Control+End")
    person.page.keyboard.type(text, delay=40)


def test_a_save_has_what_was_typed_until_then(slow: StudioUser, studio: Served) -> None:
    type_at_end(slow, "# one two three four")
    slow.page.keyboard.press("Control+s")
    slow.page.wait_for_selector("dialog .diff")
    assert "+# one two three four" in slow.page.inner_text("dialog .diff")
    slow.page.keyboard.press("Enter")
    slow.wait("!document.querySelector('dialog')")
    assert on_disk(studio, slow) == f"{TEXT}# one two three four"
    slow.wait("!studio.store.flags.changed")


def test_undo_takes_back_what_was_done_last(slow: StudioUser) -> None:
    type_at_end(slow, "# one two three")
    slow.page.keyboard.press("Control+z")
    slow.wait("studio.store.flags.canRedo")
    slow.wait("!studio.store.sending")
    assert slow.get("studio.text.text") == TEXT
    slow.choose(1)
    # The second angle waits for the answer to the first.
    slow.joint("HeadPitch", 10)
    slow.wait("studio.store.sending")
    slow.joint("HeadPitch", 20)
    slow.press("Control+z")
    slow.wait("studio.store.flags.canRedo && !studio.store.sending")
    slow.page.wait_for_timeout(4 * LATE)
    assert slow.get(f"{FIRST}.joints.HeadPitch * 180 / Math.PI") == pytest.approx(10.0)


def test_what_is_refused_is_not_shown_as_if_it_were_kept(slow: StudioUser, studio: Served) -> None:
    """The journal cannot be written: a slider, a number and a duration go back to what the document says."""
    slow.choose(1)
    angle = slow.get("studio.store.posture()[studio.store.robot.joints.findIndex(({name}) => name === 'RElbowRoll')]")
    file = slow.get("studio.store.state.file")
    (studio.folder / f".{file}.studio").mkdir()
    slow.joint("RElbowRoll", 70)
    slow.wait("document.querySelector('.notice')?.textContent.includes('journal could not be written')")
    slow.wait("!studio.store.sending")
    shown = "document.querySelector('[data-joint=RElbowRoll] input[type=number]')"
    slow.wait(f"{shown}.value === '40.0'")
    assert (
        slow.get("studio.store.posture()[studio.store.robot.joints.findIndex(({name}) => name === 'RElbowRoll')]")
        == angle
    )
    slow.page.click("[data-tab=Keyframe]")
    box = slow.page.locator("[aria-label=Duration]")
    box.fill("777")
    box.press("Tab")
    slow.wait("document.querySelector('[aria-label=Duration]').value === '600'")
    (studio.folder / f".{file}.studio").rmdir()
    slow.joint("RElbowRoll", 70)
    slow.wait(f"Math.abs({FIRST}.joints.RElbowRoll * 180 / Math.PI - 70) < 1e-3")


@pytest.mark.parametrize("at", [0, 1])
def test_a_number_that_is_half_typed_goes_to_its_own_keyframe_or_to_none(
    slow: StudioUser, studio: Served, at: int
) -> None:
    """Another page puts a keyframe before it meanwhile: by itself, or by an edit that changes more of the text."""
    slow.choose(3)
    assert slow.get("studio.store.chosen[0]") == {"block": "wave", "index": 1}
    slow.page.click("[data-tab=Keyframe]")
    slow.page.locator("[aria-label=Duration]").fill("777")
    other = StudioClient(studio)
    other.ask(do="open", file=slow.get("studio.store.state.file"))
    revision = slow.get("studio.store.revision")
    other.ask(
        do="insert", block="wave", at=at, keyframes=[{"duration": 0.1, "joints": {"HeadYaw": 0.1}}], revision=revision
    )
    slow.wait("studio.store.library.blocks.wave.keyframes.length === 5")
    slow.page.locator("[aria-label=Duration]").press("Tab")
    durations = "studio.store.library.blocks.wave.keyframes.map(({ duration }) => duration)"
    if at == 0:
        slow.wait("document.querySelector('.notice')?.textContent.includes('in another tab')")
        assert slow.get(durations) == [0.1, 0.3, 0.3, 0.25, 0.3]
    else:
        slow.wait(f"{durations}.includes(0.777)")
        assert slow.get(durations) == [0.3, 0.1, 0.777, 0.25, 0.3]
    other.close()


def test_a_square_that_is_held_while_another_page_changes_the_places_lets_go(slow: StudioUser, studio: Served) -> None:
    x = slow.get("studio.timeline.x(studio.store.places()[2].end)")
    box = slow.page.locator(SQUARE).bounding_box()
    mouse = slow.page.mouse
    mouse.move(box["x"] + x, box["y"] + 25)
    mouse.down()
    other = StudioClient(studio)
    other.ask(do="open", file=slow.get("studio.store.state.file"))
    other.ask(
        do="insert", block="wave", at=0, keyframes=[{"duration": 0.1}], revision=slow.get("studio.store.revision")
    )
    slow.wait("studio.store.library.blocks.wave.keyframes.length === 5")
    mouse.move(box["x"] + x + 30, box["y"] + 25, steps=3)
    mouse.up()
    slow.wait("document.querySelector('.notice')?.textContent.includes('in another tab')")
    slow.wait("!studio.store.sending")
    durations = slow.get("studio.store.library.blocks.wave.keyframes.map(({ duration }) => duration)")
    assert durations == [0.1, 0.3, 0.3, 0.25, 0.3]
    other.close()


def test_a_page_that_is_closed_with_something_unsent_asks(slow: StudioUser) -> None:
    asked: list[str] = []
    slow.page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    # A link so slow that nothing arrives.
    slow.get("(() => { WebSocket.prototype.send = () => undefined; })()")
    type_at_end(slow, "#")
    slow.get("void setTimeout(() => location.reload())")
    slow.page.wait_for_timeout(500)
    assert asked == ["beforeunload"]
    assert slow.get("studio.text.text") == f"{TEXT}#"


def test_the_page_says_what_others_do_to_the_file(slow: StudioUser, studio: Served) -> None:
    path = studio.folder / slow.get("studio.store.state.file")
    path.unlink()
    slow.wait("document.querySelector('.file').textContent.endsWith('(gone from the disk)')")
    slow.page.keyboard.press("Control+s")
    slow.page.wait_for_selector("dialog .diff")
    assert "(not on the disk)" in slow.page.inner_text("dialog .diff")
    slow.page.keyboard.press("Enter")
    slow.wait("!document.querySelector('dialog')")
    assert path.read_text() == TEXT
    slow.wait(f"document.querySelector('.file').textContent === '{path.name}'")
    slow.choose(1)
    slow.joint("HeadYaw", 12)
    slow.wait("studio.store.flags.changed")
    path.write_text(TEXT.replace("slowly", "quickly"))
    slow.wait("document.querySelector('.file').textContent.endsWith('(changed on the disk)')")
    slow.page.keyboard.press("Control+s")
    slow.page.wait_for_selector("dialog .diff")
    # What the disk would lose is shown, not what the studio has once read.
    assert "quickly" in slow.page.inner_text("dialog .diff")
    slow.page.keyboard.press("Escape")


def test_an_address_of_a_file_that_is_gone_offers_the_others(chromium: object, studio: Served) -> None:
    person = StudioUser(chromium, studio)
    person.page.goto(f"{studio.url}&file=nowhere.yaml")
    person.page.wait_for_selector("dialog .files")
    person.wait("document.querySelector('.notice')?.textContent.includes('nowhere.yaml')")
    person.done()


DEAF = "void (studio.store.connection.socket.onmessage = () => {})"
CUT = """(() => { const Real = window.Real = WebSocket;
window.WebSocket = Object.assign(function (address) { return new Real(address.replace('/socket', '/nowhere')); }, Real);
window.WebSocket.OPEN = 1;
studio.store.connection.socket.close(); })()"""
BACK = "void (window.WebSocket = window.Real)"


def test_what_was_made_before_the_connection_broke_is_not_made_twice(chromium: object, studio: Served) -> None:
    """Its answer was lost, another tab went on from there, and something more was typed without a connection."""
    (studio.folder / "lost.yaml").write_text(TEXT)
    first = StudioUser(chromium, studio, "lost.yaml")
    other = StudioUser(chromium, studio, "lost.yaml")
    first.get(DEAF)
    first.page.click(".cm-content")
    first.page.keyboard.press("Control+End")
    first.page.keyboard.insert_text("# made")
    other.wait("studio.text.text.endsWith('# made')")
    other.page.click(".cm-content")
    other.page.keyboard.press("Control+Home")
    other.page.keyboard.insert_text("# other\n")
    other.settled()
    first.get(CUT)
    first.wait("!studio.store.connected")
    first.page.keyboard.insert_text(" and more")
    first.page.wait_for_timeout(200)
    first.get(BACK)
    wanted = f"# other\n{TEXT}# made and more"
    for person in (first, other):
        person.wait(f"studio.text.text === {json.dumps(wanted)}")
    first.wait("!studio.store.sending")
    first.page.close()
    other.done()
