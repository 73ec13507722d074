"""The answers to the questions of a report, from their definitions, in fractions.

Planar contacts make polyhedra of accelerations z, normal forces and tangential forces: the unknowns
are (z, lambda, tau), with one lambda and one tau for every closed contact. All combinations of modes
are gone through; the definitions are those of docs/theory.md, sections 4, 5, 7, 8, 12 and 16.
"""
import random
from fractions import Fraction
from itertools import product

from .exact import (Polyhedron, determinant, dot, kernel, polynomial_through, rank, roots_between,
                    transpose, unit)

ZERO = Fraction(0)


class Problem:
    """M z + F = G lambda + H tau with the laws of the contacts, at the level of accelerations; or of
    an impact, where z is the jump of the velocities."""

    def __init__(self, model, impact=False):
        self.impact = impact
        self.n, self.M = model.n, model.M
        self.F = [ZERO] * self.n if impact else model.F
        self.contacts = model.closed()
        self.m = len(self.contacts)
        self.size = self.n + 2 * self.m

    # ---- rows (constant, coefficients of the unknowns) ----

    def b(self, i):
        c = self.contacts[i]
        return (ZERO if c.bilateral else c.rate * (1 + c.e)) if self.impact else c.b

    def normal_acceleration(self, i):
        return [self.b(i), *self.contacts[i].g, *[ZERO] * (2 * self.m)]

    def slip_acceleration(self, i):
        c = self.contacts[i]
        return [c.slip if self.impact else c.b_t, *c.h, *[ZERO] * (2 * self.m)]

    def force(self, i, tangential=False, sign=1):
        return [ZERO, *unit(self.size, self.n + i + (self.m if tangential else 0), sign)]

    def balance(self):
        rows = []
        for k in range(self.n):
            normal = [-c.g[k] for c in self.contacts]
            tangential = [-c.h[k] if c.h is not None else ZERO for c in self.contacts]
            rows.append([self.F[k], *self.M[k], *normal, *tangential])
        return rows

    def slides(self, i):
        return not self.impact and self.contacts[i].slides()

    def cone(self, i, mu, sign=1):
        """|tau| <= mu sign lambda."""
        return [[ZERO, *[mu * sign * x + s * y for x, y in zip(self.force(i)[1:], self.force(i, True)[1:])]]
                for s in (1, -1)]

    def on_cone(self, i, mu, direction, sign=1):
        """tau = -mu direction sign lambda."""
        return [ZERO, *[y + mu * direction * sign * x
                        for x, y in zip(self.force(i)[1:], self.force(i, True)[1:])]]

    # ---- modes: (equations, inequalities) ----

    def modes(self, i):
        c = self.contacts[i]
        zero_a, press = self.normal_acceleration(i), self.force(i)
        result = {}
        if not c.bilateral:
            result['detach'] = ([press, self.force(i, True)], [zero_a])
        if not c.rubs():
            result['closed'] = ([zero_a, self.force(i, True)], [] if c.bilateral else [press])
            return result
        for sign in (1, -1) if c.bilateral else (1,):
            pulling = '' if sign > 0 else ' pulling'
            presses = self.force(i, sign=sign)
            if self.slides(i):
                result['slide' + pulling] = ([zero_a, self.on_cone(i, c.mu, c.xi(), sign)], [presses])
                continue
            slip = self.slip_acceleration(i)
            result['stick' + pulling] = ([zero_a, slip], [presses, *self.cone(i, c.mu, sign)])
            for way in (1, -1):
                result['slide' + '+-'[way < 0] + pulling] = (
                    [zero_a, self.on_cone(i, c.mu, way, sign)], [presses, [way * x for x in slip]])
        return result

    def relaxed(self, i):
        """What all modes of contact i have in common, as far as it is convex."""
        c = self.contacts[i]
        zero_a = self.normal_acceleration(i)
        if c.bilateral:
            return ([zero_a] + ([] if c.rubs() else [self.force(i, True)]), [])
        if not c.rubs():
            return ([self.force(i, True)], [zero_a, self.force(i)])
        if self.slides(i):
            return ([self.on_cone(i, c.mu, c.xi())], [zero_a, self.force(i)])
        return ([], [zero_a, *self.cone(i, c.mu), self.force(i)])

    def polyhedron(self, laws, more=()):
        equations = self.balance() + list(more)
        inequalities = []
        for e, ineq in laws:
            equations += e
            inequalities += ineq
        return Polyhedron(self.size, equations, inequalities)

    def cells(self):
        """All combinations of modes that have solutions: [(names, laws, polyhedron)]."""
        found = []
        every = [self.modes(i) for i in range(self.m)]
        relaxed = [self.relaxed(i) for i in range(self.m)]

        def visit(i, names, laws):
            p = self.polyhedron(laws + relaxed[i:])
            if not p.feasible:
                return
            if i == self.m:
                found.append((names, laws, p))
                return
            for name, law in every[i].items():
                visit(i + 1, names + [name], laws + [law])
        visit(0, [], [])
        return found


