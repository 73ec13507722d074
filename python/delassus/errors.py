"""What goes wrong with a call. What the mathematics says is never an exception: that no solution
exists is a result.

>>> import delassus as dls
>>> try:
...     dls.Model.parse("coordinate x\\nkinetic x'^2/2\\npotential 9.81*z")
... except dls.ModelError as error:
...     print(error.line, error.column)
...     print(error)  # doctest: +ELLIPSIS
3 16
model:3:16: ...
"""

from __future__ import annotations

from typing import Any, Sequence


class Error(Exception):
    """Every error of this package that is not one of Python's own."""

    status = 0


class ArgumentError(Error, ValueError):
    """An argument of the call is not valid."""

    status = 1


class FileError(Error, OSError):
    """A file could not be read or written."""

    status = 3


class ModelError(Error, ValueError):
    """A model has errors. `str` is the message with the line and a caret below the place."""

    status = 4
    file: str | None = None
    line: int | None = None
    column: int | None = None
    #: what is wrong and what was expected, of the first place
    reason: str = ""
    #: what to do, such as the nearest known name; may be empty
    hint: str = ""
    #: all of them: (line, column, length, message, hint)
    places: Sequence[tuple[int, int, int, str, str]] = ()


class StateError(Error, ValueError):
    """The state is not admissible: a constraint does not hold, or a contact penetrates."""

    status = 5


class NumberError(Error, ArithmeticError):
    """A number is not finite."""

    status = 6


class LimitError(Error):
    """The input is larger than the library accepts."""

    status = 7


class SolverError(Error):
    """A numerical library failed."""

    status = 8


class Stopped(Error):
    """Stopped from outside."""

    status = 9


class MotionError(Error):
    """A motion cannot go on; what was computed up to there is in `run`, where there is one."""

    run: Any = None


class RequirementError(Error, AssertionError):
    """An answer is not the one that was required."""


class NotDifferentiable(Error, ArithmeticError):
    """The solution has no derivative, or none that is known: `contact` is at a corner of its law."""

    contact: int | None = None


_CLASSES = {c.status: c for c in (ArgumentError, FileError, ModelError, StateError, NumberError,
                                  LimitError, SolverError, Stopped)}


def make(status: int, message: str, file: str | None, places: list | None) -> Error:
    """The exception of a status of the library; called by the extension."""
    error = _CLASSES.get(status, Error)(message.rstrip("\n"))
    if isinstance(error, ModelError):
        _place(error, message, file, places)
    return error


def _place(error: ModelError, message: str, file: str | None, places: list | None) -> None:
    error.file = file
    if places:
        error.places = tuple(places)
        error.line, error.column, _, error.reason, error.hint = places[0]
        return
    first = message.split("\n", 1)[0]  # files of others: the message begins with file:line:column
    parts = first.split(":", 3)
    if len(parts) == 4 and parts[1].strip().isdigit() and parts[2].strip().isdigit():
        error.file, error.line, error.column = parts[0], int(parts[1]), int(parts[2])
        error.reason = parts[3].strip()
