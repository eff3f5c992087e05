"""What is large holds nobody up: pages of other documents are answered meanwhile; the built page is sent once."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from served import Served, served
from socket_clients import StudioClient
from studio_text import TEXT

from andante.studio.assets import Assets

pytestmark = pytest.mark.slow
"""Its server and its helpers take longer than all that other pages' tests share."""

KEYFRAMES = 6000


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("large") / "workspace"
    folder.mkdir()
    (folder / "wave.yaml").write_text(TEXT)
    rows = "\n".join(f"      - {{duration: 20, joints: {{HeadYaw: {n % 40}}}}}  # number {n}" for n in range(KEYFRAMES))
    head = TEXT.partition("motions:")[0]
    text = f"{head}motions:\n  m:\n    blocks: [b]\nblocks:\n  b:\n    keyframes:\n{rows}\n"
    (folder / "large.yaml").write_text(text + "# " + "x" * 1_000_000 + "\n")
    with served(folder) as running:
        yield running


def test_other_pages_are_answered_while_a_large_document_is_opened_and_edited(studio: Served) -> None:
    small, large = StudioClient(studio, timeout=120.0), StudioClient(studio, timeout=120.0)
    revision = small.ask(do="open", file="wave.yaml")["revision"]
    while not small.wait("moves")["ready"]:
        pass
    done: dict[str, dict] = {}

    def work() -> None:
        state = done["state"] = large.ask(do="open", file="large.yaml")
        large.send(do="show", motion="m", block="")
        # Behind the first million characters.
        at = len(state["text"]) - 1
        done["edited"] = large.ask(do="text", revision=state["revision"], changes=[[at, at, " end"]])

    thread = threading.Thread(target=work)
    began = time.monotonic()
    thread.start()
    answers = []
    while thread.is_alive():
        asked = time.monotonic()
        answer = small.ask(
            do="set", block="lift", fields={"0": {"duration": 0.5 + len(answers) * 1e-3}}, revision=revision
        )
        revision = answer["revision"]
        answers.append(time.monotonic() - asked)
    spent = time.monotonic() - began
    assert done["state"]["type"] == "state"
    assert done["state"]["library"]["blocks"]["b"]["keyframes"][-1]["duration"] == pytest.approx(0.02)
    assert done["edited"]["type"] == "edited"
    assert len(answers) >= 10
    assert max(answers) < spent / 2
    for client in (small, large):
        client.close()


def test_the_page_is_packed_and_kept_under_a_name_of_its_content(studio: Served, tmp_path: Path) -> None:
    httpx = pytest.importorskip("httpx", reason="needs httpx (pip install httpx)")
    base = f"http://127.0.0.1:{studio.port}/"
    with httpx.Client() as client:
        page = client.get(base, params={"token": studio.token})
        assert page.headers["cache-control"] == "no-store"
        names = re.findall(r'"\./([^"]+)"', page.text)
        assert any(name.endswith("/studio.js") for name in names)
        for name in names:
            for packed in ("gzip", "identity"):
                found = client.get(base + name, headers={"Accept-Encoding": packed})
                assert found.status_code == 200
                assert "immutable" in found.headers["cache-control"]
                assert found.headers.get("content-encoding", "identity") == packed
            assert client.get(base + re.sub("page-.", "page-x", name)).status_code == 404
    assert httpx.get(base + names[0]).status_code == 403
    (tmp_path / "a.js").write_text("1")
    one = Assets(tmp_path).version
    (tmp_path / "a.js").write_text("2")
    assert Assets(tmp_path).version != one
