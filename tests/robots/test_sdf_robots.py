"""Robots in SDF: what comes over, what is told, and what is refused."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from bare_files import load, refusal
from quadrupeds import LEGS, stl_box

from andante.robots.loader import is_robot
from andante.robots.robot import Robot
from andante.runs.reports.shown import look_up
from andante.runs.tasks.walk.walker import is_bare

LIMIT = "<limit><lower>-1.5</lower><upper>1.25</upper><effort>20</effort><velocity>30</velocity></limit>"
BALL = """<collision name="c"><pose>0 0 -0.2 0 0 0</pose>
  <geometry><sphere><radius>0.02</radius></sphere></geometry></collision>"""


def link(name: str, mass: float, pose: str, more: str = "") -> str:
    return f"""<link name="{name}"><pose>{pose}</pose><inertial><mass>{mass}</mass><inertia><ixx>0.002</ixx>
      <iyy>0.002</iyy><izz>0.002</izz></inertia></inertial>{more}</link>"""


def joint(name: str, parent: str, child: str, axis: str = "0 1 0", kind: str = "revolute", limit: str = LIMIT) -> str:
    told = f"<axis><xyz>{axis}</xyz>{limit}</axis>" if axis else ""
    return f"<joint name='{name}' type='{kind}'><parent>{parent}</parent><child>{child}</child>{told}</joint>"


def parts(trunk: str = "") -> str:
    text = link("trunk", 6.0, "0 0 0.42 0 0 0", trunk)
    for leg, (x, y) in LEGS.items():
        side = y + (0.05 if y > 0 else -0.05)
        text += link(f"{leg}_hip", 0.5, f"{x} {y} 0.42 0 0 0") + link(f"{leg}_thigh", 0.6, f"{x} {side} 0.42 0 0 0")
        text += link(f"{leg}_calf", 0.2, f"{x} {side} 0.22 0 0 0", BALL)
        text += joint(f"{leg}_HAA", "trunk", f"{leg}_hip", f"{1 if y > 0 else -1} 0 0")
        text += joint(f"{leg}_HFE", f"{leg}_hip", f"{leg}_thigh") + joint(f"{leg}_KFE", f"{leg}_thigh", f"{leg}_calf")
    return text


def sdf(more: str = "", trunk: str = "", version: str = "1.9") -> str:
    return f'<?xml version="1.0"?><sdf version="{version}"><model name="quad">{parts(trunk)}{more}</model></sdf>'


def head(more: str = "", axis: str = "0 0 1", kind: str = "revolute", limit: str = LIMIT) -> str:
    """A link with a joint on the trunk."""
    return link("head", 0.3, "0.3 0 0.5 0 0 0", more) + joint("neck", "trunk", "head", axis, kind, limit)


def test_a_quadruped_is_a_robot(tmp_path):
    robot = load(tmp_path, sdf(), "quad.sdf")
    assert robot.name == "quad"
    assert len(robot.joints) == 12
    assert [foot.body for foot in robot.feet] == ["FL_calf", "FR_calf", "RL_calf", "RR_calf"]
    assert float(robot.model.body_mass.sum()) == pytest.approx(11.2)
    assert robot.lower[0] == pytest.approx(-1.5)
    assert robot.upper[0] == pytest.approx(1.25)
    assert (robot.max_effort[0], robot.max_velocity[0]) == (20.0, 30.0)
    assert "stand" in robot.postures
    assert is_bare(robot)
    # SDF leaves a base free, so nothing was assumed of it.
    assert "base" not in robot.sources
    assert robot.sources["sdf"].startswith("SDF 1.9, read as URDF; ")


@pytest.mark.parametrize("how", [joint("held", "world", "trunk", "", "fixed"), "<static>true</static>"])
def test_what_holds_it_in_the_world_is_told(tmp_path, how):
    robot = load(tmp_path, sdf(how), "quad.sdf")
    assert robot.sources["base"] == "assumption: body 'trunk' was welded to the world and is free here"
    assert len(robot.joints) == 12


def test_a_folder_of_gazebo_is_its_newest_model(tmp_path):
    (tmp_path / "old.sdf").write_text("<sdf version='1.2'/>")
    (tmp_path / "new.sdf").write_text(sdf())
    manifest = tmp_path / "model.config"
    named = "<sdf version='1.4'>old.sdf</sdf><sdf version='1.10'>new.sdf</sdf><sdf version='1.9'>old.sdf</sdf>"
    manifest.write_text(f"<?xml version='1.0'?><model><name>Quad</name>{named}</model>")
    assert is_robot(tmp_path)
    for path in (tmp_path, manifest):
        assert Robot.load(path).path == tmp_path / "new.sdf"
    assert [each.kind for each in look_up(str(tmp_path))] == ["robot"]


def test_a_manifest_that_names_nothing_is_refused(tmp_path):
    (tmp_path / "model.config").write_text("<model><sdf version='1.9'>lost.sdf</sdf></model>")
    assert refusal_of(tmp_path) == "model.config: the manifest names no SDF that is there"


def refusal_of(path) -> str:
    from andante.robots.parts import RobotError

    with pytest.raises(RobotError) as caught:
        Robot.load(path)
    return str(caught.value).replace(f"{path}/", "")


@pytest.mark.parametrize("variable", ["GZ_SIM_RESOURCE_PATH", "GAZEBO_MODEL_PATH", ""])
def test_included_models_and_meshes_are_found(tmp_path, monkeypatch, variable):
    """Beside the model's folder, or in a folder that the environment names."""
    models = tmp_path / "models" if variable else tmp_path / "mine"
    folder = models / "camera"
    (folder / "meshes").mkdir(parents=True)
    (folder / "meshes" / "box.stl").write_bytes(stl_box())
    mesh = "<collision name='c'><geometry><mesh><uri>model://camera/meshes/box.stl</uri></mesh></geometry></collision>"
    (folder / "model.sdf").write_text(
        f"<sdf version='1.7'><model name='eye'>{link('lens', 0.4, '0 0 0 0 0 0', mesh)}</model></sdf>"
    )
    if variable:
        monkeypatch.setenv(variable, f"/nowhere:{models}")
    include = "<include><uri>model://camera</uri><pose>0.2 0 0.5 0 0 0</pose></include>"
    here = tmp_path / "mine" / "quad"
    here.mkdir(parents=True)
    robot = load(here, sdf(include + joint("screws", "trunk", "eye::lens", "", "fixed")), "quad.sdf")
    assert robot.model.body("eye::lens").mass == pytest.approx(0.4)
    assert robot.model.nmesh == 1


