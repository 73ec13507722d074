// What the questions about friction cost: per point of a map of the Painleve-Klein system, next to
// evaluating the model there; the exact test of uniqueness for every load, which looks at all
// choices of closed contacts; sticking and closure of many contacts in space.
//
// usage: bench_friction [painleve-klein.dls]
#define _POSIX_C_SOURCE 199309L
#include "common.h"
#include "timing.h"

#include <delassus/check.h>
#include <delassus/model.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void must(dls_status status, const char *what)
{
  if (status == DLS_OK) return;
  fprintf(stderr, "bench_friction: %s: %s\n", what, dls_status_text(status));
  exit(1);
}

static unsigned long long random_state = 1;

static double uniform(double low, double high)
{
  return drawn(&random_state, low, high);
}

// ---- per point of a map -------------------------------------------------------------------------

enum { SIDE = 12, POINTS = SIDE * SIDE, TURNS = 15 };

typedef struct map {
  dls_model *model;
  dls_system *system;
  dls_values *values;
  dls_state state;
} map;

static map map_create(const char *path)
{
  map m = {0};
  dls_diagnostics diagnostics;
  static char text[1 << 16];
  FILE *file = fopen(path, "rb");
  if (!file) {
    fprintf(stderr, "bench_friction: cannot read %s; run from the top directory\n", path);
    exit(1);
  }
  const size_t length = fread(text, 1, sizeof text, file);
  fclose(file);
  must(dls_model_parse(text, length, &m.model, &diagnostics), path);
  must(dls_model_system(m.model, &m.system), path);
  must(dls_values_create(m.system, &m.values), path);
  m.state.q = need(calloc((size_t)m.system->n, sizeof(double)));
  m.state.v = need(calloc((size_t)m.system->n, sizeof(double)));
  return m;
}

static void map_free(map *m)
{
  free(m->state.q), free(m->state.v);
  dls_values_free(m->values);
  dls_system_free(m->system);
  dls_model_free(m->model);
}

// Friction at the two ends from 0 to 4, off the lines where answers change.
static void go_to(map *m, const char *at, int point)
{
  char value[32];
  dls_message message;
  snprintf(value, sizeof value, "%.17g", (point % SIDE + 0.37) * 4.0 / SIDE);
  must(dls_model_set(m->system, "mu1", value, &message), "mu1");
  snprintf(value, sizeof value, "%.17g", (point / SIDE + 0.61) * 4.0 / SIDE);
  must(dls_model_set(m->system, "mu2", value, &message), "mu2");
  must(dls_model_state(m->system, at, &m->state, &message), at);
}

// Seconds: to set the parameters and find the state, to evaluate the model, to evaluate it and sort
// its contacts, to answer.
typedef struct cost {
  double place, evaluate, contacts, check;
  bool known;
} cost;

static bool is_known(const dls_check *check, unsigned ask)
{
  if (ask == DLS_ASK_SOLUTIONS) return check->solution_count >= 0;
  for (int q = 0; q < DLS_QUESTION_COUNT; q++) {
    const dls_answer answer = check->verdict[q].answer;
    if (ask == DLS_ASK(q)) return answer == DLS_YES || answer == DLS_NO;
  }
  for (int l = 0; l < DLS_LIMIT_COUNT; l++)
    if (ask == DLS_ASK_LIMIT(l)) return !isnan(check->limit[l].value);
  return false;
}

static cost visit(map *m, const char *at, int point, unsigned ask)
{
  dls_contact_state *contacts = NULL;
  dls_check *check = NULL;
  dls_message message;
  dls_check_options options = dls_check_defaults();
  options.ask = ask;
  const double begin = dls_clock();
  go_to(m, at, point);
  const double placed = dls_clock();
  must(m->system->evaluate(m->system->self, m->state.t, m->state.q, m->state.v, m->values, NULL,
                           &message),
       "evaluate");
  const double evaluated = dls_clock();
  must(dls_contact_state_create(m->system, &m->state, NULL, &contacts, &message), "contacts");
  const double sorted = dls_clock();
  must(dls_check_run(&contacts->problem, &options, &check, &message), "check");
  const cost c = {placed - begin, evaluated - placed, sorted - evaluated, dls_clock() - sorted,
                  is_known(check, ask)};
  dls_check_free(check);
  dls_contact_state_free(contacts);
  return c;
}

