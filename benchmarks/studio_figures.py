"""What the studio costs, measured in headless chromium with software GL: one JSON object with medians.

python benchmarks/studio_figures.py [--keyframes 500] [--seconds 10] [--pairs 5]

Processor time with and without the studio is taken in turns, --pairs times, since it varies by a fifth by itself.
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

FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-quic", "--no-first-run"]
JOINTS = ("LShoulderPitch", "LShoulderRoll", "RShoulderPitch", "RShoulderRoll", "HeadYaw")


def library(keyframes: int, duration: float, joints: dict[str, float]) -> str:
    """A library of one motion of NAO with many keyframes of all joints."""
    lines = ["format: andante.motions", "version: 1", "units: {angle: deg, time: ms, length: mm}", "robot: nao", ""]
    lines += ["motions:", "  long:", "    blocks: [long]", "", "blocks:", "  long:", "    keyframes:"]
    for number in range(keyframes):
        row = {name: value + (number % 7 if name in JOINTS else 0) for name, value in joints.items()}
        lines += [f"      - duration: {duration * 1000:g}", "        joints: {"]
        pairs = [f"{name}: {value:g}" for name, value in row.items()]
        lines += [f"          {', '.join(pairs[at : at + 6])}," for at in range(0, len(pairs), 6)]
        lines += ["        }"]
    return "\n".join(lines) + "\n"


def stand() -> dict[str, float]:
    """NAO's standing posture [deg]."""
    from andante.robots.robot import Robot

    robot = Robot.load("nao")
    return {
        name: round(float(v) * 57.29577951308232, 1)
        for name, v in zip(robot.joint_names, robot.posture("stand"), strict=True)
    }


def cpu(root: int) -> dict[str, float]:
    """Processor time of the simulation process under a server [s]."""
    ticks = os.sysconf("SC_CLK_TCK")
    found = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                stat = (folder / "stat").read_text()
                threads = [(t / "stat").read_text() for t in (folder / "task").iterdir()]
            except OSError:
                continue
            fields = stat.rpartition(")")[2].split()
            if int(fields[1]) == root:
                found[folder.name] = (int(fields[11]) + int(fields[12])) / ticks
                del threads
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--keyframes", type=int, default=500)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--pairs", type=int, default=5)
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="studio-"))
    joints = stand()
    (folder / "long.yaml").write_text(library(options.keyframes, 0.1, joints))
    (folder / "short.yaml").write_text(library(int(options.seconds / 0.25), 0.25, joints))
    code = "from andante.cli.app import main; main()"
    server = subprocess.Popen(
        [sys.executable, "-c", code, "studio", str(folder), "--no-browser"], stdout=subprocess.PIPE, text=True
    )
    url = re.search(r"http\S+", server.stdout.readline())[0]
    figures: dict[str, object] = {"load": os.getloadavg()[0]}
    try:
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
            figures |= large(browser, url)
            figures |= run(browser, url)
            figures |= shares(browser, url, server.pid, folder, options.pairs)
            browser.close()
    finally:
        server.terminate()
        server.wait()
    print(json.dumps(figures, indent=2))


def until(page: object, condition: str, timeout: float = 120.0) -> None:
    """Wait until something holds in the page."""
    end = time.monotonic() + timeout
    while not page.evaluate(f"Boolean({condition})"):
        if time.monotonic() > end:
            raise TimeoutError(condition)
        time.sleep(0.01)


_LATENCY = """async ([count, gap]) => {
  // From a slider's input event to the frame that shows it.
  const { store, view } = studio; const found = [];
  const slider = document.querySelector('[data-joint="HeadYaw"] input[type=range]');
  for (let i = 0; i < count; i++) {
    const frames = view.frames; const began = performance.now();
    slider.value = String((i % 2) * 10 + i * 0.1); slider.dispatchEvent(new Event("input"));
    while (view.frames === frames) await new Promise(requestAnimationFrame);
    await new Promise((done) => {
      const channel = new MessageChannel(); channel.port1.onmessage = done; channel.port2.postMessage(0); });
    found.push(performance.now() - began);
    await new Promise((done) => setTimeout(done, gap));
  }
  return found;
}"""


_LIVE = """async ([count, gap]) => {
  // In a run, from a parameter's slider to the first frame after the run has taken the value.
  const { store, view } = studio; const found = [];
  const slider = document.querySelector('.parameters input[type=range]');
  const name = slider.getAttribute("aria-label").replace(/ slider$/, "");
  const [low, high] = [Number(slider.min), Number(slider.max)];
  for (let i = 0; i < count; i++) {
    const parameter = store.parameters.find((each) => each.name === name); const before = parameter.value;
    const began = performance.now();
    slider.value = String(Number(before) + (i % 2 ? -1 : 1) * 0.01 * (high - low));
    slider.dispatchEvent(new Event("input"));
    while (store.parameters.find((each) => each.name === name).value === before)
      await new Promise((done) => setTimeout(done, 1));
    const frames = view.frames;
    while (view.frames === frames) await new Promise(requestAnimationFrame);
    found.push(performance.now() - began);
    await new Promise((done) => setTimeout(done, gap));
  }
  return found;
}"""


_DRAWN = """async () => { const found = [];
  for (let i = 0; i < 20; i++) {
    studio.store.seek(i * 0.5); studio.timeline.redraw();
    for (let j = 0; j < 2; j++) await new Promise(requestAnimationFrame);
    found.push(studio.timeline.drawn); }
  return found; }"""


