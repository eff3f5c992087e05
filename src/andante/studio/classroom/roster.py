"""The roster: who belongs to a class, each with a token and a folder, kept so that links outlive a restart."""

from __future__ import annotations

import contextlib
import html
import json
import os
import re
import secrets
import stat
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from andante.documents.budget import budgeted
from andante.documents.files import read_text
from andante.documents.json_data import parse_json_data
from andante.studio.access import TOKEN_BYTES
from andante.studio.classroom.errors import ClassError
from andante.studio.disk import Disk

LECTURER = "lecturer"
"""Folder name of the lecturer's pages, which no student has."""
STUDENTS = "students"
"""Folder of the class in which each student has one."""
ROSTER, LINKS = "class.json", "links.html"
"""Files of the class: who has which token, and the links to print. Only their owner may read them."""
LONGEST_NAME = 80
"""Longest name of a student [characters]."""
MOST_STUDENTS = 60
"""Most students of a class."""
_MOST_GONE = 300
"""So many who have left are known still, so that the file stays below what is read of it."""
_PRIVATE = 0o600
_LONGEST_SLUG = 40
_SPELLED = str.maketrans(
    {"ø": "o", "Ø": "O", "ß": "ss", "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D"}
)
"""Letters that are no other letter with a mark."""
_FORBIDDEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
"""Characters that nobody sees, or that turn the direction of a text."""


@dataclass(frozen=True)
class Member:
    """Somebody who has a link."""

    name: str
    """The name as people write it."""
    slug: str
    """The same in an address and as the name of a folder."""
    token: str
    """What the link holds."""


@dataclass(frozen=True)
class Roster:
    """A class."""

    lecturer: Member
    """Who sees all."""
    students: tuple[Member, ...]
    """Who works, each in a folder of their own."""
    port: int = 0
    """The port at which it was served last; 0: nobody knows."""
    gone: tuple[Member, ...] = ()
    """Who was in it before, the latest last: their folders are theirs, and nobody else's."""

    def folder(self, place: Path, student: Member) -> Path:
        """A student's folder in that of the class."""
        return place / STUDENTS / student.slug


def names_of(texts: Iterable[str], place: str) -> tuple[str, ...]:
    """Names in lines: empty lines and those that begin with # are passed over.

    Raises:
        ClassError: A name is too long or holds what cannot be seen, or there are none or too many.
    """
    names = []
    for line, text in enumerate(texts, 1):
        name = " ".join(unicodedata.normalize("NFC", text.strip()).split())
        if not name or name.startswith("#"):
            continue
        where = f"{place}:{line}"
        if len(name) > LONGEST_NAME:
            shown = f"{name[:20]}... ({len(name)} characters)"
            raise ClassError("the name is too long", place=where, value=shown, limit=f"{LONGEST_NAME} characters")
        hidden = [character for character in name if unicodedata.category(character) in _FORBIDDEN]
        if hidden:
            raise ClassError(
                "the name holds a character that nobody sees",
                place=where,
                value=f"U+{ord(hidden[0]):04X}",
                remedy="type the name anew",
            )
        names.append(name)
    if not names:
        raise ClassError("a class needs students", place=place, remedy="write one name a line")
    if len(names) > MOST_STUDENTS:
        raise ClassError("too many students", place=place, value=len(names), limit=str(MOST_STUDENTS))
    return tuple(names)


@budgeted(place="file", error=ClassError)
def names_in(file: Path) -> tuple[str, ...]:
    """Names in a file, one a line.

    Raises:
        AndanteError: It cannot be read, or a name in it cannot be used.
    """
    return names_of(read_text(file, max_bytes=100_000).splitlines(), str(file))


def slug_of(name: str) -> str:
    """A name as a part of an address: letters of ASCII, digits and dashes."""
    plain = unicodedata.normalize("NFKD", name.translate(_SPELLED)).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:_LONGEST_SLUG].strip("-") or "student"


