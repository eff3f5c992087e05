"""What the studio's time axis and evidence cost, in headless chromium with software GL: one JSON object.

python benchmarks/studio_axis.py [--keyframes 500] [--runs 5] [--seconds 60]

A motion of many keyframes is opened, its curves are drawn and scrubbed; a run of a minute is laid over itself; a
get-up of NAO is edited while five seeds are tried.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import sync_playwright

from andante.runs.motion_libraries import library_path
from studio_figures import FLAGS, library, stand, until

_SCRUB = """async (seconds) => {
  const { store, view } = studio; const frames = []; const pictures = view.frames;
  const began = performance.now(); let before = began;
  while (performance.now() - began < seconds * 1000) {
    store.seek(((performance.now() - began) / (seconds * 1000)) * store.duration);
    await new Promise(requestAnimationFrame);
    frames.push(performance.now() - before); before = performance.now(); }
  const passed = (performance.now() - began) / 1000; frames.sort((a, b) => a - b);
  return { dock: frames.length / passed, picture: (view.frames - pictures) / passed,
           longest_ms: frames.at(-1), median_ms: frames[frames.length >> 1] }; }"""
_DRAW = """async (times) => {
  const found = { lanes: [], curves: [] };
  for (let i = 0; i < times; i++) {
    studio.timeline.redraw(); studio.dock.curves.redraw();
    await new Promise(requestAnimationFrame); await new Promise(requestAnimationFrame);
    found.lanes.push(studio.timeline.drawn); found.curves.push(studio.dock.curves.drawn); }
  return found; }"""


_LOOPS = {
    "lanes": "(({ timeline }) => { for (let i = 0; i < 40; i++)"
    " timeline.drawLayer(timeline.node.clientWidth, timeline.node.clientHeight, devicePixelRatio); })(studio)",
    "curves": "(({ dock: { curves } }) => { for (let i = 0; i < 40; i++)"
    " { curves.drawnOf = ''; curves.draw(); } })(studio)",
    "scrub_frame": "(({ store, timeline, dock }) => { for (let i = 0; i < 40; i++)"
    " { store.seek(i); timeline.draw(); dock.curves.draw(); } })(studio)",
}
"""Each draws something 40 times."""


def processor(page: object) -> dict[str, float]:
    """Processor time of the page's thread for one drawing of each kind, whatever else the computer does [ms]."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def spent() -> float:
        metrics = {each["name"]: each["value"] for each in session.send("Performance.getMetrics")["metrics"]}
        return 1000.0 * metrics["TaskDuration"]

    found = {}
    for name, loop in _LOOPS.items():
        began = spent()
        page.evaluate(loop)
        found[name] = float(f"{(spent() - began) / 40:.3g}")
    session.detach()
    return found


def scrubbed(page: object) -> dict[str, float]:
    """Frames of the dock and of the 3-D picture per second while the playhead goes through everything in 4 s."""
    return {name: float(f"{value:.3g}") for name, value in page.evaluate(_SCRUB, 4.0).items()}


def median(values: list[float]) -> float:
    """The middle of some values, with three digits."""
    return float(f"{statistics.median(values):.3g}")


def opened(page: object, url: str, file: str) -> float:
    """Open a file in a page that is there; time until its keys are drawn [s]."""
    began = time.monotonic()
    page.evaluate(f"void studio.store.open('{file}')")
    until(page, f"studio.store.state?.file === '{file}' && studio.store.trajectory && studio.timeline.drawn > 0")
    return time.monotonic() - began


