"""Drake reads SDF by Gazebo's own library: where its bodies are, and what they weigh, ours are and do."""

from __future__ import annotations

import importlib.util
import logging

import mujoco
import numpy as np
import pytest
from sdf_twins import any_pieces, any_rigid, model_of_sdf, sdf_twin

if importlib.util.find_spec("pydrake") is None:
    pytest.skip("needs the package drake (make robots, or pip install --no-deps drake)", allow_module_level=True)

LINK = (
    "<link name='{0}'>{1}<inertial><pose>{2}</pose><mass>1.5</mass><inertia><ixx>0.02</ixx><iyy>0.025</iyy>"
    "<izz>0.03</izz><ixy>0.001</ixy></inertia></inertial></link>"
)
LIMIT = "<limit><lower>-2</lower><upper>2</upper><effort>5</effort><velocity>4</velocity></limit>"


def link(name: str, pose: str = "", com: str = "0.1 0 0.02 0 0.3 0") -> str:
    return LINK.format(name, pose, com)


def joint(name: str, parent: str, child: str, axis: str = "", pose: str = "", kind: str = "revolute") -> str:
    return (
        f"<joint name='{name}' type='{kind}'>{pose}<parent>{parent}</parent><child>{child}</child>"
        f"{axis and f'<axis>{axis}{LIMIT}</axis>'}</joint>"
    )


LEG = f"""<sdf version="1.9"><model name="leg" canonical_link="shank"><pose>0.1 0.2 0.3 0.4 0.5 0.6</pose>
  <frame name="mount" attached_to="thigh"><pose>0 0.1 0.3 0.2 0 0</pose></frame>
  {link("thigh", "<pose relative_to='grip'>0 0 0.4 0 0.2 0</pose>")}
  {link("shank", "<pose>0.05 0 0.1 0 0 0.7</pose>")}
  <frame name="grip" attached_to="shank"><pose degrees="true">0.1 0 0 30 0 10</pose></frame>
  {joint("knee", "thigh", "shank", "<xyz expressed_in='__model__'>0.2 1 0.1</xyz>", "<pose>0 0 0.1 0.1 0 0</pose>")}
  </model></sdf>"""


def walker(how: str) -> str:
    """A trunk with a leg of another file, put there in some way."""
    return f"""<sdf version="1.9"><model name="walker">{link("trunk", "<pose>0 0 0.5 0.1 0.2 0.3</pose>")}
      <frame name="side" attached_to="trunk"><pose>0.1 0.2 0 0 0 1.5</pose></frame>{how}</model></sdf>"""


def hip(child: str) -> str:
    return joint("hip", "side", child, "<xyz expressed_in='side'>1 0.3 0</xyz>", "<pose>0.02 0 0 0.5 0 0</pose>")


URI = "<uri>model://legs/leg.sdf</uri>"
TEXTS = {
    "include": walker(f"<include>{URI}<name>left</name></include>{hip('left::thigh')}"),
    "include at a frame": walker(
        f"<include>{URI}<pose relative_to='side'>0 0 -0.3 0 0.7 0</pose></include>{hip('leg::mount')}"
    ),
    "placement frame": walker(
        f"<include>{URI}<placement_frame>mount</placement_frame><pose relative_to='side'>0 0.1 0 0.2 0 0</pose>"
        f"</include>{hip('leg::mount')}"
    ),
    "merge": walker(
        f"<include merge='true'>{URI}<pose relative_to='side'>0 0 -0.3 0 0.7 0</pose></include>{hip('mount')}"
    ),
    "merge with placement": walker(
        f"<include merge='true'>{URI}<placement_frame>mount</placement_frame><pose>0 0.3 0 0.2 0 0</pose></include>"
        f"{hip('thigh')}"
    ),
    "nested": walker(
        f"""<model name="outer" placement_frame="inner::tip"><pose relative_to="side">0.3 0 0 0 0.4 0</pose>
        <model name="inner"><pose>0.1 0 0 0.2 0 0</pose>{link("thigh")}
        <frame name="tip" attached_to="thigh"><pose>0 0 0.2 0 1 0</pose></frame></model></model>
        {hip("outer::inner")}"""
    ),
    "universal": walker(
        link("foot", "<pose>0.4 0.1 0 0 0.3 0</pose>")
        + f"""<joint name="ankle" type="universal"><pose>0.1 0 0 0.4 0 0</pose><parent>trunk</parent>
        <child>foot</child><axis><xyz>1 0 0</xyz>{LIMIT}</axis><axis2><xyz>0 1 0</xyz>{LIMIT}</axis2></joint>"""
    ),
    "1.6": f"""<sdf version="1.6"><model name="old">{link("trunk", "<pose>0 0 0.5 0.1 0.2 0.3</pose>")}
      {link("thigh", "<pose>0.3 0 0.4 0 0.6 0</pose>")}{link("shank", "<pose>0.3 0.2 0.1 0.4 0.6 0</pose>")}
      {joint("hip", "trunk", "thigh", "<xyz>1 0 0.5</xyz><use_parent_model_frame>1</use_parent_model_frame>")}
      {joint("knee", "thigh", "shank", "<xyz>1 0 0.5</xyz>", "<pose>0 0.1 0 0.2 0 0</pose>")}</model></sdf>""",
    "1.4": f"""<sdf version="1.4"><model name="old">{link("trunk", "<pose>0 0 0.5 0.1 0.2 0.3</pose>")}
      {link("thigh", "<pose>0.3 0 0.4 0 0.6 0</pose>")}
      {joint("hip", "trunk", "thigh", "<xyz>1 0 0.5</xyz>", "<pose>0 0.1 0 0.2 0 0</pose>")}</model></sdf>""",
} | {f"twin {seed}": sdf_twin(any_pieces(seed), seed) for seed in (3, 4)}


