#include "certify/coulomb.h"

#include "base/memory.h"
#include "certify/tolerances.h"
#include "certify/witness.h"
#include "contact/coulomb_residual.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

bool dls_coulomb_applies(const dls_problem *p)
{
  for (int j = 0; p->friction && j < p->m_b + p->m_u; j++)
    if (p->friction->first[j + 1] > p->friction->first[j] &&
        dls_static_friction(p->friction, j) > 0)
      return true;
  return false;
}

// --- verdicts -----------------------------------------------------------------------------------

static dls_status copy_leaves(const dls_modes *m, const dls_leaf **out, int *count)
{
  dls_leaf *leaf = dls_arena_alloc(m->polyhedra->x->arena, m->leaves, sizeof *leaf);
  if (!leaf) return DLS_ERR_MEMORY;
  if (m->leaves) dls_copy(leaf, m->leaf, m->leaves);
  *out = leaf, *count = (int)m->leaves;
  return DLS_OK;
}

static dls_status add_leaves(const dls_modes *m, dls_verdict *v)
{
  return copy_leaves(m, &v->leaf, &v->leaves);
}

// The proof that there are no other solutions, where no verdict has it.
static dls_status add_covering(const dls_modes *m)
{
  dls_check *check = m->polyhedra->x->check;
  const bool one = check->verdict[DLS_ACCELERATION_UNIQUE].answer == DLS_YES &&
                   check->verdict[DLS_FORCES_UNIQUE].answer == DLS_YES;
  if (one || check->solution_count < 1) return DLS_OK;
  return copy_leaves(m, &check->leaf, &check->leaves);
}

static const char *const tree_empty =
    "every leaf of the tree of modes has d = direction, alpha, sigma with M d + G alpha + H sigma "
    "= "
    "0 and alpha^T b + sigma^T b_t + d^T F < 0, although its modes make alpha a + sigma s + lambda "
    "g^T d + tau h^T d >= 0 for each contact";

static const char *why_undecided(const dls_modes *m)
{
  if (m->given_up) return "too many combinations of modes";
  return dls_modes_spatial(m->polyhedra)
             ? "a contact in space may start to slide in any direction: not all can be excluded"
             : "a combination of modes in which a number lies within the tolerance";
}

static dls_status answer_exists(dls_modes *m)
{
  dls_context *x = m->polyhedra->x;
  if (m->sets) {
    dls_verdict *v = dls_verdict_set(
        x, DLS_ACCELERATION_EXISTS, DLS_YES, NAN, "solution found (fri.2)",
        "M acceleration + F = G_b lambda_b + G_u lambda_u + H tau, and every contact obeys "
        "Coulomb's law");
    dls_witness_point(m->polyhedra, v, &m->set[0].point, false);
    return DLS_OK;
  }
  if (dls_modes_open(m)) {
    dls_verdict_set(x, DLS_ACCELERATION_EXISTS, DLS_UNDECIDED, NAN, why_undecided(m), NULL);
    return DLS_OK;
  }
  for (int q = DLS_ACCELERATION_EXISTS; q <= DLS_FORCES_UNIQUE; q++) {
    dls_verdict *v = dls_verdict_set(x, (dls_question)q, DLS_NO, m->margin,
                                     "no combination of modes has a solution", tree_empty);
    const dls_status status = add_leaves(m, v);
    if (status != DLS_OK) return status;
  }
  return DLS_OK;
}

static double difference(const double *a, const double *b, int count, double unit)
{
  double far = 0, size = unit;
  for (int i = 0; i < count; i++)
    far = fmax(far, fabs(a[i] - b[i])), size = fmax(size, fmax(fabs(a[i]), fabs(b[i])));
  return far == 0 ? 0 : far / size;
}

// The same for accelerations; 0 when the difference opens what is closed in both: nearly parallel
// gradients make large differences of small errors.
static double moved(const dls_polyhedra *c, const double *a, const double *b)
{
  double size = 0, largest = c->load;
  for (int i = 0; i < c->n; i++) {
    size = fmax(size, fabs(a[i] - b[i]));
    largest = fmax(largest, fmax(fabs(a[i]), fabs(b[i])));
  }
  for (int j = 0; j < c->m; j++) {
    double at_a = c->b[j], at_b = c->b[j], apart = 0;
    for (int i = 0; i < c->n; i++) {
      const double g = c->G[i + c->n * j];
      at_a += g * a[i], at_b += g * b[i], apart += g * (a[i] - b[i]);
    }
    const bool closed = fmax(fabs(at_a), fabs(at_b)) <= c->tolerance * largest;
    if (closed && fabs(apart) > c->tolerance * size) return 0;
  }
  return difference(a, b, c->n, c->load);
}

