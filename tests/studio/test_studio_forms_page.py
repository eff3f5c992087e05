"""Forms and postures in headless chromium: branches, waits, balance and settings without a line of JSON."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from page_users import StudioUser
from served import Served, served
from studio_text import TEXT

from andante.motions.storage import load_library

pytestmark = [pytest.mark.browser, pytest.mark.slow]


class FormUser(StudioUser):
    """A person who fills forms in."""

    def __init__(self, chromium: object, studio: Served, file: str = "") -> None:
        super().__init__(chromium, studio, file, timeout=120.0)

    def edit(self, act) -> None:
        """Do something that is one edit, and wait for it."""
        revision = self.get("studio.store.revision")
        act()
        self.wait(f"studio.store.revision === {revision + 1}")
        self.settled()

    def open(self, name: str) -> None:
        """Unfold a part of the form."""
        fold = self.page.locator(f"summary[data-path='{name}']")
        fold.wait_for()
        if not fold.evaluate("(node) => node.parentElement.open"):
            fold.click()

    def press_button(self, label: str) -> None:
        self.edit(lambda: self.page.locator(f"button[aria-label={label!r}]").first.click())

    def choose_option(self, label: str, value: str) -> None:
        self.edit(lambda: self.page.locator(f"select[aria-label={label!r}]").first.select_option(value))

    def write(self, label: str, value: str) -> None:
        box = self.page.locator(f"[aria-label={label!r}]").first
        box.fill(value)
        self.edit(lambda: box.press("Tab"))


def opened(chromium: object, studio: Served, name: str, text: str = TEXT) -> FormUser:
    (studio.folder / name).write_text(text)
    person = FormUser(chromium, studio, name)
    person.page.click("[data-tab=Keyframe]")
    return person


def library_of(person: FormUser, studio: Served):
    path = studio.folder / "look.yaml"
    path.write_text(person.get("studio.text.text"))
    return load_library(path)


@pytest.mark.slow
def test_a_wait_and_a_branch_by_hand(chromium: object, studio: Served) -> None:
    """Rows added, filled in and taken away; the rest of the text stays; each change is one step of undoing."""
    person = opened(chromium, studio, "branch.yaml")
    person.choose(2)
    person.open("keyframe.waits")
    person.press_button("keyframe.waits add")
    person.choose_option("keyframe.waits[0].variable", "com_height")
    person.write("keyframe.waits[0].min", "180")
    person.write("keyframe.waits[0].max", "320")
    person.write("keyframe.waits[0].max_wait", "700")
    person.open("keyframe.branches")
    person.press_button("keyframe.branches add")
    person.choose_option("keyframe.branches[0].block", "nod")
    person.open("keyframe.branches[0].early")
    person.press_button("keyframe.branches[0].early")
    person.open("keyframe.branches[0].early.conditions")
    person.press_button("keyframe.branches[0].early.conditions add")
    person.choose_option("keyframe.branches[0].early.conditions[0].variable", "knee_flexion")
    person.write("keyframe.branches[0].early.conditions[0].max", "-45")
    person.write("keyframe.branches[0].max_block_loops", "2")
    keyframe = library_of(person, studio).blocks["wave"].keyframes[0]
    (wait,), (branch,) = keyframe.waits, keyframe.branches
    # Lengths are shown in millimetres, times in milliseconds, angles in degrees.
    assert wait.variable == "com_height"
    assert (wait.min, wait.max, wait.max_wait) == pytest.approx((0.18, 0.32, 0.7))
    assert (branch.block, branch.max_block_loops) == ("nod", 2)
    assert branch.early.conditions[0].max == pytest.approx(math.radians(-45))
    # Comments and all other lines are as they were.
    text = person.get("studio.text.text")
    new = text.splitlines()
    assert [line for line in TEXT.splitlines() if line not in new] == []
    person.press_button("keyframe.waits[0] away")
    assert library_of(person, studio).blocks["wave"].keyframes[0].waits == ()
    assert person.undo_all() == 13
    assert person.get("studio.text.text") == TEXT
    person.done()


def test_an_error_is_told_in_its_place(chromium: object, studio: Served) -> None:
    person = opened(chromium, studio, "error.yaml")
    person.choose(2)
    person.open("keyframe.stiffness")
    person.press_button("keyframe.stiffness add")
    text = person.get("studio.text.text")
    box = person.page.locator("[aria-label='keyframe.stiffness[0].stiffness']")
    assert "0 (off) to 1" in box.get_attribute("title")
    assert "at most 1" in box.get_attribute("title")
    box.fill("1.5")
    box.press("Tab")
    person.wait("document.querySelector('.form .problem')")
    problem = person.page.locator(".row:has([aria-label='keyframe.stiffness[0].stiffness']) + .problem")
    assert "limit: at most 1" in problem.inner_text()
    assert person.get("studio.text.text") == text
    assert box.input_value() == "1.5"
    # Mended in the same place.
    person.write("keyframe.stiffness[0].stiffness", "0.25")
    assert person.page.locator(".form .problem").count() == 0
    person.open("keyframe.window")
    person.write("keyframe.window.pitch.min", "keep")
    keyframe = library_of(person, studio).blocks["wave"].keyframes[0]
    assert keyframe.stiffness[0].stiffness == 0.25
    assert keyframe.window.pitch.min == "keep"
    person.undo_all()
    assert person.get("studio.text.text") == TEXT
    person.done()


@pytest.mark.slow
def test_motion_block_balance_and_settings(chromium: object, studio: Served) -> None:
    """Without a chosen keyframe the pane has the motion, its blocks, the balance phases and the engine's settings."""
    person = opened(chromium, studio, "motion.yaml")
    page = person.page
    person.open("motions.follow_ups")
    person.press_button("motions.follow_ups add")
    person.choose_option("motions.follow_ups[0].motion", "nod")
    person.open("motions.blocks")
    person.press_button("motions.blocks add")
    person.choose_option("motions.blocks[2]", "nod")
    person.press_button("motions.blocks[2] up")
    page.fill("[aria-label='Name of a new balance phase']", "oneFoot")
    person.press_button("Add balance phase")
    person.write("balance.p_pitch.base", "12.5")
    person.write("settings.max_tries", "3")
    library = library_of(person, studio)
    assert library.motions["wave"].blocks == ("lift", "nod", "wave")
    assert library.motions["wave"].follow_ups[0].motion == "nod"
    assert library.balance["oneFoot"].p_pitch.base == 12.5
    assert library.settings.max_tries == 3
    text = person.get("studio.text.text")
    for comment in ("# A wave, written by hand.", "# The arm goes up.", "# slowly", "# far out", "# the end"):
        assert comment in text
    assert person.undo_all() == 8
    assert person.get("studio.text.text") == TEXT
    person.done()


