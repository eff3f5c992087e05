"""The lessons: solved in headless chromium, a loop without end is stopped, and only numbers reach the server."""

from __future__ import annotations

import json
import math
import time
from contextlib import closing
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path

import pytest
from page_users import VIEWPORT, PageUser
from pydantic import ValidationError
from served import Served
from socket_clients import StudioClient

import andante.studio
from andante.motions.kicks.document import load_named
from andante.runs.kick.execute import run_kick
from andante.studio.errors import StudioError
from andante.studio.lessons import lesson_scene, play_kick
from andante.studio.message import read_message
from andante.studio.messages import LESSON_JOINTS, MESSAGES, LessonKick

PYODIDE = Path(andante.studio.__file__).parent / "pyodide" / "pyodide.asm.wasm"

FORWARD = """
import math, leg

def forward(hip, knee, ankle):
    x, z = leg.HIP
    u, places = 0.0, []
    for angle, zero, length in zip((hip, knee, ankle), leg.ZERO, (leg.THIGH, leg.TIBIA, leg.FOOT)):
        u += angle + zero
        x, z = x + length * math.cos(u), z + length * math.sin(u)
        places.append((x, z))
    return (*places, u)
"""
INVERSE = """
import math, leg

def inverse(x, z, rotation):
    dx = x - leg.FOOT * math.cos(rotation) - leg.HIP[0]
    dz = z - leg.FOOT * math.sin(rotation) - leg.HIP[1]
    d, a, b = math.hypot(dx, dz), leg.THIGH, leg.TIBIA
    if d > a + b + 1e-9 or d < 1e-9:
        return []
    k = math.pi - math.acos(max(-1.0, min(1.0, (a * a + b * b - d * d) / (2 * a * b))))
    phi, alpha = math.atan2(dz, dx), math.atan2(b * math.sin(k), a + b * math.cos(k))
    solutions = []
    for sign in (1, -1):
        u1, u2 = phi - sign * alpha, sign * k
        angles = []
        for u, zero, low, high in zip((u1, u2, rotation - u1 - u2), leg.ZERO, leg.LOWER, leg.UPPER):
            angle = u - zero
            while angle < low - 1e-9: angle += 2 * math.pi
            while angle > high + 1e-9: angle -= 2 * math.pi
            angles.append(angle)
        solutions.append(angles)
    return solutions
"""
POSES = """
import leg
from lesson3 import inverse

keyframes = []
for (x, z), rotation, duration in [((0.34, 0.25), -1.5, 1.05), ((0.73, 0.198), -0.4, 0.3), ((1.0, 0.37), -0.3, 0.3)]:
    inside = lambda s: all(a - 1e-6 <= v <= b + 1e-6 for a, v, b in zip(leg.LOWER, s, leg.UPPER))
    good = [s for s in inverse(x, z, rotation) if inside(s)]
    if not good:
        raise ValueError(f"no posture for {x}, {z}")
    keyframes.append(dict(zip(("hip_angle", "knee_angle", "ankle_angle"), good[0]), duration=duration))
"""
BY_HAND = """
from math import radians
keyframes = [
    dict(hip_angle=radians(-80), knee_angle=0, ankle_angle=radians(-60), duration=0.9),
    dict(hip_angle=radians(12), knee_angle=radians(10.7), ankle_angle=radians(-22.2), duration=0.3),
    dict(hip_angle=radians(30), knee_angle=radians(60), ankle_angle=radians(-60), duration=0.3),
]
"""


def test_a_kick_of_a_lesson_is_that_of_the_command() -> None:
    rows = [(0.9, -1.4, 0.0, -1.0), (0.3, 0.2, 0.2, -0.4), (0.3, 0.5, 1.0, -1.0)]
    found = play_kick(LessonKick(do="lesson_kick", keyframes=rows))
    document = {"format": "andante.kick", "version": 1, "units": {"angle": "rad", "time": "s"}}
    document["keyframes"] = [{"duration": d, "joints": dict(zip(LESSON_JOINTS, a, strict=True))} for d, *a in rows]
    from andante.motions.kicks.document import load_kick

    same = run_kick(load_kick(json.dumps(document)))
    assert found["distance"] == same.distance
    assert found["rows"][0][1:3] == [0.8, 1.0]
    nearest = min(math.hypot(x - 2.5, z - 0.75) for _, x, z, *_ in found["rows"])
    # Pictures are 20 ms apart and the ball is slower than 5 m/s on its way to the target.
    assert same.distance - 1e-4 <= nearest < same.distance + 0.1


def test_nobody_moves() -> None:
    still = run_kick(load_named("still"))
    assert play_kick(LessonKick(do="lesson_kick", keyframes=()))["distance"] == still.distance