def axis(page: object, url: str, options: argparse.Namespace) -> dict[str, object]:
    """Opening, drawing and scrubbing; then runs over one another."""
    found: dict[str, object] = {}
    page.goto(url + "&file=small.yaml")
    until(page, "studio.store.trajectory && studio.text")
    # The page is there and rests, as when a user chooses a file; the studio's helpers have begun.
    page.wait_for_timeout(3000)
    found["open_s"] = [round(opened(page, url, file), 3) for file in ("long.yaml", "small.yaml", "long.yaml")][::2]
    page.click(".views >> text=Curves")
    page.wait_for_timeout(500)
    found["keyframes"] = page.evaluate("studio.store.places().length")
    drawn = page.evaluate(_DRAW, 15)
    found["plan"] = {name: median(values) for name, values in drawn.items()}
    found["plan_processor_ms"] = processor(page)
    found["scrub_frames_per_s"] = scrubbed(page)
    print(json.dumps(found), file=sys.stderr, flush=True)
    opened(page, url, "minute.yaml")
    page.select_option("[aria-label=Speed]", "4")
    page.click(".transport >> text=Physics")
    page.evaluate("studio.store.connection.tell({ do: 'speed', speed: 20 })")
    until(page, "studio.store.run?.verdict", 500.0)
    # Drawing takes the same whether the others are other runs or this one again.
    again = "{ ...studio.store.runs[0], number: 1000 + number }"
    copies = f"Array.from({{ length: {options.runs - 1} }}, (_, number) => ({again}))"
    page.evaluate(f"void studio.store.runs.push(...{copies})")
    page.evaluate("(studio.store.overlay = true, studio.store.emit('run'))")
    page.wait_for_timeout(500)
    found["runs"] = page.evaluate("studio.store.runs.map((run) => [run.traces.count, run.traces.end])")
    drawn = page.evaluate(_DRAW, 15)
    found["runs_laid_over"] = {name: median(values) for name, values in drawn.items()}
    found["runs_processor_ms"] = processor(page)
    found["runs_scrub_frames_per_s"] = scrubbed(page)
    print(json.dumps(found), file=sys.stderr, flush=True)
    return found


def evidence(page: object, url: str) -> dict[str, object]:
    """From an edit to the first and to all five tries; edits meanwhile."""
    page.goto(url + "&file=mine.yaml")
    until(page, "studio.store.trajectory && studio.text")
    page.evaluate("studio.store.show('get_up_back', '')")
    page.select_option("[aria-label=Begin]", "back")
    page.click("text=Try 5 seeds")
    until(page, "studio.store.evidence?.trials.length === 5 && studio.store.evidence.saved.length === 5")
    firsts, alls, edits = [], [], []
    block = page.evaluate("studio.store.blocks()[0]")
    for number in range(5):
        fields = f"{{ 0: {{ duration: {0.45 + 0.02 * number} }} }}"
        began = time.monotonic()
        edit = f"studio.store.edit({{ do: 'set', block: '{block}', fields: {fields} }})"
        edits.append(
            page.evaluate(
                f"(async () => {{ const t = performance.now(); await {edit}; return performance.now() - t; }})()"
            )
        )
        until(
            page, "studio.store.evidence?.revision === studio.store.revision && studio.store.evidence.trials.length > 0"
        )
        firsts.append(time.monotonic() - began)
        # One more edit while the seeds are tried would call them off; a posture does not.
        joints = "Array.from(studio.store.posture())"
        asked = f"studio.store.connection.ask({{ do: 'posture', joints: {joints} }})"
        edits.append(
            page.evaluate(
                f"(async () => {{ const t = performance.now(); await {asked}; return performance.now() - t; }})()"
            )
        )
        until(page, "studio.store.evidence.trials.length === 5")
        alls.append(time.monotonic() - began)
    found = {"first_s": median(firsts), "all_s": median(alls), "edit_ms": median(edits), "slowest_edit_ms": max(edits)}
    return found | {"edits_ms": [round(each, 1) for each in edits]}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--keyframes", type=int, default=500)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=60.0)
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="studio-axis-"))
    joints = stand()
    (folder / "small.yaml").write_text(library(2, 0.3, joints))
    (folder / "long.yaml").write_text(library(options.keyframes, 0.1, joints))
    (folder / "minute.yaml").write_text(library(int((options.seconds - 2.0) / 0.5), 0.5, joints))
    (folder / "mine.yaml").write_bytes(library_path("nao").read_bytes())
    code = "from andante.cli.app import main; main()"
    server = subprocess.Popen(
        [sys.executable, "-c", code, "studio", str(folder), "--no-browser"], stdout=subprocess.PIPE, text=True
    )
    url = re.search(r"http\S+", server.stdout.readline())[0]
    figures: dict[str, object] = {"load": os.getloadavg()[0]}
    try:
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            page.set_default_timeout(120_000)
            figures["evidence"] = evidence(page, url)
            print(json.dumps(figures), file=sys.stderr, flush=True)
            figures |= axis(page, url, options)
            browser.close()
    finally:
        server.terminate()
        server.wait()
    figures["load_after"] = os.getloadavg()[0]
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
