"""Somebody pulls at the robot by mouse or pushes it by key while it runs: bounded, told, the same from the scenario."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from page_users import StudioUser
from served import Served
from studio_text import TEXT

from andante.control.events import EventKind
from andante.errors import AndanteError
from andante.runs.build import build
from andante.runs.execute import session_of
from andante.runs.logs.log import Log
from andante.runs.scenario_files import load_scenario
from andante.studio.disk import Disk
from andante.studio.hand import Grip, Thrust
from andante.studio.simulation import MotionRun, Order

WEIGHT = 9.81 * 5.5
"""Weight of a NAO, rounded up [N]."""


def test_a_pull_is_bounded_told_and_repeated_to_the_last_bit(tmp_path: Path) -> None:
    run = MotionRun(Order(TEXT, "nao", "wave", 3, tmp_path.resolve() / "run", Disk(tmp_path.resolve())))
    with pytest.raises(AndanteError, match=r"no such body.*Torso"):
        run.hand.take(Grip("torso", (0, 0, 0), (0, 0, 0)))
    untouched = []
    while run.session.ending is None:
        if round(run.session.time, 6) == 0.3:
            # A hand that is far away pulls no more strongly than one that is near.
            run.hand.take(Grip("Torso", (0.0, 0.0, 0.1), (3.0, 0.5, 0.4)))
        if round(run.session.time, 6) == 0.6:
            run.hand.take(None)
        run.step()
        untouched.append(run.parts.backend.truth()["qpos"].copy())
    assert run.verdict()["pushed"] == 25
    run.drop()
    sizes = [np.linalg.norm(push.force) for push in run.hand.pushes]
    assert max(sizes) <= WEIGHT
    assert max(sizes) > 0.9 * WEIGHT
    assert [push.time for push in run.hand.pushes] == pytest.approx(0.3 + 0.012 * np.arange(25))
    log = Log.open(tmp_path / "run" / "log.mcap")
    told = [event for event in log.events if event.kind in (EventKind.PUSH, EventKind.PUSH_OVER)]
    assert [(event.kind, round(event.time, 3)) for event in told] == [
        (EventKind.PUSH, 0.3),
        (EventKind.PUSH_OVER, 0.6),
    ]
    assert told[1].data["largest"] == pytest.approx(max(sizes))
    # The scenario does the same again.
    scenario = load_scenario(tmp_path / "run" / "scenario.yaml")
    assert len(scenario.world.pushes) == 25
    parts = build(scenario)
    session = session_of(scenario, parts)
    session.start()
    again = []
    while session.ending is None:
        session.step()
        again.append(parts.backend.truth()["qpos"].copy())
    assert np.array_equal(np.array(again), np.array(untouched))
    parts.backend.close()


def test_a_run_that_begins_anew_was_not_pushed(tmp_path: Path) -> None:
    from andante.studio.messages import Play

    run = MotionRun(Order(TEXT, "nao", "nod", 0, tmp_path.resolve() / "run", Disk(tmp_path.resolve())))
    run.hand.take(Grip("Head", (0.0, 0.0, 0.0), (0.3, 0.0, 0.5)))
    for _ in range(5):
        run.step()
    run.touched = True
    assert len(run.hand.pushes) == 5
    run.go_to(Play(do="play", motion="nod"))
    while run.session.ending is None:
        run.step()
    assert run.verdict()["pushed"] == 0
    run.drop()
    events = Log.open(tmp_path / "run" / "log.mcap").events
    assert not [event for event in events if event.kind is EventKind.PUSH]


def test_a_thrust_is_what_was_asked_for_as_long_and_never_stronger_than_the_weight(tmp_path: Path) -> None:
    run = MotionRun(Order(TEXT, "nao", "nod", 0, tmp_path.resolve() / "run", Disk(tmp_path.resolve())))
    weight = run.hand.weight
    assert weight == pytest.approx(9.81 * 5.3, rel=0.1)
    with pytest.raises(AndanteError, match=r"stronger than the robot's weight.*N"):
        run.hand.push(Thrust("Torso", (0.0, 1.01 * weight, 0.0), 0.1))
    with pytest.raises(AndanteError, match=r"no such body.*Torso"):
        run.hand.push(Thrust("torso", (0.0, 1.0, 0.0), 0.1))
    assert not run.hand.busy
    run.step()
    run.hand.push(Thrust("Torso", (0.0, 20.0, 0.0), 0.1))
    while run.session.ending is None:
        run.step()
    # A tick takes 12 ms, and 8 of them are the nearest to 100 ms.
    assert run.verdict()["pushed"] == 8
    run.drop()
    pushes = load_scenario(tmp_path / "run" / "scenario.yaml").world.pushes
    assert {(push.body, push.force, push.point) for push in pushes} == {("Torso", (0.0, 20.0, 0.0), (0.0, 0.0, 0.0))}
    assert [push.time for push in pushes] == pytest.approx(0.012 * np.arange(1, 9))


@pytest.mark.browser
@pytest.mark.slow
def test_the_robot_is_pulled_by_the_mouse_while_it_runs(chromium: object, studio: Served) -> None:
    # Long enough for hands on a busy machine.
    (studio.folder / "pull.yaml").write_text(TEXT.replace("duration: 600", "duration: 30000"))
    person = StudioUser(chromium, studio, "pull.yaml", timeout=120.0)
    page = person.page
    page.select_option("[aria-label=Speed]", "0.1")
    page.click("text=may fall")
    page.click(".transport >> text=Physics")
    person.wait("studio.store.running === 'going' && studio.store.playhead > 0.02")
    spot = """(() => { const { view, store } = studio;
    const body = store.robot.bodies.findIndex(({ name }) => name === 'Torso');
    const box = view.node.getBoundingClientRect();
    const at = view.robot.bodies[body].localToWorld(view.camera.position.clone().set(0, 0, 0.03)).project(view.camera);
    return [box.x + (at.x + 1) / 2 * box.width, box.y + (1 - at.y) / 2 * box.height]; })()"""
    x, y = person.get(spot)
    camera = person.get("studio.view.camera.quaternion.toArray()")
    page.mouse.move(x, y)
    page.mouse.down()
    assert person.get("studio.view.hand.holds")
    for step in range(1, 6):
        page.mouse.move(x + 12 * step, y)
        page.wait_for_timeout(60)
    person.wait("studio.view.hand.arrow.visible && studio.view.hand.force > 1")
    person.wait("document.querySelector('.scene-legend').textContent.includes('pull,')")
    assert person.get("studio.view.hand.force") <= WEIGHT
    person.wait("studio.store.run.events.some(({ kind }) => kind === 'push')")
    page.mouse.up()
    person.wait("studio.store.run.events.some(({ kind }) => kind === 'push_over')")
    person.wait("!studio.view.hand.arrow.visible")
    # Pulling turned no camera.
    assert np.allclose(person.get("studio.view.camera.quaternion.toArray()"), camera)
    page.click(".transport >> text=Stop")
    person.wait("studio.store.run.verdict")
    scenario = load_scenario(studio.folder / "runs" / "studio" / "pull-1" / "scenario.yaml")
    assert {push.body for push in scenario.world.pushes} <= {"Torso", "Head", "Neck", "LShoulder", "RShoulder"}
    assert scenario.world.pushes
    # Without a run a drag on the robot turns the picture again.
    page.click("text=Back to editing")
    page.mouse.move(x, y - 60)
    page.mouse.down()
    assert not person.get("studio.view.hand.holds")
    page.mouse.up()
    person.done()


@pytest.mark.browser
@pytest.mark.slow
def test_the_robot_is_pushed_by_fields_and_a_key(chromium: object, studio: Served) -> None:
    (studio.folder / "shove.yaml").write_text(TEXT.replace("duration: 600", "duration: 30000"))
    person = StudioUser(chromium, studio, "shove.yaml", timeout=120.0)
    page = person.page
    page.keyboard.press("f")
    person.wait("document.querySelector('.notices').textContent.includes('needs a run in physics')")
    page.select_option("[aria-label=Speed]", "0.1")
    page.click("text=may fall")
    page.click("[data-tab=Run]")
    page.click(".transport >> text=Physics")
    person.wait("studio.store.running === 'going' && studio.store.playhead > 0.02")
    page.select_option("[aria-label='Direction of the push']", "left")
    page.fill("[aria-label='Force of the push']", "1000")
    page.fill("[aria-label='Duration of the push']", "0.3")
    page.locator("canvas[aria-label=Timeline]").focus()
    page.keyboard.press("f")
    person.wait("document.querySelector('.notices').textContent.includes('stronger than the robot')")
    page.fill("[aria-label='Force of the push']", "15")
    page.locator("canvas[aria-label=Timeline]").focus()
    page.keyboard.press("f")
    person.wait("studio.view.hand.arrow.visible && Math.abs(studio.view.hand.force - 15) < 1e-3")
    person.wait("studio.store.run.events.some(({ kind }) => kind === 'push_over')")
    person.wait("!studio.view.hand.arrow.visible")
    page.click(".transport >> text=Stop")
    person.wait("studio.store.run.verdict")
    pushes = load_scenario(next((studio.folder / "runs" / "studio").glob("shove-*")) / "scenario.yaml").world.pushes
    assert {push.body for push in pushes} == {"Torso"}
    # The robot looks along x, so its left is y.
    assert np.allclose([push.force for push in pushes], (0.0, 15.0, 0.0), atol=1.0)
    assert len(pushes) == 25
    person.done()