def test_the_scene_has_the_legs_numbers() -> None:
    found = lesson_scene()
    assert found["base"] == [0.5, 0.55]
    assert found["lengths"] == pytest.approx([0.2, 0.2, 0.15])
    assert [math.degrees(angle) for angle in found["zero"]] == pytest.approx([-45.0, -90.0, 111.61], abs=5e-3)
    assert [math.degrees(angle) for angle in found["lower"]] == pytest.approx([-90.0, -45.0, -135.0])
    assert found["target"] == [2.5, 0.75]


@pytest.mark.parametrize(
    "keyframes",
    [
        [["import os", 0, 0, 0]],
        [[0.0, 0, 0, 0]],
        [[1e9, 0, 0, 0]],
        [[0.1, 7.0, 0, 0]],
        [[0.1, 0, 0]],
        [[10.0, 0, 0, 0]] * 3,
        [[0.1, 0, 0, 0]] * 21,
        "x",
        None,
    ],
)
def test_what_is_no_kick_is_refused(keyframes: object) -> None:
    with pytest.raises(StudioError):
        read_message(json.dumps({"do": "lesson_kick", "keyframes": keyframes}), MESSAGES)
    for number in ("NaN", "Infinity", "1e999"):
        with pytest.raises(StudioError):
            read_message(f'{{"do": "lesson_kick", "keyframes": [[0.1, {number}, 0, 0]]}}', MESSAGES)


def test_code_has_no_place_in_the_message() -> None:
    with pytest.raises(ValidationError):
        LessonKick(do="lesson_kick", keyframes=(), code="print()")


class Student(PageUser):
    """A person at the lessons' page."""

    def __init__(self, chromium: object, studio: Served, *, theme: str = "light") -> None:
        self.context = chromium.new_context(viewport=VIEWPORT, color_scheme=theme)
        # The console tells what the browser's policy refuses to programs.
        super().__init__(self.context.new_page(), timeout=60.0, console=False)
        self.sent: list[str] = []
        self.asked: list[str] = []
        self.page.on("websocket", lambda socket: socket.on("framesent", lambda data: self.sent.append(str(data))))
        # What the browser's policy stops has no answer.
        self.page.on("response", lambda answer: self.asked.append(f"{answer.url} {answer.request.post_data}"))
        self.page.goto(studio.url.replace("/?", "/lessons.html?"))
        self.page.goto(studio.url)
        self.page.goto(f"http://127.0.0.1:{studio.port}/lessons.html")
        self.wait("lessons.leg !== null")

    @property
    def verdict(self) -> str:
        return self.page.inner_text(".lesson-view .verdict")

    def lesson(self, number: int, text: str) -> None:
        self.page.click(f"[data-lesson=lesson{number}]")
        self.page.click(".lesson-editor .cm-content")
        self.page.keyboard.press("Control+a")
        self.page.keyboard.press("Delete")
        self.page.keyboard.insert_text(text)

    def run(self) -> str:
        self.page.click("text=▶ Run")
        self.wait(
            "!lessons.python.running && /pass|fail/.test(document.querySelector('.lesson-view .verdict').className)"
        )
        return self.verdict

    def done(self) -> None:
        self.context.close()
        assert not self.errors


needs_python = pytest.mark.skipif(not PYODIDE.exists(), reason="needs Python for the browser (make pyodide)")


@pytest.mark.slow
@pytest.mark.browser
@needs_python
def test_all_lessons_are_solved(chromium: object, studio: Served) -> None:
    student = Student(chromium, studio)
    assert "Furthest off" in (student.page.click("[data-lesson=lesson2]"), student.run())[1]
    for number, text in enumerate((BY_HAND, FORWARD, INVERSE, POSES), 1):
        student.lesson(number, text)
        verdict = student.run()
        assert "Solved" in verdict, (number, verdict, student.page.inner_text(".lesson-output"))
    distance = float(student.verdict.split()[1])
    assert distance < 0.45
    # Back at the page, the programs are there again.
    student.page.reload()
    student.wait("lessons.leg !== null")
    assert "no posture for" in student.page.inner_text(".lesson-editor .cm-content")
    student.done()


@pytest.mark.slow
@pytest.mark.browser
@needs_python
def test_a_loop_without_end_is_stopped_and_errors_have_their_line(chromium: object, studio: Served) -> None:
    student = Student(chromium, studio)
    # One that prints without end is as endless as one that does nothing, and must not fill the page either.
    student.lesson(1, "print('here')\nwhile True:\n    print('x' * 1000)\n")
    began = time.monotonic()
    assert "stopped after 5 s" in student.run()
    assert time.monotonic() - began < 60.0
    assert student.page.inner_text(".lesson-output").startswith("here")
    assert len(student.page.inner_text(".lesson-output")) < 30_000
    student.lesson(1, "a = 1\nb = a / 0\n")
    assert "line 2: ZeroDivisionError" in student.run()
    student.lesson(1, "a = 1\nb = = 2\n")
    assert "line 2: SyntaxError" in student.run()
    student.lesson(1, "keyframes = [dict(hip_angle=99, knee_angle=0, ankle_angle=0, duration=1)]\n")
    assert "6.28" in student.run()
    student.lesson(1, "a = 1\n")
    assert "this lesson needs 'keyframes'" in student.run()
    student.done()


