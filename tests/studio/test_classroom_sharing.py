"""What many share: a fair queue over few processes, places for runs, a part of the disk, a rate."""

from __future__ import annotations

import asyncio
import errno
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from andante.studio.classroom.class_app import Rate
from andante.studio.classroom.fair_pool import MOST_WAITING, FairPool, PoolSeat
from andante.studio.classroom.quota import QuotaSystem
from andante.studio.classroom.run_slots import QueuedProcess, RunSlots
from andante.studio.disk import Disk
from andante.studio.errors import HelperLostError, StudioError, WorkspaceError
from andante.studio.messages import Play, Steer
from andante.studio.supervised import HelperLimits


class StandIn:
    """A helper that answers in this process, one question at a time, when it is let."""

    def __init__(self) -> None:
        self.answered: list[object] = []
        self.let = threading.Event()

    def answer(self, function: Callable[..., Any], *arguments: Any, seconds: float | None = None) -> Any:
        assert self.let.wait(20)
        self.answered.append(arguments)
        return function(*arguments)

    def end(self) -> None:
        self.let.set()


def _same(*values: object) -> object:
    return values


@pytest.fixture
def helper() -> StandIn:
    return StandIn()


def _until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


def test_who_asks_much_waits_for_it_and_not_the_others(helper: StandIn) -> None:
    pool = FairPool([helper])
    answers = [pool.submit("greedy", _same, ("greedy", number)) for number in range(6)]
    # The first is being answered by now; all others come while it is.
    _until(lambda: len(pool._waiting.get("greedy", ())) == 5)
    for who in ("ada", "bob"):
        answers += [pool.submit(who, _same, (who, number)) for number in range(2)]
    helper.let.set()
    for answer in answers:
        answer.result(20)
    order = [f"{who[0]}{number}" for who, number in helper.answered]
    assert order == ["g0", "g1", "a0", "b0", "g2", "a1", "b1", "g3", "g4", "g5"]
    pool.end()


def test_places_in_the_queue_are_told_as_they_change(helper: StandIn) -> None:
    pool, told = FairPool([helper]), []
    first = pool.submit("ada", _same, ("ada",))
    _until(lambda: not pool._waiting)
    others = [pool.submit(who, _same, (who,), None, lambda place, who=who: told.append((who, place))) for who in "bcd"]
    assert told == [("b", 1), ("c", 2), ("d", 3)]
    assert others[1].cancel()
    helper.let.set()
    assert [first.result(20), others[0].result(20), others[2].result(20)] == [("ada",), ("b",), ("d",)]
    assert [place for who, place in told if who == "b"] == [1, 0]
    assert [place for who, place in told if who == "d"][-1] == 0
    assert ("c",) not in helper.answered
    pool.end()


def test_one_person_cannot_fill_the_queue_and_an_end_is_told(helper: StandIn) -> None:
    pool = FairPool([helper])
    waiting = [pool.submit("greedy", _same, ()) for _ in range(MOST_WAITING)]
    with pytest.raises(StudioError, match="too much of yours waits already"):
        waiting += [pool.submit("greedy", _same, ()) for _ in range(3)]
    seat = PoolSeat(pool, "ada")
    told: list[str] = []

    def ask() -> None:
        try:
            seat.wait(_same)
        except HelperLostError as error:
            told.append(str(error))

    asked = threading.Thread(target=ask)
    asked.start()
    _until(lambda: "ada" in pool._waiting)
    pool.end()
    asked.join(20)
    assert told == ["the class ends"]
    with pytest.raises(HelperLostError, match="the class ends"):
        waiting[-1].result(20)


def test_what_a_function_raises_is_raised_where_it_was_asked(helper: StandIn) -> None:
    helper.let.set()
    pool = FairPool([helper])

    def fail() -> None:
        raise StudioError("no")

    with pytest.raises(StudioError, match="no"):
        asyncio.run(PoolSeat(pool, "ada").ask(fail))
    pool.end()


class StandInProcess:
    """A simulation process that says nothing by itself."""

    def __init__(self) -> None:
        self.alive, self.sent, self.stopped = True, [], False
        here, self.pipe = _pipe()
        self.other = here

    def owe(self, seconds: float | None = None) -> None:
        """Nothing is awaited."""

    def paid(self) -> None:
        """Nothing is awaited."""

    def stop(self, wait: float = 1.0) -> None:
        self.stopped, self.alive = True, False
        self.pipe.close()


def _pipe() -> tuple[Any, Any]:
    from multiprocessing import Pipe

    return Pipe()


def _slots(count: int, turn: float = 60.0, longest: float = 60.0) -> RunSlots:
    return RunSlots(count, turn, longest, HelperLimits())


