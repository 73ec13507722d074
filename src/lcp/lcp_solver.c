// The table of methods, and auto, which runs them one after the other.
#include "base/clock.h"
#include "base/memory.h"
#include "base/message.h"
#include "linalg/dense.h"
#include "lcp/lcp.h"
#include "lcp/lcp_method.h"
#include "lcp/lcp_scale.h"
#include "lcp/tolerances.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL = 60 };       // unknowns: order_small
enum { TOGETHER = 1024 };  // ratio of the factors of rows and columns, in which they are alike

static const dls_lcp_method automatic = {
    .info = {"auto", "pivoting and Newton methods in turn until one converges",
             "whatever one of the methods promises"}};

static const dls_lcp_method *const table[] = {&automatic,
                                              &dls_lcp_method_lemke,
                                              &dls_lcp_method_pivoting,
                                              &dls_lcp_method_psor,
                                              &dls_lcp_method_newton_min,
                                              &dls_lcp_method_newton_fb,
                                              &dls_lcp_method_interior,
                                              &dls_lcp_method_enumeration};

enum { COUNT = sizeof table / sizeof *table };

// Small problems begin with the finite methods, large ones with those that need few factorizations.
static const dls_lcp_method *const order_small[] = {
    &dls_lcp_method_lemke,     &dls_lcp_method_pivoting,    &dls_lcp_method_interior,
    &dls_lcp_method_newton_fb, &dls_lcp_method_enumeration, &dls_lcp_method_newton_min,
    &dls_lcp_method_psor};
static const dls_lcp_method *const order_large[] = {
    &dls_lcp_method_pivoting,   &dls_lcp_method_interior,  &dls_lcp_method_lemke,
    &dls_lcp_method_newton_min, &dls_lcp_method_newton_fb, &dls_lcp_method_enumeration,
    &dls_lcp_method_psor};

enum { STEPS = sizeof order_small / sizeof *order_small };
_Static_assert((int)STEPS <= (int)DLS_LCP_ATTEMPTS, "every attempt has a place in the report");

int dls_lcp_solver_count(void)
{
  return COUNT;
}

const dls_lcp_solver_info *dls_lcp_solver_info_at(int index)
{
  return index >= 0 && index < COUNT ? &table[index]->info : NULL;
}

static const dls_lcp_method *find(const char *name)
{
  for (int k = 0; k < COUNT && name; k++)
    if (strcmp(table[k]->info.name, name) == 0) return table[k];
  return NULL;
}

const dls_lcp_solver_info *dls_lcp_solver_find(const char *name)
{
  const dls_lcp_method *method = find(name);
  return method ? &method->info : NULL;
}

dls_lcp_options dls_lcp_defaults(void)
{
  return (dls_lcp_options){.solver = "auto", .tolerance = lcp_tolerance};
}

// ---- memory ------------------------------------------------------------------------------------

struct dls_lcp_solver {
  const dls_mlcp *problem;
  const dls_lcp_method *method;
  dls_lcp_run run;
  double *reals, *z, *work;
  int *index;
};

static ptrdiff_t larger(ptrdiff_t a, ptrdiff_t b)
{
  return a > b ? a : b;
}

// What the method needs; auto: the most of all. One step by a basis comes on top of each.
static void needs(const dls_lcp_method *method, int n, ptrdiff_t *reals, ptrdiff_t *integers)
{
  *reals = dls_lcp_basis_reals(n), *integers = 4 * (ptrdiff_t)n;
  for (int k = 1; k < COUNT; k++) {
    if (method != &automatic && method != table[k]) continue;
    *reals = larger(*reals, table[k]->reals(n));
    *integers = larger(*integers, table[k]->integers(n));
  }
}

static dls_status allocate(dls_lcp_solver *s, int n, int free_rows)
{
  const ptrdiff_t N = n;
  ptrdiff_t reals, integers;
  needs(s->method, n, &reals, &integers);
  s->reals = dls_alloc(N * N + 10 * N + reals, sizeof(double));
  s->index = dls_alloc(integers, sizeof(int));
  if (!s->reals || !s->index) return DLS_ERR_MEMORY;
  dls_lcp_run *r = &s->run;
  r->M = s->reals, r->q = r->M + N * N, r->row = r->q + N, r->col = r->row + N,
  r->best = r->col + N;
  r->point = r->best + N, r->w = r->point + N, r->terms = r->w + N, s->z = r->terms + N;
  r->R = s->z + N, r->C = r->R + N, s->work = r->C + N;
  if (s->method != &automatic && s->method != &dls_lcp_method_lemke) return DLS_OK;
  return dls_lemke_create(n, free_rows, &r->lemke);
}

