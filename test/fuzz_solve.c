// libFuzzer entry for the solvers of friction problems: the bytes are a small problem, perhaps with
// other laws than the cone's, and say which solver runs on it and whether it is asked if there is a
// solution, which takes most of the time. What converged is a solution, by lines of its own here;
// the same problem in other units gives the same bits; contacts and equations in another order give
// a point that is as good in the first one, and no other answer on existence; a proof that there is
// no solution goes together with a point by eq (slv.9) or not at all, and no report says no and
// converged.
#include <delassus/delassus.h>

#include <jansson.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONTACTS = 4, EQUATIONS = 2, ROWS = 3 * CONTACTS + EQUATIONS, STEPS = 60 };
static const double tolerance = 1e-8;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void hold(bool holds, int line, const char *what)
{
  if (holds) return;
  fprintf(stderr, "%d: %s\n", line, what);
  abort();
}
#define require(what) hold(what, __LINE__, #what)

typedef struct source {
  const uint8_t *data;
  size_t left;
} source;

static int byte(source *s)
{
  if (s->left == 0) return 0;
  s->left--;
  return *s->data++;
}

// Mostly small whole numbers and zero; some are far from one.
static double number(source *s)
{
  const int b = byte(s), kind = b % 8, x = b / 8 - 16;
  if (kind < 2) return 0;
  if (kind < 6) return 0.25 * x;
  return ldexp(x, 4 * (byte(s) % 16) - 32);
}

typedef struct problem {
  dls_incremental p;
  double W[ROWS * ROWS], q[ROWS], mu[CONTACTS];
  int start[ROWS + 1], index[ROWS * ROWS];
  unsigned char law[CONTACTS];
  double direction[2 * CONTACTS], bound[CONTACTS];
} problem;

static void read_problem(source *s, problem *x)
{
  const int b = byte(s), d = 2 + b % 2, contacts = b / 2 % (CONTACTS + 1);
  const int equations = b / 16 % (EQUATIONS + 1), rows = d * contacts + equations;
  const bool semidefinite = b / 64 % 2;
  double A[ROWS * ROWS] = {0};
  for (int k = 0; k < rows * rows; k++) A[k] = number(s);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < rows; j++) {
      double sum = 0;
      for (int k = 0; k < rows; k++) sum += A[k + rows * i] * A[k + rows * j];
      x->W[i + rows * j] = semidefinite ? sum : A[i + rows * j];
      x->index[i + rows * j] = i;
    }
  for (int j = 0; j <= rows; j++) x->start[j] = rows * j;
  for (int j = 0; j < rows; j++) x->q[j] = number(s);
  for (int i = 0; i < contacts; i++) x->mu[i] = fabs(number(s));
  x->p = (dls_incremental){.dimension = d,
                           .contacts = contacts,
                           .equations = equations,
                           .mu = x->mu,
                           .W = {{rows, rows, x->start, x->index}, x->W},
                           .q = x->q};
}

// Laws come last: bytes that end before have none.
static void read_laws(source *s, problem *x)
{
  const int tangents = x->p.dimension - 1;
  if (byte(s) % 2 == 0) return;
  for (int i = 0; i < x->p.contacts; i++) {
    const double angle = 0.05 * byte(s);
    x->law[i] = (unsigned char)(byte(s) % DLS_LAW_COUNT);
    x->bound[i] = fabs(number(s));
    x->direction[tangents * i] = tangents == 2 ? cos(angle) : angle < 6 ? 1 : -1;
    if (tangents == 2) x->direction[2 * i + 1] = sin(angle);
  }
  x->p.law = x->law, x->p.bound = x->bound, x->p.direction = x->direction;
}

// Contact i of the other problem is contact place[d i] / d of this one; NULL: i.
static void give_laws(const problem *x, const int *place, double impulse, problem *out)
{
  const int d = x->p.dimension;
  if (!x->p.law) return;
  for (int i = 0; i < x->p.contacts; i++) {
    const int from = place ? place[d * i] / d : i;
    out->law[i] = x->law[from], out->bound[i] = impulse * x->bound[from];
    for (int k = 0; k < d - 1; k++)
      out->direction[(d - 1) * i + k] = x->direction[(d - 1) * from + k];
  }
  out->p.law = out->law, out->p.bound = out->bound, out->p.direction = out->direction;
}

