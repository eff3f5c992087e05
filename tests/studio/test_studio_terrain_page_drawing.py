"""The terrain page in headless chromium: boards drawn by hand, layers and volumes, live data, a gamepad."""

from __future__ import annotations

from pathlib import Path

import pytest
from page_users import TerrainUser
from served import Served

from andante.runs.logs.log import Log
from andante.runs.logs.replay import replay_log
from andante.runs.tasks.walk.plan import plan
from andante.runs.tasks.walk.task import WalkTask

pytestmark = pytest.mark.browser


def drag(person: TerrainUser, a: tuple[float, float], b: tuple[float, float]) -> None:
    """Drag over the ground, as it is seen."""
    box = person.page.locator(".scene canvas").bounding_box()
    ends = [person.get(f"terrain.view.onPage({x}, {y}, terrain.view.height({x}, {y}))") for x, y in (a, b)]
    (u, v), (m, n) = [(box["x"] + at[0], box["y"] + at[1]) for at in ends]
    mouse = person.page.mouse
    mouse.move(u, v)
    mouse.down()
    for share in (0.25, 0.5, 0.75, 1.0):
        mouse.move(u + share * (m - u), v + share * (n - v))
    mouse.up()
    person.wait("!terrain.draw.strokes.length")


@pytest.mark.slow
def test_a_board_is_drawn_undone_saved_and_planned_like_the_command(chromium: object, studio: Served) -> None:
    person = TerrainUser(chromium, studio)
    page = person.page
    page.click("text=Draw the board")
    page.fill("[aria-label='Length of a new board']", "1.6")
    page.click("text=New level board")
    person.wait("terrain.state.board.name === 'drawn' && !terrain.state.busy")
    page.click(".views >> text=Top")
    page.click(".draw >> text=Raise")
    drag(person, (0.8, -0.1), (1.0, 0.1))
    assert person.get("terrain.view.height(0.9, 0.0)") == pytest.approx(0.03, abs=2e-3)
    page.click(".draw >> text=Box")
    drag(person, (1.2, -0.3), (1.3, 0.3))
    assert person.get("terrain.view.height(1.25, 0.0)") == pytest.approx(0.03, abs=1e-6)
    page.click(".draw >> text=Undo")
    person.wait("terrain.view.height(1.25, 0.0) === 0")
    assert person.get("terrain.view.height(0.9, 0.0)") > 0.02
    page.keyboard.press("Control+Shift+z")
    person.wait("terrain.view.height(1.25, 0.0) > 0.02")
    # Once the hand rests the robot is set on it.
    person.wait("!terrain.draw.untaken && !terrain.state.busy")
    page.fill('[aria-label="File of the board"]', "drawn-here.npz")
    page.click(".draw >> text=Save")
    person.wait("!terrain.draw.unsaved && !terrain.state.busy")
    assert "andante plan --board drawn-here.npz" in page.inner_text(".told")
    assert person.get("document.querySelector('[aria-label=Board]').value") == "file:drawn-here.npz"
    page.click("button:text-is('Plan')")
    person.wait("terrain.state.plan && !terrain.state.busy")
    own = plan(WalkTask(board=str(studio.folder / "drawn-here.npz")))
    shown = person.get("terrain.state.footsteps.steps")
    assert len(shown) == len(own.plan.footsteps.steps)
    for mine, step in zip(shown, own.plan.footsteps.steps, strict=True):
        assert mine["place"][:2] == pytest.approx(step.place[:2].tolist(), abs=1e-5)

    # Layers with their legends, stances, and the reach of a leg, on and off.
    page.select_option('[aria-label="Color of the ground"]', "swath")
    person.wait("terrain.view.layer?.layer === 'swath'")
    assert "looked at" in page.inner_text(".legend")
    page.select_option('[aria-label="Color of the ground"]', "slope")
    person.wait("terrain.view.layer?.layer === 'slope'")
    assert "[deg]" in page.inner_text(".legend")
    page.check("text=Stances of the plan")
    page.check("text=Stances by dynamic programming")
    person.wait("terrain.view.stanceLines === 2")
    assert "dynamic programming" in page.inner_text(".legend")
    page.uncheck("text=Stances of the plan")
    person.wait("terrain.view.stanceLines === 1")
    page.select_option('[aria-label="Reachable volume"]', "FL")
    person.wait("terrain.view.reachShown && !terrain.state.busy")
    assert "FL can be" in page.inner_text(".legend")
    page.select_option('[aria-label="Reachable volume"]', "")
    person.wait("!terrain.view.reachShown")

    # What is not saved is not lost by a slip of the hand.
    page.click(".draw >> text=Gap")
    drag(person, (0.5, -0.2), (0.6, 0.2))
    board = "document.querySelector('[aria-label=Board]').value"
    for answer in ("Stay", "Leave it"):
        page.select_option("[aria-label=Board]", "rocks")
        # The robot is set on what was drawn while the question stands.
        person.wait("!terrain.draw.untaken && !terrain.state.busy")
        page.click(f"dialog >> text={answer}")
        if answer == "Stay":
            person.wait(f"{board} === 'file:drawn-here.npz'")
            assert person.get("terrain.view.height(0.55, 0.0)") < -0.02
    person.wait("terrain.state.board.name === 'rocks' && !terrain.state.busy")
    assert person.get(board) == "rocks"
    person.done()


