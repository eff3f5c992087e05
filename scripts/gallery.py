"""Make the pictures of the pages from runs: film strips and one short animation.

    python scripts/gallery.py NAME=RUN[@FROM-TO] ... --out docs/pictures

Each run folder must hold a video. A strip shows five moments, evenly spread from FROM to TO [s]; the first name is also
made into an animation. Pictures are WebP, small enough for a repository.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import imageio_ffmpeg
import numpy as np
from PIL import Image

MOMENTS = 5
"""Pictures per strip."""
WIDTH = 288
"""Width of each picture of a strip, and of the animation [px]."""
RATE = 10
"""Pictures per second of the animation."""


def frames(video: Path) -> tuple[list[Image.Image], float]:
    """All pictures of a video, and how many there are per second."""
    reader = imageio_ffmpeg.read_frames(str(video))
    about = next(reader)
    width, height = about["size"]
    found = [Image.fromarray(np.frombuffer(raw, np.uint8).reshape(height, width, 3)) for raw in reader]
    return found, float(about["fps"])


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", nargs="+", help="NAME=RUN[@FROM-TO]")
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    for number, entry in enumerate(given.runs):
        found = re.fullmatch(r"([\w-]+)=(.+?)(?:@([\d.]+)-([\d.]+))?", entry)
        if found is None:
            parser.error(f"{entry!r} is not NAME=RUN[@FROM-TO]")
        name, run, start, end = found.groups()
        pictures, rate = frames(Path(run) / "video.mp4")
        first = round(float(start or 0.0) * rate)
        last = min(round(float(end) * rate) if end else len(pictures), len(pictures)) - 1
        height = round(WIDTH * pictures[0].height / pictures[0].width)
        strip = Image.new("RGB", (MOMENTS * WIDTH, height))
        for place, row in enumerate(np.linspace(first, last, MOMENTS).round().astype(int)):
            strip.paste(pictures[row].resize((WIDTH, height), Image.Resampling.LANCZOS), (place * WIDTH, 0))
        strip.save(given.out / f"{name}.webp", quality=80, method=6)
        if number == 0:
            some = pictures[first : last + 1 : max(1, round(rate / RATE))]
            small = [picture.resize((WIDTH, height), Image.Resampling.LANCZOS) for picture in some]
            small[0].save(
                given.out / f"{name}-moving.webp",
                save_all=True,
                append_images=small[1:],
                duration=round(1000 / RATE),
                loop=0,
                quality=60,
                method=6,
            )


if __name__ == "__main__":
    main()
