"""Ctrl-C is one message, wherever it strikes."""

from __future__ import annotations

import pytest
import typer
from pydantic import BaseModel, field_serializer

from andante.cli.output import command, interrupted, refuse


class Struck(BaseModel):
    value: float = 1.0

    @field_serializer("value")
    def strike(self, value: float) -> float:
        raise KeyboardInterrupt


def plainly() -> None:
    raise KeyboardInterrupt


def within_compiled_code() -> None:
    Struck().model_dump()


def while_an_error_is_handled() -> None:
    try:
        plainly()
    except KeyboardInterrupt:
        raise ValueError("half done")  # noqa: B904


@pytest.mark.parametrize("struck", [plainly, within_compiled_code, while_an_error_is_handled])
def test_an_interrupt_is_one_message_wherever_it_strikes(struck, capsys):
    with pytest.raises(typer.Exit) as left:
        command(struck)()
    assert left.value.exit_code == 2
    assert capsys.readouterr().err == "andante: interrupted\n"


def test_what_has_been_told_of_an_interrupt_is_not_told_again(capsys):
    @command
    def tells_itself() -> None:
        try:
            plainly()
        except KeyboardInterrupt:
            refuse("interrupted; 3 results are kept", False)

    with pytest.raises(typer.Exit):
        tells_itself()
    assert capsys.readouterr().err == "andante: interrupted; 3 results are kept\n"


def test_other_errors_are_not_interrupts():
    with pytest.raises(ZeroDivisionError) as raised:
        command(lambda: 1 / 0)()
    assert not interrupted(raised.value)
    assert not interrupted(None)
