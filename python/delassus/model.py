"""Models: what is loaded or parsed, and everything that is asked about it."""

from __future__ import annotations

import os
import threading
from typing import Any, Iterable, Iterator, Mapping, Sequence

from . import _delassus, _show
from ._arrays import Array, copy, doubles, vector
from .mapping import Axis, Map, make_map
from .motion import Run, Stepper, make_run
from .report import Report


class State:
    """A state: configuration `q`, velocities `v` and time `t`; `q["x"]` by name."""

    def __init__(self, t: float, q: Any, v: Any, coordinates: Sequence[str], velocities: Sequence[str]) -> None:
        self.t = t
        self.q = Named(q, coordinates)
        self.v = Named(v, velocities)

    def __repr__(self) -> str:
        return f"State(t={self.t:g}, q={self.q!r}, v={self.v!r})"


class Named(Mapping):
    """Numbers by name; `array` has them all, in their order."""

    def __init__(self, array: Array, names: Sequence[str]) -> None:
        self.array = array
        self._index = {name: i for i, name in enumerate(names)}

    def __getitem__(self, name: str | int) -> float:
        return float(self.array[self._index[name] if isinstance(name, str) else name])

    def __setitem__(self, name: str | int, value: float) -> None:
        self.array[self._index[name] if isinstance(name, str) else name] = value

    def __iter__(self) -> Iterator[str]:
        return iter(self._index)

    def __len__(self) -> int:
        return len(self._index)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
        from numpy import array

        return array(self.array, dtype=dtype)

    def __repr__(self) -> str:
        return "{" + ", ".join(f"{name}: {self[name]:.6g}" for name in self) + "}"


class _Asked:
    """What models and systems of functions have in common."""

    coordinates: tuple[str, ...]
    velocities: tuple[str, ...]

    def _make_system(self) -> Any:
        raise NotImplementedError

    def _state(self, at: Any) -> State:
        raise NotImplementedError

    def _place(self, at: Any) -> tuple[str | None, float, Any, Any]:
        """What the extension takes: a text, or arrays."""
        if at is None or isinstance(at, str):
            return at, 0.0, None, None
        if isinstance(at, State):
            return None, at.t, vector(at.q.array), vector(at.v.array)
        t, q, v = at if len(at) == 3 else (0.0, *at)
        return None, float(t), vector(q), vector(v)

    def simulate(self, scheme: str = "moreau", step: float = 1e-2, until: float = 1.0, *, at: Any = None,
                 every: int = 1, energy: bool = False, strict: bool = True, **options: float) -> Run:
        """Integrates in time, through impacts, stick and slip.

        `at` is a state as for `check`. `every`: rows are kept of each so many steps. `energy`: kinetic
        and potential energy of each row. More options are those of the library: theta, gamma, rtol,
        atol, atol_velocity, max_step, facets, stabilize, tolerance, closed, rest, critical, and
        go_on=True, which goes on where the motion ceases to be determined. A motion that cannot go on
        raises MotionError, with what there is as `run`; with strict=False that is returned, and says
        why in `failure`.

        >>> import delassus as dls
        >>> m = dls.Model.parse("coordinate y = 1\\nkinetic y'^2/2\\npotential 2*y\\n"
        ...                     "unilateral floor: y >= 0 { restitution 1/2 }")
        >>> run = m.simulate(scheme="radau5", step=1e-2, until=4)
        >>> run.events[0].kind, run.events[0].contact, round(run.events[0].t, 9)
        ('impact', 'floor', 1.0)
        >>> bool(abs(run.q["y"][-1]) < 1e-9)
        True
        """
        return make_run(self, scheme, step, until, at, every, energy, strict, options)

    def stepper(self, step: float, *, scheme: str = "moreau", until: float = float("inf"), at: Any = None,
                **options: float) -> Stepper:
        """One step at a time, with forces and parameters that may change between them.

        >>> import delassus as dls
        >>> m = dls.Model.parse("coordinate x\\nkinetic x'^2/2")
        >>> for step in m.stepper(step=0.1, until=1):
        ...     step.set_force("x", 3.0)
        >>> round(step.v["x"], 6)  # the force acts from the second step on
        2.7
        """
        return Stepper(self, scheme, step, until, at, options)

    def order(self, schemes: str | Sequence[str], steps: Sequence[float], until: float, at: Any = None) -> Any:
        """Measures orders of accuracy: errors of each scheme at each step, and slopes."""
        from .order import order

        return order(self, schemes, steps, until, at)


