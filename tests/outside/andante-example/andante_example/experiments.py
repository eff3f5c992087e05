"""How high the crane lifts at several speeds."""

from pathlib import Path

LIFT = Path(__file__).parent / "lift.yaml"
