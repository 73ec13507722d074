// The fixed point of slips around convex problems (CVX, section 6): how |F(s) - s| falls for
// coefficients of friction from 0.1 to 0.9 (Fig. 9), and how many convex problems a step takes for
// more and more contacts (Table 1). The steps are those of shaken piles of spheres, in which many
// contacts slide: at rest all stick, and the first problem is the last.
//
// With --beads the whole simulation of Table 1: beads that fall into a box.
//
// usage: bench_fixed_point [-o FILE.svg] [problem.hdf5 ...]; with files, the first table for each
//        bench_fixed_point --beads
#include "common.h"

#include "beads.h"
#include "packing.h"
#include "solve/fixed_point.h"

#include <delassus/delassus.h>
#include <delassus/picture.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FINEST 1e-8  // of the curves
enum { COEFFICIENTS = 5, LONGEST = 50, SEEDS = 20, SLIDING = 240 };

static void must(dls_status status, const char *what)
{
  if (status == DLS_OK) return;
  fprintf(stderr, "bench_fixed_point: %s: %s\n", what, dls_status_text(status));
  exit(1);
}

// Up to a metre per second in each direction before a step of 0.02 s
static void shaken(int contacts, unsigned long long seed, packing *out)
{
  packing_options o = packing_defaults();
  o.contacts = contacts, o.seed = seed, o.mu = 0.3;
  o.step = 0.02, o.agitation = 5;
  packing_create(&o, out);
}

// ---- one solve ----------------------------------------------------------------------------------

typedef struct counted {
  int problems, inner;
  double history[LONGEST];  // |F(s) - s| / (n (|s| + 1)), CVX (6.1)
} counted;

// The loop alone, to the tolerance of CVX (6.1): no Newton steps, and no end before that. For a
// problem in global form it begins with the slips without forces.
static counted count(const dls_incremental *problem, const char *solver, int memory,
                     double tolerance, double inner)
{
  dls_solve_options options = dls_solve_defaults();
  options.solver = solver, options.tolerance = 0, options.max_iterations = 1000000;
  dls_solver *s;
  must(dls_solver_create(problem, &options, &s, NULL), solver);
  dls_fixed_point *f = dls_solver_self(s);
  f->memory = memory, f->tolerance = tolerance, f->most = LONGEST, f->polish = false;
  f->inner_tolerance = inner;
  for (int k = 0; k < LONGEST; k++) f->history[k] = NAN;  // a problem that fails has no distance
  double *r = need(calloc((size_t)dls_incremental_rows(problem) + 1, sizeof *r));
  double *v = need(calloc((size_t)problem->dof + 1, sizeof *v));
  dls_solve_report report;
  must(dls_solver_solve(s, r, v, NULL, &report), solver);
  counted c = {.problems = f->problems, .inner = f->inner};
  memcpy(c.history, f->history, sizeof c.history);
  free(r), free(v);
  dls_solver_free(s);
  return c;
}

// ---- Fig. 9 -------------------------------------------------------------------------------------

typedef struct curves {
  counted of[COEFFICIENTS];
  double x[COEFFICIENTS][LONGEST];
  char label[COEFFICIENTS][16];
  dls_curve curve[COEFFICIENTS];
} curves;

static double coefficient(int k)
{
  return 0.1 * (2 * k + 1);
}

static int problems_to(const counted *c, double tolerance)
{
  for (int k = 0; k < c->problems; k++)
    if (c->history[k] <= tolerance) return k + 1;
  return 0;
}

static void print_number(int number)
{
  if (number > 0) printf(" %d |", number);
  else printf(" > %d |", LONGEST);
}

// One mu at all contacts with friction
static void convergence(const dls_incremental *given, int memory, curves *out)
{
  dls_incremental problem = *given;
  double *mu = need(calloc((size_t)problem.contacts + 1, sizeof *mu));
  problem.mu = mu;
  printf("| mu | problems to 1e-3 | to 1e-4 | to 1e-5 | to 1e-6 | the last, in 50 |\n");
  printf("|---|---|---|---|---|---|\n");
  for (int k = 0; k < COEFFICIENTS; k++) {
    for (int i = 0; i < problem.contacts; i++) mu[i] = given->mu[i] > 0 ? coefficient(k) : 0;
    counted *c = &out->of[k];
    *c = count(&problem, "cvx-apgd", memory, FINEST, 1e-6);
    printf("| %.1f |", coefficient(k));
    for (int digits = 3; digits <= 6; digits++) print_number(problems_to(c, pow(10, -digits)));
    printf(" %.0e |\n", c->history[c->problems - 1]);
    for (int j = 0; j < c->problems; j++) out->x[k][j] = j + 1;
    snprintf(out->label[k], sizeof out->label[k], "μ = %.1f", coefficient(k));
    out->curve[k] = (dls_curve){.label = out->label[k],
                                .count = c->problems,
                                .x = out->x[k],
                                .y = c->history,
                                .marker = DLS_CIRCLE};
  }
  free(mu);
}