SNOOP = """
import js
SECRET = 'a-word-of-the-student'
found = []
async def nothing(): pass
for name in ('/', '/studio.js', '/?x=' + SECRET):
    request = js.XMLHttpRequest.new()
    try:
        request.open('GET', str(js.location.origin) + name, False)
        request.send()
        found.append(name)
    except Exception as error:
        print('refused', name)
js.WebSocket.new(str(js.location.origin).replace('http', 'ws') + '/socket?' + SECRET)
js.fetch(str(js.location.origin) + '/?' + SECRET)
print('found', found)
keyframes = []
"""


def visitors(studio: Served) -> int:
    """How many sockets the server has accepted, this one included."""
    with closing(StudioClient(studio)) as client:
        return client.number


@pytest.mark.slow
@pytest.mark.browser
@needs_python
def test_nothing_of_the_program_reaches_the_server(chromium: object, studio: Served) -> None:
    """Neither by the page, which sends numbers, nor by the program itself, whose worker may not."""
    student = Student(chromium, studio)
    student.lesson(1, SNOOP)
    before = visitors(studio)
    student.run()
    assert "found []" in student.page.inner_text(".lesson-output")
    time.sleep(0.5)
    assert visitors(studio) == before + 1
    everything = " ".join(student.sent + student.asked)
    assert "a-word-of-the-student" not in everything
    assert "lesson_kick" in everything
    kicks = [json.loads(text) for text in student.sent if "lesson_kick" in text]
    assert [set(each) for each in kicks] == [{"do", "keyframes", "request"}]
    assert not any("a-word" in line for line in studio.lines)
    student.done()


@pytest.mark.slow
@pytest.mark.browser
def test_without_python_the_page_says_how_to_get_it(chromium: object, studio: Served) -> None:
    student = Student(chromium, studio)
    student.page.evaluate("lessons.leg.python = false; lessons.show(lessons.lesson)")
    assert "make pyodide" in student.verdict
    assert student.page.is_disabled("text=▶ Run")
    student.done()


@pytest.mark.slow
@pytest.mark.browser
@needs_python
def test_python_is_kept_by_the_browser_tells_how_far_it_is_and_names_what_is_missing(
    chromium: object, studio: Served
) -> None:
    student = Student(chromium, studio)
    said = "new MutationObserver(() => said.push(document.querySelector('.lesson-view .verdict').textContent))"
    student.get(f"window.said = []; {said}.observe(document.body, {{ subtree: true, childList: true }})")
    student.lesson(1, BY_HAND)
    assert "Solved" in student.run()
    assert any(text.startswith("Python is loading… ") and text.endswith(" MB") for text in student.get("said"))
    # Its second worker is told that nothing has changed.
    address = f"/pyodide/pyodide.asm.wasm?token={studio.token}"
    with closing(HTTPConnection("127.0.0.1", studio.port)) as link:

        def asked(**headers: str) -> HTTPResponse:
            link.request("GET", address, headers={name.replace("_", "-"): value for name, value in headers.items()})
            answer = link.getresponse()
            assert bool(answer.read()) == (answer.status == 200)
            return answer

        first = asked()
        assert (first.status, first.headers["cache-control"]) == (200, "private, no-cache")
        assert asked(If_None_Match=first.headers["etag"]).status == 304
        assert asked(If_None_Match='"another"').status == 200
    # A file that is gone meanwhile.
    student.context.route("**/python_stdlib.zip", lambda route: route.fulfill(status=404, body="there is no such file"))
    student.lesson(1, BY_HAND)
    assert "Python could not be loaded: python_stdlib.zip: there is no such file" in student.run()
    student.done()


@pytest.mark.slow
@pytest.mark.browser
def test_two_tabs_of_one_lesson_show_what_is_kept(chromium: object, studio: Served) -> None:
    student = Student(chromium, studio)
    other = PageUser(student.context.new_page(), 60.0)
    other.page.goto(f"http://127.0.0.1:{studio.port}/lessons.html#lesson1")
    other.wait("lessons.leg !== null")
    student.lesson(1, "a = 1")
    other.wait("lessons.view.state.doc.toString() === 'a = 1'")
    other.page.click(".lesson-editor .cm-content")
    other.page.keyboard.press("Control+End")
    other.page.keyboard.type("0")
    student.wait("lessons.view.state.doc.toString() === 'a = 10'")
    other.done()
    student.done()
