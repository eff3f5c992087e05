"""Pictures of every panel of the studio in chromium, in both sizes and both themes, to be looked at.

python scripts/studio_screenshots.py FOLDER [--parts PART ...] [--only NAME ...]

Each picture is named ``<panel>-<width>-<theme>.png``. What a page cuts off by its own styles is listed beside them in
``cut.json``; whether something overlaps or lacks a legend only eyes can tell.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from playwright.sync_api import Page, sync_playwright

from andante.runs.motion_libraries import library_path

FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-quic", "--no-first-run"]
SIZES = ((1280, 800), (1920, 1080))
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
_CUT = """() => [...document.querySelectorAll('button, label, span, strong, h2, h3, li, td, th, option, select, p')]
  .filter((node) => node.offsetParent && !node.closest('.cm-editor') && node.textContent.trim())
  .filter((node) => ['hidden', 'clip'].includes(getComputedStyle(node).overflowX))
  .filter((node) => node.scrollWidth > node.clientWidth + 1)
  .map((node) => `${node.className || node.tagName}: ${node.textContent.slice(0, 60)}`)"""


def until(page: Page, condition: str, seconds: float = 300.0) -> None:
    """Look again and again until something is so."""
    end = time.monotonic() + seconds
    while not page.evaluate(f"Boolean({condition})"):
        if time.monotonic() > end:
            raise SystemExit(f"in vain: {condition}")
        time.sleep(0.1)


class Camera:
    """Takes a panel in all sizes and themes."""

    def __init__(self, folder: Path, only: list[str], work: Path) -> None:
        self.folder, self.only, self.work = folder, only, work
        self.cut: dict[str, list[str]] = {}

    def take(self, page: Page, name: str) -> None:
        """Take what a page shows now."""
        if self.only and not any(part in name for part in self.only):
            return
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            for theme in THEMES:
                page.emulate_media(color_scheme=theme)
                page.wait_for_timeout(500)
                page.screenshot(path=self.folder / f"{name}-{width}-{theme}.png")
            found = page.evaluate(_CUT)
            if found:
                self.cut[f"{name}-{width}"] = found
        page.set_viewport_size({"width": SIZES[0][0], "height": SIZES[0][1]})
        page.wait_for_timeout(300)
        page.emulate_media(color_scheme="light")
        print(name, file=sys.stderr, flush=True)


def motions(page: Page, url: str, camera: Camera) -> None:
    """The page of motions."""

    def tab(name: str) -> None:
        page.click(f"[data-tab={name}]")
        page.wait_for_timeout(200)

    page.goto(url + "&file=mine.yaml")
    until(page, "studio.store.trajectory && studio.text")
    page.evaluate("studio.store.show('get_up_back', '')")
    page.wait_for_timeout(500)
    until(page, "!studio.store.checking")
    camera.take(page, "text")
    page.select_option("[aria-label=Begin]", "back")
    page.evaluate(_CHOOSE.format(2))
    until(page, "studio.store.chosen.length === 1")
    tab("Keyframe")
    page.click("text=Onion")
    camera.take(page, "keyframe")
    page.click("text=Onion")
    page.evaluate("studio.store.choose([])")
    camera.take(page, "motion-form")
    for name in ("Postures", "Checks", "Run", "Plots"):
        tab(name)
        camera.take(page, f"tab-{name.lower()}")
    page.click(".views >> text=Curves")
    camera.take(page, "curves")
    page.select_option("[aria-label=Speed]", "4")
    for seed in ("1", "2"):
        page.fill("[aria-label=Seed]", seed)
        page.click(".transport >> text=Physics")
        until(page, f"studio.store.run?.seed === {seed} && studio.store.run.verdict")
    tab("Run")
    page.click("text=all runs")
    page.evaluate("studio.store.seek(1.6)")
    page.select_option("[aria-label='Run to compare']", "1")
    page.click("text=Onion")
    camera.take(page, "run")
    page.click("text=Onion")
    page.click(".views >> text=Plots")
    tab("Plots")
    camera.take(page, "run-plots")
    page.select_option("[aria-label='Quantity of the curves']", "torque")
    camera.take(page, "run-torque")
    page.evaluate(_CHOOSE.format(1))
    camera.take(page, "lying-keyframe")
    dialogs: dict[str, Callable[[], object]] = {
        "open": lambda: page.click("header.top >> text=Open…"),
        "save": lambda: page.click("header.top >> text=Save"),
        "help": lambda: page.click("[aria-label=Help]"),
        "organize": lambda: page.click("text=Motion…"),
        "new": lambda: page.click("header.top >> text=New…"),
    }
    for name, show in dialogs.items():
        show()
        page.wait_for_timeout(1200)
        if name == "new":
            page.select_option("dialog select[aria-label=Robot]", "models/nobody.xml")
            until(page, "document.querySelector('.robot-about')?.textContent.includes('joints')")
            page.click("dialog summary")
        camera.take(page, f"dialog-{name}")
        page.click("dialog header button")
    pushed(page, camera)


def pushed(page: Page, camera: Camera) -> None:
    """The robot while it is pushed by key."""
    page.click("[data-tab=Run]")
    page.select_option("[aria-label=Speed]", "0.1")
    page.select_option("[aria-label='Direction of the push']", "left")
    page.fill("[aria-label='Duration of the push']", "2")
    page.evaluate("document.activeElement.blur()")
    page.click(".transport >> text=Physics")
    until(page, "studio.store.running === 'going' && studio.store.playhead > 0.3")
    page.keyboard.press("f")
    until(page, "studio.view.hand.arrow.visible")
    page.keyboard.press("Space")
    until(page, "studio.store.running === 'paused'")
    camera.take(page, "push")
    page.click(".transport >> text=Stop")


def evidence(page: Page, url: str, camera: Camera) -> None:
    """What five seeds say of an edit, which takes long where others work on the same machine."""
    page.goto(url + "&file=mine.yaml")
    until(page, "studio.store.trajectory && studio.text")
    page.evaluate("studio.store.show('get_up_back', '')")
    page.select_option("[aria-label=Begin]", "back")
    if page.evaluate("studio.dock.curves.node.hidden"):
        page.click(".views >> text=Curves")
    page.click("text=Try 5 seeds")
    until(page, "studio.store.evidence?.trials.length === 5 && studio.store.evidence.saved.length === 5", 1800)
    camera.take(page, "evidence-curves")
    page.evaluate(_CHOOSE.format(4))
    page.click("text=Onion")
    page.click(".first-steps button >> text=×")
    camera.take(page, "evidence-keyframe")


def shared(page: Page, url: str, camera: Camera) -> None:
    """A run as one page that opens from the disk: recorded, and with physics in the browser."""
    page.goto(url + "&file=mine.yaml")
    until(page, "studio.store.trajectory && studio.text")
    page.evaluate("studio.store.show('get_up_back', '')")
    page.select_option("[aria-label=Begin]", "back")
    page.click("[data-tab=Run]")
    page.click(".transport >> text=Physics")
    until(page, "studio.store.running === 'going'")
    until(page, "studio.store.run.verdict")
    page.click(".runs .tools button:text-is('Page')")
    until(page, "document.querySelector('.runs').dataset.shared?.endsWith('html')")
    page.goto((camera.work / page.evaluate("document.querySelector('.runs').dataset.shared")).as_uri())
    until(page, "window.share && share.traces.count > 100")
    page.evaluate("share.seek(1.6)")
    camera.take(page, "shared-recorded")
    page.click("text=from its left")
    until(page, "share.physics()?.time > 0.5")
    page.click("text=Pause")
    camera.take(page, "shared-physics")


def classroom(page: Page, _: str, camera: Camera) -> None:
    """A class: a student's page with a queue and steps, one with a long name, the lecturer's table, a look at work."""
    folder = camera.work / "class"
    folder.mkdir()
    names = folder / "names.txt"
    names.write_text(f"{_LONG_NAME}\nAda Lovelace\nGrace Hopper\n")
    with started("studio", str(folder), "--class", "--students", str(names), "--no-browser") as told:
        links = {found[1]: found[0] for found in re.finditer(r"http://\S+:\d+/([a-z0-9-]+)/\?token=\S+", told)}
        ready = "document.querySelector('.class-bar') && studio.store.trajectory && studio.text"
        page.goto(links["ada-lovelace"])
        until(page, ready)
        page.click(".class-bar >> text=Ask for help")
        page.select_option("[aria-label=Lesson].lesson-choice", "lesson-2")
        until(page, "studio.store.state.file === 'lesson-2.yaml' && studio.store.trajectory")
        page.evaluate("document.activeElement.blur()")
        page.keyboard.press("p")
        until(page, "studio.store.run?.verdict")
        camera.take(page, "class-student")
        page.click(".class-bar >> text=Steps")
        camera.take(page, "class-steps")
        long = next(slug for slug in links if slug.startswith(_LONG_NAME[:5].lower()))
        page.goto(links[long])
        until(page, ready)
        camera.take(page, "class-long-name")
        page.goto(links["lecturer"])
        until(page, "document.querySelectorAll('tbody tr').length === 3")
        camera.take(page, "class-lecturer")
        page.goto(page.url.split("?")[0] + f"look/{long}/")
        until(page, ready)
        camera.take(page, "class-look")


def terrain(page: Page, url: str, camera: Camera) -> None:
    """The terrain page."""
    page.goto(url.replace("/?", "/terrain.html?"))
    until(page, "terrain.state.board && !terrain.state.busy")
    camera.take(page, "terrain")
    page.click("text=Plan")
    page.wait_for_timeout(500)
    until(page, "!terrain.state.busy")
    camera.take(page, "terrain-planned")
    page.select_option("[aria-label='Color of the ground']", index=1)
    page.wait_for_timeout(500)
    until(page, "!terrain.state.busy")
    camera.take(page, "terrain-layer")
    page.click("text=Draw the board")
    camera.take(page, "terrain-draw")
    page.click("text=Draw the board")
    page.select_option("[aria-label=Board]", "floor")
    page.wait_for_timeout(500)
    until(page, "!terrain.state.busy")
    page.select_option("[aria-label='Way of walking']", "trot")
    page.wait_for_timeout(500)
    until(page, "!terrain.state.busy")
    page.click(".live-button")
    page.click("button.walk")
    until(page, "terrain.state.steered && terrain.state.time > 0.5")
    page.keyboard.down("w")
    until(page, "terrain.state.time > 1.2")
    camera.take(page, "terrain-live")
    page.keyboard.up("w")
    page.click("button.stop")
    until(page, "!terrain.state.walking")
    page.click(".live-button")
    walking(page, camera)


def walking(page: Page, camera: Camera) -> None:
    """A quadruped that walks to a place that was clicked, and its lanes afterwards."""
    page.select_option("[aria-label=Board]", "floor")
    until(page, "terrain.state.board.name === 'floor' && !terrain.state.busy")
    page.select_option("[aria-label=Robot]", "spirit40")
    until(page, "terrain.live.robot.name === 'spirit40' && !terrain.state.busy")
    camera.take(page, "walk-before")
    page.select_option("[aria-label='Way of walking']", "quadruped")
    page.click("button.walk")
    # Where nothing is asked yet the robot stands, and plans no footholds.
    until(page, "terrain.state.steered && terrain.view.ahead.last?.forces")
    at = page.evaluate("terrain.view.onPage(1.6, 0.5, 0)")
    page.locator(".scene canvas").click(position={"x": at[0], "y": at[1]})
    until(page, "terrain.view.ahead.last?.footholds?.length && terrain.view.ahead.last.way?.length > 1")
    camera.take(page, "walk-to-a-goal")
    page.click(".lanes-button")
    until(page, "terrain.lanes.count > 20")
    camera.take(page, "walk-lanes")
    page.keyboard.press("q")
    until(page, "terrain.state.verdict")
    page.evaluate("terrain.lanes.seek(1)")
    camera.take(page, "walk-verdict")


def experiments(page: Page, url: str, camera: Camera) -> None:
    """The page of experiments: what there is, one before it runs, its progress, its result, two compared."""
    (camera.work / "floors.yaml").write_text(_EXPERIMENT)
    page.goto(url.replace("/?", "/experiments.html?"))
    until(page, "experiments.state.shelf")
    camera.take(page, "experiments")
    page.click("[data-name=kick]")
    until(page, "document.querySelector('.experiment-form')")
    page.fill("[aria-label='Values by path']", "world.frictoin=0.4")
    page.click("button.check")
    until(page, "document.querySelector('.experiment-form .problem').textContent")
    camera.take(page, "experiments-refused")
    page.click("[data-name='floors.yaml']")
    until(page, "document.querySelector('.experiment-form h2')?.textContent === 'floors'")
    page.click("button.check")
    until(page, "document.querySelector('.outcome code')")
    camera.take(page, "experiments-checked")
    page.click("text=page with film strips")
    page.click("button.run")
    until(page, "experiments.state.run?.cells.some(({ done }) => done > 0)", 900)
    camera.take(page, "experiments-running")
    until(page, "document.querySelector('.result-view')", 900)
    camera.take(page, "experiments-result")
    page.click("text=Ask again…")
    until(page, "document.querySelector('.experiment-form')")
    page.fill("[aria-label='Values by path']", "world.friction=0.2")
    page.fill("[aria-label=Seeds]", "20")
    page.click("button.run")
    until(
        page, "experiments.state.run.result.endsWith('-2') && experiments.state.run.cells.some(({ done }) => done)", 900
    )
    page.click("button.cancel")
    until(page, "experiments.state.run.state === 'cancelled' && !experiments.state.busy")
    page.click("[data-name='experiments/floors-2']")
    until(page, "document.querySelector('.result-view .resume')")
    camera.take(page, "experiments-cut-off")
    page.click(".result-view .resume")
    until(page, "experiments.state.run.state === 'done'", 900)
    until(page, "document.querySelector('.result-view h2')?.textContent.endsWith('-2')")
    page.click("button.compare-button")
    until(page, "document.querySelector('.compare-view')")
    camera.take(page, "experiments-compared")
    if not (camera.work / "runs" / "one").exists():
        for name, seed in (("one", "1"), ("two", "2")):
            run = [
                "run",
                "nao/get_up_back",
                "--start",
                "back",
                "--seed",
                seed,
                "--out",
                str(camera.work / "runs" / name),
            ]
            subprocess.run([sys.executable, "-c", _ANDANTE, *run, "--no-report"], check=True)
    page.reload()
    until(page, "experiments.state.shelf")
    page.select_option("[aria-label='First result or run']", "runs/one")
    page.select_option("[aria-label='Second result or run']", "runs/two")
    page.click("button.compare-button")
    until(page, "window.lanes?.store.runs[1].traces.count > 100")
    page.wait_for_timeout(800)
    camera.take(page, "experiments-runs-compared")


def lessons(page: Page, url: str, camera: Camera) -> None:
    """The lessons."""
    page.goto(url.replace("/?", "/lessons.html?"))
    page.wait_for_timeout(3000)
    camera.take(page, "lessons")
    page.click("[data-lesson] >> nth=2")
    page.wait_for_timeout(1000)
    camera.take(page, "lessons-third")


@contextmanager
def started(*arguments: str) -> Iterator[str]:
    """A studio in a process of its own; gives what it said before it said how to end it."""
    command = [sys.executable, "-c", _ANDANTE, *arguments]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        told = ""
        for line in server.stdout or ():
            told += line
            if line.startswith("Ctrl-C"):
                break
        yield told
    finally:
        server.terminate()
        server.wait()


_ANDANTE = "from andante.cli.app import main; main()"
_EXPERIMENT = """
format: andante.experiment
version: 1
name: floors
what: Does the NAO wave on rough, on middling and on smooth floors?
play: {library: nao, motions: [wave], robot: nao}
axes:
  floor:
    variants:
      rough: {set: {world.friction: 0.8}}
      middling: {set: {world.friction: 0.5}}
      smooth: {set: {world.friction: 0.3}}
