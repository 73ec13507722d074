"""Linear algebra and linear programs in whole numbers: nothing here rounds."""
from fractions import Fraction
from math import lcm


def dot(a, b):
    return sum((x * y for x, y in zip(a, b) if x and y), Fraction(0))


def transpose(rows):
    return [list(column) for column in zip(*rows)]


def echelon(rows):
    """Reduced row echelon form and its pivot columns."""
    rows = [list(map(Fraction, row)) for row in rows]
    pivots = []
    width = len(rows[0]) if rows else 0
    for column in range(width):
        top = len(pivots)
        found = next((i for i in range(top, len(rows)) if rows[i][column]), None)
        if found is None:
            continue
        rows[top], rows[found] = rows[found], rows[top]
        scale = rows[top][column]
        rows[top] = [x / scale for x in rows[top]]
        for i, row in enumerate(rows):
            if i != top and row[column]:
                factor = row[column]
                rows[i] = [x - factor * y for x, y in zip(row, rows[top])]
        pivots.append(column)
    return rows[:len(pivots)], pivots


def rank(rows):
    return len(echelon(rows)[1]) if rows and rows[0] else 0


def kernel(rows, width):
    """A basis of {x : rows x = 0}, as a list of vectors."""
    reduced, pivots = echelon(rows) if rows else ([], [])
    basis = []
    for free in (j for j in range(width) if j not in pivots):
        x = [Fraction(0)] * width
        x[free] = Fraction(1)
        for row, pivot in zip(reduced, pivots):
            x[pivot] = -row[free]
        basis.append(x)
    return basis


def determinant(rows):
    """By Gauss' elimination."""
    rows = [list(map(Fraction, row)) for row in rows]
    value = Fraction(1)
    for column in range(len(rows)):
        found = next((i for i in range(column, len(rows)) if rows[i][column]), None)
        if found is None:
            return Fraction(0)
        if found != column:
            rows[column], rows[found] = rows[found], rows[column]
            value = -value
        value *= rows[column][column]
        for i in range(column + 1, len(rows)):
            factor = rows[i][column] / rows[column][column]
            if factor:
                rows[i] = [x - factor * y for x, y in zip(rows[i], rows[column])]
    return value


def whole(row):
    """A positive multiple of the row, in whole numbers."""
    scale = lcm(*(x.denominator for x in row)) if row else 1
    return [int(x * scale) for x in row]


