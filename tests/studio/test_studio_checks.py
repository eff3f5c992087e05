"""Checks say what `andante check` says of the same text, and where they cannot, that they could not."""

from __future__ import annotations

import json
import os
import random
import signal
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from helper_kills import named
from page_users import StudioUser
from served import Served, run_command, served
from socket_clients import StudioClient
from studio_text import TEXT

from andante.errors import AndanteError
from andante.formats.registry import convert, read
from andante.formats.report import ReadReport
from andante.motions.checks.choice import check
from andante.motions.judged import Judgement, Said, keep, motion_digest
from andante.motions.storage import load_library
from andante.robots.digest import robot_digest
from andante.robots.robot import Robot
from andante.runs.motion_libraries import by_name, robot_source
from andante.studio.document_checks import findings_of
from andante.studio.reading import source_of


def told_by_command(file: Path) -> dict[str, int] | None:
    """Errors, warnings and notes that `andante check` counts; None where it says why it cannot check."""
    found = run_command("check", str(file), "--json")
    return json.loads(found.stdout).get("counts") if found.stdout.startswith("{") else None


def checked(file: Path) -> dict[str, int] | None:
    """The same, as the command does it, in this process."""
    try:
        report = ReadReport()
        library = read(file, report=report)
        robot = Robot.load(robot_source(library.robot, file))
        found = [*report.findings(), *check(by_name(library, robot), robot)]
    except AndanteError:
        return None
    return {word: sum(each.severity == word for each in found) for word in ("error", "warning", "info")}


def broken(chance: random.Random, text: str) -> str:
    """A text as somebody leaves it who is editing: values beyond limits, words half typed, lines gone."""
    for _ in range(chance.randint(1, 4)):
        lines = text.split("\n")
        at = chance.randrange(len(lines))
        kind = chance.randrange(9)
        if kind == 0:
            text = text.replace(
                "RElbowRoll: 40", f"RElbowRoll: {chance.choice([170, -90, 1e9, 'off', 'often', ''])}", 1
            )
        elif kind == 1:
            text = text.replace("robot: nao", f"robot: {chance.choice(['t2', 'na', '', 'ers7', 'spirit40', '[]'])}", 1)
        elif kind == 2:
            text = "\n".join(lines[:at] + lines[at + 1 :])
        elif kind == 3:
            text = "\n".join([*lines[:at], lines[at][: chance.randrange(len(lines[at]) + 1)], *lines[at + 1 :]])
        elif kind == 4:
            text = text.replace("duration: 300", f"duration: {chance.choice([1, 0, -5, 30, 'soon', 1e7])}", 1)
        elif kind == 5:
            text = text.replace("blocks: [nod]", f"blocks: [{chance.choice(['nods', '', 'nod, nod', 'wave'])}]", 1)
        elif kind == 6:
            text = text.replace("HeadPitch", chance.choice(["HeadPitch2", "KneePitch", "LKneePitch"]), 1)
        elif kind == 7:
            place = chance.randrange(len(text))
            text = text[:place] + chance.choice(["\t", ":", "- ", "{", '"', "&a ", "é", "\n"]) + text[place:]
        else:
            text = text[: chance.randrange(len(text))]
    return text


@pytest.mark.parametrize("seed", range(40))
def test_checks_are_those_of_the_command(seed: int, tmp_path: Path) -> None:
    text = broken(random.Random(seed), TEXT)
    file = tmp_path / "wave.yaml"
    file.write_bytes(text.encode())
    try:
        counts = findings_of(text, "wave.yaml", partial(source_of, {}, file), ())["counts"]
    except AndanteError:
        counts = None
    assert counts == checked(file)


