"""What the planned crawl records beside its commands."""

from __future__ import annotations

from andante.robots.records import Field, Layout, axes, scalar

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
