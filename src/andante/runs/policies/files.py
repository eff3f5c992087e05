"""Policies: shipped ones by name, any other by the path of its contract."""

from __future__ import annotations

from pathlib import Path

from andante.documents.shipped import Shipped
from andante.runs.errors import ScenarioError

_POLICIES = Shipped(Path(__file__).parent / "shipped", "policy", ScenarioError, folders=True)
shipped_policies, policy_path, anchored_policy = _POLICIES.names, _POLICIES.path, _POLICIES.anchored
"""Names of the policies in the package; the contract of one by name or path; its path seen from a folder."""
