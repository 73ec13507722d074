// How many sets of solutions there are, what each of them is, and how far the forces go in them.
#include "base/memory.h"
#include "verify/checks.h"
#include "verify/sets.h"

#include "base/format.h"

#include <math.h>
#include <string.h>

bool dls_show(dls_trial *x, const dls_trial_point *point)
{
  enum { STEP = 64 };
  if (x->shown % STEP == 0) {
    dls_trial_point *list = dls_trial_alloc(x, (ptrdiff_t)x->shown + STEP, sizeof *list);
    if (!list) return false;
    if (x->shown) dls_copy(list, x->shown_point, x->shown);
    x->shown_point = list;
  }
  x->shown_point[x->shown++] = *point;
  return true;
}

// ---- the number --------------------------------------------------------------------------------

static bool is_unique(const dls_trial *x)
{
  return x->one_acceleration && (x->data.m == 0 || x->one_force);
}

// Each solution shown lies in a set of its own.
static bool tells_apart(dls_trial *x, dls_finding *f, const dls_sets *s)
{
  int *seen = dls_trial_alloc(x, x->shown, sizeof *seen);
  if (!seen) return false;
  for (int k = 0; k < x->shown; k++) {
    seen[k] = dls_sets_of_point(x, s, &x->shown_point[k]);
    if (x->out_of_memory) return false;
    if (seen[k] < 0)
      return dls_fails(x, f, "solution %d lies in no case that holds solutions", k + 1);
    for (int b = 0; b < k; b++)
      if (seen[b] == seen[k])
        return dls_fails(x, f, "solutions %d and %d belong to one connected set", b + 1, k + 1);
  }
  return true;
}

// The sets as the covering of the report shows them, or NULL when they are not known.
static dls_sets *read_sets(dls_trial *x, dls_finding *f, const json_t *covering)
{
  dls_sets *s = dls_trial_alloc(x, 1, sizeof *s);
  if (!s) return NULL;
  if (!covering && x->unique_open) {
    dls_leaves_open(x, f, "whether there is one is left open");
    return NULL;
  }
  if (!covering) {
    dls_fails(x, f, "no proof in this report that there are no others: it has no covering");
    return NULL;
  }
  return dls_sets_from_leaves(x, f, covering, s) ? s : NULL;
}

static bool counts(const dls_sets *s, double count)
{
  return count >= s->fewest && count <= s->components;
}

// Numbers between rounding and the tolerance may count or not: the sets that there are without
// what hangs on them may be as many as the report says.                            eq (num.1)
static bool counts_warily(dls_trial *x, dls_finding *f, double count, const json_t *covering)
{
  x->wary = true;
  const dls_sets *s = read_sets(x, f, covering);
  x->wary = false;
  return s && counts(s, count);
}

static void count_sets(dls_trial *x, dls_finding *f, double count, const json_t *covering)
{
  const dls_sets *s = read_sets(x, f, covering);
  x->sets_open = f->found == DLS_FOUND_UNPROVEN;
  if (!s) return;
  if (!counts(s, count) && counts_warily(x, f, count, covering)) {
    x->sets_open = true;
    dls_leaves_open(x, f,
                    "the cases hold %d connected sets of solutions, but for numbers between "
                    "rounding and the tolerance",
                    s->components);
    return;
  }
  if (!counts(s, count)) {
    dls_fails(x, f, "it is %.0f, but the cases hold %d connected sets of solutions", count,
              count < s->fewest ? s->fewest : s->components);
    return;
  }
  if (s->fewest < s->components) {
    x->sets_open = true;
    dls_leaves_open(x, f,
                    "the cases hold %d to %d connected sets of solutions: whether two touch, "
                    "or one holds a solution, is at the edge of rounding",
                    s->fewest, s->components);
    return;
  }
  if (!tells_apart(x, f, s)) return;
  x->sets = s;
  dls_proves(x, f, "the cases cover everything; %d of them hold solutions, in %d connected set%s",
             s->polyhedra, s->components, s->components == 1 ? "" : "s");
}

