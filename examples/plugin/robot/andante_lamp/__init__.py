"""A desk lamp: the folder ``lamp`` is its pack."""

from pathlib import Path

LAMP = Path(__file__).parent / "lamp"