def _made(slots: RunSlots, who: str, heard: list[tuple[str, Any]], monkeypatch: pytest.MonkeyPatch) -> Any:
    process = QueuedProcess(
        slots, who, lambda _: None, "sim", "the simulation",
        lambda _, data: heard.append((who, data.get("position", data["type"]))),
        lambda text: heard.append((who, text)),
    )  # fmt: skip
    monkeypatch.setattr(process, "_made", lambda _: StandInProcess())
    return process


async def _comes(condition: Callable[[], bool]) -> None:
    """Wait for what the loop does, however busy the machine is, and a little for what it must not do."""
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        await asyncio.sleep(0.005)
    await asyncio.sleep(0.05)


PLAY = Play(do="play", motion="wave")


def test_runs_wait_for_a_place_and_are_told_where_they_stand(monkeypatch: pytest.MonkeyPatch) -> None:
    async def look() -> None:
        slots, heard = _slots(1), []
        ada, bob, eve = (_made(slots, who, heard, monkeypatch) for who in ("ada", "bob", "eve"))
        for each in (ada, bob, eve):
            each.send(PLAY)
        await _comes(lambda: len(heard) >= 3)
        assert heard == [("ada", 0), ("bob", 1), ("eve", 2)]
        # The run of ada ends: its place goes to bob, and eve moves up.
        ada.note("tell", {"type": "verdict"})
        slots._give()
        await _comes(lambda: len(heard) >= 6)
        assert heard[3:] == [("ada", "verdict"), ("bob", 0), ("eve", 1)]
        assert not ada.begun
        with pytest.raises(StudioError, match="nothing runs"):
            ada.send(Steer(do="pause"))
        await asyncio.to_thread(bob.stop)
        await _comes(lambda: len(heard) >= 7)
        assert heard[6:] == [("eve", 0)]
        assert slots.held == 1
        eve.stop()
        await _comes(lambda: slots.held == 0)

    asyncio.run(look())


def test_who_holds_a_place_gets_the_next_after_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    async def look() -> None:
        slots, heard = _slots(1), []
        first, second = (_made(slots, "ada", heard, monkeypatch) for _ in range(2))
        bob = _made(slots, "bob", heard, monkeypatch)
        for each in (first, second, bob):
            each.send(PLAY)
        await _comes(lambda: len(heard) >= 4)
        assert heard == [("ada", 0), ("ada", 1), ("bob", 1), ("ada", 2)]
        for each in (first, second, bob):
            each.stop()

    asyncio.run(look())


@pytest.mark.slow
def test_a_run_without_end_gives_its_place_to_who_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    async def look() -> None:
        slots, heard = _slots(1, turn=0.2), []
        ada, bob = (_made(slots, who, heard, monkeypatch) for who in ("ada", "bob"))
        ada.send(PLAY)
        await _comes(lambda: bool(heard))
        await asyncio.sleep(0.7)
        # Nobody waits, so it goes on.
        assert heard == [("ada", 0)]
        bob.send(PLAY)
        await _comes(lambda: len(heard) >= 4)
        assert heard[1] == ("bob", 1)
        assert heard[2][0] == "ada"
        assert "others wait: it was ended; run it again" in heard[2][1]
        assert heard[3] == ("bob", 0)
        bob.stop()

    asyncio.run(look())


def test_a_full_part_of_the_disk_is_like_a_full_disk(tmp_path: Path) -> None:
    mine, other = tmp_path / "mine", tmp_path / "other"
    for folder in (mine, other):
        folder.mkdir()
    (mine / "old").write_bytes(b"x" * 600)
    disk = Disk(mine, QuotaSystem(mine, 1000))
    disk.write(mine / "a", b"y" * 300)
    with pytest.raises(WorkspaceError, match="b: cannot be written: the disk is full"):
        disk.write(mine / "b", b"y" * 300)
    assert not (mine / "b").exists()
    Disk(other, QuotaSystem(other, 1000)).write(other / "b", b"y" * 300)
    (mine / "old").unlink()
    assert disk.system.look() == 300
    disk.write(mine / "b", b"y" * 300)
    with pytest.raises(OSError, match="may have 0 MB and is full") as caught:
        disk.system.write(0, b"z" * 1000)
    assert caught.value.errno == errno.EDQUOT


def test_a_rate_lets_a_burst_through_and_then_so_many_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    rate = Rate(10.0, 5.0)
    assert [rate.take() for _ in range(5)] == [0.0] * 5
    assert rate.take() == pytest.approx(0.1)
    now[0] += 0.2
    assert rate.take() == 0.0
    # A clock of the monotonic kind does not go back; after a long pause there is one burst, not many.
    now[0] += 1e6
    assert [rate.take() for _ in range(5)] == [0.0] * 5
    assert rate.take() > 0.0