def large(browser: object, url: str) -> dict[str, float]:
    """Opening, editing and drawing many keyframes."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(url + "&file=short.yaml")
    until(page, "studio.store.trajectory && studio.view.frames > 1")
    # The server's helper processes are still starting; a person has not found the file's name yet.
    page.wait_for_timeout(3000)
    began = time.perf_counter()
    page.evaluate("void studio.store.open('long.yaml')")
    until(
        page, "studio.store.state.file === 'long.yaml' && studio.store.trajectory && studio.store.places().length > 100"
    )
    opened = time.perf_counter() - began
    page.wait_for_timeout(2500)
    edits = page.evaluate("""async () => { const found = [];
      for (let i = 0; i < 30; i++) { const began = performance.now();
        await studio.store.edit({ do: "set", block: "long", fields: { [i * 10]: { joints: { HeadYaw: i / 100 } } } });
        found.push(performance.now() - began); await new Promise((done) => setTimeout(done, 60)); }
      return found; }""")
    drawn = page.evaluate(_DRAWN)
    page.evaluate("studio.timeline.curves = false")
    plain = page.evaluate(_DRAWN)
    page.close()
    return {
        "open_500_s": round(opened, 3),
        "edit_500_ms": round(statistics.median(edits), 1),
        "edit_500_max_ms": round(max(edits), 1),
        "timeline_500_ms": round(statistics.median(plain), 2),
        "timeline_500_with_curves_ms": round(statistics.median(drawn), 2),
    }


def started(browser: object, url: str) -> object:
    """A page with four plots, in which nothing runs yet."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(url + "&file=short.yaml")
    until(page, "studio.store.trajectory && studio.view.frames > 1")
    page.wait_for_timeout(3000)
    page.click("[data-tab=Plots]")
    until(page, "studio.plots.asked.length >= 4")
    return page


def begin(page: object) -> None:
    """Press the button that runs the motion."""
    page.click(".transport >> text=Physics")
    until(page, "studio.store.running === 'going' && studio.store.runs.at(-1).poses.length > 5")


def run(browser: object, url: str) -> dict[str, object]:
    """A run in real time with four plots."""
    page = started(browser, url)
    page.evaluate("studio.store.choose([studio.store.places()[0].ref])")
    idle = page.evaluate(_LATENCY, [30, 120])
    page.evaluate("studio.store.undo()")
    page.wait_for_timeout(1500)
    begin(page)
    # When each pose came, since the one that is shown when somebody asks may be older than a frame.
    page.evaluate("""window.came = [];
      studio.store.on("pose", () => came.push([performance.now() / 1000, studio.store.playhead])); undefined""")
    first = page.evaluate("[performance.now(), studio.plots.updates, studio.view.frames]")
    page.wait_for_timeout(6000)
    last = page.evaluate("[performance.now(), studio.plots.updates, studio.view.frames]")
    came = page.evaluate("came.slice()")
    seconds = (last[0] - first[0]) / 1000
    page.click("[data-tab=Run]")
    until(page, "document.querySelector('.parameters input[type=range]')")
    live = page.evaluate(_LIVE, [10, 100])
    until(page, "studio.store.run.verdict")
    page.close()
    return {
        "slider_idle_ms": round(statistics.median(idle), 1),
        "slider_in_a_run_ms": round(statistics.median(live), 1),
        "updates_per_s": round((last[1] - first[1]) / seconds, 1),
        "frames_per_s": round((last[2] - first[2]) / seconds, 1),
        "pace": round((came[-1][1] - came[0][1]) / (came[-1][0] - came[0][0]), 4),
    }


def shares(browser: object, url: str, server: int, folder: Path, pairs: int) -> dict[str, object]:
    """Processor time per second of a run with the studio and without it, in turns."""
    studio, plain = [], []
    for _ in range(pairs):
        page = started(browser, url)
        begin(page)
        page.wait_for_timeout(800)
        before, began = cpu(server), time.perf_counter()
        page.wait_for_timeout(6000)
        after, ended = cpu(server), time.perf_counter()
        until(page, "studio.store.run.verdict")
        page.close()
        studio.append(max(after[pid] - before.get(pid, 0.0) for pid in after) / (ended - began))
        plain.append(plain_share(folder))
    ratio = statistics.median(studio) / statistics.median(plain)
    return {
        "simulation_cpu_shares": [round(each, 3) for each in studio],
        "without_studio_cpu_shares": [round(each, 3) for each in plain],
        "cpu_ratio_of_medians": round(ratio, 3),
    }


_PLAIN = """import sys, time
from pathlib import Path
from andante.runs.build import build
from andante.runs.loop.clock import RealTimeClock
from andante.runs.execute import LOG, log_metadata, session_of
from andante.runs.logs.recorder import LogRecorder
from andante.runs.scenario_files import load_scenario
folder = Path(sys.argv[1])
scenario = load_scenario(folder / "scenario.yaml")
parts = build(scenario)
session = session_of(scenario, parts, recorder=LogRecorder(folder / "plain.log", log_metadata(scenario, parts.robot)))
session.start()
clock = RealTimeClock()
clock.start(session.schedule.period)
clock.rebase(session.moment)
while session.time < 1.0 and session.ending is None:
    clock.wait_until(session.moment)
    session.step()
spent, began = time.process_time(), session.time
while session.time < began + 6.0 and session.ending is None:
    clock.wait_until(session.moment)
    session.step()
print((time.process_time() - spent) / (session.time - began))
"""


def plain_share(folder: Path) -> float:
    """Processor time per second of the same run in real time without the studio."""
    runs = sorted((folder / "runs" / "studio").iterdir(), key=lambda run: run.stat().st_mtime)
    done = subprocess.run([sys.executable, "-c", _PLAIN, str(runs[-1])], stdout=subprocess.PIPE, text=True, check=True)
    return float(done.stdout)


if __name__ == "__main__":
    main()
