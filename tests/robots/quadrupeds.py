"""Small quadrupeds as MJCF and URDF, and a mesh, all written here."""

from __future__ import annotations

import struct

LEGS = {"FL": (0.2, 0.1), "FR": (0.2, -0.1), "RL": (-0.2, 0.1), "RR": (-0.2, -0.1)}
PARTS = ("hip", "thigh", "calf")


def mjcf_quadruped() -> str:
    """12 hinges in degrees, a floor, a free base, motors, sensors and a keyframe."""
    legs = "".join(
        f"""<body name="{leg}_hip" pos="{x} {y} 0">
          <joint name="{leg}_hip" axis="1 0 0" range="-45 45"/>
          <inertial pos="0 0 0" mass="0.5" diaginertia="1e-3 1e-3 1e-3"/>
          <body name="{leg}_thigh" pos="0 {0.05 if y > 0 else -0.05} 0">
            <joint name="{leg}_thigh" axis="0 1 0" range="-90 90"/>
            <inertial pos="0 0 -0.1" mass="0.6" diaginertia="2e-3 2e-3 1e-3"/>
            <body name="{leg}_calf" pos="0 0 -0.2">
              <joint name="{leg}_calf" axis="0 1 0" range="-150 0" damping="0.3" frictionloss="0.2"/>
              <inertial pos="0 0 -0.1" mass="0.2" diaginertia="1e-3 1e-3 1e-4"/>
              <geom type="sphere" size="0.02" pos="0 0 -0.2"/>
            </body></body></body>"""
        for leg, (x, y) in LEGS.items()
    )
    motors = "".join(
        f'<motor name="{leg}_{part}" joint="{leg}_{part}" gear="2" ctrlrange="-12 12"/>'
        for leg in LEGS
        for part in PARTS
    )
    stand = "0 0 0.4 1 0 0 0 " + " ".join(["0 0.5 -1"] * 4)
    return f"""<mujoco model="quad">
      <worldbody><geom type="plane" size="5 5 1"/><light pos="0 0 3"/>
      <body name="step" pos="3 0 0"><geom size="1"/></body>
      <body name="trunk" pos="0 0 0.4"><freejoint/><site name="imu" pos="0.01 0 0"/>
        <inertial pos="0 0 0" mass="6" diaginertia="0.05 0.1 0.1"/>{legs}</body></worldbody>
      <actuator>{motors}</actuator><sensor><gyro site="imu"/></sensor>
      <keyframe><key name="stand" qpos="{stand}"/></keyframe></mujoco>"""


def urdf_link(name: str, mass: float, shape: str = "") -> str:
    return f"""<link name="{name}"><inertial><mass value="{mass}"/>
      <inertia ixx="0.002" iyy="0.002" izz="0.002" ixy="0" ixz="0" iyz="0"/></inertial>{shape}</link>"""


def urdf_joint(name: str, parent: str, child: str, xyz: str, axis: str, limit: str, kind: str = "revolute") -> str:
    return f"""<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>
      <origin xyz="{xyz}"/><axis xyz="{axis}"/>{limit}</joint>"""


def urdf_quadruped(limit: str = '<limit lower="-1.5" upper="1.25" effort="20" velocity="30"/>', shape: str = "") -> str:
    """12 revolute joints and ball feet on fixed joints; the right hips turn about -x."""
    text = urdf_link("trunk", 6.0, shape)
    ball = '<collision><geometry><sphere radius="0.02"/></geometry></collision>'
    for leg, (x, y) in LEGS.items():
        side = 0.05 if y > 0 else -0.05
        text += urdf_link(f"{leg}_hip", 0.5) + urdf_link(f"{leg}_thigh", 0.6) + urdf_link(f"{leg}_calf", 0.2)
        text += f'<link name="{leg}_foot">{ball}</link>'
        text += urdf_joint(f"{leg}_HAA", "trunk", f"{leg}_hip", f"{x} {y} 0", f"{1 if y > 0 else -1} 0 0", limit)
        text += urdf_joint(f"{leg}_HFE", f"{leg}_hip", f"{leg}_thigh", f"0 {side} 0", "0 1 0", limit)
        text += urdf_joint(f"{leg}_KFE", f"{leg}_thigh", f"{leg}_calf", "0 0 -0.2", "0 1 0", limit)
        text += urdf_joint(f"{leg}_ankle", f"{leg}_calf", f"{leg}_foot", "0 0 -0.2", "1 0 0", "", "fixed")
    return f'<?xml version="1.0"?><robot name="quad">{text}</robot>'


def stl_box(half: float = 0.05) -> bytes:
    """A cube as binary STL."""
    corners = [(x * half, y * half, z * half) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = [t for a, b, c, d in faces for t in ((a, b, c), (a, c, d))]
    body = b"".join(struct.pack("<12fH", 0, 0, 0, *(v for i in t for v in corners[i]), 0) for t in triangles)
    return b"\0" * 80 + struct.pack("<I", len(triangles)) + body
