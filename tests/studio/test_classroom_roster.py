"""Names become links: who is who, what cannot be a name, and what outlives a restart."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andante.studio.classroom.class_access import ClassAccess, own_address
from andante.studio.classroom.errors import ClassError
from andante.studio.classroom.roster import (
    LECTURER,
    keep_links,
    keep_roster,
    link,
    names_of,
    read_roster,
    roster_of,
    slug_of,
)


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Ada Lovelace", "ada-lovelace"),
        ("../../etc/passwd", "etc-passwd"),
        ("Jørgen Größe", "jorgen-grosse"),
        ("王小明", "student"),
        ("x" * 80, "x" * 40),
        ("Lecturer", "lecturer"),
    ],
)
def test_a_name_becomes_a_plain_part_of_an_address(name: str, slug: str) -> None:
    assert slug_of(name) == slug


@given(st.lists(st.text(max_size=30), max_size=12))
def test_any_names_get_folders_of_their_own_that_lead_nowhere_else(texts: list[str]) -> None:
    try:
        names = names_of(texts, "names.txt")
    except ClassError:
        return
    roster, _ = roster_of(names)
    slugs = [member.slug for member in roster.students]
    assert len({*slugs, LECTURER}) == len(names) + 1
    assert len({member.token for member in roster.students}) == len(names)
    place = Path("/class")
    folders = [roster.folder(place, member) for member in roster.students]
    assert all(os.path.normpath(folder) == str(folder) and folder.parent.name == "students" for folder in folders)


def test_two_of_one_name_are_told_apart_and_the_lecturer_is_told() -> None:
    roster, remarks = roster_of(["Kim", "Kim", "kim", "Lecturer"])
    assert [(member.name, member.slug) for member in roster.students] == [
        ("Kim", "kim"), ("Kim (2)", "kim-2"), ("kim", "kim-3"), ("Lecturer", "lecturer-2"),
    ]  # fmt: skip
    assert remarks == ["there are several students called 'Kim': this one is shown as 'Kim (2)'"]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([], "names.txt: a class needs students; write one name a line"),
        (["# only a remark", ""], "names.txt: a class needs students"),
        (["Ada", "B" * 300], r"names.txt:2: the name is too long; got 'BBBBBBBBBBBBBBBBBBBB\.\.\. \(300 characters\)'"),
        (["a\u202eb"], r"names.txt:1: the name holds a character that nobody sees; got 'U\+202E'"),
        ([f"student {number}" for number in range(61)], "too many students; got 61; limit: 60"),
    ],
)
def test_what_cannot_be_a_name_is_told_with_its_line(lines: list[str], message: str) -> None:
    with pytest.raises(ClassError, match=message):
        names_of(lines, "names.txt")


def test_links_outlive_a_restart_and_a_changed_list(tmp_path: Path) -> None:
    first, _ = roster_of(["Ada", "Bob"])
    keep_roster(tmp_path, first)
    again = read_roster(tmp_path)
    assert again == first
    second, remarks = roster_of(["Eve", "Ada"], again)
    assert second.students[1] == first.students[0]
    assert second.lecturer == first.lecturer
    assert remarks == ["not in the list any more, so their links end and their work stays: Bob"]


def test_nobody_gets_the_folder_of_somebody_who_has_left(tmp_path: Path) -> None:
    """Names that are spelled alike in an address, as all of another script are."""
    folders: dict[str, set[str]] = {}
    roster = None
    for names in (["王伟", "李娜", "Ana"], ["李娜"], ["张敏", "李娜", "Aña"], ["刘洋"], ["王伟", "Ana", "张敏"]):
        keep_roster(tmp_path, roster_of(names, roster)[0])
        roster = read_roster(tmp_path)
        for member in roster.students:
            folders.setdefault(member.name, set()).add(member.slug)
    assert {len(each) for each in folders.values()} == {1}
    assert len(set.union(*folders.values())) == len(folders) == 6
    again, remarks = roster_of(["王伟", "Ana", "张敏"], roster)
    assert (again, remarks) == (roster, [])


def test_tokens_are_for_their_owner_only(tmp_path: Path) -> None:
    roster, _ = roster_of(["<b>Ada</b>"])
    keep_roster(tmp_path, roster)
    page = keep_links(tmp_path, roster, "http://10.0.0.5:8000")
    assert all((tmp_path / name).stat().st_mode & 0o777 == 0o600 for name in ("class.json", "links.html"))
    text = page.read_text()
    assert "&lt;b&gt;Ada" in text
    assert link("http://10.0.0.5:8000", roster.students[0]) in text
    assert roster.lecturer.token not in text
    (tmp_path / "class.json").chmod(0o644)
    with pytest.raises(ClassError, match="the tokens can be read by others"):
        read_roster(tmp_path)


@pytest.mark.parametrize("text", ["", "[]", '{"port": 1}', '{"port": "x", "lecturer": {}, "students": []}', "\0"])
def test_a_damaged_roster_is_told_in_one_message(tmp_path: Path, text: str) -> None:
    from andante.errors import AndanteError

    (tmp_path / "class.json").write_text(text)
    (tmp_path / "class.json").chmod(0o600)
    with pytest.raises(AndanteError, match=r"class\.json"):
        read_roster(tmp_path)


def test_a_roster_whose_slug_leads_elsewhere_is_refused(tmp_path: Path) -> None:
    roster, _ = roster_of(["Ada"])
    keep_roster(tmp_path, roster)
    file = tmp_path / "class.json"
    file.write_text(file.read_text().replace('"slug": "ada"', '"slug": "../../etc"'))
    with pytest.raises(ClassError, match="a slug or token cannot be used"):
        read_roster(tmp_path)


def test_the_host_and_origin_must_be_the_class(tmp_path: Path) -> None:
    access = ClassAccess("0.0.0.0", 8000, "t" * 32, "ada", "https://class.example.org")
    assert all(access.host_known(name) for name in ("127.0.0.1:8000", "10.1.2.3:8000", "[fe80::1]:8000"))
    assert access.host_known("class.example.org")
    for name in (
        None,
        "",
        "evil.example:8000",
        "10.1.2.3:8001",
        "10.1.2.3",
        "user@10.1.2.3:8000",
        "class.example.org.evil",
    ):
        assert not access.host_known(name), name
    assert access.origin_known("https://class.example.org")
    assert access.origin_known("http://10.1.2.3:8000")
    for origin in (None, "null", "http://evil.example", "ftp://10.1.2.3:8000", "http://[", "file://"):
        assert not access.origin_known(origin), origin
    here = ClassAccess("127.0.0.1", 8000, "t" * 32, "ada")
    assert not here.host_known("10.1.2.3:8000")


def test_a_wrong_token_in_the_address_is_not_mended_by_a_cookie() -> None:
    access = ClassAccess("127.0.0.1", 8000, "t" * 32, "ada")
    cookie = f"{access.cookie}={access.token}"
    assert access.token_known({}, cookie)
    assert access.token_known({"token": access.token}, None)
    assert not access.token_known({"token": "x"}, cookie)
    assert not access.token_known({}, None)
    assert not access.token_known({"token": ""}, None)


@pytest.mark.parametrize("address", ["class", "ftp://x", "http://", "http://x/y", "http://x?y"])
def test_an_address_that_is_none_is_told(address: str) -> None:
    with pytest.raises(ClassError, match="this is no address of a class"):
        own_address("0.0.0.0", 8000, address)
    assert own_address("0.0.0.0", 8000, "https://class.example.org/") == "https://class.example.org"
