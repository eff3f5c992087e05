"""Walking in the page: by keys, sliders and a click on the ground; what is planned is seen, and kept in lanes."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from page_users import VIEWPORT, PageUser
from served import Served

from andante.runs.logs.log import Log
from andante.runs.logs.replay import replay_log

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def opened(chromium: object, studio: Served) -> Iterator[Callable[[str], PageUser]]:
    """The terrain page with a robot on the floor; closed at the test's end, or its walk would go on beside the next."""
    users: list[PageUser] = []

    def terrain_page(robot: str) -> PageUser:
        user = PageUser(chromium.new_page(viewport=VIEWPORT), 300.0)
        users.append(user)
        user.page.goto(f"http://127.0.0.1:{studio.port}/terrain.html?token={studio.token}")
        user.wait("terrain.state.board && !terrain.state.busy")
        user.page.select_option("[aria-label=Board]", "floor")
        user.page.select_option("[aria-label=Robot]", robot)
        user.wait(
            f"terrain.live.robot?.name === '{robot}' && terrain.state.board.name === 'floor' && !terrain.state.busy"
        )
        return user

    yield terrain_page
    for user in users:
        user.page.close()


def wait_standing(user: PageUser) -> None:
    """The view follows the robot: where a place lies on the page holds only once it stands."""
    before, here = (math.inf, math.inf), user.get(PLACE)
    while math.dist(before, here) > 0.002:
        user.wait(f"terrain.state.time > {user.get('terrain.state.time')} + 0.5")
        before, here = here, user.get(PLACE)


def click_ground(user: PageUser, x: float, y: float) -> None:
    user.page.click(".views >> text=Top")
    place = user.get(f"terrain.view.onPage({x}, {y}, 0)")
    user.page.locator(".scene canvas").click(position={"x": place[0], "y": place[1]})


def logs(studio: Served) -> Iterator[Path]:
    return (studio.folder / "runs" / "studio").glob("terrain-*/log.mcap")


PLACE = "(({ x, y }) => [x, y])(terrain.view.robot.bodies[terrain.view.robot.robot.base].position)"


def test_a_quadruped_walks_by_keys_and_slider_and_goes_where_the_ground_is_clicked(
    studio: Served, opened: Callable[[str], PageUser]
) -> None:
    user = opened("spirit40")
    user.page.select_option("[aria-label='Way of walking']", "quadruped")
    user.page.click("button.walk")
    user.wait("terrain.state.steered && terrain.view.ahead.last?.forces")
    user.page.keyboard.down("w")
    user.wait("terrain.view.ahead.last.footholds?.length")
    # What is told to the eye: a force on each foot that together carry the robot, rings, the way of the body.
    user.wait("document.querySelector('.legend.ahead')?.textContent.includes('rings')")
    words = user.get("document.querySelector('.legend.ahead').textContent")
    assert "force on each foot" in words
    assert "way of the body ahead" in words
    user.wait(f"{PLACE}[0] > 0.2")
    user.page.keyboard.up("w")
    # Fewer metres per second by the slider, as its number says.
    slider = user.page.locator("[aria-label='Turn [rad/s]']")
    slider.fill(str(user.get("document.querySelector('[aria-label=\"Turn [rad/s]\"]').max * 0.5")))
    user.wait("/\\+[12]\\.[0-9]+ rad/.test(terrain.state.asked)")
    assert "+1." in user.get("document.querySelectorAll('.twist output')[2].value")
    user.page.click(".stand")
    wait_standing(user)
    goal = [value + step for value, step in zip(user.get(PLACE), (0.5, 0.3), strict=True)]
    click_ground(user, *goal)
    user.wait("terrain.state.goal")
    clicked = user.get("terrain.state.goal")
    assert math.dist(clicked, goal) < 0.1
    user.wait("terrain.state.arrived")
    assert math.dist(user.get(PLACE), clicked) < 0.2
    user.page.keyboard.press("q")
    user.wait("terrain.state.verdict")
    assert user.get("terrain.state.verdict.verdict") == "pass", user.get("terrain.state.verdict.reasons")
    folder = Path(user.get("terrain.state.verdict.folder"))
    assert replay_log(folder).identical
    # Kept, and opened again in the lanes: the same rows as while it walked.
    live = user.get("terrain.lanes.count")
    user.page.fill("[aria-label='Name of the walk']", "to the goal")
    user.page.click(".saved-walks >> text=Save")
    user.wait("document.querySelector(\"[aria-label='Saved walk']\").value === 'to the goal'")
    user.page.click(".saved-walks >> text=Open")
    user.wait("document.querySelector('.walk-dock').offsetParent && terrain.lanes.count > 0")
    assert user.get("terrain.lanes.count") == live
    assert (studio.folder / "walks" / "to the goal" / "log.mcap").is_file()
    user.get("terrain.lanes.seek(1e9)")
    assert math.dist(user.get(PLACE), clicked) < 0.2
    user.done()


def test_a_humanoid_walks_by_its_policy(opened: Callable[[str], PageUser]) -> None:
    user = opened("nao")
    assert user.get(
        "[...document.querySelector(\"[aria-label='Way of walking']\").options].map(({ value }) => value)"
    ) == [
        "policy:nao-walk",
        "policy:nao-walk-learned",
    ]
    user.page.click("button.walk")
    user.wait("terrain.state.steered && terrain.view.ahead.last?.forces")
    assert user.get("terrain.view.ahead.last.footholds") is None
    assert "nothing is planned ahead" in user.get("document.querySelector('.legend.ahead').textContent")
    user.page.keyboard.down("w")
    user.wait(f"{PLACE}[0] > 0.05")
    user.page.keyboard.up("w")
    user.page.keyboard.press("q")
    user.wait("terrain.state.verdict")
    assert user.get("terrain.state.verdict.verdict") == "pass", user.get("terrain.state.verdict.reasons")
    user.done()


def test_a_page_that_is_closed_ends_its_walk(studio: Served, opened: Callable[[str], PageUser]) -> None:
    user = opened("littledog")
    before = set(logs(studio))
    user.page.select_option("[aria-label='Way of walking']", "trot")
    user.page.click("button.walk")
    user.wait("terrain.state.steered")
    user.page.keyboard.down("w")
    user.wait("terrain.view.ahead.last?.footholds")
    (log,) = set(logs(studio)) - before
    user.done()
    end = time.monotonic() + 60.0
    size = -1
    while log.stat().st_size != size:
        assert time.monotonic() < end, "the walk goes on without a page"
        size = log.stat().st_size
        time.sleep(2.0)
    # Its log is whole.
    assert Log.open(log).rows("truth").rows.shape[0] > 10