def test_what_judges_said_of_a_motion_is_among_the_findings(tmp_path: Path) -> None:
    file = tmp_path / "wave.yaml"
    file.write_text(TEXT)
    robot = Robot.load("nao")
    library = load_library(TEXT, place="wave.yaml")
    motion = next(iter(library.motions))
    judgement = Judgement(
        motion=motion,
        motion_sha256=motion_digest(library, motion),
        robot="nao",
        robot_sha256=robot_digest(robot),
        asked="wave.yaml",
        seeds=(0, 19),
        trials=20,
        passed=19,
        held=18,
        judges=(Said(judge="drake", version="1.51.1", agreed=19, only_here=1, only_there=0),),
        date="2026-11-26",
        andante="0",
    )
    keep(file, judgement)
    source = partial(source_of, {}, file)
    told = findings_of(TEXT, "wave.yaml", source, (), file)
    (found,) = [each for each in told["findings"] if each["rule"] == "judged"]
    assert found["severity"] == "info"
    assert "judged by drake (19 of 20 agree, 1 pass here only)" in found["message"]
    assert "no longer counts" not in found["message"]
    changed = TEXT.replace("RElbowRoll: 40", "RElbowRoll: 41", 1)
    assert changed != TEXT
    after = findings_of(changed, "wave.yaml", source, (), file)["findings"]
    assert ["no longer counts" in each["message"] for each in after if each["rule"] == "judged"] == [True]


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("checks") / "workspace"
    folder.mkdir()
    (folder / "wave.yaml").write_text(TEXT)
    with served(folder) as running:
        yield running


@pytest.mark.slow
def test_the_server_says_of_random_texts_what_the_command_says(studio: Served) -> None:
    client = StudioClient(studio, timeout=60.0)
    state = client.ask(do="open", file="wave.yaml")
    revision, length = state["revision"], len(state["text"])
    seen = set()
    for seed in range(100, 108):
        text = broken(random.Random(seed), TEXT)
        answer = client.ask(do="text", revision=revision, changes=[[0, length, text]])
        revision, length = answer["revision"], len(text.encode("utf-16-le")) // 2
        found = client.checks(revision)
        file = studio.folder / "same.yaml"
        file.write_bytes(text.encode())
        wanted = checked(file)
        assert (found["counts"] if found["state"] == "checked" else None) == wanted, text
        assert found["state"] == "checked" or found["text"]
        seen.add(found["state"])
    assert seen == {"checked", "failed"}
    client.close()


@pytest.mark.slow
def test_one_text_by_the_command_itself(tmp_path: Path) -> None:
    file = tmp_path / "wave.yaml"
    file.write_text(TEXT.replace("RElbowRoll: 40", "RElbowRoll: 170"))
    assert told_by_command(file) == checked(file)
    file.write_text(TEXT.replace("robot: nao", "robot: t2"))
    assert told_by_command(file) is checked(file) is None


@pytest.mark.slow
def test_more_findings_than_are_shown_are_counted(studio: Served) -> None:
    rows = "\n".join(f"      - {{duration: 100, joints: {{LKneePitch: {170 + n % 5}}}}}" for n in range(600))
    text = TEXT.partition("motions:")[0]
    text += f"motions:\n  m:\n    blocks: [b]\nblocks:\n  b:\n    keyframes:\n{rows}\n"
    (studio.folder / "many.yaml").write_text(text)
    client = StudioClient(studio, timeout=60.0)
    client.ask(do="open", file="many.yaml")
    found = client.checks()
    assert found["counts"] == checked(studio.folder / "many.yaml")
    assert sum(found["counts"].values()) > len(found["findings"])
    client.close()


def test_what_could_not_be_read_of_another_programs_file_counts(tmp_path: Path) -> None:
    """`andante check` counts what reading had to say; so does the page, until the file is another."""
    from andante.studio.document import OpenDocument

    (tmp_path / "wave.yaml").write_text(TEXT.replace("  nod:\n    blocks: [nod]\n", ""))
    convert(tmp_path / "wave.yaml", tmp_path / "wave.kfm")
    document = OpenDocument(tmp_path / "wave.kfm", "wave.kfm")
    report = ReadReport()
    read(tmp_path / "wave.kfm", report=report)
    assert list(document.reading) == report.findings()