@pytest.mark.slow
def test_a_trot_is_steered_by_a_gamepad_with_live_data(chromium: object, studio: Served) -> None:
    person = TerrainUser(chromium, studio)
    page = person.page
    page.evaluate(
        "window.pad = {id: 'test pad', axes: [0, 0, 0, 0], buttons: Array.from({length: 16}, () => ({value: 0}))};"
        "navigator.getGamepads = () => [window.pad]"
    )
    person.choose("Board", "floor")
    person.choose("Way of walking", "trot")
    person.wait("document.body.innerText.includes('Gamepad: test pad')")
    page.click(".live-button")
    person.wait("document.querySelectorAll('.live .chart').length >= 3")
    page.click("button.walk")
    person.wait("terrain.state.walking")
    page.evaluate("pad.axes[1] = -0.6")
    person.wait("terrain.state.asked.startsWith('+0.') && !terrain.state.asked.startsWith('+0.00')")
    page.evaluate("pad.axes[2] = -0.5")
    person.wait("!terrain.state.asked.includes('+0.00 rad')")
    person.wait("Number(document.querySelector('.live .plots').dataset.updates) > 5")
    name = person.get("terrain.live.parameters.find((each) => each.kind === 'number').name")
    page.fill('[aria-label="Show parameters with"]', name)
    value = person.get(f"terrain.live.parameters.find((each) => each.name === '{name}').value")
    page.fill(f'.live input[type=number][aria-label="{name}"]', str(value * 0.98))
    page.keyboard.press("Tab")
    person.wait(f"terrain.live.parameters.find((each) => each.name === '{name}').value !== {value}")
    page.select_option('[aria-label="Kind of fault"]', "noisy")
    page.click(".live button:text-is('Begin')")
    page.click(".live .fault button:text-is('End')")
    person.wait("[...terrain.live.faults.values()].includes(false)")
    page.evaluate("pad.axes.fill(0); pad.buttons[9].value = 1")
    person.wait("terrain.state.verdict")
    folder = Path(person.get("terrain.state.verdict.folder"))
    events = Log.open(folder / "log.mcap").events
    assert any(event.data.get("turn", 0.0) > 0.0 for event in events if str(event.kind) == "steer")
    assert any(str(event.kind) == "parameter" and name in event.text for event in events)
    assert replay_log(folder).identical
    person.done()


@pytest.mark.slow
def test_a_board_is_drawn_and_a_footstep_put_by_keys(chromium: object, studio: Served) -> None:
    person = TerrainUser(chromium, studio)
    page, keys = person.page, person.page.keyboard
    page.focus(".draw summary")
    keys.press("Enter")
    page.focus("text=New level board")
    keys.press("Enter")
    person.wait("terrain.state.board.name === 'drawn' && !terrain.state.busy")
    page.focus(".draw >> text=Box")
    keys.press("Enter")
    page.focus("[aria-label=Ground]")
    for key in ("ArrowRight", "Enter", *8 * ["ArrowRight"], *5 * ["Shift+ArrowUp"]):
        keys.press(key)
    assert page.inner_text(".told") == "Drawing at x 1.180, y 0.025 m, 0.0 cm high."
    keys.press("Enter")
    person.wait("!terrain.draw.strokes.length && terrain.view.height(1.1, 0.01) > 0.02")
    beside = "[[1.0, 0.01], [1.2, 0.01], [1.1, 0.04]].map(([x, y]) => terrain.view.height(x, y))"
    assert person.get(beside) == [0, 0, 0]
    person.wait("!terrain.draw.untaken && !terrain.state.busy")
    keys.press("Control+z")
    person.wait("terrain.view.height(1.1, 0.01) === 0 && !terrain.draw.untaken && !terrain.state.busy")
    # Without a tool Enter puts a footstep: beside the foot that stands there.
    page.focus(".draw >> text=Box")
    keys.press("Enter")
    foot = person.get("terrain.state.footsteps.feet[0]")
    page.select_option("[aria-label='Foot of a new footstep']", "HR")
    page.focus("[aria-label=Ground]")
    person.get(f"terrain.view.keys.place = [{foot[0]}, {foot[1]}]")
    keys.press("ArrowRight")
    keys.press("Enter")
    person.wait("terrain.state.footsteps.steps.length === 1 || terrain.state.refusal")
    person.done()