def test_springs_are_kept(tmp_path):
    spring = """<dynamics><damping>0.5</damping><spring_stiffness>7</spring_stiffness>
      <spring_reference>0.2</spring_reference></dynamics>"""
    robot = load(tmp_path, sdf(head(limit=LIMIT + spring)), "quad.sdf")
    number = robot.model.joint("neck").id
    assert robot.model.jnt_stiffness[number] == pytest.approx(7.0)
    assert robot.model.qpos_spring[robot.model.jnt_qposadr[number]] == pytest.approx(0.2)
    assert "springs of 1 joints" in robot.sources["springs"]


def test_a_joint_with_one_angle_is_fixed_there(tmp_path):
    limit = "<limit><lower>0.5</lower><upper>0.5</upper></limit>"
    shape = "<collision name='c'><geometry><box><size>0.1 0.02 0.02</size></box></geometry></collision>"
    robot = load(tmp_path, sdf(head(shape, limit=limit)), "quad.sdf")
    assert "neck" not in robot.joint_names
    assert "fixed where the limits leave it, joint neck" in robot.sources["sdf"]
    turned = robot.model.body("head").quat
    assert turned == pytest.approx([np.cos(0.25), 0, 0, np.sin(0.25)], abs=1e-5)


@pytest.mark.parametrize(
    ("limit", "lower", "upper"),
    [("<lower>0.25</lower>", 0.25, np.pi), ("<lower>-1e16</lower><upper>-0.5</upper>", -np.pi, -0.5)],
)
def test_a_limit_at_one_end_has_half_a_turn_at_the_other(tmp_path, limit, lower, upper):
    robot = load(tmp_path, sdf(head(limit=f"<limit>{limit}</limit>")), "quad.sdf")
    neck = robot.index("neck")
    assert (robot.lower[neck], robot.upper[neck]) == pytest.approx((lower, upper), abs=1e-5)
    assert "assumption: 180 degrees at the end where a limit is missing, joint neck" in robot.sources["sdf"]