void dls_check_count(dls_trial *x, dls_finding *f, const json_t *value, ptrdiff_t listed,
                     const json_t *covering)
{
  const double count = json_is_number(value) ? json_number_value(value) : (double)NAN;
  if (!(count >= 0 && count == floor(count))) {
    dls_fails(x, f, "it is not a count");
  } else if ((double)listed > count) {
    dls_fails(x, f, "%td solutions are shown, more than %.0f", listed, count);
  } else if (count == 0) {
    if (x->none) dls_proves(x, f, "none exists");
    else dls_fails(x, f, "it is 0, but that none exists is not proven");
  } else if (x->shown == 0) {
    dls_fails(x, f, "it is %.0f, but no solution is shown", count);
  } else if (is_unique(x)) {
    if (count == 1) dls_proves(x, f, "there is exactly one");
    else dls_fails(x, f, "it is %.0f, but the solution is unique", count);
  } else if (!x->data.rubs) {
    if (count == 1) dls_proves(x, f, "without friction the solutions form one convex set");
    else dls_fails(x, f, "it is %.0f, but without friction all solutions are connected", count);
  } else {
    count_sets(x, f, count, covering);
  }
}

// ---- spans -------------------------------------------------------------------------------------

// Spans of one point; of its forces where only they are unique.
static bool span_point(dls_trial *x, const dls_trial_point *point, dls_spans *s)
{
  const dls_data *d = &x->data;
  s->z = dls_trial_alloc(x, d->n, sizeof *s->z);
  s->lambda = dls_trial_alloc(x, d->m, sizeof *s->lambda);
  s->tau = dls_trial_alloc(x, d->tangents, sizeof *s->tau);
  if (!s->z || !s->lambda || !s->tau) return false;
  for (int i = 0; i < d->n; i++)
    s->z[i].low = s->z[i].high = x->one_acceleration ? point->z[i] / d->D[i] : (double)NAN;
  for (int j = 0; j < d->m; j++) {
    s->lambda[j].low = s->lambda[j].high = point->lambda[j] / d->C[j];
    for (int k = d->first[j]; k < d->first[j + 1]; k++)
      s->tau[k].low = s->tau[k].high = point->tau[k] / d->C[j];
  }
  return true;
}

// The spans over the set of solution k, or NULL with the reason why there are none. zero: what is
// more opens a contact, without friction.
static const dls_spans *spans_of(dls_trial *x, dls_finding *f, int k, double zero)
{
  dls_sets own;
  const dls_sets *s = x->sets;
  dls_spans *spans = dls_trial_alloc(x, 1, sizeof *spans);
  if (!spans) return NULL;
  if (is_unique(x) || (x->one_force && !x->data.rubs))
    return span_point(x, &x->shown_point[0], spans) ? spans : NULL;
  if (!s && !x->data.rubs && dls_sets_from_point(x, &x->shown_point[0], zero, &own)) s = &own;
  if (!s) {
    if (x->sets_open) dls_leaves_open(x, f, "the sets of solutions are not known");
    else dls_fails(x, f, "no proof in this report: the sets of solutions are not known");
    return NULL;
  }
  if (dls_sets_work(x, s) > dls_sets_max) {
    dls_leaves_open(x, f, "too large to be checked");
    return NULL;
  }
  const int component = dls_sets_of_point(x, s, &x->shown_point[k]);
  if (component < 0) {
    dls_fails(x, f, "solution %d lies in no case that holds solutions", k + 1);
    return NULL;
  }
  dls_sets measured = *s;
  if (x->data.rubs && !dls_sets_measure(x, &x->shown_point[k], &measured)) return NULL;
  return dls_sets_span(x, &measured, component, spans) ? spans : NULL;
}

// What accelerations and forces of solution k are measured by in a part: the same where there is
// mass.
static dls_part_measures sizes_at(dls_trial *x, int k, int part)
{
  dls_sizes size;
  if (!dls_measure_point(x, &x->shown_point[k], &size))
    return (dls_part_measures){(double)NAN, (double)NAN};
  const double z = size.acceleration[part], force = size.force[part];
  if (!x->data.massive[part]) return (dls_part_measures){z, force};
  return (dls_part_measures){dls_larger(z, force), dls_larger(z, force)};
}

// ---- continuum ---------------------------------------------------------------------------------

typedef enum spread { POINT, MANY, OPEN } spread;

static spread spread_of(const dls_span *s, double size, double tolerance)
{
  if (isnan(s->low) || isnan(s->high)) return OPEN;
  const double larger = isfinite(s->low) ? fmax(size, fabs(s->low)) : size;
  const double width = s->high - s->low;
  if (width > spread_of_point * tolerance * larger) return MANY;
  return width > point_below * tolerance * larger ? OPEN : POINT;
}

static void join(spread *all, spread one)
{
  if (*all == MANY || one == POINT) return;
  *all = one;
}

