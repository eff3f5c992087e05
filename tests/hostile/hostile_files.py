"""Hostile files: what a stranger's folder may hold. Each case names its files, how they are made, and the commands."""

from __future__ import annotations

import hostile_archives
import hostile_kinds
import hostile_logs
import hostile_models
import hostile_motions
import hostile_paths
import hostile_recordings
import hostile_surfaces
import hostile_terrain
import hostile_yaml
from hostile_case import GOOD, Case, Cases

__all__ = ["CASES", "GOOD", "Case"]


def _all() -> Cases:
    every = Cases()
    parts = (hostile_yaml, hostile_paths, hostile_models, hostile_terrain, hostile_motions, hostile_archives)
    for part in (*parts, hostile_kinds, hostile_logs, hostile_recordings, hostile_surfaces):
        for title, case in part.CASES.items():
            every.add(title, case.name, case.make, *case.commands, taken=case.taken)
    return every


CASES = _all()
"""The cases by what is hostile about them."""
