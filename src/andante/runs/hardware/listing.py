"""What protocols there are, of which robots, and which package each needs."""

from __future__ import annotations

from importlib.util import find_spec

from andante.errors import install
from andante.plugins.kinds import summary
from andante.runs.backends.registry import BACKENDS
from andante.runs.hardware.fakes import hardware_names


def protocols() -> list[dict[str, str]]:
    """Name, robots, state and purpose of each protocol."""
    rows = []
    for name in hardware_names():
        kind = BACKENDS[name]
        module, extra = getattr(kind, "needs", ("", ""))
        missing = bool(module) and find_spec(module) is None
        state = f"needs {install(extra)}" if missing else "ready"
        rows.append(
            {"name": name, "robots": str(getattr(kind, "robots", "any")), "state": state, "what": summary(kind)}
        )
    return rows
