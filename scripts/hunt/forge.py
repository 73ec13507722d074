"""False reports, made from true ones by changing one claim: `delassus verify` must reject them."""
import copy
from fractions import Fraction


def with_change(report, path, value):
    report = copy.deepcopy(report)
    place = report
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return report


def false_answers(comparison, r):
    """(question, report) with one answer, count or limit that is false."""
    names = {'solution_count': 'solution_count', 'critical': 'critical', 'least_for_sticking': 'least_for_sticking'}
    for name, path, value in flipped_verdicts(comparison, r) + counts(comparison, r) + limits(comparison, r):
        question = path[1] if path[0] == 'verdicts' else names.get(name)
        if question:
            yield question, with_change(comparison.report, path, value)


def forgeries(comparison, r, most=16):
    """(what was changed, report), at most so many, each with one claim that is false."""
    made = []
    for maker in (flipped_verdicts, counts, solutions, continua, ranges, matrices, limits, impacts, contacts):
        made += maker(comparison, r)
    r.shuffle(made)
    for name, path, value in made[:most]:
        place = comparison.report
        for key in path[:-1]:
            place = place[key]
        if not (isinstance(place, dict) and place.get('proven') is False):
            yield f"{name} {'.'.join(map(str, path))} = {value}", with_change(comparison.report, path, value)


def other(answer):
    return {'yes': 'no', 'no': 'yes'}[answer]


def changed(r, x, size=1.0):
    """A number that differs from x by a thousandth to twice its size."""
    return x + r.choice([-1, 1]) * r.choice([1e-3, 1e-2, 0.3, 2.0]) * max(abs(x), size)


def flipped_verdicts(comparison, r):
    return [(f'verdict {q}', ['verdicts', q, 'answer'], other(v['answer']))
            for q, v in comparison.report['verdicts'].items() if v['answer'] != 'undecided']


def counts(comparison, r):
    count = comparison.report['solution_count']
    if count is None:
        return []
    return [('solution_count', ['solution_count'], n) for n in (count + 1, count - 1) if n >= 0]


def units_of(problem):
    """What accelerations are measured by, and forces: those of contacts whose gradients are long are small."""
    return ([Fraction(1)] * problem.n + [1 / length(c.g) for c in problem.contacts]
            + [1 / length(c.h) for c in problem.contacts])


def length(gradient):
    return max(map(abs, gradient or []), default=0) or Fraction(1)


def set_of(solutions, x):
    """Whether a solution lies next to x."""
    n, units = solutions.problem.n, units_of(solutions.problem)
    sizes = [max((abs(y / u) for y, u in part), default=Fraction(0)) + Fraction(1, 10 ** 3)
             for part in (list(zip(x, units))[:n], list(zip(x, units))[n:])]
    return solutions.near(x, [(sizes[0] if j < n else sizes[1]) / 10 ** 6 * u for j, u in enumerate(units)])


def solutions(comparison, r):
    if comparison.solutions is None or comparison.model.spatial:
        return []
    made = []
    closed, units = comparison.solutions.problem.contacts, units_of(comparison.solutions.problem)
    names = [c.name for c in closed]
    coordinates = comparison.report['coordinates']
    for k, shown in enumerate(comparison.report['solutions']):
        x = [Fraction(shown['acceleration'][q]) for q in coordinates]
        x += [Fraction(shown['forces'][name]['normal']) for name in names]
        x += [Fraction((shown['forces'][name].get('tangential') or [0])[0]) for name in names]
        places = [['acceleration', q] for q in coordinates] + [['forces', name, 'normal'] for name in names]
        places += [['forces', name, 'tangential', 0] if shown['forces'][name].get('tangential') else None
                   for name in names]
        largest = float(max((abs(y / u) for y, u in zip(x, units)), default=0)) or 1.0
        for j, place in enumerate(places):
            if place is None or r.random() < 0.5:
                continue
            value = changed(r, float(x[j]), largest * float(units[j]))
            forged = x[:j] + [Fraction(value)] + x[j + 1:]
            if abs(value - float(x[j])) > 1e-4 * largest * float(units[j]) and not set_of(comparison.solutions, forged):
                made.append((f'solutions.{place[0]}', ['solutions', k, *place], value))
        for c in closed:
            for key, unit in (('normal_acceleration', c.unit), ('slip_acceleration', c.unit_t)):
                told = shown['forces'][c.name].get(key)
                if isinstance(told, list) and told:
                    made.append((key, ['solutions', k, 'forces', c.name, key, 0], changed(r, told[0], float(unit))))
                elif isinstance(told, float):
                    made.append((key, ['solutions', k, 'forces', c.name, key], changed(r, told, float(unit))))
    return made


