"""What a page may ask of the studio: every message is one of these, or it is refused."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, model_validator

from andante.backends.fault import Fault
from andante.studio.message import Fields, FileName, Finite, Index, Message, Name

MAX_TEXT = 900_000
"""Longest text that one message inserts [characters]."""
MOST_JOINTS = 1000
"""Most joints of a robot that pages design motions of."""

_LONGEST_KICK = 20.0
"""Longest kick of a lesson [s]."""


class Files(Message):
    """List the workspace."""

    do: Literal["files"]
    part: Name = ""
    """Only names with this part."""


class Robots(Message):
    """List the robots that can be chosen."""

    do: Literal["robots"]
    part: Name = ""
    """Only files with this part in their names."""


class LookAtRobot(Message):
    """What a robot is, and what of it was guessed."""

    do: Literal["look_at_robot"]
    robot: FileName


class CorrectedJoint(BaseModel):
    """Other limits of a joint; those that are not given stay."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    speed: Annotated[float, Field(gt=0.0, le=1e4)] | None = None
    """Largest speed [rad/s]."""
    effort: Annotated[float, Field(gt=0.0, le=1e6)] | None = None
    """Largest torque [N m]."""


class WritePack(Message):
    """Write a robot as a pack into the workspace, with what was corrected."""

    do: Literal["write_pack"]
    robot: FileName
    folder: FileName
    """Folder of the workspace, which is made."""
    name: Name = ""
    title: Name = ""
    joints: Annotated[dict[Name, CorrectedJoint], Field(max_length=MOST_JOINTS)] = Field(default_factory=dict)
    feet: Annotated[dict[Name, Annotated[Finite, Field(ge=0.0, le=1.0)]], Field(max_length=20)] = Field(
        default_factory=dict
    )
    """Radius of ball feet by name [m]."""


class Open(Message):
    """Open a file."""

    do: Literal["open"]
    file: FileName
    robot: FileName | Literal[""] = ""
    anew: bool = False
    """As another program has made it meanwhile, also over edits that were not saved; undo shows these again."""


class New(Message):
    """Make a new document and open it."""

    do: Literal["new"]
    file: FileName
    copy_of: Name = ""
    """A motion library that comes with Andante, for its robot; empty: one empty motion."""
    robot: FileName
    """Its name, its file in the workspace, or one of a known package."""


class Editing(Message):
    """An edit of the document."""

    revision: Index
    """The revision that it is made for."""
    group: Name = ""
    """Edits of one group are one step of undoing."""


Offset = Annotated[int, Field(ge=0, le=100_000_000)]


class TextEdit(Editing):
    """Characters in place of others."""

    do: Literal["text"]
    key: Name = ""
    """Its own name, by which a page whose connection broke finds whether it was made."""
    changes: Annotated[
        tuple[tuple[Offset, Offset, Annotated[str, Field(max_length=MAX_TEXT)]], ...], Field(max_length=10_000)
    ]
    """Begin, end (UTF-16 units of the old text) and what stands there afterwards."""


class SetKeyframes(Editing):
    """New values of keyframes' fields."""

    do: Literal["set"]
    block: Name
    fields: Annotated[dict[Index, Fields], Field(max_length=10_000)]
    """By keyframe, SI; see `andante.studio.keyframe_edits.changed`."""


class InsertKeyframes(Editing):
    """Keyframes put into a block."""

    do: Literal["insert"]
    block: Name
    at: Index
    keyframes: Annotated[tuple[Fields, ...], Field(min_length=1, max_length=2000)]
    mirrored: bool = False
    """Their mirror images are put in."""


class ChooseKeyframes(Editing):
    """Something done with chosen keyframes."""

    do: Literal["duplicate", "delete", "mirror"]
    block: Name
    keyframes: Annotated[tuple[Index, ...], Field(min_length=1, max_length=10_000)]


class MoveKeyframe(Editing):
    """A keyframe to another place of its block."""

    do: Literal["move"]
    block: Name
    keyframe: Index
    to: Index


class SplitKeyframe(Editing):
    """One keyframe into two that go the same way (of a linear one), at a share of its duration."""

    do: Literal["split"]
    block: Name
    keyframe: Index
    share: Annotated[Finite, Field(gt=0.0, lt=1.0)]
    joints: Annotated[dict[Name, Finite], Field(max_length=MOST_JOINTS)]
    """Posture of the first one [rad]."""


class ChangeLibrary(Editing):
    """Motions, blocks and balance phases: make, rename, delete, or set fields; the engine's settings: set fields."""

    do: Literal["library"]
    kind: Literal["motions", "blocks", "balance", "settings"]
    action: Literal["add", "rename", "delete", "set"]
    name: Annotated[str, Field(min_length=1, max_length=200)]
    to: Name = ""
    """The new name."""
    fields: Fields = Field(default_factory=dict)
    """New values, SI."""


