"""From a page's edit to the splices that it makes."""

from __future__ import annotations

import itertools
from collections.abc import Container, Mapping
from typing import Any

from andante.documents.part import Part
from andante.motions.editing.mirror import mirror_keyframe
from andante.motions.keyframe import Block, Keyframe
from andante.motions.library import Motion, MotionLibrary
from andante.motions.settings import BalanceParameters, EngineSettings
from andante.robots.robot import Robot
from andante.studio import keyframe_edits as edits
from andante.studio.errors import StudioError
from andante.studio.forms import NAMES
from andante.studio.live_library import LiveLibrary
from andante.studio.messages import (
    ChangeLibrary,
    ChooseKeyframes,
    EditMessage,
    InsertKeyframes,
    MoveKeyframe,
    SetKeyframes,
    SplitKeyframe,
    TextEdit,
)
from andante.studio.splices import Edit, Splice, from_units

_KINDS: Mapping[str, type[Part]] = {"motions": Motion, "blocks": Block, "balance": BalanceParameters}


def edit_of(message: EditMessage, live: LiveLibrary, robot: Robot | None) -> Edit:
    """The splices that a page's edit makes.

    Args:
        message: What the page asks for.
        live: The document.
        robot: Its robot, for mirror images; None: unknown.

    Raises:
        AndanteError: The edit is impossible.
    """
    if isinstance(message, TextEdit):
        return _text(message, live)
    if isinstance(message, ChangeLibrary):
        return edits.whole(live, lambda library: changed_library(library, message))
    if isinstance(message, SetKeyframes):
        new = {
            index: edits.changed(edits.keyframe_of(live, message.block, index), fields)
            for index, fields in message.fields.items()
        }
        return edits.replaced(live, message.block, new)
    if isinstance(message, InsertKeyframes):
        made = [edits.made(Keyframe, fields, "keyframe") for fields in message.keyframes]
        if message.mirrored:
            made = [mirror_keyframe(keyframe, _known(robot)) for keyframe in made]
        return edits.inserted(live, message.block, message.at, made)
    if isinstance(message, MoveKeyframe):
        return edits.moved(live, message.block, message.keyframe, message.to)
    if isinstance(message, SplitKeyframe):
        return _split(message, live)
    return _chosen(message, live, robot)


def _chosen(message: ChooseKeyframes, live: LiveLibrary, robot: Robot | None) -> Edit:
    if message.do == "duplicate":
        return edits.duplicated(live, message.block, message.keyframes)
    if message.do == "delete":
        return edits.deleted(live, message.block, message.keyframes)
    new = {
        index: mirror_keyframe(edits.keyframe_of(live, message.block, index), _known(robot))
        for index in message.keyframes
    }
    return edits.replaced(live, message.block, new)


def _split(message: SplitKeyframe, live: LiveLibrary) -> Edit:
    whole = edits.keyframe_of(live, message.block, message.keyframe)
    data = {
        "duration": whole.duration * message.share,
        "joints": dict(message.joints),
        "interpolation": str(whole.interpolation),
        "phase": whole.phase,
    }
    first = edits.made(Keyframe, data, "keyframe")
    rest = edits.changed(whole, {"duration": whole.duration * (1.0 - message.share)})
    # Two edits of the same text, the first in front of the second.
    return (
        *edits.inserted(live, message.block, message.keyframe, [first]),
        *edits.replaced(live, message.block, {message.keyframe: rest}),
    )


def _text(message: TextEdit, live: LiveLibrary) -> Edit:
    offsets = [offset for begin, end, _ in message.changes for offset in (begin, end)]
    if any(a > b for a, b in itertools.pairwise(offsets)):
        raise StudioError("changes of a text must be in order and apart", value=offsets[:20])
    places = from_units(live.text, offsets)
    return tuple(
        Splice(places[2 * index], live.text[places[2 * index] : places[2 * index + 1]], inserted)
        for index, (_, _, inserted) in enumerate(message.changes)
    )


def changed_library(library: MotionLibrary, message: ChangeLibrary) -> MotionLibrary:
    """The library with a motion, a block or a balance phase made, renamed, deleted or changed, or other settings.

    Raises:
        StudioError: There is no such entry, or the name is taken.
        DocumentError: A value is not legal.
    """
    if message.kind == "settings":
        if message.action != "set":
            raise StudioError("settings can only be set", value=message.action)
        data = library.settings.model_dump(mode="json", exclude_defaults=True) | message.fields
        return library.but(settings=edits.made(EngineSettings, data, "settings"))
    parts: dict[str, Any] = dict(getattr(library, message.kind))
    model = _KINDS[message.kind]
    name, to = message.name, message.to
    if message.action == "add":
        _free(parts, name, message.kind)
        parts[name] = edits.made(model, message.fields, message.kind)
    else:
        if name not in parts:
            raise StudioError(f"there is no such entry in {message.kind}", value=name, legal=parts)
        if message.action == "delete":
            del parts[name]
        elif message.action == "set":
            data = parts[name].model_dump(mode="json", exclude_defaults=True) | message.fields
            parts[name] = edits.made(model, edits.given(data), message.kind)
        else:
            _free(parts, to, message.kind)
            parts = {to if key == name else key: part for key, part in parts.items()}
    changed = library.but(**{message.kind: parts})
    if message.action != "rename":
        return changed
    fields = {field for field, of in NAMES.items() if of == message.kind}
    users = {each: _renamed(getattr(changed, each), fields, name, to) for each in ("motions", "blocks")}
    return changed.but(**users)


def _renamed(part: Any, fields: Container[str], old: str, new: str, naming: bool = False) -> Any:
    """Parts of a document whose fields of some names call an entry by its new name; ``naming``: such a field's own."""
    if isinstance(part, tuple):
        return tuple(_renamed(each, fields, old, new, naming) for each in part)
    if isinstance(part, dict):
        return {key: _renamed(each, fields, old, new) for key, each in part.items()}
    if isinstance(part, Part):
        return part.but(**{name: _renamed(value, fields, old, new, name in fields) for name, value in part})
    return new if naming and part == old else part


def _free(parts: Mapping[str, Any], name: str, kind: str) -> None:
    if not name:
        raise StudioError("a name is needed", place=kind)
    if name in parts:
        raise StudioError("this name is taken", place=kind, value=name)


def _known(robot: Robot | None) -> Robot:
    if robot is None:
        raise StudioError("the robot is unknown, and so is its mirror image")
    return robot
