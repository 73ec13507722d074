// The friction pyramid: the complementarity problem of eq (pol.1), its solution, the forces.
#include <delassus/polyhedral.h>

#include "base/larger.h"
#include "base/memory.h"
#include "base/message.h"
#include "contact/law.h"
#include "solve/tolerances.h"

#include <math.h>
#include <stdlib.h>

enum {
  LARGEST = 2000,
  TURNS = 4,
  MOST_SIDES = 8
};  // unknowns; contacts whose sides are tried: 2^8
static const unsigned LAWS = DLS_LAW_BIT(DLS_LAW_CONE) | DLS_LAW_BIT(DLS_LAW_UNILATERAL) |
                             DLS_LAW_BIT(DLS_LAW_BILATERAL_CONE) | DLS_LAW_BIT(DLS_LAW_BOUNDED) |
                             DLS_LAW_BIT(DLS_LAW_BILATERAL_BOUNDED);

struct dls_polyhedral {
  const dls_incremental *problem;
  dls_polyhedral_options options;
  int facets, contacts, equations, tangents;
  int normal, beta, lambda;  // where these unknowns begin
  double *direction;         // tangents x facets
  double *side;              // contacts: -1 for a bilateral one that pulls, else 1
  dls_mlcp lcp;
  double *M, *q, *z, *w;
  dls_lcp_solver *solver;
};

dls_polyhedral_options dls_polyhedral_defaults(void)
{
  dls_polyhedral_options o = {.facets = 8, .scale = 1, .lcp = dls_lcp_defaults()};
  o.lcp.solver = "lemke";
  return o;
}

// ---- building ----------------------------------------------------------------------------------

// Row (or column) `row` of the incremental problem goes to which unknowns, times what: the normals,
// from their sides, and equations to one, the tangents to the facets.
typedef struct target {
  int first, count;
  const double *factor;  // count, with a stride of `tangents`; NULL: 1
} target;

static target target_of(const dls_polyhedral *s, int row)
{
  const int rows = s->tangents + 1, in_contacts = rows * s->contacts;
  if (row >= in_contacts) return (target){row - in_contacts, 1, NULL};
  const int contact = row / rows, k = row % rows;
  if (k == 0) return (target){s->normal + contact, 1, s->side + contact};
  return (target){s->beta + contact * s->facets, s->facets, s->direction + (k - 1)};
}

static double factor_at(const dls_polyhedral *s, const target *t, int k)
{
  return t->factor ? t->factor[k * s->tangents] : 1;
}

// One entry of W into the blocks W_NN, W_NB, W_BN, W_BB.
static void spread(dls_polyhedral *s, int row, int col, double value)
{
  const ptrdiff_t n = s->lcp.n;
  const target to_row = target_of(s, row), to_col = target_of(s, col);
  for (int b = 0; b < to_col.count; b++) {
    double *column = s->M + n * (to_col.first + b) + to_row.first;
    const double x = value * factor_at(s, &to_col, b);
    for (int a = 0; a < to_row.count; a++) column[a] += x * factor_at(s, &to_row, a);
  }
}

// eq (pol.1)
static void build(dls_polyhedral *s)
{
  const dls_incremental *p = s->problem;
  const ptrdiff_t n = s->lcp.n;
  const double h = s->options.scale;
  dls_clear(s->M, n * n);
  dls_clear(s->q, n);
  for (int j = 0; j < p->W.pattern.cols; j++)
    for (int e = p->W.pattern.p[j]; e < p->W.pattern.p[j + 1]; e++)
      spread(s, p->W.pattern.i[e], j, p->W.x[e]);
  for (int i = 0; i < p->W.pattern.rows; i++) {
    const target to = target_of(s, i);
    for (int k = 0; k < to.count; k++) s->q[to.first + k] += p->q[i] * factor_at(s, &to, k);
  }
  for (int i = 0; i < s->contacts; i++) {
    const ptrdiff_t lambda = (ptrdiff_t)s->lambda + i;
    const dls_one_law law = dls_law_at(p, i);
    s->M[lambda + n * (s->normal + i)] = h * law.mu;
    s->q[lambda] = h * law.bound;
    for (int k = 0; k < s->facets; k++) {
      const ptrdiff_t beta = s->beta + (ptrdiff_t)i * s->facets + k;
      s->M[beta + n * lambda] = h;
      s->M[lambda + n * beta] = -h;
    }
  }
  for (ptrdiff_t i = 0; i < n; i++) s->M[i * (n + 1)] *= 1 + s->options.stabilize;
}

