"""Logs of a crane: a line for each keyframe, its duration [s] and the boom's angle [deg]."""

import math

from andante import Block, Keyframe, Motion, MotionLibrary
from andante.extend import FormatError, MotionFileCodec


class CraneLogCodec(MotionFileCodec):
    """Reads and writes logs of a crane."""

    name = "crane-log"
    title = "log of a crane"
    suffixes = (".crane",)
    robots = ("crane",)

    def sniff(self, head, path):
        return 0.95 if head.startswith(b"crane log\n") else 0.0

    def read(self, path, report):
        report.files.append(path)
        frames = []
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()[1:], 2):
            try:
                duration, angle = map(float, line.split())
            except ValueError as error:
                raise FormatError("this is no duration and angle", file=path, line=number, value=line) from error
            frames.append(Keyframe(duration=duration, joints={"boom": math.radians(angle)}))
        blocks = {path.stem: Block(keyframes=tuple(frames))}
        return MotionLibrary(robot="crane", motions={path.stem: Motion(blocks=(path.stem,))}, blocks=blocks)

    def encode(self, library, losses):
        self.check_robot(library)
        blocks = next(iter(library.motions.values())).blocks
        frames = [frame for block in blocks for frame in library.blocks[block].keyframes]
        lines = [f"{frame.duration:g} {math.degrees(frame.joints['boom']):g}" for frame in frames]
        return {"log": "\n".join(["crane log", *lines, ""]).encode()}
