"""Rigid bodies in space with contacts that you find: the solver for your own simulator."""

from __future__ import annotations

from typing import Any, NamedTuple, Sequence

from . import _delassus
from ._arrays import Array, doubles

GROUND = -1


class Body(NamedTuple):
    """As it is now: position and velocity of the centre of mass in the world's axes, spin in the body's."""

    mass: float
    inertia: Array
    position: Array
    quaternion: Array
    velocity: Array
    spin: Array


class Step(NamedTuple):
    """What became of a step. It is done, with the best point that was found, even where the solver did
    not converge: whether to go on is for you to decide."""

    converged: bool
    error: float
    stopped: str
    solver: str
    iterations: int
    penetration: float


class World:
    """Add bodies; in each step: clear the contacts, add those that are near, step, read.

    >>> import delassus as dls
    >>> world = dls.World(gravity=(0, 0, -9.81))
    >>> ball = world.add_body(mass=1, inertia=0.1, position=(0, 0, 1))
    >>> for k in range(200):
    ...     world.clear_contacts()
    ...     z = world.body(ball).position[2]
    ...     world.add_contact(ball, dls.GROUND, point=(0, 0, 0), normal=(0, 0, 1), gap=z - 0.5, friction=0.5)
    ...     step = world.step(1e-2)
    >>> step.converged, round(world.body(ball).position[2], 6)
    (True, 0.5)
    >>> round(world.impulse(0)[2], 6)
    0.0981
    """

    def __init__(self, gravity: Sequence[float] = (0, 0, 0), *, tolerance: float = 1e-8, slop: float = 0.0,
                 recovery: float = 0.2, solver: str = "auto", threads: int = 1) -> None:
        self._world = _delassus.World(tuple(gravity), tolerance, slop, recovery, solver, threads)

    def __len__(self) -> int:
        return self._world.count()

    def add_body(self, mass: float, inertia: Any = None, position: Sequence[float] = (0, 0, 0),
                 quaternion: Sequence[float] = (1, 0, 0, 0), velocity: Sequence[float] = (0, 0, 0),
                 spin: Sequence[float] = (0, 0, 0)) -> int:
        """The number of the new body. inertia: a number, three, or (Ixx, Iyy, Izz, Ixy, Ixz, Iyz), in the
        body's axes. mass=inf: it moves with its velocity and spin, whatever touches it."""
        return self._world.put(-1, mass, _inertia(inertia, mass), tuple(position), tuple(quaternion), tuple(velocity),
                               tuple(spin))

    def body(self, number: int) -> Body:
        mass, *parts = self._world.body(number)
        return Body(mass, *map(doubles, parts))

    def set_body(self, number: int, **parts: Any) -> None:
        """Puts the body elsewhere, or gives it other velocities: what is named changes."""
        new = self.body(number)._replace(**parts)
        self._world.put(number, new.mass, _inertia(new.inertia, new.mass), *(tuple(part) for part in new[2:]))

    @property
    def table(self) -> Array:
        """A row of 13 numbers for each body: position, quaternion, velocity, spin; a copy."""
        return doubles(self._world.all(), (len(self), 13))

    def set_force(self, number: int, force: Sequence[float] = (0, 0, 0), torque: Sequence[float] = (0, 0, 0)) -> None:
        """A force at the centre of mass and a torque, in the world's axes, for the steps that follow."""
        self._world.force(number, tuple(force), tuple(torque))

    def clear_contacts(self) -> None:
        self._world.clear()

    def add_contact(self, a: int, b: int, point: Sequence[float], normal: Sequence[float], gap: float,
                    friction: float = 0.0, restitution: float = 0.0, id: int = 0) -> None:
        """A contact of the next step only. normal: from b to a; gap: negative where they penetrate; id: the
        same for the same contact in the next step, whose solution then begins with that of this one."""
        self._world.add(id, a, b, tuple(point), tuple(normal), gap, friction, restitution)

    def step(self, h: float) -> Step:
        """From the bodies as they are to a time h later."""
        return Step(*self._world.step(h))

    def impulse(self, contact: int) -> Array:
        """Of the last step, on body a, in the world's axes; contacts count as they were added."""
        return doubles(self._world.impulse(contact))


def _inertia(inertia: Any, mass: float) -> tuple:
    if inertia is None:
        if mass != float("inf"):
            raise ValueError("a body with a finite mass has an inertia")
        inertia = 1.0
    if isinstance(inertia, (int, float)):
        inertia = (inertia,) * 3
    inertia = tuple(float(x) for x in inertia)
    if len(inertia) not in (3, 6):
        raise ValueError("inertia: expected 1, 3 or 6 numbers")
    return inertia + (0.0,) * (6 - len(inertia))
