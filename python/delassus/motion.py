"""Motions: whole runs as arrays, and one step at a time."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import Any, Iterator, Mapping, Sequence

from . import _delassus, _show
from ._arrays import Array, column, doubles, np
from .errors import MotionError

STATUS = ("open", "separating", "impacting", "sliding", "sticking")


@dataclass
class Event:
    """What happened between two smooth pieces, by schemes that locate it."""

    #: "impact", "touch", "take-off", "stick", "slip", "switch", or "crossing" of an event of the model
    kind: str
    #: of the contact that gave rise to it, or of the model's event; None: a force switches
    contact: str | None
    t: float
    #: of a crossing: 1 it rose, -1 it fell
    direction: int
    #: False: interpolated in the step
    located: bool
    q: Array
    v_before: Array
    v_after: Array
    #: of all contacts, normal first; empty where contacts come and go
    impulse: Array


def _events(items: list) -> list[Event]:
    return [Event(*item[:5], *(doubles(numbers) for numbers in item[5:])) for item in items]


class Columns(Mapping):
    """Columns of a table by name; `array` is the table, a row for each time."""

    def __init__(self, buffer: Any, names: Sequence[str], rows: int) -> None:
        self.array = doubles(buffer, (rows, len(names))) if names else doubles(buffer)
        self._index = {name: i for i, name in enumerate(names)}

    def __getitem__(self, name: str) -> Array:
        return column(self.array, self._index[name], len(self._index))

    def __iter__(self) -> Iterator[str]:
        return iter(self._index)

    def __len__(self) -> int:
        return len(self._index)


class ContactRun:
    """What a contact did: for each row its impulses since the row before, and its status.

    Impulses, because they are known of forces and percussions alike; `force` is what they are per
    time, where no percussion is among them.
    """

    def __init__(self, name: str, t: Array, normal: Array, tangential: tuple, status: Sequence[int]) -> None:
        self.name = name
        self.normal = normal
        self.tangential = tangential
        self.status = [STATUS[s] if s < len(STATUS) else "absent" for s in status]
        self._t = t

    @property
    def force(self) -> Array:
        """Mean normal force since the row before; not a number in the first row."""
        t, p = self._t, self.normal
        mean = [float("nan")] + [p[k] / (t[k] - t[k - 1]) if t[k] > t[k - 1] else float("nan")
                                 for k in range(1, len(t))]
        return np.array(mean) if np is not None else array("d", mean)


class Run:
    """A motion: `t`, `q["x"]`, `v["x"]`, `contacts["floor"].normal`, `outputs`, `events`."""

    def __init__(self, model: Any, scheme: str, integrator: Any, ended: Any) -> None:
        data = integrator.collected()
        self.model = model
        self.scheme = scheme
        self.t = doubles(data["t"])
        rows = len(self.t)
        self.q = Columns(data["q"], model.coordinates, rows)
        self.v = Columns(data["v"], model.velocities, rows)
        outputs = model.outputs if len(data["outputs"]) else ()
        self.outputs = Columns(data["outputs"], outputs, rows)
        self.energy = Columns(data["energy"], ("kinetic", "potential") if len(data["energy"]) else (), rows)
        self.events = _events(integrator.events())
        #: steps, evaluations, worst residual, where the motion ceased to be determined, ...
        self.counts: dict[str, Any] = integrator.counts()
        #: why it could not go on, and what the library says about it; None: it reached the end
        self.failure: str | None = f"{ended[0]}: {ended[1]}" if ended else None
        #: an event of the model ended it
        self.stopped: bool = data["stopped"]
        self._data = data
        self._contacts: dict[str, ContactRun] | None = None

    @property
    def contacts(self) -> dict[str, ContactRun]:
        """By name. Contacts of solids come and go: where one was not there its status is "absent"."""
        if self._contacts is None:
            self._contacts = self._sort_contacts()
        return self._contacts

    def _sort_contacts(self) -> dict[str, ContactRun]:
        data, rows = self._data, len(self.t)
        counts = memoryview(data["count"]).cast("i")
        impulses, status = memoryview(data["impulse"]).cast("d"), data["status"]
        fixed = [name for name, _, _ in self.model.contacts]
        names = data["names"] or fixed * rows
        tables: dict[str, tuple] = {}
        entry = 0
        for k in range(rows):
            for _ in range(counts[k]):
                name = names[entry]
                if name not in tables:
                    tables[name] = tuple(array("d", bytes(8 * rows)) for _ in range(3)) + (bytearray(b"\xff" * rows),)
                for part in range(3):
                    tables[name][part][k] = impulses[3 * entry + part]
                tables[name][3][k] = status[entry]
                entry += 1
        as_array = (lambda a: np.frombuffer(a)) if np is not None else memoryview
        return {name: ContactRun(name, self.t, as_array(n), (as_array(t1), as_array(t2)), s)
                for name, (n, t1, t2, s) in tables.items()}

    @property
    def final(self) -> Any:
        """The last state, to go on from: `model.check(at=run.final)`."""
        from .model import State

        n, nv = len(self.q), len(self.v)
        last = len(self.t) - 1
        q = [float(self.q[name][last]) for name in self.q]
        v = [float(self.v[name][last]) for name in self.v]
        assert len(q) == n and len(v) == nv
        return State(float(self.t[last]), array("d", q), array("d", v), self.model.coordinates, self.model.velocities)

    def to_xarray(self) -> Any:
        """A dataset of xarray, if that is installed."""
        import xarray

        columns = {name: ("t", self.q[name]) for name in self.q}
        columns |= {name + "'": ("t", self.v[name]) for name in self.v}
        columns |= {name: ("t", self.outputs[name]) for name in self.outputs}
        for name, contact in self.contacts.items():
            columns[name + ".impulse_n"] = ("t", contact.normal)
        return xarray.Dataset(columns, {"t": self.t}, {"scheme": self.scheme})

    def plot(self, *names: str, axes: Any = None) -> Any:
        """Coordinates and outputs over time, by matplotlib."""
        if axes is None:
            import matplotlib.pyplot as plt

            axes = plt.gca()
        for name in names or (*self.q, *self.outputs):
            axes.plot(self.t, self._column(name), label=name)
        axes.set_xlabel("t")
        axes.legend()
        return axes

    def _column(self, name: str) -> Array:
        for table in (self.q, self.outputs):
            if name in table:
                return table[name]
        if name.endswith("'") and name[:-1] in self.v:
            return self.v[name[:-1]]
        raise KeyError(name)

    def __len__(self) -> int:
        return len(self.t)

    def _repr_html_(self) -> str:
        shown = [*self.q, *self.outputs][:7]
        rows = [(key, value) for key, value in self.counts.items() if isinstance(value, (int, float)) and value]
        return _show.curves(self.t, {name: self._column(name) for name in shown}, "t") + _show.table(("", ""), rows)

    def __repr__(self) -> str:
        end = self.failure or ("an event of the model" if self.stopped else "the end")
        return f"<Run by {self.scheme}: {len(self.t)} rows to t = {float(self.t[-1]):g}, {len(self.events)} events; {end}>"


def _begin(model: Any, scheme: str, step: float, at: Any, options: dict, forces: bool) -> Any:
    state = model._state(at)
    return _delassus.Integrator(model._make_system(), scheme, {"step": step, **options}, state.t,
                                doubles_of(state.q.array), doubles_of(state.v.array), forces, True)


def doubles_of(values: Any) -> Any:
    from ._arrays import vector

    return vector(values)


def make_run(model: Any, scheme: str, step: float, until: float, at: Any, every: int, energy: bool,
             strict: bool, options: dict) -> Run:
    if every < 1:
        raise ValueError("every: expected 1 or more")
    integrator = _begin(model, scheme, step, at, options, False)
    ended = integrator.run(until, every, energy)
    run = Run(model, scheme, integrator, ended)
    if ended and strict:
        error = MotionError(f"at t = {float(run.t[-1]):g}: {run.failure}")
        error.run = run
        raise error
    return run


class Contact:
    """A contact in the last step: impulses, normal first, and status."""

    __slots__ = ("name", "impulse", "status")

    def __init__(self, name: str, impulse: Sequence[float], status: str) -> None:
        self.name, self.impulse, self.status = name, impulse, status

    @property
    def normal(self) -> float:
        return self.impulse[0]

    def __repr__(self) -> str:
        return f"<{self.name}: {self.status}, {self.normal:.6g}>"


class Stepper:
    """An iterator over steps; it is also the step: `t`, `q["x"]`, `v["x"]`, `contacts`.

    >>> import delassus as dls
    >>> m = dls.Model.parse("parameter push = 0\\ncoordinate x\\nkinetic x'^2/2\\nforce x = push")
    >>> stepper = m.stepper(step=0.01)
    >>> stepper["push"] = 2
    >>> stepper.step().t
    0.01
    >>> round(stepper.v["x"], 9)
    0.02
    """

    def __init__(self, model: Any, scheme: str, step: float, until: float, at: Any, options: dict) -> None:
        self.model = model
        self.until = until
        self._integrator = _begin(model, scheme, step, at, options, True)
        self._velocity = {name: i for i, name in enumerate(model.velocities)}
        self._sample: tuple | None = None

    def __iter__(self) -> Stepper:
        return self

    def __next__(self) -> Stepper:
        if self.t >= self.until:
            raise StopIteration
        return self.step()

    def step(self) -> Stepper:
        """Makes a step; MotionError where the motion cannot go on."""
        ended = self._integrator.step(self.until)
        self._sample = None
        if ended:
            raise MotionError(f"at t = {self.t:g}: {ended[0]}: {ended[1]}")
        return self

    def _now(self) -> tuple:
        if self._sample is None:
            self._sample = self._integrator.sample()
        return self._sample

    @property
    def t(self) -> float:
        return self._integrator.time()

    @property
    def next_step(self) -> float:
        """The length that the next step will try."""
        return self._now()[1]

    @property
    def q(self) -> Any:
        from .model import Named

        return Named(doubles(self._now()[2]), self.model.coordinates)

    @property
    def v(self) -> Any:
        from .model import Named

        return Named(doubles(self._now()[3]), self.model.velocities)

    @property
    def contacts(self) -> dict[str, Contact]:
        """Those of this step, by name."""
        _, _, _, _, impulse, status, first, names = self._now()
        values = list(memoryview(impulse).cast("d"))
        fixed = self.model.contacts
        names = names if names is not None else [name for name, _, _ in fixed]
        starts = memoryview(first).cast("i") if first is not None else None
        contacts, at = {}, 0
        for j, name in enumerate(names):
            size = 1 + (starts[j + 1] - starts[j] if starts is not None else fixed[j][2])
            contacts[name] = Contact(name, values[at:at + size], STATUS[status[j]])
            at += size
        return contacts

    @property
    def energy(self) -> tuple[float, float]:
        """Kinetic and potential energy."""
        return self._integrator.energy()

    @property
    def state(self) -> Any:
        """A copy of the state, as `at` takes it."""
        from .model import State

        now = self._integrator.sample()
        return State(now[0], doubles(now[2]), doubles(now[3]), self.model.coordinates, self.model.velocities)

    @property
    def counts(self) -> dict[str, Any]:
        return self._integrator.counts()

    def take_events(self) -> list[Event]:
        """Those since the last call, by schemes that locate them."""
        return _events(self._integrator.events())

    def set_force(self, velocity: str, value: float) -> None:
        """A force on a coordinate, in addition to those of the model, until it is set again.

        Not on the rotation of balls and free bodies, whose velocities are no derivatives of coordinates.
        """
        if velocity not in self._velocity:
            raise KeyError(f"no velocity {velocity!r}; there are {', '.join(self._velocity)}")
        if velocity not in self.model.coordinates:
            raise ValueError(f"{velocity!r} is not the derivative of a coordinate")
        self._integrator.force(self._velocity[velocity], value)
        self._sample = None

    def __setitem__(self, parameter: str, value: float | str) -> None:
        """A parameter of the model, controls of actuators among them, from the next step on."""
        self._integrator.set(parameter, value if isinstance(value, str) else repr(float(value)))
        self._sample = None

    set = __setitem__

    def __repr__(self) -> str:
        return f"<Stepper at t = {self.t:g}>"


#: (name, summary, order, locates events, chooses its steps)
SCHEMES = tuple(_delassus.Integrator.schemes())
