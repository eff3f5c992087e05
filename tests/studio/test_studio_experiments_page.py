"""The page of experiments in chromium: chosen, run, cancelled, gone on with and compared, by mouse and by keys."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from experiment_client import EXPERIMENT
from page_users import VIEWPORT, PageUser
from served import COMMAND, Served
from studio_text import TEXT

import andante

REPOSITORY = Path(__file__).resolve().parents[2]
AXE = REPOSITORY / "web" / "node_modules" / "axe-core" / "axe.min.js"
pytestmark = [pytest.mark.browser, pytest.mark.slow]


def opened(chromium: object, studio: Served) -> PageUser:
    (studio.folder / "wave.yaml").write_text(TEXT)
    (studio.folder / "floors.yaml").write_text(EXPERIMENT)
    user = PageUser(chromium.new_page(viewport=VIEWPORT), 180.0)
    user.page.set_default_timeout(180_000)
    user.page.goto(f"http://127.0.0.1:{studio.port}/experiments.html?token={studio.token}")
    user.wait("experiments.state.shelf")
    return user


def serious(user: PageUser, place: str = "html") -> list[str]:
    """What axe-core finds in a place of the page that is serious or worse, in both themes."""
    if not AXE.is_file():
        return []
    found = []
    user.get(f"{AXE.read_text()}; 0")
    for theme in ("light", "dark"):
        user.get(f"document.documentElement.dataset.theme = '{theme}'")
        told = user.get(f"axe.run({place!r}, {{ resultTypes: ['violations'] }}).then(({{ violations }}) => violations)")
        found += [
            f"{theme} {each['id']}: {each['nodes'][0]['html'][:150]}"
            for each in told
            if each["impact"] in ("serious", "critical")
        ]
    return found


def tab_to(user: PageUser, condition: str) -> None:
    for _ in range(80):
        if user.get(f"Boolean(document.activeElement?.matches({condition!r}))"):
            return
        user.page.keyboard.press("Tab")
    raise AssertionError(condition)


RUN = "experiments.state.run"
SHOWN = "document.querySelector('.result-view h2')?.textContent"


def test_an_experiment_is_run_cancelled_gone_on_with_and_compared(
    chromium: object, studio: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = opened(chromium, studio)
    page, found = user.page, {}
    # By keys alone: chosen, asked wrongly, told so in the form, asked rightly and run.
    tab_to(user, "[data-name='floors.yaml']")
    page.keyboard.press("Enter")
    user.wait("document.querySelector('.experiment-form')")
    tab_to(user, "[aria-label='Values by path']")
    page.keyboard.type("world.frictoin=0.4")
    tab_to(user, "button.run")
    page.keyboard.press("Enter")
    user.wait("document.querySelector('.experiment-form .problem').textContent.includes('friction')")
    assert user.get("document.querySelectorAll('.problem.bad:not(:empty)').length") == 1
    found["form"] = serious(user)
    page.fill("[aria-label='Values by path']", "")
    page.click("button.check")
    user.wait("document.querySelector('.outcome code')")
    assert "4 trials in 2 cells: rough (2), smooth (2)." in user.get("document.querySelector('.outcome').textContent")
    page.click("text=page with film strips")
    page.click("button.run")
    user.wait(f"{RUN}?.state === 'done' && {SHOWN} === 'experiments/floors-1'")
    # What was asked, met or missed, with units; a bar for each cell.
    assert "Missed: rough: tilt, largest; smooth: tilt, largest." in user.get(
        "document.querySelector('.result-view .verdict').textContent"
    )
    rows = user.get("[...document.querySelectorAll('.result-view table')][0].innerText")
    assert "rough: passed\t2 of 2\t0.3424 to 1\t2\t>= 0.3\tmet" in rows
    assert " deg\t" in rows
    assert user.get("document.querySelectorAll('figure rect.bar').length") == 4
    assert user.get("document.querySelector('figure svg').getAttribute('aria-label')").startswith(
        "passed: rough 2 of 2"
    )
    found["result"] = serious(user)
    # The runner's own page has pictures and no script.
    link = user.get("document.querySelector('.result-view a').href")
    assert "<img alt='film strip of rough, seed 0'" in user.get(f"fetch({link!r}).then((answer) => answer.text())")
    policy = user.get(f"fetch({link!r}).then(({{ headers }}) => headers.get('Content-Security-Policy'))")
    assert policy.startswith("sandbox; default-src 'none'")
    # Cut off by the button, and gone on with.
    page.click("text=Ask again…")
    user.wait("document.querySelector('.experiment-form')")
    page.fill("[aria-label='Seeds']", "40")
    page.fill("[aria-label='Values by path']", "world.friction=0.05")
    page.click("button.run")
    user.wait(f"{RUN}?.result === 'experiments/floors-2' && {RUN}.cells.some(({{ done }}) => done > 0)")
    # The rest of the page is as before, and what runs wants the processor.
    found["running"] = serious(user, ".run-view")
    page.click("button.cancel")
    user.wait(f"{RUN}.state === 'cancelled' && !experiments.state.busy")
    page.click("[data-name='experiments/floors-2']")
    user.wait("document.querySelector('.result-view .resume')")
    # The floor of both cells is the same now, so each trial counts for both.
    assert "of 80 trials are kept" in user.get("document.querySelector('.result-view .verdict').textContent")
    # Whole ones are offered for comparing, those that were cut off are not. One more is what the command would make.
    offered = "[...document.querySelector(\"[aria-label='First result or run']\").options].map(({ value }) => value)"
    assert user.get(offered) == ["experiments/floors-1"]
    monkeypatch.chdir(studio.folder)
    soft = andante.bench("floors.yaml", seeds=2, settings=["world.friction=0.05"])
    (studio.folder / "experiments" / "soft").mkdir()
    (studio.folder / "experiments" / "soft" / "result.json").write_text(json.dumps(soft.data()))
    page.reload()
    user.wait(f"window.experiments?.state.shelf && {offered}.length === 2")
    page.select_option("[aria-label='First result or run']", "experiments/floors-1")
    page.select_option("[aria-label='Second result or run']", "experiments/soft")
    page.click("button.compare-button")
    user.wait("document.querySelector('.compare-view')")
    told = user.get("document.querySelector('.compare-view').innerText")
    for words in ("4 trials in common, seeds 0 to 1.", "rough: tilt", " deg", "values", "world.friction=0.05"):
        assert words in told
    found["compared"] = serious(user)
    # A result whose folder goes meanwhile is told, and goes from the list.
    shutil.rmtree(studio.folder / "experiments" / "soft")
    page.click("[data-name='experiments/soft']")
    user.wait("document.querySelector('.paper > .problem').textContent.includes('no more')")
    user.wait("!document.querySelector(\"[data-name='experiments/soft']\")")
    assert {place: each for place, each in found.items() if each} == {}
    user.done()


def test_two_runs_lie_over_one_another_in_the_lanes(chromium: object, studio: Served) -> None:
    (studio.folder / "wave.yaml").write_text(TEXT)
    for name, seed in (("a", "1"), ("b", "2")):
        run = ["run", "wave.yaml/nod", "--no-report", "--seed", seed, "--out", f"runs/{name}"]
        subprocess.run([*COMMAND, *run], cwd=studio.folder, check=True, capture_output=True)
    user = opened(chromium, studio)
    user.page.select_option("[aria-label='First result or run']", "runs/a")
    user.page.select_option("[aria-label='Second result or run']", "runs/b")
    user.page.click("button.compare-button")
    user.wait("window.lanes?.store.runs.length === 2 && lanes.store.runs[1].traces.count > 10")
    assert user.get("document.querySelector('.compare-lanes .timeline').clientHeight") > 300
    # The curves have both: the second is drawn beside the first.
    assert user.get("lanes.store.runsBeside().map(({ number }) => number)") == [2]
    user.page.click("text=Swap")
    assert user.get("lanes.store.runsBeside().map(({ number }) => number)") == [1]
    told = user.get("document.querySelector('.compare-view').innerText")
    assert told.count("pass") >= 2
    assert "max_tilt" in told
    assert " deg" in told
    assert "seed" in told
    assert serious(user) == []
    user.done()


def test_what_was_asked_for_last_is_shown_whichever_answer_comes_first(chromium: object, studio: Served) -> None:
    user = opened(chromium, studio)
    user.get(
        """(() => {
        const { connection } = experiments; const ask = connection.ask.bind(connection);
        connection.ask = (message) => message.experiment === 'kick'
          ? new Promise((done) => setTimeout(done, 800)).then(() => ask(message)).finally(() => (window.late = true))
          : ask(message);
        void experiments.showExperiment('kick'); void experiments.showExperiment('floors.yaml'); })()"""
    )
    user.wait("window.late && document.querySelector('.experiment-form h2')")
    assert user.get("document.querySelector('.experiment-form h2').textContent") == "floors"
    assert user.get("experiments.state.shown") == "experiment floors.yaml"
    user.done()
