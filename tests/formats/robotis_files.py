"""Pages of ROBOTIS's motion files, byte by byte as `docs/sources/robotis.md` has them."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

Step = tuple[Mapping[int, int], int, int]
"""Positions by servo, pause, time."""
STAND = dict.fromkeys(range(1, 21), 2048)
CROUCH = STAND | {11: 2048 + 683, 12: 2048 - 683, 13: 2048 - 1138, 14: 2048 + 1138, 15: 2048 - 455, 16: 2048 + 455}
"""Hips at 60, knees at 100, ankles at 40 degrees: thighs forward, shanks back, soles level on an OP3."""


def page(
    name: bytes = b"",
    steps: Sequence[Step] = (),
    *,
    repeat: int = 1,
    schedule: int = 0x0A,
    speed: int = 32,
    accel: int = 32,
    following: int = 0,
    leaving: int = 0,
    count: int | None = None,
) -> bytes:
    """A page of 512 bytes with its checksum."""
    raw = bytearray(512)
    raw[: len(name)] = name
    raw[15], raw[16], raw[20], raw[22] = repeat, schedule, len(steps) if count is None else count, speed
    raw[24], raw[25], raw[26] = accel, following, leaving
    raw[32:63] = bytes([0x55]) * 31
    for index in range(7):
        positions, pause, time = steps[index] if index < len(steps) else ({}, 0, 0)
        values = [positions.get(servo, 0x4000) for servo in range(31)]
        struct.pack_into("<31HBB", raw, 64 + 64 * index, *values, pause, time)
    raw[31] = (0xFF - sum(raw)) & 0xFF
    return bytes(raw)


def action_file(pages: Mapping[int, bytes]) -> bytes:
    """The file of 256 pages, of which the others are empty."""
    return b"".join(pages.get(number, page()) for number in range(256))


ACTIONS = action_file(
    {
        1: page(b"stand up", [(STAND, 0, 125)]),
        12: page(b"kick", [({13: 1500, 14: 2100}, 25, 40), ({13: 2048}, 0, 20)] * 3, following=13),
        13: page(b"", [({13: 1800}, 0, 10)], repeat=2),
        15: page(b"sit down", [(STAND, 0, 60), (CROUCH, 25, 125)], leaving=1),
        20: page(b"march", [({19: 2200}, 0, 50)], following=21),
        21: page(b"", [({19: 1900}, 0, 50)], repeat=2, following=20),
        30: page(b"limp", [({1: 0x2000, 2: 2000}, 10, 80)], speed=64, accel=0),
    }
)


TextStep = tuple[Mapping[int, int], str, str]
"""Positions by servo, pause and time [s]."""


def text_page(name: str, steps: Sequence[TextStep], param: str = "0 0 1 1.0 32") -> list[str]:
    """The lines of a page of RoboPlus Motion; servos that a step does not name stand at 512."""
    compliance = " ".join("5" * 26)
    rows = ["page_begin", f"name={name}", f"compliance={compliance}", f"play_param={param}"]
    for positions, pause, time in steps:
        values = " ".join(str(positions.get(servo, 512)) for servo in range(26))
        rows.append(f"step={values} {pause} {time}")
    return [*rows, "page_end"]


def text_file(*pages: Sequence[str]) -> bytes:
    """A file of RoboPlus Motion with 18 servos: a mark, lines, and two bytes that make the sum of all vanish."""
    enabled = " ".join("0" + "1" * 18 + "0" * 7)
    head = ["type=motion", "version=1.01", f"enable={enabled}", f"motor_type={' '.join('0' * 26)}"]
    body = b"\xef\xbb\xbf" + "".join(f"{row}\r\n" for row in [*head, *(row for page in pages for row in page)]).encode()
    return body + (-(sum(body) + 1) & 0xFFFF).to_bytes(2, "big")


BIOLOID = text_file(
    text_page("Init", [({1: 235, 2: 788}, "0", "1"), ({1: 279}, "0.496", "0.296")]),
    text_page("Bow", [({11: 300, 12: 723}, "0.08", "0.8")], "3 0 2 2.0 32"),
    text_page("", [({}, "0", "0.4")]),
    text_page("", []),
)
