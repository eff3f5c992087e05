"""``python -m andante.spatial.compiled.helper MODULE ...``: compile kernels beside a process that does."""

from __future__ import annotations

import sys

from andante.spatial.compiled.ahead import help_with

if __name__ == "__main__":
    help_with(sys.argv[1:])
