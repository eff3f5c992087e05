"""What the terrain page may ask: every message is one of these, or it is refused."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

from andante.studio.message import FileName, Finite, Message, Name
from andante.studio.messages import BeginFault, Change, MendFault, Plots
from andante.terrain.shaping import Tool

Seed = Annotated[int, Field(ge=0, le=2**32 - 1)]
Number = Annotated[int, Field(ge=0, le=2000)]
ShareOfLargest = Annotated[Finite, Field(ge=-1.0, le=1.0)]
Metres = Annotated[Finite, Field(ge=-1000.0, le=1000.0)]


class Plain(Message):
    """What needs no more to be said.

    Which robots and boards there are; all files of robots; the walks that were saved; take a stroke back, or draw it
    again; set the robot on what was drawn; where the body is over the footsteps, as planned and as the stance generator
    has it; break the run off. The server asks whether a process that was begun anew is as far as the one before.
    """

    do: Literal["choices", "robots", "walks", "undo", "redo", "take", "stances", "stop", "again"]


class MakeBoard(Message):
    """Make a board and set the robot on its start."""

    do: Literal["board"]
    robot: FileName
    board: Name
    difficulty: Annotated[Finite, Field(ge=0.0, le=1.0)] = 0.5
    seed: Seed = 0
    values: Annotated[dict[Name, Metres], Field(max_length=40, default_factory=dict)]
    """Parameters with values of their own [m, rad, shares]."""


class OpenBoard(Message):
    """Read a terrain file of the workspace and set the robot on its start."""

    do: Literal["open_board"]
    robot: FileName
    file: FileName


class LevelBoard(Message):
    """A level board to draw on."""

    do: Literal["level_board"]
    robot: FileName
    length: Annotated[Finite, Field(gt=0.0, le=100.0)] = 2.0
    width: Annotated[Finite, Field(gt=0.0, le=100.0)] = 0.8
    spacing: Annotated[Finite, Field(ge=0.001, le=1.0)] = 0.005


class Draw(Message):
    """A stroke on the board."""

    do: Literal["draw"]
    tool: Tool
    points: Annotated[tuple[tuple[Metres, Metres], ...], Field(min_length=1, max_length=2000)]
    height: Annotated[Finite, Field(gt=0.0, le=5.0)]
    radius: Annotated[Finite, Field(gt=0.0, le=20.0)]
    more: bool = False
    """The last stroke again, which has gone on."""


class SaveBoard(Message):
    """Write the board to a file of the workspace."""

    do: Literal["save_board"]
    file: FileName
    overwrite: bool = False


class ShowLayer(Message):
    """What the ground is painted with."""

    do: Literal["layer"]
    layer: Name


class ShowReach(Message):
    """The reachable volume before a footstep."""

    do: Literal["reach"]
    what: Name
    """``body``, or a foot's name."""
    step: Number = 0


class Plan(Message):
    """Plan the walk: footsteps that were clicked where there are some, else by a search."""

    do: Literal["plan"]
    search: bool = False
    """Forget what was clicked."""


class Foothold(Message):
    """Put a footstep somewhere else, or add one."""

    do: Literal["foothold"]
    number: Number
    """Number of the footstep from 0; one more than there are: a new one at the end."""
    foot: Name = ""
    """Foot of a new one."""
    x: Metres
    y: Metres


class KeepSteps(Message):
    """Keep the first footsteps only."""

    do: Literal["keep"]
    count: Number


class Walk(Message):
    """Walk in physics: the plan, or steered by hand."""

    do: Literal["walk"]
    controller: Literal["crawl", "reactive-crawl", "trot", "quadruped", "policy"]
    policy: Annotated[str, Field(max_length=1000)] = ""
    """A shipped policy or a contract of the workspace, for the controller ``policy``."""
    goal: tuple[Metres, Metres] | None = None
    """Where a quadruped goes by a global plan in place of being steered [m]."""
    seconds: Annotated[Finite, Field(gt=0.0, le=600.0)] = 300.0
    """How long it is steered [s]."""
    payload: Annotated[Finite, Field(ge=0.0, le=50.0)] = 0.0
    """Mass on the robot that nobody told it of [kg]."""


class Wish(Message):
    """What is asked of a robot that is steered, as shares of the largest speeds, or a place where it shall go."""

    do: Literal["wish"]
    forward: ShareOfLargest = 0.0
    lateral: ShareOfLargest = 0.0
    turn: ShareOfLargest = 0.0
    goal: tuple[Metres, Metres] | None = None
    """It turns to this place of the ground, goes there and stands, in place of the speeds [m]."""
    share: Annotated[Finite, Field(gt=0.0, le=1.0)] = 1.0
    """Share of the largest speeds that is asked on the way to the goal."""
    gait: Name | None = None
    over: bool = False
    """The robot stands, and the run ends."""


class SaveWalk(Message):
    """Keep the last walk in the folder ``walks`` of the workspace."""

    do: Literal["save_walk"]
    name: Annotated[str, Field(min_length=1, max_length=60, pattern=r"^[A-Za-z0-9][A-Za-z0-9 _.-]*$")]
    overwrite: bool = False


class OpenWalk(Message):
    """Show a walk that was saved, on its ground and in the lanes."""

    do: Literal["open_walk"]
    name: Name


Boards = MakeBoard | OpenBoard | LevelBoard | Draw | SaveBoard
Looks = ShowLayer | ShowReach
Walks = Plan | Foothold | KeepSteps | Walk | Wish | SaveWalk | OpenWalk | BeginFault | MendFault | Change | Plots
_Any = Plain | Boards | Looks | Walks
TERRAIN: TypeAdapter[Any] = TypeAdapter(Annotated[_Any, Field(discriminator="do")])
"""All of them."""