class Polyhedron:
    """{x : a x + c = 0 for all equations, a x + c >= 0 for all inequalities}, rows (c, a).

    A dictionary of the simplex method: denominator * basic = row[0] + row[1:] * (variables of the
    columns), in whole numbers, with Bland's rule. Variables are free: once basic they stay so.
    """

    def __init__(self, size, equations, inequalities):
        self.size = size
        self.denominator = 1
        self.columns = list(range(size))  # x_j is j, the slack of inequality i is -1 - i
        self.rows = {}
        self.feasible = self._eliminate(equations) and self._start(inequalities)

    def _pivot(self, leaving, k):
        """The basic variable `leaving` and that of column k (from 1) change places."""
        row = self.rows.pop(leaving)
        p, old = row[k], self.denominator
        for name, other in self.rows.items():
            factor = other[k]
            if factor:
                new = [(p * x - factor * y) // old for x, y in zip(other, row)]
                new[k] = factor
            else:
                new = [p * x // old for x in other]
            self.rows[name] = new
        mine = [-x for x in row]
        mine[k] = old
        self.rows[self.columns[k - 1]] = mine
        self.columns[k - 1] = leaving
        self.denominator = p
        if p < 0:
            self.denominator = -p
            for name, other in self.rows.items():
                self.rows[name] = [-x for x in other]

    def _drop_column(self, k):
        del self.columns[k - 1]
        for row in self.rows.values():
            del row[k]

    def _in_terms_of_columns(self, row):
        """denominator times c + a x, for a row (c, a) in whole numbers."""
        result = [0] * (1 + len(self.columns))
        result[0] = row[0] * self.denominator
        for j, a in enumerate(row[1:]):
            if not a:
                continue
            if j in self.rows:
                result = [x + a * y for x, y in zip(result, self.rows[j])]
            else:
                result[1 + self.columns.index(j)] += a * self.denominator
        return result

    def _eliminate(self, equations):
        for row in equations:
            row = self._in_terms_of_columns(whole(row))
            k = next((k for k in range(1, len(row)) if row[k]), None)
            if k is None:
                if row[0]:
                    return False
                continue
            self.rows['equation'] = row
            self._pivot('equation', k)
            self._drop_column(k)
        return True

    def _start(self, inequalities):
        for i, row in enumerate(inequalities):
            self.rows[-1 - i] = self._in_terms_of_columns(whole(row))
        for k in range(1, 1 + len(self.columns)):
            slack = next((s for s in self.rows if s < 0 and self.rows[s][k]), None)
            if slack is not None:
                self._pivot(slack, k)
        return self._first_phase()

    def _first_phase(self):
        worst = min((s for s in self.rows if s < 0), key=lambda s: self.rows[s][0], default=None)
        if worst is None or self.rows[worst][0] >= 0:
            return True
        name = 'artificial'
        self.columns.append(name)
        for s, row in self.rows.items():
            row.append(self.denominator if isinstance(s, int) and s < 0 else 0)
        self._pivot(worst, len(self.columns))
        self._climb(None)
        if name in self.rows:
            row = self.rows[name]
            if row[0] > 0:
                return False
            k = next((k for k in range(1, len(row)) if row[k]), None)
            if k is None:
                del self.rows[name]
                return True
            self._pivot(name, k)
        self._drop_column(1 + self.columns.index(name))
        return True

    def _objective(self, cost):
        if cost is None:
            if 'artificial' in self.rows:
                return [-x for x in self.rows['artificial']]
            row = [0] * (1 + len(self.columns))
            row[1 + self.columns.index('artificial')] = -1
            return row
        return self._in_terms_of_columns(cost)

    def _order(self, name):
        return -1 if name == 'artificial' else -name

    def _climb(self, cost):
        """Maximizes cost (None: minus the artificial variable). False when there is no bound."""
        while True:
            row = self._objective(cost)
            rising = [k for k in range(1, len(row)) if row[k] > 0
                      or (row[k] < 0 and isinstance(self.columns[k - 1], int) and self.columns[k - 1] >= 0)]
            if not rising:
                return True
            k = min(rising, key=lambda k: self._order(self.columns[k - 1]))
            if isinstance(self.columns[k - 1], int) and self.columns[k - 1] >= 0:
                return False
            best = None
            for name, r in self.rows.items():
                if (name == 'artificial' or name < 0) and r[k] < 0:
                    ratio = (Fraction(r[0], -r[k]), self._order(name))
                    if best is None or ratio < best[0]:
                        best = (ratio, name)
            if best is None:
                return False
            self._pivot(best[1], k)

    def maximum(self, cost):
        """The largest value of cost x, None when there is no bound. Only where it is feasible."""
        row = [Fraction(0), *map(Fraction, cost)]
        scaled = whole(row)
        if not any(scaled):
            return Fraction(0)
        if not self._climb(scaled):
            return None
        return dot(row[1:], self.point())

    def range(self, cost):
        low = self.maximum([-x for x in cost])
        return (None if low is None else -low, self.maximum(cost))

    def point(self):
        return [Fraction(self.rows[j][0], self.denominator) if j in self.rows else Fraction(0)
                for j in range(self.size)]


def unit(size, j, value=1):
    x = [Fraction(0)] * size
    x[j] = Fraction(value)
    return x


def remainder(a, b):
    a = list(a)
    while len(a) >= len(b):
        factor = a[-1] / b[-1]
        shift = len(a) - len(b)
        for i, x in enumerate(b):
            a[shift + i] -= factor * x
        a.pop()
    return trimmed(a)


def trimmed(p):
    p = list(p)
    while p and not p[-1]:
        p.pop()
    return p


def polynomial_through(values):
    """Coefficients, constant first, of the polynomial with these values at 0, 1, 2 ..."""
    size = len(values)
    rows = [[Fraction(x) ** k for k in range(size)] + [Fraction(v)] for x, v in enumerate(values)]
    reduced, _ = echelon(rows)
    return trimmed([row[-1] for row in reduced])


def roots_between(p, low, high):
    """How many different real roots p has in (low, high], high None for infinity; by Sturm."""
    p = trimmed(p)
    if len(p) < 2:
        return 0
    chain = [p, trimmed([k * x for k, x in enumerate(p)][1:])]
    while True:
        rest = remainder(chain[-2], chain[-1]) if len(chain[-1]) > 1 else []
        if not rest:
            break
        chain.append([-x for x in rest])

    def changes(x):
        signs = []
        for q in chain:
            value = q[-1] if x is None else sum(c * x ** k for k, c in enumerate(q))
            if value:
                signs.append(value > 0)
        return sum(a != b for a, b in zip(signs, signs[1:]))
    return changes(low) - changes(high)
