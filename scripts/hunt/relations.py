"""Relations between models: the answers to one may not contradict those to another. No oracle is
needed, so that the models may be larger than fractions allow, and in space.

relatives(model, random) gives (relation, model, rules); a rule names a question and which pairs of
answers (of the model, of its relative) contradict each other.
"""
import copy
from fractions import Fraction

from .model import Contact

ZERO = Fraction(0)
SAME = (('yes', 'no'), ('no', 'yes'))
STAYS_YES = (('yes', 'no'),)
STAYS_NO = (('no', 'yes'),)

MOTION = ('acceleration_exists', 'acceleration_unique')
FORCES = ('can_all_stick', 'step_solvable', 'form_closure', 'force_closure')


def more_friction(model, r):
    """All coefficients larger. What may stick still may, what is held still is; the dual cones of a
    step shrink."""
    other = copy.deepcopy(model)
    factor = r.choice([Fraction(9, 8), Fraction(3, 2), Fraction(2), Fraction(8)])
    for c in other.contacts:
        c.mu *= factor
    rules = {'force_closure': STAYS_YES}
    # sliding contacts have other forces with more friction
    if not any(c.slides() for c in model.contacts):
        rules['can_all_stick'] = STAYS_YES
    # a bilateral contact has cones of both signs
    if not any(c.bilateral and c.rubs() for c in model.contacts):
        rules['step_solvable'] = STAYS_NO
    for q in ('mass_definite', 'constraints_independent', 'mfcq', 'form_closure'):
        rules[q] = SAME
    return other, rules


def redundant_copy(model, r):
    """A contact once more, twice as long. Without friction at bilateral ones, whose forces of opposite
    signs would give friction for nothing."""
    fit = [c for c in model.contacts if not (c.bilateral and c.rubs())]
    if not fit:
        return None
    other = copy.deepcopy(model)
    c = copy.deepcopy(r.choice(fit))
    c.name += 'again'
    c.g, c.b, c.rate, c.gap = [2 * x for x in c.g], 2 * c.b, 2 * c.rate, 2 * c.gap
    if c.h is not None:
        c.h, c.b_t, c.slip = [2 * x for x in c.h], 2 * c.b_t, 2 * c.slip
    if c.h2 is not None:
        c.h2 = [2 * x for x in c.h2]
    other.contacts.insert(r.randint(0, len(other.contacts)), c)
    return other, {q: SAME for q in (*MOTION, *FORCES, 'mass_definite', 'mfcq', 'solution_count')}


def split_mass(model, r):
    """One coordinate's inertia on a second one that is welded to it, and some contacts there."""
    n, k = model.n + 1, r.randrange(model.n)
    other = copy.deepcopy(model)
    other.n = n
    other.M = [row + [ZERO] for row in other.M] + [[ZERO] * n]
    share = model.M[k][k] / 4 if all(model.M[k][j] == 0 for j in range(model.n) if j != k) else ZERO
    other.M[k][k] -= share
    other.M[n - 1][n - 1] = share
    part = model.F[k] / 2
    other.F = other.F[:k] + [model.F[k] - part] + other.F[k + 1:] + [part]
    other.v = other.v + [other.v[k]]
    for c in other.contacts:
        moved = r.random() < 0.5
        for key in ('g', 'h', 'h2'):
            x = getattr(c, key)
            if x is not None:
                x = x + [x[k] if moved else ZERO]
                x[k] = ZERO if moved else x[k]
                setattr(c, key, x)
    weld = [ZERO] * n
    weld[k], weld[n - 1] = Fraction(1), Fraction(-1)
    other.contacts.append(Contact('weld', True, weld))
    other.objects = None
    return other, {q: SAME for q in (*MOTION, 'forces_unique', 'can_all_stick', 'step_solvable', 'mfcq',
                                     'solution_count', 'unique_for_every_load', 'delassus_definite')}


def into_space(model, r):
    """A direction more, in which nothing drives; slips turned in their planes by 3-4-5."""
    if model.spatial or model.round() or any(c.slides() for c in model.contacts):
        return None
    if any(c.b_t for c in model.contacts) or any((c.mu / 5).denominator & (c.mu / 5).denominator - 1
                                                  for c in model.contacts if c.rubs()):
        return None
    n = model.n + 1
    other = copy.deepcopy(model)
    other.n = n
    other.M = [row + [ZERO] for row in other.M] + [[ZERO] * model.n + [Fraction(1)]]
    other.F, other.v = other.F + [ZERO], other.v + [ZERO]
    for c in other.contacts:
        c.g = c.g + [ZERO]
        if c.h is not None:
            h = c.h
            c.h, c.h2 = [3 * x for x in h] + [Fraction(-4)], [4 * x for x in h] + [Fraction(3)]
            c.mu = c.mu / 5
    other.objects = None
    rules = {q: SAME for q in ('can_all_stick', 'mfcq', 'mass_definite', 'constraints_independent',
                               'delassus_definite')}
    return other, {**rules, 'acceleration_exists': STAYS_YES}


RELATIONS = (more_friction, redundant_copy, split_mass, into_space)


def relatives(model, r):
    for relation in RELATIONS:
        made = relation(model, r)
        if made is not None:
            yield relation.__name__, *made


def answer(report, question):
    if question == 'solution_count':
        return report['solution_count']
    return (report['verdicts'].get(question) or {}).get('answer')


def contradictions(report, other, rules):
    """(question, text) of what the two reports cannot both say."""
    for question, pairs in rules.items():
        a, b = answer(report, question), answer(other, question)
        if question == 'solution_count':
            if a is not None and b is not None and a != b:
                yield question, f'{a}, but {b}'
        elif (a, b) in pairs:
            yield question, f'{a}, but {b}'


def limits(relation, report, model, other, relative):
    """The least friction does not depend on the friction there is, and tells whether all can stick."""
    if relation == 'into_space' or any(c.slides() for c in model.contacts):
        return
    def least(r):
        x = (r.get('friction') or {}).get('least_for_sticking') or {}
        return x.get('low'), x.get('high')
    for (low, high), (low2, high2) in ((least(report), least(other)), (least(other), least(report))):
        if high is not None and low2 is not None and high < low2 * (1 - 1e-9):
            yield 'least_for_sticking', f'{high} is enough, but {low2} is not'
    for r, m in ((report, model), (other, relative)):
        coefficients = {c.mu for c in m.closed() if c.h is not None and not c.slides()}
        if len(coefficients) != 1:
            continue
        mu, (low, high), told = float(coefficients.pop()), least(r), answer(r, 'can_all_stick')
        if told == 'yes' and low is not None and mu < low * (1 - 1e-9):
            yield 'can_all_stick', f'yes with {mu}, but {low} is not enough'
        if told == 'no' and high is not None and mu > high * (1 + 1e-9):
            yield 'can_all_stick', f'no with {mu}, but {high} is enough'
