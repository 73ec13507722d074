"""How exact is a scheme?"""

from __future__ import annotations

from typing import Any, Sequence

from . import _delassus, _show
from ._arrays import vector

NORMS = ("hausdorff", "l1", "l2", "uniform")


class Order:
    """Errors of runs against a reference, and orders as slopes.

    `runs`: a dict for each, with the keys of `delassus order --json`. `orders[scheme]["q"]["uniform"]`:
    the slope by least squares over the errors above their floor, not a number below two of them.
    """

    def __init__(self, runs: list[dict]) -> None:
        self.runs = runs
        self.orders: dict[str, dict[str, dict[str, float]]] = {}
        for scheme in dict.fromkeys(run["scheme"] for run in runs):
            self.orders[scheme] = {part: {norm: self._slope(scheme, part, norm) for norm in NORMS} for part in "qv"}

    def _slope(self, scheme: str, part: str, norm: str) -> float:
        of = [run for run in self.runs if run["scheme"] == scheme]
        return _delassus.slope(vector([run["step"] for run in of]), vector([run["error_" + part][norm] for run in of]),
                               vector([run["floor_" + part] for run in of]))[0]

    def plot(self, norm: str = "hausdorff", axes: Any = None) -> Any:
        """Work and precision, by matplotlib."""
        if axes is None:
            import matplotlib.pyplot as plt

            axes = plt.gca()
        for scheme in self.orders:
            of = [run for run in self.runs if run["scheme"] == scheme]
            axes.loglog([run["error_q"][norm] for run in of], [run["rhs_evaluations"] for run in of], "o-", label=scheme)
        axes.set_xlabel(f"error of the coordinates, {norm}")
        axes.set_ylabel("evaluations")
        axes.legend()
        return axes

    def _repr_html_(self) -> str:
        rows = [(run["scheme"], run["step"], run["error_q"]["hausdorff"], run["rhs_evaluations"]) for run in self.runs]
        slopes = [(scheme, *(self.orders[scheme]["q"][norm] for norm in NORMS)) for scheme in self.orders]
        return _show.table(("scheme", "step", "error of q", "evaluations"), rows) + _show.table(("order", *NORMS), slopes)

    def __repr__(self) -> str:
        return f"<Order of {', '.join(self.orders)}: {len(self.runs)} runs>"


def order(model: Any, schemes: str | Sequence[str], steps: Sequence[float], until: float, at: Any = None) -> Order:
    """The errors of each scheme at each step, against the exact solution of the model or a run of
    radau5 with an eighth of the smallest step.

    >>> import delassus as dls
    >>> m = dls.Model.parse("coordinate x = 1\\nkinetic x'^2/2\\npotential x^2/2\\nexact x = cos(t)\\nexact x' = -sin(t)")
    >>> result = dls.order(m, "radau5", [0.4, 0.2, 0.1], until=2)
    >>> bool(abs(result.orders["radau5"]["q"]["uniform"] - 5) < 0.2)
    True
    """
    names = [schemes] if isinstance(schemes, str) else list(schemes)
    planned = [(scheme, float(step)) for scheme in names for step in steps]
    if not planned:
        raise ValueError("no schemes, or no steps")
    state = model._state(at)
    found = _delassus.order(model._make_system(), state.t, vector(state.q.array), vector(state.v.array), until, planned)
    return Order([{"scheme": scheme, "step": step, **run} for (scheme, step), run in zip(planned, found)])
