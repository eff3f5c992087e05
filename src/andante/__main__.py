"""The command `andante`, and ``python -m andante`` where its script is not on the path."""

from __future__ import annotations

import sys


def main() -> None:
    """Entry point of the `andante` command; Ctrl-C while its modules are imported is the message that it is later."""
    try:
        from andante.cli.app import main as answer
    except KeyboardInterrupt:
        sys.stderr.write("andante: interrupted\n")
        sys.exit(2)
    answer()


if __name__ == "__main__":
    main()
