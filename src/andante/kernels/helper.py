"""``python -m andante.kernels.helper MODULE ...``: compile kernels beside a process that does."""

from __future__ import annotations

import sys

from andante.kernels.ahead import help_with

if __name__ == "__main__":
    help_with(sys.argv[1:])
