"""Quadrupeds that nobody built: model files of any size and shape."""

from __future__ import annotations

from dataclasses import dataclass

from andante.spatial.gravity import GRAVITY


@dataclass(frozen=True)
class Made:
    """A quadruped of boxes and balls; lengths are for a leg of ``size`` [m], masses for ``mass`` [kg]."""

    mass: float = 15.0
    size: float = 0.45
    """Pitch axis of the hip to the ground with the leg stretched [m]."""
    length: float = 0.43
    """Half the distance of front and hind hips, as a share of the leg."""
    width: float = 0.20
    """Half the distance of left and right hips, as a share of the leg."""
    abduction: float = 0.16
    """Roll axis to the leg's plane, as a share of the leg."""
    thigh: float = 0.475
    """Length of the thigh, as a share of the leg; the foot's radius is 0.05 of it, the calf has the rest."""
    legs: float = 0.45
    """Share of the mass that is in the legs."""
    knees: tuple[int, int] = (-1, -1)
    """Where front and hind knees point to: -1 back, as Go2's, 1 ahead."""
    ahead: float = 0.0
    """How far the trunk's centre of mass lies before its middle, as a share of the leg."""
    thick: float = 0.12
    """Half the trunk's height, as a share of the leg."""
    strength: float = 0.6
    """Torque limit of each joint, in weights times the leg's length."""
    dry: float = 0.003
    """Dry friction of each joint, in the same."""
    rotor: float = 0.0008
    """Inertia of each rotor at the joint, in mass times the leg's length squared."""

    @property
    def mjcf(self) -> str:
        """The model."""
        size, m = self.size, self.mass
        radius, thigh = 0.05 * size, self.thigh * size
        calf = size - radius - thigh
        x, y, aside = self.length * size, self.width * size, self.abduction * size
        leg = 0.25 * self.legs * m
        torque = self.strength * m * GRAVITY * size
        drive = (
            f'armature="{self.rotor * m * size**2:.9g}" frictionloss="{self.dry * m * GRAVITY * size:.9g}"'
            f' actuatorfrcrange="{-torque:.9g} {torque:.9g}"'
        )
        trunk = (1.0 - self.legs) * m
        half = f"{x:.9g} {0.8 * y:.9g} {self.thick * size:.9g}"
        text = [
            '<mujoco model="made"><compiler angle="radian" autolimits="true"/><worldbody>',
            f'<body name="base" pos="0 0 {size:.9g}"><freejoint/>',
            f'<geom type="box" size="{half}" pos="{self.ahead * size:.9g} 0 0" mass="{trunk:.9g}"/>',
            '<site name="imu"/>',
        ]
        for name, front, left in (("FL", 1, 1), ("FR", 1, -1), ("HL", -1, 1), ("HR", -1, -1)):
            way = self.knees[0] if front > 0 else self.knees[1]
            knee = (0.3, 2.6) if way > 0 else (-2.6, -0.3)
            text += [
                f'<body name="{name}_hip" pos="{front * x:.9g} {left * y:.9g} 0">',
                f'<joint name="{name}_roll" axis="1 0 0" range="-0.9 0.9" {drive}/>',
                f'<geom type="sphere" size="{1.5 * radius:.9g}" mass="{0.3 * leg:.9g}" contype="0" conaffinity="0"/>',
                f'<body name="{name}_thigh" pos="0 {left * aside:.9g} 0">',
                f'<joint name="{name}_pitch" axis="0 1 0" range="-2.5 2.5" {drive}/>',
                f'<geom type="capsule" fromto="0 0 0 0 0 {-thigh:.9g}" size="{0.8 * radius:.9g}" mass="{0.5 * leg:.9g}"'
                ' contype="0" conaffinity="0"/>',
                f'<body name="{name}_calf" pos="0 0 {-thigh:.9g}">',
                f'<joint name="{name}_knee" axis="0 1 0" range="{knee[0]} {knee[1]}" {drive}/>',
                f'<geom type="capsule" fromto="0 0 0 0 0 {-calf:.9g}" size="{0.6 * radius:.9g}" mass="{0.17 * leg:.9g}"'
                ' contype="0" conaffinity="0"/>',
                f'<geom name="{name}" type="sphere" pos="0 0 {-calf:.9g}" size="{radius:.9g}"',
                f' mass="{0.03 * leg:.9g}"/>',
                "</body></body></body>",
            ]
        motors = [
            f'<motor name="{leg}_{joint}_motor" joint="{leg}_{joint}" ctrlrange="{-torque:.9g} {torque:.9g}"/>'
            for leg in ("FL", "FR", "HL", "HR")
            for joint in ("roll", "pitch", "knee")
        ]
        return "\n".join([*text, "</body></worldbody>", "<actuator>", *motors, "</actuator></mujoco>"])
