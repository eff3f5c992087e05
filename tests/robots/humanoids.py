"""A humanoid as MJCF, written here: a waist between the base and both legs, as the Booster T1 has it."""

from __future__ import annotations

SIDES = {"Left": 1.0, "Right": -1.0}
LEG = 0.6
"""From the hip's pitch axis to the sole [m]."""


def mjcf_humanoid(*, foot: str = "box", waist: bool = True, one_leg: bool = False, hands: bool = False) -> str:
    """23 hinges in radians: head 2, arms 4 each, waist 1 (or none), legs 6 each.

    Args:
        foot: Shape of the feet: ``box`` (20 x 10 cm), ``spheres`` in its corners, or ``ball``.
        waist: Whether the legs hang on a waist.
        one_leg: Leave the right leg out.
        hands: Three fingers of two joints on each hand.
    """
    legs = "".join(_leg(side, sign, foot) for side, sign in SIDES.items() if not (one_leg and sign < 0.0))
    if waist:
        legs = f"""<body name="Waist" pos="0 0 -.1"><joint name="Waist" axis="0 0 1" range="-1 1"/>
          <inertial pos="0 0 0" mass="2" diaginertia=".01 .01 .01"/>{legs}</body>"""
    arms = "".join(_arm(side, sign, hands) for side, sign in SIDES.items())
    head = """<body name="neck" pos="0 0 .2"><joint name="Head_yaw" axis="0 0 1" range="-1 1"/>
      <inertial pos="0 0 0" mass=".2" diaginertia="1e-3 1e-3 1e-3"/>
      <body name="head" pos="0 0 .05"><joint name="Head_pitch" axis="0 1 0" range="-.3 .8"/>
        <inertial pos="0 0 .05" mass=".8" diaginertia="2e-3 2e-3 2e-3"/><geom type="sphere" size=".06" pos="0 0 .05"/>
      </body></body>"""
    motors = "".join(
        f'<motor joint="{side}_{name}" ctrlrange="-{effort} {effort}"/>'
        for side, sign in SIDES.items()
        if not (one_leg and sign < 0.0)
        for name, effort in (
            *(("Hip_Pitch", 45), ("Hip_Roll", 30), ("Hip_Yaw", 30), ("Knee", 60), ("Ankle_Pitch", 20)),
            ("Ankle_Roll", 15),
        )
    )
    return f"""<mujoco model="walker"><compiler angle="radian"/><worldbody><geom type="plane" size="5 5 1"/>
      <body name="Trunk" pos="0 0 .8"><freejoint/><site name="imu"/>
        <inertial pos="0 0 .1" mass="12" diaginertia=".2 .15 .08"/>
        <geom type="box" size=".08 .12 .15" pos="0 0 .08"/>{head}{arms}{legs}</body></worldbody>
      <actuator>{motors}</actuator></mujoco>"""


def _leg(side: str, sign: float, foot: str) -> str:
    corners = "".join(
        f'<geom type="sphere" size=".005" pos="{x} {y} -.035"/>' for x in (-0.07, 0.13) for y in (-0.05, 0.05)
    )
    shape = {
        "box": '<geom type="box" size=".1 .05 .01" pos=".03 0 -.03"/>',
        "spheres": corners,
        "ball": '<geom type="sphere" size=".04"/>',
    }[foot]
    light = 'mass=".5" diaginertia="1e-3 1e-3 1e-3"'
    return f"""<body name="{side}_hip" pos="0 {0.1 * sign} -.05">
      <joint name="{side}_Hip_Pitch" axis="0 1 0" range="-1.8 1.5"/><inertial pos="0 0 0" {light}/>
      <body name="{side}_hip2"><joint name="{side}_Hip_Roll" axis="1 0 0" range="-1 1"/><inertial pos="0 0 0" {light}/>
      <body name="{side}_thigh"><joint name="{side}_Hip_Yaw" axis="0 0 1" range="-1 1"/>
        <inertial pos="0 0 -.13" mass="2" diaginertia="1e-2 1e-2 2e-3"/>
        <geom type="capsule" size=".04" fromto="0 0 -.08 0 0 -.22"/>
      <body name="{side}_shank" pos="0 0 -.28"><joint name="{side}_Knee" axis="0 1 0" range="0 2.2"/>
        <inertial pos="0 0 -.13" mass="1.5" diaginertia="8e-3 8e-3 1e-3"/>
        <geom type="capsule" size=".03" fromto="0 0 -.05 0 0 -.22"/>
      <body name="{side}_ankle" pos="0 0 -.28"><joint name="{side}_Ankle_Pitch" axis="0 1 0" range="-.9 .5"/>
        <inertial pos="0 0 0" {light}/>
      <body name="{side}_foot"><joint name="{side}_Ankle_Roll" axis="1 0 0" range="-.4 .4"/>
        <inertial pos=".03 0 -.02" {light}/>{shape}
      </body></body></body></body></body></body>"""


def _arm(side: str, sign: float, hands: bool) -> str:
    light = 'mass=".4" diaginertia="5e-4 5e-4 5e-4"'
    fingers = "".join(
        f"""<body pos="0 0 {-0.05 - 0.01 * n}"><joint name="{side}_finger{n}a" axis="0 1 0" range="0 1"/>
          <inertial pos="0 0 0" mass=".02" diaginertia="1e-5 1e-5 1e-5"/>
          <body pos="0 0 -.03"><joint name="{side}_finger{n}b" axis="0 1 0" range="0 1"/>
            <inertial pos="0 0 0" mass=".02" diaginertia="1e-5 1e-5 1e-5"/></body></body>"""
        for n in range(3)
        if hands
    )
    return f"""<body name="{side}_shoulder" pos="0 {0.18 * sign} .18">
      <joint name="{side}_Shoulder_Pitch" axis="0 1 0" range="-3 2"/><inertial pos="0 0 0" {light}/>
      <body name="{side}_upper_arm"><joint name="{side}_Shoulder_Roll" axis="1 0 0" range="-1.7 1.7"/>
        <inertial pos="0 0 -.08" {light}/>
      <body name="{side}_elbow" pos="0 0 -.17"><joint name="{side}_Elbow_Pitch" axis="0 1 0" range="-2 2"/>
        <inertial pos="0 0 0" {light}/>
      <body name="{side}_hand"><joint name="{side}_Elbow_Yaw" axis="0 0 1" range="-2 2"/>
        <inertial pos="0 0 -.08" {light}/><geom type="capsule" size=".03" fromto="0 0 -.02 0 0 -.14"/>{fingers}
      </body></body></body></body>"""
