"""What pages are told when a process of the studio ends, and whether it works again: every kind at random moments.

python benchmarks/studio_kills.py [--moments 40] [--seed 0] [--only checks proofs reading drags simulation terrain]

Each process is killed (SIGKILL) or stopped (SIGSTOP) at a random moment, idle or at work. Told is the time until the
page hears of it; works is whether the same question is answered afterwards as it was before. One JSON object with one
row for each process: moments, told within 2 s, works again, the longest time until told [s], and what went wrong.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "studio"))

from helper_kills import KINDS, Kills
from served import served
from studio_text import TEXT


def main() -> None:
    """Kill, look, print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--moments", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="*", choices=KINDS, default=KINDS)
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="studio-kills-")) / "workspace"
    folder.mkdir()
    (folder / "wave.yaml").write_text(TEXT)
    rows = {}
    with served(folder) as studio:
        kills = Kills(studio, options.seed)
        for kind in options.only:
            rows[kind] = kills.many(kind, options.moments)
            print(kind, json.dumps(rows[kind]), file=sys.stderr, flush=True)
        kills.close()
    print(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