def test_a_universal_joint_is_two_and_a_joint_follows_its_second(tmp_path):
    two = joint("neck", "trunk", "head", "1 0 0", "universal").replace(
        "</joint>", f"<axis2><xyz>0 1 0</xyz>{LIMIT}</axis2></joint>"
    )
    follows = """<mimic joint="neck" axis="axis2"><multiplier>2</multiplier><offset>0.3</offset>
      <reference>0.1</reference></mimic>"""
    more = link("head", 0.3, "0.3 0 0.5 0 0 0") + two + link("ear", 0.1, "0.3 0.1 0.5 0 0 0")
    more += joint("wag", "head", "ear", limit=LIMIT + follows)
    robot = load(tmp_path, sdf(more, version="1.11"), "quad.sdf")
    assert robot.joint_names[-3:] == ("neck_axis1", "neck_axis2", "wag")
    assert "wag (2 x neck_axis2 +0.1)" in robot.sources["mimic joints"]


def test_limits_below_zero_are_none(tmp_path):
    limit = "<limit><lower>-1</lower><upper>1</upper><effort>-1</effort><velocity>-1</velocity></limit>"
    robot = load(tmp_path, sdf(head(limit=limit)), "quad.sdf")
    number = robot.index("neck")
    assert robot.max_effort[number] > 0.0
    assert robot.max_velocity[number] > 0.0


def test_ellipsoids_and_cones_collide_as_meshes(tmp_path):
    shapes = """<collision name="a"><pose>0 0 1 0 0 0</pose>
      <geometry><ellipsoid><radii>0.1 0.2 0.3</radii></ellipsoid></geometry></collision>
      <collision name="b"><pose>0 0 -1 0 0 0</pose>
      <geometry><cone><radius>0.1</radius><length>0.4</length></cone></geometry></collision>"""
    robot = load(tmp_path, sdf(head(shapes)), "quad.sdf")
    found = {}
    for number in range(robot.model.ngeom):
        if robot.model.geom_type[number] == mujoco.mjtGeom.mjGEOM_MESH:
            mesh = int(robot.model.geom_dataid[number])
            first, count = int(robot.model.mesh_vertadr[mesh]), int(robot.model.mesh_vertnum[mesh])
            turn = np.zeros(9)
            mujoco.mju_quat2Mat(turn, robot.model.geom_quat[number])
            corners = robot.model.mesh_vert[first : first + count] @ turn.reshape(3, 3).T + robot.model.geom_pos[number]
            found[bool(corners[:, 2].mean() > 0.0)] = corners
    high, low = found[True], found[False]
    assert np.ptp(high, axis=0) == pytest.approx([0.2, 0.4, 0.6], rel=0.02)
    assert high.mean(axis=0)[2] == pytest.approx(1.0, abs=0.01)
    assert low[:, 2].max() == pytest.approx(-0.8, abs=1e-5)
    assert low[np.argmax(low[:, 2]), :2] == pytest.approx([0.0, 0.0], abs=1e-5)
    assert "with flat faces, 24 around: ellipsoid cone" in robot.sources["sdf"]


def test_shapes_stay_where_they_are_although_a_link_s_frame_goes_to_its_joint(tmp_path):
    shapes = """<collision name="a"><pose relative_to="tip">0 0 0.1 0 0 0</pose>
      <geometry><capsule><radius>0.01</radius><length>0.06</length></capsule></geometry></collision>
      <collision name="b"><pose>0.1 0 0 0 0 0</pose>
      <geometry><cylinder><radius>0.03</radius><length>0.06</length></cylinder></geometry></collision>"""
    tip = "<frame name='tip' attached_to='head'><pose relative_to='trunk'>0.5 0 0 0 1.5707963267948966 0</pose></frame>"
    turned = head(shapes).replace("0.3 0 0.5 0 0 0", "0.3 0 0.5 0 0 1.5707963267948966")
    robot = load(tmp_path, sdf(tip + turned.replace("<parent>", "<pose>0 0 -0.05 0.3 0 0</pose><parent>")), "quad.sdf")
    model, data = robot.model, mujoco.MjData(robot.model)
    mujoco.mj_kinematics(model, data)
    away = data.body("trunk").xpos - (0.0, 0.0, 0.42)
    found = {
        float(model.geom_size[k][0]): (data.geom_xpos[k] - away, data.geom_xmat[k][2::3]) for k in range(model.ngeom)
    }
    assert found[0.01][0] == pytest.approx([0.6, 0.0, 0.42], abs=1e-5)
    assert abs(found[0.01][1] @ [1.0, 0.0, 0.0]) == pytest.approx(1.0)
    assert found[0.03][0] == pytest.approx([0.3, 0.1, 0.5], abs=1e-5)
    assert abs(found[0.03][1] @ [0.0, 0.0, 1.0]) == pytest.approx(1.0)
    assert data.body("head").xpos - away == pytest.approx([0.3, 0.0, 0.45], abs=1e-5)


