"""A study that begins with what an earlier one found is judged on seeds that no study behind it has used."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from andante.cli.app import app
from andante.cli.untouched import with_untouched_seeds
from andante.runs.motion_libraries import library_path
from andante.search.studies.document import Study
from andante.search.studies.files import JOURNAL, load_study


def study(library: Path | None = None, **verdict: int) -> Study:
    seeds = {"seeds": {"verdict": {"first": 200_000, "count": 50} | verdict}} if verdict else {}
    place = {} if library is None else {"library": str(library)}
    return Study.model_validate({"name": "mine", "goal": "get-up front", "robot": "nao"} | place | seeds)


def found(folder: Path, begun: Study) -> Path:
    """What a study has left in a folder, as far as seeds are concerned."""
    folder.mkdir()
    head = {"format": "andante.bench-journal", "version": 1, "study": json.loads(begun.model_dump_json(by_alias=True))}
    (folder / JOURNAL).write_text(json.dumps(head) + '\n{"key": "start", "result": 1}\n')
    best = folder / "best.yaml"
    best.write_bytes(library_path("nao").read_bytes())
    return best


def ends(of: Study) -> tuple[int, int]:
    return of.seeds.verdict.first, of.seeds.verdict.all[-1]


def test_each_study_of_a_chain_has_seeds_of_its_own(tmp_path: Path) -> None:
    first = found(tmp_path / "first", study())
    second, told = with_untouched_seeds(study(first), study(first), moved=True)
    assert ends(second) == (200_050, 200_099)
    assert told == f"note: the verdict is on seeds 200050 to 200099, since {tmp_path / 'first'} used 200000 to 200049"
    then = found(tmp_path / "second", second)
    third, told = with_untouched_seeds(study(then), study(then), moved=True)
    assert ends(third) == (200_100, 200_149)
    # A study of other seeds in between does not make the first one's untouched.
    between = study(first, first=300_000)
    last = found(tmp_path / "between", between)
    fourth, told = with_untouched_seeds(study(last), study(last), moved=True)
    assert ends(fourth) == (300_050, 300_099)
    assert f"{tmp_path / 'first'} used 200000 to 200049" in told


def test_seeds_that_made_the_motion_are_none_to_judge_it_by(tmp_path: Path) -> None:
    trained = Study.model_validate(
        study().model_dump(by_alias=True, exclude={"seeds"})
        | {"seeds": {"training": {"first": 200_040, "count": 500}, "verdict": {"first": 900_000, "count": 10}}}
    )
    best = found(tmp_path / "first", trained)
    fresh, told = with_untouched_seeds(study(best), study(best), moved=True)
    assert ends(fresh) == (900_010, 900_059)
    assert told.endswith("used 200040 to 200539")


def test_seeds_that_a_document_names_with_its_library_stay_and_are_told(tmp_path: Path) -> None:
    best = found(tmp_path / "first", study())
    asked = study(best, first=200_020)
    same, told = with_untouched_seeds(asked, asked, moved=False)
    assert same is asked
    assert told == (
        f"note: seeds of the verdict (200020 to 200069) are not untouched: {tmp_path / 'first'} used 200000 to 200049;"
        " other ones by seeds.verdict.first"
    )
    asked = study(best, first=200_050)
    assert with_untouched_seeds(asked, asked, moved=False) == (asked, "")


def test_a_study_that_goes_on_keeps_its_seeds_whatever_became_of_the_one_before(tmp_path: Path) -> None:
    best = found(tmp_path / "first", study())
    second, _ = with_untouched_seeds(study(best), study(best), moved=True)
    found(tmp_path / "second", second)
    (tmp_path / "first" / JOURNAL).unlink()
    gone_on, told = with_untouched_seeds(study(best), study(best), moved=True, going_on=tmp_path / "second")
    assert (ends(gone_on), told) == ((200_050, 200_099), "")
    assert ends(with_untouched_seeds(study(best), study(best), moved=True)[0]) == (200_000, 200_049)


@pytest.mark.parametrize("head", ["", "no json", "[]", '{"study": 3}', '{"study": {"seeds": {"verdict": 3}}}', "{}"])
def test_a_motion_beside_no_study_changes_nothing(tmp_path: Path, head: str) -> None:
    best = found(tmp_path / "first", study())
    (tmp_path / "first" / JOURNAL).write_text(head + "\n")
    assert with_untouched_seeds(study(best), study(best), moved=True) == (study(best), "")


def test_the_command_line_tells_the_seeds(tmp_path: Path) -> None:
    best = found(tmp_path / "first", load_study("nao-kick"))
    done = CliRunner().invoke(app, ["optimise", "nao-kick", "--library", str(best), "--show"])
    first, last = ends(load_study("nao-kick"))
    assert f"seeds of verdict: {last + 1} to {2 * last + 1 - first}\n" in done.stdout
    assert f"since {tmp_path / 'first'} used {first} to {last}\n" in done.stdout