def rows_hold(rows, x, equality):
    values = (row[0] + dot(row[1:], x) for row in rows)
    return all(v == 0 if equality else v >= 0 for v in values)


class Solutions:
    """All solutions of a problem, as connected sets of cells."""

    def __init__(self, problem):
        self.problem = problem
        self.cells = problem.cells()
        self.sets = self._connected()

    def _touch(self, a, b):
        for (_, laws, _), (_, _, p) in (((a), (b)), ((b), (a))):
            x = p.point()
            if all(rows_hold(e, x, True) and rows_hold(i, x, False) for e, i in laws):
                return True
        return self.problem.polyhedron(a[1] + b[1]).feasible

    def _connected(self):
        groups = []
        for cell in self.cells:
            near = [g for g in groups if any(self._touch(cell, other) for other in g)]
            groups = [g for g in groups if g not in near]
            groups.append(sum(near, []) + [cell])
        return groups

    def exists(self):
        return bool(self.cells)

    def range(self, cells, j):
        """Of unknown j over some cells: (low, high), None for infinite ends."""
        lows, highs = zip(*(p.range(unit(self.problem.size, j)) for _, _, p in cells))
        return (None if None in lows else min(lows), None if None in highs else max(highs))

    def _one(self, cells, unknowns):
        points = [p.point() for _, _, p in cells]
        if any(x[j] != points[0][j] for x in points for j in unknowns):
            return False
        return all(low is not None and low == high
                   for low, high in (self.range(cells, j) for j in unknowns))

    def one_acceleration(self, cells):
        return self._one(cells, range(self.problem.n))

    def one_force(self, cells):
        return self._one(cells, range(self.problem.n, self.problem.size))

    def any_within(self, size):
        """Whether some solution has no unknown beyond size."""
        n = self.problem.size
        box = [[size, *unit(n, j, s)] for j in range(n) for s in (1, -1)]
        return any(self.problem.polyhedron(laws + [([], box)]).feasible for _, laws, _ in self.cells)

    def near(self, x, error):
        """The connected set with a solution next to x, each unknown j to error[j]; or None."""
        size = self.problem.size
        box = [[s * -y + e, *unit(size, j, s)] for j, (y, e) in enumerate(zip(x, error)) for s in (1, -1)]
        for cells in self.sets:
            for _, laws, _ in cells:
                if self.problem.polyhedron(laws + [([], box)]).feasible:
                    return cells
        return None


def largest(numbers):
    return max(map(abs, numbers), default=ZERO)


def nearly(problem, row, x, error):
    """The sign of the row's value at x; 0 when rounding of its coefficients, relative to the largest
    ones, explains it."""
    a, n = row[1:], problem.n
    value = row[0] + dot(a, x)
    size = abs(row[0]) + largest(a[:n]) * largest(x[:n]) + largest(a[n:]) * largest(x[n:])
    return 0 if abs(value) <= error * size else 1 if value > 0 else -1


def fulfils(problem, x, error):
    """Whether each row of the problem holds at x but for rounding: then x is a solution of data that are
    next to these."""
    def sign(row):
        return nearly(problem, row, x, error)
    if any(sign(row) for row in problem.balance()):
        return False
    return all(any(all(sign(row) == 0 for row in equations)
                   and all(sign(row) >= 0 for row in inequalities)
                   for equations, inequalities in problem.modes(i).values()) for i in range(problem.m))


# ---- questions without friction ----

def definite(M):
    return all(determinant([row[:k] for row in M[:k]]) > 0 for k in range(1, len(M) + 1))


def gradients(contacts, bilateral=None):
    return [c.g for c in contacts if bilateral is None or c.bilateral == bilateral]


def mfcq(model):
    """A direction that opens all unilateral contacts and keeps the bilateral ones."""
    closed = model.closed()
    keep = [[ZERO, *g] for g in gradients(closed, True)]
    return Polyhedron(model.n, keep, [[Fraction(-1), *g] for g in gradients(closed, False)]).feasible


def compatible(model):
    rows = [[c.b, *c.g] for c in model.closed() if c.bilateral]
    return Polyhedron(model.n, rows, []).feasible


