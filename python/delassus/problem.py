"""One-step problems with Coulomb friction, and linear complementarity problems."""

from __future__ import annotations

import os
from array import array
from typing import Any, NamedTuple, Sequence

from . import _delassus, _show
from ._arrays import Array, compressed, copy, doubles, np, vector, zeros

LAWS = ("cone", "equation", "unilateral", "bilateral cone", "sliding", "bilateral sliding", "bounded friction",
        "bilateral bounded")


class Sample(NamedTuple):
    """A point of the history of a solver."""

    iteration: int
    seconds: float
    error: float
    solver: str


class Solution:
    """Impulses `r`, velocities `u`, and what they are worth.

    `converged` says that `error`, recomputed from the data, is within the tolerance; nothing else does.
    """

    def __init__(self, problem: Problem, r: Array, u: Array, v: Array | None, told: tuple) -> None:
        self.problem = problem
        self.r, self.u, self.v = r, u, v
        self.converged: bool = told[0]
        #: without units: the largest of `errors` that count
        self.error: float = told[1]
        #: why the solver stopped
        self.stopped: str = told[2]
        self.solver: str = told[3]
        self.iterations: int = told[4]
        self.seconds: float = told[5]
        #: by all measures; see delassus/incremental.h
        self.errors: dict[str, float] = told[6]
        self.history = [Sample(*item) for item in told[7]]

    def derivative(self, **changes: Any) -> Any:
        """(dr, du) for changes dq, dmu, dW of the data (in global form df, dw, dmu), at a solution that is
        strictly complementary.

        NotDifferentiable, with the number of the contact, where one is at a corner of its law.

        >>> import delassus as dls
        >>> p = dls.Problem(W=[[1, 0], [0, 1]], q=[-1, 0.8], mu=[0.5])
        >>> s = p.solve(tol=1e-12)
        >>> dr, du = s.derivative(dmu=[1])
        >>> [round(float(x), 6) for x in dr]  # it slides: r_T = -mu r_N
        [0.0, -1.0]
        """
        from .gradient import Derivative

        return Derivative(self).forward(**changes)

    def gradient(self, dr: Any = None, du: Any = None) -> dict[str, Array]:
        """The adjoint of `derivative`: with the derivatives of a number by r and u, those by q, mu and W (in global form by f, w
        and mu).

        >>> import delassus as dls
        >>> p = dls.Problem(W=[[1, 0], [0, 1]], q=[-1, 0.8], mu=[0.5])
        >>> g = p.solve(tol=1e-12).gradient(dr=[0, 1])  # of r_T
        >>> [round(float(x), 6) for x in g["q"]], round(float(g["mu"][0]), 6)
        ([0.5, 0.0], -1.0)
        """
        from .gradient import Derivative

        return Derivative(self).adjoint(dr, du)

    def save(self, path: str | os.PathLike) -> None:
        """The problem with this solution, as an FCLIB file."""
        self.problem._write(path, self)

    def _repr_html_(self) -> str:
        rows = [("converged", self.converged), ("error", self.error), ("solver", self.solver),
                ("iterations", self.iterations), ("seconds", self.seconds), ("stopped", self.stopped)]
        return _show.table(("", ""), rows)

    def __repr__(self) -> str:
        return f"<Solution by {self.solver}: {self.stopped}, error {self.error:.2g}>"


