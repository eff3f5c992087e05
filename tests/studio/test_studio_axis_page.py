"""The dock of the time axis in the browser: keys, curves, marks and runs on one playhead."""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np
import pytest
from page_users import StudioUser
from served import Served
from studio_text import TEXT

from andante.motions.sampling import sample_motion, start_posture
from andante.motions.storage import load_library
from andante.robots.robot import Robot

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def person(chromium: object, studio: Served) -> Iterator[StudioUser]:
    (studio.folder / "axis.yaml").write_text(TEXT)
    user = StudioUser(chromium, studio, "axis.yaml")
    user.page.click(".views >> text=Curves")
    yield user
    user.done()


def drag(person: StudioUser, canvas: str, begin: tuple[float, float], way: tuple[float, float]) -> None:
    box = person.page.locator(f"canvas[aria-label^={canvas}]").bounding_box()
    x, y = box["x"] + begin[0], box["y"] + begin[1]
    mouse = person.page.mouse
    mouse.move(x, y)
    mouse.down()
    mouse.move(x + way[0], y + way[1], steps=6)
    mouse.up()


def test_the_drawn_curve_is_the_engines(person: StudioUser) -> None:
    """At 200 random moments, all joints: what the page draws and what the engine plays are one number."""
    robot, library = Robot.load("nao"), load_library(TEXT)
    trajectory = sample_motion(library, robot, "wave", start_posture(robot))
    times = np.random.default_rng(34).uniform(0.0, 1.75, 200)
    row = "studio.store.robot.joints.map((_, joint) => studio.store.way().at(time, joint))"
    drawn = person.get(f"{json.dumps(times.tolist())}.map((time) => {row})")
    assert np.abs(np.array(drawn) - trajectory.at(times)).max() < 1e-9
    # Speeds are slopes of that.
    joint, step = robot.index("RShoulderPitch"), 1e-6
    inside = times[np.abs(times[:, None] - np.array([0.6, 0.9, 1.2, 1.45])).min(axis=1) > 1e-3]
    slopes = (trajectory.at(inside + step) - trajectory.at(inside - step))[:, joint] / (2 * step)
    speeds = person.get(f"{json.dumps(inside.tolist())}.map((time) => studio.store.way().speed(time, {joint}))")
    assert np.array(speeds) == pytest.approx(slopes, abs=1e-4)


def test_a_value_is_dragged_in_the_curve_and_taken_back(person: StudioUser) -> None:
    page = person.page
    page.fill("[aria-label='Filter of the joints']", "RShoulderRoll")
    page.press("[aria-label='Filter of the joints']", "Enter")
    joint = Robot.load("nao").index("RShoulderRoll")
    person.wait(
        f"studio.dock.curves.knots.length === 5 && studio.dock.curves.knots.every((knot) => knot.joint === {joint})"
    )
    before = person.get("studio.store.keyframe({ block: 'wave', index: 0 }).joints.RShoulderRoll")
    knot = person.get("studio.dock.curves.knots.find((knot) => knot.place === 1)")
    drag(person, "Curves", (knot["x"], knot["y"]), (0, -20))
    person.wait(f"studio.store.keyframe({{ block: 'wave', index: 0 }}).joints.RShoulderRoll > {before} + 0.05")
    person.settled()
    assert "far out" in person.get("studio.text.text")
    # The same by keys: one degree less.
    person.wait("studio.store.trajectory.revision === studio.store.revision")
    value = person.get(f"studio.store.way().target(1, {joint})")
    page.locator("canvas[aria-label^=Curves]").press("-")
    wanted = f"studio.store.keyframe({{ block: 'wave', index: 0 }}).joints.RShoulderRoll - {value} + Math.PI / 180"
    person.wait(f"Math.abs({wanted}) < 1e-4")
    person.settled()
    person.undo()
    person.undo()
    person.wait(f"studio.text.text === {json.dumps(TEXT)}")


def test_one_joints_key_is_deleted_alone_and_a_group_is_closed(person: StudioUser) -> None:
    page = person.page
    page.fill("[aria-label='Filter of the joints']", "RElbowRoll")
    page.wait_for_timeout(100)
    # Below the head: the group's lane, then the joint's.
    y = person.get("studio.timeline.head + 15 * 1.5")
    x = person.get("studio.timeline.x(studio.store.places()[1].end)")
    canvas = page.locator("canvas[aria-label=Timeline]")
    canvas.click(position={"x": x, "y": y})
    person.wait("studio.store.chosen.length === 1")
    canvas.press("Delete")
    person.wait("studio.store.keyframe({ block: 'wave', index: 0 }).joints.RElbowRoll === undefined")
    assert person.get("studio.store.keyframe({ block: 'wave', index: 0 }).joints.RShoulderRoll") is not None
    person.settled()
    person.undo()
    person.wait(f"studio.text.text === {json.dumps(TEXT)}")
    page.fill("[aria-label='Filter of the joints']", "")
    lanes = person.get("studio.timeline.lanes.length")
    canvas.click(position={"x": 10, "y": person.get("studio.timeline.head + 7")})
    person.wait(f"studio.timeline.lanes.length < {lanes}")