// The same for another law than the cone's.
static void obeys(const problem *x, int i, const double *f, const long double *u, long double size,
                  long double stiff)
{
  const int d = x->p.dimension, law = x->law[i];
  const long double room = 1000 * tolerance * size,
                    force = d == 3 ? hypotl(f[1], f[2]) : fabsl(f[1]);
  const bool bounded = law == DLS_LAW_BOUNDED || law == DLS_LAW_BILATERAL_BOUNDED;
  const long double mu = x->mu[i], friction = bounded ? x->bound[i] : mu * fabsl(f[0]);
  if (law == DLS_LAW_EQUATION || law == DLS_LAW_BILATERAL_CONE ||
      law == DLS_LAW_BILATERAL_SLIDING || law == DLS_LAW_BILATERAL_BOUNDED) {
    require(fabsl(u[0]) <= room);
  } else {
    require(u[0] >= -room && stiff * f[0] >= -room);
    require(!(u[0] > room && stiff * f[0] > room));
  }
  for (int k = 1; k < d && law == DLS_LAW_EQUATION; k++) require(fabsl(u[k]) <= room);
  if (law == DLS_LAW_UNILATERAL) require(stiff * force <= room);
  if (law == DLS_LAW_BILATERAL_CONE || bounded)
    require(stiff * (force - friction) <= room * (1 + mu));
  if (law == DLS_LAW_SLIDING || law == DLS_LAW_BILATERAL_SLIDING)
    for (int k = 1; k < d; k++)
      require(stiff * fabsl(f[k] + friction * x->direction[(d - 1) * i + k - 1]) <=
              room * (1 + mu));
}

// Velocities into the ground, forces that pull or leave the cone, forces of contacts that open:
// each relative to what the rows of the contact add up, and to the whole of q.
static void is_solution(const problem *x, const double *r)
{
  const dls_incremental *p = &x->p;
  const int d = p->dimension, rows = dls_incremental_rows(p);
  const long double room = 1000 * tolerance;
  for (int i = 0; i < p->contacts; i++) {
    long double u[3] = {0}, size = 0, stiff = 0;
    for (int k = 0; k < d; k++) {
      long double sum = x->q[d * i + k], terms = fabsl(sum);
      for (int j = 0; j < rows; j++) {
        const long double term = (long double)x->W[d * i + k + rows * j] * r[j];
        sum += term, terms += fabsl(term);
      }
      u[k] = sum, size = fmaxl(size, terms);
      stiff += fabsl(x->W[(d * i + k) * (rows + 1)]) / d;
    }
    const double *f = r + (ptrdiff_t)d * i;
    if (p->law && p->law[i] != DLS_LAW_CONE) {
      obeys(x, i, f, u, size, stiff);
      continue;
    }
    const long double force = d == 3 ? hypotl(f[1], f[2]) : fabsl(f[1]);
    require(u[0] >= -room * size);
    require(stiff * f[0] >= -room * size);
    require(stiff * (force - p->mu[i] * f[0]) <= room * size * (1 + p->mu[i]));
    require(!(u[0] > room * size && stiff * f[0] > room * size));
  }
}

static dls_incremental_error error_of(const problem *x, const double *r)
{
  double norm;
  dls_incremental_error e;
  require(dls_incremental_scale(&x->p, &norm) == DLS_OK);
  require(dls_incremental_residual(&x->p, norm, r, NULL, NULL, &e) == DLS_OK);
  return e;
}

static dls_solve_report solve(const problem *x, const char *name, double *r)
{
  dls_solve_options o = dls_solve_defaults();
  o.solver = name, o.max_iterations = STEPS;
  dls_solver *solver = NULL;
  dls_solve_report report;
  memset(r, 0, ROWS * sizeof *r);
  require(dls_solver_create(&x->p, &o, &solver, NULL) == DLS_OK);
  require(dls_solver_solve(solver, r, NULL, NULL, &report) == DLS_OK);
  dls_solver_free(solver);
  // what is claimed is what the data say
  const double found = error_of(x, r).largest;
  require(report.converged == (found <= tolerance));
  require(found == report.error.largest || (isnan(found) && isnan(report.error.largest)));
  report.moments = 0, report.history = NULL;  // they went with the solver
  return report;
}