static void spread_of_set(dls_trial *x, int k, const dls_spans *s, spread *z, spread *force)
{
  const dls_data *d = &x->data;
  *z = *force = POINT;
  for (int i = 0; i < d->n; i++)
    join(z, spread_of(&s->z[i], sizes_at(x, k, d->coordinate_part[i]).z, x->tolerance));
  for (int j = 0; j < d->m; j++) {
    const double size = sizes_at(x, k, d->contact_part[j]).force;
    join(force, spread_of(&s->lambda[j], size, x->tolerance));
    for (int t = d->first[j]; t < d->first[j + 1]; t++)
      join(force, spread_of(&s->tau[t], size, x->tolerance));
  }
}

// What the verdicts tell.
static void spread_of_verdicts(const dls_trial *x, spread *z, spread *force)
{
  *z = x->one_acceleration ? POINT : x->many_accelerations ? MANY : OPEN;
  *force = x->one_force || x->data.m == 0 ? POINT : x->many_forces ? MANY : OPEN;
}

// Where they do not, and where a set is not all solutions, the spans do. False: those are not
// known.
static bool spread_of_solution(dls_trial *x, dls_finding *f, int k, spread *z, spread *force)
{
  spread of_set[2];
  spread_of_verdicts(x, z, force);
  const bool all = x->sets && x->sets->components == 1;
  if (is_unique(x) || ((!x->data.rubs || all) && *z != OPEN && *force != OPEN)) return true;
  const dls_spans *spans = spans_of(x, f, k, x->tolerance);
  if (!spans) return false;
  spread_of_set(x, k, spans, &of_set[0], &of_set[1]);
  // without friction the forces are the same for every acceleration, of which these are a part
  if (!x->data.rubs) {
    if (*force == OPEN) *force = of_set[1];
    if (*z == OPEN && of_set[0] == MANY) *z = MANY;
    return *z != OPEN || dls_fails(x, f, "that the acceleration is unique is not proven");
  }
  if (of_set[0] != OPEN || !all) *z = of_set[0];
  if (of_set[1] != OPEN || !all) *force = of_set[1];
  return true;
}

// words: of one point, of many forces, of many accelerations.
void dls_check_continuum(dls_trial *x, dls_finding *f, int k, const json_t *value,
                         const char *const words[3])
{
  const char *word = json_string_value(value);
  spread z, force;
  if (json_is_null(value)) return;
  if (k >= x->shown) {
    dls_fails(x, f, "the solution is not proven");
    return;
  }
  if (!spread_of_solution(x, f, k, &z, &force)) return;
  const char *found = z == MANY                      ? words[2]
                      : z == POINT && force == MANY  ? words[1]
                      : z == POINT && force == POINT ? words[0]
                                                     : NULL;
  const bool wrong = word && ((z == POINT && strcmp(word, words[2]) == 0) ||
                              (force == POINT && strcmp(word, words[1]) == 0));
  if (!found && wrong) dls_fails(x, f, "the continuum is not \"%.20s\"", word);
  else if (!found) dls_leaves_open(x, f, "whether the solution is one point or many is not proven");
  else if (!word || strcmp(word, found) != 0)
    dls_fails(x, f, "the continuum is \"%s\", not \"%.20s\"", found, word ? word : "");
  else dls_proves(x, f, "what is one point and what is many is as the report says");
}

// ---- ranges ------------------------------------------------------------------------------------

typedef struct range_end {
  double found;  // NaN: not proven
  double shown;  // what the solution shown has
  int side;      // -1: lower, 1: upper
  double unit, size;
  double forces;  // the largest force in the part
} range_end;

// True unless it is wrong: an end that is not proven is left open, but not one that the solution
// shown lies beyond.
static bool check_end(dls_trial *x, dls_finding *f, const json_t *claimed, const range_end *e)
{
  const char *which = e->side < 0 ? "lower" : "upper";
  const double found = e->found, unit = e->unit, size = e->size;
  const double value = json_number_value(claimed) / unit;
  if (isnan(found)) {
    const double beyond = e->side * (e->shown - value);
    dls_leaves_open(x, f, "its %s end is not proven", which);
    if (!json_is_number(claimed))
      return json_is_null(claimed) || dls_fails(x, f, "its %s end is not a number", which);
    return !(beyond > spread_of_point * x->tolerance * fmax(size, fabs(e->shown))) ||
           dls_fails(x, f, "the solution shown lies beyond its %s end", which);
  }
  if (isinf(found)) return json_is_null(claimed) || dls_fails(x, f, "it has no %s end", which);
  if (!json_is_number(claimed))
    return dls_fails(x, f, "its %s end is not a number, but it is %.9g", which, found * unit);
  const double away = fabs(value - found);
  char what[80];
  dls_format(what, sizeof what, "its %s end is %.9g", which, found * unit);
  if (!dls_within(x, f, dls_quotient(away, fmax(size, fabs(found))), what)) return false;
  if (away > x->tolerance * fabs(found) && away > x->data.noise * e->forces)
    dls_leaves_open(x, f, "its %s end is small beside other forces", which);
  return true;
}