def test_scrubbing_moves_a_line_and_the_picture_is_fine_again_when_it_rests(person: StudioUser) -> None:
    page = person.page
    # What an edit of before is answered with may come late.
    person.settled()
    page.wait_for_timeout(300)
    scrub = """(async () => { const { store, timeline, dock } = studio; let drawn = 0;
    for (const each of [timeline, dock.curves]) {
      const draw = each.drawLayer; each.drawLayer = (...all) => { drawn++; draw.apply(each, all); }; }
    let frames = 0; const coarse = new Set(); const began = performance.now();
    while (performance.now() - began < 1500) {
      store.seek(1.2 * Math.abs(Math.sin(performance.now() / 300)));
      coarse.add(store.scrubbing); await new Promise(requestAnimationFrame); frames++; }
    store.seek(1.0);
    for (const each of [timeline, dock.curves]) delete each.drawLayer;
    return [drawn, frames, coarse.has(true)]; })()"""
    drawn, frames, coarse = person.get(scrub)
    # Nothing under the line is drawn anew, however often it moves.
    assert drawn == 0
    assert frames > 3
    assert coarse
    x = person.get("studio.timeline.x(1.0) - 140")
    lines = "[...document.querySelectorAll('.playhead')].map((line) => new DOMMatrix(line.style.transform).m41)"
    assert person.get(lines) == pytest.approx([x, x, x], abs=0.51)
    # The last picture is of the moment at which it rests, with all its pixels.
    person.wait("!studio.store.scrubbing && !studio.view.dirty")
    assert person.get("studio.view.renderer.getPixelRatio()") == person.get("Math.min(devicePixelRatio, 1.5)")
    shown = person.get("Array.from(studio.view.drawn)")
    assert shown == pytest.approx(person.get("Array.from(studio.store.postureAt(1.0))"), abs=1e-6)


@pytest.mark.slow
def test_runs_are_laid_over_one_another_with_what_happened(person: StudioUser) -> None:
    page = person.page
    page.select_option("[aria-label=Speed]", "4")
    for seed in ("1", "2"):
        page.fill("[aria-label=Seed]", seed)
        page.click(".transport >> text=Physics")
        person.wait(f"studio.store.run?.seed === {seed} && studio.store.run.verdict")
    run = "studio.store.run"
    assert person.get(f"{run}.traces.count") > 150
    # Keyframes as they were played, on the same axis as those that are written.
    played = person.get(
        "studio.marks.playedOf(studio.store.run).map(({ block, keyframe, begin }) => [block, keyframe, begin])"
    )
    assert [each[:2] for each in played] == [["lift", 0], ["wave", 0], ["wave", 1], ["wave", 2], ["wave", 3]]
    assert [each[2] for each in played] == pytest.approx([0.0, 0.6, 0.9, 1.2, 1.45], abs=0.05)
    # What was measured follows what was asked.
    joint = person.get("studio.store.robot.joints.findIndex(({ name }) => name === 'RShoulderPitch')")
    for what in ("asked", "measured"):
        value = person.get(f"(({{ traces }}) => traces.at(traces.row(1.7), traces.column('{what}', {joint})))({run})")
        assert np.degrees(value) == pytest.approx(-60.0, abs=3.0)
    page.click("[data-tab=Run]")
    page.click("text=all runs")
    assert person.get("studio.store.runsBeside().map((run) => run.seed)") == [1]
    # A run that never ends takes no more room than this; what is left still covers all of it.
    endless = """(() => { const traces = new studio.store.run.traces.constructor(26, 2);
    const row = new Float32Array(traces.width);
    for (let tick = 0; tick < 200_000; tick++) { row[0] = tick; traces.add(row, traces.width); }
    return [traces.count * traces.width, traces.time(0), traces.end, traces.time(traces.row(1000))]; })()"""
    size, first, last, found = person.get(endless)
    assert size <= 8_000_000
    assert (first, last) == (0.0, pytest.approx(200_000.0, abs=8.0))
    assert found == pytest.approx(1000.0, abs=8.0)
    # A mark leads to its moment.
    mark = person.get("studio.timeline.shownMarks.at(-1)")
    x = person.get(f"studio.timeline.x({mark['time']})")
    page.locator("canvas[aria-label=Timeline]").click(position={"x": x, "y": 40})
    person.wait(f"Math.abs(studio.store.playhead - {mark['time']}) < 1e-6")
    page.reload()
    person.wait("studio.store.run?.verdict && studio.store.run.traces.count > 150")
    assert person.get("studio.store.source") == "motion"
