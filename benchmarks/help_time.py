"""Time of `andante --help` against `python -c "import typer, rich"`, medians of interleaved runs (asked: <= 2.2)."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from pathlib import Path


def seconds(command: list[str]) -> float:
    """Wall time of one run of a command [s]."""
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - start


def main() -> None:
    """Measure and print."""
    andante = str(Path(sys.executable).with_name("andante"))
    pairs = [(seconds([andante, "--help"]), seconds([sys.executable, "-c", "import typer, rich"])) for _ in range(15)][
        2:
    ]
    help_time, import_time = (statistics.median(column) for column in zip(*pairs, strict=True))
    ratio = help_time / import_time
    row = {
        "name": "andante --help / import typer, rich",
        "value": ratio,
        "unit": "ratio",
        "asked": "<= 2.2",
        "ok": ratio <= 2.2,
        "n": len(pairs),
    }
    if "--json" in sys.argv:
        print(json.dumps({"suite": "help", "rows": [row]}))
    else:
        print(f"andante --help {help_time * 1e3:.0f} ms, import typer, rich {import_time * 1e3:.0f} ms")
        print(f"ratio {ratio:.2f} (asked <= 2.2)")


if __name__ == "__main__":
    main()