// Two solutions, each with its polyhedron, and how far they are apart.
typedef struct pair {
  const dls_point *a, *b;
  const dls_set *set_a, *set_b;
  double far;
} pair;

// Two solutions that differ in the accelerations (or the forces), as far as possible. closed: only
// accelerations that keep closed what is.
static pair find_pair(const dls_modes *m, bool forces, bool closed)
{
  const dls_polyhedra *c = m->polyhedra;
  pair most = {0};
  for (ptrdiff_t i = 0; i < m->sets; i++)
    for (ptrdiff_t k = 0; k < i; k++) {
      const dls_point *p = &m->set[i].point, *q = &m->set[k].point;
      double far = forces   ? fmax(difference(p->lambda, q->lambda, c->m, c->load),
                                   difference(p->tau, q->tau, c->tangents, c->load))
                   : closed ? moved(c, p->z, q->z)
                            : difference(p->z, q->z, c->n, c->load);
      if (far > most.far) most = (pair){q, p, &m->set[k], &m->set[i], far};
    }
  return most;
}

static double entry_of(const dls_polyhedra *c, const dls_point *p, int k)
{
  return k < c->n ? p->z[k] : k < c->n + c->m ? p->lambda[k - c->n] : p->tau[k - c->n - c->m];
}

// Is there a point of the polyhedron on this side of the middle between the two? By the modes at
// the point, or those in which it was found, which differ where there are numbers to rounding.
static dls_status has_point(const dls_polyhedra *c, const dls_set *set, int entry, double from,
                            double to, bool *has)
{
  const double end = from + (to - from) / 4;
  const dls_polyhedron_region side = {.bounded = true,
                                      .entry = entry,
                                      .low = from < to ? -INFINITY : end,
                                      .high = from < to ? end : INFINITY};
  dls_exact_outcome outcome;
  dls_status status = dls_polyhedron_exact(c, set->mode, &side, NULL, NULL, &outcome);
  *has = outcome == DLS_EXACT_POINT;
  if (*has || status != DLS_OK || memcmp(set->mode, set->own, dls_bytes(c->m, 1)) == 0)
    return status;
  status = dls_polyhedron_exact(c, set->own, &side, NULL, NULL, &outcome);
  *has = outcome == DLS_EXACT_POINT;
  return status;
}

// Do whole numbers find both, however near they are to each other?
static dls_status differ_exactly(const dls_polyhedra *c, const pair *p, bool forces, bool *two)
{
  int entry = forces ? c->n : 0;
  *two = false;
  if (!p->a || !p->b) return DLS_OK;
  for (int k = entry; k < (forces ? c->n + c->m + c->tangents : c->n); k++)
    if (fabs(entry_of(c, p->a, k) - entry_of(c, p->b, k)) >
        fabs(entry_of(c, p->a, entry) - entry_of(c, p->b, entry)))
      entry = k;
  const double a = entry_of(c, p->a, entry), b = entry_of(c, p->b, entry);
  dls_status status = has_point(c, p->set_a, entry, a, b, two);
  if (status == DLS_OK && *two) status = has_point(c, p->set_b, entry, b, a, two);
  return status;
}

// Is |row^T dz + ...| rounding beside dz, where it is nothing to the tolerance at both points?
static bool rests(const dls_polyhedra *c, const double *row, double constant, const pair *p,
                  double size)
{
  const double largest =
      fmax(c->load, fmax(dls_norm_max(c->n, p->a->z), dls_norm_max(c->n, p->b->z)));
  double at_a = constant, at_b = constant, apart = 0;
  for (int i = 0; i < c->n; i++) {
    at_a += row[i] * p->a->z[i], at_b += row[i] * p->b->z[i];
    apart += row[i] * (p->a->z[i] - p->b->z[i]);
  }
  if (fmax(fabs(at_a), fabs(at_b)) > c->tolerance * largest) return true;
  return fabs(apart) <= c->margin * dls_norm_max(c->n, row) * size;
}

// The contact opens beyond rounding and carries nothing.
static bool opens(const dls_polyhedra *c, int j, const dls_point *at)
{
  const double size = fmax(c->load, dls_norm_max(c->n, at->z));
  const double a = dls_dot(c->n, c->G + (ptrdiff_t)c->n * j, at->z) + c->b[j];
  return !dls_polyhedra_bilateral(c, j) && at->lambda[j] == 0 && a > c->margin * size;
}

