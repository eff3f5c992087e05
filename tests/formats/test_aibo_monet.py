"""MoNet's configuration: byte-identical, faults named with their line, the graph of postures and its ways."""

from __future__ import annotations

from itertools import pairwise

import pytest
from aibo_files import mtn, oda
from hypothesis import given
from hypothesis import strategies as st

from andante.formats.aibo.monet import (
    AgentCall,
    MonetArcs,
    MonetCommand,
    MonetCommands,
    parse_arcs,
    parse_commands,
    read_arcs,
    read_commands,
)
from andante.formats.aibo.monet_graph import PostureGraph, check_monet, motion_names, postures_of
from andante.formats.aibo.oda import read_oda
from andante.formats.report import FormatError, ReadReport

COMMANDS = """\
#####
# nothing to do
#####
0 1 0
monetagentMTN a_sleep#sleep_null -1
10 1 0
monetagentMTN a_stand#walk_start -1
11 1 0
monetagentMTNWALK a_walk#walk_fwd -1
# with sound
60 2 1
monetagentMTN a_sit#sit_greet -1
# the horn
monetagentSOUND horn 1
# the end
"""
ARCS = """\
monetagentNEUTRAL a_nt#sleep_standard 0
monetagentMTN a_sleep#sit_up -1
monetagentMTN a_sleep#stand_up -1
monetagentMTN a_sit#stand_up -1
monetagentMTN a_stand#sit_down -1
"""


def test_files_give_commands_and_arcs(tmp_path):
    (tmp_path / "MONETCMD.CFG").write_text(COMMANDS)
    (tmp_path / "MONET.CFG").write_text(ARCS)
    commands = read_commands(tmp_path / "MONETCMD.CFG")
    assert commands == parse_commands(COMMANDS)
    assert read_arcs(tmp_path / "MONET.CFG") == parse_arcs(ARCS)
    command = commands.command(60)
    assert (command.sync, [call.motion for call in command.calls]) == (True, ["a_sit#sit_greet", "horn"])
    assert [call.line for call in command.calls] == [12, 14]


NAMES = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=31)
CALLS = st.builds(AgentCall, st.sampled_from(["monetagentMTN", "monetagentSOUND"]), NAMES, st.integers(-1, 10**6))


@given(st.lists(st.tuples(st.lists(CALLS, min_size=1, max_size=4), st.booleans()), max_size=5))
def test_any_commands_are_read(rows):
    commands = MonetCommands(
        tuple(MonetCommand(number, tuple(calls), sync) for number, (calls, sync) in enumerate(rows))
    )
    lines = []
    for command in commands.commands:
        lines += [f"{command.number} {len(command.calls)} {int(command.sync)}"]
        lines += [f"{call.agent} {call.motion} {call.index}" for call in command.calls]
    assert parse_commands("".join(f"{line}\n" for line in lines)) == commands


def test_tabs_line_ends_and_empty_lines():
    report = ReadReport()
    commands = parse_commands("5\t1  0 extra\r\n\r\nmonetagentMTN\ta_sit#sit_x\t-1\r\n", "M.CFG", report)
    assert commands.command(5).calls == (AgentCall("monetagentMTN", "a_sit#sit_x"),)
    assert sorted(map(str, report.warnings)) == [
        "M.CFG:1: what follows '5 1 0' is not read",
        "M.CFG:2: an empty line, on which MoNet's own parser breaks",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("5 1\n", "M.CFG:1: a line needs number, count of agents and sync; got '5 1'"),
        ("x 1 0\n", "M.CFG:1: the command's number is no whole number in range; got 'x'"),
        ("5 0 0\n", "M.CFG:1: the count of agents is no whole number in range; got '0'; limit: 1..16"),
        ("5 1 2\n", "M.CFG:1: the sync is no whole number in range; got '2'; limit: 0..1"),
        ("5 2 0\nmonetagentMTN a -1\n", "M.CFG:1: the command has 1 of 2 agents; the file ends; got 5"),
        ("5 1 0\nmonetagentMTM a -1\n", r"the agent is unknown; got 'monetagentMTM'; did you mean 'monetagentMTN'"),
        ("5 1 0\nmonetagentMTN a\n", "M.CFG:2: a line needs agent, name and index; got 'monetagentMTN a'"),
        ("5 1 0\nmonetagentMTN a -2\n", "M.CFG:2: the index is no whole number in range; got '-2'; limit: -1.."),
        ("5 1 0\nmonetagentMTN a nan\n", "M.CFG:2: the index is no whole number in range; got 'nan'"),
        ("5 1 0\nmonetagentMTN a ²\n", "M.CFG:2: the index is no whole number in range"),
        (f"5 1 0\nmonetagentMTN {'x' * 128} -1\n", r"M.CFG:2: the name has 128 characters; .* at most 127"),
        ("5 1 0\nmonetagentMTN a -1\nmonetagentMTN b -1\nx\n", "M.CFG:3: an agent's line stands where"),
        ("5 1 0\nmonetagentMTN a -1\n5 1 0\n", "M.CFG:3: the command's number stands in line 1 already; got 5"),
    ],
)  # fmt: skip
def test_errors(text, message):
    with pytest.raises(FormatError, match=message):
        parse_commands(text, "M.CFG")


def line_of_error(parse, text):
    try:
        parse(text, "M.CFG")
    except FormatError as error:
        return error.line
    return 0


def test_cut_at_every_byte():
    lines = [line_of_error(parse_commands, COMMANDS[:length]) for length in range(len(COMMANDS))]
    for length in range(len(ARCS)):
        assert line_of_error(parse_arcs, ARCS[:length]) in (0, ARCS[:length].count("\n") + 1)
    assert None not in lines
    assert sum(line > 0 for line in lines) > 150