class Problem:
    """u = W r + q, or M v = H r + f, u = H' v + w, with Coulomb's law for each contact.

    A contact has `dimension` rows, its normal first; equations u = 0 own the last rows. W, M and H are
    dense or sparse (scipy), or (rows, columns, p, i, x) in compressed columns. Numbers that are
    doubles in compressed columns, or dense by columns (Fortran's order), are not copied, and kept
    alive; changes of them count in the next `solve`, as long as patterns stay.

    >>> import delassus as dls
    >>> p = dls.Problem(W=[[1, 0], [0, 1]], q=[-1, 0.2], mu=[0.5])   # dimension 2
    >>> s = p.solve(tol=1e-10)
    >>> s.converged, [round(float(x), 6) for x in s.r]
    (True, [1.0, -0.2])
    """

    def __init__(self, W: Any = None, q: Any = None, mu: Any = None, *, M: Any = None, H: Any = None, f: Any = None,
                 w: Any = None, dimension: int | None = None, laws: Sequence[str] | None = None, direction: Any = None,
                 bound: Any = None) -> None:
        if mu is None or (W is None) == (M is None):
            raise TypeError("a problem has mu, and either W and q, or M, H, f and w")
        missing = [name for name, value in ({"q": q} if W is not None else {"H": H, "f": f, "w": w}).items() if value is None]
        if missing:
            raise TypeError(f"{', '.join(missing)} is missing")
        self.mu = vector(mu)
        self.contacts = len(self.mu)
        self.W = self.M = self.H = self.q = self.f = self.w = None
        if W is not None:
            self.W, self.q = compressed(W), vector(q)
            rows = len(self.q)
        else:
            self.M, self.H, self.f, self.w = compressed(M), compressed(H), vector(f), vector(w)
            rows = len(self.w)
        self.rows = rows
        self.dimension = dimension or self._guess(rows)
        self.equations = rows - self.dimension * self.contacts
        if self.equations < 0:
            raise ValueError(f"{self.contacts} contacts of dimension {self.dimension} need more than {rows} rows")
        self.title = self.description = ""
        #: a solution that came with the file; None: none did
        self.stored: dict[str, Array] | None = None
        self.laws = tuple(laws) if laws is not None else None
        self._law = bytes(LAWS.index(law) for law in laws) if laws is not None else None
        self._direction = vector(direction) if direction is not None else None
        self._bound = vector(bound) if bound is not None else None
        self._solvers: dict[tuple, Any] = {}

    def _guess(self, rows: int) -> int:
        for dimension in (2, 3):
            if rows == dimension * self.contacts:
                return dimension
        raise ValueError(f"{rows} rows and {self.contacts} contacts: say which dimension, the rest are equations")

    def _solver(self, *how: Any) -> Any:
        data = (self.mu, self.W, self.q, self.M, self.H, self.f, self.w)
        key = (how, *map(id, data))  # other arrays: another solver, which keeps these alive
        solver = self._solvers.get(key)
        if solver is None:
            self._solvers.clear()  # one at a time: they keep factors
            solver = self._solvers[key] = _delassus.Solver(self.dimension, self.equations, *data, self._law,
                                                           self._direction, self._bound, *how)
        return solver

    def solve(self, solver: str = "auto", tol: float = 1e-8, *, start: Any = None, start_v: Any = None,
              max_iterations: int = 0, time_limit: float = 0.0, threads: int = 0, facets: int = 0,
              history: int = 0) -> Solution:
        """The best point that the solver finds. `history`: how many points of its way to keep.

        The solver is kept for the next call with the same options, so that a changed q costs no
        new analysis.
        """
        work = self._solver(solver, tol, max_iterations, time_limit, threads, facets, history)
        r = zeros(self.rows) if start is None else copy(start)
        u = zeros(self.rows)
        v = None
        if self.M is not None:
            v = zeros(self.M[0]) if start_v is None else copy(start_v)
        return Solution(self, r, u, v, work.solve(r, u, v))

    def residual(self, r: Any, v: Any = None) -> tuple[dict[str, float], Array]:
        """How far r is from a solution, by all measures, and u."""
        u = zeros(self.rows)
        errors = self._any_solver().residual(vector(r), None if v is None else vector(v), u)
        return errors, u

    def _any_solver(self) -> Any:
        return next(iter(self._solvers.values()), None) or self._solver("auto", 1e-8, 0, 0.0, 0, 0, 0)

    # ---- files ---------------------------------------------------------------------------------

    @classmethod
    def from_fclib(cls, path: str | os.PathLike) -> Problem:
        """The problem of an FCLIB file (HDF5); its solution, if it has one, is `stored`."""
        data = _delassus.fclib_read(os.fspath(path))
        names = ("M", "H", "f", "w") if "M" in data else ("W", "q")
        parts = {name: _matrix(data[name]) if name in "WMH" else doubles(data[name]) for name in names}
        problem = cls(mu=doubles(data["mu"]), dimension=data["dimension"], **parts)
        problem.title, problem.description = data["title"], data["description"]
        if data["r"] is not None:
            problem.stored = {name: doubles(data[name]) for name in "ruv" if data[name] is not None}
        return problem

    def to_fclib(self, path: str | os.PathLike, solution: Solution | None = None) -> None:
        """Writes an FCLIB file, whole or not at all."""
        self._write(path, solution)

    def _write(self, path: str | os.PathLike, solution: Solution | None) -> None:
        point = (None, None, None) if solution is None else (solution.r, solution.u, solution.v)
        self._any_solver().write(os.fspath(path), self.title or None, self.description or None, *point)

    def matrix(self, name: str = "W") -> Any:
        """W, M or H: scipy's sparse matrix, where that is there and the data were sparse, else dense."""
        rows, cols, p, i, x = getattr(self, name)
        if len(x) < rows * cols:
            from scipy.sparse import csc_matrix

            return csc_matrix((x, i, p), shape=(rows, cols))
        return np.asarray(x).reshape((rows, cols), order="F")

    def __repr__(self) -> str:
        form = "local" if self.W is not None else "global"
        return f"<Problem: {self.contacts} contacts in {self.dimension} dimensions, {self.equations} equations, {form} form>"

    def _repr_html_(self) -> str:
        return _show.text(repr(self)[1:-1])