static void set_directions(dls_polyhedral *s)
{
  const double circle = 2 * acos(-1.0);
  if (s->tangents == 1) s->direction[0] = 1, s->direction[1] = -1;
  for (int k = 0; k < s->facets && s->tangents == 2; k++) {
    const double angle = s->options.turn + circle * k / s->facets;
    s->direction[2 * k] = cos(angle), s->direction[2 * k + 1] = sin(angle);
  }
}

// ---- creation ----------------------------------------------------------------------------------

static dls_status check(const dls_incremental *p, const dls_polyhedral_options *o,
                        dls_message *message)
{
  if (!p) return dls_fail(message, DLS_ERR_ARGUMENT, "there is no problem");
  const dls_status status = dls_incremental_validate(p, message);
  if (status != DLS_OK) return status;
  if (p->global)
    return dls_fail(message, DLS_ERR_ARGUMENT, "the friction pyramid needs the local form");
  if (dls_incremental_laws(p) & ~LAWS)
    return dls_fail(message, DLS_ERR_ARGUMENT,
                    "the friction pyramid knows cones, bounded friction and unilateral contacts");
  if (p->dimension == 3 && o->facets < 3)
    return dls_fail(message, DLS_ERR_ARGUMENT, "%d facets, expected at least 3", o->facets);
  if (!isfinite(o->turn) || !(o->stabilize >= 0) || !isfinite(o->stabilize) || !(o->scale > 0) ||
      !isfinite(o->scale))
    return dls_fail(message, DLS_ERR_ARGUMENT,
                    "the turn must be finite, the stabilization not negative, the scale positive");
  const long long facets = p->dimension == 3 ? o->facets : 2;
  if (p->equations + (2 + facets) * p->contacts > LARGEST)
    return dls_fail(message, DLS_ERR_LIMIT, "%lld unknowns, at most %d are accepted",
                    p->equations + (2 + facets) * p->contacts, LARGEST);
  return DLS_OK;
}

static dls_status prepare(dls_polyhedral *s, dls_message *message)
{
  const ptrdiff_t n = s->lcp.n;
  s->direction = dls_alloc((ptrdiff_t)s->tangents * s->facets, sizeof(double));
  s->M = dls_alloc(n * n, sizeof(double));
  s->q = dls_alloc(n, sizeof(double)), s->z = dls_alloc(2 * n, sizeof(double));
  s->side = dls_alloc((ptrdiff_t)s->contacts + 1, sizeof(double));
  if (!s->direction || !s->M || !s->q || !s->z || !s->side) return DLS_ERR_MEMORY;
  s->w = s->z + n;
  for (int i = 0; i < s->contacts; i++) s->side[i] = 1;
  s->lcp.M = s->M, s->lcp.q = s->q;
  set_directions(s);
  build(s);
  return dls_lcp_solver_create(&s->lcp, &s->options.lcp, &s->solver, message);
}

dls_status dls_polyhedral_create(const dls_incremental *problem,
                                 const dls_polyhedral_options *options, dls_polyhedral **out,
                                 dls_message *message)
{
  *out = NULL;
  const dls_polyhedral_options o = options ? *options : dls_polyhedral_defaults();
  dls_status status = check(problem, &o, message);
  if (status != DLS_OK) return status;
  dls_polyhedral *s = dls_alloc(1, sizeof *s);
  if (!s) return DLS_ERR_MEMORY;
  s->problem = problem, s->options = o;
  s->contacts = problem->contacts, s->equations = problem->equations;
  s->tangents = problem->dimension - 1, s->facets = s->tangents == 2 ? o.facets : 2;
  s->normal = s->equations, s->beta = s->normal + s->contacts;
  s->lambda = s->beta + s->contacts * s->facets;
  s->lcp.n = s->lambda + s->contacts, s->lcp.free = s->equations;
  status = prepare(s, message);
  if (status == DLS_OK) *out = s;
  else dls_polyhedral_free(s);
  return status;
}