def delassus_definite(model):
    """None where the matrix is not defined."""
    closed = model.closed()
    G_b, G_u = gradients(closed, True), gradients(closed, False)
    N = kernel(G_b, model.n)
    K = [[dot(a, [dot(row, b) for row in model.M]) for b in N] for a in N]
    if K and not definite(K):
        return None
    return rank(G_b + G_u) == rank(G_b) + len(G_u)


# ---- all contacts stick ----

class Sticking:
    def __init__(self, problem):
        self.problem = problem
        p = problem
        self.rows = [p.normal_acceleration(i) for i in range(p.m)]
        self.rows += [p.slip_acceleration(i) for i in range(p.m)
                      if p.contacts[i].h is not None and not p.slides(i)]
        self.free = [i for i in range(p.m) if p.contacts[i].h is not None and not p.slides(i)]

    def signs(self):
        rubbing = [i for i, c in enumerate(self.problem.contacts) if c.bilateral and c.h is not None]
        for choice in product((1, -1), repeat=len(rubbing)):
            yield {**{i: 1 for i in range(self.problem.m)}, **dict(zip(rubbing, choice))}

    def _fixed(self, i, sign):
        """The law of a contact whose friction is not the one asked about, or has none."""
        p, c = self.problem, self.problem.contacts[i]
        side = [] if c.bilateral and not (p.slides(i) and c.rubs()) else [p.force(i, sign=sign)]
        tangential = p.on_cone(i, c.mu, c.xi(), sign) if p.slides(i) else p.force(i, True)
        return ([tangential], side)

    def _held(self, i, sign, mu):
        p, c = self.problem, self.problem.contacts[i]
        if mu == 0:
            return ([p.force(i, True)], [] if c.bilateral else [p.force(i)])
        return ([], [p.force(i, sign=sign), *p.cone(i, mu, sign)])

    def possible(self, mu=None):
        """With the coefficients of the model, or one for all contacts that do not slide."""
        p = self.problem
        for sign in self.signs():
            laws = [self._held(i, sign[i], p.contacts[i].mu if mu is None else mu)
                    if i in self.free else self._fixed(i, sign[i]) for i in range(p.m)]
            if p.polyhedron(laws, self.rows).feasible:
                return True
        return False

    def fulfilled(self, x, mu, error):
        """Whether (z, lambda, tau) = x holds all contacts but for rounding."""
        p = self.problem
        if any(nearly(p, row, x, error) for row in p.balance() + self.rows):
            return False
        for i in range(p.m):
            sign = -1 if p.contacts[i].bilateral and x[p.n + i] < 0 else 1
            coefficient = p.contacts[i].mu if mu is None else mu
            e, ineq = self._held(i, sign, coefficient) if i in self.free else self._fixed(i, sign)
            if any(nearly(p, row, x, error) for row in e) or any(nearly(p, row, x, error) < 0 for row in ineq):
                return False
        return True

    def possible_with_much(self):
        """With some coefficient, however large: forces that only need lambda > 0 where tau != 0."""
        return any(self._pressing(sign) for sign in self.signs())

    def _pressing(self, sign):
        p = self.problem
        pressed = set(self.free)
        while True:
            laws = []
            for i in range(p.m):
                if i not in self.free:
                    laws.append(self._fixed(i, sign[i]))
                else:
                    laws.append(([] if i in pressed else [p.force(i, True)], [p.force(i, sign=sign[i])]))
            polyhedron = p.polyhedron(laws, self.rows)
            if not polyhedron.feasible:
                return False
            idle = {i for i in pressed if polyhedron.maximum(p.force(i, sign=sign[i])[1:]) == 0}
            if not idle:
                return True
            pressed -= idle


# ---- sliding: unique for every load ----