// Points that differ in accelerations beyond rounding, while what rests in both moves in between,
// are each a solution of other data within rounding.                                  eq (num.1)
static bool of_same_data(const dls_polyhedra *c, const pair *p)
{
  const ptrdiff_t n = c->n;
  double size = 0;
  for (int i = 0; i < c->n; i++) size = fmax(size, fabs(p->a->z[i] - p->b->z[i]));
  const double whole = fmax(dls_point_size(c, p->a), dls_point_size(c, p->b));
  if (size <= solved_roundings * c->x->basic.noise * whole) return true;
  for (int j = 0; j < c->m; j++) {
    if (opens(c, j, p->a) || opens(c, j, p->b)) continue;
    if (!rests(c, c->G + n * j, c->b[j], p, size)) return false;
    for (int k = c->first[j]; c->touch[j] == DLS_TOUCH_CANDIDATE && k < c->first[j + 1]; k++)
      if (!rests(c, c->H + n * k, c->b_t[k], p, size)) return false;
  }
  return true;
}

// Are the two different solutions? What they leave open must be rounding beside their distance;
// otherwise whole numbers have to find both.                                          eq (num.1)
static dls_status are_two(const dls_modes *m, const pair *p, bool forces, bool *two)
{
  const dls_polyhedra *c = m->polyhedra;
  dls_point user = {0};
  dls_status status = dls_point_create(c->x, c, &user);
  *two = false;
  if (status != DLS_OK || !p->a || !p->b) return status;
  if (!(p->far > two_solutions * c->tolerance)) return DLS_OK;
  const double open = dls_point_residual(c, p->a, &user) + dls_point_residual(c, p->b, &user);
  const double known = fmin(dls_polyhedron_open(c, p->a), dls_polyhedron_open(c, p->b));
  *two = open <= known * fmin(1, p->far) && !c->doubtful && of_same_data(c, p);
  return *two ? DLS_OK : differ_exactly(c, p, forces, two);
}

// Points that differ by less than the tolerance may be two: rounding, or whole numbers find both.
static dls_status may_be_two(const dls_modes *m, const pair *p, bool forces, bool *may)
{
  const dls_polyhedra *c = m->polyhedra;
  const pair near = find_pair(m, forces, false);
  *may = p->far > c->tolerance;
  if (*may || !(near.far > 0)) return DLS_OK;
  return differ_exactly(c, &near, forces, may);
}

// A point between one of a polyhedron and another of a program.
static void between(const dls_polyhedra *c, const dls_point *from, const double *to,
                    dls_point *point)
{
  for (int i = 0; i < c->n; i++) point->z[i] = 0.5 * from->z[i] + 0.5 * to[i];
  for (int j = 0; j < c->m; j++) point->lambda[j] = 0.5 * from->lambda[j] + 0.5 * to[c->n + j];
  for (int k = 0; k < c->tangents; k++)
    point->tau[k] = 0.5 * from->tau[k] + 0.5 * to[c->n + c->m + k];
}

// A second point of a polyhedron that is more than a point: half way to where some force (or
// acceleration) is largest near by.
static dls_status second_point(dls_modes *m, const dls_set *set, bool forces, dls_point *other,
                               double *far)
{
  dls_polyhedra *c = m->polyhedra;
  dls_polyhedron_program program;
  dls_polyhedron_work *work = dls_arena_alloc(c->x->work, 1, sizeof *work);
  const dls_polyhedron_region around = {.near = &set->point,
                                        .radius = 2 * dls_point_size(c, &set->point)};
  if (!work) return DLS_ERR_MEMORY;
  dls_status status = dls_polyhedron_work_points(c, work);
  if (status == DLS_OK) status = dls_polyhedron_program_create(c, set->mode, &around, &program);
  if (status != DLS_OK) return status;
  double *cost = dls_context_work(c->x, program.cols);
  double *point = dls_context_work(c->x, program.cols);
  if (c->x->out_of_memory) status = DLS_ERR_MEMORY;
  *far = 0;
  const int from = forces ? c->n : 0, to = forces ? program.cols : c->n;
  for (int j = from; j < to && status == DLS_OK; j++)
    for (int side = -1; side <= 1; side += 2) {
      if (isnan(dls_polyhedron_program_most(&program, j, side, cost, point))) continue;
      between(c, &set->point, point, &work->point);
      bool good = false;
      status = dls_polyhedron_accept(c, set->mode, work, &good);
      if (!good) continue;
      const double away =
          forces ? fmax(difference(work->point.lambda, set->point.lambda, c->m, c->load),
                        difference(work->point.tau, set->point.tau, c->tangents, c->load))
                 : moved(c, work->point.z, set->point.z);
      if (away > *far) *far = away, dls_point_copy(c, &work->point, other);
    }
  dls_polyhedron_program_free(&program);
  return status;
}