void dls_polyhedral_free(dls_polyhedral *s)
{
  if (!s) return;
  dls_lcp_solver_free(s->solver);
  free(s->direction), free(s->M), free(s->q), free(s->z), free(s->side), free(s);
}

void dls_polyhedral_set_tolerance(dls_polyhedral *s, double tolerance)
{
  dls_lcp_solver_set_tolerance(s->solver, tolerance);
}

const dls_mlcp *dls_polyhedral_lcp(const dls_polyhedral *s)
{
  return &s->lcp;
}

// ---- solving -----------------------------------------------------------------------------------

static bool is_bilateral(const dls_polyhedral *s, int i)
{
  return s->problem->law && dls_law_is_bilateral((dls_law)s->problem->law[i]);
}

// From the sides as they are.
static dls_status solve_sides(dls_polyhedral *s, dls_lcp_report *report)
{
  build(s);
  for (int i = 0; i < s->lcp.n; i++) s->z[i] = 0;
  return dls_lcp_solver_solve(s->solver, s->z, s->w, report);
}

// Bilateral contacts that open, by more than the error, press from the wrong side. Returns how
// many; turn: they change it.
static int opened(dls_polyhedral *s, const dls_lcp_report *report, bool turn)
{
  double most = 0;
  int count = 0;
  for (int i = 0; i < s->contacts; i++) most = dls_larger(most, fabs(s->q[s->normal + i]));
  const double closing = (opening + opening_by_diagonal * s->options.stabilize) * most +
                         opening_by_error * report->error_in_units;
  for (int i = 0; i < s->contacts; i++) {
    if (!is_bilateral(s, i) || s->w[s->normal + i] <= closing) continue;
    count++;
    if (turn) s->side[i] = -s->side[i];
  }
  return count;
}

// None opens, and the error is small, if not as small as was asked for.
static bool is_good(dls_polyhedral *s, const dls_lcp_report *report)
{
  return (report->converged || report->error_in_units <= good_lcp) && opened(s, report, false) == 0;
}

// All sides of a few bilateral contacts, until none opens.
static dls_status enumerate_sides(dls_polyhedral *s, dls_lcp_report *report)
{
  int list[MOST_SIDES], count = 0;
  for (int i = 0; i < s->contacts; i++) {
    if (!is_bilateral(s, i)) continue;
    if (count == MOST_SIDES) return DLS_OK;
    list[count++] = i;
  }
  for (int mask = 0; mask < 1 << count; mask++) {
    for (int k = 0; k < count; k++) s->side[list[k]] = mask >> k & 1 ? -1 : 1;
    const dls_status status = solve_sides(s, report);
    if (status != DLS_OK || is_good(s, report)) return status;
  }
  return DLS_OK;
}

dls_status dls_polyhedral_solve(dls_polyhedral *s, double *r, dls_lcp_report *report)
{
  const int rows = s->tangents + 1;
  bool sided = false;
  for (int i = 0; i < s->contacts; i++) {
    sided |= is_bilateral(s, i);
    s->side[i] = is_bilateral(s, i) && r[rows * i] < 0 ? -1 : 1;
  }
  dls_status status = solve_sides(s, report);
  for (int k = 0; sided && k < TURNS && status == DLS_OK && !is_good(s, report); k++)
    if (opened(s, report, true) == 0) break;
    else status = solve_sides(s, report);
  if (sided && status == DLS_OK && !is_good(s, report)) status = enumerate_sides(s, report);
  if (status != DLS_OK) return status;
  if (sided && opened(s, report, false) > 0)
    report->converged = false, report->stop = DLS_LCP_STOP_EXHAUSTED;
  for (int i = 0; i < rows * s->contacts + s->equations; i++) {
    const target from = target_of(s, i);
    r[i] = 0;
    for (int k = 0; k < from.count; k++) r[i] += s->z[from.first + k] * factor_at(s, &from, k);
  }
  return DLS_OK;
}

dls_status dls_polyhedral_run(const dls_incremental *problem, const dls_polyhedral_options *options,
                              double *r, dls_lcp_report *report, dls_message *message)
{
  dls_polyhedral *s = NULL;
  dls_status status = dls_polyhedral_create(problem, options, &s, message);
  if (status == DLS_OK) status = dls_polyhedral_solve(s, r, report);
  dls_polyhedral_free(s);
  return status;
}