@pytest.mark.parametrize(
    ("kind", "points"), [("ball", [(0.2, 0.0, 0.4)]), ("revolute", [(0.2, 0.0, 0.4), (0.2, 0.1, 0.4)])]
)
def test_joints_that_close_chains_are_ties(tmp_path, kind, points):
    """A rod between two calves, which are children of other joints; a hinge is held at two points of its axis."""
    closing = joint("b", "FR_calf", "rod", kind=kind).replace("<parent>", "<pose>0 0 0.1 0 0 0</pose><parent>")
    more = link("rod", 0.1, "0.2 0 0.3 0 0 0") + closing + joint("a", "FL_calf", "rod")
    robot = load(tmp_path, sdf(more), "quad.sdf")
    # The first joint of a file holds the link, but where it is a ball.
    tied = ("FL_calf", "a") if kind == "revolute" else ("FR_calf", "b")
    assert f"closing a chain, so a tie without limits and friction, joint {tied[1]}" in robot.sources["sdf"]
    assert robot.sources["ties"].startswith("kept, as the file has them")
    model, data = robot.model, mujoco.MjData(robot.model)
    mujoco.mj_kinematics(model, data)
    if kind == "revolute":
        points = [np.array(each) - (0.0, 0.0, 0.1) for each in points]
    assert model.neq == len(points)
    trunk = data.body("trunk").xpos - (0.0, 0.0, 0.42)
    for number, point in enumerate(points):
        first, second = (model.body(int(each[number])).name for each in (model.eq_obj1id, model.eq_obj2id))
        assert (first, second) == (tied[0], "rod")
        assert data.body(first).xpos + model.eq_data[number, :3] - trunk == pytest.approx(point, abs=1e-5)


def test_what_is_left_out_is_told(tmp_path):
    sensor = "<sensor name='imu' type='imu'/><gravity>true</gravity><visual name='skin'/>"
    ground = "<collision name='g'><geometry><plane/></geometry><surface/></collision>"
    more = "<plugin name='control' filename='a.so'/><static>false</static>"
    told = load(tmp_path, sdf(more, sensor + ground), "quad.sdf").sources["sdf"]
    assert told == (
        "SDF 1.9, read as URDF; left out: plugin control, sensor imu, visual skin, surface, collision shape plane;"
        " its parts collide with each other, in SDF only with self_collide"
    )


def test_a_link_without_an_inertial_has_sdf_s_own(tmp_path):
    bare = "<link name='head'><pose>0.3 0 0.5 0 0 0</pose></link>" + joint("neck", "trunk", "head")
    robot = load(tmp_path, sdf(bare), "quad.sdf")
    assert robot.model.body("head").mass == pytest.approx(1.0)
    assert robot.model.body("head").inertia == pytest.approx([1.0, 1.0, 1.0])
    assert "so SDF's own 1 kg and 1 kg m^2: head" in robot.sources["sdf"]


def test_a_world_has_its_robot_and_tells_what_else_is_in_it(tmp_path):
    ground = "<model name='floor'><static>1</static><link name='a'/></model>"
    text = sdf().replace("<model", f"<world name='w'>{ground}<model", 1).replace("</sdf>", "</world></sdf>")
    assert "left out beside the model: model floor" in load(tmp_path, text, "quad.world").sources["sdf"]


