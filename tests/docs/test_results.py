"""Records of figures, the page made from them, and the gate that knows which are older than their code."""

from __future__ import annotations

import datetime
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import ValidationError

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import result_ages  # noqa: E402
import result_pages  # noqa: E402
import result_records  # noqa: E402
import results  # noqa: E402
from result_ages import Age  # noqa: E402
from result_records import Figure, Issue, Record, ResultsError, Section, parse_figure  # noqa: E402

from andante.search.statistics import wilson  # noqa: E402

DAY = datetime.date(2026, 11, 24)
GOOD = Record(
    what="gap 17 cm",
    asked=">= 85 %",
    measured="39 of 40 at 13.4 cm/s",
    figures=(Figure(name="arrived", passed=39, of=40, at_least=0.85), Figure(name="speed", value=13.4, unit="cm/s")),
    verdict="met",
    command="andante bench boards --row gap-17",
    seeds="97000..97039",
    date=DAY,
    commit="0123abcd",
    code={"src": "0123456789ab"},
)


def test_wilson_interval_of_a_share_is_that_of_hand() -> None:
    # z = 1.96: p = 1, n = 20: n/(n + z^2) = 20/23.8415 = 0.8389; p = 1/2, n = 20: 1/2 -+ z/2 sqrt(20 + z^2)/(20 + z^2).
    assert Figure(name="a", passed=20, of=20).interval == pytest.approx((20 / (20 + 1.95996**2), 1.0), abs=1e-5)
    half = 1.95996 / (2 * (20 + 1.95996**2) ** 0.5)
    assert Figure(name="a", passed=10, of=20).interval == pytest.approx((0.5 - half, 0.5 + half), abs=1e-5)
    assert Figure(name="a", value=3.0).interval is None


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("arrived = 39/40 >= 97%", True),
        ("arrived = 38/40 >= 97%", False),
        ("arrived = 39/40 >= 0.975", True),
        ("falls = 1/40 <= 2.5%", True),
        ("speed = 13.0 cm/s >= 13", True),
        ("speed = 12.999 cm/s >= 13", False),
        ("error = 2.0e-15 <= 1e-9", True),
        ("lowest foot = -0.6 cm >= -2", True),
        ("memory = 410 MB <= 300", False),
        ("speed = 12 cm/s", None),
    ],
)
def test_figures_are_compared_with_their_limits(text: str, holds: bool | None) -> None:
    assert parse_figure(text).holds is holds


def test_verdict_is_what_the_figures_say() -> None:
    held, missed, free = (parse_figure(text) for text in ("a = 2 <= 2", "b = 3 <= 2", "c = 3"))
    assert result_records.verdict_of([held, free]) == "met"
    assert result_records.verdict_of([held, missed]) == "missed"
    assert result_records.verdict_of([free]) is None


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (
            {"figures": (parse_figure("arrived = 1/40 >= 85%"),)},
            "verdict is met, but a figure misses its limit: arrived",
        ),
        ({"verdict": "missed"}, "verdict is missed: `why` must say what is lacking"),
        ({"verdict": "open"}, "verdict is open: `why` must say what is lacking"),
        ({"measured": ""}, "verdict is met, but nothing is measured"),
        ({"command": "", "code": {}}, "a measured row needs command, code"),
    ],
)
def test_a_record_says_one_thing(change: dict[str, object], says: str) -> None:
    with pytest.raises(ValidationError, match=re.escape(says)):
        Record.model_validate(GOOD.model_dump() | change)


@pytest.mark.parametrize(
    "text", ["speed", "speed = fast", "a = 3/2", "a = 1/2 >= 90", "= 3", "a = 1e400", "a = 3 >= 1e400"]
)
def test_what_is_no_figure_is_refused(text: str) -> None:
    with pytest.raises(ResultsError):
        parse_figure(text)


def test_records_are_read_as_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "30" / "gap-17.yaml"
    result_records.write_record(path, GOOD)
    assert result_records.read_record(path) == GOOD
    assert "- {name: arrived, passed: 39, of: 40, at_least: 0.85}" in path.read_text()


@pytest.mark.slow
def test_every_record_of_the_repository_is_written_as_the_tool_writes_it(tmp_path: Path) -> None:
    for file in sorted((ROOT / "results").glob("*/*.yaml")):
        if file.name != "issue.yaml":
            result_records.write_record(tmp_path / "again.yaml", result_records.read_record(file))
            assert (tmp_path / "again.yaml").read_text() == file.read_text(), file


