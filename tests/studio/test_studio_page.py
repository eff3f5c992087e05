"""The studio in headless chromium, used as a person would."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from page_users import StudioUser
from served import Served, run_command, served
from studio_text import TEXT

from andante.formats.registry import convert
from andante.motions.checks import check_library
from andante.motions.storage import dump_library, load_library
from andante.robots.robot import Robot
from andante.runs.motion_libraries import load_motions

pytestmark = pytest.mark.browser


@pytest.mark.slow
def test_a_wave_from_nothing(chromium: object, studio: Served) -> None:
    """Made, checked, played in physics, saved, opened again: identical."""
    person = StudioUser(chromium, studio)
    page = person.page
    person.make("wave.yaml", robot="nao")
    for number, (roll, elbow) in enumerate([(-20, 40), (-50, 20), (-20, 60), (-50, 20)], 1):
        person.get("studio.store.choose([], false)")
        person.get("studio.store.seek(1e9)")
        person.joint("RShoulderPitch", -60)
        person.joint("RShoulderRoll", roll)
        person.joint("RElbowRoll", elbow)
        person.press("i")
        person.wait(f"studio.store.places().length === {number} && studio.store.chosen.length === 1")
    person.check()
    page.click(".transport >> text=Physics")
    person.wait("studio.store.run?.verdict")
    assert person.get("studio.store.run.verdict") == "pass"
    assert person.get("studio.store.run.poses.length") > 10
    person.save()
    text = person.get("studio.text.text")
    path = studio.folder / "wave.yaml"
    assert path.read_text() == text
    library = load_library(path)
    assert [
        round(k.joints["RShoulderRoll"] * 180 / 3.141592653589793, 6) for k in library.blocks["motion"].keyframes
    ] == [-20, -50, -20, -50]
    assert not [finding for finding in check_library(library, Robot.load("nao")) if finding.severity == "error"]
    page.reload()
    # The editor is fetched after the robot is seen.
    person.wait("studio.store.state?.file === 'wave.yaml' && studio.text")
    assert person.get("studio.text.text") == text
    person.done()


def make_files(folder: Path) -> list[str]:
    """Files of three other programs, made by `convert`."""
    nao, ers7 = load_library(write(folder / "one.yaml", TEXT)), load_motions("ers7")
    write(folder / "nao.yaml", dump_library(nao.model_copy(update={"motions": {"wave": nao.motions["wave"]}})))
    write(folder / "ers7.yaml", dump_library(ers7.model_copy(update={"motions": {"stop": ers7.motions["stop"]}})))
    convert(folder / "nao.yaml", folder / "moves.cfg")
    convert(folder / "nao.yaml", folder / "moves.json", target_format="hulks")
    convert(folder / "ers7.yaml", folder / "stop.mtn")
    return ["moves.cfg", "moves.json", "stop.mtn"]


def write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


@pytest.mark.slow
def test_other_programs_files_stay_unchanged(chromium: object, studio: Served) -> None:
    """Opened, edited in several ways, everything undone, saved: the same bytes."""
    for name in make_files(studio.folder):
        before = {path: path.read_bytes() for path in studio.folder.iterdir() if path.is_file()}
        person = StudioUser(chromium, studio, name)
        person.choose(1)
        joint = person.get("Object.keys(studio.store.keyframe(studio.store.chosen[0]).joints)[0]")
        person.joint(joint, 5)
        person.wait("studio.store.flags.changed")
        person.press("Shift+D")
        person.wait("studio.store.chosen[0]?.index === 1")
        person.press("Delete")
        person.wait("studio.store.chosen.length === 0")
        person.settled()
        assert person.get("studio.text.text") != person.get("studio.store.state.text")
        while person.get("studio.store.flags.canUndo"):
            person.undo()
        person.wait("studio.text.text === studio.store.state.text")
        person.page.click("header.top >> text=Save")
        person.page.wait_for_selector("text=byte for byte")
        person.page.click("dialog .primary")
        person.wait("!document.querySelector('dialog')")
        assert all(path.read_bytes() == raw for path, raw in before.items() if "studio" not in path.name)
        person.done()


@pytest.mark.slow
def test_text_and_timeline_go_both_ways(chromium: object, studio: Served) -> None:
    write(studio.folder / "both.yaml", TEXT)
    person = StudioUser(chromium, studio, "both.yaml")
    page = person.page
    page.click("[data-tab=Text]")
    # The text is edited, the timeline follows.
    assert person.get("studio.store.places()[0].end") == pytest.approx(0.6)
    line = page.locator(".cm-line", has_text="duration: 600")
    line.click()
    page.keyboard.press("End")
    page.keyboard.press("Home")
    for _ in range(len("- duration: ")):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Delete")
    page.keyboard.type("9")
    person.wait("Math.abs(studio.store.places()[0]?.end - 0.9) < 1e-9")
    person.settled()
    # A mistake is marked in its place, and the timeline waits until it is mended.
    page.keyboard.type("x")
    person.wait("studio.store.problems.length === 1")
    page.wait_for_selector(".cm-lint-marker-error")
    page.keyboard.press("Backspace")
    person.wait("studio.store.problems.length === 0")
    # The timeline is edited, the text follows; comments stay.
    person.choose(2)
    x = person.get("studio.timeline.x(studio.store.places()[1].end)")
    further = person.get("studio.timeline.x(studio.store.places()[1].end + 0.12)")
    box = page.locator("canvas[aria-label=Timeline]").bounding_box()
    page.mouse.move(box["x"] + x, box["y"] + 25)
    page.mouse.down()
    page.mouse.move(box["x"] + further, box["y"] + 25, steps=5)
    page.mouse.up()
    person.wait("Math.abs(studio.store.places()[1]?.end - 1.32) < 0.007")
    person.settled()
    text = person.get("studio.text.text")
    library = load_library(write(studio.folder / "check.yaml", text))
    first, second = library.blocks["wave"].keyframes[:2]
    assert first.duration + second.duration == pytest.approx(0.6)
    assert first.duration == pytest.approx(0.42, abs=0.007)
    assert "RShoulderRoll: -50   # far out" in text
    # Everything is taken back.
    person.undo_all()
    person.wait(f"studio.text.text === {json.dumps(TEXT)}")
    person.done()


PASTE = """(text) => {
  const data = new DataTransfer();
  data.setData('text/plain', text);
  const event = new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true });
  document.querySelector('.pane.text .cm-content').dispatchEvent(event);
}"""


@pytest.mark.slow
def test_a_text_longer_than_a_message_is_pasted_and_its_line_ends_are_the_files(
    chromium: object, studio: Served
) -> None:
    path = studio.folder / "pasted.yaml"
    path.write_bytes(TEXT.replace("\n", "\r\n").encode())
    person = StudioUser(chromium, studio, "pasted.yaml")
    page = person.page
    page.click("[data-tab=Text]")
    page.locator(".pane.text .cm-content").click()
    page.keyboard.press("Control+Home")
    note = ["# " + "動作" * 100] * 2000
    page.evaluate(PASTE, "\r\n".join([*note, ""]))
    person.settled()
    whole = "\n".join([*note, TEXT])
    assert person.get("studio.text.text") == whole
    person.get("studio.store.connection.ask({ do: 'save', overwrite: false })")
    assert path.read_bytes().decode() == whole.replace("\n", "\r\n")
    # It is one step.
    page.keyboard.press("Control+z")
    person.wait(f"studio.text.text === {json.dumps(TEXT)}")
    person.done()


@pytest.mark.slow
def test_two_tabs_see_each_others_edits(chromium: object, studio: Served) -> None:
    write(studio.folder / "tabs.yaml", TEXT)
    first, second = StudioUser(chromium, studio, "tabs.yaml"), StudioUser(chromium, studio, "tabs.yaml")
    first.choose(1)
    first.joint("RShoulderPitch", -70)
    second.wait("studio.text.text.includes('RShoulderPitch: -70')")
    second.wait("Math.abs(studio.store.blockOf('lift').keyframes[0].joints.RShoulderPitch * 180 / Math.PI + 70) < 1e-9")
    # Both type at the same time, at different places and at the same one.
    for person, mark in ((first, "# the first tab\\n"), (second, "# the second tab\\n")):
        person.get(f"studio.text.view.dispatch({{changes: {{from: 0, insert: '{mark}'}}}})")
    for number in range(20):
        for person, place in ((first, 40), (second, 90)):
            where = f"studio.text.text.indexOf('\\n', {place})"
            person.get(f"studio.text.view.dispatch({{changes: {{from: {where}, insert: '{number % 10}'}}}})")
    for person in (first, second):
        person.settled()
    # What one typed reaches the other by the server, some time after the server has it.
    end = time.monotonic() + first.timeout
    while (one := first.get("studio.text.text")) != (two := second.get("studio.text.text")) and time.monotonic() < end:
        first.page.wait_for_timeout(50)
    assert one == two
    assert "# the first tab" in one
    assert "# the second tab" in one
    assert sum(one.count(digit) for digit in "0123456789") >= sum(TEXT.count(digit) for digit in "0123456789") + 38
    first.done()
    second.done()


@pytest.mark.slow
@pytest.mark.parametrize(("how", "at"), [("joints", 1), ("duration", 1), ("joints", 0)])
def test_what_waits_to_be_sent_meets_its_keyframe_when_another_tab_puts_one_before_it(
    chromium: object, studio: Served, how: str, at: int
) -> None:
    # A document of its own for each, since what is open stays open.
    file = f"drag-{how}-{at}.yaml"
    write(studio.folder / file, TEXT)
    first, second = StudioUser(chromium, studio, file), StudioUser(chromium, studio, file)
    frames = "studio.store.blockOf('wave').keyframes"
    before = first.get(frames)
    # A drag of the third keyframe: its first value is on its way, and takes long; the next one waits.
    first.get("studio.store.choose([{block: 'wave', index: 2}], false)")
    first.get(
        """(() => { const { connection } = studio.store; const ask = connection.ask.bind(connection);
        const held = new Promise(go => { window.letGo = go; });
        connection.ask = async (wish) => { if (wish.do === 'set') await held; return ask(wish); }; })()"""
    )
    for value in (0.5, 0.6):
        first.get(
            f"studio.store.setJoints({{RElbowRoll: {value}}}, 'drag')"
            if how == "joints"
            else "studio.store.stream('duration', (since => () => studio.store.setFields('wave',"
            f" {{2: {{duration: {value}}}}}, 'drag', since))(studio.store.revision))"
        )
    second.get(f"void studio.store.edit({{do: 'insert', block: 'wave', at: {at}, keyframes: [{{duration: 0.7}}]}})")
    first.wait(f"{frames}.length === {len(before) + 1}")
    first.get("letGo()")
    told = "document.body.innerText.includes('changed in another tab')"
    if at == 0:
        # The text is read anew from its block on, so that nobody knows which keyframe is which: nothing is changed.
        first.wait(told)
        first.wait("[...studio.store.slots.values()].every(slot => !slot.busy)")
        assert second.get(frames)[1:] == before
    else:
        field = "joints.RElbowRoll" if how == "joints" else "duration"
        second.wait(f"({frames}[3].{field} ?? 0).toFixed(4) === '0.6000'")
        after = second.get(frames)
        assert after.pop(1)["duration"] == pytest.approx(0.7)
        assert after[:2] + after[3:] == before[:2] + before[3:]
    first.page.close()
    second.done()


@pytest.mark.slow
def test_a_run_from_a_keyframe_with_a_fault_and_a_parameter(chromium: object, studio: Served) -> None:
    write(studio.folder / "run.yaml", TEXT)
    person = StudioUser(chromium, studio, "run.yaml")
    page = person.page
    person.choose(3)
    page.click(".transport >> text=From key")
    person.wait("studio.store.running === 'going' && studio.store.runs.at(-1).poses.length > 0")
    assert person.get("studio.store.runs.at(-1).poses[0].time") == pytest.approx(0.9, abs=0.05)
    page.click(".transport >> text=Pause")
    person.wait("studio.store.running === 'paused'")
    page.click("[data-tab=Run]")
    page.click(".faults >> text=Begin")
    person.wait("[...studio.store.faults.values()].includes(true)")
    page.locator("label.check", has_text="balance").first.locator("input").click()
    person.wait("studio.store.parameters.find((each) => each.name === 'balance').value === false")
    page.click(".transport >> text=Play")
    person.wait("studio.store.run?.verdict")
    texts = person.get("studio.store.run.events.map((each) => each.text)")
    assert any("weak" in text for text in texts)
    log = next((studio.folder / "runs" / "studio").glob("run-*/log.mcap"))
    person.done()
    answer = run_command("replay", str(log))
    assert answer.returncode == 0, answer.stdout + answer.stderr


@pytest.mark.slow
def test_a_foot_and_a_hand_are_dragged(chromium: object, studio: Served) -> None:
    """They follow the pointer, the other foot stays, limits hold, one undo takes it back."""
    write(studio.folder / "drag.yaml", TEXT)
    person = StudioUser(chromium, studio, "drag.yaml")
    person.choose(1)
    robot = Robot.load("nao")
    for name, way in (("left", (-15, -60)), ("left_arm", (40, -80)), ("left_arm", (300, -60))):
        x, y = person.place(name)
        before = person.get("studio.store.revision")
        mouse = person.page.mouse
        mouse.move(x, y)
        mouse.down()
        steps = 10
        for step in range(1, steps + 1):
            mouse.move(x + way[0] * step / steps, y + way[1] * step / steps)
            if step == 1:  # The first drag of all waits for compiled kernels.
                person.wait("studio.view.node.dataset.drag", 180.0)
            person.page.wait_for_timeout(80)
            new = person.get("Array.from(studio.store.posture())")
            assert all(
                low - 1e-6 <= v <= high + 1e-6 for v, low, high in zip(new, robot.lower, robot.upper, strict=True)
            )
        mouse.up()
        person.wait(f"studio.view.drag === null && studio.store.revision > {before}")
        # It has arrived now; while the hand moves, answers come as late as the load lets them.
        told = json.loads(person.get("studio.view.node.dataset.drag"))
        assert told["drift"] < 5e-4
        # The page keeps the largest turn that one answer gave in this drag; samples from here would depend on the load.
        assert 0.01 < told["turned"] < 0.2618 + 1e-6
        assert (told["left"] < 2e-3) == (way[0] < 300)
        # The robot is put on the ground again, and its handles with it.
        person.page.wait_for_timeout(300)
        person.wait("!studio.view.dirty")
    person.page.wait_for_timeout(300)
    joints = person.get("studio.store.keyframe(studio.store.chosen[0]).joints")
    assert {"LKneePitch", "LShoulderPitch"} <= joints.keys()
    for _ in range(3):
        person.undo()
        person.page.wait_for_timeout(100)
    assert person.get("studio.text.text") == TEXT
    person.done()


SLOW = """(() => { const { connection } = studio.store; const ask = connection.ask.bind(connection);
connection.ask = (message) => message.do !== "drag" ? ask(message)
  : new Promise((good) => setTimeout(good, 700)).then(() => ask(message)); })()"""


@pytest.mark.slow
def test_a_drag_arrives_where_it_was_let_go(chromium: object, studio: Served) -> None:
    """Also where the answers come long after the pointer has gone; undo shows the document's posture again."""
    write(studio.folder / "slow.yaml", TEXT)
    person = StudioUser(chromium, studio, "slow.yaml")
    person.choose(1)
    person.wait("!studio.store.preparing", 180.0)
    person.get(SLOW)
    before = person.get("Array.from(studio.store.posture())")
    x, y = person.place("left_arm")
    mouse = person.page.mouse
    mouse.move(x, y)
    mouse.down()
    mouse.move(x + 20, y - 20)
    mouse.move(x + 30, y - 60)
    mouse.up()
    assert person.get("studio.view.drag?.over") is True
    person.wait("studio.view.drag === null")
    assert json.loads(person.get("studio.view.node.dataset.drag"))["left"] < 2e-3
    person.page.wait_for_timeout(300)
    assert person.place("left_arm") == pytest.approx((x + 30, y - 60), abs=8.0)
    person.settled()
    person.press("Control+z")
    person.wait("!studio.store.flags.canUndo")
    person.wait("studio.store.trajectory.revision === studio.store.revision")
    assert person.get("Array.from(studio.store.posture())") == pytest.approx(before, abs=1e-6)
    person.done()


@pytest.mark.slow
def test_what_a_killed_server_had_is_there_again(chromium: object, tmp_path: Path) -> None:
    path = write(tmp_path / "wave.yaml", TEXT)
    with served(path) as studio:
        person = StudioUser(chromium, studio, "wave.yaml")
        person.choose(1)
        for value in (-61, -62, -63):
            person.joint("RShoulderPitch", value)
            person.wait(f"studio.text.text.includes('RShoulderPitch: {value}')")
        studio.kill()
        person.page.close()
    assert path.read_text() == TEXT
    with served(path) as studio:
        person = StudioUser(chromium, studio, "wave.yaml")
        assert "RShoulderPitch: -63" in person.get("studio.text.text")
        for _ in range(3):
            person.undo()
        assert person.get("studio.text.text") == TEXT
        person.done()