// Each point's least time of all turns, then the mean over the points.
static void bench_point(map *m, const char *name, const char *at, unsigned ask)
{
  static cost least[POINTS];
  cost sum = {0};
  int unknown = 0;
  for (int k = 0; k < TURNS; k++)
    for (int point = 0; point < POINTS; point++) {
      const cost c = visit(m, at, point, ask);
      cost *l = least + point;
      if (k == 0) *l = c;
      l->place = fmin(l->place, c.place), l->evaluate = fmin(l->evaluate, c.evaluate);
      l->contacts = fmin(l->contacts, c.contacts), l->check = fmin(l->check, c.check);
    }
  for (int point = 0; point < POINTS; point++) {
    const cost *l = least + point;
    sum.place += l->place / POINTS, sum.evaluate += l->evaluate / POINTS;
    sum.contacts += l->contacts / POINTS, sum.check += l->check / POINTS;
    unknown += !l->known;
  }
  printf("%-22s %8s %9.2f %9.2f %9.2f %9.2f %8.1f %8d\n", name, at, 1e6 * sum.place,
         1e6 * sum.evaluate, 1e6 * sum.contacts, 1e6 * sum.check, sum.check / sum.contacts,
         unknown);
  fflush(stdout);
}

static void bench_points(const char *path)
{
  map m = map_create(path);
  printf(
      "Painleve-Klein, %d points, microseconds per point; ratio: the question / model and contact "
      "state\n%-22s %8s %9s %9s %9s %9s %8s %8s\n",
      POINTS, "question", "state", "set", "evaluate", "contacts", "question", "ratio", "unknown");
  bench_point(&m, "solution_count", "sliding", DLS_ASK_SOLUTIONS);
  bench_point(&m, "unique_for_every_load", "sliding", DLS_ASK(DLS_UNIQUE_FOR_EVERY_LOAD));
  bench_point(&m, "friction.sufficient", "sliding", DLS_ASK_LIMIT(DLS_LIMIT_SUFFICIENT));
  bench_point(&m, "friction.critical", "sliding", DLS_ASK_LIMIT(DLS_LIMIT_CRITICAL));
  bench_point(&m, "least_for_sticking", "resting", DLS_ASK_LIMIT(DLS_LIMIT_LEAST));
  bench_point(&m, "can_all_stick", "resting", DLS_ASK(DLS_CAN_ALL_STICK));
  map_free(&m);
}

// ---- problems by hand ---------------------------------------------------------------------------

typedef struct data {
  dls_problem problem;
  dls_friction friction;
  double *M, *F, *G, *H, *zero, *mu, *xi;
  int *first, *object;
  bool *sliding;
} data;

// Unit masses, no gradients yet; d stays where it is.
static void data_create(data *d, int n, int contacts, int tangents, double mu)
{
  const size_t rows = (size_t)n, m = (size_t)contacts, all = m * (size_t)tangents;
  *d = (data){.M = need(calloc(rows * rows, sizeof(double))),
              .F = need(calloc(rows, sizeof(double))),
              .G = need(calloc(rows * m, sizeof(double))),
              .H = need(calloc(rows * all, sizeof(double))),
              .zero = need(calloc(all, sizeof(double))),
              .mu = need(calloc(m, sizeof(double))),
              .xi = need(calloc(all, sizeof(double))),
              .first = need(calloc(m + 1, sizeof(int))),
              .object = need(calloc(rows, sizeof(int))),
              .sliding = need(calloc(m, sizeof(bool)))};
  for (size_t i = 0; i < rows; i++) d->M[i * (rows + 1)] = 1, d->object[i] = (int)i;
  for (int j = 0; j < contacts; j++) d->mu[j] = mu, d->first[j + 1] = tangents * (j + 1);
  d->friction = (dls_friction){.tangents = contacts * tangents,
                               .first = d->first,
                               .H = d->H,
                               .b_t = d->zero,
                               .mu = d->mu,
                               .xi = d->xi,
                               .sliding = d->sliding,
                               .w_n = d->zero,
                               .w_t = d->zero};
  d->problem = (dls_problem){.n = n,
                             .m_u = contacts,
                             .M = d->M,
                             .F = d->F,
                             .G_u = d->G,
                             .b_u = d->zero,
                             .friction = &d->friction};
}

static void data_free(data *d)
{
  free(d->M), free(d->F), free(d->G), free(d->H), free(d->zero), free(d->mu), free(d->xi);
  free(d->first), free(d->object), free(d->sliding);
}

// Processor seconds of one question, the least of a few; its verdict by name.
static double ask(const data *d, dls_question question, const char **answer)
{
  dls_check_options options = dls_check_defaults();
  options.ask = DLS_ASK(question);
  options.object = d->object, options.object_size = d->problem.n;
  double least = INFINITY, spent = 0;
  for (int k = 0; k < 50 && (k == 0 || spent < 0.3); k++) {
    dls_check *check = NULL;
    const double begin = processor_time();
    must(dls_check_run(&d->problem, &options, &check, NULL), dls_question_name(question));
    const double time = processor_time() - begin;
    least = fmin(least, time), spent += time;
    *answer = dls_answer_name(check->verdict[question].answer);
    dls_check_free(check);
  }
  return least;
}

// ---- unique for every load ----------------------------------------------------------------------