figures:
  passed: {metric: passed, at_least: 0.3}
  "tilt, largest": {metric: max_tilt, statistic: largest, convert: deg, digits: 2, at_most: 2}
  "slip, mean": {metric: slip, statistic: mean, convert: mm, digits: 3}
compare:
  passed: {metric: passed, succeeds: true}
  tilt: {metric: max_tilt, better: less, convert: deg}
  slip: {metric: slip, better: less, convert: mm}
seeds: {count: 2}
"""
_LONG_NAME = "Wilhelmina Friederike Ottilie von Hohenstein-Wallersbronn-Kaltenbach"
_CHOOSE = "studio.store.choose([studio.store.places()[{}].ref])"


def main() -> None:
    """Take all pictures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="*", default=[], help="names of panels, or parts of them")
    parser.add_argument(
        "--parts", nargs="*", default=[], help="motions, shared, terrain, lessons, classroom, experiments, evidence"
    )
    parser.add_argument("--model", type=Path, help="a robot nobody named, for the picker")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix="studio-pictures-"))
    (work / "mine.yaml").write_bytes(library_path("nao").read_bytes())
    (work / "models").mkdir()
    (work / "models" / "nobody.xml").write_text(options.model.read_text() if options.model else _ROBOT)
    with started("studio", str(work), "--no-browser") as told, sync_playwright() as driver:
        found = re.search(r"http\S+", told)
        if found is None:
            raise SystemExit("the studio did not start")
        browser = driver.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
        page = browser.new_page(viewport={"width": SIZES[0][0], "height": SIZES[0][1]})
        page.set_default_timeout(120_000)
        camera = Camera(options.folder, options.only, work)
        for part in (motions, shared, terrain, lessons, classroom, experiments, evidence):
            if not options.parts or part.__name__ in options.parts:
                part(page, found[0], camera)
        browser.close()
        (options.folder / "cut.json").write_text(json.dumps(camera.cut, indent=2))