class Model(_Asked):
    """A mechanical system with contacts, from a file: .dls, .xml (MJCF) or .urdf.

    Parameters are items, and take numbers or expressions of parameters:

    >>> import delassus as dls
    >>> m = dls.Model.parse('''# A block on a slope
    ... parameter m = 2, g = 9.81, slope = 0.2, mu = 0.6
    ... coordinate x = 0, y = 0
    ... kinetic   m/2*(x'^2 + y'^2)
    ... potential m*g*(y*cos(slope) - x*sin(slope))
    ... unilateral floor: y >= 0 { slip x'; friction mu }''')
    >>> m["slope"] = "pi/6"
    >>> round(m["slope"], 6)
    0.523599
    >>> m.check().forces["floor"]["mode"]
    'stick'
    >>> m["mu"] = 0.1
    >>> m.check().forces["floor"]["mode"]
    'slide'
    """

    def __init__(self, path: str | os.PathLike, *, packages: Mapping[str, Any] | None = None,
                 coordinates: str = "reduced") -> None:
        path = os.fspath(path)
        text = None
        if not path.endswith((".xml", ".urdf")):
            with open(path, "rb") as file:
                text = file.read()
        self._begin(text, path, path, packages, coordinates)

    @classmethod
    def parse(cls, text: str, name: str = "model", *, folder: str | os.PathLike | None = None,
              packages: Mapping[str, Any] | None = None, coordinates: str = "reduced") -> Model:
        """A model from its text. `folder`: where the files are that the text names."""
        model = cls.__new__(cls)
        path = os.path.join(os.fspath(folder), name) if folder is not None else None
        model._begin(text.encode(), path, name, packages, coordinates)
        return model

    def _begin(self, text: bytes | None, path: str | None, shown: str, packages: Mapping[str, Any] | None,
               coordinates: str) -> None:
        if coordinates not in ("reduced", "maximal"):
            raise ValueError("coordinates: expected 'reduced' or 'maximal'")
        if text is None and path and not os.path.exists(path):
            raise FileNotFoundError(2, "No such file", path)
        listed = [(name, os.fspath(folder)) for name, folder in (packages or {}).items()]
        self.name = shown
        self._model = _delassus.Model(text, path, shown, listed, coordinates == "maximal")
        about = self._model.about()
        self.title: str = about["title"]
        self.parameters: tuple[str, ...] = tuple(about["parameters"])
        self.states: tuple[str, ...] = tuple(about["states"])
        self.objects: tuple[str, ...] = tuple(about["objects"])
        self.outputs: tuple[str, ...] = tuple(about["outputs"])
        self.events: tuple[str, ...] = tuple(name for name, _, _ in about["events"])
        #: what a file says and the model leaves out or approximates: (what, how often, approximated)
        self.notes: list[tuple[str, int, bool]] = about["notes"]
        self._changed: dict[str, str] = {}
        self._native = False
        self._lock = threading.RLock()
        self._system = _delassus.System(self._model)
        self._names()

    def _names(self) -> None:
        about = self._system.about()
        self.coordinates = tuple(about["coordinates"])
        self.velocities = tuple(about["velocities"])
        #: that are always there: (name, bilateral, slips)
        self.contacts = tuple(about["contacts"])
        #: contacts of solids come and go
        self.contacts_change: bool = about["changing"]

    def _make_system(self) -> Any:
        system = _delassus.System(self._model)
        for name, value in self._changed.items():
            system.set(name, value)
        if self._native:
            system.compile()
        return system

    # ---- parameters ----------------------------------------------------------------------------

    def __getitem__(self, name: str) -> float:
        try:
            index = self.parameters.index(name)
        except ValueError:
            raise KeyError(f"no parameter {name!r}; there are {', '.join(self.parameters) or 'none'}") from None
        return self._system.parameter(index)

    def __setitem__(self, name: str, value: float | str) -> None:
        text = value if isinstance(value, str) else repr(float(value))
        with self._lock:
            self._system.set(name, text)
            self._changed[name] = repr(self[name])  # an expression has the value that it has now

    def __iter__(self) -> Iterator[str]:
        return iter(self.parameters)

    def __len__(self) -> int:
        return len(self.parameters)

    def __contains__(self, name: object) -> bool:
        return name in self.parameters

    def keys(self) -> Iterable[str]:
        return self.parameters

    def copy(self) -> Model:
        """The same model with parameters of its own; the model itself is shared."""
        other = self.__class__.__new__(self.__class__)
        other.__dict__.update(self.__dict__)
        other._changed = dict(self._changed)
        other._lock = threading.RLock()
        other._system = other._make_system()
        return other

    def compile(self) -> None:
        """Has the equations compiled by the machine's C compiler, to the same numbers."""
        with self._lock:
            self._system.compile()
        self._native = True

    # ---- questions -----------------------------------------------------------------------------

    def state(self, at: str | None = None) -> State:
        """The state that `at` means, as in `check`."""
        with self._lock:
            t, q, v = self._system.state(at)
        return State(t, doubles(q), doubles(v), self.coordinates, self.velocities)

    def _state(self, at: Any) -> State:
        if at is None or isinstance(at, str):
            return self.state(at)
        if isinstance(at, State):
            return at
        _, t, q, v = self._place(at)
        return State(t, copy(q), copy(v), self.coordinates, self.velocities)

    def check(self, at: Any = None, *, tolerance: float = 1e-9, rest: float | None = None,
              relative: float | None = None, object: str | None = None, project: bool = False,
              matrices: bool = False) -> Report:
        """Is the contact problem at a state well posed, and what are the forces?

        `at`: a state of the model, assignments such as "theta = 0.5, theta' = 1", a State, or (q, v) or
        (t, q, v). Gaps up to `tolerance`, a length, and velocities up to `rest` count as zero, and
        numbers without unit up to `relative`; left out, all are the same. `project`: moves to the
        nearest consistent state first.
        """
        self._object(object)
        text, t, q, v = self._place(at)
        with self._lock:
            data, page = _delassus.check(self._system, self.name, text, t, q, v, tolerance,
                                         tolerance if rest is None else rest,
                                         min(tolerance, 0.5) if relative is None else relative,
                                         object, project, matrices)
        return Report(data, page, self)

    def _object(self, name: str | None) -> None:
        if name is not None and name not in self.objects:
            raise ValueError(f"no object {name!r}; there are {', '.join(self.objects) or 'none'}")

    def map(self, x: Axis, y: Axis | None = None, ask: str | Sequence[str] = "solution_count", *,
            at: str | None = None, tolerance: float = 1e-9, object: str | None = None, project: bool = False,
            workers: int | None = None) -> Map:
        """A question over one or two parameters: x=("mu", 0, 2, 200), a name, both ends, how many.

        A name is a parameter, a coordinate or a velocity such as "theta'"; `values` in place of the
        ends and number: ("mu", [0.1, 0.3, 1]). Several questions at once: a list.

        >>> import delassus as dls
        >>> m = dls.Model.parse('''parameter slope = 0.5, mu = 0.3
        ... coordinate x, y
        ... kinetic (x'^2 + y'^2)/2
        ... potential y*cos(slope) - x*sin(slope)
        ... unilateral floor: y >= 0 { slip x'; friction mu }''')
        >>> grid = m.map(x=("mu", 0, 1, 5), ask="can_all_stick")
        >>> grid.answers()
        ['no', 'no', 'no', 'yes', 'yes']
        """
        self._object(object)
        return make_map(self, x, y, ask, at, tolerance, object, project, workers)

    # ---- notebooks -----------------------------------------------------------------------------

    def draw(self, at: Any = None) -> str | None:
        """The shapes of the model at a state as SVG; None where it draws nothing."""
        state = self._state(at)
        with self._lock:
            data = self._system.draw(state.t, vector(state.q.array), vector(state.v.array), self.title or None)
        return None if data is None else data.decode()

    def _repr_svg_(self) -> str | None:
        try:
            return self.draw()
        except Exception:  # a display must not fail
            return None

    def _repr_html_(self) -> str:
        rows = [(name, self[name]) for name in self.parameters]
        picture = self._repr_svg_()
        return (f"<b>{_show.html.escape(self.title or self.name)}</b>" + _show.table(("parameter", "value"), rows)
                + (picture[picture.find("<svg"):] if picture else ""))

    def __repr__(self) -> str:
        return f"<Model {self.name!r}: {len(self.velocities)} velocities, {len(self.contacts)} contacts>"


def load(path: str | os.PathLike, **options: Any) -> Model:
    """The model of a file: .dls, .xml (MJCF) or .urdf."""
    return Model(path, **options)