class Step(Message):
    """Undo or redo."""

    do: Literal["undo", "redo"]


class Saving(Message):
    """What a save would change, or the save."""

    do: Literal["diff", "save"]
    overwrite: bool = False
    """Save although another program has changed the file."""


class SaveAs(Message):
    """Write what the document says into another file, in the format that its name asks for."""

    do: Literal["save_as"]
    file: FileName
    format: Name = ""
    """Name of the format where several use the ending; empty: told from the name."""
    motion: Name = ""
    """Only this motion, for formats of one; empty: all."""
    overwrite: bool = False
    """Replace a file that is there."""


class Postures(Message):
    """List the postures that the user keeps for this robot."""

    do: Literal["postures"]


class ChangePostures(Message):
    """Keep, rename or delete one of the user's postures, or take such a change back."""

    do: Literal["keep_posture", "rename_posture", "delete_posture", "undo_posture", "redo_posture"]
    name: Name = ""
    to: Name = ""
    """The new name."""
    joints: Annotated[dict[Name, Finite], Field(max_length=MOST_JOINTS)] = Field(default_factory=dict)
    """Angles to keep [rad]."""
    overwrite: bool = False
    """Keep it although there is one of that name."""


class Posture(Message):
    """Balance of a posture."""

    do: Literal["posture"]
    joints: Annotated[tuple[Finite, ...], Field(max_length=MOST_JOINTS)]


class Drag(Message):
    """A frame to a place, by inverse kinematics: see `andante.studio.dragging.dragged`."""

    do: Literal["drag"]
    joints: Annotated[tuple[Finite, ...], Field(max_length=MOST_JOINTS)]
    """The posture, (nj,) [rad]."""
    base: tuple[Finite, Finite, Finite, Finite, Finite, Finite, Finite]
    """Position [m] and orientation (wxyz) of the base."""
    frame: Name
    """Site or body that is dragged; empty: the centre of mass is, over the ground."""
    target: tuple[Finite, Finite, Finite]
    """Where to [m]; of the centre of mass x and y count."""
    feet: Annotated[tuple[Name, ...], Field(max_length=20)]
    """Feet that stay in their places."""
    limb: Annotated[tuple[Name, ...], Field(max_length=MOST_JOINTS)] = ()
    """Joints that are tried alone first; the whole body helps where they do not reach. Empty: it helps at once."""
    locked: Annotated[tuple[Name, ...], Field(max_length=MOST_JOINTS)] = ()
    """Joints that keep their angles."""
    turn: tuple[Finite, Finite, Finite, Finite] | None = None
    """Orientation (wxyz) that the frame keeps as far as it reaches its place; None: it turns freely."""
    trunk: tuple[Finite, Finite, Finite, Finite] | None = None
    """Orientation (wxyz) that the trunk keeps as far as the others allow; None: it turns freely."""
    com: tuple[Finite, Finite] | None = None
    """Where over the ground ``hold_com`` keeps the centre of mass [m]; None: where the posture has it."""
    hold_com: bool = False
    """Keep the centre of mass over its place on the ground: the body leans against what is dragged."""


class Show(Message):
    """The trajectory of a motion or a block, now and after every edit."""

    do: Literal["show"]
    motion: Name = ""
    block: Name = ""


class Play(Message):
    """Run a motion in physics."""

    do: Literal["play"]
    motion: Name
    seed: Annotated[int, Field(ge=0, le=2**32 - 1)] = 0
    speed: Annotated[Finite, Field(ge=0.05, le=20.0)] = 1.0
    block: Name = ""
    """Begin at the begin of a keyframe of this block; empty: at the motion's begin."""
    keyframe: Index = 0
    occurrence: Index = 0
    """How often the block has come before in the motion."""
    allow_fall: bool = False
    """The motion may leave the feet."""
    start: Name = ""
    """How the robot begins, see `andante.runs.scenario_files.start_data`; empty: as the motion does, standing."""
    paused: bool = False
    """Stand still at the begin."""


class Steer(Message):
    """Pause a run, let it go on, do some ticks, end it."""

    do: Literal["pause", "resume", "stop", "step"]
    ticks: Annotated[int, Field(ge=1, le=1000)] = 1


class Speed(Message):
    """Time of the run per real time."""

    do: Literal["speed"]
    speed: Annotated[Finite, Field(ge=0.05, le=20.0)]


class Plots(Message):
    """Which recorded variables come with the poses."""

    do: Literal["plots"]
    columns: Annotated[tuple[Name, ...], Field(max_length=64)]


class BeginFault(Message):
    """A fault that begins now."""

    do: Literal["fault"]
    fault: Fault


class MendFault(Message):
    """A fault that ends now."""

    do: Literal["mend"]
    name: Name


