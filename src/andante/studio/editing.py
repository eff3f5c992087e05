"""From a page's edit to the splices that it makes."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from andante.documents.part import Part
from andante.documents.validation import first_problem
from andante.motions.editing.mirror import mirror_keyframe
from andante.motions.keyframe import Block
from andante.motions.library import Motion, MotionLibrary
from andante.motions.settings import BalanceParameters, EngineSettings
from andante.robots.robot import Robot
from andante.studio import keyframe_edits as edits
from andante.studio.errors import StudioError
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
    keyframes = _block(live, message.block).keyframes
    if isinstance(message, SetKeyframes):
        new = {
            index: edits.changed(keyframes[index], fields)
            for index, fields in message.fields.items()
            if _there(index, len(keyframes), message.block)
        }
        return edits.replaced(live, message.block, new)
    if isinstance(message, InsertKeyframes):
        made = [edits.made(fields) for fields in message.keyframes]
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
    keyframes = _block(live, message.block).keyframes
    new = {
        index: mirror_keyframe(keyframes[index], _known(robot))
        for index in message.keyframes
        if _there(index, len(keyframes), message.block)
    }
    return edits.replaced(live, message.block, new)


def _split(message: SplitKeyframe, live: LiveLibrary) -> Edit:
    keyframes = _block(live, message.block).keyframes
    _there(message.keyframe, len(keyframes), message.block)
    whole = keyframes[message.keyframe]
    first = edits.made(
        {
            "duration": whole.duration * message.share,
            "joints": dict(message.joints),
            "interpolation": str(whole.interpolation),
            "phase": whole.phase,
        }
    )
    rest = edits.changed(whole, {"duration": whole.duration * (1.0 - message.share)})
    return _together(
        edits.inserted(live, message.block, message.keyframe, [first]),
        edits.replaced(live, message.block, {message.keyframe: rest}),
    )


def _together(before: Edit, after: Edit) -> Edit:
    """Two edits of the same text as one; the first stands in front of the second."""
    return (*before, *after)


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
        return library.model_copy(update={"settings": _made(EngineSettings, data, "settings")})
    parts: dict[str, Any] = dict(getattr(library, message.kind))
    model = _KINDS[message.kind]
    name, to = message.name, message.to
    if message.action == "add":
        _free(parts, name, message.kind)
        parts[name] = _made(model, message.fields, message.kind)
    else:
        if name not in parts:
            raise StudioError(f"there is no such entry in {message.kind}", value=name, legal=parts)
        if message.action == "delete":
            del parts[name]
        elif message.action == "set":
            data = parts[name].model_dump(mode="json", exclude_defaults=True) | message.fields
            kept = {key: value for key, value in data.items() if value is not None}
            parts[name] = _made(model, kept, message.kind)
        else:
            _free(parts, to, message.kind)
            parts = {to if key == name else key: part for key, part in parts.items()}
    changed = library.model_copy(update={message.kind: parts})
    return _renamed(changed, message.kind, name, to) if message.action == "rename" else changed


def _renamed(library: MotionLibrary, kind: str, old: str, new: str) -> MotionLibrary:
    """A library in which everything that named an entry names it anew."""

    def name(value: str | None) -> str | None:
        return new if value == old else value

    if kind == "balance":
        phased = {
            key: block.model_copy(
                update={
                    "keyframes": tuple(each.model_copy(update={"phase": name(each.phase)}) for each in block.keyframes)
                }
            )
            for key, block in library.blocks.items()
        }
        return library.model_copy(update={"blocks": phased})
    motions = {}
    for key, motion in library.motions.items():
        if kind == "blocks":
            motions[key] = motion.model_copy(update={"blocks": tuple(name(block) for block in motion.blocks)})
        else:
            follow = tuple(each.model_copy(update={"motion": name(each.motion)}) for each in motion.follow_ups)
            motions[key] = motion.model_copy(update={"follow_ups": follow})
    field = "block" if kind == "blocks" else "motion"
    blocks = {}
    for key, block in library.blocks.items():
        keyframes = tuple(
            keyframe.model_copy(
                update={
                    "branches": tuple(
                        branch.model_copy(update={field: name(getattr(branch, field))}) for branch in keyframe.branches
                    )
                }
            )
            for keyframe in block.keyframes
        )
        blocks[key] = block.model_copy(update={"keyframes": keyframes})
    return library.model_copy(update={"motions": motions, "blocks": blocks})


def _made(model: type[Part], fields: Mapping[str, Any], place: str) -> Part:
    try:
        return model.model_validate(dict(fields))
    except ValidationError as error:
        raise first_problem(error, model, place) from error


def _free(parts: Mapping[str, Any], name: str, kind: str) -> None:
    if not name:
        raise StudioError("a name is needed", place=kind)
    if name in parts:
        raise StudioError("this name is taken", place=kind, value=name)


def _block(live: LiveLibrary, name: str) -> Block:
    if live.library is None:
        raise StudioError("the document has a mistake; mend its text first", place=live.place) from live.problem
    block = live.library.blocks.get(name)
    if block is None:
        raise StudioError("there is no such block", value=name, legal=live.library.blocks)
    return block


def _there(index: int, count: int, block: str) -> bool:
    if index >= count:
        raise StudioError(
            "there is no such keyframe", place=f"blocks.{block}.keyframes", value=index, limit=f"0 to {count - 1}"
        )
    return True


def _known(robot: Robot | None) -> Robot:
    if robot is None:
        raise StudioError("the robot is unknown, and so is its mirror image")
    return robot
