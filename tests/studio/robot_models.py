"""A robot that nobody named, for the studio's tests."""

from __future__ import annotations

LEG = """<body name="{name}_thigh" pos="{x} {y} 0"><joint name="{name}_hip" axis="1 0 0" {limits}/>
<geom type="capsule" fromto="0 0 0 0 0 -0.02" size="0.02" mass="0.2"/>
<body name="{name}_upper" pos="0 0 -0.02"><joint name="{name}_swing" axis="0 1 0" {limits}/>
<geom type="capsule" fromto="0 0 0 0 0 -0.2" size="0.02" mass="0.3"/>
<body name="{name}_shank" pos="0 0 -0.2"><joint name="{name}_knee" axis="0 1 0" {limits}/>
<geom type="capsule" fromto="0 0 0 0 0 -0.2" size="0.015" mass="0.2"/>
<geom name="{name}_ball" type="sphere" pos="0 0 -0.2" size="0.022" mass="0.05"/></body></body></body>"""
PLACES = {"FL": (0.2, 0.1), "FR": (0.2, -0.1), "RL": (-0.2, 0.1), "RR": (-0.2, -0.1)}


def quadruped(limits: str = "") -> str:
    """A quadruped that nobody knows, without limits unless some are given."""
    legs = "".join(LEG.format(name=name, x=x, y=y, limits=limits) for name, (x, y) in PLACES.items())
    trunk = '<geom type="box" size="0.25 0.1 0.05" mass="6"/>'
    body = f'<body name="trunk" pos="0 0 0.5"><freejoint/>{trunk}{legs}</body>'
    return f'<mujoco model="nobody"><worldbody>{body}</worldbody></mujoco>'