_LEG = """
<body name="{0}_hip" pos="{1} {2} 0"><joint name="{0}_hip_x" axis="1 0 0" range="-0.8 0.8" limited="true"/>
<geom type="sphere" size="0.03" mass="0.4"/><body name="{0}_thigh"><joint name="{0}_thigh_y" axis="0 1 0"/>
<geom type="capsule" fromto="0 0 0 0 0 -0.2" size="0.02" mass="0.6"/><body name="{0}_shank" pos="0 0 -0.2">
<joint name="{0}_knee" axis="0 1 0" range="-2.6 -0.2" limited="true"/>
<geom type="capsule" fromto="0 0 0 0 0 -0.2" size="0.015" mass="0.2"/>
<geom name="{0}_foot" type="sphere" pos="0 0 -0.2" size="0.02" mass="0.05"/></body></body></body>"""
_ROBOT = """<mujoco model="nobody"><compiler angle="radian"/><worldbody><body name="trunk" pos="0 0 0.45"><freejoint/>
<geom type="box" size="0.25 0.1 0.05" mass="8"/>{}</body></worldbody></mujoco>""".format(
    "".join(
        _LEG.format(name, x, y)
        for name, x, y in (("FL", 0.2, 0.12), ("FR", 0.2, -0.12), ("HL", -0.2, 0.12), ("HR", -0.2, -0.12))
    )
)


if __name__ == "__main__":
    main()
