"""A question over one or two parameters."""

from __future__ import annotations

import os
from array import array
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Sequence

from . import _delassus, _show
from ._arrays import Array, doubles, np
from .errors import NumberError, StateError
from .report import LIMITS, QUESTIONS

Axis = tuple

ANSWERS = ("", "yes", "no", "undecided")
_NAN = float("nan")


def _values(axis: Axis) -> tuple[str, list[float]]:
    name, rest = axis[0], axis[1:]
    if len(rest) == 1:
        values = [float(value) for value in rest[0]]
    else:
        low, high, count = float(rest[0]), float(rest[1]), int(rest[2])
        if count < 2:
            raise ValueError(f"{name}: expected at least 2 values")
        values = [(low * (count - 1 - i) + high * i) / (count - 1) for i in range(count)]
    if not values:
        raise ValueError(f"{name}: no values")
    return name, values


def _place(ask: str) -> int:
    """Where the extension puts the answer; the bit that asks for it has the same number."""
    if ask in QUESTIONS:
        return QUESTIONS.index(ask)
    if ask.startswith("friction.") and ask[9:] in LIMITS:
        return len(QUESTIONS) + LIMITS.index(ask[9:])
    if ask == "solution_count":
        return len(QUESTIONS) + len(LIMITS)
    known = [*QUESTIONS, "solution_count", *("friction." + name for name in LIMITS)]
    raise ValueError(f"no question {ask!r}; there are {', '.join(known)}")


class Map:
    """Answers over a grid. `values[j][i]` belongs to x[i] and y[j]; with one axis it is `values[i]`.

    Verdicts are the numbers of `ANSWERS`: 1 yes, 2 no, 3 undecided. Not a number: there is none, such
    as where the state is not admissible; then `why[j, i]` says so.
    """

    def __init__(self, names: tuple[str, str | None], x: list[float], y: list[float] | None,
                 tables: dict[str, array], why: dict[tuple[int, int], str]) -> None:
        self.x_name, self.y_name = names
        self.x: Array = np.array(x) if np is not None else x
        self.y: Array | None = np.array(y) if np is not None and y is not None else y
        shape = (len(x),) if y is None else (len(y), len(x))
        self.tables: dict[str, Array] = {ask: doubles(table, shape) for ask, table in tables.items()}
        self.why = why

    @property
    def values(self) -> Array:
        """Of the first question."""
        return next(iter(self.tables.values()))

    def __getitem__(self, ask: str) -> Array:
        return self.tables[ask]

    def answers(self, ask: str | None = None) -> list:
        """The answers of a verdict in words, "" where there is none."""
        ask = ask or next(iter(self.tables))
        if ask not in QUESTIONS:
            raise ValueError(f"{ask} is a number, not a verdict")
        table = self.tables[ask]
        word = lambda value: ANSWERS[int(value)] if value == value else ""  # noqa: E731
        if self.y is None:
            return [word(value) for value in table]
        return [[word(table[j, i]) for i in range(len(self.x))] for j in range(len(self.y))]

    def plot(self, ask: str | None = None, axes: Any = None) -> Any:
        """By matplotlib: a curve, or colours."""
        if axes is None:
            import matplotlib.pyplot as plt

            axes = plt.gca()
        ask = ask or next(iter(self.tables))
        axes.set_xlabel(self.x_name)
        if self.y is None:
            axes.plot(self.x, self.tables[ask], label=ask)
            axes.set_ylabel(ask)
        else:
            axes.figure.colorbar(axes.pcolormesh(self.x, self.y, self.tables[ask], shading="nearest"), ax=axes, label=ask)
            axes.set_ylabel(self.y_name)
        return axes

    def _repr_html_(self) -> str:
        if self.y is None:
            return _show.curves(list(self.x), dict(self.tables), self.x_name)
        pictures = []
        for ask, table in self.tables.items():
            names = {float(k): word for k, word in enumerate(ANSWERS)} if ask in QUESTIONS else None
            rows = [[float(table[j, i]) for i in range(len(self.x))] for j in range(len(self.y))]
            pictures.append(_show.grid(rows, list(self.x), list(self.y), (self.x_name, self.y_name or ""), ask, names))
        return "\n".join(pictures)

    def __repr__(self) -> str:
        size = f"{len(self.x)}" + (f" x {len(self.y)}" if self.y is not None else "")
        return f"<Map of {', '.join(self.tables)} over {self.x_name}" + (f", {self.y_name}" if self.y_name else "") + f": {size}>"


class _Job:
    """What all points have in common."""

    def __init__(self, model: Any, axes: list, asks: list[str], at: str | None,
                 options: tuple[float, float, float, str | None, bool]) -> None:
        self.model, self.axes, self.at, self.options = model, axes, at, options
        self.places = [_place(ask) for ask in asks]
        self.bits = sum({1 << place for place in self.places})
        for name, _ in axes:
            base = name[:-1] if name.endswith("'") else name
            if name not in model.parameters and name != "t" and base not in model.velocities and name not in model.coordinates:
                raise ValueError(f"{name!r} is no parameter and no coordinate")

    def point(self, system: Any, place: Sequence[float]) -> tuple[list[float], str | None]:
        at = [self.at] if self.at else []
        try:
            for (name, _), value in zip(self.axes, place):
                if name in self.model.parameters:
                    system.set(name, repr(value))
                else:
                    at.append(f"{name} = {value!r}")
            answers = _delassus.ask(system, ", ".join(at) or None, 0.0, None, None, *self.options, self.bits)
        except (StateError, NumberError) as error:
            return [_NAN] * len(self.places), str(error)
        return [answers[place] for place in self.places], None

    def line(self, system: Any, second: float | None) -> list:
        x = self.axes[0][1]
        return [self.point(system, [value] if second is None else [value, second]) for value in x]


def make_map(model: Any, x: Axis, y: Axis | None, ask: str | Sequence[str], at: str | None, tolerance: float,
             object: str | None, project: bool, workers: int | None) -> Map:
    asks = [ask] if isinstance(ask, str) else list(ask)
    axes = [_values(axis) for axis in ([x] if y is None else [x, y])]
    options = (tolerance, tolerance, min(tolerance, 0.5), object, project)
    job = _Job(model, axes, asks, at, options)
    lines: list = [None] if y is None else axes[1][1]
    count = max(1, min(len(lines), workers or os.cpu_count() or 1))
    systems = [model._make_system() for _ in range(count)]

    def work(k: int) -> list:
        return [(j, job.line(systems[k], lines[j])) for j in range(k, len(lines), count)]

    if count == 1:
        parts = [work(0)]
    else:
        with ThreadPoolExecutor(count) as pool:
            parts = list(pool.map(work, range(count)))
    width = len(axes[0][1])
    tables = {a: array("d", bytes(8 * width * len(lines))) for a in asks}
    why: dict[tuple[int, int], str] = {}
    for j, line in (item for part in parts for item in part):
        for i, (values, reason) in enumerate(line):
            for a, value in zip(asks, values):
                tables[a][j * width + i] = value
            if reason:
                why[j, i] = reason
    return Map((axes[0][0], axes[1][0] if y is not None else None), axes[0][1],
               None if y is None else axes[1][1], tables, why)