@pytest.mark.slow
@pytest.mark.browser
def test_the_page_never_calls_unchecked_clean(chromium: object, studio: Served) -> None:
    (studio.folder / "page.yaml").write_text(TEXT)
    person = StudioUser(chromium, studio, "page.yaml")
    person.page.click("[data-tab=Checks]")
    head = "document.querySelector('.findings strong').textContent"
    person.wait(f"/^\\d+ errors/.test({head})")

    def type_over(old: str, new: str) -> None:
        at = person.get("studio.text.text").index(old)
        change = f"{{changes: {{from: {at}, to: {at + len(old)}, insert: {json.dumps(new)}}}}}"
        person.get(f"(studio.text.view.dispatch({change}), 0)")
        person.wait(f"studio.text.text.includes({json.dumps(new)})")
        assert not person.get(f"/errors/.test({head}) && !studio.store.checking")

    type_over("robot: nao", "robot: t2")
    person.wait(f"{head}.startsWith('Could not be checked: ') && {head}.includes('t2')")
    # The last robot stays in the picture, which says that it is not that of the text.
    person.wait("studio.store.robot && document.querySelector('.stale-note').textContent.includes('t2')")
    type_over("robot: t2", "robot: nao")
    person.wait(f"/^\\d+ errors/.test({head}) && !studio.store.checking")
    person.wait("document.querySelector('.stale-note').hidden")
    type_over("RElbowRoll: 40}\n        # behind", "RElbowRoll: 170}\n        # behind")
    person.wait(f"/errors/.test({head}) && !{head}.startsWith('0 errors, 0 warnings') && !studio.store.checking")
    type_over("keyframes:\n      - duration: 600", "keyframes:\n      - duration: {")
    person.wait(f"{head}.startsWith('Could not be checked')")
    assert person.get("studio.store.places().length") > 0
    type_over("keyframes:\n      - duration: {", "keyframes:\n      - duration: 600")
    person.wait(f"/errors/.test({head}) && !{head}.startsWith('0 errors, 0 warnings') && !studio.store.checking")
    for pid in named(studio, "studio-checks"):
        os.kill(pid, signal.SIGKILL)
    person.wait("document.querySelector('.notices').textContent.includes('the helper that checks has ended')", 5.0)
    type_over("# the end", "# the last")
    person.wait(f"/errors/.test({head}) && !{head}.startsWith('0 errors, 0 warnings') && !studio.store.checking")
    person.done()


@pytest.mark.slow
@pytest.mark.browser
def test_a_page_finds_a_restarted_server_and_keeps_what_was_typed(chromium: object, tmp_path: Path) -> None:
    folder = tmp_path / "workspace"
    folder.mkdir()
    (folder / "wave.yaml").write_text(TEXT)
    with served(folder) as first:
        person = StudioUser(chromium, first, "wave.yaml")
        person.errors = []
        typed = "({changes: {from: studio.text.text.length, insert: '# kept\\n'}})"
        person.get(f"(studio.text.view.dispatch{typed}, 0)")
        person.settled()
        first.kill()
        person.wait("!studio.store.connected")
        person.get(f"(studio.text.view.dispatch{typed.replace('kept', 'typed meanwhile')}, 0)")
        assert "server is gone" in person.get("document.querySelector('.findings strong').textContent")
        time.sleep(0.2)
    with served(folder) as second:
        assert (second.port, second.token) == (first.port, first.token)
        person.wait("studio.store.connected && studio.text.flying === null && studio.text.waiting === null")
        person.wait("studio.text.text.endsWith('# kept\\n# typed meanwhile\\n')")
        client = StudioClient(second)
        assert client.ask(do="open", file="wave.yaml")["text"] == person.get("studio.text.text")
        client.close()
        person.page.close()
