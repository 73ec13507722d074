// Polyhedra, the sets that they make, and their spans.                        eq (chk.10), (chk.11)
#include "verify/sets.h"

#include "base/memory.h"
#include "verify/checks.h"
#include "verify/program.h"

#include <math.h>
#include <string.h>

const double dls_sets_max = 1e8;

// ---- polyhedra ----------------------------------------------------------------------------------

// Powers of two that scale without rounding. Where nothing has a size all solutions are cones, and
// any measure will do.
dls_part_measures dls_measures_of(const dls_data *d, int part, double z, double force)
{
  if (d->massive[part]) z = force = dls_larger(z, force);
  return (dls_part_measures){dls_data_unit(z), dls_data_unit(force)};
}

static bool make_sets(dls_trial *x, ptrdiff_t polyhedra, dls_sets *s)
{
  const dls_data *d = &x->data;
  *s = (dls_sets){0};
  s->mode = dls_trial_alloc(x, polyhedra, sizeof *s->mode);
  s->component = dls_trial_alloc(x, polyhedra, sizeof *s->component);
  s->measure = dls_trial_alloc(x, d->parts, sizeof *s->measure);
  for (int p = 0; s->measure && p < d->parts; p++)
    s->measure[p] = dls_measures_of(d, p, d->acceleration_floor[p], d->force_floor[p]);
  return s->mode && s->component && s->measure;
}

static bool same_in_part(const dls_data *d, int part, const dls_modes *a, const dls_modes *b)
{
  for (int j = 0; j < d->m; j++)
    if (d->contact_part[j] == part && a[j] != b[j]) return false;
  return true;
}

static dls_reach find_in(dls_trial *x, const dls_sets *s, int part, const dls_modes *a,
                         const dls_modes *b, bool outer)
{
  static const double size = 2;
  dls_polytope p;
  if (!dls_polytope_create(x, part, s->measure[part], 2, &p) ||
      !dls_polytope_add(x, &p, a, outer) || (b && !dls_polytope_add(x, &p, b, outer)))
    return DLS_REACH_UNKNOWN;
  dls_program *program = dls_program_create(x, &p);
  double *y = dls_trial_alloc(x, p.size, sizeof *y);
  const dls_reach reach = program && y ? dls_program_find(program, size, y) : DLS_REACH_UNKNOWN;
  if (reach != DLS_REACH_UNKNOWN) return reach;
  // what long doubles do not settle; nothing that data within the tolerance might hold is empty
  const dls_exact found = dls_polytope_decide(
      x, &p, &(dls_exact_question){.size = size, .slack = outer ? x->tolerance : 0});
  if (outer) return found == DLS_EXACT_NO ? DLS_REACH_EMPTY : DLS_REACH_UNKNOWN;
  return found == DLS_EXACT_YES ? DLS_REACH_END : DLS_REACH_UNKNOWN;
}

// Programs look for points of up to a thousand times the size: two polyhedra may meet further away.
static bool meet_far_away(dls_trial *x, const dls_sets *s, int part, const dls_modes *a,
                          const dls_modes *b)
{
  dls_polytope p;
  if (!dls_polytope_create(x, part, s->measure[part], 2, &p) ||
      !dls_polytope_add(x, &p, a, false) || !dls_polytope_add(x, &p, b, false))
    return false;
  return dls_polytope_decide(x, &p, &(dls_exact_question){.anywhere = true}) == DLS_EXACT_YES;
}

// Is there a solution in both polyhedra, as far as the part goes? b may be NULL. A polygon in the
// cones shows that there is, one around them that there is none.
static dls_reach meet_in_part(dls_trial *x, const dls_sets *s, int part, const dls_modes *a,
                              const dls_modes *b)
{
  if (!dls_trial_borrow(x)) return DLS_REACH_UNKNOWN;
  dls_reach reach = find_in(x, s, part, a, b, false);
  if (reach != DLS_REACH_END) {
    reach = find_in(x, s, part, a, b, true);
    if (reach != DLS_REACH_EMPTY) reach = DLS_REACH_UNKNOWN;
    if (b && meet_far_away(x, s, part, a, b)) reach = DLS_REACH_UNKNOWN;
  }
  dls_trial_return(x);
  return reach;
}

// In all parts.
static dls_reach meet(dls_trial *x, const dls_sets *s, const dls_modes *a, const dls_modes *b)
{
  dls_reach all = DLS_REACH_END;
  for (int part = 0; part < x->data.parts; part++) {
    if (b && same_in_part(&x->data, part, a, b)) continue;
    const dls_reach reach = meet_in_part(x, s, part, a, b);
    if (reach == DLS_REACH_EMPTY) return DLS_REACH_EMPTY;
    if (reach != DLS_REACH_END) all = DLS_REACH_UNKNOWN;
  }
  return all;
}

static void join(int *set, int count, int a, int b)
{
  const int kept = set[a] < set[b] ? set[a] : set[b], lost = set[a] < set[b] ? set[b] : set[a];
  for (int c = 0; c < count; c++)
    if (set[c] == lost) set[c] = kept;
}