SCENERY = "".join(
    f"<include><uri>{uri}</uri></include>"
    for uri in ("model://sun", "https://fuel.gazebosim.org/1.0/OpenRobotics/models/Ground Plane")
)


def in_world(more: str) -> str:
    return f"<sdf version='1.6'><world name='w'><light name='lamp'/>{SCENERY}{more}</world></sdf>"


@pytest.mark.parametrize(
    ("more", "name", "held"),
    [
        ("<include><uri>model://quad</uri><pose>1 2 3 0 0 0</pose></include>", "quad", False),
        ("<include><uri>model://quad</uri><name>rex</name><static>true</static></include>", "rex", True),
        ("<model name='m'><include merge='true'><uri>model://quad</uri></include></model>", "m", False),
        ("<include><uri>model://box</uri></include><include><uri>model://quad</uri></include>", "quad", False),
    ],
)
def test_a_world_that_includes_its_robot_is_that_robot(tmp_path, more, name, held):
    for folder, text in (
        ("quad", sdf()),
        ("box", f"<sdf version='1.9'><model name='box'>{link('a', 1.0, '0 0 0 0 0 0')}</model></sdf>"),
    ):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "model.sdf").write_text(text)
    robot, alone = load(tmp_path, in_world(more), "quad.world"), Robot.load(tmp_path / "quad" / "model.sdf")
    assert robot.name == name
    assert robot.joint_names == alone.joint_names
    assert ("base" in robot.sources) is held
    assert float(robot.model.body_mass.sum()) == pytest.approx(11.2)
    told = robot.sources["sdf"]
    assert "left out beside the model: light lamp, include" in told
    assert ("the model that quad.world includes, of quad/model.sdf" in told) is (name != "m")


def test_a_world_of_which_a_model_is_not_found_is_not_guessed(tmp_path):
    for folder in ("quad", "dog"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "model.sdf").write_text(sdf().replace('"quad"', f'"{folder}"'))
    quad = "<include><uri>model://quad</uri></include>"
    told = refusal(tmp_path, in_world(quad + "<include><uri>model://spot</uri></include>"), "quad.world")
    assert "the robot cannot be told; got ['quad']" in told
    assert "name the file of the robot's own model: model://spot; model:// is looked up in the folders above" in told
    told = refusal(tmp_path, in_world(quad + "<include><uri>model://dog</uri></include>"), "quad.world")
    assert "the robot cannot be told; got ['quad', 'dog']; limit: one <model>; in a <world> one" in told


def test_an_old_file_may_name_a_joint_as_a_link(tmp_path):
    more = link("head", 0.3, "0.3 0 0.5 0 0 0")
    assert (
        "head_joint" in load(tmp_path, sdf(joint("head", "trunk", "head") + more, version="1.6"), "a.sdf").joint_names
    )
    assert "have one name" in refusal(tmp_path, sdf(joint("head", "trunk", "head") + more), "b.sdf")


NEST = f"<model name='{'a' * 100}'>"


def refused(text: str) -> str:
    return f"quad.sdf: model 'quad': {text}"