def test_several_keyframes_of_two_blocks_are_one_step(chromium: object, studio: Served) -> None:
    person = opened(chromium, studio, "several.yaml")
    person.press("a")
    person.wait("studio.store.chosen.length === 5")
    person.page.wait_for_selector("[aria-label='keyframe.forbid_wait_break']")
    person.page.locator("[aria-label='keyframe.forbid_wait_break']").check()
    person.wait("studio.store.places().every(({ ref }) => studio.store.keyframe(ref).forbid_wait_break)")
    person.settled()
    assert person.undo_all() == 1
    assert person.get("studio.text.text") == TEXT
    person.done()


def test_postures_are_kept_taken_and_mirrored(chromium: object, studio: Served) -> None:
    person = opened(chromium, studio, "postures.yaml")
    page = person.page
    page.click("[data-tab=Postures]")
    page.wait_for_selector("[data-posture=stand]")
    person.choose(1)
    page.fill("[aria-label='Name of the posture']", "hello")
    page.press("[aria-label='Name of the posture']", "Enter")
    page.wait_for_selector("[data-posture=hello]")
    file = studio.folder / "postures-nao.yaml"
    kept = load_library(file).blocks["hello"].keyframes[0].joints
    assert math.degrees(kept["RShoulderPitch"]) == pytest.approx(-60)
    assert len(kept) == 26
    # All joints of another keyframe, mirrored: the left arm waves. One step takes it back.
    person.choose(5)
    person.edit(lambda: page.click("[aria-label='Take hello mirrored']"))
    joints = library_of(person, studio).blocks["wave"].keyframes[3].joints
    assert math.degrees(joints["LShoulderPitch"]) == pytest.approx(-60, abs=1e-3)
    assert math.degrees(joints["LShoulderRoll"]) == pytest.approx(20, abs=1e-3)
    person.undo_all()
    assert person.get("studio.text.text") == TEXT
    # Only a group.
    person.choose(3)
    page.select_option("[aria-label='Joints of postures']", "head")
    person.edit(lambda: page.click("[aria-label='Take sit']"))
    assert set(library_of(person, studio).blocks["wave"].keyframes[1].joints) == {
        "RShoulderRoll", "RElbowRoll", "HeadYaw", "HeadPitch",
    }  # fmt: skip
    person.undo_all()
    # Renamed, deleted and brought back.
    page.once("dialog", lambda dialog: dialog.accept("good day"))
    page.click("[aria-label='Rename hello']")
    page.wait_for_selector("[data-posture='good day']")
    before = file.read_bytes()
    page.click("[aria-label='Delete good day']")
    page.wait_for_selector("[data-posture='good day']", state="detached")
    assert not load_library(file).blocks
    page.click("[aria-label='Undo change of postures']")
    page.wait_for_selector("[data-posture='good day']")
    assert file.read_bytes() == before
    assert person.get("studio.text.text") == TEXT
    person.done()


