"""The server: who may talk to it, what it refuses, and that it stays up."""

from __future__ import annotations

import contextlib
import resource
from collections.abc import Iterator
from pathlib import Path

import pytest
from served import Served, served
from socket_clients import StudioClient, connect
from studio_text import TEXT

httpx = pytest.importorskip("httpx", reason="needs httpx (pip install httpx)")
websockets = pytest.importorskip("websockets.sync.client", reason="needs websockets (pip install 'andante[studio]')")

from websockets.exceptions import ConnectionClosed, InvalidStatus  # noqa: E402


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("workspace")
    (folder / "wave.yaml").write_text(TEXT)
    (folder.parent / "secret.yaml").write_text(TEXT)
    (folder / "link.yaml").symlink_to(folder.parent / "secret.yaml")
    with served(folder / "wave.yaml") as running:
        yield running


@pytest.fixture
def client(studio: Served) -> Iterator[StudioClient]:
    client = StudioClient(studio)
    client.send(do="open", file="wave.yaml")
    client.state = client.wait("state")
    yield client
    client.close()


@pytest.mark.slow
def test_the_page_needs_the_token(studio: Served) -> None:
    base = f"http://127.0.0.1:{studio.port}/"
    assert httpx.get(base).status_code == 403
    assert httpx.get(base, params={"token": "x" * 32}).status_code == 403
    good = httpx.get(base, params={"token": studio.token})
    assert good.status_code == 200
    assert "default-src 'self'" in good.headers["content-security-policy"]
    cookies = good.cookies
    assert httpx.get(base + "studio.js", cookies=cookies).status_code == 200
    assert httpx.get(base + "studio.js").status_code == 403
    for name in ("..%2f..%2fserver.py", "%2e%2e/server.py", "studio.js.map", "x", "index.htm%00l"):
        assert httpx.get(base + name, cookies=cookies).status_code in (403, 404)


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "127.0.0.1", "localhost:1", "", "127.0.0.1:x@evil"]
)
def test_foreign_hosts_are_refused(studio: Served, host: str) -> None:
    url = f"http://127.0.0.1:{studio.port}/?token={studio.token}"
    assert httpx.get(url, headers={"Host": host}).status_code == 400


def test_foreign_origins_are_refused(studio: Served) -> None:
    url = f"http://127.0.0.1:{studio.port}/?token={studio.token}"
    for origin in (
        "http://evil.example",
        "null",
        f"https://127.0.0.1:{studio.port}",
        f"http://127.0.0.1:{studio.port + 1}",
    ):
        assert httpx.get(url, headers={"Origin": origin}).status_code == 403
        with pytest.raises(InvalidStatus):
            connect(studio, origin=origin)


def test_sockets_need_token_origin_and_host(studio: Served) -> None:
    with pytest.raises(InvalidStatus):
        connect(studio, token="x" * 32)
    with pytest.raises(InvalidStatus):
        connect(studio, token="")
    with pytest.raises(InvalidStatus):
        connect(studio, host="evil.example")
    with pytest.raises(InvalidStatus):
        websockets.connect(f"ws://127.0.0.1:{studio.port}/socket?token={studio.token}", open_timeout=60).__enter__()


@pytest.mark.parametrize(
    "name", ["../secret.yaml", "/etc/passwd", "link.yaml", "wave.yaml/../../secret.yaml", "nowhere.yaml", "a\0b"]
)
def test_files_outside_are_refused(client: StudioClient, name: str) -> None:
    answer = client.ask(do="open", file=name)
    assert answer["type"] == "refused"
    answer = client.ask(do="new", file=name, robot="nao")
    assert answer["type"] == "refused" or name == "nowhere.yaml"


def test_malformed_messages_are_refused_and_the_socket_stays(client: StudioClient) -> None:
    for text in (
        "",
        "{",
        "[]",
        "null",
        '{"do":"undo","x":NaN}',
        '{"do":"posture","joints":[1e999]}',
        "\x00",
        "[" * 50_000,
    ):
        client.socket.send(text)
        assert client.wait("refused")
    client.socket.send(b"\xff\x00\xfe")
    assert client.wait("refused")
    assert "wave.yaml" in client.ask(do="files")["files"]


def test_every_refusal_has_its_requests_number(client: StudioClient) -> None:
    """A page that waits for an answer gets one, also where the message is none."""
    for message in (
        {"do": "posture", "joints": [1.0, 2.0]},
        {"do": "posture", "joints": ["x"]},
        {"do": "no such thing"},
        {"do": "set", "revision": -1, "block": "wave", "fields": {}},
        {"do": "drag"},
        {"do": "undo", "unknown": 1},
    ):
        assert client.ask(**message)["type"] == "refused", message
    for request in (-1, 2**60, 1.5, True, "9", None):
        client.send(do="no such thing", request=request)
        assert client.wait("refused")["request"] == 0


def test_a_refused_value_has_its_place(client: StudioClient) -> None:
    condition = {"variable": "com_height", "min": "low", "max": 1}
    fields = {"0": {"branches": [{"block": "lift", "early": {"conditions": [condition]}}]}}
    answer = client.ask(do="set", block="wave", fields=fields, revision=client.state["revision"])
    assert answer["place"].startswith("keyframe.branches[0].early.conditions[0].min")
    assert "must be a number" in answer["what"]
    for kind, name, fields, place in (
        ("motions", "wave", {"follow_ups": [{}]}, "motions.follow_ups[0].motion"),
        ("settings", "settings", {"max_tries": 0}, "settings.max_tries"),
        ("balance", "x", {}, "balance.max_scaling"),
    ):
        action = "add" if kind == "balance" else "set"
        revision = client.state["revision"]
        answer = client.ask(do="library", kind=kind, action=action, name=name, fields=fields, revision=revision)
        assert answer["type"] == "refused"
        assert answer["place"] == place


