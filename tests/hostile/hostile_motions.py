"""Hostile motion files of other programs: JSON, XML, CSV, B-Human, Python, Webots, poses."""

from __future__ import annotations

from hostile_case import CHECK, ON_MOTION, Cases, lazy, text

CASES = Cases()


CASES.add("JSON nested", "a.json", text("[" * 100_000), *ON_MOTION)
CASES.add(
    "JSON of a million numbers",
    "a.json",
    lazy(lambda: '{"keyframes": [' + "1," * 1_000_000 + "1]}"),
    CHECK,
    ("convert", "{0}", "{out}.csv", "--from", "bitbots"),
)
CASES.add(
    "JSON of equal names",
    "a.json",
    lazy(lambda: '{"keyframes": [{' + '"a":1,' * 100_000 + '"a":1}]}'),
    ("convert", "{0}", "{out}.csv", "--from", "bitbots"),
)
CASES.add("JSON with half a character", "a.json", text('{"keyframes": [], "name": "\\ud800"}'), *ON_MOTION, taken=True)
CASES.add(
    "XML of a timeline without end",
    "a.xar",
    text("<ChoregrapheProject><Box><Timeline fps='1e-300' size='1e300'/></Box></ChoregrapheProject>"),
    *ON_MOTION,
    taken=True,
)
CASES.add(
    "XML of a million elements",
    "a.xar",
    lazy(lambda: "<ChoregrapheProject>" + "<a/>" * 900_000 + "</ChoregrapheProject>"),
    *ON_MOTION,
)
CASES.add(
    "a CSV of a million lines",
    "a.csv",
    lazy(lambda: "time,HeadYaw\n" + "".join(f"{n},0\n" for n in range(1_000_000))),
    *ON_MOTION,
    taken=True,
)
CASES.add("a CSV of a million columns", "a.csv", lazy(lambda: "time" + ",a" * 1_000_000 + "\n"), *ON_MOTION)
CASES.add("a CSV with an open quote", "a.csv", lazy(lambda: 'time,a\n1,"' + "x\n" * 3_000_000), *ON_MOTION)
CASES.add("B-Human brackets", "keyframeMotionEngine.cfg", text("keyframeBlock = [" + "{a = [" * 50_000), *ON_MOTION)
CASES.add(
    "B-Human comments",
    "keyframeMotionEngine.cfg",
    lazy(lambda: "keyframeBlock = [" + "// x\n" * 1_000_000),
    *ON_MOTION,
)
CASES.add(
    "a comment that is not closed",
    "keyframeMotionEngine.cfg",
    lazy(lambda: "keyframeBlock = [ /*" + "*" * 8_000_000),
    *ON_MOTION,
)
CASES.add(
    "Python that runs",
    "a.py",
    text("names = list()\ntimes = list()\nkeys = list()\nimport os\nnames.append(os.system('touch x'))\n"),
    *ON_MOTION,
)
CASES.add(
    "Python nested",
    "a.py",
    text("names = list()\ntimes = list()\nkeys = list()\nkeys.append(" + "[" * 90_000 + ")"),
    *ON_MOTION,
)
CASES.add(
    "Webots backwards", "a.motion", text("#WEBOTS_MOTION,V1.0,HeadYaw\n99:99:999,a,1\n00:00:000,b,1\n"), *ON_MOTION
)
CASES.add(
    "a .pos of a million lines",
    "a.pos",
    lazy(lambda: "! " + "0 " * 25 + "100\n" + "$ x\n" * 1_000_000),
    *ON_MOTION,
    taken=True,
)