// eq (fri.11)
static dls_status answer_by_weakness(dls_modes *m, dls_question question)
{
  const dls_polyhedra *c = m->polyhedra;
  const ptrdiff_t m_b = c->m_b, m_u = (ptrdiff_t)c->m - c->m_b;
  double *weight = dls_context_keep(c->x, c->m);
  if (!weight) return DLS_ERR_MEMORY;
  dls_copy(weight, m->weak.weight, c->m);
  dls_verdict *v = dls_verdict_set(
      c->x, question, DLS_YES, m->weak.margin, "weak friction, whatever the load (fri.11)",
      "k = weight > 0: H^T M_c^-1 H < 2 diag(k), frictionless bilateral contacts kept, and what "
      "(B^T M^-1 B)^-1, B = (G H), has at the normal forces of contacts with friction is < 2 "
      "diag(1/(mu^2 k))");
  dls_witness_point(c, v, &m->set[0].point, false);
  v->part[v->parts++] = (dls_witness_part){"weight_b", DLS_INDEX_BILATERAL, (int)m_b, weight, NULL};
  v->part[v->parts++] =
      (dls_witness_part){"weight_u", DLS_INDEX_UNILATERAL, (int)m_u, weight + m_b, NULL};
  return DLS_OK;
}

// yes: every leaf is empty or holds one point, and the points agree; no: two that differ.
static dls_status answer_unique(dls_modes *m, dls_question question, bool forces)
{
  dls_polyhedra *c = m->polyhedra;
  dls_context *x = c->x;
  if (m->weak.holds) return answer_by_weakness(m, question);
  pair p = find_pair(m, forces, true);
  bool many = false, certain = true, two = false;
  dls_point other = {0}, farthest = {0};
  dls_status status = dls_point_create(x, c, &other);
  if (status == DLS_OK) status = dls_point_create(x, c, &farthest);
  if (status == DLS_OK) status = are_two(m, &p, forces, &two);
  for (ptrdiff_t i = 0; i < m->sets && status == DLS_OK; i++) {
    const dls_set *set = &m->set[i];
    certain &= set->certain && !(forces && set->tense);
    if (forces ? !set->strains : !set->moves) continue;
    many = true;
    if (two && p.far > clearly_two) continue;
    pair q = {&set->point, &other, set, set, 0};
    bool better = false;
    status = second_point(m, set, forces, &other, &q.far);
    if (status == DLS_OK && q.far > p.far) status = are_two(m, &q, forces, &better);
    if (!better) continue;
    dls_point_copy(c, &other, &farthest);
    p = q, p.b = &farthest, two = true;
  }
  bool may = false;
  if (status == DLS_OK && !two) status = may_be_two(m, &p, forces, &may);
  if (status != DLS_OK) return status;
  if (two) {
    dls_verdict *v = dls_verdict_set(x, question, DLS_NO, p.far, "two solutions",
                                     "both solve the contact problem with Coulomb's law");
    dls_witness_point(c, v, p.a, false);
    dls_witness_point(c, v, p.b, true);
    return DLS_OK;
  }
  if (m->ambiguous || m->given_up || many || may || !certain) {
    dls_verdict_set(x, question, DLS_UNDECIDED, NAN,
                    m->ambiguous || m->given_up ? why_undecided(m)
                                                : "a set of solutions that may be one point",
                    NULL);
    return DLS_OK;
  }
  dls_verdict *v = dls_verdict_set(
      x, question, DLS_YES, m->margin, "all combinations of modes",
      "every leaf of the tree of modes is empty (see acceleration_exists) or holds this solution "
      "alone");
  dls_witness_point(c, v, &m->set[0].point, false);
  return add_leaves(m, v);
}

