"""Small robots on six legs and more as URDF, written here: each leg turns about z, then twice about y."""

from __future__ import annotations

import math
from collections.abc import Callable

from quadrupeds import urdf_joint, urdf_link

LIMIT = '<limit lower="-1.5" upper="1.5" effort="20" velocity="30"/>'
COXA, FEMUR, TIBIA = 0.05, 0.1, 0.16
SHINS = {
    "box": f'<box size="0.02 0.02 {TIBIA}"/>',
    "cylinder": f'<cylinder radius="0.01" length="{TIBIA}"/>',
    "capsule": f'<capsule radius="0.01" length="{TIBIA - 0.02}"/>',
}


def numbered(row: int, side: int) -> str:
    return f"{'l' if side > 0 else 'r'}{row + 1}"


def hexapod(
    shin: str = "cylinder", count: int = 6, *, hanging: bool = True, names: Callable[[int, int], str] = numbered
) -> str:
    """Robot on legs all around.

    Args:
        shin: Kind of shape.
        count: How many legs.
        hanging: The shins hang down with all joints at zero; else they go on as the legs do.
        names: Name of a leg by its row from the front on and its side, 1 or -1.
    """
    text = urdf_link("body", 2.0, '<collision><geometry><box size="0.3 0.2 0.06"/></geometry></collision>')
    for row in range(count // 2):
        for side in (1, -1):
            leg, x = names(row, side), 0.12 - 0.24 * row / (count // 2 - 1)
            at = (f"0 0 {-0.5 * TIBIA}", "0 0 0") if hanging else (f"{0.5 * TIBIA} 0 0", f"0 {0.5 * math.pi} 0")
            shape = f'<collision><origin xyz="{at[0]}" rpy="{at[1]}"/><geometry>{SHINS[shin]}</geometry></collision>'
            text += (
                urdf_link(f"{leg}_coxa", 0.1) + urdf_link(f"{leg}_femur", 0.1) + urdf_link(f"{leg}_tibia", 0.1, shape)
            )
            yaw = f'<origin xyz="{x} {side * 0.1} 0" rpy="0 0 {math.atan2(side * 0.1, x)}"/>'
            first = urdf_joint(f"{leg}_coxa_joint", "body", f"{leg}_coxa", "0 0 0", "0 0 1", LIMIT)
            text += first.replace('<origin xyz="0 0 0"/>', yaw)
            text += urdf_joint(f"{leg}_femur_joint", f"{leg}_coxa", f"{leg}_femur", f"{COXA} 0 0", "0 1 0", LIMIT)
            text += urdf_joint(f"{leg}_tibia_joint", f"{leg}_femur", f"{leg}_tibia", f"{FEMUR} 0 0", "0 1 0", LIMIT)
    return f'<?xml version="1.0"?><robot name="hexapod">{text}</robot>'