class Push(Message):
    """Pull at a body as by a spring from a point of it to a place, until that is told otherwise; or let go."""

    do: Literal["push"]
    body: Name
    """The body; empty: let go."""
    point: tuple[Finite, Finite, Finite] = (0.0, 0.0, 0.0)
    """Where it is held, in the body's frame [m]."""
    target: tuple[Finite, Finite, Finite] = (0.0, 0.0, 0.0)
    """Where the hand is, in the world [m]."""


class Shove(Message):
    """Push a body at its origin with a force that stays the same for a while."""

    do: Literal["shove"]
    body: Name
    """The body."""
    force: tuple[Finite, Finite, Finite]
    """The force, in the world [N]."""
    duration: Annotated[Finite, Field(ge=0.01, le=2.0)] = 0.1
    """How long it pushes [s]."""


class Change(Message):
    """One of the controller's settings while it runs."""

    do: Literal["change"]
    parameter: Name
    value: Finite | bool | Name


class CheckPhysics(Message):
    """Run the motion with several seeds: does it fall?"""

    do: Literal["prove"]
    motion: Name
    seeds: Annotated[int, Field(ge=1, le=20)] = 5


class Evidence(Message):
    """Try a motion with some seeds, now and after every edit, for all pages; or no more."""

    do: Literal["evidence"]
    on: bool
    motion: Name = ""
    seeds: Annotated[int, Field(ge=1, le=10)] = 5
    allow_fall: bool = False
    """The motion may leave the feet."""
    start: Name = ""
    """How the robot begins; empty: as the motion does."""


class Share(Message):
    """Write the last run into the workspace as a page that needs no server, or as a video or GIF with plots."""

    do: Literal["share"]
    kind: Literal["html", "gif", "mp4"]


class MidiPorts(Message):
    """List the MIDI ports and what is bound."""

    do: Literal["midi_ports"]


class MidiOpen(Message):
    """Hear a MIDI port; an empty name closes the one that is open."""

    do: Literal["midi_open"]
    port: Name


class MidiLearn(Message):
    """The next knob that is turned moves this parameter."""

    do: Literal["midi_learn"]
    parameter: Annotated[str, Field(min_length=1, max_length=200)]
    low: Finite
    """The parameter's value at the knob's lower end."""
    high: Finite
    """The parameter's value at its upper end."""
    kind: Literal["number", "count", "switch"]


class MidiForget(Message):
    """No knob moves this parameter any more; a learning under way ends."""

    do: Literal["midi_forget"]
    parameter: Name


class MidiSend(Message):
    """A control change into the loopback port."""

    do: Literal["midi_send"]
    channel: Annotated[int, Field(ge=0, le=15)] = 0
    control: Annotated[int, Field(ge=0, le=127)]
    value: Annotated[int, Field(ge=0, le=127)]


LESSON_JOINTS = ("hip_angle", "knee_angle", "ankle_angle")
"""Order of the angles in a lesson's keyframe."""
_Angle = Annotated[float, Field(ge=-2.0 * math.pi, le=2.0 * math.pi)]
_Duration = Annotated[float, Field(ge=0.01, le=10.0)]


class LessonScene(Message):
    """The leg of the lessons."""

    do: Literal["lesson_scene"]


class LessonKick(Message):
    """Play keyframes of the lessons' leg in physics: numbers, never code."""

    do: Literal["lesson_kick"]
    keyframes: Annotated[tuple[tuple[_Duration, _Angle, _Angle, _Angle], ...], Field(max_length=20)]
    """Duration [s] and angles of hip, knee and ankle [rad]."""

    @model_validator(mode="after")
    def _not_for_ever(self) -> Self:
        if (total := sum(row[0] for row in self.keyframes)) > _LONGEST_KICK:
            raise ValueError(f"a kick of {total:g} s is longer than {_LONGEST_KICK:g} s")
        return self


EditMessage = TextEdit | SetKeyframes | InsertKeyframes | ChooseKeyframes | MoveKeyframe | SplitKeyframe | ChangeLibrary
PostureMessage = Postures | ChangePostures
MidiMessage = MidiPorts | MidiOpen | MidiLearn | MidiForget | MidiSend
RunMessage = Play | Steer | Speed | Plots | BeginFault | MendFault | Push | Shove | Change
FileMessage = Files | Robots | LookAtRobot | WritePack | Open | New | Step | Saving | SaveAs
LookMessage = Posture | Drag | Show | CheckPhysics | Evidence | Share | LessonScene | LessonKick
StudioMessage = FileMessage | EditMessage | PostureMessage | LookMessage | RunMessage | MidiMessage
MESSAGES: TypeAdapter[Any] = TypeAdapter(Annotated[StudioMessage, Field(discriminator="do")])
"""All of them."""
