"""Spelling of joint names, whatever a manufacturer's habits."""

from __future__ import annotations

from functools import lru_cache


@lru_cache(maxsize=4096)
def canonical_name(joint: str) -> str:
    """Fold spelling: ``LShoulderPitch``, ``lShoulderPitch`` and ``left_shoulder_pitch`` all give ``lshoulderpitch``."""
    folded = joint.replace("_", "").casefold()
    for side in ("left", "right"):
        if folded.startswith(side):
            return side[0] + folded[len(side) :]
    return folded