def _matrix(data: tuple) -> tuple:
    rows, cols, p, i, x = data
    return rows, cols, _int_array(p), _int_array(i), doubles(x)


def _int_array(buffer: Any) -> Any:
    if np is not None:
        return np.frombuffer(buffer, dtype=np.int32)
    values = array("i")
    values.frombytes(bytes(buffer))
    return values


SOLVERS = tuple(_delassus.Solver.list())


class Batch(NamedTuple):
    """What became of many problems: an entry, or a row, for each."""

    r: Array
    converged: Any
    error: Array


def solve_batch(W: Any, q: Any, mu: Any, *, dimension: int | None = None, solver: str = "auto", tol: float = 1e-8,
                max_iterations: int = 0, start: Any = None) -> Batch:
    """Many dense problems of one size in one call: W[k], q[k], mu[k].

    >>> import delassus as dls
    >>> batch = dls.solve_batch(W=[[[1, 0], [0, 1]]] * 2, q=[[-1, 0.2], [1, 0]], mu=[[0.5], [0.5]])
    >>> [[round(float(x), 6) for x in batch.r[k]] for k in range(2)]
    [[1.0, -0.2], [0.0, 0.0]]
    >>> list(map(bool, batch.converged))
    [True, True]
    """
    if np is None:
        raise ImportError("solve_batch needs NumPy")
    W = np.ascontiguousarray(W, dtype=float)
    q, mu = np.ascontiguousarray(q, dtype=float), np.ascontiguousarray(mu, dtype=float)
    if q.ndim != 2 or mu.ndim != 2 or W.shape != (*q.shape, q.shape[1]) or len(mu) != len(q):
        raise ValueError("expected W[k, i, j], q[k, i] and mu[k, c]")
    count, rows = q.shape
    contacts = mu.shape[1]
    dimension = dimension or (3 if rows == 3 * contacts else 2)
    r = np.zeros_like(q) if start is None else np.array(start, dtype=float).reshape(q.shape)
    converged, error = np.zeros(count, dtype=np.uint8), np.zeros(count)
    _delassus.solve_batch(count, dimension, contacts, rows - dimension * contacts, W, q, mu, r, converged, error,
                          solver, tol, max_iterations)
    return Batch(r, converged.astype(bool), error)


class LcpSolution(NamedTuple):
    """0 <= z, w = M z + q >= 0, z w = 0 as far as `error_in_units` says; converged: within the tolerance."""

    z: Array
    w: Array
    converged: bool
    error: float
    error_in_units: float
    stopped: str
    solver: str
    iterations: int
    seconds: float


def lcp(M: Any, q: Any, *, free: int = 0, solver: str = "auto", tol: float = 1e-8, start: Any = None,
        max_iterations: int = 0, time_limit: float = 0.0) -> LcpSolution:
    """Solves a linear complementarity problem; of the first `free` rows equations w = 0.

    >>> import delassus as dls
    >>> s = dls.lcp([[2, 1], [1, 2]], [-5, -6])
    >>> s.converged, [round(float(z), 6) for z in s.z]
    (True, [1.333333, 2.333333])
    """
    q = vector(q)
    n = len(q)
    if np is not None:
        M = np.asfortranarray(M.toarray() if hasattr(M, "toarray") else M, dtype=float)
        if M.shape != (n, n):
            raise ValueError(f"M has the shape {M.shape}, expected {(n, n)}")
        columns = M.reshape(-1, order="F")
    else:
        rows, cols, _, _, columns = compressed(M)
        if (rows, cols) != (n, n):
            raise ValueError(f"M is {rows} by {cols}, expected {n} by {n}")
    z = zeros(n) if start is None else copy(start)
    w = zeros(n)
    return LcpSolution(z, w, *_delassus.lcp(n, free, columns, q, z, w, solver, tol, max_iterations, time_limit))
