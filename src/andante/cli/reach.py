"""`andante reach`: where the body can be over its feet, what limits it, and pictures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from andante.cli.output import Several, answer, refuse
from andante.cli.progress import waiting

if TYPE_CHECKING:
    from andante.kinematics.leg_table import LeggedBody
    from andante.kinematics.reach import ReachVolume, Stance

_SPACING = 0.005 / 0.187
"""Distance of positions over the length of a leg: 5 mm for LittleDog."""


def reach(
    robot: str = "littledog",
    posture: str | None = None,
    foot: Several = None,
    without: Several = None,
    roll: float = 0.0,
    pitch: float = 0.0,
    yaw: float = 0.0,
    spacing: float | None = None,
    out: list[Path] | None = None,
) -> None:
    """Show where the body can be while the feet stay where they are, and which leg and joint limits it.

    Args:
        robot: Robot: a name, pack, MJCF, URDF or SDF.
        posture: Named posture that puts the feet down; default: stand.
        foot: Move a foot: NAME=dx,dy,dz in millimetres; repeat for several.
        without: A foot in the air; repeat for several.
        roll: Roll of the body [deg].
        pitch: Pitch of the body [deg].
        yaw: Yaw of the body [deg].
        spacing: Distance of the positions looked at [mm]; default: 5 for LittleDog, by leg.
        out: Write a picture (.png, .svg) or a 3-D page (.html); repeat for both.
    """
    import math

    from andante.kinematics.leg_table import LeggedBody
    from andante.kinematics.reach import Stance, edge_limits, reach_volume
    from andante.kinematics.roll_pitch_leg import asymmetries
    from andante.pictures.figures import KINDS, check_kind
    from andante.robots.robot import Robot
    from andante.spatial.rotations import from_rpy, to_matrix

    pictures = list(out or ())
    for path in pictures:
        check_kind(path, (*KINDS, ".html"))
    body = LeggedBody.of(Robot.load(robot))
    feet = _feet(body, posture, list(foot or ()))
    rotation = to_matrix(from_rpy([math.radians(angle) for angle in (roll, pitch, yaw)]))
    stance = Stance.of(body, feet, rotation, tuple(without or ()))
    step = _SPACING * body.leg_length if spacing is None else spacing * 1e-3
    with waiting("reaching"):
        volume = reach_volume(body, stance, step)
        limits = edge_limits(body, stance, volume)
    _draw(body, stance, volume, pictures)
    notes = asymmetries(body.legs)
    data = {"robot": body.robot.name, "volume": volume.volume, "positions": volume.codes.size}
    data["limits"] = [
        {"foot": each.foot, "joint": each.joint, "too_far": each.too_far, "share": share}
        for each, share in limits.items()
    ]
    data |= {"notes": list(notes), "pictures": [str(path) for path in pictures]}
    lines = [f"note: {note}" for note in notes]
    lines.append(f"{body.robot.title}: the body has {volume.volume * 1e6:.0f} cm3 over these feet")
    if volume.volume > 0.0:
        low, high = volume.positions().min(axis=0), volume.positions().max(axis=0)
        spans = (f"{axis} {a * 1e3:.0f} to {b * 1e3:.0f}" for axis, a, b in zip("xyz", low, high, strict=True))
        lines.append(f"  {', '.join(spans)} mm")
    for limit, share in limits.items():
        why = "leg too short" if limit.too_far else "limit"
        lines.append(f"  {100.0 * share:5.1f} % of its edge: {limit.foot} {limit.joint} ({why})")
    answer(data, [*lines, *(f"picture: {path}" for path in pictures)])


def _feet(body: LeggedBody, posture: str | None, moves: list[str]):  # type: ignore[no-untyped-def]
    """Centres of the feet, (nl, 3) [m]; on the ground below the origin of the world."""
    import numpy as np

    name = posture or ("stand" if "stand" in body.robot.postures else "zero")
    angles = body.angles(body.robot.posture(name))
    feet = np.array([leg.place(each) for leg, each in zip(body.legs, angles, strict=True)])
    feet[:, 2] += body.table.radius.max() - feet[:, 2].min()
    for text in moves:
        foot, _, values = text.partition("=")
        try:
            shift = [float(value) for value in values.split(",")]
        except ValueError:
            shift = []
        if len(shift) != 3:
            refuse(f"--foot {text}: give NAME=dx,dy,dz in millimetres")
        feet[body.index(foot)] += np.array(shift) * 1e-3
    return feet


def _draw(body: LeggedBody, stance: Stance, volume: ReachVolume, pictures: list[Path]) -> None:
    from andante.documents.files import write_text
    from andante.kinematics.reach_page import reach_page
    from andante.kinematics.reach_plot import reach_picture
    from andante.pictures.figures import save

    for path in pictures:
        if path.suffix.lower() == ".html":
            write_text(path, reach_page(body, stance, volume), follow=False)
        else:
            save(reach_picture(body, stance, volume), path)
