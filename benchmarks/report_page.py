"""How large the report of a long run is, how soon it opens and how fast its 3-D replay is drawn by software GL.

    python benchmarks/report_page.py [--minutes 10] [--folder RUN]

The run is a NAO that waves and stands for the rest. With --folder a run's folder that is there is used. Opening is the
time from asking for the page until its verdict can be read, until its plots are drawn, and until its replay is
(medians of five).
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from andante.runs.execute import run_scenario
from andante.runs.scenario_files import motion_scenario

FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-quic", "--no-first-run"]


def long_run(minutes: float, folder: Path) -> Path:
    """A run of a wave that stands on for the rest of the time."""
    scenario = motion_scenario("nao", "nao", ("wave",))
    longer = scenario.model_copy(update={"settle": max(60.0 * minutes - 4.0, 1.0), "timeout": 60.0 * minutes + 5.0})
    return run_scenario(longer, folder).folder


def opened(page: Page, address: str) -> tuple[float, float, float]:
    """Seconds until the verdict can be read, until all plots are drawn, and until the replay is."""
    began = time.perf_counter()
    page.goto(address, wait_until="commit")
    page.wait_for_function("document.getElementById('badge')?.textContent", polling=10)
    read = time.perf_counter() - began
    page.wait_for_function("document.body.dataset.ready === 'true'", polling=10)
    ready = time.perf_counter() - began
    page.wait_for_function("document.body.dataset.replay === 'ready' && andanteReport.replay.frames > 0", polling=10)
    return read, ready, time.perf_counter() - began


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    folder = options.folder or long_run(options.minutes, Path(tempfile.mkdtemp(prefix="long-")) / "run")
    report = folder / "report.html"
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
        openings = []
        for _ in range(5):
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            openings.append(opened(page, report.absolute().as_uri()))
            page.wait_for_timeout(1500)
            if len(openings) < 5:
                page.close()
        page.evaluate("andanteReport.replay.play()")
        page.wait_for_timeout(500)
        first = page.evaluate("[performance.now(), andanteReport.replay.frames]")
        page.wait_for_timeout(5000)
        last = page.evaluate("[performance.now(), andanteReport.replay.frames]")
        browser.close()
    read, ready, drawn = zip(*openings, strict=True)
    figures = {
        "load": os.getloadavg()[0],
        "report_mb": round(report.stat().st_size / 1e6, 2),
        "log_mb": round((folder / "log.mcap").stat().st_size / 1e6, 2),
        "verdict_s": round(statistics.median(read), 2),
        "plots_s": round(statistics.median(ready), 2),
        "replay_s": round(statistics.median(drawn), 2),
        "frames_per_s": round((last[1] - first[1]) / (last[0] - first[0]) * 1000.0, 1),
    }
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
