"""Hostile documents: YAML that is large, deep, strange, or full of mistakes."""

from __future__ import annotations

from hostile_case import CHECK, GOOD, MOTION, ON_MOTION, RUN, RUN_LIBRARY, Cases, Make, lazy, raw, text

CASES = Cases()


BLOCK = MOTION + "motions: {m: {blocks: [b]}}\nblocks:\n  b:\n    keyframes:\n"
RIGHT, WRONG = "      - {duration: 100, joints: {HeadYaw: 1}}\n", "      - {duration: -1, joints: {HeadYaw: x}}\n"


def keyframes(entry: str, count: int = 1) -> Make:
    """A motion library with keyframes."""
    return lazy(lambda: BLOCK + f"      - {entry}\n" * count)


CASES.add("19 MB of YAML", "a.yaml", lazy(lambda: MOTION + "note: |\n" + "  x\n" * 4_700_000), *ON_MOTION, taken=True)
CASES.add("a million short lines", "a.yaml", lazy(lambda: MOTION + "blocks:\n" + "- 1\n" * 1_000_000), *ON_MOTION)
CASES.add("a million flow items", "a.yaml", lazy(lambda: MOTION + "blocks: [" + "1," * 1_000_000 + "1]"), *ON_MOTION)
CASES.add(
    "a million keys", "a.yaml", lazy(lambda: MOTION + "".join(f"k{n}: 1\n" for n in range(1_000_000))), *ON_MOTION
)
CASES.add("a key that stands 100,000 times", "a.yaml", lazy(lambda: MOTION + "note: 1\n" * 100_000), *ON_MOTION)
CASES.add(
    "unknown fields by the thousand", "a.yaml", keyframes("{duration: 100, jonits: {HeadYaw: 1}}", 50_000), *ON_MOTION
)
CASES.add(
    "wrong values by the thousand", "a.yaml", keyframes("{duration: -1, joints: {HeadYaw: x}}", 50_000), *ON_MOTION
)
CASES.add(
    "wrong values behind 2,000 right ones", "a.yaml",
    lazy(lambda: BLOCK + RIGHT * 2_000 + WRONG * 48_000), *ON_MOTION,
)  # fmt: skip
CASES.add("wrong values in every second place", "a.yaml", lazy(lambda: BLOCK + (RIGHT + WRONG) * 25_000), *ON_MOTION)
CASES.add(
    "wrong values in five hundred blocks", "a.yaml",
    lazy(lambda: MOTION + "blocks:\n" + "".join(f"  b{n}:\n    keyframes:\n" + WRONG * 100 for n in range(500))),
    *ON_MOTION,
)  # fmt: skip
CASES.add("nested lists", "a.yaml", text(MOTION + "note: " + "[" * 100_000), *ON_MOTION)
CASES.add("nested mappings", "a.yaml", text(MOTION + "note: " + "{a: " * 100_000), *ON_MOTION)
CASES.add("nested blocks", "a.yaml", lazy(lambda: MOTION + "".join(" " * n + "a:\n" for n in range(3000))), *ON_MOTION)
CASES.add("nested dashes", "a.yaml", text(MOTION + "note:\n  " + "- " * 100_000), *ON_MOTION)
laughs = "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9) if n else '1'}]\n" for n in range(12))
CASES.add("billion laughs in YAML", "a.yaml", text(MOTION + laughs), *ON_MOTION)
CASES.add("merge keys", "a.yaml", text(MOTION + "a: &a {b: 1}\nc: {<<: *a}\n"), *ON_MOTION)
CASES.add(
    "a tag that runs code", "a.yaml", text(MOTION + "note: !!python/object/apply:os.system ['touch x']\n"), *ON_MOTION
)
CASES.add(
    "a duration of 290 digits", "a.yaml", keyframes(f"{{duration: {'9' * 290}, joints: {{HeadYaw: 1}}}}"), *ON_MOTION
)
CASES.add("a duration of 290 digits to run", "a.yaml", keyframes(f"{{duration: {'9' * 290}}}"), RUN_LIBRARY)
CASES.add("a duration of 1e308", "a.yaml", keyframes("{duration: 1e308, joints: {HeadYaw: 1}}"), *ON_MOTION, taken=True)
CASES.add(
    "a duration of 1e-300", "a.yaml", keyframes("{duration: 1e-300, joints: {HeadYaw: 1}}"), *ON_MOTION, taken=True
)
CASES.add(
    "hours of keyframes", "a.yaml", keyframes("{duration: 59000, joints: {HeadYaw: 1}}", 400), *ON_MOTION, taken=True
)
CASES.add("an angle of 1e308", "a.yaml", keyframes("{duration: 100, joints: {HeadYaw: 1e308}}"), *ON_MOTION, taken=True)
CASES.add("an angle that is not a number", "a.yaml", keyframes("{duration: 100, joints: {HeadYaw: .nan}}"), *ON_MOTION)
CASES.add("a number of 5,000 digits", "a.yaml", keyframes(f"{{duration: {'1' * 5000}}}"), *ON_MOTION)
CASES.add("a number of 5,000 hexadecimal digits", "a.yaml", keyframes(f"{{duration: 0x{'f' * 5000}}}"), *ON_MOTION)
CASES.add(
    "a name of a megabyte", "a.yaml", lazy(lambda: GOOD.replace("[b]", f"[{'b' * 1_000_000}]")), *ON_MOTION, taken=True
)
CASES.add("a robot of a megabyte", "a.yaml", lazy(lambda: GOOD.replace("nao", "n" * 1_000_000)), *ON_MOTION, taken=True)
CASES.add("a robot that is a path", "a.yaml", text(GOOD.replace("nao", "/dev/zero")), CHECK, RUN_LIBRARY)
CASES.add("a NUL in a text", "a.yaml", text(GOOD.replace("HeadYaw", "Head\0Yaw")), *ON_MOTION)
CASES.add("an escaped NUL in a name", "a.yaml", text(GOOD.replace("HeadYaw", '"Head\\0Yaw"')), *ON_MOTION, taken=True)
CASES.add("half a character", "a.yaml", text(GOOD.replace("nao", '"\\ud800"')), *ON_MOTION)
CASES.add("half a character as bytes", "a.yaml", raw(GOOD.encode() + b"note: \xed\xa0\x80\n"), *ON_MOTION)
CASES.add("a mark in front", "a.yaml", raw(b"\xef\xbb\xbf" + GOOD.encode()), *ON_MOTION, taken=True)
CASES.add("three marks in front", "a.yaml", raw(b"\xef\xbb\xbf" * 3 + GOOD.encode()), *ON_MOTION)
CASES.add("UTF-16", "a.yaml", raw(GOOD.encode("utf-16")), *ON_MOTION)
CASES.add("UTF-32", "a.yaml", raw(GOOD.encode("utf-32")), *ON_MOTION)
CASES.add("a line of 10 MB", "a.yaml", lazy(lambda: MOTION + "note: " + "x" * 10_000_000), *ON_MOTION, taken=True)
CASES.add("a quote that is not closed", "a.yaml", lazy(lambda: MOTION + 'note: "' + "x\n" * 1_000_000), *ON_MOTION)
CASES.add("spaces only", "a.yaml", lazy(lambda: " " * 10_000_000), *ON_MOTION)
CASES.add("line ends only", "a.yaml", lazy(lambda: "\n" * 10_000_000), *ON_MOTION)
CASES.add(
    "a motion that follows itself",
    "a.yaml",
    text(GOOD.replace("[b]}", "[], follow_ups: [{motion: m}]}")),
    *ON_MOTION,
    taken=True,
)
many = "motions: {" + ", ".join(f"m{n}: {{blocks: [b]}}" for n in range(500)) + "}\n"
CASES.add(
    "five hundred motions", "a.yaml", text(GOOD.replace("motions: {m: {blocks: [b]}}\n", many)), *ON_MOTION, taken=True
)
CASES.add(
    "a block 2,000 times in a motion",
    "a.yaml",
    text(GOOD.replace("[b]", "[" + "b, " * 2000 + "b]")),
    *ON_MOTION,
    taken=True,
)
CASES.add(
    "a scenario that includes itself", "a.yaml", text("format: andante.scenario\nversion: 1\nrobot: a.yaml\n"), RUN
)