static dls_solvable *existence(const problem *x)
{
  dls_solvable *exists = NULL;
  dls_solvable_options few = dls_solvable_defaults();
  few.max_nodes = 20;  // for more inputs a second
  require(dls_incremental_solvable(&x->p, &few, &exists, NULL) == DLS_OK);
  return exists;
}

// ---- other units -------------------------------------------------------------------------------

static bool same(double a, double b)
{
  return a == b || (isnan(a) && isnan(b));
}

static bool has_diagonal(const problem *x)
{
  for (int j = 0; j < dls_incremental_rows(&x->p); j++)
    if (x->W[j * (dls_incremental_rows(&x->p) + 1)] != 0) return true;
  return false;
}

static void copy(const problem *x, problem *out)
{
  const int rows = dls_incremental_rows(&x->p);
  *out = *x;
  out->p.mu = out->mu, out->p.q = out->q;
  out->p.W = (dls_matrix_view){{rows, rows, out->start, out->index}, out->W};
}

static void rescale(const problem *x, double velocity, double impulse, problem *out)
{
  const int rows = dls_incremental_rows(&x->p);
  copy(x, out);
  for (int k = 0; k < rows * rows; k++) out->W[k] *= velocity / impulse;
  for (int j = 0; j < rows; j++) out->q[j] *= velocity;
}

static void same_in_units(const problem *x, const dls_solve_report *a, const double *r,
                          const problem *other, const char *name, double impulse)
{
  double again[ROWS];
  const dls_solve_report b = solve(other, name, again);
  require(a->converged == b.converged && a->iterations == b.iterations && a->stop == b.stop);
  for (int j = 0; j < dls_incremental_rows(&x->p); j++) require(same(r[j], again[j] / impulse));
}

// ---- another order -----------------------------------------------------------------------------

// Row j of the other problem is row place[j] of this one.
static void permute(source *s, const problem *x, int *place, problem *out)
{
  const int d = x->p.dimension, n = x->p.contacts, m = x->p.equations, rows = d * n + m;
  int contact[CONTACTS], equation[EQUATIONS + 1];
  for (int i = 0; i < n; i++) contact[i] = i;
  for (int j = 0; j < m; j++) equation[j] = j;
  for (int i = n - 1; i > 0; i--) {
    const int k = byte(s) % (i + 1), kept = contact[i];
    contact[i] = contact[k], contact[k] = kept;
  }
  if (m == 2 && byte(s) % 2) equation[0] = 1, equation[1] = 0;
  for (int i = 0; i < n; i++)
    for (int k = 0; k < d; k++) place[d * i + k] = d * contact[i] + k;
  for (int j = 0; j < m; j++) place[d * n + j] = d * n + equation[j];
  copy(x, out);
  for (int i = 0; i < n; i++) out->mu[i] = x->mu[contact[i]];
  for (int j = 0; j < rows; j++) {
    out->q[j] = x->q[place[j]];
    for (int i = 0; i < rows; i++) out->W[i + rows * j] = x->W[place[i] + rows * place[j]];
  }
}

static double largest_friction(const problem *x)
{
  double most = 0;
  for (int i = 0; i < x->p.contacts; i++) most = fmax(most, x->mu[i]);
  return most;
}

static bool nearly(double a, double b, double part)
{
  return fabs(a - b) <= part * (fmax(a, b) + tolerance);
}

// Sums in another order: the same to three digits, unless rounding, which is measured too, matters.
// In F that of a slip counts mu times, eq (inc.4), and what r times the fine unit of eq (inc.9)
// rounds away is seen there as well: of that map one digit.
static void as_good_in_order(const problem *x, const problem *other, const int *place,
                             const char *name)
{
  double r[ROWS], back[ROWS];
  const dls_solve_report b = solve(other, name, r);
  for (int j = 0; j < dls_incremental_rows(&x->p); j++) back[place[j]] = r[j];
  const dls_incremental_error e = error_of(x, back);
  if (!isfinite(e.largest) || !isfinite(b.error.largest)) {
    require(!b.converged);
    return;
  }
  if (e.rounding * (1 + largest_friction(x)) <= 1e-4 * tolerance) {
    require(nearly(e.scaled, b.error.scaled, 1e-3));
    require(nearly(e.common, b.error.common, 0.1));
  }
  if (b.converged) is_solution(other, r);
}