dls_status dls_lcp_solver_create(const dls_mlcp *problem, const dls_lcp_options *options,
                                 dls_lcp_solver **out, dls_message *message)
{
  *out = NULL;
  const dls_lcp_options o = options ? *options : dls_lcp_defaults();
  const dls_lcp_method *method = find(o.solver);
  if (!method)
    return dls_fail(message, DLS_ERR_ARGUMENT, "there is no solver \"%s\"",
                    o.solver ? o.solver : "");
  if (!(o.tolerance >= 0) || o.max_iterations < 0 || !(o.time_limit >= 0))
    return dls_fail(message, DLS_ERR_ARGUMENT, "tolerances and limits cannot be negative");
  dls_status status = dls_mlcp_validate(problem);
  if (status != DLS_OK)
    return dls_fail(message, status, "the problem: %s", dls_status_text(status));
  if (problem->n > LARGEST_PROBLEM)
    return dls_fail(message, DLS_ERR_LIMIT, "more than %d unknowns", LARGEST_PROBLEM);
  dls_lcp_solver *s = dls_alloc(1, sizeof *s);
  if (!s) return DLS_ERR_MEMORY;
  s->problem = problem, s->method = method;
  s->run.options = o, s->run.options.solver = method->info.name;
  status = allocate(s, problem->n, problem->free);
  if (status == DLS_OK) *out = s;
  else dls_lcp_solver_free(s);
  return status;
}

void dls_lcp_solver_set_tolerance(dls_lcp_solver *s, double tolerance)
{
  if (tolerance >= 0) s->run.options.tolerance = tolerance;
}

void dls_lcp_solver_free(dls_lcp_solver *s)
{
  if (!s) return;
  dls_lemke_free(s->run.lemke);
  free(s->reals), free(s->index), free(s);
}

// ---- scales ------------------------------------------------------------------------------------

// Where the units of rows and columns belong together, as those of forces and velocities do, both
// get the same factor, up to one for all rows, and a monotone problem stays one; otherwise each its
// own.                                                                              eq (lcp.11)
static void scale(dls_lcp_run *r)
{
  const dls_mlcp *p = &r->given;
  double least = INFINITY, most = 0;
  dls_lcp_scale(p, DLS_LCP_UNITS_MEAN, r->row, r->col, &r->s);
  dls_copy(r->R, r->row, p->n);
  dls_copy(r->C, r->col, p->n);
  for (int i = 0; i < p->n; i++) {
    least = fmin(least, r->row[i] / r->col[i]);
    most = fmax(most, r->row[i] / r->col[i]);
  }
  if (most <= TOGETHER * least) {
    double load = 0;
    int first = 0, e = 0;
    for (int i = 0; i < p->n; i++) {
      frexp(r->row[i] * r->col[i], &e);
      if (i == 0) first = e;  // what all rows have in common stays with them: roots halve the rest
      r->col[i] = ldexp(1, (e - first + ((e - first) & 1)) / 2);
      r->row[i] = ldexp(r->col[i], first - 3);  // entries a little above 1
      load = fmax(load, fabs(p->q[i] * r->row[i]));
    }
    r->s = dls_lcp_inverse_power(load);
  }
  dls_lcp_apply_scale(p, r->row, r->col, r->s, r->M, r->q);
  r->scaled = (dls_mlcp){.n = p->n, .free = p->free, .M = r->M, .q = r->q};
}

// ---- running -----------------------------------------------------------------------------------

static void to_scaled(dls_lcp_solver *s, const double *from)
{
  const dls_lcp_run *r = &s->run;
  for (int i = 0; i < r->given.n; i++) {
    s->z[i] = from[i] / r->col[i] * r->s;
    if (!isfinite(s->z[i]) || (i >= r->given.free && s->z[i] < 0)) s->z[i] = 0;
  }
}