def continua(comparison, r):
    made = []
    for k, shown in enumerate(comparison.report['solutions']):
        if shown.get('continuum') and not comparison.model.spatial:
            wrong = r.choice([c for c in ('none', 'forces', 'acceleration') if c != shown['continuum']])
            made.append(('continuum', ['solutions', k, 'continuum'], wrong))
    return made


def moved_ends(r, name, path, pair, size):
    made = []
    for end in (0, 1):
        if pair[end] is None:
            made.append((name, path + [end], (-1 if end == 0 else 1) * 7.0 * size))
        elif abs(pair[end]) <= 900 * size:
            made.append((name, path + [end], None))
            made.append((name, path + [end], changed(r, pair[end], size)))
    return made


def ranges(comparison, r):
    told = comparison.report.get('force_ranges') or {}
    shown = (comparison.report['solutions'] or [{}])[0].get('forces', {})
    contact = {c.name: c for c in comparison.model.contacts}
    size = max((abs(f['normal']) * float(contact[name].unit) for name, f in shown.items()), default=0) or 1.0
    made = []
    for name, pair in told.items():
        if comparison.model.spatial:
            continue
        normal, slipping = (size / float(u) for u in (contact[name].unit, contact[name].unit_t))
        if pair.get('normal'):
            made += moved_ends(r, 'force_ranges', ['force_ranges', name, 'normal'], pair['normal'], normal)
        for k, slip in enumerate(pair.get('tangential') or []):
            if slip:
                made += moved_ends(r, 'force_ranges', ['force_ranges', name, 'tangential', k], slip, slipping)
    return made


def matrices(comparison, r):
    report = comparison.report
    made = [('mass.rank', ['mass', 'rank'], report['mass']['rank'] + 1)]
    if report['mass']['definite'] is not None:
        made.append(('mass.definite', ['mass', 'definite'], not report['mass']['definite']))
    if report['mass'].get('condition'):
        made.append(('mass.condition', ['mass', 'condition'], report['mass']['condition'] * r.choice([1.01, 2, 0.9])))
    if report.get('constraints'):
        for key in ('rank', 'count'):
            if report['constraints'].get(key) is not None:
                made.append((f'constraints.{key}', ['constraints', key], report['constraints'][key] + 1))
    for key, numbers in (('delassus', 'matrix'), ('delassus_unconstrained', 'matrix'), ('kinetic_angles', 'radians')):
        matrix = (report.get(key) or {}).get(numbers)
        if matrix:
            i, j = r.randrange(len(matrix)), r.randrange(len(matrix))
            size = largest_unit = 1.0
            if key != 'kinetic_angles':
                unit = {c.name: float(c.unit) for c in comparison.model.contacts}
                units = [unit[name] for name in report[key]['names']]
                largest_unit = units[i] * units[j]
                size = units[i] * units[j] * max(abs(x) / u / v for row, u in zip(matrix, units)
                                                 for x, v in zip(row, units)) or units[i] * units[j]
            # what constraints leave of a gradient is known to data within a thousandth of the tolerance
            part = r.choice([1e-3, 0.5]) if key == 'kinetic_angles' or size > 1e-12 * largest_unit else 0.5
            made.append((key, [key, numbers, i, j], matrix[i][j] + r.choice([-1, 1]) * part * size))
    return made


