"""Answers about contacts with two slips: round cones between polygons inside and around them.

What holds with the polygons inside holds with the cones, what fails with those around them fails;
between the two nothing is known (None). The corners are Pythagorean, so that nothing rounds.
"""
from fractions import Fraction

from .exact import Polyhedron, unit

ZERO = Fraction(0)


def corners():
    """Points of the unit circle with rational coordinates."""
    found = {(Fraction(1 - t * t, 1 + t * t), Fraction(2 * t, 1 + t * t))
             for t in (Fraction(k, 12) for k in range(13))}
    found |= {(y, x) for x, y in found}
    return [(sx * x, sy * y) for x, y in found for sx in (1, -1) for sy in (1, -1)]


CORNERS = sorted(set(corners()))
# Neighbours are at most 2 arctan(1/12) apart: the polygon with these corners, larger by this, which is
# above 1 / cos(arctan(1/12)), is around the circle.
AROUND = Fraction(1004, 1000)


def directions(c):
    """What stands for |H v| <= length: rows u h1 + v h2 for all corners, or the two of a plane."""
    if c.h is None:
        return []
    if c.h2 is None:
        return [list(c.h), [-x for x in c.h]]
    return [[u * x + v * y for x, y in zip(c.h, c.h2)] for u, v in CORNERS]


# ---- closures and steps: velocities with g v >= mu |H v| ----

def dual_rows(c, pick, around):
    """g v - mu |H v| >= 0 in rows; around: of a larger set, else of a smaller one. Round cones only
    of unilateral contacts."""
    g = [c.g[k] for k in pick]
    if not c.rubs():
        return ([[ZERO, *g]], []) if c.bilateral else ([], [[ZERO, *g]])
    factor = 1 if around or c.h2 is None else AROUND
    rows = [[ZERO, *[x - factor * c.mu * h[k] for x, k in zip(g, pick)]] for h in directions(c)]
    return [], rows


def escapes(model, around):
    pick = model.objects
    laws = [dual_rows(c, pick, around) for c in model.closed()]
    p = Polyhedron(len(pick), sum((e for e, _ in laws), []), sum((i for _, i in laws), []))
    return any(p.range(unit(len(pick), j)) != (0, 0) for j in range(len(pick)))


def force_closure(model):
    if not escapes(model, True):
        return True
    return False if escapes(model, False) else None


# ---- all contacts stick ----

class Sticking:
    """Unknowns z, lambda of all contacts, the two tau of each."""

    def __init__(self, model):
        self.model, self.contacts = model, model.closed()
        self.n, self.m = model.n, len(self.contacts)
        self.size = self.n + 3 * self.m
        self.free = [i for i, c in enumerate(self.contacts) if c.h is not None]

    def row(self, constant, z=None, forces=()):
        row = [constant, *(z or [ZERO] * self.n), *[ZERO] * (3 * self.m)]
        for j, x in forces:
            row[1 + self.n + j] += x
        return row

    def slips(self, c):
        return [h for h in (c.h, c.h2) if h is not None]

    def equations(self):
        model, rows = self.model, []
        for k in range(self.n):
            forces = []
            for i, c in enumerate(self.contacts):
                forces.append((i, -c.g[k]))
                forces += [(self.m + 2 * i + t, -h[k]) for t, h in enumerate(self.slips(c))]
            rows.append(self.row(model.F[k], model.M[k], forces))
        for c in self.contacts:
            rows.append(self.row(c.b, c.g))
            rows += [self.row(c.b_t if t == 0 else ZERO, h) for t, h in enumerate(self.slips(c))]
        return rows

    def cone(self, i, c, mu, inside):
        """|tau| <= mu lambda, in rows."""
        tau = [self.m + 2 * i, self.m + 2 * i + 1]
        if c.h is None or mu == 0:
            return [self.row(ZERO, None, [(t, Fraction(1))]) for t in tau], \
                [] if c.bilateral else [self.row(ZERO, None, [(i, Fraction(1))])]
        if c.h2 is None:
            sides = [(Fraction(1), ZERO), (Fraction(-1), ZERO)]
            idle = [self.row(ZERO, None, [(tau[1], Fraction(1))])]
        else:
            sides, idle = CORNERS, []
        factor = AROUND if inside and c.h2 is not None else 1
        rows = [self.row(ZERO, None, [(i, mu), (tau[0], -factor * u), (tau[1], -factor * v)]) for u, v in sides]
        return idle, rows + [self.row(ZERO, None, [(i, Fraction(1))])]

    def feasible(self, mu, inside):
        equations, inequalities = self.equations(), []
        for i, c in enumerate(self.contacts):
            e, ineq = self.cone(i, c, c.mu if mu is None else mu, inside)
            equations += e
            inequalities += ineq
        return Polyhedron(self.size, equations, inequalities).feasible

    def possible(self, mu=None):
        if self.feasible(mu, True):
            return True
        return None if self.feasible(mu, False) else False


# ---- a solution ----

def fault(model, names, shown):
    """By how much accelerations and forces miss balance and laws, relative to their sizes. Contacts
    do not slip yet."""
    z = [float(shown['acceleration'][q]) for q in names]
    closed = model.closed()
    forces = [shown['forces'][c.name] for c in closed]
    largest = max([abs(x) for x in z] + [abs(f['normal']) for f in forces] + [1e-300])
    load = float(max([abs(x) for x in model.F] + [abs(c.b) for c in closed] + [abs(c.b_t) for c in closed]))
    size = max(largest, load)
    worst = 0.0
    for k in range(model.n):
        terms = [float(model.M[k][i]) * z[i] for i in range(model.n)] + [float(model.F[k])]
        for c, f in zip(closed, forces):
            terms.append(-float(c.g[k]) * f['normal'])
            terms += [-float(h[k]) * t for h, t in zip((c.h, c.h2), f.get('tangential') or []) if h is not None]
        worst = max(worst, abs(sum(terms)) / size)
    for c, f in zip(closed, forces):
        a = float(c.b) + sum(float(x) * y for x, y in zip(c.g, z))
        normal, tau = f['normal'], (f.get('tangential') or [])
        worst = max(worst, abs(a) / size if c.bilateral else max(-a, -normal, min(a, normal)) / size)
        slip = [sum(float(x) * y for x, y in zip(h, z)) for h in (c.h, c.h2) if h is not None]
        if not slip or not c.rubs():
            continue
        slip[0] += float(c.b_t)
        speed, pull = sum(x * x for x in slip) ** 0.5, sum(x * x for x in tau) ** 0.5
        most = float(c.mu) * abs(normal)
        worst = max(worst, (pull - most) / size)
        if speed > 1e-7 * size and normal > 1e-7 * size:  # slides: against the slip, with all it has
            along = sum(x * y for x, y in zip(slip, tau))
            worst = max(worst, (along + most * speed) / (speed * size))
    return worst
