"""Names of other programs: joints without the entity's prefix, observations by the name of Andante's term."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from andante.control.policies.contract import PolicyError


def without_prefix(joint: str) -> str:
    """A joint's name without that of its entity: ``robot/LKneePitch`` is ``LKneePitch``."""
    return joint.rpartition("/")[2]


def term_named(name: str, terms: Mapping[str, dict[str, Any]], place: str) -> dict[str, Any]:
    """What an observation of another program is here.

    Raises:
        PolicyError: It is not known.
    """
    if name not in terms:
        raise PolicyError(
            "an observation of this name is not known",
            place=place,
            value=name,
            legal=terms,
            remedy="write the contract as andante.policy, with a term of your own where none fits",
        )
    return dict(terms[name])