static void draw(const char *path, const curves *plain, const curves *accelerated)
{
  const dls_axis x = {.label = "convex problem", .low = 1, .high = LONGEST, .whole = true};
  const dls_axis y = {"|F(s) − s| / (n (|s| + 1))", FINEST, 1e-1, .logarithmic = true};
  const dls_plot plot[] = {
      {.title = "s ← F(s)", .x = x, .y = y, .curves = COEFFICIENTS, .curve = plain->curve},
      {.title = "accelerated (Anderson, 5 slips)",
       .x = x,
       .y = y,
       .curves = COEFFICIENTS,
       .curve = accelerated->curve},
  };
  char subtitle[128];
  snprintf(subtitle, sizeof subtitle, "a step of a shaken pile of spheres, %d contacts", SLIDING);
  const dls_picture picture = {.title = "The fixed point of slips",
                               .subtitle = subtitle,
                               .columns = 2,
                               .plots = 2,
                               .plot = plot};
  dls_message message = {{0}};
  if (dls_picture_save(&picture, path, &message) == DLS_OK) return;
  fprintf(stderr, "bench_fixed_point: %s\n", message.text);
  exit(1);
}

static void figure(const char *name, const dls_incremental *problem, const char *path)
{
  curves *c = need(calloc(2, sizeof *c));
  printf("%s, %d contacts, s <- F(s):\n\n", name, problem->contacts);
  convergence(problem, 0, c);
  printf("\n%s, %d contacts, accelerated:\n\n", name, problem->contacts);
  convergence(problem, 5, c + 1);
  if (path) draw(path, c, c + 1);
  free(c);
}

// ---- Table 1 ------------------------------------------------------------------------------------

enum { CRITERIA = 3 };

// (6.1) with the tolerance of Table 1 and with that of Fig. 9; and without 1/n, which
// makes the test easier the more contacts there are
static void tolerances(int contacts, double tolerance[CRITERIA])
{
  tolerance[0] = 1e-2, tolerance[1] = 1e-4;
  tolerance[2] = 1e-1 / contacts;
}

static void table_row(int contacts, const char *solver)
{
  int sum[CRITERIA] = {0}, most[CRITERIA] = {0}, open[CRITERIA] = {0};
  int iterations = 0;
  double tolerance[CRITERIA];
  tolerances(contacts, tolerance);
  for (int seed = 1; seed <= SEEDS; seed++) {
    packing p;
    shaken(contacts, (unsigned long long)seed, &p);
    const counted c = count(&p.problem, solver, 0, 1e-4, 1e-4);
    for (int k = 0; k < CRITERIA; k++) {
      const int problems = problems_to(&c, tolerance[k]);
      sum[k] += problems, open[k] += problems == 0;
      if (problems > most[k]) most[k] = problems;
    }
    iterations += c.inner;
    packing_free(&p);
  }
  printf("| %d | %s |", contacts, solver);
  for (int k = 0; k < CRITERIA; k++) {
    printf(" %.1f (%d)", (double)sum[k] / (SEEDS - open[k]), most[k]);
    if (open[k] > 0) printf(", %d not", open[k]);
    printf(" |");
  }
  printf(" %.0f |\n", (double)iterations / SEEDS);
  fflush(stdout);
}

static void table(void)
{
  const int contacts[] = {240, 500, 740};
  printf("\nConvex problems, mu 0.3, mean of %d piles and the most in brackets; 'not': so many "
         "piles took more than %d. e = |F(s) - s| / (|s| + 1)\n\n",
         SEEDS, LONGEST);
  printf("| contacts | solver | e/n <= 0.01 | e/n <= 0.0001 | e <= 0.1 | iterations |\n"
         "|---|---|---|---|---|---|\n");
  for (int k = 0; k < 3; k++)
    table_row(contacts[k], "cvx-apgd"), table_row(contacts[k], "cvx-interior");
}

// ---- Table 1, the simulation --------------------------------------------------------------------

enum { STEPS = 300, ALLOWED = 20 };

typedef struct tally {
  int steps, sum[CRITERIA], most[CRITERIA], open[CRITERIA];  // steps: those with contacts
  long contacts;
} tally;