def roster_of(names: Sequence[str], before: Roster | None = None) -> tuple[Roster, list[str]]:
    """The roster of some names, and what the lecturer should know of it.

    Who was in the class before keeps link and folder, also after having been away. Of students with the same name
    all but the first get a number.
    """
    known = {} if before is None else {member.name: member for member in (*before.gone, *before.students)}
    taken = {LECTURER, *(member.slug for member in known.values())}
    students: list[Member] = []
    remarks: list[str] = []
    for name in names:
        told, count = name, 1
        while any(member.name == told for member in students):
            count += 1
            told = f"{name} ({count})"
        if told != name:
            remarks.append(f"there are several students called {name!r}: this one is shown as {told!r}")
        if told in known:
            students.append(known[told])
            continue
        first, number = slug_of(told), 1
        slug = first
        while slug in taken:
            number += 1
            slug = f"{first}-{number}"
        taken.add(slug)
        students.append(Member(told, slug, secrets.token_urlsafe(TOKEN_BYTES)))
    gone = tuple(member for member in known.values() if member not in students)
    left = [member.name for member in gone if before is not None and member in before.students]
    if left:
        remarks.append(f"not in the list any more, so their links end and their work stays: {', '.join(left)}")
    lecturer = Member("Lecturer", LECTURER, secrets.token_urlsafe(TOKEN_BYTES)) if before is None else before.lecturer
    return Roster(lecturer, tuple(students), 0 if before is None else before.port, gone[-_MOST_GONE:]), remarks


@budgeted(place="place", error=ClassError)
def read_roster(place: Path) -> Roster | None:
    """The roster that is kept in the folder of a class; None: there is none.

    Raises:
        ClassError: It cannot be read, or others may read it.
    """
    file = place / ROSTER
    if not file.is_file():
        return None
    if file.stat().st_mode & 0o077:
        mode = stat.filemode(file.stat().st_mode)
        raise ClassError("the tokens can be read by others", place=str(file), value=mode, remedy=f"chmod 600 {file}")
    try:
        data = parse_json_data(read_text(file, max_bytes=200_000), str(file))
        lecturer = _member(data["lecturer"], file)
        students, gone = (tuple(_member(each, file) for each in of) for of in (data["students"], data.get("gone", ())))
        roster = Roster(lecturer, students, int(data["port"]), gone)
    except (KeyError, TypeError, ValueError) as error:
        remedy = "put back a copy, or remove it: all links are made anew then, and the work stays"
        raise ClassError(f"is no roster: {error}", place=str(file), remedy=remedy) from None
    slugs = [roster.lecturer.slug, *(member.slug for member in (*roster.students, *roster.gone))]
    if len(set(slugs)) < len(slugs) or roster.lecturer.slug != LECTURER:
        raise ClassError("is no roster: two have one folder", place=str(file), remedy="give each a slug of their own")
    return roster


def keep_roster(place: Path, roster: Roster) -> None:
    """Write the roster.

    Raises:
        WorkspaceError: It cannot be written; the old one stays.
    """
    _write_private(place / ROSTER, (json.dumps(asdict(roster), indent=1, ensure_ascii=False) + "\n").encode())


def keep_links(place: Path, roster: Roster, address: str) -> Path:
    """Write the links as a page to print, each student's on a strip; gives the file.

    Raises:
        WorkspaceError: It cannot be written.
    """
    rows = [f"<section><h2>{html.escape(each.name)}</h2><p>{html.escape(link(address, each))}</p></section>"
            for each in roster.students]  # fmt: skip
    page = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Links of the class</title><style>
body {{ font: 15px/1.5 system-ui, sans-serif; color: #111; background: #fff; margin: 1.5cm; }}
section {{ break-inside: avoid; border-top: 1px dashed #888; padding: .4cm 0; }}
h2 {{ margin: 0; font-size: 17px; }} p {{ margin: 0; font-family: monospace; overflow-wrap: anywhere; }}
</style></head><body><h1>Links of the class</h1>
<p>Cut along the lines. Whoever has a link works as its student.</p>
{chr(10).join(rows)}
</body></html>
"""
    file = place / LINKS
    _write_private(file, page.encode())
    return file


def link(address: str, member: Member) -> str:
    """The link of somebody.

    Args:
        address: The class's, without a slash at its end.
        member: Whose.
    """
    return f"{address}/{member.slug}/?token={member.token}"


def _member(data: dict[str, str], file: Path) -> Member:
    member = Member(str(data["name"]), str(data["slug"]), str(data["token"]))
    if slug_of(member.slug) != member.slug or len(member.token) < 20 or not member.token.isascii():
        raise ClassError("is no roster: a slug or token cannot be used", place=str(file), value=member.name)
    return member


def _write_private(file: Path, raw: bytes) -> None:
    disk = Disk(file.parent)
    # A new file takes the permissions of the one that it replaces: first an empty one that nobody else can read.
    if not file.is_file() or file.stat().st_mode & 0o077:
        with contextlib.suppress(FileNotFoundError):
            file.unlink()
        handle = disk.create(file)
        try:
            os.fchmod(handle, _PRIVATE)
        finally:
            os.close(handle)
    disk.write(file, raw)