def test_a_file_that_is_no_record_is_named(tmp_path: Path) -> None:
    path = tmp_path / "row.yaml"
    path.write_text("what: a\nasked: b\nverdict: perhaps\n")
    with pytest.raises(ResultsError, match=r"row.yaml: verdict: Input should be 'met', 'missed' or 'open'"):
        result_records.read_record(path)


def test_the_page_of_the_repository_is_what_its_records_say() -> None:
    assert results.find_faults(ROOT) == []


@pytest.mark.slow
def test_the_sites_page_has_every_row_with_verdict_and_age() -> None:
    sections = result_records.read_sections(ROOT / "results")
    rows = {f"{each.number}-{name}": row for each in sections for name, row in each.rows.items()}
    shown = dict(re.findall(r'<tr id="([^"]+)">.*?<td class="(met|missed|open)">', results.site_text(ROOT), re.DOTALL))
    assert shown == {name: row.verdict for name, row in rows.items()}
    assert len(rows) > 200


def test_colours_and_ages_of_rows() -> None:
    late = GOOD.model_copy(update={"verdict": "missed", "why": "fell <twice> in `gap`"})
    section = Section(30, Issue(title="true words"), {"gap-17": GOOD, "late": late})
    ages = {(30, "gap-17"): Age((), 0), (30, "late"): Age(("src",), 3)}
    page = result_pages.site_page([section], ages)
    assert '<td class="met">met</td><td class="current">current<br><small>2026-11-24</small></td>' in page
    assert '<td class="missed">missed</td><td class="aged">aged, 3 commits<br>' in page
    assert "fell &lt;twice&gt; in <code>gap</code>" in page
    assert page.index('id="30-late"') < page.index('id="30-gap-17"')
    assert "1 met, 1 missed, 0 open; 1 older than their code" in page
    assert "arrived 39 of 40 [0.871, 0.996]" in page


def test_the_short_page_keeps_ages_that_the_records_do_not_have() -> None:
    section = Section(30, Issue(title="true words"), {"gap-17": GOOD})
    page = result_pages.summary([section], {30: "1"}, "2026-11-24")
    assert "| [30: true words](results/30) | 1 | 1 | 0 | 0 | 1 |" in page
    assert result_pages.read_aged(page) == ({30: "1"}, "2026-11-24")


def git(folder: Path, *words: str) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@b.invalid")
    subprocess.run(("git", "-C", folder, *who, *words), check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    if shutil.which("git") is None:
        pytest.skip("git is not there")
    folder = tmp_path / "repository"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "walk.py").write_text("speed = 1\n")
    (folder / "src" / "kick.py").write_text("ball = 1\n")
    result_records.write_issue(folder / "results" / "30" / "issue.yaml", Issue(title="true words"))
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "Begin")
    return folder


def add(folder: Path, *words: str) -> int:
    return results.main(["add", *words], folder)


NEW = ("--what", "walk", "--asked", "fast", "--command", "walk", "--seeds", "1..2")


