"""Controllers: a knob, a gamepad or a key moves a live parameter during a run, and `andante replay` agrees."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from page_users import StudioUser
from served import Served, run_command, served
from socket_clients import StudioClient

from andante.runs.logs.log import Log
from andante.studio import messages as asked
from andante.studio.errors import StudioError
from andante.studio.message import read_message
from andante.studio.messages import MESSAGES
from andante.studio.midi import LOOPBACK, Binding, MidiControl, opened, ports

NEEDS_MIDO = "needs mido (pip install 'andante[studio]')"


def test_a_knob_goes_from_bound_to_bound() -> None:
    knob = Binding(0, 7, "x", -1.0, 3.0, "number")
    assert [knob.value(at) for at in (0, 127)] == [-1.0, 3.0]
    # 64/127 of the way from -1 to 3.
    assert knob.value(64) == pytest.approx(1.015748, abs=5e-6)
    assert Binding(0, 7, "n", 1.0, 5.0, "count").value(32) == 2
    assert [Binding(0, 7, "s", 0.0, 1.0, "switch").value(at) for at in (0, 63, 64, 127)] == [False, False, True, True]


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6), st.integers(0, 127))
def test_a_knob_stays_between_its_bounds(one: float, other: float, at: int) -> None:
    low, high = sorted((one, other))
    value = Binding(0, 0, "x", low, high, "number").value(at)
    assert low <= value <= high


def test_what_is_missing_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mido", None)
    assert ports() == ([], "MIDI needs mido: pip install 'andante[studio]'")
    with pytest.raises(StudioError, match=r"no such MIDI port.*pip install 'andante\[studio\]'"):
        opened(LOOPBACK)


def test_without_a_backend_the_loopback_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    mido = pytest.importorskip("mido", reason=NEEDS_MIDO)

    def none() -> list[str]:
        raise ModuleNotFoundError("No module named 'rtmidi'")

    monkeypatch.setattr(mido, "get_input_names", none)
    assert ports() == ([LOOPBACK], "MIDI devices need a backend: pip install python-rtmidi")
    monkeypatch.setattr(mido, "get_input_names", lambda: ["Knobs 1"])
    assert ports() == ([LOOPBACK, "Knobs 1"], "")

    def broken(name: str) -> object:
        raise OSError("busy")

    monkeypatch.setattr(mido, "open_input", broken)
    with pytest.raises(StudioError, match="cannot be opened: busy"):
        opened("Knobs 1")


def test_a_knob_is_learnt_and_its_newest_value_counts() -> None:
    pytest.importorskip("mido", reason=NEEDS_MIDO)
    told: list[dict] = []
    changes: list[asked.Change] = []

    async def comes(something: Callable[[], object]) -> None:
        end = time.monotonic() + 60.0
        while not something():
            assert time.monotonic() < end
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.1)

    async def turn() -> None:
        midi = MidiControl(told.append, changes.append)
        with pytest.raises(StudioError, match="no MIDI port is open"):
            midi.ask(asked.MidiLearn(do="midi_learn", parameter="x", low=0, high=1, kind="number"))
        midi.ask(asked.MidiOpen(do="midi_open", port=LOOPBACK))
        midi.ask(asked.MidiSend(do="midi_send", control=3, value=100))
        await asyncio.sleep(0.1)
        assert not changes
        midi.ask(asked.MidiLearn(do="midi_learn", parameter="x", low=0, high=2, kind="number"))
        midi.ask(asked.MidiSend(do="midi_send", control=3, value=1))
        await comes(lambda: midi.state()["bindings"])
        assert [each["control"] for each in midi.state()["bindings"]] == [3]
        # What teaches moves nothing; of many values between two looks the newest one does.
        for value in range(128):
            midi.ask(asked.MidiSend(do="midi_send", control=3, value=value))
        await comes(lambda: changes)
        assert [change.value for change in changes] == [2.0]
        midi.ask(asked.MidiForget(do="midi_forget", parameter="x"))
        midi.ask(asked.MidiSend(do="midi_send", control=3, value=0))
        await asyncio.sleep(0.1)
        assert len(changes) == 1
        midi.ask(asked.MidiOpen(do="midi_open", port=""))
        with pytest.raises(StudioError, match="only the loopback port"):
            midi.ask(asked.MidiSend(do="midi_send", control=3, value=0))

    asyncio.run(turn())


@pytest.mark.parametrize("field", [{"control": 128}, {"value": -1}, {"channel": 16}, {"control": 1.5}])
def test_what_is_no_control_change_is_refused(field: dict) -> None:
    with pytest.raises(StudioError):
        read_message(json.dumps({"do": "midi_send", "control": 1, "value": 1} | field), MESSAGES)


@pytest.fixture
def studio(wave: Path) -> Iterator[Served]:
    with served(wave) as running:
        yield running


def replayed(folder: Path) -> subprocess.CompletedProcess[str]:
    return run_command("replay", str(folder / "runs" / "studio" / "wave-1" / "log.mcap"), cwd=folder)


def told_events(folder: Path) -> list[str]:
    return [event.text for event in Log.open(folder / "runs" / "studio" / "wave-1" / "log.mcap").events]


@pytest.mark.slow
def test_a_knob_moves_a_parameter_and_the_replay_agrees(studio: Served) -> None:
    pytest.importorskip("mido", reason=NEEDS_MIDO)
    with closing(StudioClient(studio, timeout=90.0)) as client:
        send, wait = client.send, client.wait
        send(do="open", file="wave.yaml")
        wait("state")
        send(do="midi_open", port=LOOPBACK)
        assert wait("midi")["port"] == LOOPBACK
        for control, parameter in ((1, "balance"), (2, "pause_time")):
            kind = "switch" if control == 1 else "number"
            send(do="midi_learn", parameter=parameter, low=0.0, high=1.0, kind=kind)
            assert wait("midi")["learning"] == parameter
            send(do="midi_send", control=control, value=64)
            assert not wait("midi")["learning"]
        send(do="play", motion="wave", seed=3, speed=0.5)
        assert {"balance", "pause_time"} <= {each["name"] for each in wait("started")["parameters"]}
        wait("there")
        send(do="midi_send", control=1, value=0)
        changed = wait("changed", "refused")
        assert (changed.get("parameter"), changed.get("value")) == ("balance", False)
        send(do="midi_send", control=2, value=127)
        changed = wait("changed", "refused")
        assert (changed.get("parameter"), changed.get("value")) == ("pause_time", 1.0)
        wait("verdict")
        # Without a run a knob moves nothing and nobody is told a mistake.
        send(do="midi_send", control=1, value=127)
        wait("done")
        time.sleep(0.2)
        send(do="midi_ports")
        assert wait("midi", "refused")["type"] == "midi"
    texts = told_events(studio.folder)
    assert "balance = False" in texts
    assert "pause_time = 1.0" in texts
    found = replayed(studio.folder)
    assert found.returncode == 0, found.stdout + found.stderr


@pytest.mark.slow
@pytest.mark.browser
def test_gamepad_key_and_loopback_in_the_page(chromium: object, studio: Served) -> None:
    pytest.importorskip("mido", reason=NEEDS_MIDO)
    person = StudioUser(chromium, studio, "wave.yaml", timeout=30.0)
    page, wait = person.page, person.wait
    page.evaluate(
        "window.pad = {index: 0, axes: [0, 0], buttons: [{value: 0}]}; navigator.getGamepads = () => [window.pad]"
    )
    page.select_option(".transport [aria-label=Speed]", "0.1")
    page.click(".transport >> text=Physics")
    wait("studio.store.running === 'going'")
    page.click(".midi summary")
    wait("document.querySelectorAll('[aria-label=\"MIDI port\"] option').length >= 2")
    value = "studio.store.parameters.find((each) => each.name === '{}').value"

    page.select_option('[aria-label="Parameter to bind"]', "pause_time")
    page.click(".midi button:text-is('Gamepad')")
    page.evaluate("pad.axes[1] = -1")
    wait("document.querySelector('.midi .binding')")
    page.evaluate("pad.axes[1] = 1")
    high = page.evaluate("Number(document.querySelector('.midi .binding .hint').textContent.split(' to ')[1])")
    wait(f"Math.abs({value.format('pause_time')} - {high}) < 1e-3")

    page.select_option('[aria-label="Parameter to bind"]', "balance")
    page.click(".midi button:text-is('Key')")
    page.keyboard.press("b")
    wait("document.querySelectorAll('.midi .binding').length === 2")
    before = page.evaluate(value.format("balance"))
    page.keyboard.press("b")
    wait(f"{value.format('balance')} !== {json.dumps(before)}")

    page.select_option('[aria-label="MIDI port"]', LOOPBACK)
    wait("document.querySelector('[aria-label=\"Loopback knob 1\"]')")
    page.click(".midi button:text-is('Learn MIDI')")
    wait("document.querySelector('.midi .waiting').textContent.includes('Turn the knob')")
    page.fill('[aria-label="Loopback knob 1"]', "10")
    wait("document.querySelectorAll('.midi .binding').length === 3")
    now = page.evaluate(value.format("balance"))
    page.fill('[aria-label="Loopback knob 1"]', "0" if now else "127")
    wait(f"{value.format('balance')} !== {json.dumps(now)}")
    page.click(".transport >> text=Stop")
    wait("studio.store.run.verdict")
    person.done()
    texts = told_events(studio.folder)
    assert sum(text.startswith("balance = ") for text in texts) == 2
    assert any(text.startswith("pause_time = ") for text in texts)
    found = replayed(studio.folder)
    assert found.returncode == 0, found.stdout + found.stderr
