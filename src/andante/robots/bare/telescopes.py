"""Linear drives beside a leg, as hydraulic cylinders and lead screws: left out where they hold nothing.

A cylinder hangs on one body, its piston slides in it, and the piston's end is tied to another body: that chain follows
whatever the two bodies do, and only its motor moves them. Andante moves hinges by drives of their own, so the joint
between the two bodies has one, and the chain may go. Whether it really holds nothing is seen by its Jacobian.
"""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from andante.robots.records import Vector

_SLIDE = mujoco.mjtJoint.mjJNT_SLIDE
_MOVING = (_SLIDE, mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_BALL)
_LOOPS = (mujoco.mjtEq.mjEQ_CONNECT, mujoco.mjtEq.mjEQ_WELD)
_SMALL = 1e-6
"""Singular values below this share of the largest are none."""
_LOST = 1e-4
"""What is no more than this share of a motion is none."""
_SHARES = (0.0, 0.03)
"""How far joints are from their references [rad, m], the second time to get out of a dead point."""


def telescopes(spec: Any, model: mujoco.MjModel, base: Any) -> list[tuple[Any, list[Any]]]:
    """Chains with a slide that are tied at their end and hold nothing: each the body at its top, and the ties.

    Args:
        spec: The model, whose joints and bodies have names.
        model: The same, compiled.
        base: Its base.
    """
    found: list[tuple[Any, list[Any]]] = []
    taken: set[str] = set()
    postures = [_posture(model, share) for share in _SHARES]
    every = list(spec.equalities)
    for joint in base.find_all("joint"):
        if joint.type != _SLIDE or joint.parent.name in taken | {base.name}:
            continue
        for top in _tops(joint.parent, base):
            names = {body.name for body in (top, *top.find_all("body"))}
            ties = _leaving(every, top, names)
            if ties and any(_free(model, data, names, ties) for data in postures):
                found.append((top, [every[number] for number in ties]))
                taken |= names
                break
    return found


def _posture(model: mujoco.MjModel, share: float) -> mujoco.MjData:
    """A posture near the references, with what Jacobians need."""
    data = mujoco.MjData(model)
    mujoco.mj_integratePos(model, data.qpos, share * np.cos(np.arange(model.nv)), 1.0)
    mujoco.mj_fwdPosition(model, data)
    return data


def _tops(body: Any, base: Any) -> list[Any]:
    """Bodies on which a chain may hang, from its slide on upwards; a body with several chains below is none."""
    found = [body]
    while (above := found[-1].parent).name not in (base.name, "world") and len(list(above.bodies)) == 1:
        found.append(above)
    return found


def _leaving(every: list[Any], top: Any, names: set[str]) -> list[int]:
    """Ties between bodies of a chain and others; none where some are within it, or are of other kinds."""
    sites = {site.name for body in (top, *top.find_all("body")) for site in body.sites}
    found = []
    for number, tie in enumerate(every):
        own = names if tie.objtype == mujoco.mjtObj.mjOBJ_BODY else sites
        if tie.type in _LOOPS and tie.active and {tie.name1, tie.name2} & own:
            if {tie.name1, tie.name2} <= own:
                return []
            found.append(number)
    return found


def _free(model: mujoco.MjModel, data: mujoco.MjData, names: set[str], ties: list[int]) -> bool:
    """Whether a chain can follow whatever all others do: its own motions open and close its ties in all those ways."""
    own = np.isin(model.dof_bodyid, [model.body(name).id for name in names])
    rows = np.concatenate([_jacobian(model, data, tie) for tie in ties])
    mine, others = rows[:, own], rows[:, ~own]
    size = max(float(np.abs(others).max(initial=0.0)), _SMALL)
    rest = others - mine @ np.linalg.lstsq(mine, others, rcond=_SMALL)[0]
    return bool(np.abs(rest).max(initial=0.0) < _LOST * size)


def _jacobian(model: mujoco.MjModel, data: mujoco.MjData, tie: int) -> Vector:
    """How the velocities open a tie, (3 or 6, nv): place, and of a weld also turn."""
    ends = []
    for number, slot in ((int(model.eq_obj1id[tie]), 1), (int(model.eq_obj2id[tie]), 0)):
        move, turn = np.zeros((3, model.nv)), np.zeros((3, model.nv))
        if model.eq_objtype[tie] == mujoco.mjtObj.mjOBJ_SITE:
            body, place = int(model.site_bodyid[number]), np.array(data.site_xpos[number])
        else:
            body = number
            weld = model.eq_type[tie] == mujoco.mjtEq.mjEQ_WELD
            at = model.eq_data[tie, 0:3] if weld or slot else model.eq_data[tie, 3:6]
            # The anchor of a weld is told in its second body, at which both are.
            carrier = int(model.eq_obj2id[tie]) if weld else body
            place = data.xpos[carrier] + data.xmat[carrier].reshape(3, 3) @ at
        mujoco.mj_jac(model, data, move, turn, np.asarray(place), body)
        ends.append((move, turn))
    (move, turn), (other_move, other_turn) = ends
    rows = [move - other_move]
    if model.eq_type[tie] == mujoco.mjtEq.mjEQ_WELD:
        rows.append(turn - other_turn)
    return np.concatenate(rows)