def limits(comparison, r):
    friction = comparison.report.get('friction') or {}
    made = []
    for key in ('critical', 'least_for_sticking'):
        limit = friction.get(key)
        if limit is None or limit.get('proven') is False:
            continue
        if limit['value'] is None:
            if 'infinite' in limit.get('reason', ''):
                made.append((key, ['friction', key, 'value'], r.choice([0.5, 1e3])))
            continue
        forged = dict(limit, value=changed(r, limit['value'], 1e-3))
        if forged['value'] >= 0:
            scale = forged['value'] / limit['value'] if limit['value'] else 1
            for end in ('low', 'high'):
                if limit.get(end) is not None:
                    forged[end] = limit[end] * scale if limit['value'] else limit[end]
            made.append((key, ['friction', key], forged))
        if limit.get('attained') is not None:
            made.append(('attained', ['friction', key, 'attained'], not limit['attained']))
    critical, bound = friction.get('critical'), friction.get('sufficient')
    if critical and bound and critical['value'] and bound['value']:
        made.append(('sufficient', ['friction', 'sufficient', 'value'], critical['value'] * 1.01))
    return made


def impacts(comparison, r):
    impact = comparison.report.get('impact')
    if not impact:
        return []
    made = []
    for law in ('newton', 'moreau'):
        for question, verdict in (impact.get(law) or {}).items():
            if isinstance(verdict, dict) and verdict.get('answer') in ('yes', 'no'):
                made.append((f'{law}.{question}', ['impact', law, question, 'answer'], other(verdict['answer'])))
    if impact.get('law') in ('Newton', 'Moreau'):
        made.append(('impact.law', ['impact', 'law'], 'Newton' if impact['law'] == 'Moreau' else 'Moreau'))
    if impact['newton'].get('separates') is not None:
        made.append(('separates', ['impact', 'newton', 'separates'], not impact['newton']['separates']))
    count = impact['moreau'].get('solution_count')
    if count is not None:
        made.append(('moreau.count', ['impact', 'moreau', 'solution_count'], count + 1))
    motions = [['impact']] if impact.get('law') else []
    motions += [['impact', 'moreau', 'solutions', k] for k in range(len(impact['moreau'].get('solutions', [])))]
    for path in motions:
        made += motion(comparison, r, path)
    return made


def motion(comparison, r, path):
    place = comparison.report
    for key in path:
        place = place[key]
    energy, made = place['kinetic_energy'], []
    wrong = r.choice([b for b in ('lost', 'kept', 'gained') if b != energy['balance']])
    made.append(('energy.balance', [*path, 'kinetic_energy', 'balance'], wrong))
    for key in ('before', 'after', 'change', 'contact_work'):
        size = max(abs(energy['before']), abs(energy['after'])) or 1.0
        made.append((f'energy.{key}', [*path, 'kinetic_energy', key], energy[key] + r.choice([-1, 1]) * 1e-2 * size))
    for key in ('velocities_after', 'jump'):
        for q, x in place[key].items():
            made.append((key, [*path, key, q], x + r.choice([-1, 1]) * r.choice([1e-2, 1.0])))
    if place.get('continuum'):
        wrong = r.choice([c for c in ('none', 'percussions', 'velocities') if c != place['continuum']])
        made.append(('impact.continuum', [*path, 'continuum'], wrong))
    return made


def contacts(comparison, r):
    made = []
    for k, c in enumerate(comparison.report['contacts']):
        wrong = r.choice([s for s in ('open', 'separating', 'impacting', 'sliding', 'sticking') if s != c['status']])
        made.append(('status', ['contacts', k, 'status'], wrong))
        made.append(('friction', ['contacts', k, 'friction'], c['friction'] + max(0.5, c['friction'] / 100)))
        made.append(('gap', ['contacts', k, 'gap'], c['gap'] + 0.01))
    return made
