"""Two students and a lecturer in a browser: the lesson's bar, the live table, a look at somebody's work."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from page_users import VIEWPORT, PageUser
from served_class import ServedClass, served_class
from test_studio_first_load import AXE, serious

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedClass]:
    with served_class(tmp_path_factory.mktemp("class"), "Ada Lovelace\nGrace Hopper\nAlan Turing\n") as found:
        yield found


def _user(chromium: object, address: str) -> PageUser:
    user = PageUser(chromium.new_page(viewport=VIEWPORT), 90.0)
    user.page.set_default_timeout(90_000)
    user.page.goto(address)
    return user


def _student(chromium: object, running: ServedClass, slug: str) -> PageUser:
    user = _user(chromium, running.links[slug])
    user.wait("document.querySelector('.class-bar') && studio.store.state && studio.store.trajectory && studio.text")
    return user


def test_students_work_the_lecturer_sees_it_and_looks_at_it(
    chromium: object, running: ServedClass, tmp_path: Path
) -> None:
    lecturer = _user(chromium, running.links["lecturer"])
    lecturer.wait("document.querySelectorAll('tbody tr').length === 3")
    assert "token" not in lecturer.page.url
    ada = _student(chromium, running, "ada-lovelace")
    grace = _student(chromium, running, "grace-hopper")
    assert ada.get("studio.store.state.file") == "lesson-1.yaml"
    assert ada.get("document.querySelector('.class-bar .count').textContent") == "Step 1 of 5"
    assert not ada.get("Boolean(document.querySelector('.top a[href=\"terrain.html\"]').getClientRects().length)")
    # Each works in a folder of their own.
    ada.page.keyboard.press("Escape")
    ada.get("studio.timeline.step(1), studio.timeline.step(-1)")
    box = ada.page.locator('[data-joint="RShoulderPitch"] input[type=number]')
    ada.wait("studio.store.chosen.length === 1")
    box.fill("-60")
    box.press("Tab")
    ada.wait("document.querySelector('.class-bar .count').textContent === 'Step 2 of 5'")
    grace.page.click(".class-bar >> text=Ask for help")
    grace.page.select_option("[aria-label=Lesson].lesson-choice", "lesson-2")
    grace.wait("studio.store.state.file === 'lesson-2.yaml' && studio.store.trajectory")
    assert grace.get("studio.store.library.motions.bow !== undefined")
    row = "document.querySelector('[data-student=\"%s\"]')?.textContent ?? ''"
    ada_row, grace_row = row % "ada-lovelace", row % "grace-hopper"
    lecturer.wait(f"({ada_row}).includes('1 of 5') && ({ada_row}).includes('2: Wave')")
    lecturer.wait(f"({grace_row}).includes('asks for help') && ({grace_row}).includes('Press ⚙ Physics')")
    # Who asks for help comes first.
    assert lecturer.get("document.querySelector('tbody tr').dataset.student") == "grace-hopper"
    assert lecturer.get("document.querySelector('.counts').textContent").startswith(
        "2 of 3 students here, 1 ask for help"
    )
    # Physics, seen by both.
    grace.page.keyboard.press("Escape")
    grace.get("document.activeElement.blur()")
    grace.page.keyboard.press("p")
    grace.wait("studio.store.run?.verdict === 'fail'")
    grace.wait("document.querySelector('.class-bar .count').textContent === 'Step 2 of 5'")
    lecturer.wait(f"({grace_row}).includes('bow: fail')")
    lecturer.page.screenshot(path=tmp_path / "lecturer.png")
    grace.page.screenshot(path=tmp_path / "student.png")
    # The lecturer looks at Ada's work: live, and read only.
    with lecturer.page.expect_popup() as opened:
        lecturer.page.click("[data-student='ada-lovelace'] a")
    look = PageUser(opened.value, 90.0)
    look.wait("window.studio?.store.state?.file === 'lesson-1.yaml' && document.querySelector('.class-bar.readonly')")
    assert look.get("document.querySelector('.class-bar .who').textContent") == "Read only: Ada Lovelace"
    # What would change something cannot be used; what shows something can.
    usable = "[...document.querySelectorAll('button, input, select')].filter((each) => !each.matches(':disabled'))"
    names = look.get(f"{usable}.map((each) => each.textContent || each.getAttribute('aria-label') || '')")
    assert not {"+ Key", "Delete", "Save", "New…", "Mirror", "⚙ Physics", "Handles", "HeadYaw"} & set(names)
    assert {"Curves", "Fit", "Front", "Onion"} <= set(names)
    assert any("Play" in name for name in names)
    box.fill("-75")
    box.press("Tab")
    look.wait("studio.store.state && JSON.stringify(studio.store.library).includes('-1.308')")
    look.get("studio.store.connection.ask({ do: 'undo' }).catch((error) => (window.refusedText = error.message))")
    look.wait("window.refusedText?.includes('to be looked at only')")
    ada.wait("JSON.stringify(studio.store.library).includes('-1.308')")
    for user in (ada, grace, lecturer):
        user.done()
    look.page.close()


@pytest.mark.skipif(not AXE.is_file(), reason="needs web/node_modules (npm ci in web)")
def test_pages_of_a_class_have_no_serious_finding_of_axe(chromium: object, running: ServedClass) -> None:
    found = {}
    lecturer = _user(chromium, running.links["lecturer"])
    lecturer.wait("document.querySelectorAll('tbody tr').length === 3")
    student = _student(chromium, running, "alan-turing")
    for theme in ("light", "dark"):
        for name, user in (("lecturer", lecturer), ("student", student)):
            user.get(f"document.documentElement.dataset.theme = '{theme}'")
            user.page.wait_for_timeout(100)
            found[f"{theme} {name}"] = serious(user)
    student.page.click(".class-bar >> text=Steps")
    found["steps"] = serious(student)
    assert {place: each for place, each in found.items() if each} == {}
    student.done()
    lecturer.done()


def test_a_lesson_is_chosen_and_help_asked_for_by_keys_alone(chromium: object, running: ServedClass) -> None:
    user = _student(chromium, running, "alan-turing")
    keys = user.page.keyboard

    def go_to(what: str) -> None:
        for _ in range(60):
            if user.get(f"Boolean({what})"):
                return
            keys.press("Tab")
        raise AssertionError(what)

    go_to("document.activeElement.classList.contains('lesson-choice')")
    keys.press("ArrowDown")
    user.wait("studio.store.state.file === 'lesson-2.yaml'")
    go_to("document.activeElement.textContent === 'Ask for help'")
    keys.press("Enter")
    user.wait("document.querySelector('.class-bar [aria-pressed=true]')")
    keys.press("Tab")
    go_to("document.activeElement.textContent === 'Steps' || document.activeElement.closest('.joint')")
    user.done()