@pytest.mark.parametrize("name", TEXTS)
def test_bodies_are_where_drake_has_them(tmp_path, name):
    from pydrake.math import RigidTransform
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant

    logging.getLogger("drake").setLevel(logging.ERROR)
    folder = tmp_path / "legs"
    folder.mkdir()
    (folder / "leg.sdf").write_text(LEG)
    path = folder / "one.sdf"
    path.write_text(TEXTS[name])
    plant = MultibodyPlant(0.0)
    parser = Parser(plant)
    parser.package_map().Add("legs", str(folder))
    parser.AddModels(str(path))
    plant.Finalize()
    model = model_of_sdf(TEXTS[name], path)
    data, context = mujoco.MjData(model), plant.CreateDefaultContext()
    rng = np.random.default_rng(5)
    start = any_rigid(rng)
    base = plant.get_body(next(iter(plant.GetFloatingBaseBodies())))
    own = plant.GetFreeBodyPose(context, base).GetAsMatrix4()
    plant.SetFreeBodyPose(context, base, RigidTransform(start @ own))
    # Our base has the axes of the model, not those of its link.
    data.qpos[:3] = (start @ own)[:3, 3]
    mujoco.mju_mat2Quat(data.qpos[3:7], start[:3, :3].ravel())
    positions = plant.GetPositions(context)
    for number in plant.GetJointIndices():
        each = plant.get_joint(number)
        angles = rng.uniform(-1.0, 1.0, each.num_positions())
        names = [each.name()] if len(angles) == 1 else [f"{each.name()}_axis1", f"{each.name()}_axis2"]
        if each.num_positions() in (1, 2):
            positions[each.position_start() :][: len(angles)] = angles
            for joint_name, angle in zip(names, angles, strict=True):
                known = [model.joint(k).name for k in range(model.njnt)]
                full = next(one for one in known if one == joint_name or one.endswith(f"::{joint_name}"))
                data.joint(full).qpos[0] = angle
    plant.SetPositions(context, positions)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    seen = 0
    for number in range(1, model.nbody):
        full = model.body(number).name
        if full.endswith("_between"):
            continue
        body = next(
            plant.get_body(index)
            for instance in range(plant.num_model_instances())
            for index in plant.GetBodyIndices(_instance(instance))
            if scoped(plant, index) == full
        )
        place = body.EvalPoseInWorld(context)
        spatial = body.CalcSpatialInertiaInBodyFrame(context)
        com = place @ spatial.get_com()
        assert data.xipos[number] == pytest.approx(com, abs=1e-9), full
        turn = place.rotation().matrix()
        inertia = turn @ spatial.Shift(spatial.get_com()).CalcRotationalInertia().CopyToFullMatrix3() @ turn.T
        axes = data.ximat[number].reshape(3, 3)
        assert axes @ np.diag(model.body_inertia[number]) @ axes.T == pytest.approx(inertia, abs=1e-9), full
        assert model.body_mass[number] == pytest.approx(body.get_mass(context), abs=1e-12)
        seen += 1
    assert seen == plant.num_bodies() - 1


def _instance(number: int):
    from pydrake.multibody.tree import ModelInstanceIndex

    return ModelInstanceIndex(number)


def scoped(plant, index) -> str:
    """The name of a body as the outermost model calls it."""
    body = plant.get_body(index)
    inside = plant.GetModelInstanceName(body.model_instance()).partition("::")[2]
    return f"{inside}::{body.name()}" if inside else body.name()