LOOP = link("rod", 0.1, "0.2 0 0.3 0 0 0") + joint("a", "FL_calf", "rod") + joint("b", "FR_calf", "rod", kind="{}")
ROUND = (
    "<frame name='a' attached_to='trunk'><pose relative_to='b'/></frame><frame name='b'><pose relative_to='a'/></frame>"
)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (
            LOOP.format("prismatic"),
            "joint 'b': a joint of this kind closes a chain; got 'prismatic of rod'; legal: ball,",
        ),
        (LOOP.format("gearbox"), "joint 'b': <gearbox_reference_body> is missing"),
        (head(kind="wheel"), "joint 'neck': this kind of joint is not read; got 'wheel'; legal: revolute, continuous,"),
        (head(axis="0 0 0"), "joint 'neck': axis: xyz: the axis has no length; got '0 0 0'"),
        (head(limit="<limit><upper>-4</upper></limit>"), "joint 'neck': axis: limit: a joint has limits at both ends"),
        (
            head(limit="<limit><lower>0</lower></limit>", kind="prismatic"),
            "joint 'neck': axis: limit: a joint has limits at both ends",
        ),
        (joint("neck", "trunk", "tail"), "joint 'neck': there is no such link, joint, frame or model; got 'tail'"),
        (joint("neck", "trunk", "trunk"), "joint 'neck': the joint joins a link with itself; got 'trunk'"),
        (ROUND, "frame 'a': frames hang on each other in a circle; got 'a'"),
        (
            "<frame name='a' attached_to='a'/>" + joint("n", "trunk", "a"),
            "frame 'a': frames hang on each other in a circle",
        ),
        (
            link("tail", -1.0, "0 0 0 0 0 0") + joint("n", "trunk", "tail"),
            "link 'tail': inertial: mass: is not above 0; got -1",
        ),
        (
            link("tail", 1.0, "0 nan 0 0 0 0"),
            "link 'tail': pose: is out of range; got '0 nan 0 0 0 0'; limit: 6 finite",
        ),
        (link("tail", 1.0, "0 0 0"), "link 'tail': pose: is out of range; got '0 0 0'; limit: 6 finite numbers"),
        ("<link name='__tail__'/>", "a <link> needs a name of its own; got '__tail__'"),
        ("<include><uri>model://lost</uri></include>", "include 'model://lost': the included model cannot be found"),
        ("<include><uri>quad.sdf</uri></include>", "include 'quad.sdf': the model includes itself"),
        (
            "<link name='tail'><inertial auto='true'/></link>" + joint("n", "trunk", "tail"),
            "link 'tail': inertial: inertials from densities",
        ),
    ],
)
def test_what_is_wrong_is_told_with_its_place(tmp_path, more, message):
    assert refusal(tmp_path, sdf(more), "quad.sdf").startswith(refused(message))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "<sdf version='1.2'/>",
            "sdf: version: this version of SDF is not read; got '1.2'; limit: 1.4 to 1.12; let Gazebo",
        ),
        ("<sdf version='1.9'/>", "the robot cannot be told; got []; limit: one <model>"),
        ("<sdf version='1.9'><model name='a'/><model name='b'/></sdf>", "the robot cannot be told; got ['a', 'b']"),
        ("<sdf version='1.9'><model name='a'/></sdf>", "the model has no links; got 'a'"),
        (
            "<sdf version='1.9'><world name='w'><include><uri>model://spot</uri></include></world></sdf>",
            "the robot cannot be told; got []; limit: one <model>; in a <world> one that has joints; name the file of"
            " the robot's own model: model://spot",
        ),
        (
            f"<sdf version='1.9'><model name='a'>{'<link/>' * 5000}</model></sdf>",
            "quad.sdf:1:14036: there are too many <link>",
        ),
        (f"<sdf version='1.9'><model name='a'>{'<x/>' * 20000}</model></sdf>", "<x> asks for too many elements"),
        (
            "<sdf version='1.9'>" + NEST * 390 + "<link name='a'/>" + "</model>" * 390 + "</sdf>",
            "are nested too deeply",
        ),
        (f"<sdf version='1.9'><model name='{'a' * 1000}'/></sdf>", "a <model> needs a name of its own"),
        ("<!DOCTYPE a><sdf version='1.9'/>", "document type declarations are refused"),
    ],
)
def test_files_that_are_no_robot_are_refused(tmp_path, text, message):
    assert message in refusal(tmp_path, text, "quad.sdf")


def test_models_that_include_each_other_are_refused(tmp_path):
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "model.sdf").write_text(
        "<sdf version='1.9'><model name='b'><include><uri>../quad.sdf</uri></include></model></sdf>"
    )
    told = refusal(tmp_path, sdf("<include><uri>b</uri></include>"), "quad.sdf")
    assert "include '../quad.sdf': the model includes itself" in told


def test_an_include_that_doubles_is_ended(tmp_path):
    for number in range(12):
        two = "".join(f"<include><uri>m{number + 1}.sdf</uri><name>{side}</name></include>" for side in "ab")
        (tmp_path / f"m{number}.sdf").write_text(f"<sdf version='1.9'><model name='m'>{two}</model></sdf>")
    (tmp_path / "m12.sdf").write_text(
        f"<sdf version='1.9'><model name='m'>{link('a', 1.0, '0 0 0 0 0 0')}</model></sdf>"
    )
    told = refusal_of(tmp_path / "m0.sdf")
    assert "too many files are included" in told