class Sliding:
    """The determinants of eq (chk.8); defined when all that rub slide in known directions."""

    def __init__(self, model):
        self.n, self.M = model.n, model.M
        self.contacts = model.closed()
        self.defined = all(c.slides() or not c.rubs() for c in self.contacts)
        self.uniform_defined = all(c.slides() or c.h is None for c in self.contacts)

    def determinants(self, mu=None):
        choices = [(1,) if c.bilateral and c.h is None else (1, -1) if c.bilateral else (0, 1)
                   for c in self.contacts]
        return [determinant(self._matrix(choice, mu)) for choice in product(*choices)]

    def _matrix(self, choice, mu):
        m = len(self.contacts)
        columns = [list(column) + [c.g[k] for c in self.contacts]
                   for k, column in enumerate(transpose(self.M))]
        for i, (c, sign) in enumerate(zip(self.contacts, choice)):
            if not c.bilateral and sign == 0:
                columns.append([ZERO] * self.n + unit(m, i))
                continue
            friction = ZERO if c.h is None else c.mu if mu is None else mu
            direction = c.h if c.h is not None else [ZERO] * self.n
            way = c.xi() if c.slides() else 1
            columns.append([-(g - sign * friction * way * h) for g, h in zip(c.g, direction)] + [ZERO] * m)
        return transpose(columns)

    def unique(self, mu=None):
        values = self.determinants(mu)
        return all(v > 0 for v in values) or all(v < 0 for v in values)

    def polynomials(self):
        degree = len(self.contacts)
        values = transpose([self.determinants(Fraction(k)) for k in range(degree + 1)])
        return [polynomial_through(v) for v in values]

    def first_root_between(self, low, high):
        """Whether a determinant vanishes for some coefficient in (low, high]."""
        return any(roots_between(p, Fraction(low), None if high is None else Fraction(high))
                   for p in self.polynomials())


# ---- closure and one time step ----

def form_closure(model):
    rows = [([c.g[k] for k in model.objects], c.bilateral) for c in model.closed()]
    size = len(model.objects)
    p = Polyhedron(size, [[ZERO, *g] for g, b in rows if b], [[ZERO, *g] for g, b in rows if not b])
    return all(p.range(unit(size, j)) == (0, 0) for j in range(size))


def dual_cone(c, pick, sign=1):
    """sign g v >= mu |h v| of the object's coordinates, as inequalities; an equation for bilateral contacts
    whose forces have either sign and no friction: sign 0."""
    g = [c.g[k] for k in pick]
    if not c.rubs() or not sign:
        return ([[ZERO, *g]], []) if c.bilateral else ([], [[ZERO, *g]])
    h = [c.h[k] for k in pick]
    return [], [[ZERO, *[sign * x - s * c.mu * y for x, y in zip(g, h)]] for s in (1, -1)]


def closed_by(size, laws):
    """No motion fulfils them but 0."""
    p = Polyhedron(size, sum((e for e, _ in laws), []), sum((i for _, i in laws), []))
    return all(p.range(unit(size, j)) == (0, 0) for j in range(size))


def balanced(laws, load):
    """The load lies in the cone: no motion in the dual one goes against it."""
    against = [[Fraction(-1), *[-x for x in load]]]
    return not Polyhedron(len(load), sum((e for e, _ in laws), []), sum((i for _, i in laws), []) + against).feasible


def some_loads(size):
    r = random.Random(size)
    yield from ([Fraction(x) for x in w] for w in product((-1, 0, 1), repeat=size) if any(w))
    yield from ([Fraction(r.randint(-9, 9)) for _ in range(size)] for _ in range(60))


def force_closure(model):
    """Where bilateral contacts rub, the union of the cones of all signs, eq (clo.3): True when one of them is
    all, False when a load lies in none; None when neither is found."""
    size, pick = len(model.objects), model.objects
    closed = model.closed()
    rubbing = [c for c in closed if c.bilateral and c.rubs()]

    def laws(choice):
        signs = dict(zip((c.name for c in rubbing), choice))
        return [dual_cone(c, pick, signs.get(c.name, 1)) for c in closed]
    if any(closed_by(size, laws(choice)) for choice in product((1, -1, 0), repeat=len(rubbing))):
        return True
    if not rubbing:
        return False
    cones = [laws(choice) for choice in product((1, -1), repeat=len(rubbing))]
    lost = any(not any(balanced(cone, load) for cone in cones) for load in some_loads(size))
    return False if lost else None


def step_solvable(model):
    """Eq (stp.1), and (stp.3) for all signs of the forces of bilateral contacts that rub."""
    closed = model.closed()
    rubbing = [c for c in closed if c.bilateral and c.rubs()]
    for choice in product((1, -1), repeat=len(rubbing)):
        signs = dict(zip((c.name for c in rubbing), choice))
        equations, inequalities = [], []
        for c in closed:
            sign = signs.get(c.name, 1)
            w_n, w_t = c.rate - dot(c.g, model.v), ZERO if c.h is None else c.slip - dot(c.h, model.v)
            if not c.rubs():
                (equations if c.bilateral else inequalities).append([w_n, *c.g])
                continue
            inequalities += [[sign * w_n - s * c.mu * w_t, *[sign * x - s * c.mu * y for x, y in zip(c.g, c.h)]]
                             for s in (1, -1)]
        if not Polyhedron(model.n, equations, inequalities).feasible:
            return False
    return True
