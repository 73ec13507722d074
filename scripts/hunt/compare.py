"""Compares a report with the truth: a list of (question, outcome, text).

Outcomes: right; wrong; undecided, the report does not tell. With the model of another reading, whose
numbers below rounding or below the tolerance are 0, see docs/theory.md (num.1), the caller also knows
rounding: wrong for the data as they are, right for others within rounding; and band: right, but wrong
if all below the tolerance were 0.
"""
from fractions import Fraction

from . import space, truth
from .truth import Problem, Sliding, Solutions, Sticking

TOLERANCE = Fraction(1, 10 ** 9)
SMALLEST = Fraction(1, 2 ** 40)  # what lies below may be rounding where loads and gradients are some units
ROUNDING = Fraction(1, 10 ** 13)
CLOSE = Fraction(1, 10 ** 6)


def answer_of(value):
    return {True: 'yes', False: 'no'}[value]


class Comparison:
    def __init__(self, model, report):
        self.model, self.report = model, report
        self.outcomes = []
        self.solutions = None  # of the problem of accelerations, once they are known

    def tell(self, question, outcome, text=''):
        self.outcomes.append((question, outcome, text))

    def verdict(self, question, verdict, true):
        """true: True, False, or None where neither yes nor no may be said; a function gives it when asked."""
        if verdict is None:
            return
        if verdict['answer'] == 'undecided':
            self.tell(question, 'undecided')
            return
        value = true() if callable(true) else true
        right = value is not None and verdict['answer'] == answer_of(value)
        self.tell(question, 'right' if right else 'wrong', f"{verdict['answer']}, truth {value}")

    # ---- the pieces ----

    def matrices(self):
        model, closed = self.model, self.model.closed()
        verdicts = self.report['verdicts']
        self.verdict('mass_definite', verdicts.get('mass_definite'), lambda: truth.definite(model.M))
        if self.report['mass']['definite'] is not None:
            rank = truth.rank(model.M) + model.spatial
            right = self.report['mass']['rank'] == rank
            self.tell('mass.rank', 'right' if right else 'wrong', f"{self.report['mass']['rank']}, truth {rank}")
        self.verdict('constraints_independent', verdicts.get('constraints_independent'),
                     lambda: truth.rank(truth.gradients(closed)) == len(closed)
                     and not self.cancels('constraints_independent'))
        self.verdict('constraints_compatible', verdicts.get('constraints_compatible'),
                     lambda: truth.compatible(model))
        self.verdict('mfcq', verdicts.get('mfcq'), lambda: truth.mfcq(model) and not self.cancels('mfcq'))
        self.verdict('delassus_definite', verdicts.get('delassus_definite'),
                     lambda: truth.delassus_definite(model) and not self.cancels('delassus_definite'))
        if model.objects:
            self.verdict('form_closure', verdicts.get('form_closure'), lambda: truth.form_closure(model))
        if model.round():
            return
        self.verdict('step_solvable', verdicts.get('step_solvable'), lambda: truth.step_solvable(model))
        if model.objects:
            self.perhaps('force_closure', verdicts.get('force_closure'), lambda: truth.force_closure(model))

    def cancels(self, question):
        """Whether the combination of gradients in the witness of a no vanishes but for rounding: other
        gradients, within rounding of these, then have it exactly."""
        witness = self.report['verdicts'][question]['witness'] or {}
        if 'lambda_u' not in witness:
            return False
        closed = self.model.closed()
        told = {**witness['lambda_b'], **witness['lambda_u']}
        terms = [[Fraction(told[c.name]) * x for x in c.g] for c in closed]
        largest = max((abs(x) for term in terms for x in term), default=Fraction(0))
        if question != 'constraints_independent':  # the unilateral ones must have a part in it
            mine = [abs(x) for c, term in zip(closed, terms) if not c.bilateral for x in term]
            largest = min(largest, 16 * max(mine))
        return all(abs(sum(column)) <= ROUNDING * largest for column in zip(*terms))

    @staticmethod
    def load(problem):
        return truth.largest(problem.F + [problem.b(i) / c.unit for i, c in enumerate(problem.contacts)]
                             + [problem.slip_acceleration(i)[0] / c.unit_t
                                for i, c in enumerate(problem.contacts) if c.h])

    def count(self, question, count, solutions):
        if count is None:
            self.tell(question, 'undecided')
            return
        right = count == len(solutions.sets)
        self.tell(question, 'right' if right else 'wrong', f'{count}, truth {len(solutions.sets)}')

    def one_solution(self, question, solutions, z, forces, part):
        """The connected set that the solution shown belongs to."""
        names = [c.name for c in solutions.problem.contacts]
        normal = [Fraction(forces[name]['normal']) for name in names]
        tangential = [Fraction((forces[name].get('tangential') or [0])[0]) for name in names]
        x = [Fraction(y) for y in z] + normal + tangential
        n = len(z)
        problem = solutions.problem
        load = self.load(problem)
        error = [CLOSE * max(map(abs, x[:n])) + load / 10 ** 9] * n
        units = [c.unit for c in problem.contacts] + [c.unit_t for c in problem.contacts]
        forces = CLOSE * max((abs(y) * u for y, u in zip(x[n:], units)), default=Fraction(0)) + load / 10 ** 9
        error += [forces / u for u in units]
        near = solutions.near(x, error)
        right = near or truth.fulfils(problem, x, ROUNDING)
        self.tell(question, 'right' if right else 'wrong', '' if right else 'is none')
        if near and part is not None:
            kind = ('acceleration' if not solutions.one_acceleration(near) else
                    'none' if solutions.one_force(near) else 'forces')
            kind = {'velocities': 'acceleration', 'percussions': 'forces'}.get(kind, kind)
            said = {'velocities': 'acceleration', 'percussions': 'forces'}.get(part, part)
            if not (self.model.spatial and kind != said):
                self.tell('continuum', 'right' if said == kind else 'wrong', f'{said}, truth {kind}')
        return near

    def ranges(self, question, ranges, solutions, cells):
        problem = solutions.problem
        for i, c in enumerate(problem.contacts):
            told = ranges.get(c.name)
            if told is None:
                continue
            pairs = [(told.get('normal'), problem.n + i, c.unit)]
            if c.h is not None and told.get('tangential'):
                pairs.append((told['tangential'][0], problem.n + problem.m + i, c.unit_t))
            for pair, j, unit in pairs:
                if pair is not None:
                    self.one_range(question, c.name, pair, solutions.range(cells, j), unit)

    def one_range(self, question, name, told, true, unit):
        def same(a, b):
            if a is None or b is None:
                return a is b
            a = Fraction(a)
            return abs(a - b) <= CLOSE * max(abs(a), abs(b), *(abs(x) for x in true if x is not None)) + Fraction(1, 10 ** 9) / unit
        right = all(map(same, told, true))
        shown = [None if x is None else float(x) for x in true]
        self.tell(question, 'right' if right else 'wrong', f'{name} {told}, truth {shown}')

    def motion(self):
        report, verdicts = self.report, self.report['verdicts']
        if 'acceleration_exists' not in verdicts:
            return
        problem = Problem(self.model)
        solutions = self.solutions = Solutions(problem)
        if solutions.exists() and report['solution_count'] == 0 and not solutions.any_within(self.load(problem) / ROUNDING):
            return  # data within rounding of these have none
        self.verdict('acceleration_exists', verdicts.get('acceleration_exists'), solutions.exists())
        self.verdict('acceleration_unique', verdicts.get('acceleration_unique'),
                     lambda: solutions.exists() and solutions.one_acceleration(solutions.cells))
        unique = verdicts.get('forces_unique')
        if not (self.model.spatial and unique and unique['answer'] == 'no'):  # in space there are more forces
            self.verdict('forces_unique', unique,
                         lambda: solutions.exists() and solutions.one_force(solutions.cells))
        self.count('solution_count', report['solution_count'], solutions)
        first = None
        for k, shown in enumerate(report['solutions']):
            z = [shown['acceleration'][name] for name in report['coordinates'][:self.model.n]]
            near = self.one_solution('solutions', solutions, z, shown['forces'], shown.get('continuum'))
            first = near if k == 0 else first
        if first and report.get('force_ranges'):
            self.ranges('force_ranges', report['force_ranges'], solutions, first)
        self.stick(problem)

    def stick(self, problem):
        sticking = Sticking(problem)
        verdicts, friction = self.report['verdicts'], self.report.get('friction') or {}
        verdict = verdicts.get('can_all_stick')
        self.verdict('can_all_stick', verdict,
                     lambda: sticking.possible() or self.held(sticking, verdict.get('witness'), None))
        least = friction.get('least_for_sticking')
        if least is not None and sticking.free:
            self.least(least, sticking)

    def held(self, sticking, witness, mu):
        """Whether the forces of a witness hold all contacts, but for rounding."""
        if self.model.spatial or not witness or 'acceleration' not in witness:
            return False
        forces = {**witness['lambda_b'], **witness['lambda_u']}
        x = [witness['acceleration'][q] for q in self.report['coordinates']]
        x += [forces[c.name] for c in sticking.problem.contacts]
        x += [(witness['tau'].get(c.name) or [0])[0] for c in sticking.problem.contacts]
        return sticking.fulfilled([Fraction(y) for y in x], mu, ROUNDING)

    def least(self, least, sticking):
        question = 'least_for_sticking'
        if least['value'] is None:
            if 'infinite' not in least.get('reason', '') and 'no friction' not in least.get('reason', ''):
                self.tell(question, 'undecided', least.get('reason', ''))
            else:
                possible = sticking.possible_with_much()
                self.tell(question, 'wrong' if possible else 'right', 'infinite, truth finite')
            return
        value = Fraction(least['value'])
        low, high = value * (1 - 2 * CLOSE), value * (1 + 2 * CLOSE)
        if value == 0:
            right = sticking.possible(Fraction(1, 2 ** 300))
        else:
            enough = least.get('high_witness') and self.held(sticking, least['high_witness'], Fraction(least['high']))
            right = (sticking.possible(high) or enough) and not sticking.possible(low)
        self.tell(question, 'right' if right else 'wrong', f'{float(value)}')
        if not right or least.get('attained') is None:
            return
        simple = value.limit_denominator(10 ** 5)
        if value and (sticking.possible(simple * (1 - Fraction(1, 2 ** 60)))
                      or not sticking.possible(simple * (1 + Fraction(1, 2 ** 60)))):
            return  # not a simple fraction: whether it is attained is another matter
        true = sticking.possible(simple)
        self.tell('least.attained', 'right' if least['attained'] == true else 'wrong',
                  f"{least['attained']}, truth {true}")

    def limits(self):
        sliding = Sliding(self.model)
        verdicts, friction = self.report['verdicts'], self.report.get('friction') or {}
        if sliding.defined:
            self.verdict('unique_for_every_load', verdicts.get('unique_for_every_load'), sliding.unique)
        if not sliding.uniform_defined:
            return
        critical = friction.get('critical')
        if critical is not None:
            self.critical(critical, sliding)
        bound = friction.get('sufficient')
        if bound is not None and bound['value']:
            safe = sliding.unique(Fraction(0)) and not sliding.first_root_between(
                0, Fraction(bound['value']) * (1 - CLOSE))
            self.tell('sufficient', 'right' if safe else 'wrong', f"{bound['value']}")

    def critical(self, critical, sliding):
        at_zero = sliding.unique(Fraction(0))
        if critical['value'] is None:
            if 'infinite' not in critical.get('reason', '') and 'no friction' not in critical.get('reason', ''):
                self.tell('critical', 'undecided', critical.get('reason', ''))
                return
            right = at_zero and not sliding.first_root_between(0, None)
        else:
            value = Fraction(critical['value'])
            low, high = value * (1 - 2 * CLOSE), value * (1 + 2 * CLOSE)
            right = (not at_zero if value == 0 else
                     at_zero and not sliding.first_root_between(0, low) and sliding.first_root_between(low, high))
        self.tell('critical', 'right' if right else 'wrong', f"{critical['value']}")

    def impact(self):
        impact = self.report.get('impact')
        if impact is None:
            return
        solutions = Solutions(Problem(self.model, impact=True))
        moreau = impact['moreau']
        self.verdict('moreau.exists', moreau.get('exists'), solutions.exists())
        self.verdict('moreau.unique', moreau.get('unique'),
                     lambda: solutions.exists() and solutions.one_acceleration(solutions.cells))
        self.verdict('moreau.percussions_unique', moreau.get('percussions_unique'),
                     lambda: solutions.exists() and solutions.one_force(solutions.cells))
        self.count('moreau.count', moreau.get('solution_count'), solutions)
        names = self.report['coordinates']
        for shown in moreau.get('solutions', []):
            z = [shown['jump'][name] for name in names]
            self.one_solution('moreau.solutions', solutions, z, shown['percussions'], shown.get('continuum'))
            self.after(shown, z)
        self.newton(impact, solutions)

    def after(self, shown, z):
        v = [a + Fraction(b) for a, b in zip(self.model.v, z)]
        told = [Fraction(shown['velocities_after'][name]) for name in self.report['coordinates']]
        size = max(map(abs, v + self.model.v))
        right = all(abs(a - b) <= size / 10 ** 9 for a, b in zip(v, told))
        self.tell('velocities_after', 'right' if right else 'wrong')

    def newton(self, impact, solutions):
        problem = solutions.problem
        equal = [problem.normal_acceleration(i) for i, c in enumerate(problem.contacts) if not c.bilateral]
        feasible = any(problem.polyhedron(laws, equal).feasible for _, laws, _ in solutions.cells)
        if not any(c.rubs() for c in problem.contacts):
            laws = [([problem.normal_acceleration(i), problem.force(i, True)],
                     [] if c.bilateral else [problem.force(i)]) for i, c in enumerate(problem.contacts)]
            feasible = problem.polyhedron(laws).feasible
        self.verdict('newton.feasible', impact['newton'].get('feasible'), feasible)
        if impact.get('law') == 'Newton' and impact['newton']['feasible']['answer'] == 'yes':
            self.tell('impact.law', 'right' if feasible else 'wrong', 'Newton')

    # ---- contacts with two slips ----

    def perhaps(self, question, verdict, true):
        """The truth may be not known: None, and then any answer passes."""
        if verdict and verdict['answer'] != 'undecided' and true() is None:
            self.tell(question, 'right', 'not known')
        else:
            self.verdict(question, verdict, true)

    def round(self):
        model, verdicts = self.model, self.report['verdicts']
        if model.objects:
            self.perhaps('force_closure', verdicts.get('force_closure'), lambda: space.force_closure(model))
        sticking = space.Sticking(model)
        self.perhaps('can_all_stick', verdicts.get('can_all_stick'), sticking.possible)
        least = (self.report.get('friction') or {}).get('least_for_sticking')
        if least is not None and sticking.free:
            self.round_least(least, sticking)
        for shown in self.report['solutions']:
            fault = space.fault(model, self.report['coordinates'], shown)
            self.tell('solutions', 'right' if fault <= 1e-8 else 'wrong', f'residual {fault:.2g}')

    def round_least(self, least, sticking):
        if least['value'] is None:
            if 'infinite' not in least.get('reason', '') and 'no friction' not in least.get('reason', ''):
                self.tell('least_for_sticking', 'undecided', least.get('reason', ''))
                return
            right = sticking.possible(Fraction(10) ** 6) is not True
        else:
            value = Fraction(least['value'])
            right = (sticking.possible(value * (1 + CLOSE)) is not False
                     and (value == 0 or sticking.possible(value * (1 - CLOSE)) is not True))
        self.tell('least_for_sticking', 'right' if right else 'wrong', f"{least['value']}")

    def all(self):
        self.matrices()
        if self.model.round():
            self.round()
            return self.outcomes
        self.motion()
        self.limits()
        self.impact()
        return self.outcomes
