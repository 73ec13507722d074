"""The contact problem of mechanics: is it well posed, what are the forces, how does it move?

>>> import delassus as dls
>>> m = dls.Model.parse('''# A shelf on three brackets
... parameter m = 4, g = 9.81
... coordinate y, theta
... kinetic m/2*y'^2 + theta'^2/2
... potential m*g*y
... unilateral left:   y - 0.6*sin(theta) >= 0
... unilateral middle: y >= 0
... unilateral right:  y + 0.6*sin(theta) >= 0''')
>>> report = m.check()
>>> report.acceleration_unique.answer, report.forces_unique.answer
('yes', 'no')
>>> bool(report.verify())
True
"""

from ._delassus import version as __version__
from .errors import (ArgumentError, Error, FileError, LimitError, ModelError, MotionError, NotDifferentiable, NumberError,
                     RequirementError, SolverError, StateError, Stopped)
from .mapping import ANSWERS, Map
from .model import Model, Named, State, load
from .motion import SCHEMES, Contact, ContactRun, Event, Run, Stepper
from .order import Order, order
from .problem import LAWS, SOLVERS, Batch, LcpSolution, Problem, Solution, lcp, solve_batch
from .report import LIMITS, QUESTIONS, Report, Verdict, Verification, explain
from .systems import ContactInfo, System
from .world import GROUND, Body, Step, World

__all__ = [name for name in dir() if name[0].isupper()] + ["explain", "lcp", "load", "order", "solve_batch"]
