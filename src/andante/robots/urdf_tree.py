"""A URDF as a tree, also where it has prefixes that nothing declares, as parts for Gazebo and Drake often have.

Programs of ROS read URDF without namespaces, and so does MuJoCo: nobody misses the declaration until a parser does.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree

from andante.robots.parts import RobotError

_PREFIX = re.compile(r"[<\s/]([A-Za-z_][\w.-]*):(?=[A-Za-z_])")
_DECLARED = re.compile(r"\bxmlns:([\w.-]+)\s*=")
_ROOT = re.compile(r"<robot(?=[\s/>])([^>]*)")


def urdf_tree(text: str, place: str) -> ElementTree.Element:
    """The root of a URDF.

    Args:
        text: The URDF, already known to be XML.
        place: Name of the file for messages.

    Raises:
        RobotError: Its namespaces contradict each other.
    """
    try:
        return ElementTree.fromstring(text)
    except ElementTree.ParseError:
        used = sorted(set(_PREFIX.findall(text)) - {"xml", "xmlns"})

    def declaring(found: re.Match[str]) -> str:
        known = _DECLARED.findall(found[1])
        return "<robot" + "".join(f' xmlns:{each}="undeclared:{each}"' for each in used if each not in known) + found[1]

    try:
        return ElementTree.fromstring(_ROOT.sub(declaring, text))
    except ElementTree.ParseError as error:
        what = f"the namespaces of the file cannot be read: {error}"
        raise RobotError(what, place=place, remedy="leave out the xmlns declarations") from error