def test_a_record_is_added_and_ages_with_its_code_alone(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert add(repository, "30/walk", *NEW, "--figure", "speed = 2 m/s >= 1", "--code", "src/walk.py") == 0
    assert results.main(["page"], repository) == 0
    git(repository, "add", ".")
    git(repository, "commit", "-q", "-m", "Measure")
    (repository / "src" / "kick.py").write_text("ball = 2\n")
    git(repository, "commit", "-qam", "Kick")
    capsys.readouterr()
    assert results.main(["check", "--strict"], repository) == 0
    assert capsys.readouterr().out == ""
    (repository / "src" / "walk.py").write_text("speed = 2\n")
    git(repository, "commit", "-qam", "Walk")
    assert results.main(["check"], repository) == 0
    assert capsys.readouterr().out == "results: older than its code: 30/walk: changed since by 1 commit: src/walk.py\n"
    assert results.main(["check", "--strict"], repository) == 1
    shallow = repository.with_name("shallow")
    subprocess.run(("git", "clone", "-q", "--depth", "1", repository.as_uri(), shallow), check=True)
    capsys.readouterr()
    assert results.main(["check"], shallow) == 0
    assert capsys.readouterr().out == "results: older than its code: 30/walk: changed since: src/walk.py\n"
    shutil.rmtree(shallow / ".git")
    assert results.main(["check"], shallow) == 0
    assert "ages cannot be told" in capsys.readouterr().out


def test_git_is_asked_as_often_for_many_rows_as_for_one(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, ...]] = []
    known = result_ages.run_git

    def counted(root: Path, *words: str, given: str = "") -> str:
        asked.append(words)
        return known(root, *words, given=given)

    counts = []
    for number in range(3):
        name = f"30/walk-{number}"
        assert add(repository, name, *NEW, "--figure", "speed = 2 m/s >= 1", "--code", "src/walk.py", "src") == 0
        git(repository, "add", ".")
        git(repository, "commit", "-q", "-m", "Measure")
        (repository / "src" / "walk.py").write_text(f"speed = {number + 2}\n")
        git(repository, "commit", "-qam", "Walk")
        asked.clear()
        with monkeypatch.context() as patched:
            patched.setattr(result_ages, "run_git", counted)
            ages = result_ages.find_ages(repository, result_records.read_sections(repository / "results"))
        counts.append(len(asked))
        assert [ages[30, f"walk-{each}"].commits for each in range(number + 1)] == [*range(number + 1, 0, -1)]
    assert len(set(counts)) == 1


def test_a_merge_is_no_change_of_its_own(repository: Path) -> None:
    assert add(repository, "30/walk", *NEW, "--figure", "speed = 2 m/s >= 1", "--code", "src") == 0
    git(repository, "checkout", "-qb", "beside")
    (repository / "src" / "kick.py").write_text("ball = 2\n")
    git(repository, "commit", "-qam", "Kick")
    git(repository, "checkout", "-q", "main")
    (repository / "src" / "walk.py").write_text("speed = 2\n")
    git(repository, "commit", "-qam", "Walk")
    git(repository, "merge", "-q", "beside")
    ages = result_ages.find_ages(repository, result_records.read_sections(repository / "results"))
    assert ages[30, "walk"] == Age(("src",), 2)


