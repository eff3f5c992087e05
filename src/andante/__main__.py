"""The command `andante`, and ``python -m andante`` where its script is not on the path."""

from __future__ import annotations

import os
import sys

_BUSY = "18"
"""Logarithm to the base 2 of the processor's cycles for which threads of OpenBLAS wait busily for work: 0.1 ms.

By itself it is 26: numpy alone, once imported, keeps a second core busy for 0.02 to 0.09 s.
"""


def main() -> None:
    """Entry point of the `andante` command; Ctrl-C while its modules are imported is the message that it is later."""
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", _BUSY)
    try:
        from andante.cli.app import main as answer
    except KeyboardInterrupt:
        sys.stderr.write("andante: interrupted\n")
        # See `andante.cli.interrupts.forget_at_exit`, which may be what could not be imported.
        exec("")
        sys.exit(2)
    answer()


if __name__ == "__main__":
    main()