static bool check_interval(dls_trial *x, dls_finding *f, const json_t *range, const dls_span *span,
                           range_end e)
{
  if (!json_is_array(range) || dls_json_length(range) != 2)
    return dls_fails(x, f, "expected two ends");
  e.found = span->low, e.side = -1;
  if (!check_end(x, f, dls_json_item(range, 0), &e)) return false;
  e.found = span->high, e.side = 1;
  return check_end(x, f, dls_json_item(range, 1), &e);
}

// Accelerations do not count: those imposed along a slip that has units of its own may be large.
static double largest_force(const dls_data *d, int part, const dls_trial_point *point)
{
  double size = 0;
  for (int i = 0; i < d->n; i++)
    if (d->coordinate_part[i] == part) dls_raise(&size, fabs(d->F[i]) * d->D[i]);
  for (int j = 0; j < d->m; j++) {
    if (d->contact_part[j] != part) continue;
    dls_raise(&size, fabs(point->lambda[j]) / d->C[j]);
    for (int k = d->first[j]; k < d->first[j + 1]; k++)
      dls_raise(&size, fabs(point->tau[k]) / d->C[j]);
  }
  return size;
}

static bool check_ends(dls_trial *x, dls_finding *f, int j, const json_t *range,
                       const dls_spans *spans)
{
  const dls_data *d = &x->data;
  const json_t *normal = json_object_get(range, "normal");
  const json_t *tangential = json_object_get(range, "tangential");
  const dls_trial_point *point = &x->shown_point[0];
  range_end e = {.shown = point->lambda[j] / d->C[j],
                 .unit = d->C[j],
                 .size = sizes_at(x, 0, d->contact_part[j]).force,
                 .forces = largest_force(d, d->contact_part[j], point)};
  if (!normal && !tangential) return dls_fails(x, f, "expected an interval");
  if (normal && !check_interval(x, f, normal, &spans->lambda[j], e)) return false;
  if (tangential && dls_json_length(tangential) != dls_tangents_of(d, j))
    return dls_fails(x, f, "expected an interval for each slip velocity");
  for (int k = d->first[j]; tangential && k < d->first[j + 1]; k++) {
    const json_t *range_of_slip = dls_json_item(tangential, (k - d->first[j]));
    e.shown = point->tau[k] / d->C[j], e.unit = d->C[j] * d->S[j];
    if (!check_interval(x, f, range_of_slip, &spans->tau[k], e)) return false;
  }
  return true;
}

void dls_check_range(dls_trial *x, dls_finding *f, const char *contact, const json_t *range)
{
  const dls_data *d = &x->data;
  dls_finding first = *f;
  int j = 0;
  while (j < d->m && strcmp(d->contact_name[j], contact) != 0) j++;
  if (j == d->m) {
    dls_fails(x, f, "no closed contact has this name");
    return;
  }
  if (!x->shown) {
    dls_fails(x, f, "there is no solution that it could be compared with");
    return;
  }
  for (int exact = 0; exact < 2; exact++) {
    // a contact may open by less than the tolerance and more than rounding: either is right then
    const double zero = exact ? edge_of_opening * x->data.noise : x->tolerance;
    dls_finding attempt = *f;
    if (!x->spans[exact]) x->spans[exact] = spans_of(x, &attempt, 0, zero);
    if (x->spans[exact] && check_ends(x, &attempt, j, range, x->spans[exact]))
      dls_proves(x, &attempt,
                 "both ends: a force that has it, and multipliers that allow no more, %s",
                 dls_precision(x, &attempt));
    const bool better = attempt.found == DLS_FOUND_HOLDS ||
                        (attempt.found == DLS_FOUND_UNPROVEN && first.found == DLS_FOUND_FAILS);
    if (exact == 0 || better) first = attempt;
    if (attempt.found == DLS_FOUND_HOLDS || x->data.rubs) break;
  }
  if (first.found == DLS_FOUND_NOTHING) dls_fails(x, &first, "there is no proof");
  *f = first;
}
