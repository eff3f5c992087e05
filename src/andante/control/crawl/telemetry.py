"""What the planned crawl records beside its commands."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from andante.control.crawl.timeline import Setpoint
from andante.control.estimation.estimator import BodyState
from andante.robots.records import Field, Layout, Record, axes, scalar
from andante.spatial.polygons import convex_hull, signed_distance
from andante.spatial.rotation_kernels import conjugate, from_rpy, log, multiply

PHASES = ("stand", "plan", "blend", "walk", "recover", "done", "failed")
"""Phases of the controller; telemetry gives their numbers."""


def telemetry_layout(feet: tuple[str, ...]) -> Layout:
    """Layout for a robot with these feet.

    ``phase`` is an index of `PHASES`; ``swing`` the number of the plan's swing under way, -1 for none; ``margin`` the
    distance of the estimated centre of mass from the edge of the feet that carry; ``error`` how far the body is from
    the plan; ``place`` where the feet shall be; ``landing`` by how far each foot's last landing missed its planned
    place; ``reach`` the share of the wanted body pose in reach; ``slowed`` the share of its step that speeds allowed;
    ``clamps`` in how many ticks so far a leg stayed where it was because inverse kinematics had no answer for its foot.
    """
    return Layout(
        "crawl",
        (
            scalar("phase"),
            scalar("plan_time", "s"),
            scalar("rate"),
            scalar("swing"),
            scalar("margin", "m"),
            axes("position", "m"),
            axes("velocity", "m/s"),
            axes("error", "m"),
            scalar("tilt_error", "rad"),
            Field("carrying", feet),
            Field("place", tuple(f"{foot}.{axis}" for foot in feet for axis in "xyz"), "m"),
            Field("landing", feet, "m"),
            scalar("reach"),
            scalar("slowed"),
            scalar("clamps"),
            scalar("blind", "s"),
        ),
    )


def note_body(record: Record, state: BodyState, wanted: Setpoint | None, standing: NDArray[np.bool_]) -> None:
    """Note where the body is, how far from the plan, and what carries it.

    Args:
        record: Gets it.
        state: Body and feet as estimated.
        wanted: The plan's setpoint; None: there is none.
        standing: Feet that do not swing, (nl,).
    """
    carrying = standing & state.contact
    if carrying.sum() > 2:
        record["margin"][0] = float(signed_distance(convex_hull(state.feet[carrying, :2]), state.com[:2]))
    record["position"][:], record["velocity"][:] = state.position, state.velocity
    if wanted is not None:
        record["error"][:] = state.position - wanted.position
        record["tilt_error"][0] = np.linalg.norm(log(multiply(state.orientation, conjugate(from_rpy(wanted.rpy)))))
    record["carrying"][:] = carrying
    record["blind"][0] = min(state.blind, 1e3)
