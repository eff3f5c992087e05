"""README and every page, read from the first line to the last in an empty folder: each command and program runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from page_steps import GIVERS, PAGES, Command, PageRules, Program, Walk, read_rules, steps

RULES = read_rules()
WITH_STEPS = [name for name, path in PAGES.items() if steps(path.read_text(encoding="utf-8"))]


def _cases() -> list[object]:
    return [
        pytest.param(name, marks=pytest.mark.slow if RULES.get(name, PageRules()).slow else ()) for name in WITH_STEPS
    ]


@pytest.mark.usefixtures("registers_as_before")
@pytest.mark.parametrize("name", _cases())
def test_a_reader_gets_through(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    rules = RULES.get(name, PageRules())
    if rules.draws:
        request.getfixturevalue("offscreen")
    folder = tmp_path / "reader"
    folder.mkdir()
    monkeypatch.chdir(folder)
    for target, giver in rules.files.items():
        GIVERS[giver](folder / target, request)
    walk = Walk(rules)
    for step in steps(PAGES[name].read_text(encoding="utf-8")):
        walk.take(step)
    assert walk.used == {each.at for each in rules.differences}, "a difference that meets no step is to be taken out"
    assert walk.ran or rules.programs or all(each.leave for each in rules.differences)


def test_the_list_names_pages_that_are_there() -> None:
    assert set(RULES) <= set(WITH_STEPS)


@pytest.mark.parametrize("name", sorted(RULES))
def test_each_departure_has_its_reason(name: str) -> None:
    for difference in RULES[name].differences:
        assert len(difference.why.split()) >= 4, difference.at
        assert difference.leave or difference.add or difference.instead or difference.exit_code, difference.at
        # What another page is said to run is run there.
        if named := re.match(r"(README|docs/[\w-]+) runs the same\b", difference.why):
            walk = Walk(RULES.get(named[1], PageRules()))
            lines = [
                step.line for step in steps(PAGES[named[1]].read_text(encoding="utf-8")) if isinstance(step, Command)
            ]
            there = [line for line in lines if line.startswith(difference.at)]
            assert any(not any(each.leave for each in walk._differences(line, program=False)) for line in there), named[
                0
            ]


def test_commands_stand_in_blocks_that_are_run() -> None:
    # An indented block, or one without its kind, would be seen by no test.
    for name, path in PAGES.items():
        text = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        assert not re.findall(r"^(?:    |\$ )(?:andante|make|pip|python3?|git) .*$", text, re.MULTILINE), name
        bare = re.findall(r"^```(?:text)?\n(?:\$ )?(?:andante|make|pip) ", path.read_text(encoding="utf-8"), re.M)
        assert not bare, name


def test_commands_and_what_they_print_are_told_apart() -> None:
    text = "```console\n$ andante check a \\\n  --all\na: legal\n...\n```\n"
    text += "```sh\nandante list  # all\nandante show x\n```\n"
    assert steps(text) == [
        Command("andante check a    --all", ["a: legal", "..."]),
        Command("andante list  # all"),
        Command("andante show x"),
    ]
    assert steps('```yaml title="a.yaml"\nb: 1\n```\n```python\n1 + 1\n```\n')[1:] == [Program("1 + 1\n")]
