"""Random models whose data are doubles exactly, by families: draw(family, random) -> Model."""
import random
from fractions import Fraction

from .exact import dot
from .model import Contact, Model
from .truth import Problem, Sticking

ZERO = Fraction(0)
FRICTION = [Fraction(x) for x in ('0', '1/8', '1/4', '1/2', '3/4', '1', '3/2', '2', '3')]
RESTITUTION = [Fraction(x) for x in ('0', '0', '1/4', '1/2', '3/4', '1')]


class Small:
    """Draws small numbers; those below `least` are replaced by 0: the other reading of (num.1)."""
    least = ZERO


def small(r, low=20, high=45):
    x = Fraction(r.choice([-1, 1, 3]), 2 ** r.randint(low, high))
    return x if abs(x) >= Small.least else ZERO


def double(x):
    return Fraction(float(x))


def whole(r, size=3):
    return Fraction(r.randint(-size, size))


def half(r, size=2):
    return Fraction(r.randint(-2 * size, 2 * size), 2)


def vector(r, n, sparse=0.4):
    while True:
        draw = whole if r.random() < 0.6 else half
        x = [draw(r) if r.random() > sparse else ZERO for _ in range(n)]
        if any(x):
            return x


def mass(r, n, singular=False):
    """A sum of squares of whole-number forms; diagonal in a third of the cases."""
    if r.random() < 0.35:
        M = [[ZERO] * n for _ in range(n)]
        for i in range(n):
            M[i][i] = Fraction(r.choice([1, 1, 2, 3, 4, Fraction(1, 8), Fraction(3, 8)]))
        if singular:
            M[r.randrange(n)] = [ZERO] * n
        return M
    forms = [[whole(r, 2) for _ in range(n)] for _ in range(r.randint(0, n - 1) if singular else n + 1)]
    return [[sum((f[i] * f[j] for f in forms), ZERO) for j in range(n)] for i in range(n)]


def contact(r, name, n, bilateral=0.35, slip=0.8, sliding=0.3, driven=0.25, frictions=FRICTION):
    c = Contact(name, r.random() < bilateral, vector(r, n))
    if r.random() < driven:
        c.b = half(r)
    if r.random() < slip:
        c.h, c.mu = vector(r, n), r.choice(frictions)
        if r.random() < sliding:
            c.slip = Fraction(r.choice([-2, -1, 1, 2, 3]))
        if r.random() < driven:
            c.b_t = whole(r, 2)
    return c


def plain(r, coordinates=(1, 4), contacts=(1, 4), singular=0.0, load=0.85, **options):
    n, m = r.randint(*coordinates), r.randint(*contacts)
    return Model(mass(r, n, r.random() < singular),
                 [whole(r, 5) if r.random() < load else ZERO for _ in range(n)],
                 [contact(r, f'c{i + 1}', n, **options) for i in range(m)])


def planar(r):
    return plain(r)


def several(r):
    return plain(r, (2, 3), (4, 5), bilateral=0.15)


def sticking(r):
    return plain(r, sliding=0.0)


def sliding(r):
    return plain(r, sliding=1.0, slip=0.7, driven=0.1)


def frictionless(r):
    return plain(r, slip=0.0, singular=0.3, bilateral=0.4)


def singular(r):
    return plain(r, singular=1.0)


def idle(r):
    return plain(r, load=0.1, driven=0.3, frictions=[ZERO, ZERO, Fraction(1, 2)])


def driven(r):
    return plain(r, sliding=0.2, driven=0.8)


def combine(r, contacts):
    """A gradient, or a slip, that those of the contacts add up to."""
    weights = [Fraction(r.choice([-1, 0, 1, 1, 2])) for _ in contacts]
    return [sum((w * c.g[k] for w, c in zip(weights, contacts)), ZERO) for k in range(len(contacts[0].g))]


def redundant(r):
    model = plain(r, (2, 4), (2, 4), singular=0.2, driven=0.15)
    for i in range(1, len(model.contacts)):
        if r.random() < 0.6:
            g = combine(r, model.contacts[:i])
            if any(g):
                model.contacts[i].g = g
        if model.contacts[i].h is not None and model.contacts[0].h is not None and r.random() < 0.4:
            model.contacts[i].h = [Fraction(r.choice([-1, 1, 2])) * x for x in model.contacts[0].h]
    return model


def impact(r, slip=0.7):
    model = plain(r, (1, 3), (1, 3), slip=slip, singular=0.1, driven=0.2, bilateral=0.3)
    model.v = [whole(r, 2) for _ in range(model.n)]
    for c in model.contacts:
        c.e = r.choice(RESTITUTION)
        if not c.bilateral:
            moving = dot(c.g, model.v)  # mostly without motions that are imposed
            c.rate = min(moving, ZERO) if r.random() < 0.6 else Fraction(r.choice([-2, -1, 0, 1]))
        if c.h is not None and r.random() < 0.7:
            c.slip = dot(c.h, model.v)
    return model