def test_an_empty_motion_says_what_to_do(chromium: object, studio: Served) -> None:
    """A motion without keyframes, and then one without blocks, can be looked at, filled and played."""
    head = "format: andante.motions\nversion: 1\nrobot: nao\n"
    text = f"{head}motions:\n  bare: {{}}\n  full: {{blocks: [full]}}\nblocks:\n  full: {{keyframes: []}}\n"
    (studio.folder / "bare.yaml").write_text(text)
    person = FormUser(chromium, studio)
    page = person.page
    page.click("dialog >> text=bare.yaml")
    person.wait("studio.store.state?.file === 'bare.yaml' && studio.store.robot")
    page.click("[data-tab=Keyframe]")
    page.wait_for_selector("text=Nothing is shown yet")
    person.press("i")
    page.wait_for_selector(".notice >> text=There is no block")
    person.open("motions.blocks")
    person.press_button("motions.blocks add")
    person.wait("studio.store.blocks().length === 1")
    person.press("i")
    person.wait("studio.store.chosen.length === 1 && studio.store.places().length === 1")
    assert not person.errors
    library = library_of(person, studio)
    assert library.motions["bare"].blocks == ("full",)
    assert library.blocks["full"].keyframes[0].joints["HeadYaw"] == 0.0
    person.done()


@pytest.mark.slow
def test_a_second_studio_is_told(chromium: object, studio: Served, tmp_path: Path) -> None:
    """The file that one studio has open is refused by another, in words, and its page goes on."""
    first = opened(chromium, studio, "mine.yaml")
    with served(studio.folder) as other:
        second = FormUser(chromium, other)
        second.page.fill("dialog input", "mine")
        second.page.click("dialog >> text=mine.yaml")
        second.page.wait_for_selector(".notice >> text=another studio has this file open")
        second.page.close()
    first.choose(1)
    first.edit(lambda: first.joint("RShoulderPitch", -70))
    first.undo_all()
    assert first.get("studio.text.text") == TEXT
    first.done()
