"""Whether the studio loses an acknowledged edit: random edits of two pages while every write fails now and then.

python benchmarks/studio_edits.py [--edits 2000] [--seeds 1]

Each write, fsync, rename, unlink and truncate fails at some time with ENOSPC, EIO or EROFS, writes half of its bytes,
or is where the process ends; after each end another one opens the file. One JSON object: what was acknowledged,
refused, lost, and how often a page or the file was another than the model. Also the time until an edit is on the disk.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "studio"))

from edit_model import Model
from studio_text import TEXT

from andante.studio.document import OpenDocument
from andante.studio.splices import Splice


def acknowledged(count: int) -> list[float]:
    """Times until an edit is in the journal and in the library, on a disk that does not fail [s]."""
    folder = Path(tempfile.mkdtemp(prefix="studio-edits-"))
    (folder / "wave.yaml").write_text(TEXT)
    document = OpenDocument(folder / "wave.yaml", "wave.yaml")
    times = []
    for number in range(count):
        at = document.live.text.index("# the end")
        began = time.perf_counter()
        document.edit((Splice(at, "", f"# {number}\n"),))
        times.append(time.perf_counter() - began)
    document.close()
    return times


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--edits", type=int, default=2000)
    parser.add_argument("--seeds", type=int, default=1)
    options = parser.parse_args()
    rows = []
    for seed in range(options.seeds):
        folder = Path(tempfile.mkdtemp(prefix="studio-edits-"))
        (folder / "wave.yaml").write_text(TEXT)
        rows.append({"seed": seed} | asdict(Model(folder, seed).run(options.edits)))
    times = sorted(acknowledged(200))
    wait = {"median": statistics.median(times), "p95": times[int(0.95 * len(times))], "most": times[-1]}
    print(json.dumps({"edits": options.edits, "runs": rows, "acknowledged_after_s": wait}, indent=1))


if __name__ == "__main__":
    main()
