"""A contact problem with fractions for data, and the model (.dls) that has it at its first state."""
from dataclasses import dataclass, field
from fractions import Fraction

from .exact import dot


@dataclass
class Contact:
    """Planar: one slip velocity, or none (h is None). All numbers are fractions."""
    name: str
    bilateral: bool
    g: list                       # gradient
    b: Fraction = Fraction(0)     # normal acceleration that does not depend on v'
    h: list = None                # tangential direction
    b_t: Fraction = Fraction(0)
    mu: Fraction = Fraction(0)
    slip: Fraction = Fraction(0)  # slip velocity at the state
    rate: Fraction = Fraction(0)  # normal velocity at the state
    e: Fraction = Fraction(0)     # restitution
    gap: Fraction = Fraction(0)
    unit: Fraction = Fraction(1)    # what the gradient is long by, and the slip: forces are measured by it
    unit_t: Fraction = Fraction(1)
    h2: list = None               # a second tangential direction, in space; nothing is imposed along it

    def rubs(self):
        return self.h is not None and self.mu > 0

    def slides(self):
        return self.h is not None and self.slip != 0

    def xi(self):
        return 1 if self.slip > 0 else -1


@dataclass
class Model:
    M: list
    F: list
    contacts: list
    v: list = None
    objects: list = None   # coordinates of the object whose closure is asked about
    spatial: bool = False  # a coordinate more, along which all contacts may slip and nothing drives
    notes: list = field(default_factory=list)

    def __post_init__(self):
        self.n = len(self.M)
        if self.v is None:
            self.v = [Fraction(0)] * self.n

    def closed(self):
        """Bilateral contacts first, as in the reports; then those that neither are open nor separate."""
        active = [c for c in self.contacts if c.bilateral or (c.gap == 0 and c.rate <= 0)]
        return [c for c in active if c.bilateral] + [c for c in active if not c.bilateral]

    def round(self):
        """Some contact has two slips of its own."""
        return any(c.h2 is not None for c in self.contacts)

    def impacts(self):
        return any(c.rate < 0 for c in self.closed() if not c.bilateral)


def number(x):
    """The decimal that reads back as x; x must be a double."""
    value = float(x)
    if Fraction(value) != x:
        raise ValueError(f'{x} is no double')
    return repr(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def linear(coefficients, names, rest=''):
    terms = [f'{number(x)}*{name}' for x, name in zip(coefficients, names) if x]
    return ' + '.join(terms + ([rest] if rest else [])) or '0*' + names[0]


def imposed(constant, rate):
    """constant + rate t, as text."""
    return ' + '.join(([number(constant)] if constant else []) + ([f'{number(rate)}*t'] if rate else []))


def contact_text(c, model, names):
    primes = [name + "'" for name in names]
    rate = c.rate - dot(c.g, model.v)  # what the velocities do not give is imposed
    rest = ' + '.join(filter(None, [number(c.gap) if c.gap else '', f'{number(rate)}*t' if rate else '',
                                    f'{number(c.b / 2)}*t^2' if c.b else '']))
    parts = []
    if c.h is not None:
        slip = linear(c.h, primes, imposed(c.slip - dot(c.h, model.v), c.b_t))
        second = ", w'" if model.spatial else ''
        if c.h2 is not None:
            second = ', ' + linear(c.h2, primes, '')
        parts += [f'slip {slip}{second}', f'friction {number(c.mu)}']
    if c.e and not c.bilateral:
        parts.append(f'restitution {number(c.e)}')
    law = f" {{ {'; '.join(parts)} }}" if parts else ''
    kind, sign = ('bilateral', '=') if c.bilateral else ('unilateral', '>=')
    return f'{kind} {c.name}: {linear(c.g, names, rest)} {sign} 0{law}'


def text(model):
    names = [f'q{i + 1}' for i in range(model.n)]
    primes = [name + "'" for name in names]
    lines = ['coordinate ' + ', '.join(names + (['w'] if model.spatial else []))]
    moving = [f'{name} = {number(x)}' for name, x in zip(names, model.v) if x]
    if moving:
        lines.append('velocity ' + ', '.join(moving))
    squares = [f'{number(model.M[i][j] * (1 if i == j else 2))}*{primes[i]}*{primes[j]}'
               for i in range(model.n) for j in range(i, model.n) if model.M[i][j]]
    if model.spatial:
        squares.append("1*w'*w'")
    lines.append(f"kinetic ({' + '.join(squares) or '0*' + primes[0]})/2")
    loads = [f'{name} = {number(-x)}' for name, x in zip(names, model.F) if x]
    if loads:
        lines.append('force ' + ', '.join(loads))
    lines += [contact_text(c, model, names) for c in model.contacts]
    if model.objects:
        lines.append('object body: ' + ', '.join(names[i] for i in model.objects))
    return '\n'.join(lines) + '\n'