// Planar contacts that slide, each nearly on a coordinate of its own, with little friction: the
// answer is yes, so that every choice of closed contacts is looked at.
static void bench_unique(void)
{
  printf("unique_for_every_load, all choices\n%8s %12s %14s %9s\n", "contacts", "ms", "one more: x",
         "answer");
  double before = NAN;
  for (int m = 2; m <= 20; m += 2) {
    data d;
    const char *answer = "";
    data_create(&d, m, m, 1, 0.3 / m);
    for (int j = 0; j < m; j++) {
      for (int i = 0; i < m; i++) {
        d.G[i + m * j] = (i == j) + uniform(-0.2, 0.2) / m;
        d.H[i + m * j] = uniform(-1, 1);
      }
      d.sliding[j] = true, d.xi[j] = j % 2 ? 1 : -1;
    }
    const double time = ask(&d, DLS_UNIQUE_FOR_EVERY_LOAD, &answer);
    printf("%8d %12.4f %14.2f %9s\n", m, 1e3 * time, sqrt(time / before), answer);
    fflush(stdout);
    before = time;
    data_free(&d);
  }
}

// ---- sticking and closure -----------------------------------------------------------------------

// The row of a force e at the point r of a body: (e, r x e).
static void wrench(const double r[3], const double e[3], double sign, double *out)
{
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    out[i] = sign * e[i];
    out[3 + i] = sign * (r[j] * e[k] - r[k] * e[j]);
  }
}

// A ball of unit radius, held by fingers all around.
static void ball(data *d, int contacts)
{
  data_create(d, 6, contacts, 2, 0.5);
  d->F[2] = 9.81;
  for (int j = 0; j < contacts; j++) {
    const double z = uniform(-1, 1), angle = uniform(-3.14159, 3.14159), s = sqrt(1 - z * z);
    const double normal[3] = {s * cos(angle), s * sin(angle), z};
    const double place[3] = {-normal[0], -normal[1], -normal[2]};
    const double along[3] = {-sin(angle), cos(angle), 0};
    const double up[3] = {-z * cos(angle), -z * sin(angle), s};
    wrench(place, normal, 1, d->G + 6 * j);
    wrench(place, along, 1, d->H + 12 * j), wrench(place, up, 1, d->H + 12 * j + 6);
  }
}

// Unit cubes on each other and on the ground, four corners each.
static void tower(data *d, int contacts)
{
  static const double axes[3][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
  const int blocks = (contacts + 3) / 4;
  const size_t n = 6 * (size_t)blocks;
  data_create(d, (int)n, 4 * blocks, 2, 0.5);
  for (size_t b = 0; b < (size_t)blocks; b++) {
    d->F[6 * b + 2] = 9.81;
    for (size_t i = 3; i < 6; i++) d->M[(6 * b + i) * (n + 1)] = 1.0 / 6;
    for (size_t c = 0; c < 4; c++) {
      const size_t j = 4 * b + c;
      const double x = c & 1 ? 0.5 : -0.5, y = c & 2 ? 0.5 : -0.5;
      const double above[3] = {x, y, -0.5}, below[3] = {x, y, 0.5};
      double *row[3] = {d->G + n * j, d->H + n * 2 * j, d->H + n * (2 * j + 1)};
      for (int a = 0; a < 3; a++) {
        wrench(above, axes[a], 1, row[a] + 6 * b);
        if (b > 0) wrench(below, axes[a], -1, row[a] + 6 * (b - 1));
      }
    }
  }
}

static void bench_many(const char *name, void (*make)(data *, int), dls_question question)
{
  double before = NAN;
  int last = 0;
  for (int wanted = 10; wanted <= 1000; wanted *= 10) {
    data d;
    const char *answer = "";
    make(&d, wanted);
    const int contacts = d.problem.m_u;
    const double time = ask(&d, question, &answer);
    const double exponent = log(time / before) / log((double)contacts / last);
    printf("%-6s %-14s %8d %11d %12.3f %10.2f %9s\n", name, dls_question_name(question), contacts,
           d.problem.n, 1e3 * time, exponent, answer);
    fflush(stdout);
    before = time, last = contacts;
    data_free(&d);
  }
}

int main(int argc, char **argv)
{
  bench_points(argc > 1 ? argv[1] : "examples/painleve-klein.dls");
  bench_unique();
  printf("contacts in space\n%-6s %-14s %8s %11s %12s %10s %9s\n", "system", "question", "contacts",
         "coordinates", "ms", "exponent", "answer");
  bench_many("ball", ball, DLS_CAN_ALL_STICK);
  bench_many("ball", ball, DLS_FORCE_CLOSURE);
  bench_many("tower", tower, DLS_CAN_ALL_STICK);
  bench_many("tower", tower, DLS_FORCE_CLOSURE);
  return 0;
}
