"""A synthetic archive with the habits of Sony's own ERS-7 motions, put together byte by byte.

The habits: angles are whole microradians, cut off, of degrees that were turned with pi = 3.1416; a motion begins with
its first key, wherever that is; names declare postures at both ends (``a_stand#sit_slow``), which are the archive's own
and not those of the robot's pack; ways are travelled at exactly the speed limit; the legs go to the software's limits;
parts of the body have motions of their own, from any posture; some payloads are packed, one entry is a stub, one a
sound, and one name stands twice.
"""

from __future__ import annotations

import gzip
import struct

from aibo_files import LOCATORS, oda, padded, text

Posture = dict[str, float]
JOINTS = (
    *("Tilt1", "Pan", "Tilt2", "Mouth", "LeftEar", "RightEar"),
    *(f"{leg}J{joint}" for leg in ("LF", "LR", "RF", "RR") for joint in (1, 2, 3)),
    *("TailTilt", "TailPan"),
)
"""The joints in the order of `LOCATORS`."""


def micro(degrees: float) -> int:
    """Microradians as Sony's tools make them: 122 deg become 2129306."""
    return int(degrees * 3.1416 / 180.0 * 1e6)


def legs(front: tuple[float, float, float], rear: tuple[float, float, float]) -> Posture:
    """Both front and both rear legs alike [deg]."""
    return {
        f"{side}{end}J{number}": angle
        for end, angles in (("F", front), ("R", rear))
        for side in "LR"
        for number, angle in enumerate(angles, start=1)
    }


def head(tilt1: float, tilt2: float, mouth: float = -3.0, tail: float = 30.0) -> Posture:
    """Head and tail [deg]."""
    return {"Tilt1": tilt1, "Pan": 0, "Tilt2": tilt2, "Mouth": mouth, "TailTilt": tail, "TailPan": 0}


STAND = {**head(-22, 5), **legs((-20, 8, 62), (-32, 8, 72))}
"""The archive's own way to stand: 13 degrees from the pack's in the legs, 12 in the neck."""
SIT = {**head(-25, 10, tail=22), **legs((-13, 0, 17), (-81, 0, 122))}
SLEEP = {**head(-70, 42, tail=5), **legs((59, 0, 17), (-119, 4, 122))}
FAST = 2 * 2.23
"""Largest way of an upper leg in a frame of 16 ms: 278.75 deg/s [deg]."""
NEAR = {"LFJ1": STAND["LFJ1"] + 10 * FAST}
"""A front leg as far forward as it gets in ten frames at its speed limit."""
Key = tuple[int, Posture]

MOTIONS: dict[str, list[Key]] = {
    "a_stand#stand_kick": [(0, STAND), (10, {**STAND, **NEAR}), (10, STAND)],
    "a_stand#stand_long": [(0, STAND), (78, {**STAND, "Pan": 40}), (78, STAND)],
    "a_stand#sit_down": [(0, STAND), (30, {**SIT, "Tilt1": -40}), (30, SIT)],
    "a_sit#stand_up": [(0, SIT), (125, {**SIT, **legs((-13, 0, 30), (-81, 0, 122))}), (125, STAND)],
    "a_sit#sleep_down": [(0, SIT), (60, SLEEP)],
    "a_sleep#sit_up": [(0, SLEEP), (60, SIT)],
    "a_sit#sit_scratch": [(0, SIT), (40, {**SIT, "Pan": 60}), (40, SIT)],
    "a_sleep#sleep_sigh": [(0, SLEEP), (20, {**SLEEP, "Mouth": -20}), (20, SLEEP)],
    "a_station#station_wag": [(0, STAND), (40, {**STAND, "TailPan": 40}), (40, STAND)],
    "h_any#any_nod": [(0, {"Tilt1": -5, "Pan": 60, "Tilt2": 40}), (20, {"Tilt1": -5, "Pan": 60, "Tilt2": 20})],
    "t_any#any_wag": [(0, {"TailTilt": 60, "TailPan": -45}), (12, {"TailTilt": 60, "TailPan": 45})],
    "l_stand#sit_legs": [(0, STAND), (60, SIT)],
}
"""Frames and posture [deg] of each key of each motion."""
_PARTS = {"a": range(20), "h": range(3), "t": range(18, 20), "l": range(6, 18)}
_DESIGNS = {"a": "DRX-1000", "h": "DRX-1000_Head", "t": "DRX-1000_Tail", "l": "DRX-1000_Legs"}


def motion(name: str, keys: list[Key]) -> bytes:
    """The MTN file of a motion."""
    part = name[0]
    joints = [JOINTS[number] for number in _PARTS[part]]
    names = padded(text(name) + text("Sony") + text(_DESIGNS[part]))
    locators = padded(struct.pack("<H", len(joints)) + b"".join(text(LOCATORS[number]) for number in _PARTS[part]))
    data = b""
    for index, (frames, posture) in enumerate(keys):
        data += struct.pack("<i", frames - 1) if index else b""
        data += struct.pack("<3i", 0, 0, 0)
        data += struct.pack(f"<{len(joints)}i", *(micro(posture.get(joint, 0.0)) for joint in joints))
    minor = 2 if part == "a" else 1
    raw = b"OMTN" + struct.pack("<IIIHHHHI", 0, 24, 4, 1, minor, len(keys), 16, 0)
    raw += struct.pack("<II", 1, 8 + len(names)) + names + struct.pack("<II", 2, 8 + len(locators)) + locators
    return raw + struct.pack("<III", 3, 12 + len(data), 0) + data


def archive(motions: dict[str, list[Key]]) -> bytes:
    """The ODA archive of motions, with what else stands in such archives."""
    entries = [(b"OMTN", name, motion(name, keys)) for name, keys in motions.items()]
    entries[3] = (b"OMTN", entries[3][1], gzip.compress(entries[3][2], mtime=1))
    entries.insert(2, (b"OMTN", "alias", b"NotOMTN "))
    entries.insert(5, (b"WAVE", "bark", b"RIFF\4\0\0\0WAVE"))
    entries.append(entries[0])
    return oda(entries)