// Two by two. What is not proven makes two numbers: of the sets that there are at most, where such
// polyhedra do not touch, and at least, where they do and hold nothing of their own.
static bool connect(dls_trial *x, const bool *sure, dls_sets *s)
{
  int *joined = dls_trial_alloc(x, s->polyhedra, sizeof *joined);
  bool *counts = dls_trial_alloc(x, s->polyhedra, sizeof *counts);
  if (!joined || !counts) return false;
  for (int a = 0; a < s->polyhedra; a++) {
    s->component[a] = joined[a] = a;
    for (int b = 0; b < a; b++) {
      if (s->component[a] == s->component[b]) continue;
      const dls_reach reach = meet(x, s, s->mode[a], s->mode[b]);
      if (x->out_of_memory) return false;
      if (reach == DLS_REACH_END) join(s->component, a + 1, a, b);
      if (reach != DLS_REACH_EMPTY) join(joined, a + 1, a, b);
    }
  }
  for (int a = 0; a < s->polyhedra; a++) {
    s->components += s->component[a] == a;
    if (sure[a]) counts[joined[a]] = true;
  }
  for (int a = 0; a < s->polyhedra; a++) s->fewest += counts[a];
  return true;
}

static bool is_known(const dls_trial *x, const dls_sets *s, const dls_modes *mode)
{
  for (int c = 0; c < s->polyhedra; c++)
    if (memcmp(s->mode[c], mode, dls_bytes(x->data.m, sizeof *mode)) == 0) return true;
  return false;
}

bool dls_sets_from_leaves(dls_trial *x, dls_finding *f, const json_t *leaves, dls_sets *s)
{
  enum { MOST_LEAVES = 20000, MOST = 300 };  // sets are compared two by two
  dls_held held;
  if (!dls_check_covering(x, f, leaves, &held) || !make_sets(x, held.count, s)) return false;
  if (held.count > MOST_LEAVES)
    return dls_fails(x, f, "%d combinations of modes may hold solutions, more than %d are not read",
                     held.count, (int)MOST_LEAVES);
  bool *sure = dls_trial_alloc(x, held.count, sizeof *sure);
  if (!sure) return false;
  for (int k = 0; k < held.count; k++) {
    if (is_known(x, s, held.mode[k])) continue;
    const dls_reach reach = meet(x, s, held.mode[k], NULL);
    if (x->out_of_memory) return false;
    if (reach == DLS_REACH_EMPTY) continue;
    sure[s->polyhedra] = reach == DLS_REACH_END;
    s->mode[s->polyhedra++] = held.mode[k];
    if (s->polyhedra > MOST)
      return dls_leaves_open(x, f, "more than %d combinations of modes hold solutions", (int)MOST);
  }
  return connect(x, sure, s);
}

static void measure_by(const dls_data *d, const dls_sizes *size, dls_part_measures *measure)
{
  for (int p = 0; p < d->parts; p++)
    measure[p] = dls_measures_of(d, p, dls_larger(d->acceleration_floor[p], size->acceleration[p]),
                                 dls_larger(d->force_floor[p], size->force[p]));
}

bool dls_sets_measure(dls_trial *x, const dls_trial_point *point, dls_sets *s)
{
  dls_sizes size;
  s->measure = dls_trial_alloc(x, x->data.parts, sizeof *s->measure);
  if (!s->measure || !dls_measure_point(x, point, &size)) return false;
  measure_by(&x->data, &size, s->measure);
  return true;
}

bool dls_sets_from_point(dls_trial *x, const dls_trial_point *point, double zero, dls_sets *s)
{
  const dls_data *d = &x->data;
  dls_sizes size;
  dls_modes *mode = dls_trial_alloc(x, d->m, sizeof *mode);
  if (!mode || !make_sets(x, 1, s) || !dls_measure_point(x, point, &size)) return false;
  for (int j = 0; j < d->m; j++)
    mode[j] = dls_opens_by(x, point, &size, j) > zero ? DLS_DETACH : DLS_CLOSED;
  measure_by(d, &size, s->measure);
  s->mode[0] = mode;
  s->polyhedra = s->components = s->fewest = 1;
  return true;
}

// By how much the point misses the modes, relative to its size; NaN where that is not told.
static double miss_in_part(dls_trial *x, const dls_sets *s, int part, const dls_modes *mode,
                           const dls_trial_point *point)
{
  dls_polytope p;
  if (!dls_polytope_create(x, part, s->measure[part], 1, &p)) return (double)NAN;
  double *y = dls_trial_alloc(x, p.size, sizeof *y), size = 2;
  if (!y || !dls_polytope_add(x, &p, mode, true)) return (double)NAN;
  dls_polytope_point(x, &p, point, y);
  for (int i = 0; i < p.size; i++) size = fmax(size, fabs(y[i]));
  return dls_polytope_miss(x, &p, y) / size;
}