// ---- a proof and a point -----------------------------------------------------------------------

static long double scale(const problem *x, int row)
{
  const int d = x->p.dimension, rows = dls_incremental_rows(&x->p), i = row / d;
  if (row >= d * x->p.contacts) return fabsl(x->W[row * (rows + 1)]);
  long double sum = 0;
  for (int k = d * i; k < d * (i + 1); k++) sum += fabsl(x->W[k * (rows + 1)]);
  return sum / d;
}

// F of one contact, with x = stiff r a velocity.                                      eq (inc.7)
static void law_error(int d, double mu, long double stiff, const double *r, const long double *u,
                      long double *F)
{
  const long double s = d == 3 ? hypotl(u[1], u[2]) : fabsl(u[1]);
  long double z[3] = {stiff * r[0] - u[0] - mu * s, stiff * r[1] - u[1],
                      d == 3 ? stiff * r[2] - u[2] : 0};
  const long double t = d == 3 ? hypotl(z[1], z[2]) : fabsl(z[1]);
  if (mu * t <= -z[0]) {
    z[0] = z[1] = z[2] = 0;
  } else if (t > mu * z[0]) {
    const long double n = (z[0] + mu * t) / (1 + (long double)mu * mu);
    z[1] *= mu * n / t, z[2] *= mu * n / t, z[0] = n;
  }
  for (int k = 0; k < d; k++) F[k] = stiff * r[k] - z[k];
}

// The change of q with which a point next to r is an exact solution; false where W has no scale
// for it.                                                                              eq (slv.9)
static bool changes(const problem *x, const double *r, long double *change, long double *near)
{
  const int d = x->p.dimension, rows = dls_incremental_rows(&x->p), end = d * x->p.contacts;
  long double u[ROWS], F[ROWS];
  for (int i = 0; i < rows; i++) {
    u[i] = x->q[i];
    for (int j = 0; j < rows; j++) u[i] += (long double)x->W[i + rows * j] * r[j];
  }
  for (int i = 0; i < x->p.contacts; i++) {
    const long double stiff = scale(x, d * i);
    const int at = d * i;
    if (!(stiff > 0)) return false;
    law_error(d, x->mu[i], stiff, r + at, u + at, F + at);
    long double before = 0, after = 0;
    for (int k = 1; k < d; k++) {
      before = hypotl(before, u[at + k]), after = hypotl(after, u[at + k] - F[at + k]);
      change[at + k] = -F[at + k];
    }
    change[at] = x->mu[i] * (before - after) - F[at];
    for (int k = at; k < at + d; k++) near[k] = r[k] - F[k] / stiff;
  }
  for (int j = end; j < rows; j++) change[j] = -u[j], near[j] = r[j];
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < rows; j++) change[i] -= x->W[i + rows * j] * (near[j] - r[j]);
  return true;
}

// What z = W^T y takes from the sum at these impulses, where it is not in its cone.
static long double excess(const problem *x, const double *y, const long double *r)
{
  const int d = x->p.dimension, rows = dls_incremental_rows(&x->p), end = d * x->p.contacts;
  long double z[ROWS], sum = 0;
  for (int j = 0; j < rows; j++) {
    z[j] = 0;
    for (int i = 0; i < rows; i++) z[j] += (long double)x->W[i + rows * j] * y[i];
  }
  for (int i = 0; i < x->p.contacts; i++) {
    const long double *of = z + (ptrdiff_t)d * i;
    const long double most = of[0] + x->mu[i] * hypotl(of[1], d == 3 ? of[2] : 0);
    sum += fmaxl(0, most) * r[d * i];
  }
  for (int j = end; j < rows; j++) sum += fabsl(z[j] * r[j]);
  return sum;
}