def test_bad_indices_and_values_are_refused(client: StudioClient) -> None:
    revision = client.state["revision"]
    bad = [
        {"do": "set", "block": "wave", "fields": {"99": {"duration": 1}}},
        {"do": "set", "block": "none", "fields": {"0": {"duration": 1}}},
        {"do": "set", "block": "wave", "fields": {"0": {"duration": -1}}},
        {"do": "set", "block": "wave", "fields": {"0": {"extras": {"mtn": {"a": "x" * 10}}, "nothing": 1}}},
        {"do": "delete", "block": "wave", "keyframes": [0, 7]},
        {"do": "move", "block": "wave", "keyframe": 0, "to": 9},
        {"do": "text", "changes": [[5, 2, "x"]]},
        {"do": "text", "changes": [[0, 10**6, ""]]},
        {"do": "insert", "block": "wave", "at": 77, "keyframes": [{"duration": 1}]},
        {"do": "library", "kind": "blocks", "action": "rename", "name": "wave", "to": "lift"},
    ]
    for message in bad:
        assert client.ask(**message, revision=revision)["type"] == "refused", message
    assert client.ask(do="set", block="wave", fields={"0": {"duration": 1}}, revision=revision + 5)["type"] == "refused"


def test_huge_messages_end_the_socket_and_nothing_else(studio: Served, client: StudioClient) -> None:
    # The server may close the socket before all of it is sent.
    with contextlib.suppress(ConnectionClosed):
        client.socket.send("x" * (2 << 20))
    with pytest.raises(ConnectionClosed):
        client.wait("never")
    other = StudioClient(studio)
    assert other.ask(do="files")["type"] == "files"
    other.close()


def test_headers_are_bounded(studio: Served) -> None:
    url = f"http://127.0.0.1:{studio.port}/?token={studio.token}"
    try:
        status = httpx.get(url, headers={"X-Long": "x" * 200_000}).status_code
    except httpx.HTTPError:
        status = 400
    assert status in (400, 431)


@pytest.mark.slow
def test_memory_stays_bounded(studio: Served) -> None:
    """A thousand refused messages and sockets leave nothing behind."""
    before = memory(studio)
    for _ in range(40):
        client = StudioClient(studio)
        for _ in range(25):
            client.socket.send('{"do": "posture", "joints": [' + "1," * 20_000 + "NaN]}")
        for _ in range(25):
            assert client.wait("refused")
        client.close()
    assert memory(studio) - before < 60e6


def memory(studio: Served) -> float:
    pages = int(Path(f"/proc/{studio.process.pid}/statm").read_text().split()[1])
    return pages * float(resource.getpagesize())


def test_two_pages_lose_no_edit(studio: Served) -> None:
    first, second = StudioClient(studio), StudioClient(studio)
    for client in (first, second):
        client.send(do="open", file="wave.yaml")
        client.state = client.wait("state")
    revision, text = first.state["revision"], first.state["text"]
    at = text.index("# the end")
    assert first.ask(do="text", revision=revision, changes=[[at, at, "# one\n"]])["type"] == "edited"
    # The second does not know it yet, and is told.
    assert second.ask(do="text", revision=revision, changes=[[at, at, "# two\n"]])["type"] == "conflict"
    moved = at + len("# one\n")
    answer = second.ask(do="text", revision=revision + 1, changes=[[moved, moved, "# two\n"]])
    assert answer["type"] == "edited"
    third = StudioClient(studio)
    third.send(do="open", file="wave.yaml")
    assert third.wait("state")["text"].endswith("# one\n# two\n# the end\n")
    for _ in range(2):
        third.ask(do="undo")
    again = StudioClient(studio)
    again.send(do="open", file="wave.yaml")
    assert again.wait("state")["text"] == text
    for client in (first, second, third, again):
        client.close()


def test_the_server_is_still_there(studio: Served) -> None:
    assert studio.process.poll() is None
    assert not any("Traceback" in line for line in studio.lines), "".join(studio.lines)


def test_a_missing_library_is_told_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import importlib.util

    import typer

    from andante.cli.studio import studio as command

    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name == "uvicorn" else real(name, *rest)
    )
    with pytest.raises(typer.Exit):
        command(file=None, robot="", host="127.0.0.1", port=0, browser=False)
    assert (
        capsys.readouterr().err.strip()
        == "andante: the studio needs uvicorn: install it with pip install 'andante[studio]'"
    )


def test_a_port_that_is_taken_is_told(studio: Served) -> None:
    from andante.studio.errors import StudioError
    from andante.studio.server import open_socket

    with pytest.raises(StudioError, match="the address is not free"):
        open_socket("127.0.0.1", studio.port)


def test_a_new_document_may_be_a_copy_of_a_shipped_library(client: StudioClient) -> None:
    from andante.runs.motion_libraries import library_path

    assert client.ask(do="new", file="copy.yaml", robot="nao", copy_of="nao")["text"] == library_path("nao").read_text()
    refused = client.ask(do="new", file="other.yaml", robot="nao", copy_of="../../etc/passwd")
    assert refused["type"] == "refused"
    assert "there is no such library to copy" in refused["text"]


@pytest.mark.slow
def test_pages_are_told_when_drags_are_ready(studio: Served, client: StudioClient) -> None:
    other = StudioClient(studio)
    other.send(do="open", file="wave.yaml")
    while not other.wait("moves")["ready"]:
        pass
    other.close()
