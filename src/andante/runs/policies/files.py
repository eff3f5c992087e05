"""Policies: shipped ones by name, any other by the path of its contract."""

from __future__ import annotations

from pathlib import Path

from andante.runs.errors import ScenarioError

_SHIPPED = Path(__file__).parent / "shipped"


def shipped_policies() -> tuple[str, ...]:
    """Names of the policies in the package."""
    return tuple(sorted(path.stem for path in _SHIPPED.glob("*.yaml")))


def policy_path(name_or_path: str | Path) -> Path:
    """The contract of a policy given by path or by shipped name.

    Raises:
        ScenarioError: Neither a shipped policy nor a file.
    """
    if Path(name_or_path).exists():
        return Path(name_or_path)
    shipped = shipped_policies()
    if str(name_or_path) in shipped:
        return _SHIPPED / f"{name_or_path}.yaml"
    raise ScenarioError("no such policy, neither shipped nor a file", value=str(name_or_path), legal=shipped)
