"""Gearboxes of an SDF: two joints that turn together, each with a link of the gearbox on the body that it names.

The angles: sdformat.org, "gearbox_reference_body": theta_1 is that from this body to the parent about ``axis``, theta_2
that to the child about ``axis2``, and theta_2 = -gearbox_ratio theta_1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from xml.etree.ElementTree import Element

from andante.robots.parts import RobotError
from andante.robots.sdf.assembly import Assembly, ModelPart
from andante.robots.sdf.elements import number, word
from andante.robots.sdf.joints import axis_of, direction_of, kind_of

_HINGES = ("revolute", "continuous")
_ALONG = 0.999
"""Least cosine between an axis of a gearbox and that of the joint that it turns about."""


def gears_of(
    gearboxes: Sequence[ModelPart], joints: Sequence[ModelPart], ends: Mapping[str, tuple[str, str]], model: Assembly
) -> dict[str, Element]:
    """URDF's ``<mimic>`` by the name of the joint that turns with another one.

    Args:
        gearboxes: Joints of this kind.
        joints: All others.
        ends: Parent and child of each joint.
        model: Their model, where it is told.

    Raises:
        RobotError: A gearbox does not say what it couples, its links hang on other joints than hinges of its body, or
            its axes are not theirs.
    """
    found: dict[str, Element] = {}
    for gearbox in gearboxes:
        named, place = word(gearbox.element, "gearbox_reference_body", gearbox.place), gearbox.place
        where = f"{place}: gearbox_reference_body"
        body = model.frames.link(model.frames.known(gearbox.of(named), where), where)
        ratio = number(gearbox.element, "gearbox_ratio", place, missing=1.0)
        (first, way), (second, back) = (
            _hinge(gearbox, name, body, link, joints, ends, model)
            for name, link in zip(("axis", "axis2"), ends[gearbox.name], strict=True)
        )
        if second.name in found or second.element.find("axis/mimic") is not None or first.name == second.name:
            raise RobotError(
                "the gearbox turns a joint that turns with another one already", place=place, value=second.name,
                remedy="leave one of the two out",
            )  # fmt: skip
        found[second.name] = Element("mimic", joint=first.name, multiplier=repr(-ratio * way * back), offset="0.0")
        model.left_out.rest(
            gearbox.element, ("pose", "parent", "child", "axis", "axis2", "gearbox_reference_body", "gearbox_ratio")
        )
        model.changed.add("a gearbox, so that one joint follows another:", gearbox.name)
    return found


def _hinge(
    gearbox: ModelPart,
    name: str,
    body: str,
    link: str,
    joints: Sequence[ModelPart],
    ends: Mapping[str, tuple[str, str]],
    model: Assembly,
) -> tuple[ModelPart, float]:
    """The joint between the body of a gearbox and one of its links, and 1 where its angle is that of the gearbox's
    axis, -1 where it turns the other way."""
    axis, place = axis_of(gearbox, name)
    along = direction_of(axis, gearbox, model, place)
    for joint in joints:
        if kind_of(joint) not in _HINGES or set(ends[joint.name]) != {body, link}:
            continue
        own, where = axis_of(joint, "axis")
        cosine = float(direction_of(own, joint, model, where) @ along)
        if abs(cosine) < _ALONG:
            raise RobotError(
                f"an axis of the gearbox is not that of joint {joint.name!r}", place=place, value=f"cosine {cosine:.3f}"
            )
        return joint, (1.0 if cosine > 0.0 else -1.0) * (1.0 if ends[joint.name][0] == body else -1.0)
    raise RobotError(
        "no hinge joins a link of the gearbox with its body", place=gearbox.place, value=f"{link} on {body}",
        limit="a revolute joint between the two", remedy="say how the joints turn together by a <mimic> in an <axis>",
    )  # fmt: skip