def impact_frictionless(r):
    return impact(r, slip=0.0)


def closure(r):
    model = plain(r, (2, 3), (3, 5), bilateral=0.15, driven=0.1, load=0.3)
    model.objects = list(range(model.n))
    return model


def closure_signs(r):
    """Mostly bilateral contacts that rub, whose forces have either sign."""
    model = plain(r, (2, 3), (2, 4), bilateral=0.7, driven=0.1, load=0.3)
    model.objects = list(range(model.n))
    return model


def embedded(r):
    model = plain(r, (1, 3), (1, 3), bilateral=0.25, slip=0.9)
    model.spatial = True
    return model


def turned(r, model):
    """Contacts with two slips: independent ones, or one that is turned away from a plane."""
    for c in model.contacts:
        if c.bilateral:
            c.h, c.b_t, c.mu = None, ZERO, ZERO
        elif c.h is not None and r.random() < 0.8:
            c.h2 = vector(r, model.n)
    return model


def space(r):
    """Two slips at most contacts; nothing moves."""
    return turned(r, plain(r, (2, 4), (1, 4), sliding=0.0, bilateral=0.2, driven=0.15))


def space_closure(r):
    n = r.randint(3, 5)
    model = turned(r, plain(r, (n, n), (n - 1, n + 2), sliding=0.0, bilateral=0.1, driven=0.0, load=0.3))
    if r.random() < 0.7:  # opposite to each other: closures are rare otherwise
        for a, b in zip(model.contacts[::2], model.contacts[1::2]):
            if not a.bilateral and not b.bilateral:
                b.g = [-x for x in a.g]
    model.objects = list(range(model.n))
    return model


def lengths(r):
    """Gradients and slips of one contact in units of their own, far apart; some coefficients are large
    or small in these."""
    model = plain(r, (1, 3), (1, 3))
    for c in model.contacts:
        # a slip below the tolerance of velocities would be none
        c.unit, c.unit_t = Fraction(2) ** r.randint(-50, 50), Fraction(2) ** r.randint(-15 if c.slip else -50, 50)
        c.g, c.b = [c.unit * x for x in c.g], c.unit * c.b
        if c.h is not None:
            c.h, c.b_t, c.slip = [c.unit_t * x for x in c.h], c.unit_t * c.b_t, c.unit_t * c.slip
            c.mu *= c.unit / c.unit_t
            if r.random() < 0.3:
                c.mu *= Fraction(2) ** r.randint(-35, 50)
    return model


def side_by_side(models):
    n = sum(m.n for m in models)
    M, F, v, contacts, offset = [[ZERO] * n for _ in range(n)], [], [], [], 0
    for k, model in enumerate(models):
        for i in range(model.n):
            for j in range(model.n):
                M[offset + i][offset + j] = model.M[i][j]

        def wide(x, offset=offset, model=model):
            return [ZERO] * offset + list(x) + [ZERO] * (n - offset - model.n)
        for c in model.contacts:
            contacts.append(Contact(f'{c.name}{"abc"[k]}', c.bilateral, wide(c.g), c.b,
                                    None if c.h is None else wide(c.h), c.b_t, c.mu, c.slip, c.rate, c.e))
        F, v, offset = F + model.F, v + model.v, offset + model.n
    return Model(M, F, contacts, v)


def copies(r):
    one = plain(r, (1, 2), (1, 2))
    return side_by_side([one, one if r.random() < 0.7 else plain(r, (1, 2), (1, 2))])


def welded(r):
    """The first coordinate's mass shared with a second body that bilateral constraints weld to it."""
    model = plain(r, (1, 3), (1, 3))
    n = model.n + 1
    M = [row + [ZERO] for row in model.M] + [[ZERO] * n]
    share = model.M[0][0] / 2 if all(model.M[0][j] == 0 for j in range(1, n - 1)) else ZERO
    M[0][0] -= share
    M[n - 1][n - 1] = share
    contacts = [Contact(c.name, c.bilateral, c.g + [ZERO], c.b, None if c.h is None else c.h + [ZERO],
                        c.b_t, c.mu, c.slip) for c in model.contacts]
    for c in contacts:
        if r.random() < 0.5:  # take hold of the second body in place of the first
            c.g = [ZERO] + c.g[1:-1] + [c.g[0]]
    contacts.append(Contact('weld', True, [Fraction(1)] + [ZERO] * (n - 2) + [Fraction(-1)]))
    if r.random() < 0.3:
        contacts.append(Contact('again', True, [Fraction(2)] + [ZERO] * (n - 2) + [Fraction(-2)]))
    return Model(M, model.F + [ZERO], contacts)


