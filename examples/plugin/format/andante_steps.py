"""A motion as a text file: a line for each keyframe, its duration [s] and its joints [deg].

steps nao
0.5 HeadPitch=20 HeadYaw=0
0.5 HeadPitch=0
"""

import math

from andante import Block, Keyframe, Motion, MotionLibrary
from andante.extend import FormatError, MotionFileCodec


class StepsCodec(MotionFileCodec):
    """Reads and writes files of steps; one file is one motion, which is called like the file."""

    name = "steps"
    title = "steps in a text file"
    suffixes = (".steps",)

    def sniff(self, head, path):
        """How likely a file is of this format: its first word says so."""
        return 0.9 if head.startswith(b"steps ") else 0.0

    def read(self, path, report):
        """Read a file; `FormatError` names the line that is wrong."""
        report.files.append(path)
        first, *lines = path.read_text(encoding="utf-8").splitlines()
        frames = [self._keyframe(line, path, number) for number, line in enumerate(lines, 2) if line.strip()]
        return MotionLibrary(
            robot=first.removeprefix("steps ").strip(),
            motions={path.stem: Motion(blocks=(path.stem,))},
            blocks={path.stem: Block(keyframes=tuple(frames))},
        )

    def _keyframe(self, line, path, number):
        duration, *targets = line.split()
        try:
            pairs = (target.split("=") for target in targets)
            return Keyframe(
                duration=float(duration), joints={name: math.radians(float(value)) for name, value in pairs}
            )
        except ValueError as error:
            raise FormatError(f"this is no step: {line!r}", file=path, line=number) from error

    def encode(self, library, losses):
        """The file's bytes; what the format cannot hold is put down."""
        (motion,) = library.motions.values()
        lines = [f"steps {library.robot}"]
        for block in motion.blocks:
            for number, frame in enumerate(library.blocks[block].keyframes):
                kept = {name: value for name, value in frame.joints.items() if not isinstance(value, str)}
                if len(kept) < len(frame.joints):
                    losses.add(f"blocks.{block}.keyframes[{number}]", "joints that are off are left out")
                lines.append(" ".join([f"{frame.duration:g}", *(f"{k}={math.degrees(v):g}" for k, v in kept.items())]))
        return {"steps": "\n".join([*lines, ""]).encode()}
