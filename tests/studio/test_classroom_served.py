"""A class over its sockets: work, progress, a lecturer who looks, and nobody who reaches what is another's."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from robot_models import quadruped
from served import run_command
from served_class import ServedClass, StudentClient, served_class

pytestmark = pytest.mark.slow
NAMES = "Ada Lovelace\nBob\nEve\n"


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedClass]:
    with served_class(tmp_path_factory.mktemp("class"), NAMES) as found:
        yield found


@pytest.fixture
def ada(running: ServedClass) -> Iterator[StudentClient]:
    client = StudentClient(running, "ada-lovelace")
    yield client
    client.close()


def _home(running: ServedClass, slug: str) -> Path:
    return running.folder / "students" / slug


def test_a_lesson_is_done_step_by_step_and_the_lecturer_sees_it(running: ServedClass, ada: StudentClient) -> None:
    assert ada.hello["class"]["student"] == "Ada Lovelace"
    assert ada.hello["first"] == "lesson-1.yaml"
    lecturer = running.connect("lecturer")
    ada.open("lesson-1")
    ada.edit("RShoulderPitch: -40", "RShoulderPitch: -60")
    told = ada.wait("progress")
    assert [step["done"] for step in told["lessons"][0]["steps"]] == [True, False, False, False, False]
    more = "".join(f"      - {{duration: 400, joints: {{RShoulderRoll: {angle}}}}}\n" for angle in (-50, -20, -50))
    ada.edit("RElbowRoll: 20}\n", "RElbowRoll: 20}\n" + more)
    while sum(step["done"] for step in told["lessons"][0]["steps"]) < 3:
        told = ada.wait("progress")
    ada.send(do="play", motion="wave", speed=10.0)
    assert ada.wait("verdict")["verdict"] == "pass"
    ada.ask(do="hand", up=True)
    ada.ask(do="save")
    end = time.monotonic() + 60
    row: dict = {}
    while time.monotonic() < end and row.get("done", {}).get("lesson-1") != 5:
        row = json.loads(lecturer.recv(timeout=60))["students"][0]
    lecturer.close()
    assert row["done"] == {"lesson-1": 5, "lesson-2": 0, "lesson-3": 0, "lesson-4": 0}
    assert (row["name"], row["pages"], row["hand"], row["step"]) == ("Ada Lovelace", 1, True, 6)
    assert (row["run"]["motion"], row["run"]["verdict"]) == ("wave", "pass")
    assert "RShoulderPitch: -60" in (_home(running, "ada-lovelace") / "lesson-1.yaml").read_text()


def test_what_was_edited_while_it_ran_has_not_run(running: ServedClass) -> None:
    bob = StudentClient(running, "bob")

    def done() -> list[bool]:
        bob.send(do="hand", up=True)
        return [step["done"] for step in bob.wait("progress")["lessons"][0]["steps"]]

    bob.open("lesson-1")
    bob.edit("RShoulderPitch: -40", "RShoulderPitch: -60")
    more = "".join(f"      - {{duration: 400, joints: {{RShoulderRoll: {angle}}}}}\n" for angle in (-50, -20, -50))
    bob.edit("RElbowRoll: 20}\n", "RElbowRoll: 20}\n" + more)
    bob.wait("checks", state="checked", revision=2)
    assert done() == [True, True, True, False, False]
    bob.send(do="play", motion="wave")
    assert bob.wait("started")["revision"] == 2
    bob.edit("RShoulderRoll: -20}", "RShoulderRoll: -25}")
    assert bob.wait("verdict")["verdict"] == "pass"
    assert done() == [True, True, True, False, False]
    bob.send(do="play", motion="wave", speed=10.0)
    assert bob.wait("verdict")["verdict"] == "pass"
    assert done() == [True, True, True, True, False]
    bob.close()


def test_begin_again_is_an_edit_that_can_be_undone(ada: StudentClient) -> None:
    ada.open("lesson-4")
    begun = ada.text
    ada.edit("LFJ2: 48", "LFJ2: 60")
    changed = ada.text
    assert ada.ask(do="begin_again")["type"] == "done"
    assert ada.ask(do="open", file="lesson-4.yaml")["text"] == begun
    assert ada.ask(do="undo")["type"] == "edited"
    assert ada.ask(do="open", file="lesson-4.yaml")["text"] == changed


def test_the_lecturer_looks_at_the_work_as_it_is_made_and_changes_nothing(
    running: ServedClass, ada: StudentClient
) -> None:
    ada.open("lesson-2")
    look = StudentClient(running, "lecturer", "look/ada-lovelace/socket")
    assert look.hello["class"]["readonly"]
    assert look.hello["first"] == "lesson-2.yaml"
    # A page of the same number would take the student's edits for its own.
    assert look.hello["page"] != ada.hello["page"]
    state = look.ask(do="open", file="lesson-2.yaml")
    ada.edit("duration: 500", "duration: 520")
    seen = look.wait("edited")
    assert seen["splices"][0][2] in ("520", "2", "duration: 520")
    before = (_home(running, "ada-lovelace") / "lesson-2.yaml").read_bytes()
    for message in (
        {"do": "text", "revision": seen["revision"], "changes": [[0, 0, "# mine"]]},
        {"do": "undo"},
        {"do": "save"},
        {"do": "play", "motion": "bow"},
        {"do": "new", "file": "x.yaml", "robot": "nao"},
        {"do": "prove", "motion": "bow"},
        {"do": "keep_posture", "name": "x", "joints": {"HeadYaw": 0.1}},
        {"do": "begin_again"},
        {"do": "open", "file": "../bob/lesson-1.yaml"},
        {"do": "open", "file": "gone.yaml"},
    ):
        assert look.ask(**message)["type"] == "refused", message
    assert state["type"] == "state"
    assert (_home(running, "ada-lovelace") / "lesson-2.yaml").read_bytes() == before
    look.close()


def test_no_request_reaches_what_is_anothers(running: ServedClass) -> None:
    bob = _home(running, "bob")
    bob.mkdir(parents=True, exist_ok=True)
    (bob / "lesson-1.yaml").write_text("# Bob's own")
    mine = _home(running, "ada-lovelace")
    for name, target in (("link.yaml", bob / "lesson-1.yaml"), ("linked", bob), ("up", running.folder)):
        if not (mine / name).is_symlink():
            (mine / name).symlink_to(target)
    cookie = {"Cookie": f"andante-studio-{running.port}={running.token('ada-lovelace')}"}
    attempts = [
        ("/bob/", "ada-lovelace", {}),
        ("/bob/", "", cookie),
        ("/bob/lessons.html", "ada-lovelace", {}),
        ("/bob/download?file=lesson-1.yaml", "ada-lovelace", {}),
        ("/bob/download?file=lesson-1.yaml", "", cookie),
        ("/lecturer/", "ada-lovelace", {}),
        ("/lecturer/look/bob/", "ada-lovelace", {}),
        ("/ada-lovelace/../bob/download?file=lesson-1.yaml", "ada-lovelace", {}),
        ("/ada-lovelace/%2e%2e/bob/download?file=lesson-1.yaml", "ada-lovelace", {}),
        ("/ada-lovelace/download?file=../bob/lesson-1.yaml", "ada-lovelace", {}),
        ("/ada-lovelace/download?file=..%2fbob%2flesson-1.yaml", "ada-lovelace", {}),
        (f"/ada-lovelace/download?file={bob}/lesson-1.yaml", "ada-lovelace", {}),
        ("/ada-lovelace/download?file=link.yaml", "ada-lovelace", {}),
        ("/ada-lovelace/download?file=linked/lesson-1.yaml", "ada-lovelace", {}),
        ("/ada-lovelace/download?file=up/class.json", "ada-lovelace", {}),
        ("/ada-lovelace/download?file=.lesson-1.yaml.studio", "ada-lovelace", {}),
        ("/ada-lovelace/download?file=", "ada-lovelace", {}),
        ("/ada-lovelace/download?file=%00", "ada-lovelace", {}),
        ("/ada-lovelace/terrain.html", "ada-lovelace", {}),
        ("/ada-lovelace/experiments.html", "ada-lovelace", {}),
        ("/ada-lovelace/", "bob", {}),
        ("/ada-lovelace/", "", {}),
        ("/", "ada-lovelace", {}),
        ("/class.json", "ada-lovelace", {}),
        ("/nobody/", "ada-lovelace", {}),
        ("/ada-lovelace/", "ada-lovelace", {"Host": "evil.example"}),
        ("/ada-lovelace/", "ada-lovelace", {"Origin": "http://evil.example"}),
    ]
    for path, token_of, headers in attempts:
        status, text = running.get(path, token_of, headers)
        assert status >= 400, path
        assert "Bob's own" not in text
        assert "token" not in text.lower() or "with its token" in text
    for path in (
        "/ada-lovelace/upload?file=../bob/new.yaml",
        "/ada-lovelace/upload?file=linked/new.yaml",
        "/bob/upload?file=a.yaml",
    ):
        assert running.get(path, "ada-lovelace", body=b"format: andante.motions\nrobot: nao\n")[0] >= 400
    assert (
        running.get("/ada-lovelace/upload?file=a.yaml", "ada-lovelace", {"Origin": "http://evil.example"}, b"x")[0]
        == 403
    )
    assert sorted(path.name for path in bob.glob("*.yaml")) == ["lesson-1.yaml"]
    # Who belongs to the class is not told by the answer.
    assert running.get("/nobody/", "ada-lovelace") == running.get("/bob/", "ada-lovelace")


def test_no_socket_reaches_what_is_anothers(running: ServedClass, ada: StudentClient) -> None:
    from websockets.exceptions import WebSocketException

    doors = [
        {"slug": "bob", "token_of": "ada-lovelace"},
        {"slug": "bob", "cookie": f"andante-studio-{running.port}={running.token('ada-lovelace')}"},
        {"slug": "lecturer", "token_of": "ada-lovelace"},
        {"slug": "lecturer", "path": "look/bob/socket", "token_of": "ada-lovelace"},
        {"slug": "lecturer", "path": "look/nobody/socket"},
        {"slug": "ada-lovelace", "path": "terrain"},
        {"slug": "ada-lovelace", "origin": "http://evil.example"},
        {"slug": "ada-lovelace", "path": "upload"},
    ]
    for door in doors:
        with pytest.raises((WebSocketException, OSError)):
            running.connect(**door)
    bob = _home(running, "bob") / "lesson-1.yaml"
    for message in (
        {"do": "open", "file": "../bob/lesson-1.yaml"},
        {"do": "open", "file": str(bob)},
        {"do": "open", "file": "link.yaml"},
        {"do": "new", "file": "../bob/evil.yaml", "robot": "nao"},
        {"do": "new", "file": "linked/evil.yaml", "robot": "nao"},
        {"do": "new", "file": "mine.yaml", "robot": "../bob/robot.xml"},
        {"do": "look_at_robot", "robot": "../bob/robot.xml"},
        {"do": "write_pack", "robot": "nao", "folder": "../bob/pack"},
        {"do": "open", "file": "lesson-1.yaml", "robot": str(bob)},
        {"do": "midi_ports"},
        {"do": "lesson", "lesson": "../bob/lesson-1"},
        {"do": "prove", "motion": "x"},
    ):
        assert ada.ask(**message)["type"] == "refused", message


def test_a_document_that_names_another_students_robot_gets_none(running: ServedClass, ada: StudentClient) -> None:
    bob = _home(running, "bob")
    bob.mkdir(parents=True, exist_ok=True)
    (bob / "robot.xml").write_text(quadruped())
    (running.folder / "robot.xml").write_text(quadruped())
    ada.ask(do="new", file="robots.yaml", robot="nao")
    state = ada.ask(do="open", file="robots.yaml")
    ada.text, ada.revision = state["text"], state["revision"]
    called = "nao"
    for other in ("../bob/robot.xml", str(bob / "robot.xml"), "../../robot.xml", "robot.xml"):
        ada.edit(f"robot: {called}\n", f"robot: {other}\n")
        called = other
        told = ada.wait("robot")
        assert told["robot"] is None, other
        assert "there is no such" in told["problem"]
    ada.edit(f"robot: {called}\n", "robot: nao\n")
    assert ada.wait("robot")["robot"]["name"] == "nao"


def test_a_large_upload_is_told_and_a_small_one_is_there(running: ServedClass, ada: StudentClient) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", running.port, timeout=30)
    path = f"/ada-lovelace/upload?file=big.yaml&token={running.token('ada-lovelace')}"
    connection.putrequest("POST", path)
    connection.putheader("Content-Length", str(10**9))
    connection.endheaders()
    for _ in range(3):
        connection.send(b"x" * 1_000_000)
    answer = connection.getresponse()
    assert answer.status == 413
    assert answer.read().decode() == "big.yaml: this file has 1000 MB or more; one may have 2 MB"
    connection.close()
    # The others are answered meanwhile and afterwards.
    assert running.get("/bob/", "bob")[0] == 200
    text = b"format: andante.motions\nversion: 1\nrobot: nao\n"
    assert running.get("/ada-lovelace/upload?file=brought.yaml", "ada-lovelace", body=text) == (201, "brought.yaml")
    assert ada.ask(do="open", file="brought.yaml")["type"] == "state"
    assert running.get("/ada-lovelace/download?file=brought.yaml", "ada-lovelace") == (200, text.decode())
    for name, body, told in (
        ("brought.yaml", text, "there is a file of this name"),
        ("x.txt", text, "a class takes motion documents"),
        ("x.yaml", b"\xff\xfe", "is no text in UTF-8"),
        ("x.yaml", b"format: [", "x.yaml"),
        (".hidden.yaml", text, "hidden files"),
    ):
        status, answer = running.get(f"/ada-lovelace/upload?file={name}", "ada-lovelace", body=body)
        assert status == 422, name
        assert told in answer
    assert running.get("/ada-lovelace/upload?file=x.yaml", "ada-lovelace")[0] == 405


def test_a_document_that_grows_without_end_is_refused(ada: StudentClient) -> None:
    ada.ask(do="new", file="long.yaml", robot="nao")
    state = ada.ask(do="open", file="long.yaml")
    ada.text, ada.revision = state["text"], state["revision"]
    assert ada.edit("format:", "#" + "x" * 700_000 + "\nformat:")["type"] == "edited"
    told = ada.edit("#x", "#" + "x" * 700_000)
    assert told["type"] == "refused"
    assert "the document would be too long for a class" in told["text"]


def test_a_helper_that_is_killed_costs_one_question(running: ServedClass, ada: StudentClient) -> None:
    ada.open("lesson-4")
    found = []
    for folder in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            slow = (folder / "comm").read_text().startswith("studio-slow")
            if slow and os.getpgid(int(folder.name)) == os.getpgid(running.process.pid):
                found.append(int(folder.name))
    assert found
    for pid in found:
        os.kill(pid, signal.SIGKILL)
    time.sleep(0.5)
    answers = [ada.ask(do="prove", motion="save", seeds=1) for _ in range(2)]
    assert answers[-1]["type"] == "proof"


def test_what_cannot_be_served_is_told_in_one_message(tmp_path: Path) -> None:
    (tmp_path / "names.txt").write_text("Ada\n")
    (tmp_path / "lessons").mkdir()
    (tmp_path / "lessons" / "a.yaml").write_text("format: andante.lesson\n")
    names = ("--students", str(tmp_path / "names.txt"))
    for arguments, told in (
        (("--class",), "a class needs the names of its students"),
        (("--class", "--students", "gone.txt"), "gone.txt: cannot be read"),
        (("--class", *names, "--lessons", str(tmp_path / "lessons")), "a.yaml"),
        (("--class", *names, "--address", "nonsense"), "this is no address of a class"),
        (("--class", *names, "--robot", "gone"), "there is no such robot"),
        (("--host", "0.0.0.0"), "hold a class (--class --students FILE), where each student has a name and a link"),
        (names, "--students belongs to a class: add --class"),
    ):
        done = run_command("studio", str(tmp_path), "--no-browser", *arguments)
        assert done.returncode == 2, arguments
        assert told in " ".join(done.stderr.split()), done.stderr
        assert "Traceback" not in done.stderr
    assert not (tmp_path / "class.json").exists()


def test_a_class_that_is_killed_goes_on_with_the_same_links_and_work(tmp_path: Path) -> None:
    with served_class(tmp_path, "Ada\nKim\nKim\n") as first:
        links = dict(first.links)
        assert set(links) == {"ada", "kim", "kim-2", "lecturer"}
        ada = StudentClient(first, "ada")
        ada.open("lesson-2")
        ada.edit("duration: 500", "duration: 777")
        ada.close()
        # Another class in the same folder is told.
        done = run_command("studio", str(tmp_path), "--class", "--no-browser")
        assert done.returncode == 2
        assert "another studio has this file open" in done.stderr
        first.kill()
    with served_class(tmp_path, "Ada\nKim\nKim\n") as second:
        assert second.links == links
        ada = StudentClient(second, "ada")
        assert ada.hello["class"]["current"] == "lesson-2"
        state = ada.ask(do="open", file="lesson-2.yaml")
        assert "duration: 777" in state["text"]
        assert state["recovered"] == 1
        ada.close()
