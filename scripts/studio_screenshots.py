"""Pictures of every panel of the studio in chromium, in both sizes and both themes, to be looked at.

python scripts/studio_screenshots.py FOLDER [--only PART ...]

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
from collections.abc import Callable
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

    def __init__(self, folder: Path, only: list[str]) -> None:
        self.folder, self.only = folder, only
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
    page.click("canvas[aria-label=Timeline]", position={"x": page.evaluate(_KEY.format(2)), "y": 25})
    until(page, "studio.store.chosen.length === 1")
    tab("Keyframe")
    page.click("text=Onion")
    camera.take(page, "keyframe")
    page.click("text=Onion")
    page.evaluate("studio.store.choose([])")
    camera.take(page, "motion-form")
    for name in ("Postures", "Checks", "Run", "Plots"):
        tab(name)
        camera.take(page, name.lower())
    page.click(".views >> text=Curves")
    page.select_option("[aria-label=Begin]", "back")
    page.click("text=Try 5 seeds")
    until(page, "studio.store.evidence?.trials.length === 5 && studio.store.evidence.saved.length === 5")
    camera.take(page, "evidence-curves")
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


def terrain(page: Page, url: str, camera: Camera) -> None:
    """The terrain page."""
    page.goto(url.replace("/?", "/terrain.html?"))
    until(page, "terrain.state.board && !terrain.state.busy")
    camera.take(page, "terrain")
    page.click("text=Plan")
    page.wait_for_timeout(500)
    until(page, "!terrain.state.busy")
    camera.take(page, "terrain-planned")


def lessons(page: Page, url: str, camera: Camera) -> None:
    """The lessons."""
    page.goto(url.replace("/?", "/lessons.html?"))
    page.wait_for_timeout(3000)
    camera.take(page, "lessons")


_KEY = "studio.timeline.x(studio.store.places()[{}].end)"


def main() -> None:
    """Take all pictures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="*", default=[], help="names of panels, or parts of them")
    parser.add_argument("--model", type=Path, help="a robot nobody named, for the picker")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix="studio-pictures-"))
    (work / "mine.yaml").write_bytes(library_path("nao").read_bytes())
    (work / "models").mkdir()
    (work / "models" / "nobody.xml").write_text(options.model.read_text() if options.model else _ROBOT)
    code = "from andante.cli.app import main; main()"
    command = [sys.executable, "-c", code, "studio", str(work), "--no-browser"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        found = re.search(r"http\S+", server.stdout.readline() if server.stdout else "")
        if found is None:
            raise SystemExit("the studio did not start")
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
            page = browser.new_page(viewport={"width": SIZES[0][0], "height": SIZES[0][1]})
            page.set_default_timeout(120_000)
            camera = Camera(options.folder, options.only)
            for part in (motions, terrain, lessons):
                part(page, found[0], camera)
            browser.close()
        (options.folder / "cut.json").write_text(json.dumps(camera.cut, indent=2))
    finally:
        server.terminate()
        server.wait()


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
