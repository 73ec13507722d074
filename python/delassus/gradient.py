"""The derivative of a solution by its data.

Where the solution is strictly complementary each contact has one of three smooth laws in its
neighbourhood, and the solution is the root of as many equations as rows:

    open      r = 0
    sticking  u = 0
    sliding   u_N = 0,  r_T = -mu r_N s,  s = u_T / |u_T|
              d r_T = -dmu r_N s - mu s dr_N - mu r_N (1 - s s') du_T / |u_T|

so A dr + B du = c with du = W dr + dW r + dq, which is one linear system with the matrix A + B W. The
adjoint solves it with its transpose. Everything that decides is compared with what the solver may
have left wrong.
"""

from __future__ import annotations

from typing import Any

from ._arrays import np
from .errors import NotDifferentiable

#: what counts as inside: times the largest velocity of any contact, impulses in units of W
MARGIN = 1e-7
#: and at least so many times the error of the solution
OF_ERROR = 100.0
#: beyond: the linear system is as good as singular
CONDITION = 1e12


class Derivative:
    def __init__(self, solution: Any) -> None:
        if np is None:
            raise ImportError("derivatives need NumPy")
        p = solution.problem
        if p.laws is not None and any(law != "cone" for law in p.laws):
            raise NotDifferentiable("derivatives are of contacts with the round cone")
        if not solution.converged:
            raise NotDifferentiable("the solver did not converge: there is no solution to differentiate")
        self.problem, self.solution = p, solution
        self.r, self.u = np.asarray(solution.r), np.asarray(solution.u)
        self.of_f: Any = None  # in global form dq = of_f' df + dw
        if p.W is not None:
            self.W, self.q = _dense(p.W), np.asarray(p.q)
        else:
            self._reduce()
        self.modes = self._modes()
        self._equations()

    def _reduce(self) -> None:
        """The local form, u = H' M^-1 H r + H' M^-1 f + w."""
        p = self.problem
        M, H = _dense(p.M), _dense(p.H)
        try:
            self.of_f = np.linalg.solve(M.T, H)
            self.W = H.T @ np.linalg.solve(M, H)
        except np.linalg.LinAlgError:
            raise NotDifferentiable("M is singular") from None
        self.q = self.of_f.T @ np.asarray(p.f) + np.asarray(p.w)

    # ---- which law holds -----------------------------------------------------------------------

    def _modes(self) -> list[str]:
        p, d = self.problem, self.problem.dimension
        diagonal = np.abs(np.diag(self.W))
        units = [max(diagonal[d * c:d * c + d].max(), 0.0) for c in range(p.contacts)]
        size = max([0.0, *(np.linalg.norm(self.u[d * c:d * c + d]) + units[c] * np.linalg.norm(self.r[d * c:d * c + d])
                           for c in range(p.contacts)), float(np.abs(self.q).max(initial=0.0))])
        least = size * max(MARGIN, OF_ERROR * self.solution.error)
        return [self._mode(c, units[c], least) for c in range(p.contacts)]

    def _mode(self, c: int, unit: float, least: float) -> str:
        p, d = self.problem, self.problem.dimension
        u, r, mu = self.u[d * c:d * c + d], unit * self.r[d * c:d * c + d], float(p.mu[c])
        slip, pull = np.linalg.norm(u[1:]), np.linalg.norm(r[1:])
        if r[0] <= least and pull <= least:
            if u[0] > least:
                return "open"
            self._corner(c, "it touches without a force, and does not open")
        if abs(u[0]) > least:
            self._corner(c, "it presses and opens")
        if mu == 0:
            return "smooth"
        if slip > least:
            if mu * r[0] <= least:
                self._corner(c, "its friction is too small to tell")
            return "sliding"
        if mu * r[0] - pull > least:
            return "sticking"
        self._corner(c, "it sticks at the limit of friction, or slides without slip")
        raise AssertionError

    @staticmethod
    def _corner(c: int, why: str) -> None:
        error = NotDifferentiable(f"contact {c} is at a corner of its law: {why}")
        error.contact = c
        raise error

    # ---- the linear system ---------------------------------------------------------------------

    def _equations(self) -> None:
        p, d, n = self.problem, self.problem.dimension, self.problem.rows
        A, B = np.zeros((n, n)), np.zeros((n, n))
        self.by_mu = np.zeros((n, p.contacts))  # c = by_mu dmu
        for c, mode in enumerate(self.modes):
            rows = np.arange(d * c, d * c + d)
            normal, slips, mu, r_n = rows[0], rows[1:], float(p.mu[c]), self.r[d * c]
            if mode == "open":
                A[rows, rows] = 1
                continue
            B[normal, normal] = 1
            if mode == "sticking":
                B[slips, slips] = 1
                continue
            A[slips, slips] = 1
            if mode == "sliding":
                length = np.linalg.norm(self.u[slips])
                s = self.u[slips] / length
                A[slips, normal] = mu * s
                B[np.ix_(slips, slips)] = mu * r_n / length * (np.eye(d - 1) - np.outer(s, s))
                self.by_mu[slips, c] = -r_n * s
        equations = np.arange(d * p.contacts, n)
        B[equations, equations] = 1
        self.A, self.B = A, B
        # the forces that are zero, and the rows of open contacts, drop out
        opened = [k for c, mode in enumerate(self.modes) if mode == "open" for k in range(d * c, d * c + d)]
        self.live = np.setdiff1d(np.arange(n), opened)
        matrix = (A + B @ self.W)[np.ix_(self.live, self.live)]
        # rows and columns have units: what is compared has none
        row = np.abs(matrix).max(axis=1, initial=0.0)
        column = (np.abs(matrix) / np.where(row > 0, row, 1)[:, None]).max(axis=0, initial=0.0)
        if (row == 0).any() or (column == 0).any():
            raise NotDifferentiable("the forces are not determined: the linear system is singular")
        scaled = matrix / row[:, None] / column
        if len(matrix) and not np.linalg.cond(scaled) < CONDITION:
            raise NotDifferentiable("the forces are not determined: the linear system is singular")
        self.matrix = matrix

    def forward(self, dq: Any = None, dmu: Any = None, dW: Any = None, df: Any = None, dw: Any = None) -> tuple:
        """(dr, du)"""
        p, n = self.problem, self.problem.rows
        if (df is not None or dw is not None) if self.of_f is None else (dq is not None or dW is not None):
            raise TypeError("dq and dW are changes of the local form, df and dw of the global one")
        load = np.zeros(n)
        if dq is not None or dw is not None:
            load = np.array(dq if dw is None else dw, dtype=float).reshape(n)
        if df is not None:
            load = load + self.of_f.T @ np.array(df, dtype=float).reshape(len(self.of_f))
        if dW is not None:
            change = dW if hasattr(dW, "dot") else np.asarray(dW, dtype=float)
            load = load + np.asarray(change.dot(self.r)).reshape(n)
        right = -self.B @ load
        if dmu is not None:
            dmu = np.array(dmu, dtype=float).reshape(p.contacts)
            for c, mode in enumerate(self.modes):
                if mode == "smooth" and dmu[c] != 0:
                    self._corner(c, "it has no friction, and gets some")
            right += self.by_mu @ dmu
        dr = np.zeros(n)
        dr[self.live] = np.linalg.solve(self.matrix, right[self.live])
        return dr, self.W @ dr + load

    def adjoint(self, dr: Any = None, du: Any = None) -> dict[str, Any]:
        """By mu (not a number at contacts without friction), and q and W (dense), or f and w."""
        p, n = self.problem, self.problem.rows
        by_r = np.zeros(n) if dr is None else np.array(dr, dtype=float).reshape(n)
        by_u = np.zeros(n) if du is None else np.array(du, dtype=float).reshape(n)
        weight = np.zeros(n)
        weight[self.live] = np.linalg.solve(self.matrix.T, (by_r + self.W.T @ by_u)[self.live])
        by_q = by_u - self.B.T @ weight
        by_mu = self.by_mu.T @ weight
        by_mu[[mode == "smooth" for mode in self.modes]] = np.nan
        if self.of_f is not None:
            return {"f": self.of_f @ by_q, "w": by_q, "mu": by_mu}
        return {"q": by_q, "mu": by_mu, "W": np.outer(by_q, self.r)}


def _dense(matrix: tuple) -> Any:
    rows, cols, columns, i, x = matrix
    columns = np.asarray(columns)
    dense = np.zeros((rows, cols))
    dense[np.asarray(i)[:columns[-1]], np.repeat(np.arange(cols), np.diff(columns))] = np.asarray(x)[:columns[-1]]
    return dense
