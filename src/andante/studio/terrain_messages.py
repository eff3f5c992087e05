"""What the terrain page may ask: every message is one of these, or it is refused."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

from andante.studio.messages import Finite, Message, Name

Seed = Annotated[int, Field(ge=0, le=2**32 - 1)]
Number = Annotated[int, Field(ge=0, le=2000)]
ShareOfLargest = Annotated[Finite, Field(ge=-1.0, le=1.0)]
Metres = Annotated[Finite, Field(ge=-1000.0, le=1000.0)]


class Choices(Message):
    """Which robots and boards there are."""

    do: Literal["choices"]


class MakeBoard(Message):
    """Make a board and set the robot on its start."""

    do: Literal["board"]
    robot: Name
    board: Name
    difficulty: Annotated[Finite, Field(ge=0.0, le=1.0)] = 0.5
    seed: Seed = 0
    values: Annotated[dict[Name, Metres], Field(max_length=40, default_factory=dict)]
    """Parameters with values of their own [m, rad, shares]."""


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
    controller: Literal["crawl", "reactive-crawl", "trot", "quadruped"]
    seconds: Annotated[Finite, Field(gt=0.0, le=600.0)] = 300.0
    """How long it is steered [s]."""


class Wish(Message):
    """What is asked of a robot that is steered, as shares of the largest speeds."""

    do: Literal["wish"]
    forward: ShareOfLargest = 0.0
    lateral: ShareOfLargest = 0.0
    turn: ShareOfLargest = 0.0
    gait: Name | None = None
    over: bool = False
    """The robot stands, and the run ends."""


class Stop(Message):
    """Break the run off."""

    do: Literal["stop"]


_Any = Annotated[
    Choices | MakeBoard | Plan | Foothold | KeepSteps | Walk | Wish | Stop,
    Field(discriminator="do"),
]
TERRAIN: TypeAdapter[Any] = TypeAdapter(_Any)
"""All of them."""
