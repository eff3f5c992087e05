"""Each process of a studio, killed or stopped: the page says so, and it works again."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from helper_kills import KINDS, Kills, Row
from served import served
from studio_text import TEXT

from andante.errors import AndanteError
from andante.studio.errors import HelperLostError, StudioError
from andante.studio.processes import Helper
from andante.studio.supervised import HelperLimits


@pytest.fixture(scope="module")
def kills(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kills]:
    folder = tmp_path_factory.mktemp("kills") / "workspace"
    folder.mkdir()
    (folder / "wave.yaml").write_text(TEXT)
    with served(folder) as studio:
        found = Kills(studio, 3)
        yield found
        found.close()


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_page_is_told_and_works_again(kind: str, kills: Kills) -> None:
    row = Row()
    kills.once(kind, row)
    assert not row.wrong
    assert row.works == 1
    # Within two seconds is for the benchmark: nobody promises them to a machine that does many other things.


def _grow() -> int:
    kept = [bytes([1]) * 20_000_000 for _ in range(1000)]
    return len(kept)


def _hang() -> None:
    time.sleep(1000.0)


def _fail() -> None:
    raise KeyError("inside")


def _refuse() -> None:
    raise StudioError("no", value=3)


def _two() -> int:
    return 2


@pytest.mark.slow
def test_a_helper_stands_under_limits_of_memory_and_time() -> None:
    helper = Helper("limits", "the helper", limits=HelperLimits(seconds=6.0, memory=1e9))
    assert helper.wait(_two) == 2
    with pytest.raises(AndanteError, match="memory") as caught:
        helper.wait(_grow)
    assert "Traceback" not in str(caught.value)
    assert helper.wait(_two) == 2
    with pytest.raises(HelperLostError, match=r"the helper has ended: it gave no answer for 6 s; it is begun anew"):
        helper.wait(_hang)
    assert helper.wait(_two) == 2
    helper.end()


def test_errors_of_a_helper_are_sentences() -> None:
    helper = Helper("errors", "the helper")
    with pytest.raises(StudioError, match=r"Andante has met an error of its own \(KeyError\)"):
        helper.wait(_fail)
    with pytest.raises(StudioError, match="no; got 3") as caught:
        helper.wait(_refuse)
    assert caught.value.value == 3
    helper.end()