def test_postures():
    assert postures_of("a_stand#walk_sox_standard") == ("stand", "walk")
    assert postures_of("h_any#any_nod") == ("any", "any")
    assert postures_of("a__nt##sleep") == ("nt", "sleep")
    assert postures_of("a_KickB") == (None, None)


def test_ways():
    graph = PostureGraph(parse_arcs(ARCS), parse_commands(COMMANDS))
    assert [arc.call.motion for arc in graph.way("nt", "stand")] == ["a_nt#sleep_standard", "a_sleep#stand_up"]
    assert [arc.call.motion for arc in graph.way("nt", "walk")] == [
        "a_nt#sleep_standard",
        "a_sleep#stand_up",
        "a_stand#walk_start",
    ]
    assert graph.way("sit", "sit") == graph.way("sit", "any") == ()
    with pytest.raises(FormatError, match="there is no way from posture 'walk' to 'sit'; limit: reached: nothing"):
        graph.way("walk", "sit")
    with pytest.raises(FormatError, match="the posture is unknown; got 'stan'; did you mean 'stand'"):
        graph.way("stan", "sit")


PLACES = ("nt", "stand", "sit", "sleep", "walk")


def test_plans():
    commands = parse_commands(COMMANDS)
    graph = PostureGraph(parse_arcs(ARCS), commands)
    assert [call.motion for call in graph.plan(commands, 60)] == [
        "a_nt#sleep_standard",
        "a_sleep#sit_up",
        "a_sit#sit_greet",
        "horn",
    ]
    assert [call.motion for call in graph.plan(commands, 60, "sit")] == ["a_sit#sit_greet", "horn"]
    assert [call.motion for call in graph.plan(commands, 11, "walk")] == ["a_walk#walk_fwd"]
    with pytest.raises(FormatError, match="there is no such command; got 61; legal: 0, 10, 11, 60"):
        graph.plan(commands, 61)


@given(st.lists(st.tuples(st.sampled_from(PLACES), st.sampled_from(PLACES)), max_size=12))
def test_ways_are_the_shortest(pairs):
    arcs = MonetArcs(tuple(AgentCall("monetagentMTN", f"a_{start}#{end}_x") for start, end in pairs))
    graph = PostureGraph(arcs)
    far = {(a, b): 0 if a == b else (1 if (a, b) in pairs else 99) for a in PLACES for b in PLACES}
    for middle in PLACES:
        for a in PLACES:
            for b in PLACES:
                far[a, b] = min(far[a, b], far[a, middle] + far[middle, b])
    for (a, b), steps in far.items():
        if steps >= 99:
            with pytest.raises(FormatError, match="no way"):
                graph.way(a, b)
        else:
            way = graph.way(a, b)
            assert len(way) == steps
            assert all(one.end == two.start for one, two in pairwise(way))


WAYS = ("sleep#sit_up", "sleep#stand_up", "sit#stand_up", "stand#sit_down")
MOTIONS = read_oda(
    oda(
        [
            (b"OMTN", "file1", mtn("a_stand#walk_start")),
            (b"OMTN", "file2", mtn("a_walk#walk_fwd")),
            (b"OMTN", "file3", mtn("a_sit#sit_greet")),
            (b"OMTN", "gone", b"NotOMTN "),
            (b"OMTN", "broken", mtn()[:50]),
            *[(b"OMTN", f"a_{name}", mtn(f"a_{name}")) for name in WAYS],
        ]
    ),
    "m",
)  # fmt: skip


def test_names_are_those_inside_the_motions():
    assert motion_names(MOTIONS, "m")[:5] == ("a_stand#walk_start", "a_walk#walk_fwd", "a_sit#sit_greet", None, None)


def test_a_good_configuration_has_no_faults():
    names = motion_names(MOTIONS, "m")
    assert check_monet(parse_commands(COMMANDS), parse_arcs(ARCS), motions=names, sounds=("a", "horn")) == []


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        (
            "monetagentMTN a_KickB -1",
            "motion 'a_KickB': the start posture 'KickB' is unknown; legal: any, nt, stand, sit, sleep, walk",
        ),
        (
            "monetagentMTN a_KickB -1",
            "motion 'a_KickB' names no end posture, on which MoNet crashes; the form is <part>_<start>#<end>_<label>",
        ),
        (
            "monetagentMTN a_sit#sit_greed -1",
            "motion 'a_sit#sit_greed' is not in the motion archive; MoNet would report success without doing anything; "
            "did you mean 'a_sit#sit_greet'?",
        ),
        (
            "monetagentMTN a_sit#sit_greet 1",
            "motion 'a_sit#sit_greet': entry 1 of the archive is 'a_walk#walk_fwd'",
        ),
        ("monetagentMTN a_sit#sit_greet 99", "motion 'a_sit#sit_greet': there is no entry 99 in an archive of 9"),
        (
            "monetagentSOUND beep -1",
            "sound 'beep' is not in the sound archive; MoNet would report success without doing anything",
        ),
        ("monetagentMTN a_nt#nt_x -1", None),
    ],
)
def test_faults_have_their_line(line, fault):
    commands = parse_commands(f"7 1 0\n{line}\n", "MONETCMD.CFG")
    found = check_monet(commands, motions=motion_names(MOTIONS, "m"), sounds=("horn",))
    if fault is not None:
        assert f"MONETCMD.CFG:2: {fault}" in [str(remark) for remark in found]


def test_a_command_without_a_way_is_a_fault():
    commands = parse_commands("7 1 0\nmonetagentMTN a_walk#walk_fwd -1\n", "MONETCMD.CFG")
    assert [str(fault) for fault in check_monet(commands, parse_arcs(ARCS))] == [
        "MONETCMD.CFG:1: command 7: there is no way from posture 'nt' to 'walk'"
    ]
