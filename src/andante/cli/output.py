"""How every command talks: text for people, one JSON object for programs, one message and an exit code for errors."""

from __future__ import annotations

import contextlib
import copy
import ctypes
import functools
import inspect
import io
import json
import os
import re
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import IntEnum
from pathlib import Path
from typing import Annotated, Any, NoReturn, TextIO, cast, get_args, get_origin

import typer

from andante.cli.interrupts import heard, hides_request, interrupted, raise_swallowed
from andante.errors import AndanteError, ProcessTerminated, middle_out

Natural = Annotated[int, typer.Option(min=0)]
"""An option that counts from zero, such as a seed."""
Switch = Annotated[bool, typer.Option()]
"""An option with its opposite, such as ``--video`` and ``--no-video``."""
Several = list[str] | None
"""An option that may be repeated."""
_ANSWERS: list[TextIO | None] = []
"""Where the command that runs answers with JSON; None: it answers with lines."""
_STREAMS: deque[TextIO] = deque(maxlen=8)
"""What `print` wrote to in the last commands.

Python's ``print`` does not hold the stream it writes to: one that goes with its command, while a thread of others
writes to it, is a crash in compiled code (CPython gh-130163).
"""
_LAST = threading.Event()
"""Set where the process ends with the command that runs, see `nothing_follows`."""
_JSON = inspect.Parameter(
    "as_json",
    inspect.Parameter.KEYWORD_ONLY,
    default=False,
    annotation=Annotated[bool, typer.Option("--json", help="Print one JSON object.")],
)
"""Whether a command prints one JSON object in place of lines for people."""
_OUTPUT, _ERRORS = 1, 2
"""Numbers of the process's standard output and of where errors go."""
_ARGUMENT = re.compile(r"^ {4}(\w+): (.+(?:\n {8,}.+)*)", re.MULTILINE)
_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters but line feed and tab, marks that turn the direction of text, and halves of characters."""


class Exit(IntEnum):
    """Exit codes of all commands."""

    GOOD = 0
    """Done; verdict or check passed."""
    FAILED = 1
    """The verdict or a check failed."""
    BAD_INPUT = 2
    """The input cannot be used; one message says why."""


class Commands(typer.Typer):
    """A group of commands, each made of a function by `command`."""

    def add(self, name: str, json: bool = True, **how: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:
        """Make a command of a function and add it.

        Args:
            name: Its name.
            json: Whether it has the option ``--json``.
            how: What typer takes.
        """
        return lambda function: self.command(name, **how)(command(function, json))


def command(function: Callable[..., None], with_json: bool = True) -> Callable[..., None]:
    """Make a command of a function: its docstring's part ``Args`` says what options and arguments mean.

    What it prints is shown with `shown`; its expected errors become one message and exit code 2. By the option
    ``--json``, which it has beside its own, `answer` prints one JSON object; without it a command answers people alone.
    """

    @functools.wraps(function)
    def wrapped(*args: Any, as_json: bool = False, **kwargs: Any) -> None:
        with heard(), _alone(as_json) as stream:
            screen = cast("TextIO", _Shown(stream))
            _ANSWERS.append(screen if as_json else None)
            others = cast("TextIO", _Shown(sys.stderr)) if as_json else screen
            _STREAMS.append(others)
            try:
                try:
                    with contextlib.redirect_stdout(others):
                        function(*args, **kwargs)
                    raise_swallowed()
                finally:
                    # Whoever reads may have closed the pipe; that must not come up only when the process ends.
                    screen.flush()
            except (typer.Exit, ProcessTerminated):
                raise
            except AndanteError as error:
                refuse("interrupted" if hides_request(error) else str(error))
            except OSError as error:
                place = f"{middle_out(str(error.filename))}: " if error.filename else ""
                refuse(f"{place}{error.strerror or error}")
            except SystemExit as error:
                # Commands end by `typer.Exit`: this is code of others, which must not pass for a good end.
                from andante.plugins.raised import described

                refuse(f"code that was run wants to end the program: {described(error)}")
            except BaseException as error:
                if not interrupted(error):
                    raise
                refuse("interrupted")
            finally:
                _ANSWERS.pop()
                _finish(screen)

    text, _, arguments = (inspect.getdoc(function) or "").partition("\n\nArgs:\n")
    told = {name: " ".join(words.split()) for name, words in reversed(_ARGUMENT.findall(arguments))}
    signature = inspect.signature(function, eval_str=True)
    parameters = [_parameter(each, told.get(each.name)) for each in signature.parameters.values()]
    parameters += [_JSON] if with_json else []
    wrapped.__doc__ = text
    wrapped.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    wrapped.__annotations__ = {each.name: each.annotation for each in parameters}
    return wrapped


def _parameter(given: inspect.Parameter, words: str | None) -> inspect.Parameter:
    """A parameter as typer takes it, with its help; one without a default is an argument, a bool a switch."""
    kind, *marks = get_args(given.annotation) if get_origin(given.annotation) is Annotated else (given.annotation,)
    if marks:
        mark = copy.copy(marks[0])
    elif given.default is inspect.Parameter.empty:
        mark = typer.Argument()
    else:
        mark = typer.Option(*([f"--{given.name.replace('_', '-')}"] if kind is bool else []))
    mark.help = mark.help or words
    return given.replace(annotation=Annotated[kind, mark])


def _finish(stream: TextIO) -> None:
    """Write what is not written yet; what cannot be is not tried again when the process ends."""
    try:
        stream.flush()
    except OSError:
        with contextlib.suppress(OSError, ValueError):
            to_nowhere(stream.fileno())


def shown(text: str) -> str:
    """Text with everything escaped that steers a terminal: names come from files, and files from anybody."""
    return _STEERING.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


class _Shown:
    """A stream to which all text is written as `shown`."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        try:
            self._stream.write(shown(text))
        except BrokenPipeError:
            # Nobody reads any more (`| head`): what the command writes into files must not be lost for that.
            to_nowhere(self._stream.fileno())
        return len(text)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except BrokenPipeError:
            to_nowhere(self._stream.fileno())

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextlib.contextmanager
def _alone(as_json: bool) -> Iterator[TextIO]:
    """Standard output, to which nobody else writes where a JSON object is asked for.

    Code of others may print whatever it likes, also past Python and in worker processes: it must not come between a
    program and its JSON object, and goes where errors go.
    """
    try:
        own = as_json and sys.stdout.fileno() == _OUTPUT
        kept = os.dup(_OUTPUT) if own else -1
    except (OSError, ValueError, AttributeError):
        kept = -1
    if kept < 0:
        # No standard output: a service. What is answered goes nowhere.
        yield sys.stdout or io.StringIO()
        return
    sys.stdout.flush()
    with os.fdopen(kept, "w", encoding=sys.stdout.encoding, errors=sys.stdout.errors) as stream:
        try:
            os.dup2(_ERRORS, _OUTPUT)
            yield stream
        finally:
            # What is not written yet, of Python's own stream and of C, would come out behind the object.
            with contextlib.suppress(AttributeError, TypeError, OSError):
                cast("TextIO", sys.__stdout__).flush()
                ctypes.CDLL(None).fflush(None)
            if not _LAST.is_set():
                os.dup2(kept, _OUTPUT)


