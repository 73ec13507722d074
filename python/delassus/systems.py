"""Models of one's own: the equations of motion as Python functions, for prototypes."""

from __future__ import annotations

from array import array
from typing import Any, NamedTuple, Sequence

from . import _delassus
from ._arrays import copy, doubles, vector
from .model import State, _Asked
from .report import Report


class ContactInfo(NamedTuple):
    """A contact of a system of functions: slips 0 (frictionless), 1 (planar) or 2 (in space)."""

    name: str
    bilateral: bool = False
    slips: int = 0


class System(_Asked):
    """M v' + F = G lambda + H tau, with functions of (t, q, v) that a subclass defines.

    Only `mass` and `force` must be there. Of contacts: `gap` gives h, `gradient` a row dh/dq for each,
    `gap_drift` b_n in h'' = G' v' + b_n (0 where gradients are constant), `gap_velocity` h' (the gradients
    times v, where they are steady); `slip` slip velocities, `slip_gradient` a row for each,
    `slip_drift` b_t; `friction` and `restitution` a number for each contact. F stands on the left side:
    what pulls down has F > 0 for a coordinate that points upwards.

    What a function raises ends the call with that exception. Implicit schemes, which need derivatives,
    are not for such systems; moreau, schatzman-paoli and the half-explicit ones are.

    >>> import delassus as dls
    >>> class Ball(dls.System):
    ...     coordinates = ("y",)
    ...     contacts = (dls.ContactInfo("floor"),)
    ...     def mass(self, t, q, v): return [[2.0]]
    ...     def force(self, t, q, v): return [2.0 * 9.81]
    ...     def gap(self, t, q, v): return [q[0]]
    ...     def gradient(self, t, q, v): return [[1.0]]
    >>> round(Ball().check(at=([0.0], [0.0])).forces["floor"]["normal"], 9)
    19.62
    """

    coordinates: tuple[str, ...] = ()
    contacts: tuple[ContactInfo, ...] = ()
    outputs: tuple[str, ...] = ()
    contacts_change = False
    #: the state without `at`: zeros where there is none
    start: tuple | None = None

    def mass(self, t: float, q: Any, v: Any) -> Any:
        raise NotImplementedError("a system has a mass matrix: mass(t, q, v)")

    def force(self, t: float, q: Any, v: Any) -> Any:
        raise NotImplementedError("a system has forces: force(t, q, v)")

    def gap(self, t: float, q: Any, v: Any) -> Sequence[float]:
        raise NotImplementedError("a system with contacts has gaps: gap(t, q, v)")

    def gradient(self, t: float, q: Any, v: Any) -> Any:
        raise NotImplementedError("a system with contacts has gradients: gradient(t, q, v)")

    def gap_velocity(self, t: float, q: Any, v: Any) -> Sequence[float] | None:
        return None

    def gap_drift(self, t: float, q: Any, v: Any) -> Sequence[float]:
        return [0.0] * len(self.contacts)

    def slip(self, t: float, q: Any, v: Any) -> Sequence[float] | None:
        return None

    def slip_gradient(self, t: float, q: Any, v: Any) -> Any:
        raise NotImplementedError("a system with slips has their gradients: slip_gradient(t, q, v)")

    def slip_drift(self, t: float, q: Any, v: Any) -> Sequence[float]:
        return [0.0] * self._slips()

    def friction(self, t: float, q: Any, v: Any) -> Sequence[float]:
        return [0.0] * len(self.contacts)

    def restitution(self, t: float, q: Any, v: Any) -> Sequence[float]:
        return [0.0] * len(self.contacts)

    # ---- as the library wants it ---------------------------------------------------------------

    @property
    def velocities(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(self.coordinates)

    def _slips(self) -> int:
        return sum(contact[2] for contact in self._contacts())

    def _contacts(self) -> list[tuple]:
        return [tuple(ContactInfo(*contact)) for contact in self.contacts]

    def _evaluate(self, t: float, q: bytearray, v: bytearray) -> array:
        q, v = doubles(q), doubles(v)
        n, m, k = len(self.coordinates), len(self.contacts), self._slips()
        out = array("d")
        mass = _table(self.mass(t, q, v), n, n, "mass")
        out.extend(mass[i][j] for j in range(n) for i in range(n))
        out.extend(_row(self.force(t, q, v), n, "force"))
        gaps = _row(self.gap(t, q, v), m, "gap") if m else []
        gradients = _table(self.gradient(t, q, v), m, n, "gradient") if m else []
        velocity = self.gap_velocity(t, q, v) if m else []
        out.extend(gaps)
        out.extend(_row(velocity, m, "gap_velocity") if velocity is not None else _times(gradients, v))
        for row in gradients:
            out.extend(row)
        out.extend(_row(self.gap_drift(t, q, v), m, "gap_drift"))
        slips = _table(self.slip_gradient(t, q, v), k, n, "slip_gradient") if k else []
        slip = self.slip(t, q, v) if k else []
        out.extend(_row(slip, k, "slip") if slip is not None else _times(slips, v))
        for row in slips:
            out.extend(row)
        out.extend(_row(self.slip_drift(t, q, v), k, "slip_drift"))
        out.extend(_row(self.friction(t, q, v), m, "friction"))
        out.extend(_row(self.restitution(t, q, v), m, "restitution"))
        return out

    def _make_system(self) -> Any:
        names = tuple(str(name) for name in self.coordinates)
        return _delassus.System((names, tuple(self._contacts()), self._evaluate))

    def _state(self, at: Any) -> State:
        n = len(self.coordinates)
        if isinstance(at, str):
            raise ValueError("the state of a system of functions is a State, (q, v) or (t, q, v)")
        if isinstance(at, State):
            return at
        at = at if at is not None else self.start if self.start is not None else ([0.0] * n, [0.0] * n)
        _, t, q, v = self._place(at)
        return State(t, copy(q), copy(v), self.coordinates, self.coordinates)

    def check(self, at: Any = None, *, tolerance: float = 1e-9, rest: float | None = None,
              relative: float | None = None, project: bool = False, matrices: bool = False) -> Report:
        """Is the contact problem at a state well posed, and what are the forces? As of a Model."""
        state = self._state(at)
        data, page = _delassus.check(self._make_system(), type(self).__name__, None, state.t, vector(state.q.array),
                                     vector(state.v.array), tolerance, tolerance if rest is None else rest,
                                     min(tolerance, 0.5) if relative is None else relative, None, project, matrices)
        return Report(data, page, None)


def _row(values: Any, count: int, name: str) -> list[float]:
    row = [float(value) for value in values]
    if len(row) != count:
        raise ValueError(f"{name} gives {len(row)} numbers, expected {count}")
    return row


def _table(values: Any, rows: int, cols: int, name: str) -> list[list[float]]:
    table = [_row(row, cols, name) for row in values]
    if len(table) != rows:
        raise ValueError(f"{name} gives {len(table)} rows, expected {rows}")
    return table


def _times(rows: list[list[float]], v: Any) -> list[float]:
    return [sum(a * float(b) for a, b in zip(row, v)) for row in rows]
