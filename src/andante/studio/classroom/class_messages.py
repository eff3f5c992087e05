"""What a page of a class may ask besides what every page of the studio may."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

from andante.studio.message import Message, Name
from andante.studio.messages import StudioMessage


class OpenLesson(Message):
    """Open the document of a lesson, made where it was never opened."""

    do: Literal["lesson"]
    lesson: Name


class BeginAgain(Message):
    """Put back what the open lesson's document began with, as an edit that can be undone."""

    do: Literal["begin_again"]


class RaiseHand(Message):
    """Ask for the lecturer, or no more."""

    do: Literal["hand"]
    up: bool


ClassMessage = OpenLesson | BeginAgain | RaiseHand
CLASS_MESSAGES: TypeAdapter[Any] = TypeAdapter(Annotated[StudioMessage | ClassMessage, Field(discriminator="do")])
"""All that a student's page may ask."""
