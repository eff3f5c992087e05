"""A run as one page that opens from the disk, and as a GIF: no server, no network."""

from __future__ import annotations

import functools
import re
import shutil
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest
from page_users import VIEWPORT, PageUser
from studio_text import TEXT
from typer.testing import CliRunner

from andante.backends.fault import Fault
from andante.cli.app import app
from andante.errors import AndanteError
from andante.runs.logs.record import RunRecord
from andante.runs.motion_libraries import library_path
from andante.studio import sharing
from andante.studio.disk import Disk
from andante.studio.sharing import LARGEST, share_page
from andante.studio.sharing_video import share_video
from andante.studio.simulation import MotionRun, Order


def run_of(folder: Path, text: str, motion: str, start: str = "") -> Path:
    """The folder of a run, as the studio makes it."""
    made = MotionRun(Order(text, "nao", motion, 0, folder / "run", Disk(folder), start=start))
    while made.session.ending is None:
        made.step()
    assert made.verdict()["verdict"] == "pass"
    made.drop()
    return folder / "run"


needs_mujoco = pytest.mark.skipif(
    not (sharing.MUJOCO / sharing.WASM).exists(), reason="needs MuJoCo for the browser (make mujoco)"
)


@pytest.fixture(scope="module")
def nod(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run_of(tmp_path_factory.mktemp("nod"), TEXT, "nod")


@pytest.fixture(scope="module")
def getup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a NAO that gets up from its back."""
    folder = tmp_path_factory.mktemp("getup")
    run = run_of(folder, library_path("nao").read_text(), "get_up_back", "back")
    told = share_page(run, folder / "getup.html")
    assert told["physics"], told["why"]
    return folder / "getup.html"


@needs_mujoco
def test_a_page_needs_nothing_else(nod: Path, tmp_path: Path) -> None:
    page = tmp_path / "nod.html"
    told = share_page(nod, page)
    assert told == {"bytes": page.stat().st_size, "physics": True, "why": ""}
    assert told["bytes"] <= LARGEST
    text = page.read_text()
    assert not re.findall(r"""(?:src|href)=["'](?!data:)""", text)
    # How the studio judged it, which the run's folder says as after `andante run`.
    assert '"verdict": "pass"' in text
    told = RunRecord.open(nod)
    assert (told.verdict, told.result["seed"], told.result["evidence"]) == ("pass", 0, "simulation")


def test_a_run_that_somebody_changed_is_not_judged_on_its_page(tmp_path: Path) -> None:
    """The page shows the run as its scenario says, so another run's verdict is not told of it."""
    made = MotionRun(Order(TEXT, "nao", "nod", 0, tmp_path / "run", Disk(tmp_path)))
    made.session.fault(Fault(type="dead", name="neck", joints=("HeadPitch",)))
    while made.session.ending is None:
        made.step()
    made.verdict()
    made.drop()
    share_page(tmp_path / "run", tmp_path / "nod.html")
    text = (tmp_path / "nod.html").read_text()
    assert '"verdict": ""' in text
    assert "somebody changed the run while it went on" in text


def test_without_mujoco_for_browsers_a_page_shows_what_was_recorded_and_says_how_to_get_it(
    nod: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sharing, "MUJOCO", tmp_path / "none")
    page = tmp_path / "nod.html"
    done = CliRunner().invoke(app, ["share", str(nod), "--page", str(page)], env={"COLUMNS": "400"})
    assert done.exit_code == 0
    why = "this installation lacks MuJoCo for the browser (mujoco.js, mujoco.wasm.gz); "
    remedy = "`make mujoco` in a checkout of Andante fetches it"
    assert f"recorded only: {why}{remedy}\n" in done.stdout
    assert why + remedy in page.read_text()
    assert page.stat().st_size < 1_000_000


def test_what_cannot_be_shared_is_refused(nod: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AndanteError):
        share_page(tmp_path / "none", tmp_path / "none.html")
    monkeypatch.setattr(sharing, "LONGEST", 0.5)
    with monkeypatch.context() as patch:
        patch.setattr(sharing, "recorded", lambda *given: pytest.fail("the run's folder says how long it is"))
        with pytest.raises(AndanteError, match=r"too long to share; got '\d\.\d+ s'"):
            share_page(nod, tmp_path / "long.html")
    (tmp_path / "alone").mkdir()
    (tmp_path / "alone" / "scenario.yaml").write_bytes((nod / "scenario.yaml").read_bytes())
    with pytest.raises(AndanteError, match=r"too long to share; limit: 0\.5 s"):
        share_page(tmp_path / "alone", tmp_path / "long.html")
    (tmp_path / "alone" / "metrics.json").write_text("[]")
    with pytest.raises(AndanteError, match=r"metrics\.json: are not the numbers of a run"):
        share_page(tmp_path / "alone", tmp_path / "long.html")
    shutil.rmtree(tmp_path / "alone")
    monkeypatch.setattr(sharing, "LONGEST", 60.0)
    monkeypatch.setattr(sharing, "LARGEST", 10_000)
    with pytest.raises(AndanteError, match="too large"):
        share_page(nod, tmp_path / "large.html")
    assert not list(tmp_path.iterdir())
    with pytest.raises(AndanteError, match="none"):
        share_video(nod, tmp_path / "a.gif", ("none.none",))
    with pytest.raises(AndanteError, match=r"\.avi"):
        share_video(nod, tmp_path / "a.avi")


@pytest.mark.slow
def test_a_gif_has_the_robot_and_its_plots(nod: Path, tmp_path: Path) -> None:
    from PIL import Image

    share_video(nod, tmp_path / "nod.gif", ("truth.base_height",))
    with Image.open(tmp_path / "nod.gif") as picture:
        assert picture.size == (480, 420)
        assert picture.n_frames > 10
        first = np.array(picture.convert("RGB"))
        picture.seek(picture.n_frames - 1)
        last = np.array(picture.convert("RGB"))
    # The playhead has gone from the left of the plot to its right.
    # A GIF has few colours: the reddest place of the plot's upper part.
    strips = [each[380:388].astype(int) for each in (first, last)]
    red = [int((strip[..., 0] - strip[..., 1:].max(axis=2)).mean(axis=0).argmax()) for strip in strips]
    assert red[0] < 120
    assert red[1] > 400


@pytest.fixture
def plain_server(getup: Path) -> Iterator[str]:
    """A server that knows nothing but files."""
    handler = functools.partial(SimpleHTTPRequestHandler, directory=str(getup.parent))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/{getup.name}"
    server.shutdown()


RUN = """(() => { const physics = share.physics(); physics.reset(); CHANGE; const heights = [];
while (physics.tick < physics.count) { physics.step(); heights.push(physics.base()[2]); } return heights; })()"""


@needs_mujoco
@pytest.mark.slow
@pytest.mark.browser
def test_the_robot_rises_in_the_page_is_pushed_and_does_otherwise(
    chromium: object, getup: Path, plain_server: str
) -> None:
    """From the disk and from a plain server; physics in the browser goes as the recorded run did."""
    for address in (getup.as_uri(), plain_server):
        user = PageUser(chromium.new_page(viewport=VIEWPORT), 60.0)
        user.page.goto(address)
        user.wait("window.share && share.traces.count > 100")
        user.page.click("text=Physics here")
        user.wait("share.physics()")
        user.page.click("text=Recorded")
        recorded = np.array(
            user.get("Array.from({ length: share.traces.count }, (_, row) => share.traces.base(row)[2])")
        )
        here = np.array(user.get(RUN.replace("CHANGE", "")))
        assert recorded[0] < 0.12
        assert recorded[-1] > 0.28
        assert np.abs(here[: len(recorded) - 1] - recorded[1 : len(here) + 1]).max() < 0.03
        if address == plain_server:
            user.done()
            continue
        pushed = np.array(user.get(RUN.replace("CHANGE", "physics.shove(0, 1, 1.5)")))
        assert np.abs(pushed - here).max() > 0.002
        # One keyframe changed by its slider: the joint goes there, and the run does otherwise.
        user.page.select_option("[aria-label=Keyframe]", "2")
        user.page.select_option("[aria-label=Joint]", "LHipPitch")
        user.page.locator("[aria-label='Change of the angle']").fill("-30")
        user.wait("share.physics().changes.length === 1")
        changed = np.array(user.get(RUN.replace("CHANGE", "")))
        assert np.abs(changed - here).max() > 0.01
        user.page.click("text=As it was")
        user.page.click("text=Run it")
        user.wait("share.here.count > 5 && share.physics().time > 0.2")
        user.done()


def test_a_run_is_shared_by_its_log_too(nod: Path, tmp_path: Path) -> None:
    """Who has only the log shares it, and who gives the folder above is told which runs are there."""
    share_page(nod / "log.mcap", tmp_path / "folder.html")
    (tmp_path / "sent.mcap").write_bytes((nod / "log.mcap").read_bytes())
    told = share_page(tmp_path / "sent.mcap", tmp_path / "sent.html")
    assert told["bytes"] > 100_000
    with pytest.raises(AndanteError, match=f"it has no scenario; got 'scenario.yaml'; runs are below it: .*{nod.name}"):
        share_page(nod.parent, tmp_path / "none.html")
    with pytest.raises(AndanteError, match=r"gone\.mcap: does not exist"):
        share_page(tmp_path / "gone.mcap", tmp_path / "none.html")
    with pytest.raises(AndanteError, match="there is no log"):
        share_video(_alone(nod, tmp_path), tmp_path / "a.gif")


def _alone(run: Path, folder: Path) -> Path:
    made = folder / "alone"
    made.mkdir()
    (made / "scenario.yaml").write_bytes((run / "scenario.yaml").read_bytes())
    return made