static double miss(dls_trial *x, const dls_sets *s, const dls_modes *mode,
                   const dls_trial_point *point)
{
  double largest = 0;
  for (int part = 0; part < x->data.parts; part++) {
    if (!dls_trial_borrow(x)) return (double)NAN;
    dls_raise(&largest, miss_in_part(x, s, part, mode, point));
    dls_trial_return(x);
  }
  return largest;
}

// Sets may be as near as some tolerances: the nearest one.
int dls_sets_of_point(dls_trial *x, const dls_sets *s, const dls_trial_point *point)
{
  double least = point_of_polyhedron * x->tolerance;
  int found = -1;
  for (int c = 0; c < s->polyhedra; c++) {
    const double away = miss(x, s, s->mode[c], point);
    if (away <= least) least = away, found = s->component[c];
  }
  return found;
}

// ---- spans -------------------------------------------------------------------------------------

double dls_sets_work(const dls_trial *x, const dls_sets *s)
{
  // a linear program for each end, and about as many steps as there are unknowns
  const double size = x->data.n + x->data.m + x->data.tangents;
  return s->polyhedra * size * size * size * size;
}

// What goes on without end in one polyhedron does so in the set, whatever is not known of others.
static void widen(dls_span *span, int side, dls_reach reach, double end)
{
  if (reach == DLS_REACH_EMPTY) return;
  if (reach == DLS_REACH_UNKNOWN) end = (double)NAN;
  double *at = side > 0 ? &span->high : &span->low;
  const double before = side * *at;
  const bool endless = reach == DLS_REACH_INFINITE || before == (double)INFINITY;
  *at = side * (endless ? (double)INFINITY : dls_larger(before, end));
}

typedef struct spanner {
  dls_trial *x;
  const dls_polytope *p;
  dls_program *program;
  double *cost, *point;
} spanner;

static void span_unknown(spanner *s, int at, double measure, dls_span *span)
{
  static const double size = 2;
  for (int side = -1; side <= 1; side += 2) {
    double end = (double)NAN;
    s->cost[at] = side;
    dls_reach reach = dls_program_max(s->program, s->cost, size, &end, s->point);
    const dls_exact_question point = {.size = size}, ray = {.size = size, .ray = s->cost};
    if (reach == DLS_REACH_UNKNOWN && dls_polytope_decide(s->x, s->p, &ray) == DLS_EXACT_YES &&
        dls_polytope_decide(s->x, s->p, &point) == DLS_EXACT_YES)
      reach = DLS_REACH_INFINITE;
    s->cost[at] = 0;
    widen(span, side, reach, end * measure);
  }
}

static bool span_polyhedron(dls_trial *x, const dls_sets *sets, int part, const dls_modes *mode,
                            dls_spans *spans)
{
  const dls_data *d = &x->data;
  dls_polytope p;
  const dls_part_measures measure = sets->measure[part];
  spanner s = {.x = x, .p = &p};
  if (!dls_polytope_create(x, part, measure, 1, &p) || !dls_polytope_add(x, &p, mode, true))
    return false;
  s.program = dls_program_create(x, &p);
  s.cost = dls_trial_alloc(x, (ptrdiff_t)p.size + 1, sizeof *s.cost);
  s.point = dls_trial_alloc(x, (ptrdiff_t)p.size + 1, sizeof *s.point);
  if (!s.program || !s.cost || !s.point) return false;
  for (int i = 0; i < d->n; i++)
    if (p.coordinate[i] >= 0) span_unknown(&s, p.coordinate[i], measure.z, &spans->z[i]);
  for (int j = 0; j < d->m; j++)
    if (p.normal[j] >= 0) span_unknown(&s, p.normal[j], measure.force, &spans->lambda[j]);
  for (int k = 0; k < d->tangents; k++)
    if (p.tangential[k] >= 0) span_unknown(&s, p.tangential[k], measure.force, &spans->tau[k]);
  return true;
}

static bool start(dls_trial *x, int count, dls_span **span)
{
  *span = dls_trial_alloc(x, count, sizeof **span);
  for (int i = 0; *span && i < count; i++) (*span)[i] = (dls_span){INFINITY, -INFINITY};
  return *span != NULL;
}

bool dls_sets_span(dls_trial *x, const dls_sets *s, int component, dls_spans *spans)
{
  const dls_data *d = &x->data;
  if (!start(x, d->n, &spans->z) || !start(x, d->m, &spans->lambda) ||
      !start(x, d->tangents, &spans->tau))
    return false;
  for (int part = 0; part < d->parts; part++)
    for (int c = 0; c < s->polyhedra; c++) {
      bool again = s->component[c] != component;
      for (int b = 0; b < c && !again; b++)
        again = s->component[b] == component && same_in_part(d, part, s->mode[b], s->mode[c]);
      if (again) continue;
      if (!dls_trial_borrow(x)) return false;
      const bool spanned = span_polyhedron(x, s, part, s->mode[c], spans);
      dls_trial_return(x);
      if (!spanned) return false;
    }
  return !x->out_of_memory;
}
