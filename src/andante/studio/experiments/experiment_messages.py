"""What the page of experiments may ask."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

from andante.studio.message import FileName, Finite, Message

MOST_VALUES = 100
"""Most values by path."""
_OptionName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,40}$")]
_OptionText = Annotated[str, Field(max_length=2000)]
_Seed = Annotated[int, Field(ge=0, le=2**32 - 1)]


class ListExperiments(Message):
    """List experiments, results and runs of the workspace."""

    do: Literal["shelf"]


class LookAtExperiment(Message):
    """What an experiment asks, and what it can be asked."""

    do: Literal["look_at_experiment"]
    experiment: FileName
    """A shipped name, or a file of the workspace."""


class _Ordered(Message):
    experiment: FileName
    """A shipped name, or a file of the workspace."""
    options: Annotated[dict[_OptionName, _OptionText], Field(max_length=60, default_factory=dict)]
    """The experiment's own options, as they were typed; those that are empty are left out."""
    values: Annotated[tuple[_OptionText, ...], Field(max_length=MOST_VALUES)] = ()
    """Values by path, each as PATH=VALUE."""
    seeds: Annotated[int, Field(ge=1, le=100_000)] | None = None
    """Number of seeds; none: as the experiment says."""
    first_seed: _Seed | None = None
    """First seed; none: as the experiment says."""


class CheckExperiment(_Ordered):
    """What would be run."""

    do: Literal["check_experiment"]


class BeginExperiment(_Ordered):
    """Run an experiment in a process of its own."""

    do: Literal["begin_experiment"]
    page: bool = False
    """Also write a page with a film strip of each condition."""
    minutes: Annotated[Finite, Field(ge=0.1, le=1440.0)] = 60.0
    """Ends the run after so long [min]; what was made is kept."""


class ResumeExperiment(Message):
    """Go on with a result that was cut off."""

    do: Literal["resume_experiment"]
    result: FileName
    minutes: Annotated[Finite, Field(ge=0.1, le=1440.0)] = 60.0
    """Ends the run after so long [min]; what was made is kept."""


class CancelExperiment(Message):
    """End the run; what was made is kept."""

    do: Literal["cancel_experiment"]


class LookAtResult(Message):
    """What a result says."""

    do: Literal["look_at_result"]
    result: FileName


class CompareResults(Message):
    """Compare two results, or two runs."""

    do: Literal["compare_results"]
    first: FileName
    second: FileName


EXPERIMENTS: TypeAdapter[Any] = TypeAdapter(
    Annotated[
        ListExperiments
        | LookAtExperiment
        | CheckExperiment
        | BeginExperiment
        | ResumeExperiment
        | CancelExperiment
        | LookAtResult
        | CompareResults,
        Field(discriminator="do"),
    ]
)
"""All of them."""