static void tally_step(tally *t, const dls_fixed_point *f, int contacts)
{
  const double tolerance[CRITERIA] = {1e-2, 1e-1 / contacts, 1e-2 / contacts};
  t->steps++, t->contacts += contacts;
  for (int k = 0; k < CRITERIA; k++) {
    int problems = 1;
    while (problems < f->problems && !(f->history[problems - 1] <= tolerance[k])) problems++;
    t->sum[k] += problems;
    t->open[k] += !(f->history[problems - 1] <= tolerance[k]);
    if (problems > t->most[k]) t->most[k] = problems;
  }
}

// Successive approximations to the last of the criteria. Warm: r and s of the contacts that were
// there in the step before; otherwise from zero.
static void bead_step(beads *b, const char *solver, bool warm, double *v, double *u, tally *t)
{
  const dls_incremental *p = &b->problem;
  const size_t contacts = (size_t)p->contacts;
  if (contacts == 0) {
    for (int i = 0; i < p->dof; i++) v[i] = p->f[i] / p->M.x[i];
    return;
  }
  dls_solve_options options = dls_solve_defaults();
  options.solver = solver, options.tolerance = 0, options.max_iterations = 1000000;
  dls_solver *s;
  must(dls_solver_create(p, &options, &s, NULL), solver);
  dls_fixed_point *f = dls_solver_self(s);
  f->memory = 0, f->polish = false, f->most = ALLOWED;
  f->tolerance = 1e-2 / p->contacts, f->inner_tolerance = 1e-3, f->start = b->slip;
  if (!warm) memset(b->r, 0, 3 * contacts * sizeof *b->r), memset(b->slip, 0, contacts * sizeof *u);
  dls_solve_report report;
  must(dls_solver_solve(s, b->r, v, u, &report), solver);
  tally_step(t, f, p->contacts);
  for (size_t c = 0; c < contacts; c++) b->slip[c] = hypot(u[3 * c + 1], u[3 * c + 2]);
  dls_solver_free(s);
}

static void beads_row(int number, const char *solver, bool warm)
{
  beads_options o = beads_defaults();
  o.beads = number;
  beads b;
  beads_create(&o, &b);
  double *v = need(calloc((size_t)b.problem.dof + 1, sizeof *v));
  double *u = need(calloc(3 * (size_t)BEADS_CONTACTS * (size_t)number + 1, sizeof *u));
  tally t = {0};
  double depth = 0;
  for (int k = 0; k < STEPS; k++) {
    beads_begin(&b);
    depth = fmax(depth, beads_depth(&b));
    bead_step(&b, solver, warm, v, u, &t);
    beads_end(&b, v);
  }
  printf("| %d | %s | %.0f |", number, warm ? "before" : "zero", (double)t.contacts / t.steps);
  for (int k = 0; k < CRITERIA; k++) {
    printf(" %.1f (%d)", (double)t.sum[k] / t.steps, t.most[k]);
    if (t.open[k] > 0) printf(", %d not", t.open[k]);
    printf(" |");
  }
  printf(" %.2g | %.2g |\n", beads_speed(&b), depth);
  fflush(stdout);
  free(v), free(u);
  beads_free(&b);
}

static void simulations(const char *solver)
{
  printf("Beads in a box, %s, %d steps; convex problems per step with contacts, and the most in "
         "brackets; 'not': so many steps took more than %d\n\n"
         "| beads | s from | contacts | e/n <= 0.01 | e <= 0.1 | e <= 0.01 | last speed | overlap |"
         "\n|---|---|---|---|---|---|---|---|\n",
         solver, STEPS, ALLOWED);
  for (int number = 150; number <= 600; number *= 2)
    beads_row(number, solver, false), beads_row(number, solver, true);
}

static void file(const char *name)
{
  dls_fclib *read;
  dls_message message;
  if (dls_fclib_read(name, &read, &message) != DLS_OK) {
    fprintf(stderr, "bench_fixed_point: %s\n", message.text);
    exit(1);
  }
  figure(name, &read->problem, NULL);
  dls_fclib_free(read);
}

int main(int arguments, char **argument)
{
  int first = 1;
  const char *path = NULL;
  if (arguments == 2 && strcmp(argument[1], "--beads") == 0) {
    simulations("cvx-apgd");
    return 0;
  }
  if (arguments > 2 && strcmp(argument[1], "-o") == 0) path = argument[2], first = 3;
  for (int k = first; k < arguments; k++) file(argument[k]);
  if (first < arguments) return 0;
  packing p;
  shaken(SLIDING, 1, &p);
  figure("A shaken pile", &p.problem, path);
  packing_free(&p);
  table();
  return 0;
}