def least_of(model):
    """The least common coefficient with which all can stick, to 2^-60, between 0 and 2^20; or None."""
    stick = Sticking(Problem(model))
    low, high = ZERO, Fraction(2) ** 20
    if not stick.free or stick.possible(low) or not stick.possible(high):
        return None
    for _ in range(90):
        middle = (low + high) / 2
        low, high = (low, middle) if stick.possible(middle) else (middle, high)
        if high - low < Fraction(1, 2 ** 60):
            break
    return high.limit_denominator(10 ** 6)


def edge(r):
    """Coefficients at, just below and just above the least one with which all can stick."""
    model = plain(r, (2, 3), (1, 3), sliding=0.15)
    mu = least_of(model)
    if mu is not None:
        away = r.choice([-1, 0, 0, 1]) * Fraction(1, 2 ** r.choice([3, 10, 20, 30, 40]))
        mu *= 1 + (away if abs(away) > Small.least else 0)
        for c in model.contacts:
            if c.h is not None and not c.slides():
                c.mu = mu if Small.least else double(mu)
    return model


# ---- compared with relatives, not with the truth ----

FIFTHS = [Fraction(x) for x in ('0', '5/16', '5/8', '5/4', '5/2')]  # for Pythagorean turns


def nested(r):
    return plain(r, (2, 4), (2, 4), frictions=FIFTHS, sliding=0.2, driven=0.15)


def nested_common(r):
    """One coefficient for all contacts, nothing slides: mu can be swept."""
    model = plain(r, (2, 5), (2, 5), sliding=0.0, slip=1.0, driven=0.15, frictions=FIFTHS)
    mu = r.choice(FIFTHS[1:])
    for c in model.contacts:
        c.mu = mu
    return model


def nested_large(r):
    return plain(r, (3, 5), (4, 6), bilateral=0.2, driven=0.1, sliding=0.15)


def nested_space(r):
    return turned(r, plain(r, (3, 6), (2, 6), sliding=0.0, bilateral=0.2, driven=0.1))


NESTED = {f.__name__: f for f in (nested, nested_common, nested_large, nested_space)}


# ---- small numbers ----


def tiny_gradient(r):
    """Entries of gradients and slips that are small beside the others."""
    model = plain(r, (1, 3), (1, 3))
    for c in model.contacts:
        for x in filter(None, (c.g, c.h)):
            k = r.randrange(model.n)
            if r.random() < 0.6:
                x[k] = small(r) if r.random() < 0.6 or not x[k] else double(x[k] + small(r))
        if not any(c.g):
            c.g[0] = Fraction(1)
    return model


def tiny_load(r):
    model = plain(r, (1, 3), (1, 3), load=0.5)
    for k in range(model.n):
        if r.random() < 0.6:
            model.F[k] = double(model.F[k] + small(r))
    for c in model.contacts:
        if r.random() < 0.4:
            c.b = double(c.b + small(r))
        if c.h is not None and r.random() < 0.4:
            c.b_t = double(c.b_t + small(r))
    return model


def tiny_friction(r):
    """Small coefficients, and some that differ a little from simple ones."""
    model = plain(r, (1, 3), (1, 3), slip=1.0)
    for c in model.contacts:
        if r.random() < 0.7:
            c.mu = double(abs(c.mu + small(r)) if r.random() < 0.7 else abs(small(r)))
    return model


def tiny_parallel(r):
    """Gradients, or slips, that are parallel but for a little."""
    model = redundant(r)
    for c in model.contacts:
        for x in filter(None, (c.g, c.h)):
            if r.random() < 0.5:
                k = r.randrange(model.n)
                x[k] = double(x[k] + small(r))
        if not any(c.g):
            c.g[0] = Fraction(1)
    return model


def tiny_impact(r):
    model = impact(r)
    for c in model.contacts:
        if r.random() < 0.5:
            k = r.randrange(model.n)
            c.g[k] = double(c.g[k] + small(r))
        if not any(c.g):
            c.g[0] = Fraction(1)
        if c.h is not None and r.random() < 0.3:
            c.mu = double(abs(c.mu + small(r)))
    return model


def draw(family, seed, least=ZERO):
    """The model of a family and a seed; small numbers below `least` are 0."""
    Small.least = least
    return FAMILIES[family](random.Random(seed))


FAMILIES = {f.__name__: f for f in (
    planar, several, sticking, sliding, frictionless, singular, idle, driven, redundant, impact,
    impact_frictionless, closure, closure_signs, embedded, space, space_closure, copies, welded, lengths, edge,
    *NESTED.values(), tiny_gradient, tiny_load, tiny_friction, tiny_parallel, tiny_impact)}