def test_a_page_that_is_not_what_the_records_say_fails(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert add(repository, "30/walk", *NEW, "--figure", "speed = 2 m/s >= 1", "--code", "src") == 0
    assert results.main(["page"], repository) == 0
    assert results.main(["check"], repository) == 0
    assert add(repository, "30/walk", "--figure", "speed = 0.5 m/s >= 1") == 0
    assert results.main(["check"], repository) == 1
    assert "RESULTS.md is not what the records say" in capsys.readouterr().err
    assert results.main(["page"], repository) == 0
    assert results.main(["check"], repository) == 0
    assert (
        "| [30/walk](results/30/walk.yaml): walk | fast | speed 0.5 m/s | - |"
        in (repository / "RESULTS.md").read_text()
    )


def test_what_is_not_given_stays_and_new_figures_take_the_verdict_along(repository: Path) -> None:
    first = (
        "--figure",
        "speed = 0.5 m/s >= 1",
        "--verdict",
        "open",
        "--why",
        "one seed of ten",
        "--code",
        "src/walk.py",
    )
    assert add(repository, "30/walk", *NEW, *first) == 0
    path = repository / "results" / "30" / "walk.yaml"
    assert result_records.read_record(path).verdict == "open"
    assert add(repository, "30/walk", "--figure", "arrived = 9/10 >= 80%") == 0
    record = result_records.read_record(path)
    assert (record.what, record.asked, record.seeds, set(record.code)) == ("walk", "fast", "1..2", {"src/walk.py"})
    assert (record.verdict, record.why, record.measured) == ("met", "", "arrived 9 of 10 [0.596, 0.982]")
    assert add(repository, "30/walk", "--asked", "faster") == 0
    assert result_records.read_record(path) == record.model_copy(update={"asked": "faster"})


def test_rows_of_a_bench_become_figures(repository: Path) -> None:
    share = {"name": "arrived", "value": 0.95, "unit": "share", "asked": ">= 0.97", "ok": False, "n": 40}
    mean = {"name": "energy", "value": 20.0, "unit": "J", "asked": ">= 10 and <= 30", "ok": True, "n": 40}
    rows = [
        share | {"interval": list(wilson(38, 40))},
        mean | {"interval": [18.0, 22.0]},
        share | {"name": "lost", "asked": "", "ok": None, "value": 0.1, "interval": [-0.02, 0.2]},
        {"name": "void", "value": 0.0, "unit": "", "asked": "0", "ok": True, "n": 40, "interval": None},
        {"name": "speed", "value": 13.4, "unit": "cm/s", "asked": "", "ok": None, "n": 40, "interval": None},
    ]
    bench = repository / "bench.json"
    bench.write_text(json.dumps({"suite": "boards", "rows": rows}))
    assert add(repository, "30/walk", *NEW, "--bench", str(bench), "--code", "src") == 0
    record = result_records.read_record(repository / "results" / "30" / "walk.yaml")
    assert record.figures == (
        Figure(name="arrived", passed=38, of=40, at_least=0.97),
        Figure(name="energy", value=20.0, unit="J", at_least=10.0, at_most=30.0),
        Figure(name="lost", value=0.1, unit="share"),
        Figure(name="void", value=0.0, at_most=0.0),
        Figure(name="speed", value=13.4, unit="cm/s"),
    )
    assert record.verdict == "missed"
    with pytest.raises(ResultsError, match="did you mean 'speed'"):
        result_records.bench_figures({"rows": rows}, "sped")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("99/walk", *NEW), "no such issue; got '99'"),
        (("30/Walk", *NEW), "not the name of a row; got 'Walk'"),
        (
            ("30/walk", *NEW, "--figure", "a = 1", "--code", "src/none.py"),
            "the commit has no such path; got 'src/none.py'",
        ),
        (("30/walk", *NEW, "--figure", "a = 1"), "30/walk: verdict is open: `why` must say what is lacking"),
        (("30/walk", *NEW, "--notes", "docs/no.md"), "refers to a page that is not there; got 'docs/no.md'"),
        (("30/walk", *NEW, "--figure", "a = 1", "--commit", "beef"), "git refuses"),
    ],
)
def test_input_that_cannot_be_used(
    repository: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], says: str
) -> None:
    more = () if "--figure" in words else ("--verdict", "open", "--why", "later")
    assert add(repository, *words, *more) == 2
    assert says in capsys.readouterr().err
    assert not (repository / "results" / "30" / "walk.yaml").exists()


def test_a_figure_is_kept_for_newer_code_by_a_reason(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert add(repository, "30/walk", *NEW, "--figure", "speed = 2 m/s >= 1", "--code", "src") == 0
    (repository / "src" / "walk.py").write_text("speed = 1  # m/s\n")
    git(repository, "commit", "-qam", "Give the unit")
    path = repository / "results" / "30" / "walk.yaml"
    before = result_records.read_record(path)
    assert results.main(["keep", "--because", " ", "30/walk"], repository) == 2
    assert results.main(["keep", "--because", "the same bytes", "30/walk", "30/none"], repository) == 2
    assert result_records.read_record(path) == before
    assert results.main(["keep", "--because", "the same bytes", "30/walk"], repository) == 0
    after = result_records.read_record(path)
    assert after.commit == before.commit
    assert after.kept.endswith(": the same bytes")
    capsys.readouterr()
    assert results.main(["aged"], repository) == 0
    assert capsys.readouterr().out == "every figure is of the code as it is\n"
    (repository / "src" / "walk.py").write_text("speed = 2\n")
    git(repository, "commit", "-qam", "Walk")
    assert results.main(["aged"], repository) == 0
    assert capsys.readouterr().out == "30/walk: changed since by 1 commit: src\n"


def test_code_that_is_not_committed_is_not_measured(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (repository / "src" / "walk.py").write_text("speed = 3\n")
    assert add(repository, "30/walk", *NEW, "--figure", "speed = 2 >= 1", "--code", "src") == 2
    assert "is not committed; got 'M src/walk.py'" in capsys.readouterr().err


def test_changes_elsewhere_are_none_of_a_record_that_names_no_code(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Any file that was not committed was said to be the code of the figure."""
    (repository / "notes.txt").write_text("later\n")
    words = ("--what", "walks", "--asked", ">= 1", "--command", "walk")
    assert add(repository, "30/walk", *words, "--figure", "speed = 2 >= 1") == 2
    assert "30/walk: a measured row needs code" in capsys.readouterr().err
