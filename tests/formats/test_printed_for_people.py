"""Joint states as `ros2 topic echo` and `rostopic echo` print them for people."""

from __future__ import annotations

from pathlib import Path

import pytest

from andante.documents.problems import DocumentError
from andante.formats.registry import identify, read
from andante.formats.report import FormatError, ReadReport


def of_ros_2(sec: int, nanosec: int, joints: dict[str, object], end: str = "velocity: []\neffort: []\n---\n") -> str:
    names, angles = (
        "".join(f"- {each}\n" for each in items) if joints else "[]\n" for items in (joints, joints.values())
    )
    line = "\n" if joints else " "
    return (
        f"header:\n  stamp:\n    sec: {sec}\n    nanosec: {nanosec}\n  frame_id: ''\n"
        f"name:{line}{names}position:{line}{angles}{end}"
    )


def of_ros_1(secs: int, nsecs: int, joints: dict[str, object]) -> str:
    names = "".join(f"  - {each}\n" for each in joints)
    angles = ", ".join(map(str, joints.values()))
    return (
        f"header: \n  seq: 7\n  stamp: \n    secs: {secs}\n    nsecs: {nsecs:9d}\n  frame_id: ''\n"
        f"name: \n{names}position: [{angles}]\nvelocity: [0.0]\neffort: []\n---\n"
    )


def in_one_line(sec: int, nanosec: int, joints: dict[str, object]) -> str:
    names, angles = ", ".join(joints), ", ".join(map(str, joints.values()))
    stamp = f"stamp: {{sec: {sec}, nanosec: {nanosec}}}, frame_id: ''"
    return f"{{header: {{{stamp}}}, name: [{names}], position: [{angles}], velocity: [], effort: []}}\n---\n"


def played(folder: Path, text: str, name: str = "taught.yaml") -> tuple[list[tuple[float, dict[str, object]]], str]:
    path = folder / name
    path.write_bytes(text.encode())
    assert identify(path).name == "yaml-ros"
    keyframes = read(path, report=(report := ReadReport())).blocks["taught"].keyframes
    times = [round(sum(each.duration for each in keyframes[1 : index + 1]), 3) for index in range(len(keyframes))]
    rows = [(time, dict(each.joints)) for time, each in zip(times, keyframes, strict=True)]
    return rows, " ".join(map(str, report.warnings))


@pytest.mark.parametrize("printed", [of_ros_2, of_ros_1, in_one_line])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_messages_name_their_joints_and_publishers_take_turns(tmp_path: Path, printed, end: str) -> None:
    text = printed(1700000000, 500000000, {"HeadYaw": 0.1, "HeadPitch": -1e-05})
    text += printed(1700000000, 550000000, {"LHipRoll": 0.3})
    text += printed(1700000000, 600000000, {"HeadPitch": -0.3, "HeadYaw": 0.2})
    rows, told = played(tmp_path, text.replace("\n", end))
    assert [time for time, _ in rows] == [0.0, 0.05, 0.1]
    assert rows[0][1] == {"HeadYaw": 0.1, "HeadPitch": -1e-05}
    assert rows[1][1] == {"HeadYaw": pytest.approx(0.15), "HeadPitch": pytest.approx(-0.150005), "LHipRoll": 0.3}
    assert rows[2][1] == {"HeadYaw": 0.2, "HeadPitch": -0.3}
    assert "2 angles that messages leave out" in told


def test_what_the_tool_says_between_and_a_torn_end_are_told(tmp_path: Path) -> None:
    text = "WARNING: topic [/joint_states] does not appear to be published yet\n"
    text += of_ros_2(5, 0, {"HeadYaw": 0.1, "'LHip'": ".nan"})
    text += "A message was lost!!!\n\ttotal count change:1\n\ttotal count: 1---\n"
    text += of_ros_2(5, 100000000, {"HeadYaw": 0.2, "LHip": 0.5}) + of_ros_2(5, 200000000, {})
    rows, told = played(tmp_path, text + of_ros_2(5, 300000000, {"HeadYaw": 0.2, "LHip": "0.4"}, ""), "taught.txt")
    assert rows == [(0.0, {"HeadYaw": 0.1}), (0.1, {"HeadYaw": 0.2, "LHip": 0.5}), (0.2, {})]
    assert "taught.txt:43: the last message is not whole and left out" in told
    assert "4 lines tell of lost messages" in told


def test_a_whole_message_without_dashes_behind_it_counts(tmp_path: Path) -> None:
    text = of_ros_2(5, 0, {"HeadYaw": 0.1}) + of_ros_2(6, 0, {"HeadYaw": 0.3}, "velocity: []\neffort: []\n")
    assert played(tmp_path, text)[0] == [(0.0, {"HeadYaw": 0.1}), (1.0, {"HeadYaw": 0.3})]


GOOD = of_ros_2(5, 0, {"HeadYaw": 0.1})


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            GOOD + "data: 5\n---\n",
            r"taught.yaml:13: this is no message of joint states; got 'data: 5'; limit: it has no header, no name, no"
            r" position; print the whole topic",
        ),
        (GOOD + of_ros_2(6, 0, {"HeadYaw": "yes"}), r"taught.yaml:13, position: this is not a number; got 'yes'"),
        (GOOD + of_ros_2(6, 0, {"HeadYaw": 1e13}), r"taught.yaml:13, position: the number is out of range"),
        (
            GOOD + of_ros_2(6, 0, {"HeadYaw": 0.1, "'...'": "'...'"}),
            r"taught.yaml:13: the end of a list was not printed; got '...'; ros2 topic echo --full-length",
        ),
        (
            GOOD + of_ros_2(6, 0, {"A": 0.1, "B": 0.2}).replace("- 0.2\n", ""),
            r"taught.yaml:13: a message has other numbers of names and angles; got '2 and 1'",
        ),
        (GOOD + of_ros_2(0, 0, {"HeadYaw": 0.2}), r"taught.yaml: the messages' headers have no time; got '0 s'"),
        (GOOD + of_ros_2(2, 0, {"HeadYaw": 0.2}), r"taught.yaml: the headers' times go back; got '2.000000 s'"),
        (of_ros_2(2, 0, {}), r"taught.yaml: no message has an angle"),
    ],
)
def test_what_tells_no_motion_is_refused_by_its_place(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "taught.yaml"
    path.write_text(text)
    with pytest.raises(FormatError, match=told):
        read(path)


def test_other_messages_and_documents_of_andante_are_not_taken_for_it(tmp_path: Path) -> None:
    path = tmp_path / "other.yaml"
    path.write_text("header:\n  stamp:\n    sec: 1\n    nanosec: 2\n  frame_id: ''\nranges:\n- 0.1\n---\n")
    with pytest.raises(DocumentError, match=r"second document|no known motion format"):
        read(path)