// The basis that the best point suggests: z_i > w_i, in scaled units.
static void polish(dls_lcp_solver *s)
{
  dls_lcp_run *r = &s->run;
  const int n = r->given.n;
  int *in = s->index + 3 * n;
  if (!(r->own_error < INFINITY)) return;
  to_scaled(s, r->best);
  dls_copy(r->w, r->q, n);
  dls_gemv(false, n, n, 1, r->M, s->z, 1, r->w);
  for (int i = 0; i < n; i++) in[i] = s->z[i] > r->w[i];
  if (!dls_lcp_basis_solve(r, in, singular_basis, s->z, s->work, s->index)) return;
  dls_lcp_offer(r, s->z);
  if (r->best_error <= r->options.tolerance) r->stop = DLS_LCP_STOP_CONVERGED;
}

// One method from the point given. True when nothing more is to be tried.
static bool attempt(dls_lcp_solver *s, const dls_lcp_method *method, const double *start,
                    dls_lcp_report *report)
{
  dls_lcp_run *r = &s->run;
  r->solver = method->info.name, r->iterations = 0, r->own_error = INFINITY;
  to_scaled(s, start);
  method->run(r, s->z, s->work, s->index);
  if (method->polish && r->stop != DLS_LCP_STOP_CONVERGED) polish(s);
  report->iterations += r->iterations;
  report->attempt[report->attempts++] =
      (dls_lcp_attempt){r->solver, r->stop, r->iterations, r->own_error};
  report->stop = r->stop;
  return r->stop == DLS_LCP_STOP_CONVERGED || r->stop == DLS_LCP_STOP_TIME ||
         r->stop == DLS_LCP_STOP_INTERRUPTED || r->stop == DLS_LCP_STOP_INFEASIBLE;
}

static void run_all(dls_lcp_solver *s, const double *start, dls_lcp_report *report)
{
  const dls_lcp_run *r = &s->run;
  report->stop = DLS_LCP_STOP_CONVERGED;
  s->run.brief = s->method == &automatic && r->given.n > SMALL;
  if (r->best_error <= r->options.tolerance) return;
  if (s->method != &automatic) {
    attempt(s, s->method, start, report);
    return;
  }
  const dls_lcp_method *const *order = r->given.n <= SMALL ? order_small : order_large;
  for (int k = 0; k < STEPS; k++)
    if (attempt(s, order[k], start, report)) return;
  report->stop = DLS_LCP_STOP_STALLED;
}

dls_status dls_lcp_solver_solve(dls_lcp_solver *s, double *z, double *w, dls_lcp_report *report)
{
  *report = (dls_lcp_report){
      .error = NAN, .error_in_units = NAN, .residual = {NAN, NAN}, .solver = "start"};
  dls_lcp_run *r = &s->run;
  r->given = *s->problem;
  const dls_status status = dls_mlcp_validate(&r->given);
  if (status != DLS_OK) return status;
  r->began = dls_clock();
  scale(r);
  // the start is the first point to beat
  r->best_error = INFINITY, r->best_solver = r->solver = "start";
  to_scaled(s, z);
  dls_lcp_offer(r, s->z);
  for (int i = 0; i < r->given.n; i++) z[i] = s->z[i] * r->col[i] / r->s;
  run_all(s, z, report);
  if (r->best_error < INFINITY && r->given.n > 0) dls_copy(z, r->best, r->given.n);
  report->residual = dls_mlcp_measure(&r->given, z, r->w, r->terms);
  const dls_natural_error error = dls_mlcp_natural(&r->given, r->R, r->C, z, r->w);
  report->error = error.plain, report->error_in_units = error.in_units;
  report->converged = error.in_units <= r->options.tolerance;
  report->solver = r->best_solver;
  if (w && r->given.n > 0) dls_copy(w, r->w, r->given.n);
  report->seconds = dls_clock() - r->began;
  return DLS_OK;
}

dls_status dls_mlcp_natural_error(const dls_mlcp *p, const double *z, double *error,
                                  double *error_in_units)
{
  *error = NAN;
  if (error_in_units) *error_in_units = NAN;
  if (!p || p->n < 0 || p->free < 0 || p->free > p->n) return DLS_ERR_ARGUMENT;
  const ptrdiff_t n = p->n;
  double *w = dls_alloc(4 * n, sizeof *w);
  if (!w) return DLS_ERR_MEMORY;
  dls_mlcp_rows(p, z, w, w + n);
  double load;
  dls_lcp_scale(p, DLS_LCP_UNITS_MEAN, w + 2 * n, w + 3 * n, &load);
  const dls_natural_error e = dls_mlcp_natural(p, w + 2 * n, w + 3 * n, z, w);
  free(w);
  *error = e.plain;
  if (error_in_units) *error_in_units = e.in_units;
  return DLS_OK;
}
