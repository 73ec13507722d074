"""What a check says, and what became of its claims when they were checked again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Iterator

from . import _delassus, _show
from .errors import RequirementError

if TYPE_CHECKING:
    from .model import Model

QUESTIONS, LIMITS = (tuple(names) for names in _delassus.questions())


class _Json(Mapping):
    """A JSON object as a mapping; `text` is what people read."""

    def __init__(self, data: str, text: str) -> None:
        self.json = data
        self.text = text
        self._data = json.loads(data)

    def __getitem__(self, key: str) -> Any:
        return self._data[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return _show.text(self.text)


class Verdict(Mapping):
    """An answer with its reason and witness; true where the answer is yes."""

    def __init__(self, question: str, data: dict) -> None:
        self.question = question
        self._data = data
        #: "yes", "no" or "undecided"
        self.answer: str = data["answer"]
        #: the theorem or procedure
        self.by: str | None = data.get("by")
        #: distance from the other answer, in scaled data
        self.margin: float | None = data.get("margin")
        #: vectors with which anyone can check the answer
        self.witness: Any = data.get("witness")

    def __bool__(self) -> bool:
        return self.answer == "yes"

    def __getitem__(self, key: str) -> Any:
        return self._data[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    def __repr__(self) -> str:
        return f"<{self.question}: {self.answer}, {self.by}>"


class Verification(_Json):
    """What is left of a report when every claim was checked again; true where none fails."""

    def __init__(self, holds: bool, data: str, text: str) -> None:
        super().__init__(data, text)
        self.holds = holds

    def __bool__(self) -> bool:
        return self.holds

    def __repr__(self) -> str:
        return f"<verification: {'holds' if self.holds else 'fails'}>"


class Report(_Json):
    """The contact problem at a state, as a mapping with the keys of `delassus check --json`.

    Questions are attributes, too:

    >>> import delassus as dls
    >>> m = dls.Model.parse("coordinate y = 0\\nkinetic y'^2/2\\npotential 9.81*y\\nunilateral floor: y >= 0")
    >>> r = m.check()
    >>> r.acceleration_unique.answer
    'yes'
    >>> r.forces["floor"]["normal"]
    9.81
    >>> r.require("acceleration_unique", "forces_unique") is r
    True
    >>> bool(r.verify())
    True
    """

    def __init__(self, data: str, text: str, model: Model | None) -> None:
        super().__init__(data, text)
        self._model = model
        #: answers by their questions; what makes no sense at the state is not there
        self.verdicts = {name: Verdict(name, verdict) for name, verdict in self["verdicts"].items()}

    def __getattr__(self, name: str) -> Any:
        if name in QUESTIONS:
            if name in self.verdicts:
                return self.verdicts[name]
            raise AttributeError(f"{name} is not asked at this state")
        raise AttributeError(name)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.verdicts]

    @property
    def solutions(self) -> list[dict]:
        """Accelerations and forces, as far as they are listed."""
        return self.get("solutions") or []

    @property
    def solution_count(self) -> int | None:
        """How many solutions there are; None: that is not known."""
        return self.get("solution_count")

    @property
    def forces(self) -> dict[str, dict] | None:
        """The forces of the contacts in the first solution; None where there is none."""
        return self.solutions[0]["forces"] if self.solutions else None

    @property
    def acceleration(self) -> dict[str, float] | None:
        """The acceleration of the first solution; None where there is none."""
        return self.solutions[0]["acceleration"] if self.solutions else None

    def require(self, *questions: str) -> Report:
        """Raises RequirementError unless every answer is yes; returns the report."""
        for name in questions:
            if name not in QUESTIONS:
                raise ValueError(f"there is no question {name!r}; there are {', '.join(QUESTIONS)}")
            verdict = self.verdicts.get(name)
            if verdict is None:
                raise RequirementError(f"{name} is required, but not answered at this state")
            if not verdict:
                raise RequirementError(f"{name} is required, but the answer is {verdict.answer}: {verdict.by}")
        return self

    def verify(self, model: Model | None = None) -> Verification:
        """Checks every claim against the model, without any solver, in interval arithmetic."""
        model = model or self._model
        if model is None:
            raise ValueError("a system of functions has no model to check the report against")
        return Verification(*_delassus.verify(model._model, self.json, "report", self["model"]))

    def save(self, path: Any) -> None:
        """Writes the JSON, for `delassus verify`."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.json)

    def __repr__(self) -> str:
        answers = ", ".join(f"{name}: {verdict.answer}" for name, verdict in self.verdicts.items())
        return f"<report: {answers}>"


def explain(words: str | None = None) -> str:
    """What a line or key of a report means; without words: a list of them.

    >>> print(explain("mfcq").splitlines()[0])  # doctest: +ELLIPSIS
    mfcq...
    """
    text = _delassus.explain(words)
    if text is None:
        raise KeyError(f"nothing, or too much, is called {words!r}")
    return text