def nothing_follows() -> None:
    """The command that is begun now ends the process: behind its JSON object nothing reaches standard output.

    Threads that code of others has left running print whenever they like.
    """
    _LAST.set()


def to_nowhere(file: int) -> None:
    """Let what is written to an open file go nowhere from now on."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, file)
    os.close(nowhere)


def asks_json() -> bool:
    """Whether the command that runs prints one JSON object in place of lines for people."""
    return bool(_ANSWERS) and _ANSWERS[-1] is not None


def refuse(message: str, as_json: bool | None = None) -> NoReturn:
    """Say why the input cannot be used, also as one JSON object where the command is asked for it; exit code 2."""
    if asks_json() if as_json is None else as_json:
        with contextlib.suppress(OSError):
            # Where nothing can be written the message below is all that is told.
            emit({"error": message})
    print(f"andante: {shown(message)}", file=sys.stderr)
    raise typer.Exit(Exit.BAD_INPUT)


def answer(data: Mapping[str, Any], lines: Iterable[object], good: bool = True, *, flush: bool = False) -> None:
    """Print one JSON object for programs, or lines for people; leave with exit code 1 where the verdict is not good.

    Args:
        data: The object.
        lines: The lines.
        good: Whether the verdict is good, or there is none.
        flush: See at once whether it can be printed, not only when the command ends.

    Raises:
        OSError: It cannot.
    """
    if asks_json():
        emit(data)
    else:
        for line in lines:
            print(line)
    if flush:
        stream = _ANSWERS[-1] if _ANSWERS and _ANSWERS[-1] is not None else sys.stdout
        try:
            stream.flush()
        except OSError:
            # What could not be printed is not tried again when the command ends: it would be told twice.
            with contextlib.suppress(OSError, ValueError):
                to_nowhere(stream.fileno())
            raise
    leave_by(good)


def leave_by(good: bool) -> None:
    """Leave with exit code 1 where the verdict is not good."""
    if not good:
        raise typer.Exit(Exit.FAILED)


def write_json(path: Path | None, data: Mapping[str, Any]) -> None:
    """Write one JSON object into a file, where one is asked for."""
    if path is not None:
        from andante.documents.files import write_text

        write_text(path, _json_text(data) + "\n", follow=False)


def _json_text(data: Mapping[str, Any], default: Callable[[object], str] | None = None) -> str:
    from andante.documents.json_data import finite_data

    return json.dumps(finite_data(data), indent=2, allow_nan=False, default=default)


def emit(data: Mapping[str, Any]) -> None:
    """Print one JSON object on standard output."""
    print(_json_text(data, default=str), file=_ANSWERS[-1] if _ANSWERS else None)
