"""How much terrain a file may hold: a map of 2000 x 2000 nodes; a small file can unpack to a thousand times that."""

from __future__ import annotations

MOST_NODES = 4_000_000
"""Largest map that is read from a file [nodes]: 10 m x 10 m at 5 mm."""
MOST_BYTES = 64_000_000
"""Largest file of bytes that is read."""
MOST_TEXT = 24_000_000
"""Largest file of text that is read [bytes]; its numbers take more room as text than as numbers."""
MOST_ROWS = 500_000
"""Most points, corners or facets of a text file."""