// One of the cases must let the point pass: its -q^T y is no more than the change makes of it, what
// z takes at so large impulses, and roundings.
static bool go_together(const problem *x, const double *r, const dls_solvable *no)
{
  const int rows = dls_incremental_rows(&x->p);
  long double change[ROWS], near[ROWS];
  if (!changes(x, r, change, near)) return true;
  for (int l = 0; l < no->leaves; l++) {
    const double *y = no->leaf[l].y;
    long double misses = 0, allowed = excess(x, y, near), size = 0;
    for (int j = 0; j < rows; j++) {
      misses -= (long double)x->q[j] * y[j], allowed += change[j] * y[j];
      size += fabsl((long double)x->q[j] * y[j]);
      for (int i = 0; i < rows; i++) size += fabsl(x->W[j + rows * i] * near[i] * y[j]);
    }
    if (misses <= allowed + 1e-15L * size) return true;
  }
  return no->leaves == 0;
}

// No reader sees both.
static void no_contradiction(const problem *x, const dls_solve_run *run, const dls_solvable *exists)
{
  const dls_solve_summary summary = {
      .problem = &x->p, .tolerance = tolerance, .runs = 1, .run = run, .solvable = exists};
  char *text = NULL;
  require(dls_solve_json(&summary, &text) == DLS_OK);
  json_t *report = json_loads(text, 0, NULL);
  require(report != NULL);
  const json_t *verdict = json_object_get(report, "exists");
  const char *answer = json_string_value(json_object_get(verdict, "answer"));
  const bool exact = json_object_get(verdict, "exact") != NULL, no = exists->answer == DLS_NO;
  require(answer && json_is_object(verdict));
  require(!json_is_true(json_object_get(report, "converged")) || strcmp(answer, "no") != 0);
  require(exact == (no && run->friction->converged && isinf(exists->bound)));
  json_decref(report);
  dls_report_text_free(text);
}

// Of one problem, of the same in other units and of the same in another order; NULL: not asked.
typedef struct verdicts {
  dls_solvable *first, *scaled, *permuted;
} verdicts;

static verdicts ask(const problem *x, const problem *scaled, const problem *permuted)
{
  const verdicts v = {existence(x), existence(scaled), existence(permuted)};
  const bool sized = has_diagonal(x);  // else W says nothing about the size of forces
  require(!sized || v.first->answer == v.scaled->answer);
  require(!sized || same(v.first->margin, v.scaled->margin));
  const bool far = v.first->bound > 1e15 && v.scaled->bound > 1e15;  // rounding decides how far
  require(!sized || far || same(v.first->bound, v.scaled->bound));
  require(v.first->answer == v.permuted->answer || v.first->answer == DLS_UNDECIDED ||
          v.permuted->answer == DLS_UNDECIDED);
  return v;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static problem x, scaled, permuted;
  source s = {data, size};
  read_problem(&s, &x);
  const double velocity = ldexp(1, byte(&s) % 81 - 40), impulse = ldexp(1, byte(&s) % 81 - 40);
  if (dls_incremental_validate(&x.p, NULL) != DLS_OK) return 0;
  int place[ROWS];
  rescale(&x, velocity, impulse, &scaled);
  permute(&s, &x, place, &permuted);
  const int what = byte(&s), solver = byte(&s) % dls_solver_count();
  read_laws(&s, &x);
  give_laws(&x, NULL, impulse, &scaled);
  give_laws(&x, place, 1, &permuted);
  if (dls_incremental_validate(&x.p, NULL) != DLS_OK) return 0;
  verdicts v = {NULL, NULL, NULL};
  if (what % 16 == 0) v = ask(&x, &scaled, &permuted);
  for (int k = 0; k < dls_solver_count(); k++) {
    const dls_solver_info *info = dls_solver_info_at(k);
    double r[ROWS];
    if (!info->local || (k != solver && what != 0)) continue;
    if (dls_incremental_laws(&x.p) & ~info->laws) continue;
    const dls_solve_report a = solve(&x, info->name, r);
    const dls_solve_run run = {.asked = info->name, .friction = &a};
    if (a.converged) is_solution(&x, r);
    if (a.converged && v.first && v.first->answer == DLS_NO) require(go_together(&x, r, v.first));
    if (v.first) no_contradiction(&x, &run, v.first);
    if (has_diagonal(&x)) same_in_units(&x, &a, r, &scaled, info->name, impulse);
    as_good_in_order(&x, &permuted, place, info->name);
  }
  dls_solvable_free(v.first);
  dls_solvable_free(v.scaled);
  dls_solvable_free(v.permuted);
  return 0;
}