// When all contacts can stick, that is a solution.
static dls_status take_sticking(dls_polyhedra *c, dls_set *set, bool *found)
{
  const dls_verdict *v = &c->x->check->verdict[DLS_CAN_ALL_STICK];
  if (v->answer != DLS_YES || v->parts < 4) return DLS_OK;
  const dls_coulomb_units *u = &c->units;
  dls_polyhedron_work *work = dls_arena_alloc(c->x->work, 1, sizeof *work);
  set->mode = dls_arena_alloc(c->x->work, c->m, 1);
  if (!work || !set->mode) return DLS_ERR_MEMORY;
  dls_status status = dls_polyhedron_work_points(c, work);
  if (status == DLS_OK) status = dls_point_create(c->x, c, &set->point);
  if (status != DLS_OK) return status;
  const double *z = v->part[0].values, *b = v->part[1].values, *f = v->part[2].values;
  for (int i = 0; i < c->n; i++) work->point.z[i] = z[i] / (u->D[i] * u->S[i]);
  for (int j = 0; j < c->m; j++) {
    const double lambda = j < c->m_b ? b[j] : f[j - c->m_b];
    work->point.lambda[j] = lambda / (u->mass * u->C_n[j] * u->S_n[j]);
    set->mode[j] = c->touch[j] == DLS_TOUCH_FRICTIONLESS ? DLS_MODE_CLOSED
                   : c->touch[j] == DLS_TOUCH_SLIDING    ? DLS_MODE_SLIDE
                                                         : DLS_MODE_STICK;
    if (lambda < 0 && set->mode[j] != DLS_MODE_CLOSED) set->mode[j] |= DLS_MODE_PULLING;
  }
  for (int k = 0; k < c->tangents; k++)
    work->point.tau[k] = v->part[3].values[k] / (u->mass * u->C_t[k] * u->S_t[k]);
  status = dls_polyhedron_accept(c, set->mode, work, found);
  dls_point_copy(c, &work->point, &set->point);
  return status;
}

// One solution where the tree did not settle everything and found none.
static dls_status look_further(dls_modes *m)
{
  bool found = false;
  dls_set set = {0};
  if (m->sets || !(m->ambiguous || m->given_up)) return DLS_OK;
  dls_status status = take_sticking(m->polyhedra, &set, &found);
  if (status == DLS_OK && !found) status = dls_coulomb_find(m->polyhedra, &set, &found);
  if (status != DLS_OK || !found) return status;
  if (m->polyhedra->load > 0 &&
      dls_point_size(m->polyhedra, &set.point) > far_solutions * m->polyhedra->load)
    return DLS_OK;
  if (dls_grow((void **)&m->set, &m->set_capacity, 1, sizeof *m->set)) return DLS_ERR_MEMORY;
  set.own = dls_arena_alloc(m->polyhedra->x->work, m->polyhedra->m, 1);
  if (!set.own) return DLS_ERR_MEMORY;
  dls_copy(set.own, set.mode, m->polyhedra->m);
  // an acceleration between rounding and the tolerance counts as none for the law, but not here
  for (int j = 0; j < m->polyhedra->m; j++)
    set.mode[j] = (unsigned char)dls_mode_at(m->polyhedra, j, &set.point);
  m->set[m->sets++] = set;
  m->components = 1;
  return DLS_OK;
}

dls_status dls_certify_coulomb(dls_context *x)
{
  dls_polyhedra *polyhedra = NULL;
  dls_modes modes = {0};
  const unsigned three = DLS_ASK(DLS_ACCELERATION_EXISTS) | DLS_ASK(DLS_ACCELERATION_UNIQUE) |
                         DLS_ASK(DLS_FORCES_UNIQUE);
  if (!dls_context_asked(x, three | DLS_ASK_SOLUTIONS)) return DLS_OK;
  dls_status status = dls_polyhedra_create(x, &polyhedra);
  if (status == DLS_OK)
    status =
        dls_modes_enumerate(polyhedra, x->options->max_modes, dls_context_asked(x, three), &modes);
  if (status == DLS_OK) status = look_further(&modes);
  if (status == DLS_OK && modes.components == 1 && dls_modes_open(&modes))
    status = dls_weak_friction(polyhedra, &modes.weak);
  if (status == DLS_OK) status = dls_coulomb_solutions(&modes);
  if (status == DLS_OK && dls_context_asked(x, three)) {
    status = answer_exists(&modes);
    const bool exists = x->check->verdict[DLS_ACCELERATION_EXISTS].answer == DLS_YES;
    const bool no = x->check->verdict[DLS_ACCELERATION_EXISTS].answer == DLS_NO;
    if (status == DLS_OK && exists) status = answer_unique(&modes, DLS_ACCELERATION_UNIQUE, false);
    if (status == DLS_OK && exists) status = answer_unique(&modes, DLS_FORCES_UNIQUE, true);
    for (int q = DLS_ACCELERATION_UNIQUE; !exists && !no && q <= DLS_FORCES_UNIQUE; q++)
      dls_verdict_set(x, (dls_question)q, DLS_UNDECIDED, NAN, why_undecided(&modes), NULL);
    if (status == DLS_OK) status = add_covering(&modes);
  }
  dls_modes_free(&modes);
  dls_polyhedra_free(polyhedra);
  return x->out_of_memory ? DLS_ERR_MEMORY : status;
}
