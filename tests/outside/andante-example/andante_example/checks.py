"""What a crane's motions should not do."""

import math

from andante import Finding


def check_boom(context):
    """Keyframes in which the boom turns back at once."""
    for name, block in context.library.blocks.items():
        angles = [frame.joints.get("boom") for frame in block.keyframes]
        for number, (before, here, after) in enumerate(zip(angles, angles[1:], angles[2:], strict=False), 1):
            if None not in (before, here, after) and (here - before) * (after - here) < 0.0:
                text = f"the boom turns back at {math.degrees(here):.0f} deg"
                yield Finding("jerky-boom", "warning", f"blocks.{name}.keyframes[{number}]", text, "boom")
