"""What protocols there are, of which robots, and which package each needs."""

from __future__ import annotations

from importlib.util import find_spec

from andante.errors import install
from andante.plugins.kinds import summary
from andante.runs.backends.hardware import HardwareKind
from andante.runs.backends.registry import BACKENDS


def protocols() -> list[dict[str, str]]:
    """Name, robots, state and purpose of each protocol."""
    rows = []
    for name, kind in BACKENDS.items():
        if issubclass(kind, HardwareKind):
            module, extra = kind.needs
            state = f"needs {install(extra)}" if module and find_spec(module) is None else "ready"
            rows.append({"name": name, "robots": kind.robots, "state": state, "what": summary(kind)})
    return rows
